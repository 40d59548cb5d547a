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

constexpr std::array<std::pair<std::string_view, ReportStatus>, 22> kWords{{
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

/// By status: as it is counted, and for people.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOutcomes{{
    {"underway", "not delivered to the phone"},
    {"network", "the network has it"},
    {"phone", "the phone has it"},
    {"undelivered", "not delivered to the phone"},
    {"refused", "the network refused it"},
}};

const auto& outcomeOf(ReportStatus status)
{
    return kOutcomes[static_cast<std::size_t>(status)];
}

std::string endOf(const DeliveryReports::Report& report)
{
    return fmt::format("{}{}{}", outcomeOf(report.status).second, report.words.empty() ? "" : ": ",
                       report.words);
}

void count(std::string_view status)
{
    metrics::counter("restante_sms_reports_total", {std::string(status)}).add();
}

/// A report is awaited for hours, and nobody minds a minute more.
constexpr Millis kLongestPause{std::chrono::minutes{1}};
/// Of each shard; the rest comes with the next look, which is soon then: a gateway that reports
/// nothing at all must not make them pile up until their leases end.
constexpr std::uint32_t kAtOnce = 100;
constexpr Millis kMoreWait{1'000};

}  // namespace

std::optional<ReportStatus> reportStatusOf(std::string_view word)
{
    const auto* found = std::ranges::find_if(
        kWords, [&](const auto& one) { return equalIgnoringCase(one.first, word); });
    return found == kWords.end() ? std::nullopt : std::optional{found->second};
}

void DeliveryReports::handle(Report report, Done<void> done)
{
    const auto sent = report.sent;
    const auto token = report.token;
    awaited_.verify(sent, token,
                    [this, alive = callbackGuard_.watch(), report = std::move(report),
                     done = std::move(done)](const Result<bool>& right) {
                        if (alive.expired()) {
                            return done(failure(ErrorCode::Unavailable, "we are stopping"));
                        }
                        if (!right) {
                            return done(tl::unexpected(right.error()));
                        }
                        if (!*right) {
                            return done(failure(ErrorCode::Denied,
                                                "token: is not the one that belongs to this id "
                                                "and attempt"));
                        }
                        record(report, done);
                    });
}

void DeliveryReports::record(const Report& report, Done<void> done)
{
    count(outcomeOf(report.status).first);
    const bool networkIsEnough = wanted_ == Config::SmsReports::Network;
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
                              .note = noteOf(report.sent, endOf(report))},
                             settled(report.sent, std::move(done)));
    case ReportStatus::NotDelivered:
    case ReportStatus::NetworkRefused: break;
    }
    failed(report.sent, endOf(report), settled(report.sent, std::move(done)));
}

void DeliveryReports::giveUp(SentAttempt sent, Done<void> done)
{
    count("none");
    const auto reason = fmt::format("no delivery report within {}; the gateway had taken the "
                                    "message",
                                    printDuration(timeout_));
    auto end = settled(sent, std::move(done));
    Lease lease{.id = sent.id, .attempt = sent.attempt, .note = noteOf(sent, reason)};
    switch (unreported_) {
    case Config::SmsUnreported::Done: return queue_.finish(std::move(lease), std::move(end));
    case Config::SmsUnreported::Dead: return queue_.bury(std::move(lease), reason, std::move(end));
    case Config::SmsUnreported::Retry: break;
    }
    failed(sent, reason, std::move(end));
}

std::string DeliveryReports::noteOf(const SentAttempt& sent, std::string_view outcome) const
{
    return delivery::print({.attempt = sent.attempt,
                            .sent = queue_.clock().now(),
                            .request = "delivery-report",
                            .answer = std::string(outcome)});
}

void DeliveryReports::failed(const SentAttempt& sent, const std::string& reason, Done<void> done)
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

Done<void> DeliveryReports::settled(const SentAttempt& sent, Done<void> done)
{
    return
        [this, alive = callbackGuard_.watch(), sent, done = std::move(done)](Result<void> result) {
            if (alive.expired() || (!result && isTemporary(result.error().code))) {
                return done(std::move(result));
            }
            // Gone and stale: the attempt has ended already, and so has the waiting.
            awaited_.forget(sent);
            const bool late = !result && hasMovedOn(result.error().code);
            done(late ? Result<void>{} : std::move(result));
        };
}

OverdueReports::OverdueReports(EventLoop& loop,
                               const Clock& clock,
                               AwaitedReports& awaited,
                               DeliveryReports& reports,
                               Millis timeout)
    : clock_(clock),
      awaited_(awaited),
      reports_(reports),
      pause_(std::min(timeout, kLongestPause)),
      timer_(loop)
{
    look();
}

void OverdueReports::look()
{
    awaited_.overdue(
        clock_.now(), kAtOnce,
        callbackGuard_.guard([this](const Result<std::vector<SentAttempt>>& overdue) {
            const auto found = overdue.value_or(std::vector<SentAttempt>{});
            for (const auto& sent : found) {
                reports_.giveUp(sent, [id = sent.id](const Result<void>& result) {
                    if (!result) {
                        log::warning("sms", "cannot give up waiting for the report on {}: {}", id,
                                     result.error().message);
                    }
                });
            }
            const bool more = found.size() >= kAtOnce;
            timer_.arm(more ? std::min(kMoreWait, pause_) : pause_, [this] { look(); });
        }));
}

}  // namespace restante::sms
