#pragma once

#include "sipplugin/message/local_domains.h"
#include "sipplugin/receipts/dead_letter_watcher.h"
#include "sipplugin/receipts/report_watermark.h"
#include "sipplugin/receipts/sender_reports.h"

#include <memory>

namespace restante::sip {

/// What the configuration makes of it: who can be told, and of what. Invalid names the setting.
Result<ReportRules> reportRulesOf(const SipSettings& settings, const LocalDomains& domains);

/// The reports of a plugin: writes them, and watches the dead when their senders may want to know.
/// Composes and nothing else; borrows what it is given. *One loop.*
class Reporting {
public:
    /// `watermark` may be null: then nobody is told of a failure.
    Reporting(SenderReports::Parts parts,
              ReportWatermark* watermark,
              ReportRules rules,
              SenderReports::Stored stored);

    SenderReports& reports() noexcept { return reports_; }
    void start();

private:
    SenderReports reports_;
    std::unique_ptr<DeadLetterWatcher> deadLetterWatcher_;
};

}  // namespace restante::sip
