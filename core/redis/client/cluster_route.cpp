#include "core/redis/client/cluster_route.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace restante::redis {

namespace {

using Words = std::span<const std::string_view>;

/// Without a table: keys are short, and a command has one.
std::uint16_t crc16(std::string_view text) noexcept
{
    constexpr unsigned kPolynomial = 0x1021;
    unsigned crc = 0;
    for (const char c : text) {
        crc ^= static_cast<unsigned>(static_cast<unsigned char>(c)) << 8U;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ kPolynomial : crc << 1U;
        }
    }
    return static_cast<std::uint16_t>(crc & 0xffffU);
}

template <std::size_t N>
bool isOneOf(std::string_view word, const std::array<std::string_view, N>& words) noexcept
{
    return std::any_of(words.begin(), words.end(),
                       [&](auto known) { return equalIgnoringCase(word, known); });
}

using Word = std::string_view;
constexpr std::array kScripts{Word("EVALSHA"), Word("EVAL"), Word("EVALSHA_RO"), Word("EVAL_RO")};
constexpr std::array kReadsOfStreams{Word("XREAD"), Word("XREADGROUP")};
constexpr std::array kAllKeys{Word("DEL"), Word("EXISTS"), Word("UNLINK"), Word("TOUCH"),
                              Word("MGET")};
constexpr std::array kKeyBehindSubcommand{Word("OBJECT"), Word("XINFO"), Word("XGROUP"),
                                          Word("MEMORY")};
constexpr std::array kWithoutKey{Word("ACL"),     Word("ASKING"),   Word("AUTH"),    Word("CLIENT"),
                                 Word("CLUSTER"), Word("COMMAND"),  Word("CONFIG"),  Word("DBSIZE"),
                                 Word("ECHO"),    Word("FLUSHALL"), Word("FLUSHDB"), Word("HELLO"),
                                 Word("INFO"),    Word("LASTSAVE"), Word("LATENCY"), Word("PING"),
                                 Word("PUBLISH"), Word("READONLY"), Word("ROLE"),    Word("SCRIPT"),
                                 Word("SLOWLOG"), Word("TIME"),     Word("WAIT")};

Words from(Words words, std::size_t first) noexcept
{
    return first < words.size() ? words.subspan(first) : Words{};
}

/// EVALSHA sha 2 k k a a
Words keysOfScript(Words words) noexcept
{
    const auto count = words.size() > 2 ? leadingNumber<std::size_t>(words[2]) : 0;
    const auto keys = from(words, 3);
    return keys.first(std::min(count, keys.size()));
}

/// What comes behind `word`.
Words behind(Words words, std::string_view word) noexcept
{
    const auto mark = std::ranges::find_if(
        words, [word](std::string_view one) { return equalIgnoringCase(one, word); });
    return from(words, static_cast<std::size_t>(std::distance(words.begin(), mark)) + 1);
}

/// XREAD COUNT 1 STREAMS k k id id
Words keysOfStreams(Words words) noexcept
{
    const auto streams = behind(words, "STREAMS");
    return streams.first(streams.size() / 2);
}

/// SCAN 0 MATCH rst:{s1}:* - what it goes through is where the pattern's tag is, and its cursor
/// belongs to that node.
Words keysOfScan(Words words) noexcept
{
    const auto pattern = behind(words, "MATCH");
    return pattern.first(std::min<std::size_t>(pattern.size(), 1));
}

Words keysOf(Words words) noexcept
{
    const auto name = words.empty() ? std::string_view{} : words.front();
    if (isOneOf(name, kWithoutKey)) {
        return {};
    }
    if (runsScript(name)) {
        return keysOfScript(words);
    }
    if (equalIgnoringCase(name, "SCAN")) {
        return keysOfScan(words);
    }
    if (isOneOf(name, kReadsOfStreams)) {
        return keysOfStreams(words);
    }
    if (isOneOf(name, kAllKeys)) {
        return from(words, 1);
    }
    const auto keys = from(words, isOneOf(name, kKeyBehindSubcommand) ? 2 : 1);
    return keys.first(std::min<std::size_t>(keys.size(), 1));
}

}  // namespace

std::uint16_t slotOf(std::string_view key) noexcept
{
    const auto open = key.find('{');
    const auto close = open == std::string_view::npos ? open : key.find('}', open + 1);
    // "{}" is no tag.
    if (close != std::string_view::npos && close > open + 1) {
        key = key.substr(open + 1, close - open - 1);
    }
    return crc16(key) % kClusterSlots;
}

std::uint16_t homeSlot() noexcept
{
    // The hash tag of shardPrefix() (keys.h), which the store lays upon this connection.
    return slotOf("{s0}");
}

ClusterRoute clusterRouteOf(std::span<const std::string_view> command) noexcept
{
    const auto keys = keysOf(command);
    if (keys.empty()) {
        return {};
    }
    const auto slot = slotOf(keys.front());
    const bool same = std::all_of(keys.begin() + 1, keys.end(),
                                  [slot](std::string_view key) { return slotOf(key) == slot; });
    return {same ? ClusterRoute::Kind::Slot : ClusterRoute::Kind::SeveralSlots, slot};
}

bool runsScript(std::string_view commandName) noexcept
{
    return isOneOf(commandName, kScripts);
}

}  // namespace restante::redis
