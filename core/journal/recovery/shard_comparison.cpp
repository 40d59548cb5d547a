#include "core/journal/recovery/shard_comparison.h"

#include "core/base/async_task.h"
#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/journal/outbox/shard_batch.h"
#include "core/journal/recovery/setting_recovery.h"
#include "core/journal/recovery/shard_restorer.h"
#include "core/journal/recovery/store_scan.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script_queue.h"

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
Result<void> onceMore(Result<void> written)
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

}  // namespace

std::string leftBehindFact(std::uint32_t shard)
{
    return fmt::format("left_behind.{}", shard);
}

class ShardComparison::Impl : public AsyncTask<ShardComparison::Impl, Agreed> {
public:
    Impl(ShardParts parts, ShardSettings settings)
        : parts_(parts),
          settings_(std::move(settings)),
          prefix_(redis::shardPrefix(settings_.prefix, settings_.shard)),
          events_(prefix_ + "events"),
          scripts_(parts.loop, parts.commands, parts.clock, {.shardPrefix = prefix_}),
          look_(parts.loop)
    {
        for (const bool all : {false, true}) {
            recoveries(all);  // so that a first one shows as one
        }
    }

    void run(Shard shard, std::function<void(const std::string& token)> served, Done<Agreed> done)
    {
        shard_ = std::move(shard);
        served_ = std::move(served);
        AsyncTask::begin([this, done = std::move(done)](const Result<Agreed>& agreed) {
            look_.cancel();
            done(agreed);
        });
        result_ = {};
        result_.token = shard_.token;
        newer_.clear();
        oldEnd_.reset();
        replaced_.reset();
        bringsBack_ = false;
        if (shard_.unreachable) {
            return gotKnown(tl::unexpected(*shard_.unreachable));
        }
        parts_.sql.ask<Known>(
            parts_.loop,
            [shard = settings_.shard](SqlJournal& sql) -> Result<Known> {
                auto position = sql.position(shard);
                if (!position) {
                    return tl::unexpected(position.error());
                }
                if (*position) {
                    return Known{std::move(*position), false};
                }
                return sql.countLiving(shard).map([](std::uint64_t living) {
                    return Known{{}, living > 0};
                });
            },
            [weak = weak_from_this()](Result<Known> known) {
                if (auto self = weak.lock(); self && !self->isOver()) {
                    self->gotKnown(std::move(known));
                }
            });
    }

    bool bringsBack() const noexcept { return bringsBack_; }

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
        case StoreMatch::Fresh: return begin(Rebuilt::New);
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
            scripts_.add(redis::script("journal_close_shard"), {},
                         {settings_.owner, "foreign", "0", "0"}, [](const auto&) {});
        }
        end(failure(ErrorCode::Invalid, std::move(why)));
    }

    // What is in the stream.

    using Entry = std::optional<StreamId>;

    /// The newest entry at or before `end`, as XREVRANGE takes it; "+" = of all.
    void newest(std::string_view end, void (Impl::*next)(Entry))
    {
        parts_.commands.command({"XREVRANGE", events_, end, "-", "COUNT", "1"},
                                then<redis::Reply>([next](Impl& self, const redis::Reply& reply) {
                                    const auto entries = entriesOf(reply);
                                    (self.*next)(entries.empty() ? Entry() : entries.front().id);
                                }));
    }

    void isThere(StreamId id, void (Impl::*next)(bool))
    {
        parts_.commands.command({"XRANGE", events_, id.print(), id.print()},
                                then<redis::Reply>([next](Impl& self, const redis::Reply& reply) {
                                    (self.*next)(!entriesOf(reply).empty());
                                }));
    }

    // The same store: where is its stream?

    void lookAtStream() { isThere(known_.position->cursor, &Impl::foundCursor); }

    void foundCursor(bool there)
    {
        stream_ = {};
        stream_.hasCursor = there || known_.position->cursor == StreamId{};
        newest(known_.position->cursor.print(), &Impl::foundUpTo);
    }

    void foundUpTo(Entry entry)
    {
        stream_.newestUpTo = entry;
        newest("+", &Impl::foundNewest);
    }

    void foundNewest(Entry entry)
    {
        stream_.newest = entry.value_or(StreamId{});
        if (shard_.facts.since == known_.position->since || shard_.begun == StreamId{}) {
            return agree();
        }
        // The entry by which a listening begins says nothing of what the store had before it.
        newest("(" + shard_.begun.print(), &Impl::foundNewestBefore);
    }

    void foundNewestBefore(Entry entry)
    {
        stream_.newest = entry.value_or(stream_.newest);
        agree();
    }

    void agree()
    {
        const auto streamMatch = streamMatchOf(shard_.facts.since, *known_.position, stream_);
        if (streamMatch == StreamMatch::Agrees) {
            return agrees();
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
            return begin(Rebuilt::Gap);
        case StreamMatch::NotHeard: return begin(Rebuilt::Gap);
        }
    }

    void agrees()
    {
        result_.position = *known_.position;
        if (!result_.position.identity.empty()) {
            if (!result_.token.empty() || unreachable_) {
                return open(&Impl::finish);
            }
            return parts_.commands.command({"HGET", prefix_ + "store", "phase"},
                                           then<redis::Reply>(&Impl::foundPhase));
        }
        // Both are of before stores had an identity.
        result_.position.identity = newIdentity();
        writePosition([this] { open(&Impl::finish); });
    }

    /// Whoever was bringing it back may have come no further.
    void foundPhase(redis::Reply reply)
    {
        reply.text() != nullptr ? recordTheRest() : open(&Impl::finish);
    }

    void finish() { end(result_); }

    // What is in Redis is what counts: the journal begins anew with it.

    void begin(Rebuilt why)
    {
        result_.rebuilt = why;
        result_.position.identity =
            shard_.facts.identity.empty() ? newIdentity() : shard_.facts.identity;
        result_.position.since = shard_.facts.since;
        open(&Impl::rebuild);
    }

    void rebuild()
    {
        log::info("journal", "shard {}: begins anew with what is in Redis", settings_.shard);
        metrics::counter("restante_journal_rebuilds_total", label()).add();
        // Nothing is confirmed until all of it has been read.
        parts_.commands.command({"HDEL", prefix_ + "journal", "told"}, [](const auto&) {});
        const auto down = redis::committedChannel(prefix_);
        parts_.commands.command({"PUBLISH", down, "down"}, [](const auto&) {});
        newest("+", &Impl::foundEnd);
    }

    void foundEnd(Entry entry)
    {
        // The stream goes on from here; what happens while the jobs are read is read twice, which
        // is harmless.
        result_.position.cursor = entry.value_or(StreamId{});
        isThere(shard_.begun, &Impl::foundBeginning);
    }

    void foundBeginning(bool there)
    {
        if (there) {
            // Everything behind it carries what the journal needs.
            result_.position.cursor = shard_.begun;
        }
        std::shared_ptr<const std::set<std::string>> newer;
        if (oldEnd_) {
            // What is before that is in the journal, and older than what else it has.
            result_.position.cursor = std::max(result_.position.cursor, *oldEnd_);
            newer = std::make_shared<const std::set<std::string>>(newer_);
        }
        scan_ = scanStore(parts_, scripts_, settings_, std::move(newer),
                          then<std::vector<std::string>>(&Impl::scanned));
    }

    void scanned(std::vector<std::string> ended)
    {
        ended_ = std::move(ended);
        if (oldEnd_) {
            return bringSettings(LostSettings::Newest, &Impl::restoredSettings);
        }
        settingStep_ = recordSettings(parts_, settings_, then<void>(&Impl::recordedSettings));
    }

    void recordedSettings()
    {
        if (result_.rebuilt == Rebuilt::Restored) {
            // Topics are held back before any of their jobs is there.
            return bringSettings(LostSettings::Everything, &Impl::restoredSettings);
        }
        writePosition([this] { finish(); });
    }

    void restoredSettings(std::uint64_t /*count*/)
    {
        oldEnd_ ? restore({.isOlder = true, .ended = std::move(ended_), .newer = std::move(newer_)})
                : restore({});
    }

    void bringSettings(LostSettings lost, void (Impl::*next)(std::uint64_t))
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
        result_.rebuilt = Rebuilt::Restored;
        result_.position.identity = newIdentity();
        result_.position.since = shard_.facts.since;
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
        parts_.sql.ask<std::string>(
            parts_.loop, [](auto& sql) { return sql.fact(kAliveFact); },
            then<std::string>(&Impl::gotMark));
    }

    void gotMark(std::string mark)
    {
        const auto isOurs = mark.substr(0, mark.find(' ')) == settings_.process;
        if (mark.empty() || isOurs || watched_ >= kWatch) {
            return lookBehind();
        }
        if (mark_ && *mark_ != mark && ++moves_ >= 2) {
            const auto process = mark.substr(0, mark.find(' '));
            return parts_.commands.command(
                {"HGET", redis::shardPrefix(settings_.prefix, 0) + "journal", "process"},
                then<redis::Reply>([process](Impl& self, const redis::Reply& reply) {
                    self.gotProcess(process, reply.text() != nullptr ? *reply.text() : "");
                }));
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
            return lookBehind();
        }
        refuse(fmt::format("the journal belongs to a store that is alive: {} records it. Give this "
                           "Redis a journal of its own (journal.url), or stop that daemon first",
                           process));
    }

    /// Has it forgotten its identity with everything else, or is it a copy of before it had one?
    /// An operator who adopts a store wants what it has to stay.
    void lookBehind()
    {
        bringsBack_ = true;
        if (!known_.position || !settings_.actor.empty()) {
            return rebuild();
        }
        newest(known_.position->cursor.print(), &Impl::foundOldEnd);
    }

    void foundOldEnd(Entry entry)
    {
        if (!entry) {
            return rebuild();
        }
        oldEnd_ = entry;
        log::warning("journal", "shard {}: it is an older copy: what the journal knows counts",
                     settings_.shard);
        readNewer(known_.position->cursor, &Impl::rebuild);
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
        result_.rebuilt = Rebuilt::Restored;
        result_.position.identity =
            known_.position->identity.empty() ? newIdentity() : known_.position->identity;
        result_.position.since = shard_.facts.since;
        result_.position.cursor = stream_.newestUpTo.value_or(StreamId{});
        close([this] { readNewer(known_.position->cursor, &Impl::restoreNewestSettings); });
    }

    /// What is lost is left to the operator.
    void leaveBehind()
    {
        parts_.sql.ask<void>(
            parts_.loop,
            [fact = leftBehindFact(settings_.shard)](auto& sql) { return sql.setFact(fact, "1"); },
            then<void>([](Impl& self) { self.begin(Rebuilt::LeftBehind); }));
    }

    /// What came before anybody noticed is newer than what the journal says of those jobs.
    void readNewer(StreamId behind, void (Impl::*next)())
    {
        parts_.commands.command(
            {"XRANGE", events_, "(" + behind.print(), "+", "COUNT", kEntriesOfBatch},
            then<redis::Reply>([next](Impl& self, const redis::Reply& reply) {
                const auto entries = entriesOf(reply);
                if (entries.empty()) {
                    return (self.*next)();
                }
                for (const auto& entry : entries) {
                    self.noteNewer(entry);
                }
                self.readNewer(entries.back().id, next);
            }));
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
        bringSettings(LostSettings::Newest, &Impl::rolledSettingsForward);
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
            then<RecoverOutcome>(&Impl::restored));
    }

    void tellProgress(std::uint64_t done, std::uint64_t of)
    {
        if (done > 0) {
            log::info("journal", "shard {}: {} of {} jobs looked at", settings_.shard, done, of);
        }
        scripts_.add(redis::script("journal_close_shard"), {},
                     {settings_.owner, phase_, std::to_string(done), std::to_string(of)},
                     [](const auto&) {});
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

    void recordTheRest() { newest("+", &Impl::foundLast); }

    void foundLast(Entry entry)
    {
        last_ = entry.value_or(StreamId{});
        recordMore();
    }

    void recordMore()
    {
        if (result_.position.cursor >= last_) {
            return replaced_ ? markTheEnd() : open(&Impl::finish);
        }
        const auto behind = "(" + result_.position.cursor.print();
        parts_.commands.command({"XRANGE", events_, behind, "+", "COUNT", kEntriesOfBatch},
                                then<redis::Reply>(&Impl::gotMore));
    }

    /// What was brought forward left no event, as when it had all ended: so that the position can
    /// move on from what the journal knew, one that says nothing.
    void markTheEnd()
    {
        parts_.commands.command(
            {"XADD", events_, "*", "t", "listen", "at",
             std::to_string(toEpochMs(parts_.clock.now()))},
            then<redis::Reply>([](Impl& self, const redis::Reply&) { self.recordTheRest(); }));
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
            parts_.loop, [batch](auto& sql) { return onceMore(sql.commit(*batch)); },
            [weak = weak_from_this(), batch](const Result<void>& written) {
                if (auto self = weak.lock(); self && !self->isOver()) {
                    self->recorded(*batch, written);
                }
            });
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
        settings_.durable || replaced_ ? end(tl::unexpected(written.error())) : open(&Impl::finish);
    }

    // The two steps that end it.

    void writePosition(std::function<void()> next)
    {
        parts_.sql.ask<void>(
            parts_.loop,
            [shard = settings_.shard, before = known_.position, position = result_.position](
                auto& sql) { return onceMore(sql.setPosition(shard, before, position)); },
            then<void>([next = std::move(next)](Impl&) { next(); }));
    }

    void close(std::function<void()> next)
    {
        result_.token.clear();
        scripts_.add(redis::script("journal_close_shard"), {}, {settings_.owner, phase_, "0", "0"},
                     owned(std::move(next)));
    }

    /// Lets the shard be served, unless it is.
    void open(void (Impl::*next)())
    {
        if (!result_.token.empty()) {
            served_(result_.token);
            return (this->*next)();
        }
        auto token = newToken(toEpochMs(parts_.clock.now()));
        const auto floor = known_.position ? known_.position->cursor.print() : "0-0";
        scripts_.add(
            redis::script("journal_open_shard"), {},
            {settings_.owner, shard_.facts.since, token, result_.position.identity, floor, "0"},
            owned([this, token, next] {
                result_.token = token;
                served_(token);
                (this->*next)();
            }));
    }

    redis::ScriptQueue::Answer owned(std::function<void()> next)
    {
        return then<redis::Reply>([next = std::move(next)](Impl& self, const redis::Reply& reply) {
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

    ShardParts parts_;
    ShardSettings settings_;
    std::string prefix_;
    std::string events_;
    redis::ScriptQueue scripts_;
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
    std::optional<StreamId> oldEnd_;  ///< of a shard that is an older copy of itself
    std::vector<std::string> ended_;  ///< of those that it has
    bool bringsBack_ = false;
};

ShardComparison::ShardComparison(ShardParts parts, ShardSettings settings)
    : impl_(std::make_shared<Impl>(parts, std::move(settings)))
{
}

ShardComparison::~ShardComparison() = default;

void ShardComparison::run(Shard shard,
                          std::function<void(const std::string& token)> served,
                          Done<Agreed> done)
{
    impl_->run(std::move(shard), std::move(served), std::move(done));
}

bool ShardComparison::bringsBack() const noexcept
{
    return impl_->bringsBack();
}

}  // namespace restante::journal
