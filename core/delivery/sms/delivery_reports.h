#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/config/config.h"
#include "core/delivery/sms/awaited_reports.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_inspector.h"

#include <optional>
#include <string>
#include <string_view>

namespace restante::sms {

/// The status that a gateway reports for a message that it had taken.
enum class ReportStatus {
    OnItsWay,        ///< it waits somewhere; nothing is decided
    NetworkHasIt,    ///< Kannel's 8
    PhoneHasIt,      ///< Kannel's 1
    NotDelivered,    ///< Kannel's 2: not to this phone
    NetworkRefused,  ///< Kannel's 16
};

/// Kannel's numbers, and the words that other gateways use ("delivered", "DELIVRD", "failed",
/// "expired", case ignored); none for anything else.
std::optional<ReportStatus> reportStatusOf(std::string_view word);

/// Makes delivery reports the result of their attempts: finish, or the next attempt of the job's
/// schedule. Every step is fenced by the attempt number, so a report that comes twice, late, or for
/// an attempt that somebody has given up is without effect. Borrows everything. *One loop.*
class DeliveryReports {
public:
    DeliveryReports(DelayQueue& queue,
                    JobInspector& inspector,
                    AwaitedReports& awaited,
                    const Config::Sms& config)
        : queue_(queue),
          inspector_(inspector),
          awaited_(awaited),
          requiredReport_(config.deliveryReports),
          actionWhenUnreported_(config.unreported),
          timeout_(config.reportTimeout)
    {
    }

    struct Report {
        SentAttempt sent;
        std::string token;
        ReportStatus status = ReportStatus::OnItsWay;
        std::string networkText;  ///< what the network said, for last_error
    };
    /// Success: it is recorded, it decides nothing yet, or the attempt has already ended. Denied:
    /// the token is not the one we gave out. A temporary error: the gateway may bring it again.
    void handle(Report report, Done<void> done);

    /// No report on `sent` came in time: applies `sms.unreported`.
    void giveUp(SentAttempt sent, Done<void> done);

private:
    void record(const Report& report, Done<void> done);
    void recordFailure(const SentAttempt& sent, const std::string& reason, Done<void> done);
    /// The attempt's line for the job's history.
    std::string noteOf(const SentAttempt& sent, std::string_view outcome) const;
    /// A handler that forgets the awaited report once the result has been recorded or the attempt
    /// has already ended, which is a success, too; then calls `done`.
    Done<void> forgetOnceRecorded(const SentAttempt& sent, Done<void> done);

    DelayQueue& queue_;
    JobInspector& inspector_;
    AwaitedReports& awaited_;
    Config::SmsReports requiredReport_;
    Config::SmsUnreported actionWhenUnreported_;
    Millis timeout_;
    CallbackGuard callbackGuard_;
};

/// Gives up on the reports that do not come, whichever daemon sent the message: looks for them once
/// a minute, or every `timeout` when that is less; after a second when there may be more. Borrows
/// all. *One loop.*
class OverdueReportWatcher {
public:
    OverdueReportWatcher(EventLoop& loop,
                         const Clock& clock,
                         AwaitedReports& awaited,
                         DeliveryReports& reports,
                         Millis timeout);

private:
    void giveUpOverdue();

    const Clock& clock_;
    AwaitedReports& awaited_;
    DeliveryReports& reports_;
    Millis checkInterval_;
    Timer timer_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sms
