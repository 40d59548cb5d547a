#include "sipplugin/receipts/sender_reports.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/job/cpim.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/fingerprint.h"
#include "sipplugin/message/sip_message_codec.h"

#include <algorithm>

namespace restante::sip {

namespace {

/// Repetitions come after a crash or while the store is unavailable; both are over by then.
constexpr std::chrono::hours kOnceFor{24};
/// An import takes no longer ones.
constexpr std::chrono::hours kLongestImportedOnceFor{24 * 366};

const std::string* headerOf(const Job& job, std::string_view wanted)
{
    const auto found = std::ranges::find_if(
        job.headers, [&](const auto& header) { return equalIgnoringCase(header.first, wanted); });
    return found == job.headers.end() ? nullptr : &found->second;
}

/// How long a receipt is remembered. With delivery to every device a `delivered` is due again for
/// each device that comes as long as the message lives. It depends on the configuration alone: the
/// store finds a key only by the span that it was pushed with.
Millis receiptOnceFor(Disposition disposition, const Config::Sip& settings)
{
    return disposition == Disposition::Delivered && settings.devices == Config::Devices::All
               ? std::clamp<Millis>(settings.mailbox.keep, kOnceFor, kLongestImportedOnceFor)
               : Millis{kOnceFor};
}

bool isCpim(const Job& job)
{
    return startsWithIgnoringCase(job.contentType, kCpimType);
}

bool isReceiptEnabled(Disposition disposition, const Config::Sip& settings)
{
    return std::ranges::find(settings.receipts, disposition) != settings.receipts.end();
}

bool isNoticeEnabled(Disposition disposition, const Config::Sip& settings)
{
    const bool both = settings.notice == Config::Notice::Both;
    if (disposition == Disposition::Failed) {
        return both || settings.notice == Config::Notice::Failed;
    }
    // With delivery to every device a message is held although some have it: no news for its
    // sender.
    return disposition == Disposition::Stored && settings.devices != Config::Devices::All &&
           (both || settings.notice == Config::Notice::Stored);
}

/// Whether a program sent it: an answer to that could start a loop (RFC 3834).
bool isAutomatic(const Job& job)
{
    const auto* submitted = headerOf(job, kAutoSubmitted);
    return submitted != nullptr && !equalIgnoringCase(*submitted, "no");
}

/// The last server of the IMDN route if it is in our domains, else the sender of the message.
std::string
reportRecipientOf(const Job& message, const ReceiptRequest& request, const ReportRules& rules)
{
    if (!request.recordRoute.empty()) {
        const auto address = parseNameAddr(request.recordRoute.front());
        const auto aor = address ? canonicalAor(address->uri) : invalid("");
        if (aor && rules.isLocalDomain(*aor)) {
            return *aor;
        }
    }
    return message.sender;
}

/// Like any message, but exempt from the store's total limit: a message is finished only when its
/// report is stored, and finishing makes room.
PushOptions reportPush(std::string receiver, const ReportRules& rules, TimePoint now)
{
    Job job;
    job.topic = kSipTopic;
    job.channel = Channel::Sip;
    job.recipient = std::move(receiver);
    job.created = now;
    job.expires = now + rules.settings.mailbox.keep;
    return mailboxPush(std::move(job), rules.settings);
}

/// Whether the sender can get a report. Jobs that did not come as a MESSAGE (reminders, our own
/// reports) have no From.
bool mayBeAnswered(const Job& message, const ReportRules& rules)
{
    return message.channel == Channel::Sip && headerOf(message, "From") != nullptr &&
           !isImdn(message.contentType, message.body) && canonicalAor(message.sender) &&
           rules.isReachable(message.sender);
}

std::string fillTemplate(std::string text, const std::string& recipient, const std::string& reason)
{
    const auto replace = [&text](std::string_view placeholder, const std::string& value) {
        for (auto position = text.find(placeholder); position != std::string::npos;
             position = text.find(placeholder, position + value.size())) {
            text.replace(position, placeholder.size(), value);
        }
    };
    replace("{recipient}", recipient);
    replace("{reason}", reason == "expired" ? "they could not be reached in time" : reason);
    return text;
}

/// A reachable device has answered by then, and no notice is needed.
constexpr Millis kNoticeDelay{5'000};
/// 64 * T1 and another attempt, for a device that does not answer.
constexpr int kMaxChecks = 12;
/// About 10 MB; beyond it no notice is sent.
constexpr std::size_t kMaxPendingNotices = 10'000;

}  // namespace

Result<ReportRules> reportRulesOf(const Config::Sip& settings, const LocalDomains& domains)
{
    ReportRules rules;
    rules.settings = settings;
    if (auto& from = rules.settings.noticeFrom; !from.empty()) {
        const auto aor = canonicalAor(from);
        if (!aor) {
            return invalid("sip.notice_from: " + aor.error().message);
        }
        from = *aor;
    }
    rules.isLocalDomain = [domains](const std::string& aor) {
        return domains.contains(hostOfAor(aor));
    };
    rules.isReachable = [domains, viaProxy = !settings.proxy.empty()](const std::string& aor) {
        // anonymous.invalid (RFC 3323) can never be reached.
        const auto host = hostOfAor(aor);
        return domains.contains(host) || (viaProxy && !host.ends_with(".invalid"));
    };
    return rules;
}

bool isReported(Disposition disposition, const Config::Sip& settings)
{
    return isReceiptEnabled(disposition, settings) || isNoticeEnabled(disposition, settings);
}

bool mayBeReported(const Job& message, Disposition disposition, const Config::Sip& settings)
{
    return message.channel == Channel::Sip &&
           ((isReceiptEnabled(disposition, settings) && isCpim(message)) ||
            isNoticeEnabled(disposition, settings));
}

std::optional<PushOptions>
receiptFor(const Job& message, Disposition disposition, const ReportRules& rules, TimePoint now)
{
    if (!isReceiptEnabled(disposition, rules.settings) || !isCpim(message) ||
        !mayBeAnswered(message, rules)) {
        return {};
    }
    const auto request = receiptRequestOf(message.contentType, message.body);
    if (!request || !request->asksFor(disposition)) {
        return {};
    }
    auto push = reportPush(reportRecipientOf(message, *request, rules), rules, now);
    // An edited message has the id of the one that it replaces, and is delivered, too. Of one that
    // is stored only the id is known here: its sender may be repeating it.
    const auto record = disposition == Disposition::Delivered
                            ? std::to_string(toEpochMs(message.created))
                            : std::string{};
    const auto print = fingerprint({"receipt", message.id, record, name(disposition)});
    push.onceKey = std::string{print.bytes()};
    push.onceFor = receiptOnceFor(disposition, rules.settings);
    push.job.sender = message.recipient;
    push.job.contentType = kCpimType;
    push.job.body = formatReceipt(*request, {disposition, print.hex(), message.created, now,
                                             message.sender, message.recipient});
    return push;
}

std::optional<PushOptions> noticeFor(const Job& message,
                                     Disposition disposition,
                                     const std::string& reason,
                                     const ReportRules& rules,
                                     TimePoint now)
{
    const auto& settings = rules.settings;
    if (!isNoticeEnabled(disposition, settings) || isAutomatic(message) ||
        message.sender == message.recipient || message.sender == settings.noticeFrom ||
        !mayBeAnswered(message, rules) || receiptFor(message, disposition, rules, now)) {
        return {};
    }
    auto push = reportPush(message.sender, rules, now);
    const auto print =
        fingerprint({"notice", message.sender, message.recipient, name(disposition)});
    push.onceKey = std::string{print.bytes()};
    push.onceFor = settings.noticeInterval;
    push.job.sender = settings.noticeFrom.empty() ? message.recipient : settings.noticeFrom;
    push.job.contentType = "text/plain;charset=UTF-8";
    push.job.headers.emplace_back(kAutoSubmitted, "auto-replied");
    push.job.body = fillTemplate(disposition == Disposition::Stored ? settings.noticeStoredText
                                                                    : settings.noticeFailedText,
                                 message.recipient, reason);
    return push;
}

void SenderReports::reportStored(Job message, Done<void> done)
{
    auto receipt = receiptFor(message, Disposition::Stored, rules_, now());
    if (!receipt && pendingNotices_ < kMaxPendingNotices &&
        noticeFor(message, Disposition::Stored, {}, rules_, now())) {
        message.body.clear();  // a notice quotes none of it
        ++pendingNotices_;
        scheduleNotice(std::move(message), kMaxChecks);
    }
    push(std::move(receipt), std::move(done));
}

void SenderReports::reportDelivered(const Job& message, Done<void> done)
{
    push(receiptFor(message, Disposition::Delivered, rules_, now()), std::move(done));
}

void SenderReports::reportDelivered(const std::string& id, TimePoint created, Done<void> done)
{
    if (!isReceiptEnabled(Disposition::Delivered, rules_.settings)) {
        return done({});
    }
    parts_.inspector.show(id, callbackGuard_.guard([this, created, done = std::move(done)](
                                                       const Result<JobView>& view) {
        if (!view && isTemporary(view.error().code)) {
            return done(tl::unexpected(view.error()));
        }
        const bool isThere = view && view->job.created == created;
        if (!isThere || !concerns(view->job, Disposition::Delivered)) {
            return done({});
        }
        reportDelivered(view->job, done);
    }));
}

void SenderReports::reportFailed(const Job& message, const std::string& reason, Done<void> done)
{
    auto receipt = receiptFor(message, Disposition::Failed, rules_, now());
    push(receipt ? std::move(receipt)
                 : noticeFor(message, Disposition::Failed, reason, rules_, now()),
         std::move(done));
}

void SenderReports::push(std::optional<PushOptions> push, Done<void> done)
{
    if (!push) {
        return done({});
    }
    const auto receiver = push->job.recipient;
    parts_.queue.push(
        std::move(*push), callbackGuard_.guard([this, receiver, done = std::move(done)](
                                                   const Result<PushOutcome>& pushed) {
            // In a full store the receipt is dropped, so that the message can be finished.
            const bool full = !pushed && pushed.error().code == ErrorCode::Full;
            if (!pushed && !full && isTemporary(pushed.error().code)) {
                return done(tl::unexpected(pushed.error()));
            }
            if (pushed) {
                onStored_(receiver);
            } else if (const auto count = logLimiter_.countToLog(); count > 0) {
                log::warning("sip", "{} reports to senders were not stored, the last to {}: {}",
                             count, receiver, pushed.error().message);
            }
            done({});
        }));
}

void SenderReports::scheduleNotice(Job message, int checksLeft)
{
    parts_.loop.armTimer(kNoticeDelay,
                         callbackGuard_.guard([this, message = std::move(message), checksLeft] {
                             noticeIfHeld(message, checksLeft);
                         }));
}

void SenderReports::noticeIfHeld(const Job& message, int checksLeft)
{
    parts_.inspector.show(message.id, callbackGuard_.guard([this, message, checksLeft](
                                                               const Result<JobView>& view) {
        const bool inProgress =
            view ? view->state == JobState::Leased : isTemporary(view.error().code);
        if (inProgress && checksLeft > 1) {
            return scheduleNotice(message, checksLeft - 1);
        }
        --pendingNotices_;
        if (view && view->state == JobState::Held) {
            push(noticeFor(message, Disposition::Stored, {}, rules_, now()), [](const auto&) {});
        }
    }));
}

}  // namespace restante::sip
