#pragma once

#include "core/base/event_loop.h"
#include "core/base/interface.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace restante {

/// One transition of one job as the journal has it. *Value.*
struct HistoryRow {
    TimePoint at{};
    std::string transition;  ///< "claim": the words of docs/job-lifecycle.md
    std::string from;        ///< state before, empty = did not exist
    std::string to;          ///< state after, empty = forgotten
    std::string worker;      ///< "host/pid" of the process that did it
    std::string actor;       ///< the operator, if a person did it
    std::string reason;
    std::string note;  ///< the worker's description of its attempt: Lease::note
    std::uint32_t shard = 0;
    bool toIsKnown = true;  ///< false: who told of it does not know the state after; `to` is empty
    bool noteIsKnown = true;  ///< false: nobody has kept what the worker described; `note` is empty
};

/// The transitions of a job that the journal has, whether or not the job still exists. *Any
/// thread*: `done` runs on `loop`, later.
class JobHistory : public Interface {
public:
    /// Oldest first, at most the newest 1,000. NotFound when the journal knows no such job,
    /// Unavailable when the journal cannot be asked.
    virtual void history(EventLoop& loop, std::string id, Done<std::vector<HistoryRow>> done) = 0;
    /// Requests from `loop` are not answered any more; call it before the loop ends.
    virtual void dropRequestsOf(EventLoop& loop) { static_cast<void>(loop); }
};

/// An operator's action on a job, a topic or a person, as the journal has it. *Value.*
struct AuditEntry {
    TimePoint at{};
    std::string actor;
    std::string verb;  ///< the transition's word, "run_now"; of a topic "pause", "resume", "limit";
                       ///< of a person "trace", "untrace"
    std::string id;    ///< of the job, empty = it was about a topic or a person
    /// The topic, that of the job if the journal still knows it, or the address of the person.
    std::string topic;
    /// State before; of "limit" the limits before, as in `to`, or empty if they are unknown.
    std::string from;
    std::string to;  ///< state after; of "limit" the limits, "<concurrency> <jobs> <per ms>"
    std::string reason;
    std::string worker;  ///< "host/pid" of the process that did it
    /// For "reschedule", if recorded: the due time before, if it had one, and after.
    std::optional<TimePoint> dueBefore = {};
    std::optional<TimePoint> dueAfter = {};
    std::string bulkActionId = {};  ///< the same in all of its entries
};

/// Which entries, newest first. Empty members do not restrict. *Value.*
struct AuditQuery {
    std::string actor = {};  ///< contained
    std::vector<std::string> verbs = {};
    std::string id = {};
    /// Contained in the id, the reason, or the topic or person that it is about (not the topic of a
    /// job); case ignored in ASCII.
    std::string text = {};
    std::optional<TimePoint> since = {};  ///< inclusive
    std::optional<TimePoint> until = {};  ///< exclusive
    std::string cursor = {};              ///< of the page before, or empty
    std::uint32_t limit = 200;            ///< 1 - 1000
};

struct AuditEntries {
    std::vector<AuditEntry> entries;
    std::string cursor;  ///< of the next page, empty at the end
};

struct RecoverOutcome {
    std::uint64_t recovered = 0;
    std::uint64_t alreadyThere = 0;  ///< the store has them: left as they are
    std::uint64_t leftOut = 0;       ///< expired, and not wanted
    std::uint64_t unreadable = 0;    ///< the log says which, and why

    std::uint64_t total() const noexcept { return recovered + alreadyThere + leftOut + unreadable; }
};

/// The progress of a recovery. *Value.*
struct RecoverProgress {
    RecoverOutcome soFar;
    std::uint64_t jobsInRedis = 0;  ///< that the journal took to be there when it began
};

/// Which jobs of the journal come back into the store.
struct RecoverRequest {
    enum class Expired {
        Included,  ///< jobs past their `expires` come back, too, and are buried with that reason
        LeftOut,
    };
    enum class Change {
        Store,    ///< recovers them
        Nothing,  ///< only counts what it would recover
    };
    std::string id = {};  ///< one job; empty = all
    Expired expired = Expired::Included;
    Change change = Change::Store;
    /// An operator who asks for it, and why; kept with each job's event (audit).
    std::string actor = {};
    std::string reason = {};
    /// Called from time to time with the progress, on a thread of the journal.
    std::function<void(const RecoverProgress&)> progress = {};
};

/// Brings back jobs that live according to the journal and that the store has lost. *Any thread*:
/// `done` runs on `loop`, later.
class JobRecovery : public Interface {
public:
    /// NotFound: a single id that the journal does not know, or knows as ended or cold.
    virtual void recover(EventLoop& loop, RecoverRequest request, Done<RecoverOutcome> done) = 0;
};

}  // namespace restante
