#include "core/journal/recovery/shard_comparison.h"

#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/while_alive.h"
#include "core/journal/outbox/shard_batch.h"
#include "core/journal/recovery/setting_recovery.h"
#include "core/journal/recovery/shard_restorer.h"
#include "core/journal/recovery/shard_task.h"
#include "core/journal/recovery/store_scan.h"
#include "core/redis/store/script.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

/// A store is taken for living when its mark moves twice in this time, of which it renews it at
/// least three times; once may have been just before it was lost.
constexpr Millis kWatch{10'000};
constexpr Millis kWatchLook{250};

/// A write that was overtaken: perhaps by our own, whose answer was lost; another comparison finds
/// out.
Result<void> conflictAsUnavailable(Result<void> written)
{
    if (!written && written.error().code == ErrorCode::Conflict) {
        written.error().code = ErrorCode::Unavailable;
    }
    return written;
}

/// What the journal knows of a shard.
struct Known {
    std::optional<Position> position;
    bool living = false;
};

class Comparison final : public ShardComparison,
                         public ShardTask<Comparison, ShardComparison::Agreed> {
public:
    Comparison(ShardParts parts, ShardSettings settings)
        : ShardTask(parts, std::move(settings)),
          events_(prefix_ + "events"),
          look_(parts.loop)
    {
        for (const bool all : {false, true}) {
            recoveries(all);  // so that a first one shows as one
        }
    }

    void run(Shard shard,
             std::function<void(const std::string& token)> served,
             Done<Agreed> done) override
    {
        shard_ = std::move(shard);
        served_ = std::move(served);
        AsyncTask::begin([this, done = std::move(done)](const Result<Agreed>& agreed) {
            look_.cancel();
            done(agreed);
        });
        result_.token = shard_.token;
        if (shard_.unreachable) {
            return gotKnown(tl::unexpected(*shard_.unreachable));
        }
        parts_.sql.ask<Known>(
            parts_.loop,
            [shard = settings_.shard](SqlJournal& sql) {
                return sql.position(shard).and_then([&](auto position) -> Result<Known> {
                    if (position) {
                        return Known{std::move(position), false};
                    }
                    return sql.countLiving(shard).map([](std::uint64_t living) {
                        return Known{{}, living > 0};
                    });
                });
            },
            whileAlive(*this, &Comparison::gotKnown));
    }

    bool isRestoring() const noexcept override { return isRestoring_; }

private:
    void gotKnown(Result<Known> known)
    {
        if (known) {
            known_ = std::move(*known);
            return compare();
        }
        if (!shard_.remembered) {
            return end(tl::unexpected(known.error()));
        }
        // The database is away. What this process itself has recorded is enough to see that Redis
        // has lost nothing; for anything else the database is needed.
        unreachable_ = known.error();
        known_ = {shard_.remembered, false};
        compare();
    }

    void compare()
    {
        const auto storeMatch = storeMatchOf(shard_.facts, known_.position, known_.living);
        if (unreachable_ && storeMatch != StoreMatch::Same) {
            return end(tl::unexpected(*unreachable_));
        }
        switch (storeMatch) {
        case StoreMatch::Same: return lookAtStream();
        case StoreMatch::Fresh: return begin(ComparisonOutcome::New);
        case StoreMatch::Lost: return lost();
        case StoreMatch::Foreign:
            return refuse(fmt::format(
                "the journal belongs to another store ({}) than this Redis ({}): give this store a "
                "journal of its own (journal.url); or, if the other one is gone for good, let this "
                "one take its place: restantectl recover --adopt",
                known_.position->identity, shard_.facts.identity));
        }
    }

    /// Whoever is served by a daemon with the right journal goes on.
    void refuse(std::string why)
    {
        if (result_.token.empty()) {
            closeShard("foreign", 0, 0);
        }
        end(failure(ErrorCode::Invalid, std::move(why)));
    }

    // What is in the stream.

    using Entry = std::optional<StreamId>;

    /// The newest entry at or before `end`, as XREVRANGE takes it; "+" = of all.
    void newest(std::string_view end, void (Comparison::*next)(Entry))
    {
        command({"XREVRANGE", events_, end, "-", "COUNT", "1"},
                [next](Comparison& self, const redis::Reply& reply) {
                    const auto entries = entriesOf(reply);
                    (self.*next)(entries.empty() ? Entry() : entries.front().id);
                });
    }

    void isThere(StreamId id, void (Comparison::*next)(bool))
    {
        command({"XRANGE", events_, id.print(), id.print()},
                [next](Comparison& self, const redis::Reply& reply) {
                    (self.*next)(!entriesOf(reply).empty());
                });
    }

    // The same store: where is its stream?

    void lookAtStream() { isThere(known_.position->cursor, &Comparison::foundCursor); }

    void foundCursor(bool there)
    {
        stream_ = {};
        stream_.hasCursor = there || known_.position->cursor == StreamId{};
        newest(known_.position->cursor.print(), &Comparison::foundUpTo);
    }

    void foundUpTo(Entry entry)
    {
        stream_.newestUpTo = entry;
        newest("+", &Comparison::foundNewest);
    }

    void foundNewest(Entry entry)
    {
        stream_.newest = entry.value_or(StreamId{});
        if (shard_.facts.listenToken == known_.position->listenToken ||
            shard_.listenStart == StreamId{}) {
            return evaluateStream();
        }
        // The entry by which a listening begins says nothing of what the store had before it.
        newest("(" + shard_.listenStart.print(), &Comparison::foundNewestBefore);
    }

    void foundNewestBefore(Entry entry)
    {
        stream_.newest = entry.value_or(stream_.newest);
        evaluateStream();
    }

    void evaluateStream()
    {
        const auto streamMatch = streamMatchOf(shard_.facts.listenToken, *known_.position, stream_);
        if (streamMatch == StreamMatch::Agrees) {
            return onStreamMatches();
        }
        if (unreachable_) {
            return end(tl::unexpected(*unreachable_));
        }
        switch (streamMatch) {
        case StreamMatch::Agrees: break;
        case StreamMatch::RolledBack: return rolledBack();
        case StreamMatch::Gap:
            log::warning("journal",
                         "shard {}: the event {} was cut off too early (see journal.backlog)",
                         settings_.shard, known_.position->cursor.print());
            return begin(ComparisonOutcome::Gap);
        case StreamMatch::NotHeard: return begin(ComparisonOutcome::Gap);
        }
    }

    void onStreamMatches()
    {
        result_.position = *known_.position;
        if (!result_.position.identity.empty()) {
            if (!result_.token.empty() || unreachable_) {
                return open(&Comparison::finish);
            }
            return command({"HGET", prefix_ + "store", "phase"}, &Comparison::foundPhase);
        }
        // Both are of before stores had an identity.
        result_.position.identity = newIdentity();
        writePosition([this] { open(&Comparison::finish); });
    }

    /// A recovery may have been interrupted before its events were recorded: that is completed
    /// first.
    void foundPhase(redis::Reply reply)
    {
        reply.text() != nullptr ? recordTheRest() : open(&Comparison::finish);
    }

    void finish() { end(result_); }

    // What is in Redis is what counts: the journal begins anew with it.

    void begin(ComparisonOutcome why)
    {
        result_.outcome = why;
        result_.position.identity =
            shard_.facts.identity.empty() ? newIdentity() : shard_.facts.identity;
        result_.position.listenToken = shard_.facts.listenToken;
        open(&Comparison::rebuild);
    }

    void rebuild()
    {
        log::info("journal", "shard {}: begins anew with what is in Redis", settings_.shard);
        metrics::counter("restante_journal_rebuilds_total", label()).add();
        // Nothing is confirmed until all of it has been read.
        parts_.commands.command({"HDEL", prefix_ + "journal", "told"}, [](const auto&) {});
        const auto down = redis::committedChannel(prefix_);
        parts_.commands.command({"PUBLISH", down, "down"}, [](const auto&) {});
        newest("+", &Comparison::foundEnd);
    }

    void foundEnd(Entry entry)
    {
        // The stream goes on from here; what happens while the jobs are read is read twice, which
        // is harmless.
        result_.position.cursor = entry.value_or(StreamId{});
        isThere(shard_.listenStart, &Comparison::foundBeginning);
    }

    void foundBeginning(bool there)
    {
        if (there) {
            // Everything behind it carries what the journal needs.
            result_.position.cursor = shard_.listenStart;
        }
        std::shared_ptr<const std::set<std::string>> newer;
        if (lastCommonEvent_) {
            // What is before that is in the journal, and older than what else it has.
            result_.position.cursor = std::max(result_.position.cursor, *lastCommonEvent_);
            newer = std::make_shared<const std::set<std::string>>(newer_);
        }
        scan_ = scanStore(parts_, settings_, std::move(newer),
                          then<std::vector<std::string>>(&Comparison::scanned));
    }

    void scanned(std::vector<std::string> ended)
    {
        ended_ = std::move(ended);
        if (lastCommonEvent_) {
            return bringSettings(LostSettings::Newest, &Comparison::restoredSettings);
        }
        settingStep_ = recordSettings(parts_, settings_, then<void>(&Comparison::recordedSettings));
    }

    void recordedSettings()
    {
        if (result_.outcome == ComparisonOutcome::Restored) {
            // Topics are held back before any of their jobs is there.
            return bringSettings(LostSettings::Everything, &Comparison::restoredSettings);
        }
        writePosition([this] { finish(); });
    }

    void restoredSettings(std::uint64_t /*count*/)
    {
        lastCommonEvent_
            ? restore({.isOlder = true, .ended = std::move(ended_), .newer = std::move(newer_)})
            : restore({});
    }

    void bringSettings(LostSettings lost, void (Comparison::*next)(std::uint64_t))
    {
        settingStep_ = restoreSettings(parts_, settings_, lost, then<std::uint64_t>(next));
    }

    // Redis has lost the shard.

    void lost()
    {
        if (!settings_.recovers) {
            log::warning("journal",
                         "shard {}: Redis is not the one that the journal knows; bring back what "
                         "lives there with restantectl recover, or journal.recover = \"auto\"",
                         settings_.shard);
            return leaveBehind();
        }
        log::warning("journal",
                     "shard {}: Redis has lost the store: nothing is served before the journal has "
                     "brought it back",
                     settings_.shard);
        phase_ = "lost";
        result_.outcome = ComparisonOutcome::Restored;
        result_.position.identity = newIdentity();
        result_.position.listenToken = shard_.facts.listenToken;
        close([this] {
            mark_.reset();
            moves_ = 0;
            watched_ = Millis{0};
            watch();
        });
    }

    /// Is the store that the journal knows alive elsewhere? Then this Redis is a second one.
    void watch()
    {
        ask([](auto& sql) { return sql.fact(kAliveFact); }, &Comparison::gotMark);
    }

    void gotMark(std::string mark)
    {
        const auto isOurs = mark.substr(0, mark.find(' ')) == settings_.process;
        if (mark.empty() || isOurs || watched_ >= kWatch) {
            return checkForOlderCopy();
        }
        if (mark_ && *mark_ != mark && ++moves_ >= 2) {
            const auto process = mark.substr(0, mark.find(' '));
            return command({"HGET", redis::shardPrefix(settings_.prefix, 0) + "journal", "process"},
                           [process](Comparison& self, const redis::Reply& reply) {
                               self.gotProcess(process,
                                               reply.text() != nullptr ? *reply.text() : "");
                           });
        }
        if (!mark_) {
            log::info("journal",
                      "shard {}: waiting for {} s, in case the store of this journal is alive "
                      "elsewhere ({})",
                      settings_.shard, kWatch.count() / 1'000, mark.substr(0, mark.find(' ')));
        }
        mark_ = std::move(mark);
        watched_ += kWatchLook;
        look_.arm(kWatchLook, [this] { watch(); });
    }

    /// Whoever shows that the store is alive may be the one who records the first shard here.
    void gotProcess(const std::string& process, const std::string& here)
    {
        if (process == here) {
            return checkForOlderCopy();
        }
        refuse(fmt::format("the journal belongs to a store that is alive: {} records it. Give this "
                           "Redis a journal of its own (journal.url), or stop that daemon first",
                           process));
    }

    /// Has it forgotten its identity with everything else, or is it a copy of before it had one?
    /// An operator who adopts a store wants what it has to stay.
    void checkForOlderCopy()
    {
        isRestoring_ = true;
        if (!known_.position || !settings_.actor.empty()) {
            return rebuild();
        }
        newest(known_.position->cursor.print(), &Comparison::foundCommonEvent);
    }

    void foundCommonEvent(Entry entry)
    {
        if (!entry) {
            return rebuild();
        }
        lastCommonEvent_ = entry;
        log::warning("journal", "shard {}: it is an older copy: what the journal knows counts",
                     settings_.shard);
        readNewer(known_.position->cursor, &Comparison::rebuild);
    }

    // Redis has forgotten its newest writes.

    void rolledBack()
    {
        const auto cursor = known_.position->cursor.print();
        log::warning("journal",
                     "shard {}: Redis has forgotten the event {} and what came before it",
                     settings_.shard, cursor);
        if (!settings_.recovers) {
            log::warning("journal",
                         "shard {}: bring back what was done then with journal.recover = "
                         "\"auto\"",
                         settings_.shard);
            return leaveBehind();
        }
        phase_ = "rolled_back";
        result_.outcome = ComparisonOutcome::Restored;
        result_.position.identity =
            known_.position->identity.empty() ? newIdentity() : known_.position->identity;
        result_.position.listenToken = shard_.facts.listenToken;
        result_.position.cursor = stream_.newestUpTo.value_or(StreamId{});
        close([this] { readNewer(known_.position->cursor, &Comparison::restoreNewestSettings); });
    }

    /// What is lost is left to the operator.
    void leaveBehind()
    {
        ask([fact = leftBehindFact(settings_.shard)](auto& sql) { return sql.setFact(fact, "1"); },
            [](Comparison& self) { self.begin(ComparisonOutcome::LeftBehind); });
    }

    /// What came before anybody noticed is newer than what the journal says of those jobs.
    void readNewer(StreamId behind, void (Comparison::*next)())
    {
        command({"XRANGE", events_, "(" + behind.print(), "+", "COUNT", kEntriesOfBatch},
                [next](Comparison& self, const redis::Reply& reply) {
                    const auto entries = entriesOf(reply);
                    if (entries.empty()) {
                        return (self.*next)();
                    }
                    for (const auto& entry : entries) {
                        self.noteNewer(entry);
                    }
                    self.readNewer(entries.back().id, next);
                });
    }

    void noteNewer(const StreamEntry& entry)
    {
        if (auto event = parseEvent(entry.id, entry.fields)) {
            for (auto& job : event->jobs) {
                newer_.insert(std::move(job.id));
            }
        }
    }

    void restoreNewestSettings()
    {
        bringSettings(LostSettings::Newest, &Comparison::rolledSettingsForward);
    }

    void rolledSettingsForward(std::uint64_t /*count*/)
    {
        restore({.event = result_.position.cursor, .newer = std::move(newer_)});
    }

    void restore(RestoreRequest request)
    {
        restorer_ = restoreShard(
            parts_, settings_, std::move(request),
            [this](auto done, auto of) { tellProgress(done, of); },
            then<RecoverOutcome>(&Comparison::restored));
    }

    void tellProgress(std::uint64_t done, std::uint64_t of)
    {
        if (done > 0) {
            log::info("journal", "shard {}: {} of {} jobs looked at", settings_.shard, done, of);
        }
        closeShard(phase_, done, of);
    }

    /// The shard is not served; whoever waits for it is told why, and how far this is.
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

    /// How often everything, or only the newest, was brought back.
    metrics::Counter& recoveries(bool everything) const
    {
        return metrics::counter(
            "restante_store_recoveries_total",
            {std::to_string(settings_.shard), everything ? "everything" : "newest"});
    }

    void restored(RecoverOutcome outcome)
    {
        log::info("journal", "shard {}: brought back {} jobs; {} were left as they are",
                  settings_.shard, outcome.recovered, outcome.alreadyThere);
        recoveries(phase_ == "lost").add();
        // Were the position lowered first, a Redis that falls back once more would agree with it,
        // and what has just been brought forward would be lost. (One of before stores had an
        // identity stands under another name, which no batch moves.)
        if (phase_ == "rolled_back" && !known_.position->identity.empty()) {
            replaced_ = known_.position;
            return recordTheRest();
        }
        writePosition([this] { recordTheRest(); });
    }

    // The events of all that came back, before anybody is served: a journal that is still busy with
    // them would be behind with what is acknowledged next.

    void recordTheRest() { newest("+", &Comparison::foundLast); }

    void foundLast(Entry entry)
    {
        last_ = entry.value_or(StreamId{});
        recordMore();
    }

    void recordMore()
    {
        if (result_.position.cursor >= last_) {
            return replaced_ ? markTheEnd() : open(&Comparison::finish);
        }
        const auto behind = "(" + result_.position.cursor.print();
        command({"XRANGE", events_, behind, "+", "COUNT", kEntriesOfBatch}, &Comparison::gotMore);
    }

    /// What was brought forward left no event, as when it had all ended: so that the position can
    /// move on from what the journal knew, one that says nothing.
    void markTheEnd()
    {
        command({"XADD", events_, "*", "t", "listen", "at",
                 std::to_string(toEpochMs(parts_.clock.now()))},
                [](Comparison& self, const redis::Reply&) { self.recordTheRest(); });
    }

    void gotMore(redis::Reply reply)
    {
        const auto entries = entriesOf(reply);
        if (entries.empty()) {
            return end(failure(ErrorCode::Unavailable, "the events that came back are gone"));
        }
        auto batch =
            std::make_shared<ShardBatch>(batchOf(settings_.shard, result_.position, entries));
        if (replaced_) {
            batch->from = *replaced_;
        }
        parts_.sql.ask<void>(
            parts_.loop, [batch](auto& sql) { return conflictAsUnavailable(sql.commit(*batch)); },
            whileAlive(*this, [batch](Comparison& self, const Result<void>& written) {
                self.recorded(*batch, written);
            }));
    }

    void recorded(const ShardBatch& batch, const Result<void>& written)
    {
        if (written) {
            metrics::counter("restante_journal_events_total", label()).add(batch.events.size());
            result_.position = batch.to;
            replaced_.reset();
            return recordMore();
        }
        // Whoever does not wait for the database is served without it, and the recorder goes on.
        settings_.durable || replaced_ ? end(tl::unexpected(written.error()))
                                       : open(&Comparison::finish);
    }

    // The two steps that end it.

    void writePosition(std::function<void()> next)
    {
        ask(
            [shard = settings_.shard, before = known_.position,
             position = result_.position](auto& sql) {
                return conflictAsUnavailable(sql.setPosition(shard, before, position));
            },
            [next = std::move(next)](Comparison&) { next(); });
    }

    void close(std::function<void()> next)
    {
        result_.token.clear();
        closeShard(phase_, 0, 0, whileLeaseHeld(std::move(next)));
    }

    /// Lets the shard be served, unless it is.
    void open(void (Comparison::*next)())
    {
        if (!result_.token.empty()) {
            served_(result_.token);
            return (this->*next)();
        }
        auto token = newToken(toEpochMs(parts_.clock.now()));
        const auto floor = known_.position ? known_.position->cursor.print() : "0-0";
        scripts_.add(redis::script("journal_open_shard"), {},
                     {settings_.owner, shard_.facts.listenToken, token, result_.position.identity,
                      floor, "0"},
                     whileLeaseHeld([this, token, next] {
                         result_.token = token;
                         served_(token);
                         (this->*next)();
                     }));
    }

    redis::ScriptQueue::Answer whileLeaseHeld(std::function<void()> next)
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

    std::vector<std::string> label() const { return {std::to_string(settings_.shard)}; }

    std::string events_;
    Timer look_;
    Shard shard_;
    std::function<void(const std::string&)> served_;
    Known known_;
    std::optional<Error> unreachable_;  ///< the database; known_ is what this process remembers
    StreamFacts stream_;
    StreamId last_;                     ///< up to which it is recorded before it is served
    std::optional<Position> replaced_;  ///< by the first of these batches, after a roll-back
    Agreed result_;
    std::string_view phase_;
    std::optional<std::string> mark_;
    int moves_ = 0;
    Millis watched_{0};
    // Each may end from inside an answer of its own, so none takes the place of another.
    std::shared_ptr<void> scan_;
    std::shared_ptr<void> settingStep_;
    std::shared_ptr<void> restorer_;
    std::set<std::string> newer_;
    std::optional<StreamId> lastCommonEvent_;  ///< of a shard that is an older copy of itself
    std::vector<std::string> ended_;           ///< of those that it has
    bool isRestoring_ = false;
};

}  // namespace

std::shared_ptr<ShardComparison> ShardComparison::of(ShardParts parts, ShardSettings settings)
{
    return std::make_shared<Comparison>(parts, std::move(settings));
}

std::string leftBehindFact(std::uint32_t shard)
{
    return fmt::format("left_behind.{}", shard);
}

}  // namespace restante::journal
