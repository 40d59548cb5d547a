#include "sipplugin/inbound/scheduled_messages.h"

#include "core/base/async_task.h"
#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "sipplugin/lua/script.h"
#include "sipplugin/message/sip_date.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace restante::sip {

namespace {

constexpr std::string_view kAllowed =
    "write an RFC 3339 time with its zone, such as 2026-12-31T09:00:00Z, or seconds from now";

/// parseTimestamp() takes a time without a zone for ours, which is hardly the sender's.
bool namesAZone(std::string_view text)
{
    if (text.ends_with('Z') || text.ends_with('z')) {
        return true;
    }
    constexpr std::size_t kOffset = 6;  // "+01:00"
    const auto sign = text.size() > kOffset ? text[text.size() - kOffset] : ' ';
    return (sign == '+' || sign == '-') && text.find_first_of("Tt ") < text.size() - kOffset;
}

Result<bool> verdictOf(const redis::Reply& reply)
{
    const auto* word = reply.text();
    if (word == nullptr || (*word != "ok" && *word != "full")) {
        return failure(ErrorCode::Internal, "share: Redis answered something unexpected");
    }
    return *word == "ok";
}

std::string printMs(TimePoint at)
{
    return std::to_string(toEpochMs(at));
}

/// Jobs looked at in one call.
constexpr std::uint32_t kPage = 1'000;
/// A place taken longer ago is that of a daemon that crashed, or of a lost store.
constexpr std::chrono::seconds kReservationTimeout{60};

}  // namespace

Result<std::optional<TimePoint>>
requestedDeliveryTime(const ReceivedRequest& request, TimePoint now, const Config::Sip& settings)
{
    const auto text =
        settings.scheduleHeader.empty() ? std::nullopt : request.header(settings.scheduleHeader);
    if (!text) {
        return std::optional<TimePoint>{};
    }
    const auto refused = [&](std::string_view why) {
        return invalid("{} {}", settings.scheduleHeader, why);
    };
    if (request.count(settings.scheduleHeader) > 1) {
        return refused("is there twice");
    }
    const auto tooFar = refused(fmt::format("is further ahead than {} (sip.schedule_horizon)",
                                            printDuration(settings.scheduleHorizon)));
    TimePoint due{};
    if (isDigits(*text)) {
        const auto seconds = wholeSeconds(*text);  // none: beyond every horizon
        if (!seconds) {
            return tooFar;
        }
        due = now + *seconds;
    } else {
        const auto at = parseTimestamp(*text);
        if (!at || !namesAZone(*text)) {
            return refused(fmt::format("cannot be read; {}", kAllowed));
        }
        due = *at;
    }
    if (due - now > settings.scheduleHorizon) {
        return tooFar;
    }
    return due > now ? std::optional{due} : std::nullopt;
}

void SenderQuotas::acquire(Reservation claim, Done<bool> done)
{
    std::vector<std::string> arguments{keyOf(claim.sender),
                                       printMs(clock_.now()),
                                       std::move(claim.id),
                                       std::to_string(claim.most),
                                       std::to_string(claim.keep.count()),
                                       claim.before ? printMs(*claim.before) : std::string{}};
    std::ranges::move(claim.pending, std::back_inserter(arguments));
    evaluate(connection_, "share", 1, std::move(arguments),
             [done = std::move(done)](const Result<redis::Reply>& reply) {
                 done(reply.and_then(&verdictOf));
             });
}

void SenderQuotas::stored(const std::string& sender, const std::string& id)
{
    const auto key = keyOf(sender);
    connection_.command({"ZADD", key, "XX", "0", id}, [](const Result<redis::Reply>&) {});
}

void SenderQuotas::release(const std::string& sender, const std::string& id)
{
    const auto key = keyOf(sender);
    connection_.command({"ZREM", key, id}, [](const Result<redis::Reply>&) {});
}

/// A message of a sender who may have no more than so many scheduled.
struct ScheduledMessages::PendingMessage {
    PushOptions push;
    Done<PushOutcome> done;
    /// Set once the sender's messages have been looked at, to when that began.
    std::optional<TimePoint> looked = {};
    std::vector<std::string> pending = {};  ///< their ids
    std::size_t others = 0;                 ///< of these, those that are no repetition of this one
};

void ScheduledMessages::store(PushOptions push, Done<PushOutcome> done)
{
    push.placement = Placement::Lane;
    push.forwarded = true;
    if (settings_.perSender == 0) {
        return parts_.queue.push(std::move(push), std::move(done));
    }
    push.job.findBySender = true;
    push.job.id = ids_.generate(shardOfMailbox(push.job.recipient, parts_.queue.settings().shards));
    const auto message =
        std::make_shared<PendingMessage>(PendingMessage{std::move(push), std::move(done)});
    acquireQuota(message);
}

/// It may wait in its mailbox, too, once its time has come.
Millis ScheduledMessages::maxPendingTime(const PushOptions& push) const
{
    const auto now = parts_.queue.clock().now();
    auto end = std::max(push.at.value_or(now), now) + settings_.lifetime;
    if (push.job.expires) {
        end = std::max(end, *push.job.expires);
    }
    return std::chrono::ceil<Millis>(end - now);
}

void ScheduledMessages::acquireQuota(const PendingPtr& message)
{
    SenderQuotas::Reservation place;
    place.sender = message->push.job.sender;
    place.id = message->push.job.id;
    place.most = settings_.perSender;
    place.keep = maxPendingTime(message->push);
    place.pending = std::move(message->pending);
    if (message->looked) {
        place.before = *message->looked - kReservationTimeout;
    }
    parts_.quotas.acquire(
        std::move(place),
        callbackGuard_.guard(onSuccess(message->done, [this, message](bool taken) {
            if (taken) {
                return push(message, Place::Taken);
            }
            if (message->looked) {
                return message->done(failure(
                    ErrorCode::Conflict, "the sender has as many scheduled messages as may be"));
            }
            countPending(message, {});
        })));
}

/// Which of the sender's messages are still pending: the places know those that have ended, too.
void ScheduledMessages::countPending(const PendingPtr& message, const std::string& cursor)
{
    if (!message->looked) {
        message->looked = parts_.queue.clock().now();
    }
    parts_.inspector.indexed(
        {IndexQuery::Kind::Sender, message->push.job.sender, cursor, kPage},
        callbackGuard_.guard(onSuccess(message->done, [this, message](const JobPage& page) {
            const auto& job = message->push.job;
            for (const auto& view : page.jobs) {
                if (!isLive(view.state)) {
                    continue;
                }
                message->pending.push_back(view.job.id);
                // The store answers a repetition as the first.
                const bool isOther =
                    view.job.bizKey != job.bizKey || view.job.recipient != job.recipient;
                message->others += isOther ? 1 : 0;
            }
            if (!page.cursor.empty() && message->others < settings_.perSender) {
                return countPending(message, page.cursor);
            }
            decide(message);
        })));
}

void ScheduledMessages::decide(const PendingPtr& message)
{
    if (message->others >= settings_.perSender) {
        return message->done(failure(
            ErrorCode::Conflict, "the sender has {} scheduled messages pending", message->others));
    }
    const bool isRepetition = message->pending.size() > message->others;
    isRepetition ? push(message, Place::None) : acquireQuota(message);
}

void ScheduledMessages::push(const PendingPtr& message, Place place)
{
    const auto id = message->push.job.id;
    const auto sender = message->push.job.sender;
    parts_.queue.push(std::move(message->push),
                      [this, message, place, id, sender,
                       alive = callbackGuard_.watch()](const Result<PushOutcome>& stored) {
                          if (place == Place::Taken && !alive.expired()) {
                              confirmOrReleaseQuota(sender, id, stored);
                          }
                          message->done(stored);
                      });
}

/// What has become of the message that has taken a place.
void ScheduledMessages::confirmOrReleaseQuota(const std::string& sender,
                                              const std::string& id,
                                              const Result<PushOutcome>& stored)
{
    if (stored && stored->id == id) {
        parts_.quotas.stored(sender, id);
    } else if (stored || stored.error().code != ErrorCode::Unavailable) {
        parts_.quotas.release(sender, id);
    }
    // Else nobody knows whether it is stored.
}

}  // namespace restante::sip
