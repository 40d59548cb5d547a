#include "core/journal/recovery/shard_comparison.h"

#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/while_alive.h"
#include "core/journal/outbox/shard_batch.h"
#include "core/journal/recovery/setting_recovery.h"
#include "core/journal/recovery/shard_restorer.h"
#include "core/journal/recovery/shard_snapshot.h"
#include "core/journal/recovery/shard_task.h"
#include "core/redis/store/script.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

/// A store counts as alive when its mark changes twice in this time, in which it is renewed at
/// least three times; one change may have been made just before the store was lost.
constexpr Millis kWatchTime{10'000};
constexpr Millis kWatchInterval{250};
/// The largest expected difference between the clock of Redis, from which events have their ids,
/// and those by which the journal's rows are deleted.
constexpr Millis kMostDeletionSkew{10'000};

/// A conflicting write may be our own, whose answer was lost, so the caller compares again.
Result<void> conflictAsUnavailable(Result<void> written)
{
    if (!written && written.error().code == ErrorCode::Conflict) {
        written.error().code = ErrorCode::Unavailable;
    }
    return written;
}

/// What the journal has about a shard.
struct JournalFacts {
    std::optional<Position> position;
    bool hasJobsInRedis = false;  ///< asked only when there is no position
};

class Comparison final : public ShardComparison,
                         public ShardTask<Comparison, ShardComparison::Agreement> {
public:
    Comparison(JournalContext context, RecordingSettings settings)
        : ShardTask(context, std::move(settings)),
          eventsKey_(prefix_ + "events"),
          watchTimer_(context.loop)
    {
        for (const bool isEverything : {false, true}) {
            recoveries(isEverything);  // so that the counter exists before its first increment
        }
    }

    void run(Shard shard,
             std::function<void(const std::string& token)> onServed,
             Done<Agreement> done) override
    {
        shard_ = std::move(shard);
        onServed_ = std::move(onServed);
        AsyncTask::begin([this, done = std::move(done)](const Result<Agreement>& agreement) {
            watchTimer_.cancel();
            done(agreement);
        });
        result_.token = shard_.token;
        if (shard_.databaseError) {
            return onJournalFacts(tl::unexpected(*shard_.databaseError));
        }
        context_.sql.ask<JournalFacts>(
            context_.loop,
            [shard = settings_.shard](SqlJournal& sql) {
                return sql.position(shard).and_then([&](auto position) -> Result<JournalFacts> {
                    if (position) {
                        return JournalFacts{std::move(position), false};
                    }
                    return sql.countJobsInRedis(shard).map([](std::uint64_t jobs) {
                        return JournalFacts{{}, jobs > 0};
                    });
                });
            },
            whileAlive(*this, &Comparison::onJournalFacts));
    }

    bool isStoreEstablished() const noexcept override { return isStoreEstablished_; }

private:
    void onJournalFacts(Result<JournalFacts> known)
    {
        if (known) {
            journal_ = std::move(*known);
            return compare();
        }
        if (!shard_.remembered) {
            return end(tl::unexpected(known.error()));
        }
        // The database is away. The position that this process has recorded suffices to see that
        // Redis has lost nothing; anything else needs the database.
        databaseError_ = known.error();
        journal_ = {shard_.remembered, false};
        compare();
    }

    void compare()
    {
        const auto storeMatch =
            storeMatchOf(shard_.facts, journal_.position, journal_.hasJobsInRedis);
        if (databaseError_ && storeMatch != StoreMatch::Same) {
            return end(tl::unexpected(*databaseError_));
        }
        switch (storeMatch) {
        case StoreMatch::Same: return readStream();
        case StoreMatch::New: return startAnew(ComparisonOutcome::New);
        case StoreMatch::Lost: return onStoreLost();
        case StoreMatch::Foreign:
            return refuse(fmt::format(
                "the journal belongs to another store ({}) than this Redis ({}): give this store a "
                "journal of its own (journal.url); or, if the other one is gone for good, let this "
                "one take its place: restantectl recover --adopt",
                journal_.position->identity, shard_.facts.identity));
        }
    }

    /// Closes the shard, unless it is being served by a daemon with the right journal.
    void refuse(std::string why)
    {
        if (result_.token.empty()) {
            closeShard("foreign", 0, 0);
        }
        end(failure(ErrorCode::Invalid, std::move(why)));
    }

    // Read the stream.

    using EntryId = std::optional<StreamId>;  ///< none: there is no such entry

    /// Yields the id of the newest entry at or before `end`, an argument of XREVRANGE; "+" = of
    /// all.
    void readNewest(std::string_view end, void (Comparison::*next)(EntryId))
    {
        command({"XREVRANGE", eventsKey_, end, "-", "COUNT", "1"},
                [next](Comparison& self, const redis::Reply& reply) {
                    const auto entries = entriesOf(reply);
                    (self.*next)(entries.empty() ? EntryId() : entries.front().id);
                });
    }

    void checkEntry(StreamId id, void (Comparison::*next)(bool))
    {
        command({"XRANGE", eventsKey_, id.toString(), id.toString()},
                [next](Comparison& self, const redis::Reply& reply) {
                    (self.*next)(!entriesOf(reply).empty());
                });
    }

    // The store is the same: find the position in its stream.

    void readStream()
    {
        isStoreEstablished_ = true;
        checkEntry(journal_.position->cursor, &Comparison::onCursorEntry);
    }

    void onCursorEntry(bool exists)
    {
        stream_ = {};
        stream_.hasEntryAtCursor = exists || journal_.position->cursor == StreamId{};
        readNewest(journal_.position->cursor.toString(), &Comparison::onNewestUpTo);
    }

    void onNewestUpTo(EntryId entry)
    {
        stream_.newestUpTo = entry;
        readNewest("+", &Comparison::onNewest);
    }

    void onNewest(EntryId entry)
    {
        stream_.newest = entry.value_or(StreamId{});
        if (shard_.facts.listenToken == journal_.position->listenToken ||
            shard_.cursorInRedis == StreamId{}) {
            return evaluateStream();
        }
        // The entry with which a recording period begins says nothing about earlier writes.
        readNewest("(" + shard_.cursorInRedis.toString(), &Comparison::onNewestBefore);
    }

    void onNewestBefore(EntryId entry)
    {
        stream_.newest = entry.value_or(stream_.newest);
        evaluateStream();
    }

    void evaluateStream()
    {
        const auto streamMatch =
            streamMatchOf(shard_.facts.listenToken, *journal_.position, stream_);
        if (streamMatch == StreamMatch::Agrees) {
            return onStreamMatches();
        }
        if (databaseError_) {
            return end(tl::unexpected(*databaseError_));
        }
        switch (streamMatch) {
        case StreamMatch::Agrees: break;
        case StreamMatch::RolledBack: return onRolledBack();
        case StreamMatch::Gap:
            log::warning("journal",
                         "shard {}: the event {} was cut off too early (see journal.backlog)",
                         settings_.shard, journal_.position->cursor.toString());
            return startAnew(ComparisonOutcome::Gap);
        case StreamMatch::NotRecorded: return startAnew(ComparisonOutcome::Gap);
        }
    }

    void onStreamMatches()
    {
        result_.position = *journal_.position;
        if (!result_.position.identity.empty()) {
            if (!result_.token.empty() || databaseError_) {
                return openShard(&Comparison::finish);
            }
            return command({"HGET", prefix_ + "store", "phase"}, &Comparison::onPhase);
        }
        // Both are of a version without identities.
        result_.position.identity = newIdentity();
        writePosition([this] { openShard(&Comparison::finish); });
    }

    /// A recovery may have been interrupted before its events were recorded; then that is completed
    /// first.
    void onPhase(redis::Reply reply)
    {
        reply.text() != nullptr ? recordRemaining() : openShard(&Comparison::finish);
    }

    void finish() { end(result_); }

    // Redis is authoritative: rebuild the journal from it.

    void startAnew(ComparisonOutcome why)
    {
        isStoreEstablished_ = true;
        result_.outcome = why;
        result_.position.identity =
            shard_.facts.identity.empty() ? newIdentity() : shard_.facts.identity;
        result_.position.listenToken = shard_.facts.listenToken;
        openShard(&Comparison::rebuild);
    }

    void rebuild()
    {
        log::info("journal", "shard {}: begins anew with what is in Redis", settings_.shard);
        metrics::counter("restante_journal_rebuilds_total", metricLabels()).add();
        // Pushes are not confirmed until everything has been read.
        context_.commands.command({"HDEL", prefix_ + "journal", "told"}, [](const auto&) {});
        const auto channel = redis::committedChannel(prefix_);
        context_.commands.command({"PUBLISH", channel, "down"}, [](const auto&) {});
        readNewest("+", &Comparison::onStreamEnd);
    }

    void onStreamEnd(EntryId entry)
    {
        // Recording continues from here; changes made while the jobs are read are recorded twice,
        // which is harmless.
        result_.position.cursor = entry.value_or(StreamId{});
        checkEntry(shard_.cursorInRedis, &Comparison::onCursorInRedis);
    }

    void onCursorInRedis(bool exists)
    {
        if (exists) {
            // All entries after it have what the journal needs.
            result_.position.cursor = shard_.cursorInRedis;
        }
        std::shared_ptr<const std::set<std::string>> newerIds;
        if (lastCommonEvent_) {
            // Entries before that are in the journal already, and older than its other rows.
            result_.position.cursor = std::max(result_.position.cursor, *lastCommonEvent_);
            newerIds = std::make_shared<const std::set<std::string>>(newerIds_);
        }
        snapshot_ =
            writeShardSnapshot(context_, settings_, std::move(newerIds),
                               then<std::vector<std::string>>(&Comparison::onSnapshotWritten));
    }

    void onSnapshotWritten(std::vector<std::string> leftRedis)
    {
        leftRedisIds_ = std::move(leftRedis);
        if (lastCommonEvent_) {
            return restoreLostSettings(LostSettings::Newest, &Comparison::onSettingsRestored);
        }
        settingStep_ =
            recordSettings(context_, settings_, then<void>(&Comparison::onSettingsRecorded));
    }

    void onSettingsRecorded()
    {
        if (result_.outcome == ComparisonOutcome::Restored) {
            // Topics are paused and limited before any of their jobs is restored.
            return restoreLostSettings(LostSettings::Everything, &Comparison::onSettingsRestored);
        }
        writePosition([this] { finish(); });
    }

    void onSettingsRestored(std::uint64_t /*count*/)
    {
        lastCommonEvent_ ? restore({.isOlderCopy = true,
                                    .leftRedisIds = std::move(leftRedisIds_),
                                    .newerIds = std::move(newerIds_)})
                         : restore({});
    }

    void restoreLostSettings(LostSettings lost, void (Comparison::*next)(std::uint64_t))
    {
        settingStep_ = restoreSettings(context_, settings_, lost, then<std::uint64_t>(next));
    }

    // Redis has lost the shard.

    void onStoreLost()
    {
        if (!settings_.recovers) {
            log::warning("journal",
                         "shard {}: Redis is not the one that the journal knows; bring back what "
                         "lives there with restantectl recover, or journal.recover = \"auto\"",
                         settings_.shard);
            return leaveLostJobs();
        }
        log::warning("journal",
                     "shard {}: Redis has lost the store: nothing is served before the journal has "
                     "brought it back",
                     settings_.shard);
        phase_ = "lost";
        result_.outcome = ComparisonOutcome::Restored;
        result_.position.identity = newIdentity();
        result_.position.listenToken = shard_.facts.listenToken;
        closeThen([this] {
            lastAliveMark_.reset();
            aliveMarkChanges_ = 0;
            watchedFor_ = Millis{0};
            watchAliveMark();
        });
    }

    /// Checks whether the store of this journal is alive elsewhere, which makes this Redis a second
    /// one.
    void watchAliveMark()
    {
        ask([](auto& sql) { return sql.fact(kAliveFact); }, &Comparison::onAliveMark);
    }

    void onAliveMark(std::string mark)
    {
        const auto isOurs = mark.substr(0, mark.find(' ')) == settings_.process;
        if (mark.empty() || isOurs || watchedFor_ >= kWatchTime) {
            return checkForOlderCopy();
        }
        if (lastAliveMark_ && *lastAliveMark_ != mark && ++aliveMarkChanges_ >= 2) {
            const auto process = mark.substr(0, mark.find(' '));
            return command({"HGET", redis::shardPrefix(settings_.prefix, 0) + "journal", "process"},
                           [process](Comparison& self, const redis::Reply& reply) {
                               self.onProcess(process,
                                              reply.text() != nullptr ? *reply.text() : "");
                           });
        }
        if (!lastAliveMark_) {
            log::info("journal",
                      "shard {}: waiting for {} s, in case the store of this journal is alive "
                      "elsewhere ({})",
                      settings_.shard, kWatchTime.count() / 1'000, mark.substr(0, mark.find(' ')));
        }
        lastAliveMark_ = std::move(mark);
        watchedFor_ += kWatchInterval;
        watchTimer_.arm(kWatchInterval, [this] { watchAliveMark(); });
    }

    /// The process that writes the alive mark may be the one that records the first shard here.
    void onProcess(const std::string& process, const std::string& processHere)
    {
        if (process == processHere) {
            return checkForOlderCopy();
        }
        refuse(fmt::format("the journal belongs to a store that is alive: {} records it. Give this "
                           "Redis a journal of its own (journal.url), or stop that daemon first",
                           process));
    }

    /// Distinguishes an emptied store from a copy that is older than its identity. When an operator
    /// adopts a store, its contents stay.
    void checkForOlderCopy()
    {
        isStoreEstablished_ = true;
        if (!journal_.position || !settings_.actor.empty()) {
            return rebuild();
        }
        readNewest(journal_.position->cursor.toString(), &Comparison::onCommonEvent);
    }

    void onCommonEvent(EntryId entry)
    {
        if (!entry) {
            return rebuild();
        }
        lastCommonEvent_ = entry;
        log::warning("journal", "shard {}: it is an older copy: what the journal knows counts",
                     settings_.shard);
        collectNewerIds(journal_.position->cursor, &Comparison::findForgottenJobs);
    }

    // Redis has lost its newest writes.

    void onRolledBack()
    {
        const auto cursor = journal_.position->cursor.toString();
        log::warning("journal",
                     "shard {}: Redis has forgotten the event {} and what came before it",
                     settings_.shard, cursor);
        if (!settings_.recovers) {
            log::warning("journal",
                         "shard {}: bring back what was done then with journal.recover = "
                         "\"auto\"",
                         settings_.shard);
            return leaveLostJobs();
        }
        phase_ = "rolled_back";
        result_.outcome = ComparisonOutcome::Restored;
        result_.position.identity =
            journal_.position->identity.empty() ? newIdentity() : journal_.position->identity;
        result_.position.listenToken = shard_.facts.listenToken;
        result_.position.cursor = stream_.newestUpTo.value_or(StreamId{});
        closeThen(
            [this] { collectNewerIds(journal_.position->cursor, &Comparison::findForgottenJobs); });
    }

    /// A store that is older than `journal.retention` has jobs again that have ended since, and of
    /// which the journal has deleted that they have.
    void findForgottenJobs()
    {
        ask([](auto& sql) { return sql.deletedUntilMs(); }, &Comparison::onDeletedUntil);
    }

    void onDeletedUntil(std::int64_t deletedUntilMs)
    {
        // Without an event from before the roll-back nothing tells what came since.
        const auto lastKept = lastCommonEvent_ ? lastCommonEvent_ : stream_.newestUpTo;
        if (!lastKept || deletedUntilMs == 0 ||
            static_cast<std::int64_t>(lastKept->ms) >= deletedUntilMs + kMostDeletionSkew.count()) {
            return bringBackFromJournal();
        }
        forgottenJobs_ = trashForgottenJobs(
            context_, settings_, std::make_shared<const std::set<std::string>>(newerIds_),
            then<std::vector<std::string>>(&Comparison::onForgottenJobsTrashed));
    }

    void onForgottenJobsTrashed(const std::vector<std::string>& ids)
    {
        if (!ids.empty()) {
            log::warning("journal",
                         "shard {}: {} jobs have come back that had ended, and that the journal "
                         "had deleted by then (journal.retention): they go to the trash, {} for "
                         "one; restore what is wanted again",
                         settings_.shard, ids.size(), ids.front());
        }
        // Whoever writes without the store's token may have done so while the shard was read.
        collectNewerIds(journal_.position->cursor, &Comparison::bringBackFromJournal);
    }

    void bringBackFromJournal() { lastCommonEvent_ ? rebuild() : restoreNewestSettings(); }

    /// Leaves the lost jobs to the operator.
    void leaveLostJobs()
    {
        ask([fact = leftBehindFact(settings_.shard)](auto& sql) { return sql.setFact(fact, "1"); },
            [](Comparison& self) { self.startAnew(ComparisonOutcome::LeftBehind); });
    }

    /// Collects the jobs that changed before the loss was noticed: their status in Redis is
    /// newer than the journal's.
    void collectNewerIds(StreamId behind, void (Comparison::*next)())
    {
        command({"XRANGE", eventsKey_, "(" + behind.toString(), "+", "COUNT", kEntriesPerRead},
                [next](Comparison& self, const redis::Reply& reply) {
                    const auto entries = entriesOf(reply);
                    if (entries.empty()) {
                        return (self.*next)();
                    }
                    for (const auto& entry : entries) {
                        self.addNewerIds(entry);
                    }
                    self.collectNewerIds(entries.back().id, next);
                });
    }

    void addNewerIds(const StreamEntry& entry)
    {
        if (auto event = parseEvent(entry.id, entry.fields)) {
            for (auto& job : event->jobs) {
                newerIds_.insert(std::move(job.id));
            }
        }
    }

    void restoreNewestSettings()
    {
        restoreLostSettings(LostSettings::Newest, &Comparison::onNewestSettingsRestored);
    }

    void onNewestSettingsRestored(std::uint64_t /*count*/)
    {
        restore({.lastKeptEvent = result_.position.cursor, .newerIds = std::move(newerIds_)});
    }

    void restore(RestoreRequest request)
    {
        restorer_ = restoreShard(
            context_, settings_, std::move(request),
            [this](auto done, auto of) { reportProgress(done, of); },
            then<RecoverOutcome>(&Comparison::onRestored));
    }

    void reportProgress(std::uint64_t done, std::uint64_t of)
    {
        if (done > 0) {
            log::info("journal", "shard {}: {} of {} jobs looked at", settings_.shard, done, of);
        }
        closeShard(phase_, done, of);
    }

    /// Marks the shard as not served, with the reason and the progress for those who wait.
    void closeShard(
        std::string_view phase,
        std::uint64_t done,
        std::uint64_t of,
        redis::ScriptQueue::Answer answer = [](const auto&) {})
    {
        scripts_.add(redis::script("journal_close_shard"), {},
                     {settings_.owner, phase, std::to_string(done), std::to_string(of)},
                     std::move(answer));
    }

    /// The counter of restorations, of everything or of the newest writes.
    metrics::Counter& recoveries(bool everything) const
    {
        return metrics::counter(
            "restante_store_recoveries_total",
            {std::to_string(settings_.shard), everything ? "everything" : "newest"});
    }

    void onRestored(RecoverOutcome outcome)
    {
        log::info("journal", "shard {}: brought back {} jobs; {} were left as they are",
                  settings_.shard, outcome.recovered, outcome.alreadyThere);
        recoveries(phase_ == "lost").add();
        // If the position were lowered first, a Redis that is rolled back once more would agree
        // with it, and the jobs just restored would be lost. (A position of a version without
        // identities has another name, which no batch moves.)
        if (phase_ == "rolled_back" && !journal_.position->identity.empty()) {
            replacedPosition_ = journal_.position;
            return recordRemaining();
        }
        writePosition([this] { recordRemaining(); });
    }

    // Record the events of all restored jobs before the shard is served: otherwise the journal
    // would lag behind the next acknowledged pushes.

    void recordRemaining() { readNewest("+", &Comparison::onLastEvent); }

    void onLastEvent(EntryId entry)
    {
        lastEvent_ = entry.value_or(StreamId{});
        recordNextBatch();
    }

    void recordNextBatch()
    {
        if (result_.position.cursor >= lastEvent_) {
            return replacedPosition_ ? addEndEvent() : openShard(&Comparison::finish);
        }
        const auto behind = "(" + result_.position.cursor.toString();
        command({"XRANGE", eventsKey_, behind, "+", "COUNT", kEntriesPerRead},
                &Comparison::onMoreEvents);
    }

    /// When the restored jobs left no event (all had ended), adds an empty one, so that the
    /// position can move on.
    void addEndEvent()
    {
        command({"XADD", eventsKey_, "*", "t", "listen", "at",
                 std::to_string(toEpochMs(context_.clock.now()))},
                [](Comparison& self, const redis::Reply&) { self.recordRemaining(); });
    }

    void onMoreEvents(redis::Reply reply)
    {
        const auto entries = entriesOf(reply);
        if (entries.empty()) {
            return end(failure(ErrorCode::Unavailable, "the events that came back are gone"));
        }
        auto batch =
            std::make_shared<ShardBatch>(batchOf(settings_.shard, result_.position, entries));
        if (replacedPosition_) {
            batch->from = *replacedPosition_;
        }
        context_.sql.ask<void>(
            context_.loop, [batch](auto& sql) { return conflictAsUnavailable(sql.commit(*batch)); },
            whileAlive(*this, [batch](Comparison& self, const Result<void>& written) {
                self.onRecorded(*batch, written);
            }));
    }

    void onRecorded(const ShardBatch& batch, const Result<void>& written)
    {
        if (written) {
            metrics::counter("restante_journal_events_total", metricLabels())
                .add(batch.events.size());
            result_.position = batch.to;
            replacedPosition_.reset();
            return recordNextBatch();
        }
        // Unless pushes wait for the database, the shard is served without it, and the recorder
        // continues.
        settings_.durable || replacedPosition_ ? end(tl::unexpected(written.error()))
                                               : openShard(&Comparison::finish);
    }

    // Write the position; close and open the shard.

    void writePosition(std::function<void()> next)
    {
        ask(
            [shard = settings_.shard, before = journal_.position, position = result_.position,
             fact = result_.outcome == ComparisonOutcome::Gap ? gapFact(settings_.shard)
                                                              : std::string()](auto& sql) {
                return conflictAsUnavailable(sql.setPosition(shard, before, position, fact));
            },
            [next = std::move(next)](Comparison&) { next(); });
    }

    void closeThen(std::function<void()> next)
    {
        result_.token.clear();
        closeShard(phase_, 0, 0, ifLeaseHeld(std::move(next)));
    }

    /// Opens the shard for service, unless it is served already.
    void openShard(void (Comparison::*next)())
    {
        if (!result_.token.empty()) {
            onServed_(result_.token);
            return (this->*next)();
        }
        auto token = newToken(toEpochMs(context_.clock.now()));
        const auto floor = journal_.position ? journal_.position->cursor.toString() : "0-0";
        scripts_.add(redis::script("journal_open_shard"), {},
                     {settings_.owner, shard_.facts.listenToken, token, result_.position.identity,
                      floor, "0"},
                     ifLeaseHeld([this, token, next] {
                         result_.token = token;
                         onServed_(token);
                         (this->*next)();
                     }));
    }

    redis::ScriptQueue::Answer ifLeaseHeld(std::function<void()> next)
    {
        return then<redis::Reply>(
            [next = std::move(next)](Comparison& self, const redis::Reply& reply) {
                if (reply.text() != nullptr && *reply.text() == "lost") {
                    return self.end(failure(ErrorCode::Conflict, "another program has the lease"));
                }
                if (reply.text() != nullptr && *reply.text() == "changed") {
                    return self.end(failure(ErrorCode::Unavailable, "Redis has lost it once more"));
                }
                next();
            });
    }

    std::vector<std::string> metricLabels() const { return {std::to_string(settings_.shard)}; }

    std::string eventsKey_;
    Timer watchTimer_;
    Shard shard_;
    std::function<void(const std::string&)> onServed_;
    JournalFacts journal_;
    std::optional<Error>
        databaseError_;  ///< why the database is away; journal_ is what this process remembers
    StreamFacts stream_;
    StreamId lastEvent_;  ///< up to which events are recorded before the shard is served
    std::optional<Position>
        replacedPosition_;  ///< the position that the first batch replaces after a roll-back
    Agreement result_;
    std::string_view phase_;
    std::optional<std::string> lastAliveMark_;
    int aliveMarkChanges_ = 0;
    Millis watchedFor_{0};
    // Separate members, because each may end inside a callback of its own and must not be destroyed
    // there.
    std::shared_ptr<void> forgottenJobs_;
    std::shared_ptr<void> snapshot_;
    std::shared_ptr<void> settingStep_;
    std::shared_ptr<void> restorer_;
    std::set<std::string> newerIds_;
    std::optional<StreamId> lastCommonEvent_;  ///< set when the shard is an older copy of itself
    std::vector<std::string>
        leftRedisIds_;  ///< jobs of the older copy that the journal says have left Redis
    bool isStoreEstablished_ = false;
};

}  // namespace

std::shared_ptr<ShardComparison> ShardComparison::of(JournalContext context,
                                                     RecordingSettings settings)
{
    return std::make_shared<Comparison>(context, std::move(settings));
}

std::string leftBehindFact(std::uint32_t shard)
{
    return fmt::format("left_behind.{}", shard);
}

std::string gapFact(std::uint32_t shard)
{
    return fmt::format("gap.{}", shard);
}

Result<std::string> openGap(SqlJournal& sql, std::uint32_t shard)
{
    return sql.fact(leftBehindFact(shard)).and_then([&](const std::string& leftBehind) {
        return leftBehind.empty() ? sql.fact(gapFact(shard)) : Result<std::string>("");
    });
}

}  // namespace restante::journal
