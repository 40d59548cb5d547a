#pragma once

#include "core/base/result.h"
#include "core/queue/job_inspector.h"
#include "sipplugin/message/callbacks.h"
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
/// is one step in the store, made by any daemon. The mark says up to when; looking twice is
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
    struct Look;

    void rest();
    void look();
    void turnPage(const std::shared_ptr<Look>& look);
    void handlePage(const std::shared_ptr<Look>& look, const SearchPage& page);
    void tell(const std::shared_ptr<Look>& look, std::size_t next);
    void end(const Look& look);
    bool isNews(const JobView& view) const;

    Parts parts_;
    Timer timer_;
    TimePoint seen_{};    ///< our own place; the mark follows at a distance
    TimePoint marked_{};  ///< where the mark is
    std::unordered_map<std::string, TimePoint> told_;  ///< id -> died at; of the last moments
    Lifetime lifetime_;
};

}  // namespace restante::sip
