#include "core/delivery/sms/delivery_reports.h"

#include "core/base/async_task.h"
#include "core/base/duration.h"
#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/text.h"
#include "core/delivery/attempt_line.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace restante::sms {

namespace {

constexpr std::array<std::pair<std::string_view, ReportStatus>, 22> kStatusWords{{
    {"1", ReportStatus::PhoneHasIt},
    {"2", ReportStatus::NotDelivered},
    {"4", ReportStatus::OnItsWay},
    {"8", ReportStatus::NetworkHasIt},
    {"16", ReportStatus::NetworkRefused},
    {"delivered", ReportStatus::PhoneHasIt},
    {"delivrd", ReportStatus::PhoneHasIt},
    {"sent", ReportStatus::NetworkHasIt},
    {"accepted", ReportStatus::NetworkHasIt},
    {"acceptd", ReportStatus::NetworkHasIt},
    {"queued", ReportStatus::OnItsWay},
    {"buffered", ReportStatus::OnItsWay},
    {"pending", ReportStatus::OnItsWay},
    {"enroute", ReportStatus::OnItsWay},
    {"failed", ReportStatus::NotDelivered},
    {"undelivered", ReportStatus::NotDelivered},
    {"undeliv", ReportStatus::NotDelivered},
    {"undeliverable", ReportStatus::NotDelivered},
    {"expired", ReportStatus::NotDelivered},
    {"deleted", ReportStatus::NotDelivered},
    {"rejected", ReportStatus::NetworkRefused},
    {"rejectd", ReportStatus::NetworkRefused},
}};

struct StatusTexts {
    std::string_view metricLabel;
    std::string_view text;  ///< for the history and for last_error
};

/// In the order of ReportStatus.
constexpr std::array<StatusTexts, 5> kStatusTexts{{
    {"underway", "on its way to the phone"},
    {"network", "the network has it"},
    {"phone", "the phone has it"},
    {"undelivered", "not delivered to the phone"},
    {"refused", "the network refused it"},
}};

const auto& textsOf(ReportStatus status)
{
    return kStatusTexts[static_cast<std::size_t>(status)];
}

std::string statusText(const DeliveryReports::Report& report)
{
    return fmt::format("{}{}{}", textsOf(report.status).text,
                       report.networkText.empty() ? "" : ": ", report.networkText);
}

void countReport(std::string_view status)
{
    metrics::counter("restante_sms_reports_total", {std::string(status)}).add();
}

/// The longest time between two checks. Reports are awaited for hours, so a minute more does not
/// matter.
constexpr Millis kMaxCheckInterval{std::chrono::minutes{1}};
/// How many overdue reports one check handles per shard. If there may be more, the next check
/// follows after kCheckIntervalWithBacklog: when a gateway sends no reports at all, each job must
/// be handled before its lease ends.
constexpr std::uint32_t kMostOverduePerShard = 100;
constexpr Millis kCheckIntervalWithBacklog{1'000};

}  // namespace

std::optional<ReportStatus> reportStatusOf(std::string_view word)
{
    const auto* found = std::ranges::find_if(
        kStatusWords, [&](const auto& entry) { return equalIgnoringCase(entry.first, word); });
    return found == kStatusWords.end() ? std::nullopt : std::optional{found->second};
}

void DeliveryReports::handle(Report report, Done<void> done)
{
    const auto sent = report.sent;
    const auto token = report.token;
    awaited_.verify(sent, token,
                    [this, alive = callbackGuard_.watch(), report = std::move(report),
                     done = std::move(done)](const Result<bool>& isValid) {
                        if (alive.expired()) {
                            return done(failure(ErrorCode::Unavailable, "we are stopping"));
                        }
                        if (!isValid) {
                            return done(tl::unexpected(isValid.error()));
                        }
                        if (!*isValid) {
                            return done(failure(ErrorCode::Denied,
                                                "token: is not the one that belongs to this id "
                                                "and attempt"));
                        }
                        record(report, done);
                    });
}

void DeliveryReports::record(const Report& report, Done<void> done)
{
    countReport(textsOf(report.status).metricLabel);
    const bool networkIsEnough = requiredReport_ == Config::SmsReports::Network;
    switch (report.status) {
    case ReportStatus::OnItsWay: return done({});
    case ReportStatus::NetworkHasIt:
        if (!networkIsEnough) {
            return done({});
        }
        [[fallthrough]];
    case ReportStatus::PhoneHasIt:
        return queue_.finish({.id = report.sent.id,
                              .attempt = report.sent.attempt,
                              .note = noteOf(report.sent, statusText(report))},
                             forgetOnceRecorded(report.sent, std::move(done)));
    case ReportStatus::NotDelivered:
    case ReportStatus::NetworkRefused: break;
    }
    recordFailure(report.sent, statusText(report),
                  forgetOnceRecorded(report.sent, std::move(done)));
}

void DeliveryReports::giveUp(SentAttempt sent, Done<void> done)
{
    countReport("none");
    const auto reason = fmt::format("no delivery report within {}; the gateway had taken the "
                                    "message",
                                    formatDuration(timeout_));
    auto onRecorded = forgetOnceRecorded(sent, std::move(done));
    Lease lease{.id = sent.id, .attempt = sent.attempt, .note = noteOf(sent, reason)};
    switch (actionWhenUnreported_) {
    case Config::SmsUnreported::Done: return queue_.finish(std::move(lease), std::move(onRecorded));
    case Config::SmsUnreported::Dead:
        return queue_.bury(std::move(lease), reason, std::move(onRecorded));
    case Config::SmsUnreported::Retry: break;
    }
    recordFailure(sent, reason, std::move(onRecorded));
}

std::string DeliveryReports::noteOf(const SentAttempt& sent, std::string_view outcome) const
{
    return delivery::toString({.attempt = sent.attempt,
                               .sent = queue_.clock().now(),
                               .request = "delivery-report",
                               .answer = std::string(outcome)});
}

void DeliveryReports::recordFailure(const SentAttempt& sent,
                                    const std::string& reason,
                                    Done<void> done)
{
    const auto fail = [this, alive = callbackGuard_.watch(), sent, reason,
                       note = noteOf(sent, reason), done](JobView view) {
        if (alive.expired()) {
            return done(failure(ErrorCode::Unavailable, "we are stopping"));
        }
        const ClaimedJob claimed{std::move(view.job), sent.attempt, {}, {}, view.attemptOffset};
        queue_.fail(claimed, reason, done, Millis{0}, note);
    };
    inspector_.show(sent.id, onSuccess(done, fail));
}

Done<void> DeliveryReports::forgetOnceRecorded(const SentAttempt& sent, Done<void> done)
{
    return
        [this, alive = callbackGuard_.watch(), sent, done = std::move(done)](Result<void> result) {
            if (alive.expired() || (!result && isTemporary(result.error().code))) {
                return done(std::move(result));
            }
            // NotFound, Conflict and Stale: the attempt has ended already, so no report is awaited.
            awaited_.forget(sent);
            const bool hadEnded = !result && hasMovedOn(result.error().code);
            done(hadEnded ? Result<void>{} : std::move(result));
        };
}

OverdueReportWatcher::OverdueReportWatcher(EventLoop& loop,
                                           const Clock& clock,
                                           AwaitedReports& awaited,
                                           DeliveryReports& reports,
                                           Millis timeout)
    : clock_(clock),
      awaited_(awaited),
      reports_(reports),
      checkInterval_(std::min(timeout, kMaxCheckInterval)),
      timer_(loop)
{
    giveUpOverdue();
}

void OverdueReportWatcher::giveUpOverdue()
{
    awaited_.findOverdue(
        clock_.now(), kMostOverduePerShard,
        callbackGuard_.guard([this](const Result<std::vector<SentAttempt>>& overdue) {
            const auto attempts = overdue.value_or(std::vector<SentAttempt>{});
            for (const auto& sent : attempts) {
                reports_.giveUp(sent, [id = sent.id](const Result<void>& result) {
                    if (!result) {
                        log::warning("sms", "cannot give up waiting for the report on {}: {}", id,
                                     result.error().message);
                    }
                });
            }
            const bool mayHaveMore = attempts.size() >= kMostOverduePerShard;
            timer_.arm(mayHaveMore ? std::min(kCheckIntervalWithBacklog, checkInterval_)
                                   : checkInterval_,
                       [this] { giveUpOverdue(); });
        }));
}

}  // namespace restante::sms
