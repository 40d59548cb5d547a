#pragma once

#include "core/base/event_loop.h"
#include "core/queue/job_inspector.h"
#include "sipplugin/message/lifetime.h"
#include "sipplugin/receipts/report_watermark.h"
#include "sipplugin/receipts/sender_reports.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace restante::sip {

/// Looks at the messages that have died, whoever buried them and why, and has their senders told:
/// a duty of its own, because an expiry is one step in the store, made by any daemon. The mark says
/// up to when the dead have been looked at; looking twice is harmless. Borrows everything. *One
/// loop.*
class DeadLetterWatcher {
public:
    struct Parts {
        EventLoop& loop;
        const Clock& clock;
        JobInspector& inspector;
        ReportWatermark& watermark;
        SenderReports& reports;
    };
    explicit DeadLetterWatcher(Parts parts);

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
