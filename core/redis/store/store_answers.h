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

/// What the scripts of core/lua answer, in the words of the JobStore. *Pure functions.*

/// The error that a status word other than "ok" stands for; `id` is the job it was about, `script`
/// what was to be done to it: where its state does not allow that, the message says the state and
/// which ones do.
Error errorOf(std::string_view status, std::string_view id, std::string_view script = {});

/// "ok", or the error.
Result<void> outcomeOf(const Reply& reply, std::string_view id, std::string_view script = {});
/// finish: how many messages the mailbox still holds.
Result<std::uint64_t> messagesLeftOf(const Reply& reply, std::string_view id);
Result<PushOutcome> pushOutcomeOf(const Reply& reply, std::string_view id);
/// touch: the new deadline.
Result<TimePoint> deadlineOf(const Reply& reply, std::string_view id);

/// The handler of an answer about job `id`, which `read(reply, id)` reads.
template <class Read, class T>
Done<Reply> answerOf(Read read, std::string id, Done<T> done)
{
    return [read, id = std::move(id), done = std::move(done)](const Result<Reply>& reply) {
        done(reply.and_then([&](const Reply& answer) { return read(answer, id); }));
    };
}

/// A job whose record cannot be read: it is to be buried with that reason.
struct DamagedJob {
    std::string id;
    std::string reason;
};

/// A topic of which more is due on a shard than it has slots for, and how many more; from the
/// answer of a claim (core/lua/lib/topic_limits.lua).
struct WantedSlots {
    std::string topic;
    std::uint32_t count = 0;
};
std::optional<WantedSlots> wantedSlotsOf(const Reply& reply);

/// claim, claim_mailbox: now, then id, due score, failed attempts, record of each; damaged ones go
/// to `damaged`.
std::vector<ClaimedJob> claimedJobsOf(const Reply& reply, std::vector<DamagedJob>& damaged);
/// lapsed: id, deadline, failed attempts, record, ...
std::vector<ClaimedJob> lapsedLeasesOf(const Reply& reply, std::vector<DamagedJob>& damaged);

struct DueMailbox {
    std::string recipient;
    TimePoint next{};
};
std::vector<DueMailbox> dueMailboxesOf(const Reply& reply);
std::vector<std::string> textsOf(const Reply& reply);

/// The answer to SCAN and its kin: where to go on ("0" = that was all), and what was found.
struct ScanPage {
    std::string cursor;
    std::vector<std::string> texts;
    bool isLast() const { return cursor == "0"; }
};
Result<ScanPage> scanPageOf(const Reply& reply);

/// 0 when it is none.
std::uint64_t numberOf(const Reply& reply);
std::vector<std::uint64_t> numbersOf(const Reply& reply);

/// show
Result<JobView> shownJobOf(const Result<Reply>& reply, std::string_view id, TimePoint now);

/// One row of page: where it is in the order, and what there is to know about it.
struct PageEntry : RankedEntry {
    std::string failedAttempts;  ///< "7", or "7 5" when five of them count no longer
    std::string lastError;
    /// Next attempt of its recipient's mailbox; of one that is held by itself '@' and when it is
    /// due again; or empty.
    std::string mailboxNext;
    std::string record;
    std::string arrival;  ///< its number in the mailbox, or empty
    std::string origin;   ///< where restore puts it back, or empty
    /// How long its body is, of which the record has only the beginning; empty = it has all of it.
    std::string wholeBody = {};

    /// Internal when there is no record, or it cannot be read.
    Result<JobView> read(JobState state) const;
};
/// `from`: the element with which they begin.
std::vector<PageEntry> pageEntriesOf(const Reply& reply, std::size_t from = 0);

/// A score as time: floored, because the fraction is the order of arrival. "inf" is
/// kNever.
TimePoint timeOfScore(std::string_view score);

/// The next moment of what waits for somebody else to act.
constexpr TimePoint kNever = TimePoint::max();

/// What a script publishes on the wake channel: "lanes <due> <channel> <topic>", "mailboxes <due>",
/// "leases <due>" or "expiry <due>". None when it is not one of these.
std::optional<Wake> parseWake(std::string_view message);

/// The topic of "slots <topic>", published when a shard has given a slot of the topic's limit to
/// another one, which does not know of it yet. None when it is something else.
std::optional<std::string_view> parseSlots(std::string_view message);

/// "lanes", "mailboxes", "leases", "expiry".
std::string_view name(DueSource::Kind kind) noexcept;

}  // namespace restante::redis
