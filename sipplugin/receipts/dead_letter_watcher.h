#pragma once

#include "core/base/callback_guard.h"
#include "core/base/result.h"
#include "core/queue/job_inspector.h"
#include "sipplugin/receipts/sender_reports.h"

#include <optional>
#include <unordered_map>

namespace restante::redis {
class Connection;
}  // namespace restante::redis

namespace restante::sip {

/// `<prefix>:{s0}:reported`: up to when the dead were looked at. Borrows the connection. *One
/// loop.*
class ReportWatermark {
public:
    ReportWatermark(redis::Connection& connection, const std::string& prefix);

    /// Nothing: it was never written.
    void read(Done<std::optional<TimePoint>> done);
    void write(TimePoint until, Done<void> done);

private:
    redis::Connection& connection_;
    std::string key_;
};

/// Looks at the messages that have died, whoever buried them, and has their senders told: an expiry
/// is one step in the store, made by any daemon. The watermark says up to when; looking twice is
/// harmless. Borrows everything. *One loop.*
class DeadLetterWatcher {
public:
    struct Parts {
        EventLoop& loop;
        const Clock& clock;
        JobInspector& inspector;
        ReportWatermark& watermark;
        SenderReports& reports;
    };
    explicit DeadLetterWatcher(Parts parts) : parts_(parts), timer_(parts.loop) {}

    /// Begins. Who died before the first start of all is not reported.
    void start();

private:
    struct Scan;

    void scanLater();
    void scan();
    void fetchPage(const std::shared_ptr<Scan>& scan);
    void handlePage(const std::shared_ptr<Scan>& scan, const SearchPage& page);
    void reportFrom(const std::shared_ptr<Scan>& scan, std::size_t next);
    void end(const Scan& scan);
    bool isNews(const JobView& view) const;

    Parts parts_;
    Timer timer_;
    TimePoint reportedUntil_{};  ///< every death until then has been reported
    TimePoint savedUntil_{};     ///< as the watermark in the store says; lags behind
    std::unordered_map<std::string, TimePoint> reported_;  ///< id -> died at; of the last moments
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
