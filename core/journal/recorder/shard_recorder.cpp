#include "core/journal/recorder/shard_recorder.h"

#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/while_alive.h"
#include "core/journal/outbox/shard_batch.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace restante::journal {

namespace {

constexpr Millis kRetry{500};  // to a database or Redis that did not answer
/// Until a commit without an answer is one that hangs.
constexpr Millis kOverdue{2'000};
constexpr Millis kBlock{1'000};  // how long a read waits; a look at the connection now and then
/// Of a command that waits: longer than kBlock.
constexpr Millis kReadTimeout{8'000};
constexpr std::string_view kEntriesKept = "1000";  // for whoever watches events
/// How often the store of shard 0 shows that it is alive.
constexpr Millis kAlive{3'000};

redis::Connection::Settings readerOf(const ShardRecorder::Settings& settings)
{
    return {.url = settings.url,
            .timeout = kReadTimeout,
            .name = fmt::format("restante-journal-{}", settings.shard)};
}

class Recorder final : public ShardRecorder, public std::enable_shared_from_this<Recorder> {
public:
    Recorder(ShardParts parts, Settings settings, Handlers handlers)
        : parts_(parts),
          settings_(std::move(settings)),
          handlers_(std::move(handlers)),
          prefix_(redis::shardPrefix(settings_.prefix, settings_.shard)),
          events_(prefix_ + "events"),
          committed_(redis::committedChannel(prefix_)),
          leaseMs_(std::to_string(settings_.lease.count())),
          backlog_(std::to_string(settings_.backlog)),
          scripts_(parts.loop, parts.commands, parts.clock, {.shardPrefix = prefix_}),
          fencedScripts_(parts.loop, parts.commands, parts.clock, {.shardPrefix = prefix_}),
          reader_(parts.loop, readerOf(settings_)),
          heartbeat_(parts.loop),
          again_(parts.loop),
          overdue_(parts.loop),
          lagEntries_(metrics::gauge("restante_journal_lag_entries", label())),
          lagSeconds_(metrics::gauge("restante_journal_lag_seconds", label())),
          recorded_(metrics::counter("restante_journal_events_total", label()))
    {
    }

    void begin()
    {
        const auto changed = whileAlive(*this, &Recorder::connectionChanged);
        parts_.commands.onReady(changed);
        reader_.onReady(changed);
        heartbeat();
    }

    void stop(std::function<void()> stopped) override
    {
        const bool owned = step_ != Step::Waiting && step_ != Step::Stopped;
        const auto cursor = hasCursor() ? position_.cursor.print() : std::string();
        const auto* const status = step_ == Step::Stuck ? "down" : "";
        forget();
        heartbeat_.cancel();
        step_ = Step::Stopped;
        if (!owned || !parts_.commands.ready()) {
            return parts_.loop.post(std::move(stopped));
        }
        // The mark first: whoever takes the lease next need not wait for it.
        parts_.sql.ask<void>(
            parts_.loop,
            [marks = writesAliveMark()](auto& sql) {
                return marks ? sql.setFact(kAliveFact, "") : Result<void>{};
            },
            whileAlive(*this, [cursor, status, stopped = std::move(stopped)](Recorder& self,
                                                                             const Result<void>&) {
                self.renewLease(self.fencedScripts_, "0", cursor, status,
                                [stopped](const auto&) { stopped(); });
            }));
    }

    Step step() const noexcept override { return step_; }

    void setAnswering(bool answers) override
    {
        answering_ = answers;
        if (answers && step_ == Step::Recording && !token_.empty()) {
            tellCommitted();
        } else if (!answers && hasCursor()) {
            tellDown();
        }
    }

    void lookAgain() override
    {
        // What is in hand shows by itself that the database is another one.
        if ((step_ == Step::Recording && !batch_) || step_ == Step::Preparing) {
            storeChanged();
        }
    }

private:
    std::vector<std::string> label() const { return {std::to_string(settings_.shard)}; }
    bool writesAliveMark() const { return settings_.shard == 0; }

    /// Keeps the lease for `leaseMs`, 0 = gives it up, and says how far the journal is.
    void renewLease(redis::ScriptQueue& scripts,
                    std::string_view leaseMs,
                    std::string_view cursor,
                    std::string_view status,
                    redis::ScriptQueue::Answer answer)
    {
        scripts.add(redis::script("journal_commit"), {},
                    {settings_.owner, leaseMs, cursor, kEntriesKept, status}, std::move(answer));
    }

    /// `call` unless this is gone, or what was going on has been given up in the meantime.
    template <class T>
    std::function<void(Result<T>)> onlyNow(void (Recorder::*call)(Result<T>))
    {
        return whileAlive(*this, [epoch = epoch_, call](Recorder& self, Result<T> result) {
            if (self.epoch_ == epoch) {
                (self.*call)(std::move(result));
            }
        });
    }

    void later(void (Recorder::*call)())
    {
        again_.arm(kRetry, [this, call] { (this->*call)(); });
    }

    /// Whether everything up to position_ is committed: not while it is looked for.
    bool hasCursor() const { return step_ == Step::Recording || (step_ == Step::Stuck && batch_); }

    /// Gives up what is going on; its answers are dropped.
    void forget()
    {
        ++epoch_;
        again_.cancel();
        overdue_.cancel();
        comparison_.reset();
    }

    /// From here on Redis may be another server than before: nothing is believed until its shard
    /// has been looked at again.
    void connectionChanged(bool ready)
    {
        if (step_ == Step::Stopped) {
            return;
        }
        token_.clear();
        if (comparison_) {
            forget();
        }
        if (ready && parts_.commands.ready() && reader_.ready()) {
            acquireLease();
        }
    }

    // The lease.

    /// A third of the lease: two of them may get lost.
    void heartbeat()
    {
        heartbeat_.arm(settings_.lease / 3, [this] { heartbeat(); });
        if (hasCursor() && !token_.empty()) {
            return tellCommitted();
        }
        if (step_ == Step::Stuck) {
            tellDown();
        }
        writeAliveMark();
        acquireLease();
    }

    void acquireLease()
    {
        const auto token = newToken(toEpochMs(parts_.clock.now()));
        scripts_.add(redis::script("journal_take_lease"), {},
                     {settings_.owner, leaseMs_, backlog_, token, settings_.process},
                     whileAlive(*this, &Recorder::taken));
    }

    void taken(const Result<redis::Reply>& reply)
    {
        const auto words = redis::textsOf(reply.value_or(redis::Reply{}));
        if (step_ == Step::Stopped || words.size() != 7) {
            return;  // the next heartbeat asks again
        }
        const auto& token = words[6];
        if (words[0] != "taken") {
            if (!token.empty()) {
                tellListening();
            }
            return onLeaseLost();
        }
        const ShardFacts facts{words[5], words[1]};
        const bool same = facts.identity == shard_.facts.identity &&
                          facts.listenToken == shard_.facts.listenToken;
        if (comparison_ && same) {
            return;
        }
        if (hasCursor() && same && !token.empty() && token == compared_) {
            return resume();  // the connection was lost, and nothing else
        }
        shard_.facts = facts;
        shard_.listenStart = StreamId::parse(words[2]).value_or(StreamId{});
        shard_.token = token;
        compare();
    }

    void tellListening()
    {
        if (auto tell = std::exchange(handlers_.onRecordingAssured, nullptr)) {
            tell();
        }
    }

    void onLeaseLost()
    {
        if (step_ == Step::Waiting) {
            return;
        }
        log::warning("journal", "shard {}: another program records it now", settings_.shard);
        giveUp();
    }

    void giveUp()
    {
        forget();
        batch_.reset();
        token_.clear();
        compared_.clear();
        hasRecorded_ = false;
        step_ = Step::Waiting;
        lagEntries_.set(0);
        lagSeconds_.set(0);
    }

    // Where to go on.

    void compare()
    {
        forget();
        token_.clear();
        if (step_ != Step::Stuck) {
            step_ = Step::Preparing;
        }
        shard_.remembered = hasRecorded_ ? std::optional(position_) : std::nullopt;
        shard_.unreachable.reset();
        if (!batch_) {
            return beginComparison();
        }
        // What was read before belongs to the journal, whatever has become of Redis since.
        write(&Recorder::committedPending);
    }

    void committedPending(Result<void> written)
    {
        overdue_.cancel();
        if (!written && written.error().code != ErrorCode::Conflict) {
            stuck(written.error());
            shard_.unreachable = written.error();
        } else {
            if (written) {
                recorded_.add(batch_->events.size());
                position_ = batch_->to;
                shard_.remembered = position_;
            }
            batch_.reset();
        }
        beginComparison();
    }

    void beginComparison()
    {
        const auto comparison = ShardComparison::of(parts_, settings_);
        comparison_ = comparison;  // which may end at once
        comparison->run(shard_, whileAlive(*this, &Recorder::served, epoch_),
                        onlyNow<ShardComparison::Agreed>(&Recorder::compared));
    }

    /// Without a journal that confirms, nobody needs to wait for the rest.
    void served(std::uint64_t epoch, const std::string& /*token*/)
    {
        if (epoch == epoch_ && !settings_.durable) {
            tellListening();
        }
    }

    void compared(Result<ShardComparison::Agreed> agreed)
    {
        comparison_.reset();
        if (!agreed) {
            const auto& why = agreed.error();
            if (why.code == ErrorCode::Conflict) {
                return onLeaseLost();
            }
            if (why.code == ErrorCode::Invalid) {
                return refuse(why);
            }
            stuck(why);
            return later(&Recorder::compare);
        }
        position_ = agreed->position;
        token_ = agreed->token;
        compared_ = agreed->token;
        shard_.facts.identity = position_.identity;
        hasRecorded_ = true;
        fencedScripts_.setTokenKey(prefix_ + "serving:" + token_);
        record();
        if (agreed->outcome != ComparisonOutcome::Unchanged) {
            handlers_.rebuilt(agreed->outcome, token_);
        }
    }

    /// The lease is another one's to take: there may be a daemon with the right journal.
    void refuse(const Error& why)
    {
        if (why.message != lastProblem_) {
            log::error("journal", "shard {}: {}", settings_.shard, why.message);
            lastProblem_ = why.message;
            handlers_.foreign(why);
        }
        renewLease(scripts_, "0", "", "", [](const auto&) {});
        giveUp();
    }

    // Entry by entry.

    void record()
    {
        log::info("journal", "shard {}: recording behind {}", settings_.shard,
                  position_.cursor.print());
        if (batch_) {
            step_ = Step::Stuck;  // it waits for the database
            tellListening();
            return later(&Recorder::commit);
        }
        lastProblem_.clear();
        step_ = Step::Recording;
        tellCommitted();
        tellListening();
        read();
    }

    void resume()
    {
        if (!token_.empty()) {
            return;
        }
        token_ = compared_;
        tellCommitted();
        if (step_ == Step::Recording) {
            read();
        }
    }

    void read()
    {
        if (token_.empty() || reading_) {
            return;  // resume(), or the answer, goes on
        }
        const auto block = std::to_string(kBlock.count());
        const auto id = position_.cursor.print();
        reading_ = true;
        entriesRead_ = false;
        reader_.command({"XREAD", "COUNT", std::to_string(entriesAtOnce_), "BLOCK", block,
                         "STREAMS", events_, id},
                        whileAlive(*this, &Recorder::gotEntries, epoch_));
        // Sent with the read and answered after it: if the token holds then, what was read is of
        // the store that was compared; and if the entry at the cursor is there, nothing behind it
        // had been cut off.
        reader_.command({"EXISTS", prefix_ + "serving:" + token_},
                        onlyNow<redis::Reply>(&Recorder::sawToken));
        reader_.command({"XRANGE", events_, id, id}, onlyNow<redis::Reply>(&Recorder::sawCursor));
    }

    void gotEntries(std::uint64_t epoch, Result<redis::Reply> reply)
    {
        reading_ = false;
        if (epoch != epoch_) {
            // Of a time before a comparison, which may wait for its end.
            if (step_ == Step::Recording && !batch_) {
                read();
            }
            return;
        }
        if (!reply || token_.empty()) {
            return later(&Recorder::read);
        }
        entries_ = entriesOfStream(std::move(*reply));
        entriesRead_ = true;
    }

    void sawToken(Result<redis::Reply> reply)
    {
        const auto* holds = reply ? reply->integer() : nullptr;
        if (entriesRead_ && holds != nullptr && *holds == 0) {
            storeChanged();
        }
    }

    void sawCursor(Result<redis::Reply> reply)
    {
        if (!entriesRead_) {
            return;  // they are read again
        }
        if (!reply) {
            return later(&Recorder::read);
        }
        if (reply->size() == 0 && position_.cursor != StreamId{}) {
            return storeChanged();
        }
        entries_.empty() ? read() : commitEntries();
    }

    /// Emptied, exchanged, rolled back, or cut off: it is looked at again.
    void storeChanged()
    {
        forget();
        token_.clear();
        compared_.clear();
        step_ = Step::Preparing;
        acquireLease();
    }

    void commitEntries()
    {
        const auto entries = std::exchange(entries_, {});
        batch_ = std::make_shared<ShardBatch>(batchOf(settings_.shard, position_, entries));
        entriesAtOnce_ = entriesBehind(*batch_, entries.size());
        commit();
    }

    void commit() { write(&Recorder::committed); }

    void write(void (Recorder::*told)(Result<void>))
    {
        overdue_.arm(kOverdue, [this] {
            stuck({ErrorCode::Unavailable, fmt::format("the database has not answered for {} s",
                                                       kOverdue.count() / 1'000)});
        });
        parts_.sql.ask<void>(
            parts_.loop, [batch = batch_](auto& sql) { return sql.commit(*batch); },
            onlyNow<void>(told));
    }

    void committed(Result<void> written)
    {
        overdue_.cancel();
        if (!written && written.error().code == ErrorCode::Conflict) {
            // Ours, committed while the answer was lost; or another program's. SQL knows.
            batch_.reset();
            return compare();
        }
        if (!written) {
            stuck(written.error());
            return later(&Recorder::commit);
        }
        if (step_ == Step::Stuck) {
            log::info("journal", "shard {}: the database answers again", settings_.shard);
            lastProblem_.clear();
        }
        step_ = Step::Recording;
        recorded_.add(batch_->events.size());
        answering_ = true;
        position_ = batch_->to;
        batch_.reset();
        if (!token_.empty()) {
            tellCommitted();
        }
        read();
    }

    void tellDown()
    {
        parts_.commands.command({"PUBLISH", committed_, "down"}, [](const auto&) {});
    }

    void tellCommitted()
    {
        const auto* const status = step_ == Step::Stuck || !answering_ ? "down" : "";
        renewLease(fencedScripts_, leaseMs_, position_.cursor.print(), status,
                   onlyNow<redis::Reply>(&Recorder::toldCommitted));
    }

    void toldCommitted(Result<redis::Reply> reply)
    {
        if (!reply) {
            if (redis::isRefused(reply, "NOTSERVING") && hasCursor()) {
                storeChanged();
            }
            return;  // the next heartbeat tells it again
        }
        if (reply->text() != nullptr && *reply->text() == "missing") {
            if (step_ == Step::Recording) {  // else the database is away, and this has time
                storeChanged();
            }
            return;
        }
        const auto* const id = reply->at(0).text();
        const auto* const waiting = reply->at(1).integer();
        if (id == nullptr || waiting == nullptr) {
            return onLeaseLost();
        }
        const auto oldest = StreamId::parse(*id);
        const auto now = toEpochMs(parts_.clock.now());
        const auto since = oldest ? static_cast<std::int64_t>(oldest->ms) : now;
        lagEntries_.set(static_cast<double>(*waiting));
        lagSeconds_.set(static_cast<double>(std::max<std::int64_t>(now - since, 0)) / 1'000);
        writeAliveMark();
    }

    /// To whoever would take a second store for the one that this journal has lost.
    void writeAliveMark()
    {
        const auto now = std::chrono::steady_clock::now();
        const bool keeps = hasCursor() || (comparison_ && comparison_->isRestoring());
        if (!writesAliveMark() || !keeps || now < nextMark_) {
            return;
        }
        nextMark_ = now + kAlive;
        parts_.sql.ask<void>(
            parts_.loop,
            [mark = fmt::format("{} {}", settings_.process, ++marks_)](auto& sql) {
                return sql.setFact(kAliveFact, mark);
            },
            [](const auto&) {});
    }

    void stuck(const Error& why)
    {
        if (why.message != lastProblem_) {
            log::error("journal", "shard {}: {}; events wait in Redis", settings_.shard,
                       why.message);
            lastProblem_ = why.message;
        }
        if (step_ != Step::Stuck) {
            tellDown();
        }
        step_ = Step::Stuck;
    }

    ShardParts parts_;
    Settings settings_;
    Handlers handlers_;
    std::string prefix_;
    std::string events_;
    std::string committed_;
    std::string leaseMs_;
    std::string backlog_;
    redis::ScriptQueue scripts_;
    redis::ScriptQueue
        fencedScripts_;  ///< names the token: what it does is done to the store we know
    redis::Connection reader_;
    Timer heartbeat_;
    Timer again_;
    Timer overdue_;
    metrics::Gauge& lagEntries_;
    metrics::Gauge& lagSeconds_;
    metrics::Counter& recorded_;
    Step step_ = Step::Waiting;
    std::uint64_t epoch_ = 0;  ///< answers of an older one are dropped
    ShardComparison::Shard shard_;
    std::shared_ptr<ShardComparison> comparison_;
    std::string compared_;      ///< the token that the last comparison ended with
    std::string token_;         ///< the same, while the connections have not been lost since
    Position position_;         ///< of what is committed
    bool hasRecorded_ = false;  ///< position_ is known, since we have the lease
    bool reading_ = false;
    bool entriesRead_ = false;  ///< by the read whose store is being looked at
    std::size_t entriesAtOnce_ = kFewestEntries;
    bool answering_ = true;  ///< the database, as far as anybody knows
    std::string lastProblem_;
    std::vector<StreamEntry> entries_;
    std::shared_ptr<ShardBatch> batch_;
    std::chrono::steady_clock::time_point nextMark_{};
    std::uint64_t marks_ = 0;
};

}  // namespace

std::shared_ptr<ShardRecorder>
ShardRecorder::start(ShardParts parts, Settings settings, Handlers handlers)
{
    auto recorder = std::make_shared<Recorder>(parts, std::move(settings), std::move(handlers));
    recorder->begin();
    return recorder;
}

}  // namespace restante::journal
