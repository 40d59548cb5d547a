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

/// The changing part of a job: its state, due time, attempts and position. *Value.*
struct JobStatus {
    /// "scheduled" stands for ready, too; empty: the store does not have the job any more.
    std::string state;
    /// Due time, next attempt (held), when its lease ends (leased), or when it ended; kNever = not
    /// by itself, or unknown.
    std::int64_t dueMs = 0;
    std::uint32_t dueOrder = 0;  ///< arrival among jobs due in the same ms, in 1/4096
    std::uint32_t attempts = 0;  ///< failed attempts
    std::uint64_t arrival = 0;   ///< number in its mailbox, 0 = in none
    std::string lastError;
    std::string origin;  ///< where restore puts it back (docs/redis-schema.md, `Korigin`)
    std::uint32_t attemptOffset = 0;  ///< how many of the attempts no longer count

    static constexpr std::int64_t kNever = -1;
};

/// A job in an event. Whether it has a status and a record depends on the transition.
struct JobInEvent {
    std::string id;
    std::optional<JobStatus> status;
    std::string record;     ///< empty = not in the event
    std::string note = {};  ///< what the worker reported about its attempt
};

/// One entry of an event stream. *Value.*
struct JournalEvent {
    StreamId streamId;
    std::string transition;
    std::int64_t atMs = 0;
    std::string from;  ///< state before, when the script writes it; of "limit", the limits before
    std::string to = {};  ///< state after, of jobs whose status the journal already has
    std::string actor;
    std::string reason;
    std::string worker;
    std::string bulkActionId = {};  ///< of an operator; empty = for one job
    std::string topic = {};         ///< of an event about a topic or an address, which has no jobs
    std::string limits = {};        ///< of "limit": "<concurrency> <jobs> <per ms>"
    std::int64_t sinceMs = 0;       ///< of "pause": since when the topic is paused
    /// Of "reschedule" by an operator: the due times before and after, 0 = none.
    std::int64_t dueWasMs = 0;
    std::int64_t dueIsMs = 0;
    /// Of "setting": a registration: the name of its hash, its fields and values (MessagePack), and
    /// when it ends, 0 = it has been removed.
    std::string key = {};
    std::string value = {};
    std::int64_t untilMs = 0;
    std::vector<JobInEvent> jobs;
};

/// The event in an entry's fields (name, value, name, value ...). Invalid when it cannot be read.
/// The event of an entry without ids ("listen") has no jobs. *Pure functions.*
Result<JournalEvent> parseEvent(StreamId streamId, const redis::Reply::Array& fields);

/// The status in a row of lib/job.lua: state, score, past attempts ("7", or "7 5" when five of them
/// no longer count), arrival number, next attempt of its mailbox, error, origin.
JobStatus statusOfRow(std::span<const std::string> row);
/// Sets the due time and order from a score.
void setDue(JobStatus& status, std::string_view score);
std::string scoreOf(const JobStatus& status);

/// Unpack texts, and lists of texts, from MessagePack as cmsgpack writes it.
Result<std::vector<std::string>> unpackTexts(std::string_view bytes);
Result<std::vector<std::vector<std::string>>> unpackRows(std::string_view bytes);

}  // namespace restante::journal
