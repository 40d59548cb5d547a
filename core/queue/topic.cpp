#include "core/queue/topic.h"

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/job/job.h"

#include <fmt/format.h>

namespace restante {

namespace {

/// Tokens a hundredth of a millisecond apart: a claim is not more precise than that.
constexpr std::uint32_t kFastestRate = 100'000;
constexpr Millis kShortestPeriod{1'000};
constexpr Millis kLongestPeriod{std::chrono::hours{24 * 31}};
/// A higher limit would have no effect in practice.
constexpr std::uint32_t kMaxConcurrency = 100'000;
constexpr std::size_t kLongestActor = 256;
constexpr std::size_t kLongestReason = 1'024;

Result<void> checkRate(const Rate& rate)
{
    const bool isPeriodAllowed = rate.per >= kShortestPeriod && rate.per <= kLongestPeriod;
    if (rate.count > kFastestRate || (rate.count > 0 && !isPeriodAllowed)) {
        return invalidField("rate", "is 1 - {} jobs in 1s - 31d, as in \"10/s\", or 0 for no limit",
                            kFastestRate);
    }
    return {};
}

}  // namespace

Result<void> checkNotReserved(std::string_view topic)
{
    if (topic.starts_with("restante.")) {
        return invalidField("topic", "does not begin with \"restante.\": such topics are reserved");
    }
    return {};
}

Result<Rate> parseRate(std::string_view text)
{
    Rate rate;
    const auto slash = text.find('/');
    const bool isNumber = readNumber(text.substr(0, slash), rate.count);
    if (slash == std::string_view::npos) {
        // Without a period only "0" is valid.
        rate.count = isNumber && rate.count == 0 ? 0 : kFastestRate + 1;
    } else {
        // "/s" is "/1s".
        const auto period = std::string(text.substr(slash + 1));
        const bool isBareUnit = period.size() == 1 && period.find_first_of("smhd") == 0;
        const auto per = parseDuration(isBareUnit ? "1" + period : period);
        rate.per = per.value_or(Millis{0});
        rate.count = isNumber && rate.count > 0 ? rate.count : kFastestRate + 1;
    }
    return checkRate(rate).map([&] { return rate; });
}

std::string formatRate(const Rate& rate)
{
    if (rate.count == 0) {
        return "0";
    }
    const auto per = formatDuration(rate.per);
    const bool isOneUnit = per.size() == 2 && per.front() == '1';
    return fmt::format("{}/{}", rate.count, isOneUnit ? per.substr(1) : per);
}

Result<void> validate(const TopicAction& action)
{
    // The topic must be valid as that of a job.
    Job job;
    job.id = "topic";
    job.topic = action.topic;
    return validate(job, JobLimits{})
        .and_then([&] { return checkText("actor", action.actor, kLongestActor); })
        .and_then([&] { return checkText("reason", action.reason, kLongestReason); });
}

Result<void> validate(const TopicLimits& limits)
{
    if (limits.concurrency > kMaxConcurrency) {
        return invalidField("concurrency", "is 1 - {}, or 0 for no limit", kMaxConcurrency);
    }
    return checkRate(limits.rate);
}

}  // namespace restante
