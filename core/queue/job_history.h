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
    std::string actor;       ///< who asked for it, if a person did
    std::string reason;
    std::string note;  ///< what the worker told of its attempt: Lease::note
    std::uint32_t shard = 0;
};

/// What the journal can tell about a job, whether it still lives or not. *Any thread*: `done` runs
/// on `loop`, later.
class JobHistory : public Interface {
public:
    /// Oldest first, at most the newest 1,000. NotFound when the journal knows no such job,
    /// Unavailable when the journal cannot be asked.
    virtual void history(EventLoop& loop, std::string id, Done<std::vector<HistoryRow>> done) = 0;
    /// What was asked from `loop` is not answered any more; call it before the loop ends.
    virtual void leave(EventLoop& loop) { static_cast<void>(loop); }
};

/// What somebody has done to a job or a topic, as the journal has it. *Value.*
struct AuditEntry {
    TimePoint at{};
    std::string actor;
    std::string verb;  ///< the transition's word, "run_now"; of a topic "pause", "resume", "limit";
                       ///< of a person "trace", "untrace"
    std::string id;    ///< of the job, empty = it was about a topic or a person
    /// Of the job, as far as the journal still knows it, the topic itself, or the person's address.
    std::string topic;
    /// State before; of "limit" the limits, as `to`, or empty where nobody noted them.
    std::string from;
    std::string to;  ///< state after; of "limit" the limits, "<concurrency> <jobs> <per ms>"
    std::string reason;
    std::string worker;  ///< "host/pid" of the process that did it
    /// Of "reschedule", as far as it was noted: when it was due before, if it was, and is since.
    std::optional<TimePoint> dueBefore = {};
    std::optional<TimePoint> dueAfter = {};
    std::string order = {};  ///< of one for many jobs: what all of its entries share
};

/// Which entries, newest first. Empty members do not restrict. *Value.*
struct AuditQuery {
    std::string actor = {};  ///< contained
    std::vector<std::string> verbs = {};
    std::string id = {};
    std::string text = {};  ///< contained in the id, the topic or the reason, case ignored in ASCII
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

    std::uint64_t seen() const noexcept { return recovered + alreadyThere + leftOut + unreadable; }
};

/// How far a recovery is. *Value.*
struct RecoverProgress {
    RecoverOutcome soFar;
    std::uint64_t living = 0;  ///< jobs that the journal had as living when it began
};

/// Which jobs of the journal come back into the store.
struct RecoverRequest {
    enum class Expired {
        Included,  ///< what has passed its `expires` comes back, too, and dies with that reason
        LeftOut,
    };
    enum class Change {
        Store,    ///< they come back
        Nothing,  ///< only counted, as if they came back
    };
    std::string id = {};  ///< one job; empty = all
    Expired expired = Expired::Included;
    Change change = Change::Store;
    /// An operator who asks for it, and why; kept with each job's event (audit).
    std::string actor = {};
    std::string reason = {};
    /// Told now and then, on a thread of the journal, of what has been looked at so far.
    std::function<void(const RecoverProgress&)> progress = {};
};

/// Brings jobs back that the journal knows as living and the store has lost. *Any thread*: `done`
/// runs on `loop`, later.
class JobRecovery : public Interface {
public:
    /// NotFound: a single id that the journal does not know, or knows as finished.
    virtual void recover(EventLoop& loop, RecoverRequest request, Done<RecoverOutcome> done) = 0;
};

}  // namespace restante
