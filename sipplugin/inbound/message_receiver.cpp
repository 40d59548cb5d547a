#include "sipplugin/inbound/message_receiver.h"

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <unordered_map>

namespace restante::sip {

namespace {

/// With more senders than this, those with a full bucket are removed.
constexpr std::size_t kManySenders = 10'000;
/// After this time without a message a bucket is full again and need not be kept.
constexpr std::chrono::seconds kRefillTime{1};

/// How long a resent request is recognised, also by another daemon or after a restart.
constexpr std::chrono::hours kOnceFor{24};

}  // namespace

class SenderRateLimiter::Shared {
public:
    struct Bucket {
        double tokens = 0;
        TimePoint filledAt{};
    };

    std::mutex mutex;
    TimePoint lastSweep{};  ///< guarded by `mutex`, as `buckets` are
    std::unordered_map<std::string, Bucket> buckets;
};

SenderRateLimiter::SenderRateLimiter(const Clock& clock,
                                     std::uint32_t perSecond,
                                     std::shared_ptr<Shared> shared)
    : clock_(clock),
      perSecond_(perSecond),
      shared_(shared ? std::move(shared) : makeShared())
{
}

std::shared_ptr<SenderRateLimiter::Shared> SenderRateLimiter::makeShared()
{
    return std::make_shared<Shared>();
}

bool SenderRateLimiter::tryAcquire(const std::string& sender)
{
    if (perSecond_ == 0) {
        return true;
    }
    const auto now = clock_.now();
    const std::lock_guard lock(shared_->mutex);
    // Once a second at most: many senders who are not silent would be looked at for each message.
    if (shared_->buckets.size() > kManySenders && now - shared_->lastSweep >= kRefillTime) {
        shared_->lastSweep = now;
        std::erase_if(shared_->buckets,
                      [&](const auto& entry) { return entry.second.filledAt < now - kRefillTime; });
    }
    const auto [found, isNew] =
        shared_->buckets.try_emplace(sender, Shared::Bucket{perSecond_, now});
    auto& bucket = found->second;
    const std::chrono::duration<double> passed = now - bucket.filledAt;
    bucket.tokens = std::min(perSecond_, bucket.tokens + passed.count() * perSecond_);
    bucket.filledAt = now;
    if (bucket.tokens < 1) {
        return false;
    }
    bucket.tokens -= 1;
    return true;
}

MessageReceiver::MessageReceiver(Parts parts, SipSettings settings)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      codecSettings_{settings_.mailbox.keep, settings_.headers, true, settings_.headersDropped},
      rateLimiter_(parts_.queue.clock(), settings_.limits.perSender, parts_.sharedSenderRates),
      logLimiter_(parts_.queue.clock())
{
    // That header is meant for us, not for the recipient.
    std::erase_if(codecSettings_.extraHeaders, [this](const std::string& name) {
        return equalIgnoringCase(name, settings_.scheduleHeader);
    });
}

void MessageReceiver::handle(const ReceivedRequest& request, Respond done)
{
    if (request.body.size() > settings_.maxBody) {
        return done(refusal(413, "Request Entity Too Large",
                            fmt::format("the body is over {} bytes", settings_.maxBody)));
    }
    if (parts_.loopDetector != nullptr ? parts_.loopDetector->isOwnDelivery(request)
                                       : request.header(kJobHeader).has_value()) {
        return done(refusal(480, "Temporarily Unavailable", "this is our own delivery come back"));
    }
    const auto now = parts_.queue.clock().now();
    auto job = jobOf(request, now, codecSettings_);
    if (!job) {
        return done(refusal(400, "Bad Request", job.error().message));
    }
    if (!rateLimiter_.tryAcquire(job->sender)) {
        auto answer = refusal(480, "Too Many Messages", "the sender's rate is over the limit");
        answer.headers.emplace_back("Retry-After", "1");
        return done(std::move(answer));
    }
    if (parts_.scheduled != nullptr) {
        const auto due = requestedDeliveryTime(request, latestOf(parts_.queue.clock()), settings_);
        if (!due) {
            return done(answerTo(due.error()));
        }
        if (*due) {
            return schedule(request, std::move(*job), **due, std::move(done));
        }
    }
    if (isTransient(request)) {
        return parts_.forwarder.forward(std::move(*job), std::move(done));
    }
    if (job->expires <= now) {
        return done(refusal(480, "Message Expired", "the message had expired before it arrived"));
    }
    // Only senders over a connection are limited per flow.
    const bool isLimitedPerFlow =
        parts_.deferredResponses != nullptr && request.transport != Transport::Udp;
    store(pushOf(request, std::move(*job)), isLimitedPerFlow ? request.flow : std::string{},
          std::move(done));
}

PushOptions MessageReceiver::pushOf(const ReceivedRequest& request, Job job) const
{
    auto push = mailboxPush(std::move(job), settings_);
    push.onceKey = onceKeyOf(request, push.job.recipient);
    push.onceFor = kOnceFor;
    push.heldLimit = settings_.limits.totalMessages;
    push.heldBytes = settings_.heldBytes;
    return push;
}

/// Refuses at once what could not be delivered at that time.
void MessageReceiver::schedule(const ReceivedRequest& request, Job job, TimePoint due, Respond done)
{
    if (isTransient(request)) {
        return done(refusal(400, "Bad Request",
                            settings_.scheduleHeader + " is not for a message that is not kept"));
    }
    if (!request.header("Expires")) {
        job.expires = due + settings_.mailbox.keep;
    }
    if (job.expires <= due) {
        return done(
            refusal(400, "Bad Request", "the message expires before " + settings_.scheduleHeader));
    }
    const auto recipient = job.recipient;
    auto push = pushOf(request, std::move(job));
    push.at = due;
    parts_.scheduled->store(
        std::move(push), callbackGuard_.guard([this, recipient, done = std::move(done)](
                                                  const Result<PushOutcome>& stored) {
            if (stored) {
                log::debug("sip", "message {} for {} is scheduled", stored->id, recipient);
                return done({202, "Accepted", {}});
            }
            if (stored.error().code == ErrorCode::Conflict) {
                return done(refusal(480, "Too Many Scheduled Messages", stored.error().message));
            }
            logFailure(recipient, stored.error());
            done(answerTo(stored.error()));
        }));
}

void MessageReceiver::logFailure(const std::string& recipient, const Error& error)
{
    // A full mailbox and wrong input concern the peer, which gets the answer.
    if (error.code == ErrorCode::MailboxFull || error.code == ErrorCode::Invalid) {
        return log::debug("sip", "a message for {} was refused: {}", recipient, error.message);
    }
    if (const auto count = logLimiter_.countToLog(); count > 0) {
        log::warning("sip", "{} messages were not stored and answered 503, the last for {}: {}",
                     count, recipient, error.message);
    }
}

void MessageReceiver::store(PushOptions push, const std::string& flow, Respond done)
{
    const auto recipient = push.job.recipient;
    const bool needsReport =
        parts_.reports != nullptr && parts_.reports->concerns(push.job, Disposition::Stored);
    auto jobToReport = needsReport ? std::optional{push.job} : std::nullopt;
    parts_.queue.push(
        std::move(push),
        callbackGuard_.guard([this, recipient, flow, jobToReport = std::move(jobToReport),
                              done = std::move(done)](Result<PushOutcome> outcome) mutable {
            if (!outcome) {
                logFailure(recipient, outcome.error());
                return done(answerTo(outcome.error()));
            }
            log::debug("sip", "message {} for {} is stored", outcome->id, recipient);
            if (parts_.deferredResponses == nullptr) {
                parts_.onStored(recipient);
                return accept(std::move(jobToReport), outcome->id, std::move(done));
            }
            const DeferredResponses::AnswerHandler onAnswer = callbackGuard_.guard(
                [this, jobToReport = std::move(jobToReport), id = outcome->id,
                 done = std::move(done)](const std::optional<SipAnswer>& answer) {
                    answer ? done(*answer) : accept(jobToReport, id, done);
                });
            const bool isDeferred = deferResponse(*outcome, recipient, {flow, onAnswer});
            parts_.onStored(recipient);
            if (!isDeferred) {
                onAnswer(std::nullopt);
            }
        }));
}

/// True when the sender now waits for the device's answer. A repetition waits only if the first
/// request still does.
bool MessageReceiver::deferResponse(const PushOutcome& outcome,
                                    const std::string& recipient,
                                    const DeferredResponses::Sender& sender)
{
    const bool mayWait = outcome.status == PushStatus::Stored
                             ? parts_.isTriedSoon && parts_.isTriedSoon(recipient)
                             : parts_.deferredResponses->isAwaited(outcome.id);
    return mayWait && parts_.deferredResponses->addWaiting(outcome.id, recipient, sender);
}

void MessageReceiver::accept(std::optional<Job> jobToReport, const std::string& id, Respond done)
{
    if (!jobToReport) {
        return done({202, "Accepted", {}});
    }
    // 202 only when the receipt is stored; otherwise the sender repeats the request and gets both.
    jobToReport->id = id;
    parts_.reports->reportStored(
        std::move(*jobToReport), [done = std::move(done)](const Result<void>& told) {
            done(told ? SipAnswer{202, "Accepted", {}} : answerTo(told.error()));
        });
}

}  // namespace restante::sip
