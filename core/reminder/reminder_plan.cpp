#include "core/reminder/reminder_plan.h"

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/base/try.h"
#include "core/config/config.h"
#include "core/job/web_url.h"
#include "core/json/document.h"
#include "core/reminder/series.h"
#include "core/schedule/machine_time_zone.h"
#include "core/schedule/zoned_clock.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace restante::reminder {

namespace {

constexpr std::string_view kDefaultContentType = "text/plain;charset=UTF-8";
constexpr std::size_t kMostOffsets = 100;
/// Advancing a series takes two calls of the store; a process that takes longer counts as dead.
constexpr Millis kSeriesTtr{10'000};
/// No end of attempts: a series must outlive any failure of the process that advances it.
constexpr std::string_view kSeriesRetry = "exponential(base=1s,cap=1m,attempts=0)";

bool isPhoneNumber(std::string_view text)
{
    text.remove_prefix(text.starts_with("tel:") ? 4 : 0);
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    return text.size() >= 3 && text.size() <= 15 && isDigits(text);
}

bool isSipAddress(std::string_view text)
{
    const auto at = text.find('@');
    return (text.starts_with("sip:") || text.starts_with("sips:")) &&
           at != std::string_view::npos && at + 1 < text.size() &&
           text.find_first_of(" <>\"") == std::string_view::npos;
}

bool isWebAddress(std::string_view text)
{
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (text.starts_with(scheme)) {
            return text.size() > scheme.size() && text.find(' ') == std::string_view::npos;
        }
    }
    return false;
}

std::optional<Channel> channelOf(std::string_view to)
{
    return isSipAddress(to)    ? std::optional{Channel::Sip}
           : isWebAddress(to)  ? std::optional{Channel::Webhook}
           : isPhoneNumber(to) ? std::optional{Channel::Sms}
                               : std::nullopt;
}

/// Whether the text names its zone: Z or an offset.
bool namesZone(std::string_view text)
{
    constexpr std::size_t kOffsetChars = 6;  // "+01:00"
    return text.ends_with('Z') || text.ends_with('z') ||
           (text.size() > 16 &&
            text.find_first_of("+-", text.size() - kOffsetChars) == text.size() - kOffsetChars);
}

std::string formatTime(TimePoint at, const ZonedClock& clock)
{
    return fmt::format("{} {}", formatLocal(clock.localOf(at)).substr(0, 16), clock.name());
}

/// A rule in upper case without its COUNT.
std::string withoutCount(std::string_view rule)
{
    std::string rest;
    for (const auto part : split(rule, ';')) {
        if (!part.starts_with("COUNT=")) {
            rest.append(rest.empty() ? "" : ";").append(part);
        }
    }
    return rest;
}

/// Turns one request into jobs.
class Planner {
public:
    Planner(const ReminderRequest& request,
            const Settings& settings,
            std::string groupId,
            TimePoint now)
        : request_(request),
          settings_(settings),
          groupId_(request.id.empty() ? std::move(groupId) : request.id),
          now_(now)
    {
    }

    Result<Plan> plan()
    {
        TRY(readJob());
        TRY(readTimeZone());
        TRY(checkTimeFields());
        TRY(readExpires());
        TRY(request_.every.empty() ? planTimes() : planSeries());
        return std::move(plan_);
    }

    /// The occurrence after `at`; nothing when the request is no series or the series has ended.
    std::optional<TimePoint> nextAfter(TimePoint at) const
    {
        const auto next = recurrence_ ? recurrence_->next(at) : std::nullopt;
        return next && expires_ && *next >= *expires_ ? std::nullopt : next;
    }

private:
    Result<void> readJob()
    {
        const auto channel = channelOf(request_.to);
        if (request_.channel && *request_.channel == Channel::Pull) {
            return invalidField("channel", "is sip, sms or webhook");
        }
        if (!channel || (request_.channel && *request_.channel != *channel)) {
            return invalidField(
                "to",
                "\"{}\" is no recipient{}; write sip:bob@example.org, +491701234567 or "
                "https://example.org/hook",
                request_.to.substr(0, 128),
                request_.channel ? fmt::format(" on channel {}", name(*request_.channel)) : "");
        }
        if (const auto url = parseWebUrl(request_.to); *channel == Channel::Webhook && !url) {
            return invalidField("to", url.error().message);
        }
        if (request_.text.empty()) {
            return invalidField("text", "is missing: what to say");
        }
        if (!isUtf8(request_.text)) {
            return invalidField("text", "is UTF-8");
        }
        if (request_.text.size() > settings_.body) {
            return invalidField("text", "is at most {} bytes (limits.body)", settings_.body);
        }
        job_.topic = kTopic;
        job_.channel = *channel;
        plan_.channel = *channel;
        job_.recipient = request_.to;
        job_.body = request_.text;
        job_.contentType =
            request_.contentType.empty() ? std::string(kDefaultContentType) : request_.contentType;
        job_.sender = request_.sender;
        job_.findBySender = !job_.sender.empty();  // for reminder.per_sender
        job_.bizKey = request_.bizKey;
        if (!request_.retry.empty()) {
            auto retry = RetrySchedule::parse(request_.retry);
            if (!retry) {
                return invalidField("retry", retry.error().message);
            }
            job_.retry = std::move(*retry);
        }
        for (const auto* text : {&job_.sender, &job_.bizKey, &job_.contentType, &job_.recipient}) {
            if (!isUtf8(*text)) {
                return invalid("to, sender, biz_key, content_type: are UTF-8");
            }
        }
        return {};
    }

    Result<void> readTimeZone()
    {
        const auto& zone = request_.timeZone.empty() ? settings_.timeZone : request_.timeZone;
        auto clock = ZonedClock::find(zone.empty() ? machineTimeZone() : zone);
        if (!clock) {
            return invalidField("time_zone", clock.error().message);
        }
        clock_ = std::move(*clock);
        return {};
    }

    Result<void> checkTimeFields() const
    {
        const auto timeFieldCount = (request_.at.empty() ? 0 : 1) + (request_.atTime ? 1 : 0) +
                                    (request_.in.empty() ? 0 : 1) +
                                    (request_.event.empty() ? 0 : 1);
        if (timeFieldCount > 1) {
            return invalidField("at", "only one of at, at_ms, in and event");
        }
        if (timeFieldCount == 0 && request_.every.empty()) {
            return invalidField("at", "is missing: when; or give in, event or every");
        }
        if (!request_.offsets.empty() && request_.event.empty()) {
            return invalidField("offsets", "need an event to be before");
        }
        if (!request_.event.empty() && !request_.every.empty()) {
            return invalidField("every", "goes with at or in, not with event");
        }
        return {};
    }

    Result<TimePoint> timeOf(std::string_view field, std::string_view text) const
    {
        if (namesZone(text)) {
            auto at = parseTimestamp(text);
            return at ? at : Result<TimePoint>(invalidField(field, at.error().message));
        }
        const auto local = parseLocalTime(text, settings_.timeOfDay);
        if (!local) {
            return invalidField(field, "{}, or with its zone 2026-12-31T09:00:00+01:00",
                                local.error().message);
        }
        return clock_->instantOf(*local);
    }

    /// The time that at, at_ms or in asks for; nothing when none of them is given.
    Result<std::optional<TimePoint>> requestedTime() const
    {
        if (request_.atTime) {
            return request_.atTime;
        }
        if (!request_.at.empty()) {
            return timeOf("at", request_.at).map([](TimePoint at) { return std::optional{at}; });
        }
        if (!request_.in.empty()) {
            const auto in = parseDuration(request_.in);
            if (!in) {
                return invalidField("in", in.error().message);
            }
            return std::optional{now_ + *in};
        }
        return std::nullopt;
    }

    /// The local time that `at` is, also where the clocks skip it: later occurrences keep it.
    /// Nothing when the start is asked for as an instant.
    std::optional<LocalSeconds> writtenStart() const
    {
        if (request_.at.empty() || namesZone(request_.at)) {
            return std::nullopt;
        }
        const auto local = parseLocalTime(request_.at, settings_.timeOfDay);
        return local ? std::optional{*local} : std::nullopt;
    }

    Result<void> readExpires()
    {
        if (request_.expires.empty()) {
            return {};
        }
        if (const auto after = parseDuration(request_.expires)) {
            if (*after <= Millis{0}) {
                return invalidField("expires", "is longer than nothing");
            }
            expiresAfter_ = *after;
            return {};
        }
        auto at = timeOf("expires", request_.expires);
        if (!at) {
            return invalidField(
                "expires",
                "\"{}\" is neither a duration such as 2h nor a time such as 2026-12-31 09:00",
                request_.expires.substr(0, 64));
        }
        if (*at <= now_) {
            return invalidField("expires", "{} has passed", formatTime(*at, *clock_));
        }
        expires_ = *at;
        return {};
    }

    Result<void> checkHorizon(std::string_view field, TimePoint at) const
    {
        if (at - now_ > settings_.horizon) {
            return invalidField(field, "{} is too far ahead: at most {} (reminder.horizon)",
                                formatTime(at, *clock_), formatDuration(settings_.horizon));
        }
        return {};
    }

    Result<void> planTimes()
    {
        if (!request_.event.empty()) {
            return planEvent();
        }
        const auto at = TRY(requestedTime());
        const auto* field = !request_.in.empty() ? "in" : request_.atTime ? "at_ms" : "at";
        if (*at < now_) {
            return invalidField(field, "{} has passed; give a time to come",
                                formatTime(*at, *clock_));
        }
        TRY(checkHorizon(field, *at));
        return addPush(*at, request_.id);
    }

    Result<void> planEvent()
    {
        const auto event = TRY(timeOf("event", request_.event));
        const auto offsets = TRY(readOffsets());
        TRY(checkHorizon("event", event));
        std::map<TimePoint, Millis> times;
        std::set<TimePoint> timesAskedFor;
        for (const auto offset : offsets) {
            const auto at = timeBefore(event, offset);
            timesAskedFor.insert(at);
            if (at < now_) {
                plan_.notes.push_back(fmt::format("{} before {} has passed: left out",
                                                  formatDuration(offset), request_.event));
            } else {
                times.emplace(at, offset);
            }
        }
        if (times.empty()) {
            return invalidField("event", "every time before {} has passed; give one to come",
                                request_.event);
        }
        // Those that have passed count, too: a repetition must make the same jobs as the first
        // time.
        if (timesAskedFor.size() > 1 && job_.bizKey.empty()) {
            job_.bizKey = groupId_;
        }
        for (const auto& [at, offset] : times) {
            // When the caller gave an id, each push gets its own, so that a repetition adds
            // nothing.
            TRY(addPush(at, request_.id.empty()
                                ? std::string{}
                                : fmt::format("{}.{}", request_.id, formatDuration(offset))));
        }
        return {};
    }

    Result<std::vector<Millis>> readOffsets() const
    {
        std::vector<Millis> offsets;
        const std::string_view written =
            request_.offsets.empty() ? "0s" : std::string_view{request_.offsets};
        for (const auto word : split(written, ',')) {
            const auto offset = parseDuration(trimmed(word, " "));
            if (!offset || offsets.size() == kMostOffsets) {
                return invalidField("offsets", offset ? fmt::format("are at most {}", kMostOffsets)
                                                      : offset.error().message +
                                                            "; separated by commas: 15d,3d");
            }
            offsets.push_back(*offset);
        }
        return offsets;
    }

    /// Whole days are counted on the calendar: the hour stays, whatever summer time does.
    TimePoint timeBefore(TimePoint event, Millis offset) const
    {
        const auto days = std::chrono::floor<std::chrono::days>(offset);
        const auto local = clock_->localOf(event);
        return (days.count() == 0 ? event : clock_->instantOf(local - days)) - (offset - days);
    }

    Result<void> addPush(TimePoint at, std::string id)
    {
        PushOptions push;
        push.job = job_;
        push.job.id = std::move(id);
        push.at = at;
        if (expiresAfter_) {
            push.job.expires = at + *expiresAfter_;
        } else if (expires_) {
            if (*expires_ <= at) {
                return invalidField("expires", "is later than the reminder at {}",
                                    formatTime(at, *clock_));
            }
            push.job.expires = expires_;
        }
        push.actor = request_.actor;
        push.reason = request_.reason;
        plan_.pushes.push_back(std::move(push));
        return {};
    }

    Result<void> planSeries()
    {
        const auto rule = TRY(readEvery(request_.every));
        const auto start = TRY(requestedTime());
        // In whole seconds: a given start is rounded up, never early; now is rounded down, never
        // later.
        using std::chrono::seconds;
        TimePoint begin =
            start ? std::chrono::ceil<seconds>(*start) : std::chrono::floor<seconds>(now_);
        auto from = writtenStart().value_or(clock_->localOf(begin));
        auto recurrence = TRY(recurrenceFrom(rule, from, begin));
        if (!start) {
            if (const auto upcoming = startAfterPassed(recurrence, begin)) {
                begin = *upcoming;
                from = clock_->localOf(begin);
                recurrence = TRY(recurrenceFrom(rule, from, begin));
            }
        }
        const auto first = recurrence.next(now_ - Millis{1});
        if (!first || (expires_ && *first >= *expires_)) {
            return invalidField("every", "never happens from now on");
        }
        TRY(checkHorizon("every", *first));
        recurrence_ = std::move(recurrence);
        return addSeries(from, *first);
    }

    Result<Recurrence>
    recurrenceFrom(const std::string& rule, LocalSeconds from, TimePoint begin) const
    {
        auto recurrence = Recurrence::parse(rule, *clock_, from, settings_.minInterval, begin);
        if (!recurrence) {
            return invalidField("every", recurrence.error().message);
        }
        return recurrence;
    }

    /// Where a rule with COUNT begins instead of at `begin`, which is now rounded down, when it
    /// would count an occurrence that has passed; nothing when it would not.
    std::optional<TimePoint> startAfterPassed(const Recurrence& recurrence, TimePoint begin) const
    {
        const auto uncountedRule = withoutCount(recurrence.rule());
        if (uncountedRule == recurrence.rule()) {
            return std::nullopt;
        }
        const auto counted = recurrence.next(begin - std::chrono::hours{24});
        if (!counted || *counted >= now_) {
            return std::nullopt;
        }
        const auto uncounted = recurrenceFrom(uncountedRule, recurrence.start(), begin);
        return uncounted ? uncounted->next(now_ - Millis{1}) : std::nullopt;
    }

    Result<void> addSeries(LocalSeconds from, TimePoint first)
    {
        if (request_.id.size() > kLongestSeriesId) {
            return invalidField("id", "of a recurring reminder has at most {} characters",
                                kLongestSeriesId);
        }
        if (job_.bizKey.empty()) {
            job_.bizKey = groupId_;
        }
        const Series series{.job = job_,
                            .rule = recurrence_->rule(),
                            .zone = clock_->name(),
                            .start = formatLocal(from),
                            .startInstant = recurrence_->startInstant(),
                            .expiresAfter = expiresAfter_,
                            .ends = expires_};
        PushOptions push;
        push.job = job_;
        push.job.id = request_.id;
        push.job.topic = kSeriesTopic;
        push.job.channel = Channel::Pull;
        push.job.body = series.toString();
        push.job.ttr = kSeriesTtr;
        push.job.contentType = "application/json";
        push.job.retry = RetrySchedule::parse(kSeriesRetry).value();
        push.job.recurrence = fmt::format(
            "{} from {} {}{}", series.rule, series.start, series.zone,
            series.startInstant ? fmt::format(" ({})", formatRfc3339(*series.startInstant)) : "");
        push.at = first;
        if (push.job.body.size() > settings_.body) {
            const auto overhead = push.job.body.size() - series.job.body.size();
            return invalidField(
                "text", "is at most {} bytes here (limits.body, less what the series needs)",
                settings_.body - std::min(settings_.body, overhead));
        }
        push.actor = request_.actor;
        push.reason = request_.reason;
        plan_.pushes.push_back(std::move(push));
        plan_.recurring = true;
        plan_.startDependsOnNow = request_.at.empty() && !request_.atTime;
        return {};
    }

    const ReminderRequest& request_;
    const Settings& settings_;
    std::string groupId_;
    TimePoint now_;
    Job job_;
    std::optional<ZonedClock> clock_;
    std::optional<Millis> expiresAfter_;
    std::optional<TimePoint> expires_;
    std::optional<Recurrence> recurrence_;
    Plan plan_;
};

}  // namespace

Settings settingsOf(const Config& config)
{
    return {config.reminder, config.limits.body};
}

Result<Plan>
plan(const ReminderRequest& request, const Settings& settings, std::string groupId, TimePoint now)
{
    return Planner(request, settings, std::move(groupId), now).plan();
}

Result<std::vector<TimePoint>>
preview(const ReminderRequest& request, const Settings& settings, TimePoint now, std::size_t count)
{
    Planner planner(request, settings, "preview", now);
    const auto planned = TRY(planner.plan());
    std::vector<TimePoint> times;
    for (const auto& push : planned.pushes) {
        if (times.size() < count) {
            times.push_back(push.at.value_or(now));
        }
    }
    while (!times.empty() && times.size() < count) {
        const auto next = planner.nextAfter(times.back());
        if (!next) {
            break;
        }
        times.push_back(*next);
    }
    return times;
}

}  // namespace restante::reminder
