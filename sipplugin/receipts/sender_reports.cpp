#include "sipplugin/receipts/sender_reports.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/message/cpim.h"
#include "sipplugin/message/fingerprint.h"
#include "sipplugin/message/sip_message_codec.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante::sip {

namespace {

/// A repetition comes after a crash or while the store is away; both are over by then.
constexpr std::chrono::hours kOnceFor{24};
/// As of the messages that MessageReceiver stores.
constexpr std::chrono::seconds kClaimLease{10};

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

bool receiptIsOn(Disposition what, const ReceiptSettings& settings)
{
    switch (what) {
    case Disposition::Stored: return settings.stored;
    case Disposition::Delivered: return settings.delivered;
    case Disposition::Failed: break;
    }
    return settings.failed;
}

bool noticeIsOn(Disposition what, const ReceiptSettings& settings)
{
    return (what == Disposition::Stored && settings.noticeStored) ||
           (what == Disposition::Failed && settings.noticeFailed);
}

/// RFC 3834: whoever answers a machine may get an answer back.
bool isAutomatic(const Job& job)
{
    const auto* submitted = headerOf(job, kAutoSubmitted);
    return submitted != nullptr && !equalIgnoringCase(*submitted, "no");
}

/// The last server that wants to see it, when it is ours, else who sent the message.
std::string receiverOf(const Job& message, const ReceiptRequest& asked, const ReportRules& rules)
{
    if (!asked.recordRoute.empty()) {
        const auto address = parseNameAddr(asked.recordRoute.front());
        const auto aor = address ? canonicalAor(address->uri) : failure(ErrorCode::Invalid, "");
        if (aor && rules.isOurs(*aor)) {
            return *aor;
        }
    }
    return message.sender;
}

PushOrder orderTo(std::string receiver, const ReportRules& rules, TimePoint now)
{
    PushOrder order;
    order.job.topic = kSipTopic;
    order.job.channel = Channel::Sip;
    order.job.recipient = std::move(receiver);
    order.job.created = now;
    order.job.expires = now + rules.lifetime;
    order.job.ttr = kClaimLease;
    order.placement = Placement::Mailbox;
    order.delay = rules.firstFallBack;
    order.mailboxLimit = rules.mailboxLimit;
    order.mailboxBytes = rules.mailboxBytes;
    order.makeRoom = rules.makeRoom;
    return order;
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
    rules.lifetime = settings.mailbox.keep;
    rules.firstFallBack = firstFallBack(settings.retry);
    rules.mailboxLimit = settings.mailbox.maxMessages;
    rules.mailboxBytes = settings.mailbox.maxBytes;
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

bool mayBeReported(const Job& message, Disposition what, const ReceiptSettings& settings)
{
    return message.channel == Channel::Sip &&
           ((receiptIsOn(what, settings) && isCpim(message)) || noticeIsOn(what, settings));
}

std::optional<PushOrder>
receiptOn(const Job& message, Disposition what, const ReportRules& rules, TimePoint now)
{
    if (!receiptIsOn(what, rules.settings) || !isCpim(message) || !mayBeAnswered(message, rules)) {
        return {};
    }
    const auto asked = receiptRequestOf(message.contentType, message.body);
    if (!asked || !asked->asksFor(what)) {
        return {};
    }
    auto order = orderTo(receiverOf(message, *asked, rules), rules, now);
    const auto print = fingerprint({"receipt", message.id, name(what)});
    order.onceKey = std::string{print.bytes()};
    order.onceFor = kOnceFor;
    order.job.sender = message.recipient;
    order.job.contentType = kCpimType;
    order.job.body = printReceipt(
        *asked, {what, print.hex(), message.created, now, message.sender, message.recipient});
    return order;
}

std::optional<PushOrder> noticeOn(const Job& message,
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
    auto order = orderTo(message.sender, rules, now);
    const auto print = fingerprint({"notice", message.sender, message.recipient, name(what)});
    order.onceKey = std::string{print.bytes()};
    order.onceFor = settings.noticeInterval;
    order.job.sender = settings.noticeFrom.empty() ? message.recipient : settings.noticeFrom;
    order.job.contentType = "text/plain;charset=UTF-8";
    order.job.headers.emplace_back(kAutoSubmitted, "auto-replied");
    order.job.body = filled(what == Disposition::Stored ? settings.storedText : settings.failedText,
                            message.recipient, reason);
    return order;
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
    if (!rules_.settings.delivered) {
        return done({});
    }
    parts_.inspector.show(
        id, lifetime_.guard([this, done = std::move(done)](const Result<JobView>& view) {
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

void SenderReports::push(std::optional<PushOrder> order, Done<void> done)
{
    if (!order) {
        return done({});
    }
    const auto receiver = order->job.recipient;
    parts_.queue.push(std::move(*order), lifetime_.guard([this, receiver, done = std::move(done)](
                                                             const Result<PushOutcome>& pushed) {
        // Of a full store the way out is a finished message; a receipt is worth less.
        const bool full = !pushed && pushed.error().code == ErrorCode::Full;
        if (!pushed && !full && isTemporary(pushed.error().code)) {
            return done(tl::unexpected(pushed.error()));
        }
        if (pushed) {
            stored_(receiver);
        } else if (const auto count = complaints_.occurred(); count > 0) {
            log::warning("sip", "{} reports to senders were not stored, the last to {}: {}", count,
                         receiver, pushed.error().message);
        }
        done({});
    }));
}

void SenderReports::noticeLater(Job message, int looks)
{
    parts_.loop.armTimer(kNoticeAfter, lifetime_.guard([this, message = std::move(message), looks] {
        noticeIfHeld(message, looks);
    }));
}

void SenderReports::noticeIfHeld(const Job& message, int looks)
{
    parts_.inspector.show(
        message.id, lifetime_.guard([this, message, looks](const Result<JobView>& view) {
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
