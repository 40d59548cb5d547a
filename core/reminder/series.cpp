#include "core/reminder/series.h"

#include "core/base/try.h"
#include "core/job/job_id.h"
#include "core/json/document.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace restante::reminder {

namespace {

constexpr int kVersion = 1;

tl::unexpected<Error> notASeries(std::string_view why)
{
    return invalid("the body is not a series: {}", why);
}

std::string textOf(const nlohmann::json& head, const char* name)
{
    const auto found = head.find(name);
    return found != head.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::optional<std::int64_t> numberOf(const nlohmann::json& head, const char* name)
{
    const auto found = head.find(name);
    return found != head.end() && found->is_number_integer()
               ? std::optional{found->get<std::int64_t>()}
               : std::nullopt;
}

}  // namespace

std::string Series::toString() const
{
    nlohmann::json head{{"v", kVersion},
                        {"rule", rule},
                        {"zone", zone},
                        {"start", start},
                        {"channel", name(job.channel)},
                        {"topic", job.topic},
                        {"to", job.recipient},
                        {"content_type", job.contentType}};
    const auto add = [&head](const char* name, const std::string& value) {
        if (!value.empty()) {
            head[name] = value;
        }
    };
    add("sender", job.sender);
    add("biz_key", job.bizKey);
    add("retry", job.retry.toString());
    if (startInstant) {
        head["start_ms"] = toEpochMs(*startInstant);
    }
    if (expiresAfter) {
        head["expires_after_ms"] = expiresAfter->count();
    }
    if (ends) {
        head["ends_ms"] = toEpochMs(*ends);
    }
    return json::toString(head) + "\n" + job.body;
}

Result<Series> Series::parse(std::string_view body)
{
    const auto lineEnd = body.find('\n');
    if (lineEnd == std::string_view::npos) {
        return notASeries("its first line has no end");
    }
    const auto head = json::parseDocument(body.substr(0, lineEnd));
    if (!head || !head->is_object()) {
        return notASeries("its first line is no JSON object");
    }
    if (numberOf(*head, "v") != kVersion) {
        return notASeries("it is of another version; has a newer restanted written it?");
    }
    Series series;
    const auto channel = channelNamed(textOf(*head, "channel"));
    auto retry = textOf(*head, "retry").empty() ? Result<RetrySchedule>{}
                                                : RetrySchedule::parse(textOf(*head, "retry"));
    if (!channel || !retry) {
        return notASeries("its channel or its retry cannot be read");
    }
    series.job.channel = *channel;
    series.job.retry = std::move(*retry);
    series.job.topic = textOf(*head, "topic");
    series.job.recipient = textOf(*head, "to");
    series.job.contentType = textOf(*head, "content_type");
    series.job.sender = textOf(*head, "sender");
    series.job.findBySender = !series.job.sender.empty();
    series.job.bizKey = textOf(*head, "biz_key");
    series.job.body = body.substr(lineEnd + 1);
    series.rule = textOf(*head, "rule");
    series.zone = textOf(*head, "zone");
    series.start = textOf(*head, "start");
    if (const auto ms = numberOf(*head, "start_ms")) {
        series.startInstant = fromEpochMs(*ms);
    }
    if (const auto ms = numberOf(*head, "expires_after_ms")) {
        series.expiresAfter = Millis{*ms};
    }
    if (const auto ms = numberOf(*head, "ends_ms")) {
        series.ends = fromEpochMs(*ms);
    }
    return series;
}

Result<Recurrence> Series::recurrence() const
{
    auto clock = TRY(ZonedClock::find(zone));
    const auto from = TRY(parseLocalTime(start, Millis{0}));
    // The interval was checked when the series was created; the limit may have changed since.
    return Recurrence::parse(rule, std::move(clock), from, Millis{0}, startInstant);
}

std::string idForMailbox(const std::string& id, std::string_view recipient, std::uint32_t shards)
{
    // The mailbox determines the shard, and the id alone must lead to it.
    const auto mailboxShard = shardOfMailbox(recipient, shards);
    auto candidate = id;
    for (int i = 1; shardOfId(candidate, shards) != mailboxShard; ++i) {
        candidate = fmt::format("{}-{}", id, i);
    }
    return candidate;
}

PushOptions
occurrenceOf(const Series& series, const std::string& id, TimePoint at, std::uint32_t shards)
{
    PushOptions push;
    push.job = series.job;
    push.job.id = fmt::format("{}.{}", id, toEpochMs(at));
    if (series.job.channel == Channel::Sip) {
        push.job.id = idForMailbox(push.job.id, series.job.recipient, shards);
    }
    if (series.expiresAfter) {
        push.job.expires = at + *series.expiresAfter;
    }
    if (series.ends && (!push.job.expires || *series.ends < *push.job.expires)) {
        push.job.expires = series.ends;
    }
    push.at = at;
    push.onceKey = push.job.id;
    push.onceFor = kOccurrenceOnceFor;
    return push;
}

}  // namespace restante::reminder
