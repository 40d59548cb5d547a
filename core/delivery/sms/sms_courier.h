#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/config/config.h"
#include "core/delivery/courier.h"
#include "core/delivery/http_client.h"
#include "core/delivery/sms/awaited_reports.h"
#include "core/delivery/sms/gateway.h"
#include "core/delivery/sms/sms_message.h"
#include "core/sms/quiet_hours.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace restante::sms {

/// Carries sms jobs to the gateway. In the recipient's quiet hours a job is given back until they
/// end. At most `sms.concurrency` requests are under way and `sms.rate` a second begin. Where
/// delivery reports are wanted, each attempt is noted before it is sent, and a message that the
/// gateway takes is Awaited. docs/sms.md describes the behaviour. Borrows loop, clock, client and
/// awaited reports. *One loop.*
class SmsCourier final : public delivery::Courier {
public:
    /// The operator's settings, read and checked.
    struct Settings {
        Config::Sms config;
        std::optional<QuietHours> quiet;
        TimeZones zones;
        std::string reportUrl;  ///< "http://127.0.0.1:9277", empty = no reports
    };
    /// Invalid names the key that cannot be used.
    static Result<Settings> settingsOf(const Config& config);

    /// `awaitedReports` is null when no reports are wanted.
    SmsCourier(EventLoop& loop,
               const Clock& clock,
               delivery::HttpClient& client,
               std::unique_ptr<Gateway> gateway,
               AwaitedReports* awaitedReports,
               Settings settings)
        : loop_(loop),
          clock_(clock),
          client_(client),
          gateway_(std::move(gateway)),
          awaitedReports_(awaitedReports),
          settings_(std::move(settings)),
          rateTimer_(loop)
    {
    }

    Channel channel() const noexcept override { return Channel::Sms; }
    std::size_t capacity() const noexcept override;
    void deliver(std::vector<ClaimedJob> jobs, Report report) override;
    void drain() override;

private:
    struct PendingMessage {
        Report report;
        Message message;
        SentAttempt sentAttempt;
        TimePoint sentAt{};
    };
    using Outcome = delivery::Outcome;

    void handle(const ClaimedJob& claimed, const Report& report);
    std::optional<Outcome> quietHoursOutcome(const Job& job, const std::string& number) const;
    void startMore();
    void expectReportThenSend(PendingMessage pending);
    void warnOfUnsent(const std::string& reason);
    void send(PendingMessage pending);
    /// The outcome of a request that has ended. Counts the parts of a message that was taken, and
    /// forgets the report of one that was not.
    Outcome concludeRequest(const PendingMessage& pending, const delivery::HttpResult& result);
    std::string noteOf(const PendingMessage& pending, const delivery::HttpResult& result) const;
    void reportOutcome(const Report& report, Outcome outcome);
    std::string reportUrlFor(const SentAttempt& sent, const std::string& token) const;

    EventLoop& loop_;
    const Clock& clock_;
    delivery::HttpClient& client_;
    std::unique_ptr<Gateway> gateway_;
    AwaitedReports* awaitedReports_;
    Settings settings_;
    std::size_t unreportedJobs_ = 0;  ///< given to this, their outcome not reported yet
    bool draining_ = false;
    std::deque<PendingMessage> waiting_;  ///< for their turn in `sms.rate`
    /// When the next request may begin under `sms.rate`; since the epoch.
    std::chrono::microseconds nextStartTime_{0};
    TimePoint nextWarning_{};
    Timer rateTimer_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sms
