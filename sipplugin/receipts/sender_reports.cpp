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

/// A repetition comes after a crash or while the store is away; both are over by then.
constexpr std::chrono::hours kOnceFor{24};

const std::string* headerOf(const Job& job, std::string_view wanted)
{
    const auto found = std::ranges::find_if(
        job.headers, [&](const auto& header) { return equalIgnoringCase(header.first, wanted); });
    return found == job.headers.end() ? nullptr : &found->second;
}

bool isCpim(const Job& job)
{
    return startsWithIgnoringCase(job.contentType, kCpimType);
}

bool receiptIsOn(Disposition what, const Config::Sip& settings)
{
    return std::ranges::find(settings.receipts, what) != settings.receipts.end();
}

bool noticeIsOn(Disposition what, const Config::Sip& settings)
{
    const bool both = settings.notice == Config::Notice::Both;
    if (what == Disposition::Failed) {
        return both || settings.notice == Config::Notice::Failed;
    }
    // What every device gets is kept although some have it: that is no news for its sender.
    return what == Disposition::Stored && settings.devices != Config::Devices::All &&
           (both || settings.notice == Config::Notice::Stored);
}

/// RFC 3834: whoever answers a machine may get an answer back.
bool isAutomatic(const Job& job)
{
    const auto* submitted = headerOf(job, kAutoSubmitted);
    return submitted != nullptr && !equalIgnoringCase(*submitted, "no");
}

/// The last server that wants to see it, when it is ours, else who sent the message.
std::string
reportRecipientOf(const Job& message, const ReceiptRequest& asked, const ReportRules& rules)
{
    if (!asked.recordRoute.empty()) {
        const auto address = parseNameAddr(asked.recordRoute.front());
        const auto aor = address ? canonicalAor(address->uri) : invalid("");
        if (aor && rules.isLocalDomain(*aor)) {
            return *aor;
        }
    }
    return message.sender;
}

/// As any message; but the store's total is none of theirs, because a message is finished only when
/// its report is stored, and finishing is what makes room.
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

/// What did not come as a MESSAGE has no From: a reminder, and our own reports.
bool mayBeAnswered(const Job& message, const ReportRules& rules)
{
    return message.channel == Channel::Sip && headerOf(message, "From") != nullptr &&
           !isImdn(message.contentType, message.body) && canonicalAor(message.sender) &&
           rules.reaches(message.sender);
}

std::string filled(std::string text, const std::string& recipient, const std::string& reason)
{
    const auto replace = [&text](std::string_view mark, const std::string& value) {
        for (auto at = text.find(mark); at != std::string::npos;
             at = text.find(mark, at + value.size())) {
            text.replace(at, mark.size(), value);
        }
    };
    replace("{recipient}", recipient);
    replace("{reason}", reason == "expired" ? "they could not be reached in time" : reason);
    return text;
}

/// A device that is there has answered by then, and nobody needs to hear that a message was kept.
constexpr Millis kNoticeAfter{5'000};
/// A device that does not answer is waited for: 64 * T1, and once more.
constexpr int kLooks = 12;
/// Some 10 MB; above it the courtesy is left out.
constexpr std::size_t kMostWaiting = 10'000;

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
    rules.reaches = [domains, viaProxy = !settings.proxy.empty()](const std::string& aor) {
        // anonymous.invalid (RFC 3323) is nobody, whoever is asked.
        const auto host = hostOfAor(aor);
        return domains.contains(host) || (viaProxy && !host.ends_with(".invalid"));
    };
    return rules;
}

bool isReported(Disposition what, const Config::Sip& settings)
{
    return receiptIsOn(what, settings) || noticeIsOn(what, settings);
}

bool mayBeReported(const Job& message, Disposition what, const Config::Sip& settings)
{
    return message.channel == Channel::Sip &&
           ((receiptIsOn(what, settings) && isCpim(message)) || noticeIsOn(what, settings));
}

std::optional<PushOptions>
receiptOn(const Job& message, Disposition what, const ReportRules& rules, TimePoint now)
{
    if (!receiptIsOn(what, rules.settings) || !isCpim(message) || !mayBeAnswered(message, rules)) {
        return {};
    }
    const auto asked = receiptRequestOf(message.contentType, message.body);
    if (!asked || !asked->asksFor(what)) {
        return {};
    }
    auto push = reportPush(reportRecipientOf(message, *asked, rules), rules, now);
    const auto print = fingerprint({"receipt", message.id, name(what)});
    push.onceKey = std::string{print.bytes()};
    push.onceFor = kOnceFor;
    push.job.sender = message.recipient;
    push.job.contentType = kCpimType;
    push.job.body = printReceipt(
        *asked, {what, print.hex(), message.created, now, message.sender, message.recipient});
    return push;
}

std::optional<PushOptions> noticeOn(const Job& message,
                                    Disposition what,
                                    const std::string& reason,
                                    const ReportRules& rules,
                                    TimePoint now)
{
    const auto& settings = rules.settings;
    if (!noticeIsOn(what, settings) || isAutomatic(message) ||
        message.sender == message.recipient || message.sender == settings.noticeFrom ||
        !mayBeAnswered(message, rules) || receiptOn(message, what, rules, now)) {
        return {};
    }
    auto push = reportPush(message.sender, rules, now);
    const auto print = fingerprint({"notice", message.sender, message.recipient, name(what)});
    push.onceKey = std::string{print.bytes()};
    push.onceFor = settings.noticeInterval;
    push.job.sender = settings.noticeFrom.empty() ? message.recipient : settings.noticeFrom;
    push.job.contentType = "text/plain;charset=UTF-8";
    push.job.headers.emplace_back(kAutoSubmitted, "auto-replied");
    push.job.body =
        filled(what == Disposition::Stored ? settings.noticeStoredText : settings.noticeFailedText,
               message.recipient, reason);
    return push;
}

void SenderReports::reportStored(Job message, Done<void> done)
{
    auto receipt = receiptOn(message, Disposition::Stored, rules_, now());
    if (!receipt && waiting_ < kMostWaiting &&
        noticeOn(message, Disposition::Stored, {}, rules_, now())) {
        message.body.clear();  // a notice quotes none of it
        ++waiting_;
        noticeLater(std::move(message), kLooks);
    }
    push(std::move(receipt), std::move(done));
}

void SenderReports::reportDelivered(const Job& message, Done<void> done)
{
    push(receiptOn(message, Disposition::Delivered, rules_, now()), std::move(done));
}

void SenderReports::reportDelivered(const std::string& id, Done<void> done)
{
    if (!receiptIsOn(Disposition::Delivered, rules_.settings)) {
        return done({});
    }
    parts_.inspector.show(
        id, callbackGuard_.guard([this, done = std::move(done)](const Result<JobView>& view) {
            if (!view && isTemporary(view.error().code)) {
                return done(tl::unexpected(view.error()));
            }
            if (!view || !concerns(view->job, Disposition::Delivered)) {
                return done({});
            }
            reportDelivered(view->job, done);
        }));
}

void SenderReports::reportFailed(const Job& message, const std::string& reason, Done<void> done)
{
    auto receipt = receiptOn(message, Disposition::Failed, rules_, now());
    push(receipt ? std::move(receipt)
                 : noticeOn(message, Disposition::Failed, reason, rules_, now()),
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
            // Of a full store the way out is a finished message; a receipt is worth less.
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

void SenderReports::noticeLater(Job message, int looks)
{
    parts_.loop.armTimer(kNoticeAfter,
                         callbackGuard_.guard([this, message = std::move(message), looks] {
                             noticeIfHeld(message, looks);
                         }));
}

void SenderReports::noticeIfHeld(const Job& message, int looks)
{
    parts_.inspector.show(
        message.id, callbackGuard_.guard([this, message, looks](const Result<JobView>& view) {
            const bool underWay =
                view ? view->state == JobState::Leased : isTemporary(view.error().code);
            if (underWay && looks > 1) {
                return noticeLater(message, looks - 1);
            }
            --waiting_;
            if (view && view->state == JobState::Held) {
                push(noticeOn(message, Disposition::Stored, {}, rules_, now()), [](const auto&) {});
            }
        }));
}

}  // namespace restante::sip
