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

constexpr std::string_view kAllowedForms =
    "write an RFC 3339 time with its zone, such as 2026-12-31T09:00:00Z, or seconds from now";

/// parseTimestamp() reads a time without a zone in our zone, which may not be the sender's.
bool hasZone(std::string_view text)
{
    if (text.ends_with('Z') || text.ends_with('z')) {
        return true;
    }
    constexpr std::size_t kOffsetLength = 6;  // "+01:00"
    const auto sign = text.size() > kOffsetLength ? text[text.size() - kOffsetLength] : ' ';
    return (sign == '+' || sign == '-') && text.find_first_of("Tt ") < text.size() - kOffsetLength;
}

Result<bool> isGranted(const redis::Reply& reply)
{
    const auto* word = reply.text();
    if (word == nullptr || (*word != "ok" && *word != "full")) {
        return failure(ErrorCode::Internal, "share: Redis answered something unexpected");
    }
    return *word == "ok";
}

std::string formatMs(TimePoint at)
{
    return std::to_string(toEpochMs(at));
}

/// Whether the store may take one for a repetition of the other. A job does not say the CSeq and
/// the From-tag by which it tells them apart (onceKeyOf()), but a repetition says the same.
bool maybeRepeats(const Job& one, const Job& other)
{
    return one.bizKey == other.bizKey && one.recipient == other.recipient &&
           one.contentType == other.contentType && one.body == other.body;
}

constexpr std::uint32_t kJobsPerPage = 1'000;
/// A reservation older than this was left by a daemon that crashed, or by a lost store.
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
                                            formatDuration(settings.scheduleHorizon)));
    TimePoint due{};
    if (isDigits(*text)) {
        const auto seconds = wholeSeconds(*text);  // nothing = beyond every horizon
        if (!seconds) {
            return tooFar;
        }
        due = now + *seconds;
    } else {
        const auto at = parseTimestamp(*text);
        if (!at || !hasZone(*text)) {
            return refused(fmt::format("cannot be read; {}", kAllowedForms));
        }
        due = *at;
    }
    if (due - now > settings.scheduleHorizon) {
        return tooFar;
    }
    return due > now ? std::optional{due} : std::nullopt;
}

void SenderQuotas::acquire(Reservation reservation, Done<bool> done)
{
    std::vector<std::string> arguments{
        keyOf(reservation.sender),
        formatMs(clock_.now()),
        std::move(reservation.id),
        std::to_string(reservation.limit),
        std::to_string(reservation.lifetime.count()),
        reservation.collectingSince ? formatMs(*reservation.collectingSince - kReservationTimeout)
                                    : std::string{}};
    std::ranges::move(reservation.pending, std::back_inserter(arguments));
    evaluate(connection_, "share", 1, std::move(arguments),
             [done = std::move(done)](const Result<redis::Reply>& reply) {
                 done(reply.and_then(&isGranted));
             });
}

void SenderQuotas::confirm(const std::string& sender, const std::string& id)
{
    const auto key = keyOf(sender);
    // Later than any look, of any daemon, that can have missed the message: see share.lua.
    const auto confirmed = formatMs(latestOf(clock_) + Millis{1} - kReservationTimeout);
    connection_.command({"ZADD", key, "XX", confirmed, id}, [](const Result<redis::Reply>&) {});
}

void SenderQuotas::release(const std::string& sender, const std::string& id)
{
    const auto key = keyOf(sender);
    connection_.command({"ZREM", key, id}, [](const Result<redis::Reply>&) {});
}

/// A message whose sender's quota is being checked.
struct ScheduledMessages::PendingMessage {
    PushOptions push;
    Done<PushOutcome> done;
    /// When collecting the sender's pending messages began; nothing before that.
    std::optional<TimePoint> collectingSince = {};
    std::vector<std::string> pending = {};  ///< ids of the sender's pending messages
    std::size_t otherCount = 0;             ///< of these, the messages that are not this one
    bool maybeRepetition = false;           ///< one of these may be this one
};

void ScheduledMessages::store(PushOptions push, Done<PushOutcome> done)
{
    push.placement = Placement::Lane;
    push.cameBySip = true;
    if (settings_.perSender == 0) {
        return parts_.queue.push(std::move(push), std::move(done));
    }
    push.job.findBySender = true;
    push.job.id = ids_.generate(shardOfMailbox(push.job.recipient, parts_.queue.settings().shards));
    const auto message =
        std::make_shared<PendingMessage>(PendingMessage{std::move(push), std::move(done)});
    acquireQuota(message);
}

/// How long the message may be pending: it may also wait in its mailbox once it is due.
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
    SenderQuotas::Reservation reservation;
    reservation.sender = message->push.job.sender;
    reservation.id = message->push.job.id;
    // A repetition gives its place back. What only looked like one keeps it, so that these have a
    // bound, too.
    reservation.limit = std::uint64_t{settings_.perSender} * (message->maybeRepetition ? 2U : 1U);
    reservation.lifetime = maxPendingTime(message->push);
    reservation.pending = std::move(message->pending);
    reservation.collectingSince = message->collectingSince;
    parts_.quotas.acquire(
        std::move(reservation),
        callbackGuard_.guard(onSuccess(message->done, [this, message](bool taken) {
            if (taken) {
                return push(message);
            }
            if (message->collectingSince) {
                return message->done(failure(
                    ErrorCode::Conflict, "the sender has as many scheduled messages as may be"));
            }
            collectPending(message, {});
        })));
}

/// Collects the sender's messages that are still pending: the quota also counts ended ones.
void ScheduledMessages::collectPending(const PendingPtr& message, const std::string& cursor)
{
    if (!message->collectingSince) {
        message->collectingSince = parts_.queue.clock().now();
    }
    parts_.inspector.indexed(
        {IndexQuery::Kind::Sender, message->push.job.sender, cursor, kJobsPerPage},
        callbackGuard_.guard(onSuccess(message->done, [this, message](const JobPage& page) {
            for (const auto& view : page.jobs) {
                if (!isLive(view.state)) {
                    continue;
                }
                message->pending.push_back(view.job.id);
                const bool isOther = !maybeRepeats(view.job, message->push.job);
                message->otherCount += isOther ? 1 : 0;
                message->maybeRepetition = message->maybeRepetition || !isOther;
            }
            if (!page.cursor.empty() && message->otherCount < settings_.perSender) {
                return collectPending(message, page.cursor);
            }
            acquireOrRefuse(message);
        })));
}

void ScheduledMessages::acquireOrRefuse(const PendingPtr& message)
{
    if (message->otherCount >= settings_.perSender) {
        return message->done(failure(ErrorCode::Conflict,
                                     "the sender has {} scheduled messages pending",
                                     message->otherCount));
    }
    acquireQuota(message);
}

void ScheduledMessages::push(const PendingPtr& message)
{
    const auto id = message->push.job.id;
    const auto sender = message->push.job.sender;
    parts_.queue.push(std::move(message->push),
                      [this, message, id, sender,
                       alive = callbackGuard_.watch()](const Result<PushOutcome>& stored) {
                          if (!alive.expired()) {
                              confirmOrReleaseQuota(sender, id, stored);
                          }
                          message->done(stored);
                      });
}

/// Confirms the reservation of a stored message, or releases it when it was not stored.
void ScheduledMessages::confirmOrReleaseQuota(const std::string& sender,
                                              const std::string& id,
                                              const Result<PushOutcome>& stored)
{
    if (stored && stored->id == id) {
        parts_.quotas.confirm(sender, id);
    } else if (stored || stored.error().code != ErrorCode::Unavailable) {
        parts_.quotas.release(sender, id);
    }
    // Otherwise it is unknown whether the message is stored.
}

}  // namespace restante::sip
