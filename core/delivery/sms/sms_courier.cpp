#include "core/delivery/sms/sms_courier.h"

#include "core/base/encoding.h"
#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/try.h"
#include "core/delivery/attempt_line.h"
#include "core/sms/template_text.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <utility>

namespace restante::sms {

namespace {

using delivery::Outcome;

/// How long the lease lasts beyond the wait for a report: giving up needs the attempt that the
/// lease protects, and the daemon may have been off for a long weekend.
constexpr Millis kLeaseMargin{std::chrono::hours{24 * 7}};
using Micros = std::chrono::microseconds;
constexpr Micros kSecond{1'000'000};
/// A start that is late by less than this does not delay the next one, because timers have a
/// resolution of milliseconds; unused capacity of idle seconds is not made up for.
constexpr Millis kMaxCatchUp{20};
/// The wait before another try when the store cannot note an attempt; nothing is sent until then.
constexpr Millis kStorePause{1'000};
/// One line of the log stands for all messages that were not sent in this time.
constexpr Millis kWarningInterval{std::chrono::minutes{1}};
/// The bytes of a gateway's answer that are kept in the history; its message number comes first.
constexpr std::size_t kLongestExcerpt = 120;

}  // namespace

Result<SmsCourier::Settings> SmsCourier::settingsOf(const Config& config)
{
    auto zones = TRY(TimeZones::load(config.sms));
    auto reportUrl = TRY(smsReportUrlOf(config));
    return Settings{config.sms, QuietHours::parse(config.sms.quietHours), std::move(zones),
                    std::move(reportUrl)};
}

std::size_t SmsCourier::capacity() const noexcept
{
    const std::size_t most = draining_ ? 0 : settings_.config.concurrency;
    return most - std::min(most, unreportedJobs_);
}

void SmsCourier::deliver(std::vector<ClaimedJob> jobs, Report report)
{
    assert(jobs.size() == 1 && "mayJoin() lets none travel together");
    ++unreportedJobs_;
    // Later: an outcome must not be reported from inside this call.
    loop_.post(callbackGuard_.guard([this, jobs = std::move(jobs), report = std::move(report)] {
        handle(jobs.front(), report);
    }));
}

void SmsCourier::drain()
{
    draining_ = true;
    rateTimer_.cancel();
    loop_.post([this, alive = callbackGuard_.watch()] {
        while (!alive.expired() && !waiting_.empty()) {
            const auto pending = std::move(waiting_.front());
            waiting_.pop_front();
            reportOutcome(pending.report, {Outcome::Kind::Returned});
        }
    });
}

void SmsCourier::handle(const ClaimedJob& claimed, const Report& report)
{
    if (draining_) {
        return reportOutcome(report, {Outcome::Kind::Returned});
    }
    auto message = messageOf(claimed.job, settings_.config);
    if (!message) {
        return reportOutcome(report, {Outcome::Kind::Dead, message.error().message});
    }
    if (auto later = quietHoursOutcome(claimed.job, message->to)) {
        return reportOutcome(report, std::move(*later));
    }
    waiting_.push_back({report, std::move(*message), {claimed.job.id, claimed.attempt}});
    startMore();
}

std::optional<Outcome> SmsCourier::quietHoursOutcome(const Job& job,
                                                     const std::string& number) const
{
    const auto now = clock_.now();
    const auto end = settings_.quiet ? settings_.quiet->endOf(now, settings_.zones.of(job, number))
                                     : std::nullopt;
    return end ? std::optional(
                     Outcome{Outcome::Kind::Returned, "quiet hours of the recipient", *end - now})
               : std::nullopt;
}

void SmsCourier::startMore()
{
    const auto rate = settings_.config.rate;
    while (!waiting_.empty()) {
        const auto now = clock_.now();
        if (rate > 0) {
            const TimePoint start{std::chrono::ceil<TimePoint::duration>(nextStartTime_)};
            if (now < start) {
                return rateTimer_.arm(start - now, [this] { startMore(); });
            }
            const Micros late = now.time_since_epoch() - nextStartTime_;
            nextStartTime_ += (late < kMaxCatchUp ? Micros{0} : late) + kSecond / rate;
        }
        auto pending = std::move(waiting_.front());
        waiting_.pop_front();
        awaitedReports_ == nullptr ? send(std::move(pending))
                                   : expectReportThenSend(std::move(pending));
    }
}

void SmsCourier::expectReportThenSend(PendingMessage pending)
{
    const auto until = clock_.now() + settings_.config.reportTimeout;
    auto sentAttempt = pending.sentAttempt;
    awaitedReports_->expect(
        std::move(sentAttempt), until,
        callbackGuard_.guard(
            [this, pending = std::move(pending)](const Result<std::string>& token) mutable {
                if (draining_) {
                    awaitedReports_->forget(pending.sentAttempt);
                    return reportOutcome(pending.report, {Outcome::Kind::Returned});
                }
                if (!token) {
                    warnOfUnsent(token.error().message);
                    return reportOutcome(pending.report,
                                         {Outcome::Kind::Returned,
                                          "not sent: " + token.error().message, kStorePause});
                }
                pending.message.reportUrl = reportUrlFor(pending.sentAttempt, *token);
                send(std::move(pending));
            }));
}

void SmsCourier::warnOfUnsent(const std::string& reason)
{
    const auto now = clock_.now();
    if (now >= nextWarning_) {
        nextWarning_ = now + kWarningInterval;
        log::warning("sms", "no text message is sent, as its delivery report cannot be awaited: {}",
                     reason);
    }
}

std::string SmsCourier::reportUrlFor(const SentAttempt& sent, const std::string& token) const
{
    return fmt::format("{}/v1/sms/reports?id={}&attempt={}&token={}", settings_.reportUrl,
                       percentEncoded(sent.id), sent.attempt, token);
}

void SmsCourier::send(PendingMessage pending)
{
    auto request = gateway_->requestFor(pending.message);
    request.timeout = settings_.config.timeout;
    request.connectTimeout = std::min(request.connectTimeout, request.timeout);
    pending.sentAt = clock_.now();
    // Destroying this or the client ends the call without a callback.
    client_.send(std::move(request), callbackGuard_.guard([this, pending = std::move(pending)](
                                                              const delivery::HttpResult& result) {
        reportOutcome(pending.report, concludeRequest(pending, result));
    }));
}

Outcome SmsCourier::concludeRequest(const PendingMessage& pending,
                                    const delivery::HttpResult& result)
{
    Outcome outcome;
    if (result) {
        outcome = gateway_->outcomeOf(*result);
    } else {
        // Also when the request itself is wrong: the configuration is to blame and can be mended.
        outcome = {Outcome::Kind::Retry, fmt::format("SMS gateway: {}", result.error().message)};
    }
    outcome.note = noteOf(pending, result);
    if (outcome.kind == Outcome::Kind::Delivered) {
        static auto& parts = metrics::counter("restante_sms_parts_total");
        parts.add(measure(pending.message.text).value_or(SmsSize{}).parts);
    }
    if (awaitedReports_ == nullptr) {
        return outcome;
    }
    if (outcome.kind == Outcome::Kind::Delivered) {
        return {Outcome::Kind::Awaited, "taken by the gateway; its delivery report is awaited",
                settings_.config.reportTimeout + kLeaseMargin};
    }
    awaitedReports_->forget(pending.sentAttempt);
    return outcome;
}

/// Does not contain the request itself, which holds the gateway's password and the text.
std::string SmsCourier::noteOf(const PendingMessage& pending,
                               const delivery::HttpResult& result) const
{
    delivery::AttemptLine line{.attempt = pending.sentAttempt.attempt, .sent = pending.sentAt};
    line.request = "sms:" + pending.message.to;
    line.via = gateway_->name();
    delivery::setHttpResult(line, result, std::max(Millis{0}, clock_.now() - pending.sentAt));
    const bool isSuccess = result && result->status >= 200 && result->status < 300;
    if (const auto words =
            isSuccess ? delivery::oneLineExcerpt(result->body, kLongestExcerpt) : std::string{};
        !words.empty()) {
        line.answer += ": " + words;  // "0: Accepted for delivery": what the gateway made of it
    }
    return delivery::toString(line);
}

void SmsCourier::reportOutcome(const Report& report, Outcome outcome)
{
    --unreportedJobs_;
    report({std::move(outcome)});
}

}  // namespace restante::sms
