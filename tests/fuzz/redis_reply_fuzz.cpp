#include "core/redis/client/cluster_map.h"
#include "core/redis/client/reply_reader.h"
#include "core/redis/store/event_entry.h"
#include "core/redis/store/store_answers.h"
#include "tests/fuzz/fuzz.h"

#include <string>

namespace {

using namespace restante;

const redis::NodeAddress kAsked{"asked.example.org", 6379};

void readAsMap(const redis::Reply& reply)
{
    const auto map = redis::ClusterMap::parse(reply, kAsked);
    if (!map) {
        fuzz::require(!map.error().message.empty(), "a refusal says why");
        return;
    }
    fuzz::require(!map->slotOfEachMaster().empty(), "a map gives a slot to somebody");
    for (const auto slot : map->slotOfEachMaster()) {
        const auto* master = map->masterOf(slot);
        fuzz::require(master != nullptr && map->isMaster(*master), "who has a slot is a master");
    }
}

/// Whatever a server says in the place of what was asked for.
void readAsAnything(const redis::Reply& reply)
{
    readAsMap(reply);
    (void)redis::readEvent(reply);
    if (const auto* text = reply.text()) {
        (void)redis::parseWake(*text);
        (void)redis::parseSlotTopic(*text);
        (void)redis::unpackIds(*text);
        (void)redis::streamPositionOf(*text);
    }
    if (const auto* list = reply.array()) {
        for (const auto& each : *list) {
            readAsAnything(each);
        }
    }
}

/// How many replies and refusals come of a stream that is read in pieces of that size.
std::size_t repliesOf(std::string_view bytes, std::size_t read)
{
    redis::ReplyReader reader;
    std::size_t count = 0;
    for (std::size_t at = 0; at < bytes.size(); at += read) {
        const auto piece = bytes.substr(at, read);
        reader.feed(piece.data(), piece.size());
        while (auto reply = reader.next()) {
            ++count;
            if (*reply) {
                readAsAnything(**reply);
            } else if (const auto there = redis::redirectOf(reply->error().message, kAsked)) {
                fuzz::require(!there->to.host.empty(), "a redirection leads somewhere");
            }
        }
        if (!reader.protocolError().empty()) {
            return count;
        }
    }
    return count;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto bytes = fuzz::textOf(data, size);
    fuzz::require(repliesOf(bytes, bytes.size() + 1) == repliesOf(bytes, 5), "reads do not matter");
    return 0;
}
