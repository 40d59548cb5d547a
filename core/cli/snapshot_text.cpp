#include "core/base/duration.h"
#include "core/base/timestamp.h"
#include "core/cli/store_snapshot.h"
#include "core/cli/table.h"
#include "core/json/job_json.h"
#include "core/queue/job_search.h"
#include "core/redis/server/server_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

constexpr auto kLateness = "restante_lateness_seconds";
constexpr auto kDeliveries = "restante_deliveries_total";
constexpr auto kRedisCalls = "restante_redis_call_seconds";
/// The transitions that are shown, the first three always; --json has all of them.
constexpr std::array kShownTransitions{"push", "claim", "finish", "retry",
                                       "hold", "bury",  "expire", "reap"};

std::string perSecondText(double rate)
{
    return fmt::format("{:.{}f}/s", rate, rate < 10 ? 1 : 0);
}

std::string redisFieldOf(const StoreSnapshot& snapshot, const std::string& name)
{
    const auto found = snapshot.redis.find(name);
    return found == snapshot.redis.end() ? "?" : found->second;
}

redis::ServerName serverOf(const StoreSnapshot& snapshot)
{
    const auto valkey = snapshot.redis.find("valkey_version");
    return redis::serverNameOf(redisFieldOf(snapshot, "redis_version"),
                               valkey == snapshot.redis.end() ? "" : valkey->second);
}

double secondsBetween(const StoreSnapshot& before, const StoreSnapshot& after)
{
    return std::max(std::chrono::duration<double>(after.at - before.at).count(), 0.001);
}

/// Jobs a second; none without an earlier snapshot.
std::optional<double>
rateOf(const StoreSnapshot& snapshot, const StoreSnapshot* before, const std::string& transition)
{
    if (before == nullptr) {
        return std::nullopt;
    }
    const auto movesIn = [&](const StoreSnapshot& one) {
        const auto found = one.activity.moves.find(transition);
        return found == one.activity.moves.end() ? 0.0 : static_cast<double>(found->second);
    };
    // A decrease means that it is another store now.
    return std::max(movesIn(snapshot) - movesIn(*before), 0.0) / secondsBetween(*before, snapshot);
}

/// The growth of a topic's backlog in jobs a second.
double growthOf(const TopicLine& line, const StoreSnapshot& snapshot, const StoreSnapshot& before)
{
    double countBefore = 0;
    for (const auto& other : before.counts.topics) {
        if (other.topic == line.counts.topic && other.channel == line.counts.channel) {
            countBefore = static_cast<double>(other.scheduled + other.ready);
        }
    }
    const auto countNow = static_cast<double>(line.counts.scheduled + line.counts.ready);
    return (countNow - countBefore) / secondsBetween(before, snapshot);
}

/// Rounded to seconds, at least 1 s.
Millis wholeSeconds(Millis time)
{
    return std::max(std::chrono::round<std::chrono::seconds>(time), std::chrono::seconds{1});
}

std::string lateText(std::optional<Millis> late)
{
    constexpr Millis kShowMillisBelow{1'000};
    return !late ? "-" : formatDuration(*late < kShowMillisBelow ? *late : wholeSeconds(*late));
}

std::string growthText(double growth)
{
    const auto size = std::fabs(growth);
    return size < 0.05 ? "0" : fmt::format("{:+.{}f}/s", growth, size < 10 ? 1 : 0);
}

std::string redisText(const StoreSnapshot& snapshot)
{
    // If Redis cannot write its disk, it refuses all writes, so this is shown.
    std::string problems;
    for (const char* status : {"aof_last_write_status", "rdb_last_bgsave_status"}) {
        const auto found = snapshot.redis.find(status);
        if (found != snapshot.redis.end() && found->second != "ok") {
            problems += fmt::format("  {} {}", status, found->second);
        }
    }
    const bool limited = redisFieldOf(snapshot, "maxmemory") != "0";
    return fmt::format("{}  {}{}  {} clients  {} commands/s{}", serverOf(snapshot).version,
                       redisFieldOf(snapshot, "used_memory_human"),
                       limited ? fmt::format(" of {}", redisFieldOf(snapshot, "maxmemory_human"))
                               : "",
                       redisFieldOf(snapshot, "connected_clients"),
                       redisFieldOf(snapshot, "instantaneous_ops_per_sec"), problems);
}

std::string jobsText(const StoreSnapshot& snapshot)
{
    std::string text;
    for (const auto& [state, count] : snapshot.counts.states) {
        text += fmt::format("{} {}  ", name(state), count);
    }
    return text + fmt::format("mailboxes {}", snapshot.counts.mailboxes);
}

std::string ratesText(const StoreSnapshot& snapshot, const StoreSnapshot* before)
{
    if (before == nullptr) {
        return "...";
    }
    std::string text;
    for (const std::string_view transition : kShownTransitions) {
        const auto rate = rateOf(snapshot, before, std::string(transition)).value_or(0);
        const bool always = transition == "push" || transition == "claim" || transition == "finish";
        text += rate == 0 && !always ? "" : fmt::format("{} {}  ", transition, perSecondText(rate));
    }
    return text + fmt::format("(of {})", formatDuration(wholeSeconds(snapshot.at - before->at)));
}

std::string journalText(const StoreSnapshot& snapshot)
{
    const auto& journal = snapshot.activity.journal;
    if (!journal) {
        return "off";
    }
    if (const auto& notServed = snapshot.activity.notServed) {
        return notServed->why == redis::NotServed::Why::Foreign
                   ? "BELONGS TO ANOTHER STORE"
                   : fmt::format("BRINGS THE STORE BACK, {} of {} jobs", notServed->done,
                                 notServed->total);
    }
    const auto behind = journal->behind == Millis{0} ? std::string("up to date")
                                                     : lateText(journal->behind) + " behind";
    std::string waiting;
    if (snapshot.daemon && snapshot.daemon->sum("restante_journal_lag_entries") > 0) {
        waiting =
            fmt::format(", {:.0f} entries", snapshot.daemon->sum("restante_journal_lag_entries"));
    }
    return journal->owned ? fmt::format("{}{}  by {}", behind, waiting, oneLine(journal->owners))
                          : fmt::format("NOBODY RECORDS, {}{}", behind, waiting);
}

/// A bound of the histogram: "<= 5ms".
std::string quantileText(std::optional<double> seconds)
{
    if (!seconds) {
        return "-";
    }
    return std::isinf(*seconds) ? "> 1h"
                                : "<= " + formatDuration(Millis{std::llround(*seconds * 1'000)});
}

std::string latenessText(const StoreSnapshot& snapshot, const StoreSnapshot* before)
{
    if (before == nullptr || !before->daemon || !snapshot.daemon) {
        return "?";
    }
    const auto quantileTextOf = [&](const char* histogram, double quantile) {
        return quantileText(quantileOf(*before->daemon, *snapshot.daemon, histogram, quantile));
    };
    return fmt::format("p50 {}  p99 {}  (calls of redis p99 {})", quantileTextOf(kLateness, 0.5),
                       quantileTextOf(kLateness, 0.99), quantileTextOf(kRedisCalls, 0.99));
}

std::string daemonText(const StoreSnapshot& snapshot)
{
    if (!snapshot.daemon) {
        return oneLine(snapshot.daemonProblem);
    }
    const auto& daemon = *snapshot.daemon;
    return fmt::format("http {:.0f} connections, {:.0f} wait for a job  {:.0f} MB",
                       daemon.sum("restante_http_connections"),
                       daemon.sum("restante_http_parked_pops"),
                       daemon.sum("restante_resident_memory_bytes") / 1'000'000);
}

/// The channels of the daemon's couriers: "webhook", "sms".
std::vector<std::string> couriersOf(const Scrape& daemon)
{
    std::vector<std::string> couriers;
    for (const auto& sample : daemon.of("restante_deliveries_in_flight")) {
        const auto channel = sample.labels.find("channel");
        if (channel != sample.labels.end()) {
            couriers.push_back(channel->second);
        }
    }
    return couriers;
}

/// Deliveries with this outcome a second.
double deliveryRateOf(const StoreSnapshot& snapshot,
                      const StoreSnapshot& before,
                      const std::string& channel,
                      const std::string& outcome)
{
    const Scrape::Labels labels{{"channel", channel}, {"outcome", outcome}};
    const auto change =
        snapshot.daemon->sum(kDeliveries, labels) - before.daemon->sum(kDeliveries, labels);
    return std::max(change, 0.0) / secondsBetween(before, snapshot);  // less: it was restarted
}

std::string couriersText(const StoreSnapshot& snapshot, const StoreSnapshot* before)
{
    std::string text;
    for (const auto& channel : couriersOf(*snapshot.daemon)) {
        text += fmt::format(
            "{}{} {:.0f} in flight", text.empty() ? "" : "   ", channel,
            snapshot.daemon->sum("restante_deliveries_in_flight", {{"channel", channel}}));
        for (const char* outcome : {"delivered", "retry", "dead"}) {
            if (before != nullptr && before->daemon) {
                text +=
                    fmt::format(", {} {}", outcome,
                                perSecondText(deliveryRateOf(snapshot, *before, channel, outcome)));
            }
        }
    }
    return text.empty() ? "none" : text;
}

std::string
topicsText(const StoreSnapshot& snapshot, const StoreSnapshot* before, std::size_t width)
{
    if (snapshot.topics.empty()) {
        return "nothing waits\n";
    }
    Table table(
        {"TOPIC", "CHANNEL", "READY", "LATE", "SCHEDULED", "GROWS", "LEASED", "DEAD", "NOTE"});
    const auto more = [](bool isPart) { return isPart ? "+" : ""; };
    for (const auto& line : snapshot.topics) {
        table.add(
            {line.counts.topic, std::string(name(line.counts.channel)),
             std::to_string(line.counts.ready), lateText(line.late),
             std::to_string(line.counts.scheduled),
             before != nullptr ? growthText(growthOf(line, snapshot, *before)) : "-",
             std::to_string(line.leased) + (line.leased > 0 ? more(snapshot.leasedArePart) : ""),
             std::to_string(line.dead) + (line.dead > 0 ? more(snapshot.deadArePart) : ""),
             line.note});
    }
    return table.text(width);
}

}  // namespace

std::string
snapshotText(const StoreSnapshot& snapshot, const StoreSnapshot* before, std::size_t width)
{
    const auto lease = snapshot.nextLeaseEnd
                           ? "the next ends " + formatRelative(*snapshot.nextLeaseEnd, snapshot.at)
                           : std::string("none");
    const std::array<std::pair<const char*, std::string>, 9> rows{{
        {"time", formatLocalTime(snapshot.at)},
        {"redis", redisText(snapshot)},
        {"journal", journalText(snapshot)},
        {"daemon", daemonText(snapshot)},
        {"lateness", latenessText(snapshot, before)},
        {"couriers", snapshot.daemon ? couriersText(snapshot, before) : "?"},
        {"jobs", jobsText(snapshot)},
        {"rates", ratesText(snapshot, before)},
        {"leases", lease},
    }};
    std::string text;
    for (const auto& [title, row] : rows) {
        const auto line = fmt::format("{:<9} {}", title, row);
        text += (width > 0 ? truncated(line, width) : line) + '\n';
    }
    return text + '\n' + topicsText(snapshot, before, width);
}

nlohmann::json jsonOf(const StoreSnapshot& snapshot, const StoreSnapshot* before)
{
    auto object = json::jsonOf(snapshot.counts);
    object["at"] = formatRfc3339(snapshot.at);
    object["at_ms"] = toEpochMs(snapshot.at);
    object["moves"] = snapshot.activity.moves;
    object["rates"] = nlohmann::json::object();
    for (const auto& [transition, jobs] : snapshot.activity.moves) {
        if (const auto rate = rateOf(snapshot, before, transition)) {
            object["rates"][transition] = *rate;
        }
    }
    object["next_lease_ends_ms"] = nullptr;
    if (snapshot.nextLeaseEnd) {
        object["next_lease_ends_ms"] = toEpochMs(*snapshot.nextLeaseEnd);
    }
    const auto server = serverOf(snapshot);
    object["redis"] = {{"product", server.product},
                       {"version", server.version},
                       {"used_memory", redisFieldOf(snapshot, "used_memory")},
                       {"connected_clients", redisFieldOf(snapshot, "connected_clients")}};
    object["journal"] = nullptr;
    if (const auto& journal = snapshot.activity.journal) {
        object["journal"] = {{"behind_ms", journal->behind.count()},
                             {"recorded", journal->owned},
                             {"owners", journal->owners}};
    }
    object["daemon"] = {{"answers", snapshot.daemon.has_value()}};
    if (snapshot.daemon) {
        object["daemon"]["couriers"] = nlohmann::json::object();
        for (const auto& channel : couriersOf(*snapshot.daemon)) {
            auto& courier = object["daemon"]["couriers"][channel];
            courier["in_flight"] =
                snapshot.daemon->sum("restante_deliveries_in_flight", {{"channel", channel}});
            for (const char* outcome : {"delivered", "retry", "dead"}) {
                courier[outcome] =
                    snapshot.daemon->sum(kDeliveries, {{"channel", channel}, {"outcome", outcome}});
            }
        }
        for (const auto& [field, quantile] : {std::pair{"late_p50_s", 0.5}, {"late_p99_s", 0.99}}) {
            const auto late =
                before != nullptr && before->daemon
                    ? quantileOf(*before->daemon, *snapshot.daemon, kLateness, quantile)
                    : std::nullopt;
            object["daemon"][field] = late ? nlohmann::json(*late) : nlohmann::json();
        }
    } else {
        object["daemon"]["problem"] = snapshot.daemonProblem;
    }
    object["leased_by_topic_is_part"] = snapshot.leasedArePart;
    object["dead_by_topic_is_part"] = snapshot.deadArePart;
    object["topics"] = nlohmann::json::array();
    for (const auto& line : snapshot.topics) {
        object["topics"].push_back(
            {{"channel", name(line.counts.channel)},
             {"topic", line.counts.topic},
             {"scheduled", line.counts.scheduled},
             {"ready", line.counts.ready},
             {"leased", line.leased},
             {"dead", line.dead},
             {"late_ms", line.late ? nlohmann::json(line.late->count()) : nlohmann::json()},
             {"grows_per_second", before != nullptr
                                      ? nlohmann::json(growthOf(line, snapshot, *before))
                                      : nlohmann::json()},
             {"note", line.note}});
    }
    return object;
}

}  // namespace restante::cli
