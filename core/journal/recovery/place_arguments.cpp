#include "core/journal/recovery/place_arguments.h"

#include "core/redis/store/job_codec.h"

#include <algorithm>
#include <cstdint>

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

}  // namespace

PlaceArguments
placeArguments(const StoredMessage& message, bool keepsDone, std::optional<TimePoint> now)
{
    auto place = message.place;
    const bool known = place.state != "leased";
    std::optional<std::int64_t> leased;
    if (place.state == "leased") {
        const auto end = now ? leaseEndOf(message) : std::nullopt;
        leased = end && *end > toEpochMs(*now) ? end : std::nullopt;
    }
    if (place.state == "leased" && !leased) {
        place.state = place.arrival > 0 ? "held" : "scheduled";
        ++place.attempts;
    }
    if (place.state == "done" && !keepsDone) {
        place.state = "gone";
    }
    const bool held = place.state == "held";
    const auto score = scoreOf(place);
    PlaceArguments arguments;
    arguments.state = place.state;
    arguments.score = held || place.state == "gone" ? std::string() : score;
    arguments.past = std::to_string(place.attempts);
    arguments.forgotten = std::to_string(place.forgotten);
    arguments.arrival = place.arrival > 0 ? std::to_string(place.arrival) : std::string();
    arguments.next = held ? score : std::string();
    arguments.lastError = place.lastError;
    arguments.origin = place.origin;
    arguments.known = known ? "1" : "";
    if (leased) {
        // Until then nobody asks the mailbox in vain.
        arguments.score = std::to_string(*leased);
        arguments.next = place.arrival > 0 ? arguments.score : std::string();
    }
    return arguments;
}

}  // namespace restante::journal
