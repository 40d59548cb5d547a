#pragma once

#include "core/base/result.h"
#include "core/queue/job_store.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/rank_split.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

/// Parses the answers of the scripts in core/lua for JobStore and JobInspector. *Pure functions.*

/// The error for a status word other than "ok"; `id` is the job, `script` the transition: if the
/// state of the job does not allow it, the message has the state and those that do.
Error errorOf(std::string_view status, std::string_view id, std::string_view script = {});

/// "ok", or the error.
Result<void> outcomeOf(const Reply& reply, std::string_view id, std::string_view script = {});
/// For finish: how many messages the mailbox still has.
Result<std::uint64_t> messagesLeftOf(const Reply& reply, std::string_view id);
Result<PushOutcome> pushOutcomeOf(const Reply& reply, std::string_view id);
/// For touch: the new deadline.
Result<TimePoint> deadlineOf(const Reply& reply, std::string_view id);

/// A handler for an answer about job `id`, which calls `done` with `read(reply, id)`.
template <class Read, class T>
Done<Reply> answerOf(Read read, std::string id, Done<T> done)
{
    return [read, id = std::move(id), done = std::move(done)](const Result<Reply>& reply) {
        done(reply.and_then([&](const Reply& answer) { return read(answer, id); }));
    };
}

/// A job whose record cannot be read, to be buried with `reason`.
struct DamagedJob {
    std::string id;
    std::string reason;
};

/// A topic with more due jobs on a shard than slots, and how many more; from the answer of a claim
/// (core/lua/lib/topic_limits.lua).
struct WantedSlots {
    std::string topic;
    std::uint32_t count = 0;
};
std::optional<WantedSlots> wantedSlotsOf(const Reply& reply);

/// For claim and claim_mailbox: now, then id, due score, failed attempts and record of each job;
/// those that cannot be read go to `damaged`.
std::vector<ClaimedJob> claimedJobsOf(const Reply& reply, std::vector<DamagedJob>& damaged);
/// For lapsed: id, deadline, failed attempts, record, ...
std::vector<ClaimedJob> lapsedLeasesOf(const Reply& reply, std::vector<DamagedJob>& damaged);

struct DueMailbox {
    std::string recipient;
    TimePoint next{};
};
std::vector<DueMailbox> dueMailboxesOf(const Reply& reply);
std::vector<std::string> textsOf(const Reply& reply);

/// The answer to SCAN, SSCAN, HSCAN or ZSCAN: the next cursor ("0" = the end), and the texts.
struct ScanPage {
    std::string cursor;
    std::vector<std::string> texts;
    bool isLast() const { return cursor == "0"; }
};
Result<ScanPage> scanPageOf(const Reply& reply);

/// 0 when the reply is no number.
std::uint64_t numberOf(const Reply& reply);
std::vector<std::uint64_t> numbersOf(const Reply& reply);

/// For show.
Result<JobView> shownJobOf(const Result<Reply>& reply, std::string_view id, TimePoint now);

/// One row of a page: its position in the order, and the data of the job.
struct PageEntry : RankedEntry {
    std::string failedAttempts;  ///< "7", or "7 5" when five of them count no longer
    std::string lastError;
    /// Next attempt of its recipient's mailbox; for a job held outside it '@' and its due time; or
    /// empty.
    std::string mailboxNext;
    std::string record;
    std::string arrival;  ///< its number in the mailbox, or empty
    std::string origin;   ///< where restore puts it back, or empty
    /// Length of its body, if the record has only the beginning; empty = the body is complete.
    std::string bodyLength = {};

    /// Internal when there is no record, or it cannot be read.
    Result<JobView> read(JobState state) const;
};
/// `from`: index of the first element.
std::vector<PageEntry> pageEntriesOf(const Reply& reply, std::size_t from = 0);

/// A score as time, floored, because the fraction only orders jobs of one millisecond. "inf" is
/// kNever.
TimePoint timeOfScore(std::string_view score);

/// JobView::due of jobs that wait for somebody to act.
constexpr TimePoint kNever = TimePoint::max();

/// Parses a message of the wake channel: "lanes <due> <channel> <topic>", "mailboxes <due>",
/// "leases <due>" or "expiry <due>". None when it is not one of these.
std::optional<Wake> parseWake(std::string_view message);

/// The topic in "slots <topic>", published when a lease of the topic has ended while another shard
/// wants a slot of its limit, which may have been given to it. None for other messages.
std::optional<std::string_view> parseSlotTopic(std::string_view message);

/// "lanes", "mailboxes", "leases", "expiry".
std::string_view name(DueSource::Kind kind) noexcept;

}  // namespace restante::redis
