#include "core/journal/recorder/shard_recorder.h"

#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/while_alive.h"
#include "core/journal/outbox/shard_batch.h"
#include "core/journal/recorder/recording_pace.h"
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

constexpr Millis kRetryDelay{500};  // after the database or Redis did not answer
/// A commit without an answer for so long counts as hanging.
constexpr Millis kCommitOverdue{2'000};
constexpr Millis kReadBlock{
    1'000};  // how long a read waits; bounded, so that a dead connection is noticed
/// The time-out of the reading connection: longer than kReadBlock.
constexpr Millis kReadTimeout{8'000};
constexpr std::string_view kEntriesKept =
    "1000";  // entries that are kept for other readers of the stream
/// How often the recorder of shard 0 writes its alive mark.
constexpr Millis kAliveInterval{3'000};
/// How often a pause looks at what waits: no rarer than the shortest `journal.allowed_lag`.
constexpr Millis kPauseStep{100};
/// How often Redis hears of commits while everybody who waits for them is in this process.
constexpr Millis kReportInterval{50};
/// How long the end of the recorder may record what its last pause has left; less than
/// JournalService waits for its end.
constexpr Millis kDrainTimeout{2'000};

std::optional<ThreadTimes> unknownTimes()
{
    return std::nullopt;
}

/// Of a commit between whose beginning and end its thread had these times.
CommitCost costOf(const ShardBatch& batch,
                  const std::optional<ThreadTimes>& before,
                  const std::optional<ThreadTimes>& after)
{
    CommitCost cost;
    if (before && after) {
        cost.times =
            ThreadTimes{after->running - before->running, after->waiting - before->waiting};
    }
    cost.entries = batch.events.size();
    cost.bytes = recordBytesOf(batch);
    return cost;
}

redis::Connection::Settings readerSettings(const ShardRecorder::Settings& settings)
{
    return {.url = settings.url,
            .timeout = kReadTimeout,
            .name = fmt::format("restante-journal-{}", settings.shard)};
}

class Recorder final : public ShardRecorder, public std::enable_shared_from_this<Recorder> {
public:
    Recorder(JournalContext context, Settings settings, Handlers handlers)
        : context_(context),
          settings_(std::move(settings)),
          handlers_(std::move(handlers)),
          prefix_(redis::shardPrefix(settings_.prefix, settings_.shard)),
          eventsKey_(prefix_ + "events"),
          committedChannel_(redis::committedChannel(prefix_)),
          leaseMs_(std::to_string(settings_.lease.count())),
          backlog_(std::to_string(settings_.backlog)),
          scripts_(context.loop, context.commands, context.clock, {.shardPrefix = prefix_}),
          fencedScripts_(context.loop, context.commands, context.clock, {.shardPrefix = prefix_}),
          reader_(context.loop, readerSettings(settings_)),
          heartbeatTimer_(context.loop),
          retryTimer_(context.loop),
          overdueTimer_(context.loop),
          pauseTimer_(context.loop),
          drainTimer_(context.loop),
          reportTimer_(context.loop),
          pace_(settings_.pace),
          lagEntries_(metrics::gauge("restante_journal_lag_entries", metricLabels())),
          lagSeconds_(metrics::gauge("restante_journal_lag_seconds", metricLabels())),
          recordedCounter_(metrics::counter("restante_journal_events_total", metricLabels()))
    {
    }

    ~Recorder() override { setComparedToken({}); }

    void begin()
    {
        const auto onChange = whileAlive(*this, &Recorder::connectionChanged);
        context_.commands.onReady(onChange);
        reader_.onReady(onChange);
        heartbeat();
    }

    void stop(std::function<void()> stopped) override
    {
        if (step_ == Step::Recording && pauseTimer_.armed()) {
            onDrained_ = std::move(stopped);
            drainTimer_.arm(kDrainTimeout, [this] { endDraining(); });
            return read();
        }
        leave(std::move(stopped));
    }

    Step step() const noexcept override { return step_; }
    bool isOwner() const noexcept override { return step_ == Step::Recording && !token_.empty(); }

    void setDatabaseAnswers(bool answers) override
    {
        isDatabaseAnswering_ = answers;
        if (answers && step_ == Step::Recording && !token_.empty()) {
            reportCommitted();
        } else if (!answers && hasCursor()) {
            publishDown();
        }
    }

    void compareAgain() override
    {
        // A batch that is being committed will show by itself that the database is another one.
        if ((step_ == Step::Recording && !batch_) || step_ == Step::Preparing) {
            recheckStore();
        }
    }

private:
    std::vector<std::string> metricLabels() const { return {std::to_string(settings_.shard)}; }
    bool writesAliveMarks() const { return settings_.shard == 0; }

    /// Gives the lease up, then calls `stopped`.
    void leave(std::function<void()> stopped)
    {
        const bool hadLease = step_ != Step::Waiting && step_ != Step::Stopped;
        const auto cursor = hasCursor() ? position_.cursor.toString() : std::string();
        const auto* const status = step_ == Step::Stuck ? "down" : "";
        cancelPending();
        setComparedToken({});  // the next recorder may be in another process
        heartbeatTimer_.cancel();
        step_ = Step::Stopped;
        if (!hadLease || !context_.commands.ready()) {
            return context_.loop.post(std::move(stopped));
        }
        // The mark is cleared first, so that the next holder of the lease need not wait for it to
        // grow old.
        context_.sql.ask<void>(
            context_.loop,
            [writesMark = writesAliveMarks()](auto& sql) {
                return writesMark ? sql.setFact(kAliveFact, "") : Result<void>{};
            },
            whileAlive(*this, [cursor, status, stopped = std::move(stopped)](Recorder& self,
                                                                             const Result<void>&) {
                self.setLeaseAndCursor(self.fencedScripts_, "0", cursor, status,
                                       [stopped](const auto&) { stopped(); });
            }));
    }

    /// Everything that was in the stream is recorded, or it takes too long.
    void endDraining()
    {
        if (auto stopped = std::exchange(onDrained_, nullptr)) {
            drainTimer_.cancel();
            leave(std::move(stopped));
        }
    }

    /// Renews the lease for `leaseMs`, 0 = gives it up, and tells Redis the journal's cursor.
    void setLeaseAndCursor(redis::ScriptQueue& scripts,
                           std::string_view leaseMs,
                           std::string_view cursor,
                           std::string_view status,
                           redis::ScriptQueue::Answer answer)
    {
        scripts.add(redis::script("journal_commit"), {},
                    {settings_.owner, leaseMs, cursor, kEntriesKept, status}, std::move(answer));
    }

    /// Calls `call` unless this has been destroyed or cancelPending() was called meanwhile.
    template <class T>
    std::function<void(Result<T>)> ifCurrent(void (Recorder::*call)(Result<T>))
    {
        return whileAlive(*this, [epoch = epoch_, call](Recorder& self, Result<T> result) {
            if (self.epoch_ == epoch) {
                (self.*call)(std::move(result));
            }
        });
    }

    void retryLater(void (Recorder::*call)())
    {
        retryTimer_.arm(kRetryDelay, [this, call] { (this->*call)(); });
    }

    /// Whether everything up to position_ is committed; false while the position is being
    /// determined.
    bool hasCursor() const { return step_ == Step::Recording || (step_ == Step::Stuck && batch_); }

    /// Cancels what is under way; its answers are dropped.
    void cancelPending()
    {
        ++epoch_;
        retryTimer_.cancel();
        overdueTimer_.cancel();
        pauseTimer_.cancel();
        reportTimer_.cancel();
        comparison_.reset();
        isWritingPendingBatch_ = false;
        areEntriesCurrent_ = false;
        entries_.clear();
    }

    /// From here on Redis may be another server than before: nothing is served or recorded until
    /// the shard has been checked again.
    void connectionChanged(bool ready)
    {
        if (step_ == Step::Stopped) {
            return;
        }
        token_.clear();
        if (comparison_) {
            cancelPending();
        }
        if (ready && context_.commands.ready() && reader_.ready()) {
            acquireLease();
        }
    }

    // The lease.

    /// Every third of the lease, so that two may get lost.
    void heartbeat()
    {
        heartbeatTimer_.arm(settings_.lease / 3, [this] { heartbeat(); });
        if (hasCursor() && !token_.empty()) {
            reportCommitted();
        } else {
            if (step_ == Step::Stuck) {
                publishDown();
            }
            writeAliveMark();
        }
        // Tells also by which token the shard is served, which is none when a cluster has brought
        // it to another server: no connection of ours need have been lost then.
        acquireLease();
    }

    void acquireLease()
    {
        const auto token = newToken(toEpochMs(context_.clock.now()));
        scripts_.add(redis::script("journal_take_lease"), {},
                     {settings_.owner, leaseMs_, backlog_, token, settings_.process},
                     whileAlive(*this, &Recorder::onLease));
    }

    void onLease(const Result<redis::Reply>& reply)
    {
        const auto words = redis::textsOf(reply.value_or(redis::Reply{}));
        if (step_ == Step::Stopped || words.size() != 7) {
            return;  // the next heartbeat asks again
        }
        const auto& token = words[6];
        if (words[0] != "taken") {
            if (!token.empty()) {
                reportAssured();
            }
            return onLeaseLost();
        }
        const ShardFacts facts{words[5], words[1]};
        const bool isSameShard = facts.identity == shard_.facts.identity &&
                                 facts.listenToken == shard_.facts.listenToken;
        if (comparison_ && isSameShard) {
            return;
        }
        if (hasCursor() && isSameShard && !token.empty() && token == comparedToken_) {
            return resume();  // only the connection was lost
        }
        shard_.facts = facts;
        shard_.cursorInRedis = StreamId::parse(words[2]).value_or(StreamId{});
        shard_.token = token;
        if (!isWritingPendingBatch_ || !isSameShard) {
            compare();
        }
    }

    /// Empty = the store must be compared before it counts again.
    void setComparedToken(std::string token)
    {
        const auto old = std::exchange(comparedToken_, std::move(token));
        if (settings_.notices == nullptr) {
            return;
        }
        if (!old.empty() && old != comparedToken_) {
            settings_.notices->end(old);
        }
        if (!comparedToken_.empty()) {
            settings_.notices->begin(comparedToken_, position_.cursor);
        }
    }

    void reportAssured()
    {
        if (auto report = std::exchange(handlers_.onRecordingAssured, nullptr)) {
            report();
        }
    }

    void onLeaseLost()
    {
        if (step_ == Step::Waiting) {
            return;
        }
        log::warning("journal", "shard {}: another program records it now", settings_.shard);
        becomeWaiting();
    }

    void becomeWaiting()
    {
        cancelPending();
        batch_.reset();
        token_.clear();
        setComparedToken({});
        isPositionKnown_ = false;
        step_ = Step::Waiting;
        lagEntries_.set(0);
        lagSeconds_.set(0);
    }

    // Where to go on.

    void compare()
    {
        cancelPending();
        token_.clear();
        if (step_ != Step::Stuck) {
            step_ = Step::Preparing;
        }
        shard_.remembered = isPositionKnown_ ? std::optional(position_) : std::nullopt;
        shard_.databaseError.reset();
        if (!batch_) {
            return beginComparison();
        }
        // The batch that was read before belongs to the journal, whatever has happened to Redis
        // since.
        isWritingPendingBatch_ = true;
        write(&Recorder::onPendingCommitted);
    }

    void onPendingCommitted(Result<CommitCost> written)
    {
        isWritingPendingBatch_ = false;
        overdueTimer_.cancel();
        if (!written && written.error().code != ErrorCode::Conflict) {
            setStuck(written.error());
            shard_.databaseError = written.error();
        } else {
            if (written) {
                recordedCounter_.add(batch_->events.size());
                position_ = batch_->to;
                shard_.remembered = position_;
            }
            batch_.reset();
        }
        beginComparison();
    }

    void beginComparison()
    {
        const auto comparison = ShardComparison::of(context_, settings_);
        comparison_ = comparison;  // run() may end at once
        comparison->run(shard_, whileAlive(*this, &Recorder::onServed, epoch_),
                        ifCurrent<ShardComparison::Agreement>(&Recorder::onCompared));
    }

    /// Unless the journal is durable, nobody needs to wait for the rest of the comparison.
    void onServed(std::uint64_t epoch, const std::string& /*token*/)
    {
        if (epoch == epoch_ && !settings_.durable) {
            reportAssured();
        }
    }

    void onCompared(Result<ShardComparison::Agreement> agreement)
    {
        comparison_.reset();
        if (!agreement) {
            const auto& why = agreement.error();
            if (why.code == ErrorCode::Conflict) {
                return onLeaseLost();
            }
            if (why.code == ErrorCode::Invalid) {
                return refuse(why);
            }
            setStuck(why);
            return retryLater(&Recorder::compare);
        }
        position_ = agreement->position;
        token_ = agreement->token;
        setComparedToken(agreement->token);
        shard_.facts.identity = position_.identity;
        isPositionKnown_ = true;
        fencedScripts_.setTokenKey(prefix_ + "serving:" + token_);
        beginRecording();
        handlers_.onCompared(comparedToken_);
    }

    /// Gives the lease up, because there may be a daemon with the right journal.
    void refuse(const Error& why)
    {
        if (why.message != lastProblem_) {
            log::error("journal", "shard {}: {}", settings_.shard, why.message);
            lastProblem_ = why.message;
            handlers_.onForeignJournal(why);
        }
        setLeaseAndCursor(scripts_, "0", "", "", [](const auto&) {});
        becomeWaiting();
    }

    // Entry by entry.

    void beginRecording()
    {
        log::info("journal", "shard {}: recording behind {}", settings_.shard,
                  position_.cursor.toString());
        if (batch_) {
            step_ = Step::Stuck;  // the batch waits for the database
            reportAssured();
            return retryLater(&Recorder::commit);
        }
        lastProblem_.clear();
        step_ = Step::Recording;
        reportCommitted();
        reportAssured();
        read();
    }

    void resume()
    {
        if (!token_.empty()) {
            return;
        }
        token_ = comparedToken_;
        reportCommitted();
        if (step_ == Step::Recording) {
            batch_ ? readAhead() : read();
        }
    }

    /// The entry behind which nothing has been read yet.
    StreamId lastRead() const
    {
        return !entries_.empty() ? entries_.back().id
               : batch_          ? batch_->to.cursor
                                 : position_.cursor;
    }

    void read()
    {
        if (token_.empty() || isReading_) {
            return;  // resume() or onEntries() reads again
        }
        pauseTimer_.cancel();
        readFrom_ = lastRead();
        const auto count = std::to_string(entriesPerRead_);
        const auto block = std::to_string(kReadBlock.count());
        const auto id = readFrom_.toString();
        isReading_ = true;
        areEntriesCurrent_ = false;
        redis::Connection::Args words{"XREAD", "COUNT", count};
        if (!onDrained_) {
            words.insert(words.end(), {"BLOCK", block});
        }
        words.insert(words.end(), {"STREAMS", eventsKey_, id});
        reader_.command(words, whileAlive(*this, &Recorder::onEntries, epoch_));
        // Sent with the read and answered after it. If the token is still valid then, the entries
        // are of the store that was compared; and if the entry at the cursor exists, no entry after
        // it had been trimmed.
        reader_.command({"EXISTS", prefix_ + "serving:" + token_},
                        ifCurrent<redis::Reply>(&Recorder::onTokenCheck));
        reader_.command({"XRANGE", eventsKey_, id, id},
                        ifCurrent<redis::Reply>(&Recorder::onCursorCheck));
    }

    /// While a batch is committed, where callers wait for the commits: the next one can begin as
    /// soon as this one ends.
    void readAhead()
    {
        if (settings_.durable && step_ == Step::Recording && entries_.size() < entriesPerRead_) {
            read();
        }
    }

    /// Where a batch is pending, its end reads again.
    void readAgain()
    {
        if (!batch_) {
            retryLater(&Recorder::read);
        }
    }

    void onEntries(std::uint64_t epoch, Result<redis::Reply> reply)
    {
        isReading_ = false;
        if (epoch != epoch_) {
            // The read was begun before a comparison; recording may be waiting for its end.
            if (step_ == Step::Recording) {
                batch_ ? readAhead() : read();
            }
            return;
        }
        if (!reply || token_.empty()) {
            return readAgain();
        }
        unchecked_ = entriesOfStream(std::move(*reply));
        areEntriesCurrent_ = true;
    }

    void onTokenCheck(Result<redis::Reply> reply)
    {
        const auto* holds = reply ? reply->integer() : nullptr;
        if (areEntriesCurrent_ && holds == nullptr) {
            areEntriesCurrent_ = false;
            return readAgain();
        }
        if (areEntriesCurrent_ && *holds == 0) {
            recheckStore();
        }
    }

    void onCursorCheck(Result<redis::Reply> reply)
    {
        if (!areEntriesCurrent_) {
            return;  // the entries are read again
        }
        if (!reply) {
            return readAgain();
        }
        if (reply->size() == 0 && readFrom_ != StreamId{}) {
            return recheckStore();
        }
        areEntriesCurrent_ = false;
        std::ranges::move(std::exchange(unchecked_, {}), std::back_inserter(entries_));
        if (batch_) {
            return readAhead();
        }
        if (!entries_.empty()) {
            return commitEntries();
        }
        onDrained_ ? endDraining() : read();
    }

    /// The store was emptied, exchanged or rolled back, or its stream trimmed: it is compared
    /// again.
    void recheckStore()
    {
        cancelPending();
        token_.clear();
        setComparedToken({});
        step_ = Step::Preparing;
        acquireLease();
    }

    void commitEntries()
    {
        const auto entries = std::exchange(entries_, {});
        batch_ = std::make_shared<ShardBatch>(batchOf(settings_.shard, position_, entries));
        batchToken_ = comparedToken_;
        entriesPerRead_ = entriesPerCommit(*batch_, entries.size());
        commit();
        readAhead();
    }

    void commit() { write(&Recorder::onCommitted); }

    void write(void (Recorder::*next)(Result<CommitCost>))
    {
        overdueTimer_.arm(kCommitOverdue, [this] {
            setStuck({ErrorCode::Unavailable, fmt::format("the database has not answered for {} s",
                                                          kCommitOverdue.count() / 1'000)});
        });
        context_.sql.ask<CommitCost>(
            context_.loop,
            [batch = batch_, times = pace_.mayPause() ? settings_.threadTimes : &unknownTimes,
             notices = settings_.notices, token = batchToken_](auto& sql) {
                const auto before = times();
                return sql.commit(*batch).map([&] {
                    if (notices != nullptr) {
                        notices->tell(token, batch->to.cursor);
                    }
                    return costOf(*batch, before, times());
                });
            },
            ifCurrent<CommitCost>(next));
    }

    void onCommitted(Result<CommitCost> written)
    {
        overdueTimer_.cancel();
        if (!written && written.error().code == ErrorCode::Conflict) {
            // Either our commit, whose answer was lost, or another program's. The comparison reads
            // the position from SQL.
            batch_.reset();
            return compare();
        }
        if (!written) {
            setStuck(written.error());
            return retryLater(&Recorder::commit);
        }
        if (step_ == Step::Stuck) {
            log::info("journal", "shard {}: the database answers again", settings_.shard);
            lastProblem_.clear();
        }
        const bool wasDown = step_ == Step::Stuck || !isDatabaseAnswering_;
        step_ = Step::Recording;
        recordedCounter_.add(batch_->events.size());
        isDatabaseAnswering_ = true;
        position_ = batch_->to;
        batch_.reset();
        reportSoon(wasDown);
        pace_.addCommit(*written);
        if (!entries_.empty()) {
            return commitEntries();
        }
        pauseEnd_ = std::chrono::steady_clock::now() + pace_.pause();
        pauseOrRead();
    }

    /// During a pause, what waits is looked at, which may end the pause.
    void pauseOrRead()
    {
        const auto left = std::chrono::ceil<Millis>(pauseEnd_ - std::chrono::steady_clock::now());
        if (left <= Millis{0} || onDrained_) {
            return read();
        }
        pauseTimer_.arm(std::min(left, kPauseStep), [this] {
            if (!token_.empty()) {
                reportCommitted();
            }
            pauseOrRead();
        });
    }

    /// Tells Redis of a commit: at once when somebody outside of this process may wait for it, or
    /// all have been told that the database is down.
    void reportSoon(bool wasDown)
    {
        if (token_.empty()) {
            return;  // resume() reports it
        }
        if (settings_.notices == nullptr || othersListen_ || wasDown) {
            return reportCommitted();
        }
        if (!reportTimer_.armed()) {
            reportTimer_.arm(kReportInterval, [this] {
                if (!token_.empty()) {
                    reportCommitted();
                }
            });
        }
    }

    void publishDown()
    {
        context_.commands.command({"PUBLISH", committedChannel_, "down"}, [](const auto&) {});
    }

    void reportCommitted()
    {
        const auto* const status = step_ == Step::Stuck || !isDatabaseAnswering_ ? "down" : "";
        setLeaseAndCursor(fencedScripts_, leaseMs_, position_.cursor.toString(), status,
                          ifCurrent<redis::Reply>(&Recorder::onReported));
    }

    void onReported(Result<redis::Reply> reply)
    {
        if (!reply) {
            if (redis::isRefused(reply, "NOTSERVING") && hasCursor()) {
                recheckStore();
            }
            return;  // the next heartbeat reports it again
        }
        if (reply->text() != nullptr && *reply->text() == "missing") {
            if (step_ == Step::Recording) {  // otherwise the database is away, and this can wait
                recheckStore();
            }
            return;
        }
        const auto* const id = reply->at(0).text();
        const auto* const waiting = reply->at(1).integer();
        const auto* const receivers = reply->at(2).integer();
        if (id == nullptr || waiting == nullptr || receivers == nullptr) {
            return onLeaseLost();
        }
        // A server of a cluster counts only those who are connected to it.
        othersListen_ = settings_.notices == nullptr || context_.commands.isCluster() ||
                        static_cast<std::uint64_t>(*receivers) > settings_.notices->listeners();
        const auto oldest = StreamId::parse(*id);
        const auto now = toEpochMs(context_.clock.now());
        const auto since = oldest ? static_cast<std::int64_t>(oldest->ms) : now;
        const Millis age{std::max<std::int64_t>(now - since, 0)};
        lagEntries_.set(static_cast<double>(*waiting));
        lagSeconds_.set(static_cast<double>(age.count()) / 1'000);
        writeAliveMark();
        pace_.setWaiting(static_cast<std::uint64_t>(std::max<std::int64_t>(*waiting, 0)), age);
        if (pauseTimer_.armed() && pace_.isCatchingUp()) {
            read();
        }
    }

    /// Shows another recorder that this store is alive, so that it does not take a second store for
    /// a lost one.
    void writeAliveMark()
    {
        const auto now = std::chrono::steady_clock::now();
        const bool isStoreAlive = hasCursor() || (comparison_ && comparison_->isStoreEstablished());
        if (!writesAliveMarks() || !isStoreAlive || now < nextAliveMark_) {
            return;
        }
        nextAliveMark_ = now + kAliveInterval;
        context_.sql.ask<void>(
            context_.loop,
            [mark = fmt::format("{} {}", settings_.process, ++aliveMarkCount_)](auto& sql) {
                return sql.setFact(kAliveFact, mark);
            },
            [](const auto&) {});
    }

    void setStuck(const Error& why)
    {
        if (why.message != lastProblem_) {
            log::error("journal", "shard {}: {}; events wait in Redis", settings_.shard,
                       why.message);
            lastProblem_ = why.message;
        }
        if (step_ != Step::Stuck) {
            publishDown();
        }
        step_ = Step::Stuck;
    }

    JournalContext context_;
    Settings settings_;
    Handlers handlers_;
    std::string prefix_;
    std::string eventsKey_;
    std::string committedChannel_;
    std::string leaseMs_;
    std::string backlog_;
    redis::ScriptQueue scripts_;
    redis::ScriptQueue
        fencedScripts_;  ///< name the token, so that they act only on the store that was compared
    redis::Connection reader_;
    Timer heartbeatTimer_;
    Timer retryTimer_;
    Timer overdueTimer_;
    Timer pauseTimer_;
    Timer drainTimer_;
    Timer reportTimer_;                ///< armed: a commit is to be reported
    std::function<void()> onDrained_;  ///< set while stop() waits for what a pause has left
    RecordingPace pace_;
    std::chrono::steady_clock::time_point pauseEnd_{};
    metrics::Gauge& lagEntries_;
    metrics::Gauge& lagSeconds_;
    metrics::Counter& recordedCounter_;
    Step step_ = Step::Waiting;
    std::uint64_t epoch_ = 0;  ///< answers of an older epoch are dropped
    ShardComparison::Shard shard_;
    std::shared_ptr<ShardComparison> comparison_;
    std::string comparedToken_;     ///< the token with which the last comparison ended
    std::string token_;             ///< the same; empty once a connection has been lost
    Position position_;             ///< of what is committed
    bool isPositionKnown_ = false;  ///< position_ is known and the lease is held
    bool isReading_ = false;
    StreamId readFrom_{};  ///< of the last read
    bool areEntriesCurrent_ =
        false;  ///< unchecked_ come from the read whose store is being checked
    std::size_t entriesPerRead_ = kFewestEntries;
    bool othersListen_ = true;         ///< as far as is known, for commits, in other processes
    bool isDatabaseAnswering_ = true;  ///< whether the database answers, as far as is known
    std::string lastProblem_;
    std::vector<StreamEntry> unchecked_;
    std::vector<StreamEntry> entries_;  ///< checked; behind batch_, in no batch yet
    std::shared_ptr<ShardBatch> batch_;
    std::string batchToken_;              ///< under which batch_ was read
    bool isWritingPendingBatch_ = false;  ///< batch_ is written before a comparison begins
    std::chrono::steady_clock::time_point nextAliveMark_{};
    std::uint64_t aliveMarkCount_ = 0;
};

}  // namespace

std::shared_ptr<ShardRecorder>
ShardRecorder::start(JournalContext context, Settings settings, Handlers handlers)
{
    auto recorder = std::make_shared<Recorder>(context, std::move(settings), std::move(handlers));
    recorder->begin();
    return recorder;
}

}  // namespace restante::journal
