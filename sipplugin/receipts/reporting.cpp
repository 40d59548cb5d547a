#include "sipplugin/receipts/reporting.h"

#include "sipplugin/message/aor.h"
#include "sipplugin/settings/first_fall_back.h"

#include <utility>

namespace restante::sip {

Result<ReportRules> reportRulesOf(const SipSettings& settings, const LocalDomains& domains)
{
    ReportRules rules;
    rules.settings = settings.receipts;
    if (auto& from = rules.settings.noticeFrom; !from.empty()) {
        const auto aor = canonicalAor(from);
        if (!aor) {
            return failure(ErrorCode::Invalid, "sip.notice_from: " + aor.error().message);
        }
        from = *aor;
    }
    rules.lifetime = settings.lifetime;
    rules.firstFallBack = firstFallBack(settings.retry);
    rules.mailboxLimit = settings.mailboxMessages;
    rules.mailboxBytes = settings.mailboxBytes;
    rules.makeRoom = settings.everyDevice;
    // What every device gets is kept although some have it: that is no news for its sender.
    rules.settings.noticeStored = rules.settings.noticeStored && !settings.everyDevice;
    rules.isOurs = [domains](const std::string& aor) { return domains.contains(hostOfAor(aor)); };
    rules.reaches = [domains, viaProxy = !settings.proxy.empty()](const std::string& aor) {
        // anonymous.invalid (RFC 3323) is nobody, whoever is asked.
        const auto host = hostOfAor(aor);
        return domains.contains(host) || (viaProxy && !host.ends_with(".invalid"));
    };
    return rules;
}

Reporting::Reporting(SenderReports::Parts parts,
                     ReportWatermark* watermark,
                     ReportRules rules,
                     SenderReports::Stored stored)
    : reports_(parts, rules, std::move(stored))
{
    if (watermark != nullptr && (rules.settings.failed || rules.settings.noticeFailed)) {
        deadLetterWatcher_ = std::make_unique<DeadLetterWatcher>(DeadLetterWatcher::Parts{
            parts.loop, parts.queue.clock(), parts.inspector, *watermark, reports_});
    }
}

void Reporting::start()
{
    if (deadLetterWatcher_) {
        deadLetterWatcher_->start();
    }
}

}  // namespace restante::sip
