#pragma once

#include "core/base/result.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/stream_id.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace restante::journal {

using redis::StreamId;

/// Where a job is and what has happened to it: all that changes about a job. *Value.*
struct JobPlace {
    /// "scheduled" stands for ready, too; empty: the store has forgotten the job.
    std::string state;
    std::int64_t dueMs = 0;      ///< due, next attempt (held; kNever), or when it ended
    std::uint32_t dueOrder = 0;  ///< arrival among jobs due in the same ms, in 1/4096
    std::uint32_t attempts = 0;  ///< that are over
    std::uint64_t arrival = 0;   ///< number in its mailbox, 0 = in none
    std::string lastError;
    std::string origin;  ///< where restore puts it back (docs/redis-schema.md, `Korigin`)
    std::uint32_t attemptOffset = 0;  ///< of the attempts, those that count no longer

    static constexpr std::int64_t kNever = -1;
};

/// A job in an event. Which of the two are there depends on the transition.
struct JobInEvent {
    std::string id;
    std::optional<JobPlace> place;
    std::string record;     ///< empty = not told
    std::string note = {};  ///< what the worker told of its attempt
};

/// One entry of an event stream. *Value.*
struct JournalEvent {
    StreamId streamId;
    std::string transition;
    std::int64_t atMs = 0;
    std::string from;     ///< state before, when the script says it; of "limit" the limits before
    std::string to = {};  ///< and after, of jobs that are just as the journal has them
    std::string actor;
    std::string reason;
    std::string worker;
    std::string order = {};    ///< an operator's order for many jobs; empty = it was for one
    std::string topic = {};    ///< of an event about a topic, or an address, which has no jobs
    std::string limits = {};   ///< and of "limit": "<concurrency> <jobs> <per ms>"
    std::int64_t sinceMs = 0;  ///< and of "pause": since when it is
    /// Of "reschedule" by an operator: when the job was due before, 0 = at no time, and is since.
    std::int64_t dueWasMs = 0;
    std::int64_t dueIsMs = 0;
    /// Of "setting": a registration, by the name of its hash; its fields and values (MessagePack),
    /// and until when it lives, 0 = it is gone.
    std::string key = {};
    std::string value = {};
    std::int64_t untilMs = 0;
    std::vector<JobInEvent> jobs;
};

/// The event in an entry's fields (name, value, name, value ...). Refuses as Invalid what it does
/// not understand. An entry without jobs ("listen") has none. *Pure functions.*
Result<JournalEvent> parseEvent(StreamId at, const redis::Reply::Array& fields);

/// The place that a row of lib/job.lua tells: state, score, past attempts ("7", or "7 5" when five
/// of them count no longer), arrival number, next
/// attempt of its mailbox, error, origin.
JobPlace placeOf(std::span<const std::string> row);
/// A score as due time and order.
void setDue(JobPlace& place, std::string_view score);
std::string scoreOf(const JobPlace& place);

/// Texts, and lists of texts, in MessagePack, as cmsgpack writes them.
Result<std::vector<std::string>> unpackTexts(std::string_view bytes);
Result<std::vector<std::vector<std::string>>> unpackRows(std::string_view bytes);

}  // namespace restante::journal
