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

/// `<prefix>:{s0}:reported`: the time up to which deaths were reported. Borrows the connection.
/// *One loop.*
class ReportWatermark {
public:
    ReportWatermark(redis::Connection& connection, const std::string& prefix);

    /// `done` gets nothing when it was never written.
    void read(Done<std::optional<TimePoint>> done);
    void write(TimePoint until, Done<void> done);

private:
    redis::Connection& connection_;
    std::string key_;
};

/// Scans for messages that have become dead, whatever buried them, and reports them to their
/// senders: an expiry is one step in the store, made by any daemon. The watermark says how far it
/// has come; scanning twice is harmless. Borrows everything. *One loop.*
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

    /// Begins to scan. Deaths before the very first start are not reported.
    void start();

private:
    struct Scan;

    void scheduleScan();
    void scan();
    void fetchPage(const std::shared_ptr<Scan>& scan);
    void handlePage(const std::shared_ptr<Scan>& scan, const SearchPage& page);
    void reportFrom(const std::shared_ptr<Scan>& scan, std::size_t next);
    void finishScan(const Scan& scan);
    bool mustReport(const JobView& view) const;

    Parts parts_;
    Timer timer_;
    TimePoint reportedUntil_{};  ///< every death until then has been reported
    TimePoint savedUntil_{};     ///< as the watermark in the store says; lags behind
    std::unordered_map<std::string, TimePoint> reported_;  ///< id -> time of death; recent ones
    CallbackGuard callbackGuard_;
};

}  // namespace restante::sip
