#include "sipplugin/receipts/sender_reports.h"

#include "core/base/log.h"

#include <utility>

namespace restante::sip {
namespace {
/// A device that is there has answered by then, and nobody needs to hear that a message was kept.
constexpr Millis kNoticeAfter{5'000};
/// A device that does not answer is waited for: 64 * T1, and once more.
constexpr int kLooks = 12;
/// Some 10 MB; above it the courtesy is left out.
constexpr std::size_t kMostWaiting = 10'000;

}  // namespace

void SenderReports::reportStored(Job message, Done<void> done)
{
    auto receipt = receiptOn(message, Disposition::Stored, rules_, now());
    if (!receipt && waiting_ < kMostWaiting &&
        noticeOn(message, Disposition::Stored, {}, rules_, now())) {
        message.body.clear();  // a notice quotes none of it
        ++waiting_;
        noticeLater(std::move(message), kLooks);
    }
    push(std::move(receipt), std::move(done));
}

void SenderReports::reportDelivered(const Job& message, Done<void> done)
{
    push(receiptOn(message, Disposition::Delivered, rules_, now()), std::move(done));
}

void SenderReports::reportDelivered(const std::string& id, Done<void> done)
{
    if (!rules_.settings.delivered) {
        return done({});
    }
    parts_.inspector.show(
        id, lifetime_.guard([this, done = std::move(done)](const Result<JobView>& view) {
            if (!view && isTemporary(view.error().code)) {
                return done(tl::unexpected(view.error()));
            }
            if (!view || !concerns(view->job, Disposition::Delivered)) {
                return done({});
            }
            reportDelivered(view->job, done);
        }));
}

void SenderReports::reportFailed(const Job& message, const std::string& reason, Done<void> done)
{
    auto receipt = receiptOn(message, Disposition::Failed, rules_, now());
    push(receipt ? std::move(receipt)
                 : noticeOn(message, Disposition::Failed, reason, rules_, now()),
         std::move(done));
}

void SenderReports::push(std::optional<PushOrder> order, Done<void> done)
{
    if (!order) {
        return done({});
    }
    const auto receiver = order->job.recipient;
    parts_.queue.push(std::move(*order), lifetime_.guard([this, receiver, done = std::move(done)](
                                                             const Result<PushOutcome>& pushed) {
        // Of a full store the way out is a finished message; a receipt is worth less.
        const bool full = !pushed && pushed.error().code == ErrorCode::Full;
        if (!pushed && !full && isTemporary(pushed.error().code)) {
            return done(tl::unexpected(pushed.error()));
        }
        if (pushed) {
            stored_(receiver);
        } else if (const auto count = complaints_.occurred(); count > 0) {
            log::warning("sip", "{} reports to senders were not stored, the last to {}: {}", count,
                         receiver, pushed.error().message);
        }
        done({});
    }));
}

void SenderReports::noticeLater(Job message, int looks)
{
    parts_.loop.armTimer(kNoticeAfter, lifetime_.guard([this, message = std::move(message), looks] {
        noticeIfHeld(message, looks);
    }));
}

void SenderReports::noticeIfHeld(const Job& message, int looks)
{
    parts_.inspector.show(
        message.id, lifetime_.guard([this, message, looks](const Result<JobView>& view) {
            const bool underWay =
                view ? view->state == JobState::Leased : isTemporary(view.error().code);
            if (underWay && looks > 1) {
                return noticeLater(message, looks - 1);
            }
            --waiting_;
            if (view && view->state == JobState::Held) {
                push(noticeOn(message, Disposition::Stored, {}, rules_, now()), [](const auto&) {});
            }
        }));
}

}  // namespace restante::sip
