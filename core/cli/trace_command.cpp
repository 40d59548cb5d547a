#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/session.h"
#include "core/cli/table.h"
#include "core/config/config_codec.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/trace_requests.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

using redis::TraceRequest;
using redis::TraceRequests;

struct TraceLine {
    std::string address;
    std::optional<Millis> span;
    bool stop = false;
    std::string reason = kUsualReason;
};

/// Long enough to let somebody try again, short enough to be forgotten.
constexpr Millis kUsualSpan = std::chrono::minutes{10};
constexpr Millis kLongestSpan = std::chrono::hours{24 * 7};

void check(const TraceLine& line)
{
    if (line.address.empty() && (line.stop || line.span)) {
        throw CLI::RequiredError("trace: the address of record of whoever is meant");
    }
    const auto ats = std::count(line.address.begin(), line.address.end(), '@');
    if (!line.address.empty() && (!codec::isSipUri(line.address) || ats != 1)) {
        throw CLI::ValidationError("address", "\"" + line.address +
                                                  "\" is not allowed; write an address of record, "
                                                  "such as sip:bob@example.org");
    }
    if (line.span && (*line.span < std::chrono::seconds{1} || *line.span > kLongestSpan)) {
        throw CLI::ValidationError("--for", "write a duration from 1s to 7d");
    }
}

int list(Session& session, const Options& options, TraceRequests& requests)
{
    const auto active = session.await<std::vector<TraceRequest>>(
        [&](auto done) { requests.active(session.now(), std::move(done)); });
    if (!active) {
        return fail(active.error(), options);
    }
    if (options.json) {
        nlohmann::json object{{"traces", nlohmann::json::array()}};
        for (const auto& request : *active) {
            object["traces"].push_back({{"address", request.address},
                                        {"until", printRfc3339(request.until)},
                                        {"until_ms", toEpochMs(request.until)}});
        }
        fmt::print("{}\n", object.dump());
        return kDone;
    }
    if (active->empty()) {
        fmt::print("nobody is traced by order; what sip.trace does stands in the configuration\n");
        return kDone;
    }
    Table table({"ADDRESS", "UNTIL"});
    for (const auto& request : *active) {
        table.add({oneLine(request.address), printLocalTime(request.until)});
    }
    fmt::print("{}", table.print(terminalWidth()));
    return kDone;
}

/// With its host in small letters, so that one address has one request.
std::string withPlainHost(const std::string& address)
{
    const auto host = std::min(address.find('@'), address.size());
    return address.substr(0, host) + lowered(std::string_view(address).substr(host));
}

/// Tells how it went; `now` is what `line.address` is from now on.
int told(const Result<std::uint64_t>& daemons,
         const Options& options,
         const TraceLine& line,
         const std::string& now)
{
    if (!daemons) {
        return fail(daemons.error(), options);
    }
    if (options.json) {
        fmt::print(
            "{}\n",
            nlohmann::json{{"address", line.address}, {"status", "ok"}, {"daemons", *daemons}}
                .dump());
        return kDone;
    }
    fmt::print("{} {}\n", line.address, now);
    if (*daemons == 0) {
        fmt::print("no daemon with SIP runs now; one that starts in time will do it\n");
    }
    return kDone;
}

int trace(Session& session, const Options& options, const TraceLine& line)
{
    TraceRequests requests(session.connection(), session.config().redis.prefix);
    if (line.address.empty()) {
        return list(session, options, requests);
    }
    const auto shards = redis::shardQueues(session.loop(), session.connection(), session.clock(),
                                           session.config().redis.prefix, session.shards());
    auto& first = *shards.front();
    const TraceRequests::By by{Session::actor(), line.reason};
    if (line.stop) {
        const auto daemons = session.await<std::uint64_t>(
            [&](auto done) { TraceRequests::remove(first, line.address, by, std::move(done)); });
        return told(daemons, options, line, "is not traced any more");
    }
    const auto until = session.now() + line.span.value_or(kUsualSpan);
    const auto daemons = session.await<std::uint64_t>([&](auto done) {
        TraceRequests::put(first, {line.address, until}, by, std::move(done));
    });
    return told(daemons, options, line,
                fmt::format("is traced until {}, to where sip.trace says or else to trace.pcap in "
                            "the state_dir of each daemon",
                            printLocalTime(until)));
}

}  // namespace

void addTrace(CLI::App& app, Command& chosen)
{
    auto line = std::make_shared<TraceLine>();
    auto& command = *app.add_subcommand(
        "trace", "Let the daemons copy somebody's SIP messages for a while, or say whose they do");
    command.add_option("address", line->address,
                       "The address of record, such as sip:bob@example.org");
    addDuration(command, "--for", line->span, "For how long, up to 7d; 10m when not given");
    command.add_flag("--stop", line->stop, "End it now")->excludes(command.get_option("--for"));
    addReason(command, line->reason);
    command.callback([line, &chosen] {
        check(*line);
        if (!line->address.empty()) {
            line->address = withPlainHost(line->address);
        }
        chosen = [line](Session& session, const Options& options) {
            return trace(session, options, *line);
        };
    });
}

}  // namespace restante::cli
