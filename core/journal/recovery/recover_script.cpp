#include "core/journal/recovery/recover_script.h"

#include "core/base/log.h"
#include "core/redis/store/job_codec.h"
#include "core/redis/store/script.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

/// No delivery run touches the messages of a mailbox for longer.
constexpr Millis kMailboxLease{60'000};

/// When the lease of a leased job ends; none if its record cannot be read. A touch is recorded with
/// the end; of what was only claimed the row still says when it was due, which for a message may be
/// later than its claim.
std::optional<std::int64_t> leaseEndOf(const StoredMessage& message)
{
    const auto job = redis::decodeRecord(message.id, message.record);
    if (!job) {
        return std::nullopt;
    }
    const auto claimed = message.updatedMs + job->ttr.count();
    const auto told = message.place.dueMs;
    if (message.place.arrival == 0) {
        return told > message.updatedMs ? told : claimed;
    }
    const bool isEnd = told <= message.updatedMs + kMailboxLease.count();
    return isEnd ? std::max(claimed, told) : claimed;
}

/// Where a job stands in the journal, in the words of the scripts.
struct Place {
    std::string state;
    std::string score;
    std::string failedAttempts;
    std::string attemptOffset;
    std::string arrival;
    std::string next;
    std::string_view known;  ///< "1": the journal has it just so; "": it is told of it
};

Place placeIn(const StoredMessage& message, const RecoverOptions& options)
{
    auto place = message.place;
    const bool wasLeased = place.state == "leased";
    std::optional<std::int64_t> leased;
    if (wasLeased) {
        const auto end = options.now ? leaseEndOf(message) : std::nullopt;
        leased = end && *end > toEpochMs(*options.now) ? end : std::nullopt;
    }
    if (wasLeased && !leased) {
        place.state = place.arrival > 0 ? "held" : "scheduled";
        ++place.attempts;
    }
    if ((place.state == "done" && !options.keepsDone) || place.state == "cold") {
        place.state = "gone";  // what is cold is in another table
    }
    const bool held = place.state == "held";
    const auto score = scoreOf(place);
    Place told;
    told.state = place.state;
    told.score = held || place.state == "gone" ? std::string() : score;
    told.failedAttempts = std::to_string(place.attempts);
    told.attemptOffset = std::to_string(place.attemptOffset);
    told.arrival = place.arrival > 0 ? std::to_string(place.arrival) : std::string();
    told.next = held ? score : std::string();
    told.known = wasLeased ? "" : "1";
    if (leased) {
        // Until then nobody asks the mailbox in vain.
        told.score = std::to_string(*leased);
        told.next = place.arrival > 0 ? told.score : std::string();
    }
    return told;
}

}  // namespace

void bringBack(redis::ScriptQueue& scripts,
               RecoverScript script,
               const StoredMessage& message,
               const RecoverOptions& options,
               redis::ScriptQueue::Answer answer)
{
    const auto place = placeIn(message, options);
    std::vector<std::string_view> arguments{
        message.id,           place.state,    place.score,   place.failedAttempts,
        place.attemptOffset,  place.arrival,  place.next,    message.place.lastError,
        message.place.origin, options.newest, message.record};
    const bool recovers = script == RecoverScript::Recover;
    if (recovers) {
        arguments.insert(arguments.end(), {place.known, options.actor, options.reason});
    }
    scripts.add(redis::script(recovers ? "recover" : "replay"), message.id, std::span(arguments),
                std::move(answer));
}

std::string statusOf(const redis::Reply& reply)
{
    return reply.text() != nullptr ? *reply.text() : std::string();
}

void count(RecoverOutcome& outcome, std::string_view id, const redis::Reply& reply)
{
    const auto status = statusOf(reply);
    if (status == "ok") {
        ++outcome.recovered;
    } else if (status == "there") {
        ++outcome.alreadyThere;
    } else {
        ++outcome.unreadable;
        log::error("journal", "job {} cannot be brought back: {}", id, status);
    }
}

}  // namespace restante::journal
