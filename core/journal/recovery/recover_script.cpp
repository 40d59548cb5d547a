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

/// The longest lease of the messages of a mailbox by a delivery run.
constexpr Millis kMailboxLease{60'000};

/// When the lease of a leased job ends; none if its record cannot be read. A touch is recorded with
/// the new end; after a mere claim the row still has the due time, which for a message may be later
/// than the claim.
std::optional<std::int64_t> leaseEndOf(const MessageRow& message)
{
    const auto job = redis::decodeRecord(message.id, message.record);
    if (!job) {
        return std::nullopt;
    }
    const auto claimEndMs = message.updatedMs + job->ttr.count();
    const auto recordedMs = message.status.dueMs;
    if (message.status.arrival == 0) {
        return recordedMs > message.updatedMs ? recordedMs : claimEndMs;
    }
    const bool isEnd = recordedMs <= message.updatedMs + kMailboxLease.count();
    return isEnd ? std::max(claimEndMs, recordedMs) : claimEndMs;
}

/// The status of a job as the arguments of the scripts.
struct StatusArguments {
    std::string state;
    std::string score;
    std::string failedAttempts;
    std::string attemptOffset;
    std::string arrival;
    std::string nextAttempt;  ///< of the mailbox
    std::string_view
        isRecorded;  ///< "1": the journal has this status already; "": the script records it
};

StatusArguments statusArguments(const MessageRow& message, const RecoverOptions& options)
{
    auto status = message.status;
    const bool wasLeased = status.state == "leased";
    std::optional<std::int64_t> leaseEndMs;
    if (wasLeased) {
        const auto end = options.now ? leaseEndOf(message) : std::nullopt;
        leaseEndMs = end && *end > toEpochMs(*options.now) ? end : std::nullopt;
    }
    if (wasLeased && !leaseEndMs) {
        status.state = status.arrival > 0 ? "held" : "scheduled";
        ++status.attempts;
    }
    if ((status.state == "done" && !options.keepsDone) || status.state == "cold") {
        status.state = "gone";  // cold jobs are in another table
    }
    const bool isHeld = status.state == "held";
    const auto score = scoreOf(status);
    StatusArguments arguments;
    arguments.state = status.state;
    arguments.score = isHeld || status.state == "gone" ? std::string() : score;
    arguments.failedAttempts = std::to_string(status.attempts);
    arguments.attemptOffset = std::to_string(status.attemptOffset);
    arguments.arrival = status.arrival > 0 ? std::to_string(status.arrival) : std::string();
    arguments.nextAttempt = isHeld ? score : std::string();
    arguments.isRecorded = wasLeased ? "" : "1";
    if (status.state == "done") {
        // The end of a job is recorded without a row: the due time is that of its last attempt, or
        // none.
        arguments.score = std::to_string(message.updatedMs);
    }
    if (leaseEndMs) {
        // Until then, claims of the mailbox would find nothing.
        arguments.score = std::to_string(*leaseEndMs);
        arguments.nextAttempt = status.arrival > 0 ? arguments.score : std::string();
    }
    return arguments;
}

}  // namespace

void restoreJob(redis::ScriptQueue& scripts,
                RecoverScript script,
                const MessageRow& message,
                const RecoverOptions& options,
                redis::ScriptQueue::Answer answer)
{
    const auto status = statusArguments(message, options);
    std::vector<std::string_view> arguments{message.id,
                                            status.state,
                                            status.score,
                                            status.failedAttempts,
                                            status.attemptOffset,
                                            status.arrival,
                                            status.nextAttempt,
                                            message.status.lastError,
                                            message.status.origin,
                                            options.highestArrival,
                                            message.record};
    const bool isRecovery = script == RecoverScript::Recover;
    if (isRecovery) {
        arguments.insert(arguments.end(), {status.isRecorded, options.actor, options.reason});
    }
    scripts.add(redis::script(isRecovery ? "recover" : "replay"), message.id, std::span(arguments),
                std::move(answer));
}

std::string statusOf(const redis::Reply& reply)
{
    return reply.text() != nullptr ? *reply.text() : std::string();
}

void countOutcome(RecoverOutcome& outcome, std::string_view id, const redis::Reply& reply)
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
