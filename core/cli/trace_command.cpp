#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/cli/table.h"
#include "core/config/config_codec.h"
#include "core/json/job_json.h"
#include "core/redis/store/daemon_registry.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/trace_requests.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

using redis::TraceRequest;
using redis::TraceRequests;

struct TraceArguments {
    std::string address;
    std::optional<Millis> span;
    bool stop = false;
    std::string reason = kDefaultReason;
};

/// Long enough for another try, short enough to be harmless if it is forgotten.
constexpr Millis kDefaultSpan = std::chrono::minutes{10};
constexpr Millis kLongestSpan = std::chrono::hours{24 * 7};

/// The address with its host in lower case, so that one address has one request.
std::string withLowerCaseHost(const std::string& address)
{
    const auto atSign = std::min(address.find('@'), address.size());
    return address.substr(0, atSign) + lowered(std::string_view(address).substr(atSign));
}

void checkTrace(TraceArguments& arguments)
{
    if (arguments.address.empty() && (arguments.stop || arguments.span)) {
        refuseUsage("trace: the address of record of whoever is meant is required");
    }
    const auto ats = std::count(arguments.address.begin(), arguments.address.end(), '@');
    if (!arguments.address.empty() && (!codec::isSipUri(arguments.address) || ats != 1)) {
        refuseUsage("address: \"" + arguments.address +
                    "\" is not allowed; write an address of record, such as sip:bob@example.org");
    }
    if (arguments.span &&
        (*arguments.span < std::chrono::seconds{1} || *arguments.span > kLongestSpan)) {
        refuseUsage("--for: write a duration from 1s to 7d");
    }
    arguments.address = withLowerCaseHost(arguments.address);
}

nlohmann::json jsonOfTraces(const std::vector<TraceRequest>& active)
{
    nlohmann::json object{{"traces", nlohmann::json::array()}};
    for (const auto& request : active) {
        object["traces"].push_back({{"address", request.address}});
        json::addTime(object["traces"].back(), "until", request.until);
    }
    return object;
}

void printTraces(const std::vector<TraceRequest>& active)
{
    if (active.empty()) {
        fmt::print("nobody is traced by order; what sip.trace does stands in the configuration\n");
        return;
    }
    Table table({"ADDRESS", "UNTIL"});
    for (const auto& request : active) {
        table.add({oneLine(request.address), formatLocalTime(request.until)});
    }
    fmt::print("{}", table.text(terminalWidth()));
}

/// Prints the change and warns if there is no daemon; `outcome` is the new state of
/// `arguments.address`.
int printChange(const Result<std::uint64_t>& daemons,
                const Options& options,
                const TraceArguments& arguments,
                const std::string& outcome)
{
    return printResult(
        daemons, options,
        [&](std::uint64_t count) {
            return nlohmann::json{
                {"address", arguments.address}, {"status", "ok"}, {"daemons", count}};
        },
        [&](std::uint64_t count) {
            fmt::print("{} {}\n", arguments.address, outcome);
            if (count == 0) {
                fmt::print("no daemon with SIP runs now{}\n",
                           arguments.stop ? "" : "; one that starts in time will do it");
            }
        });
}

/// How many daemons trace. In a cluster the answer counts only those that listen at one node, so
/// the daemons that live are counted.
Result<std::uint64_t> daemonsTold(ConnectedStore& store, const Result<std::uint64_t>& answer)
{
    if (!answer || !store.connection().isCluster()) {
        return answer;
    }
    const auto daemons = store.await<std::vector<redis::DaemonView>>([&](auto done) {
        redis::readDaemons(store.connection(), store.config().redis.prefix, store.now(),
                           std::move(done));
    });
    return daemons.map([](const std::vector<redis::DaemonView>& views) {
        return static_cast<std::uint64_t>(std::ranges::count_if(views, [](const auto& daemon) {
            return std::ranges::find(daemon.duties, "sip") != daemon.duties.end();
        }));
    });
}

int trace(ConnectedStore& store, const Options& options, const TraceArguments& arguments)
{
    TraceRequests requests(store.connection(), store.config().redis.prefix);
    if (arguments.address.empty()) {
        const auto active = store.await<std::vector<TraceRequest>>(
            [&](auto done) { requests.active(store.now(), std::move(done)); });
        return printResult(active, options, jsonOfTraces, printTraces);
    }
    const auto shards = redis::shardQueues(store.loop(), store.connection(), store.clock(),
                                           store.config().redis.prefix, store.shards());
    auto& firstShard = *shards.front();
    const TraceRequests::Operator by{ConnectedStore::actor(), arguments.reason};
    if (arguments.stop) {
        const auto daemons = store.await<std::uint64_t>([&](auto done) {
            TraceRequests::remove(firstShard, arguments.address, by, std::move(done));
        });
        return printChange(daemonsTold(store, daemons), options, arguments,
                           "is not traced any more");
    }
    const auto until = store.now() + arguments.span.value_or(kDefaultSpan);
    const auto daemons = store.await<std::uint64_t>([&](auto done) {
        TraceRequests::put(firstShard, {arguments.address, until}, by, std::move(done));
    });
    return printChange(
        daemonsTold(store, daemons), options, arguments,
        fmt::format("is traced until {}, to where sip.trace says or else to trace.pcap in the "
                    "state_dir of each daemon",
                    formatLocalTime(until)));
}

}  // namespace

void addTrace(CommandLine& commands)
{
    auto [command, arguments] = commands.add(
        "trace", "Let the daemons copy somebody's SIP messages for a while, or say whose they do",
        trace, checkTrace);
    command.option("address", &arguments.address,
                   "The address of record, such as sip:bob@example.org");
    auto* span =
        command.option("--for", &arguments.span, "For how long, up to 7d; 10m when not given");
    command.option("--stop", &arguments.stop, "End it now", {.excludes = span});
    command.reason(&arguments.reason);
}

}  // namespace restante::cli
