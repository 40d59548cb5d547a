#pragma once

#include "core/queue/delay_queue.h"
#include "sipplugin/message/local_domains.h"
#include "sipplugin/receipts/imdn.h"
#include "sipplugin/settings/sip_settings.h"

#include <functional>

namespace restante::sip {

/// What decides which reports a message leads to. *Value.*
struct ReportRules {
    ReceiptSettings settings;
    Millis lifetime{std::chrono::hours{24 * 7}};  ///< of a report
    Millis firstFallBack{120'000};                ///< of a mailbox that a report opens
    /// As of any message; but the store's total is none of theirs, because a message is finished
    /// only when its report is stored, and finishing is what makes room.
    std::uint32_t mailboxLimit = 0;
    std::size_t mailboxBytes = 0;
    bool makeRoom = false;
    /// Whether a report to that address of record could ever be delivered: by the proxy, or because
    /// its domain is ours.
    std::function<bool(const std::string& aor)> reaches = [](const auto&) { return true; };
    /// Whether the domain of that address of record is ours.
    std::function<bool(const std::string& aor)> isOurs = [](const auto&) { return true; };
};

/// What the configuration makes of it: who can be told, and of what. Invalid names the setting.
Result<ReportRules> reportRulesOf(const SipSettings& settings, const LocalDomains& domains);

/// Whether such a report could come of the message at all. Cheap: it is asked of every message.
bool mayBeReported(const Job& message, Disposition what, const ReceiptSettings& settings);

/// The IMDN that `message` asks for when `what` has become of it, for its sender's mailbox; nothing
/// when it asks for none, when that is off, when it is an IMDN or never was a MESSAGE, or when its
/// sender cannot be reached. Its once key makes a repetition harmless. *Pure function.*
std::optional<PushOrder>
receiptOn(const Job& message, Disposition what, const ReportRules& rules, TimePoint now);

/// A notice in plain words, when those are on and no receipt says the same. Nothing as above, and
/// nothing for what a program wrote. Its once key holds a sender to one of a kind and recipient in
/// `noticeInterval`. `reason` is of Failed. *Pure function.*
std::optional<PushOrder> noticeOn(const Job& message,
                                  Disposition what,
                                  const std::string& reason,
                                  const ReportRules& rules,
                                  TimePoint now);

}  // namespace restante::sip
