#include "core/journal/journal_service.h"

#include "core/assembly/redis_queue.h"
#include "core/base/epoll_loop.h"
#include "core/base/host_and_pid.h"
#include "core/base/log.h"
#include "core/base/while_alive.h"
#include "core/journal/cold/cold_mover.h"
#include "core/journal/loop_relay.h"
#include "core/journal/recorder/backlog_sampler.h"
#include "core/journal/recorder/journal_retention.h"
#include "core/journal/recorder/shard_recorder.h"
#include "core/journal/recovery/reconciler.h"
#include "core/journal/recovery/setting_recovery.h"
#include "core/journal/sql/journal_health.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <list>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

/// How long the end waits for the last commands to Redis.
constexpr Millis kStopTimeout{3'000};
/// How long after a failure the jobs that ended in a gap are looked for again.
constexpr Millis kGapRetryDelay{10'000};
constexpr auto kShardsFact = "shards";  // name of a fact in journal_meta

/// Runs on the thread of JournalService: composes recorders, recovery and retention. *One loop.*
class JournalWorker : public std::enable_shared_from_this<JournalWorker> {
public:
    JournalWorker(EventLoop& loop, const JournalService::Settings& settings)
        : loop_(loop),
          settings_(settings),
          config_(settings.config),
          sql_(settings.journal),
          querySql_(settings.journal),
          redis_(loop,
                 settings.redis,
                 config_,
                 "restante-journal",
                 redis::RedisQueue::WakeUps::No,
                 redis::RedisQueue::Confirms::Nothing),
          samplerConnection_(loop, {.url = settings.redis, .name = "restante-journal-look"}),
          inspector_(loop,
                     samplerConnection_,
                     redis_.clock(),
                     {config_.redis.prefix, config_.redis.shards})
    {
    }

    void open(Done<void> done)
    {
        onOpened_ = std::move(done);
        redis_.awaitReady(redis::RedisQueue::Report::Silent, continueWith(&JournalWorker::openSql));
    }

    void stop(std::function<void()> stopped)
    {
        health_.reset();
        reconciler_.reset();
        settingRecoveries_.clear();
        sampler_.reset();
        mover_.reset();
        auto recordersLeft = std::make_shared<std::size_t>(recorders_.size());
        auto onStopped = [recordersLeft, stopped = std::move(stopped)] {
            if (*recordersLeft == 0 || --*recordersLeft == 0) {
                stopped();
            }
        };
        if (recorders_.empty()) {
            onStopped();
        }
        for (auto& recorder : recorders_) {
            recorder->stop(onStopped);
        }
    }

    void history(std::string id, Done<std::vector<HistoryRow>> done)
    {
        querySql_.ask<std::vector<HistoryRow>>(
            loop_,
            [id = std::move(id)](auto& sql) -> Result<std::vector<HistoryRow>> {
                auto rows = sql.history(id);
                if (rows && rows->empty()) {
                    return failure(ErrorCode::NotFound,
                                   fmt::format("job {}: the journal knows no such job", id));
                }
                return rows;
            },
            std::move(done));
    }

    void recover(RecoverRequest request, Done<RecoverOutcome> done)
    {
        if (!reconciler_) {
            return done(failure(ErrorCode::Unavailable, "the journal is not open yet"));
        }
        const bool recoversEverything = request.id.empty() &&
                                        request.change == RecoverRequest::Change::Store &&
                                        request.expired == RecoverRequest::Expired::Included;
        auto recoverJobs = [weak = weak_from_this(), recoversEverything,
                            request = std::move(request),
                            done = std::move(done)](const Result<void>& settingsRestored) {
            auto self = weak.lock();
            if (!self || !settingsRestored || !self->reconciler_) {
                return done(settingsRestored
                                ? failure(ErrorCode::Unavailable, "the journal is being closed")
                                : tl::unexpected(settingsRestored.error()));
            }
            self->reconciler_->recover(request, [weak, recoversEverything, done](auto outcome) {
                auto worker = weak.lock();
                if (worker && outcome && recoversEverything && outcome->unreadable == 0) {
                    worker->clearLeftBehindFacts();
                }
                done(std::move(outcome));
            });
        };
        recoversEverything ? recoverSettings(0, std::move(recoverJobs)) : recoverJobs({});
    }

private:
    /// Restores pauses, limits and registrations, shard by shard, before the jobs, so that jobs of
    /// a paused topic are not given out.
    void recoverSettings(std::uint32_t shard, Done<void> done)
    {
        if (shard == config_.redis.shards) {
            return done({});
        }
        const auto recovery = settingRecoveries_.emplace(settingRecoveries_.end());
        *recovery = restoreSettings(
            {loop_, redis_.clock(), querySql_, redis_.connection()},
            {config_.redis.prefix, shard, config_.redis.shards}, LostSettings::Everything,
            [weak = weak_from_this(), shard, recovery,
             done = std::move(done)](Result<std::uint64_t> count) {
                auto self = weak.lock();
                if (!self) {
                    return done(failure(ErrorCode::Unavailable, "the journal is being closed"));
                }
                const auto ended = std::move(*recovery);  // it is still on the stack
                self->settingRecoveries_.erase(recovery);
                if (!count) {
                    return done(tl::unexpected(count.error()));
                }
                self->recoverSettings(shard + 1, done);
            });
    }

    /// Calls `next` after a success; a failure is the answer to open().
    Done<void> continueWith(void (JournalWorker::*next)())
    {
        return whileAlive(*this, [next](JournalWorker& self, Result<void> result) {
            result ? (self.*next)() : self.finishOpening(std::move(result));
        });
    }

    void finishOpening(Result<void> result)
    {
        if (auto done = std::exchange(onOpened_, nullptr)) {
            done(std::move(result));
        }
    }

    void openSql()
    {
        sql_.ask<std::string>(
            loop_, [](auto& sql) { return sql.fact(kShardsFact); },
            whileAlive(*this, &JournalWorker::checkShardCount));
    }

    void checkShardCount(Result<std::string> recordedShards)
    {
        if (!recordedShards) {
            return finishOpening(failure(recordedShards.error().code,
                                         recordedShards.error().message +
                                             "; start the database, correct journal.url, or set "
                                             "journal.mode = \"off\""));
        }
        const auto& recorded = *recordedShards;
        const auto configured = std::to_string(config_.redis.shards);
        if (!recorded.empty() && recorded != configured) {
            return finishOpening(failure(
                ErrorCode::Invalid,
                fmt::format("journal {}: it was written with redis.shards = {}, now it is {}; set "
                            "it back, or give this store a journal of its own (journal.url)",
                            settings_.journal.shown, recorded, configured)));
        }
        sql_.ask<void>(
            loop_, [configured](auto& sql) { return sql.setFact(kShardsFact, configured); },
            continueWith(&JournalWorker::startRecorders));
    }

    void watchDatabase()
    {
        JournalHealth::Handlers handlers;
        handlers.isRecording = [this] {
            return std::none_of(recorders_.begin(), recorders_.end(), [](const auto& recorder) {
                return recorder->step() == ShardRecorder::Step::Stuck;
            });
        };
        handlers.onAnswering = [this](bool answers) {
            for (auto& recorder : recorders_) {
                recorder->setDatabaseAnswers(answers);
            }
        };
        handlers.onNewFile = [this] { onNewDatabaseFile(); };
        health_.emplace(loop_, settings_.journal, std::move(handlers));
    }

    /// The SQLite file has been replaced by a new one.
    void onNewDatabaseFile()
    {
        for (auto* sql : {&sql_, &querySql_}) {
            // Closes the old file even if no query has been made since.
            sql->ask<void>(
                loop_, [](auto& journal) { return journal.open(); }, [](const auto&) {});
        }
        sql_.ask<void>(
            loop_,
            [shards = std::to_string(config_.redis.shards)](auto& sql) {
                return sql.setFact(kShardsFact, shards);
            },
            [](const auto&) {});
        for (auto& recorder : recorders_) {
            recorder->compareAgain();
        }
    }

    void startRecorders()
    {
        watchDatabase();
        const JournalContext context{loop_, redis_.clock(), querySql_, redis_.connection()};
        reconciler_.emplace(context, config_.redis.prefix, config_.redis.shards);
        gaps_.resize(config_.redis.shards);
        for (std::uint32_t shard = 0; shard < config_.redis.shards; ++shard) {
            ShardRecorder::Settings recording;
            recording.url = settings_.redis;
            recording.prefix = config_.redis.prefix;
            recording.shard = shard;
            recording.backlog = config_.journal.backlog;
            recording.owner = settings_.owner;
            recording.process = process_;
            recording.recovers = settings_.recoverLost;
            recording.actor = settings_.actor;
            recording.reason = settings_.reason;
            recording.shards = config_.redis.shards;
            recording.keepsDone = config_.retention.done > Millis{0};
            recording.durable = config_.journal.mode == Config::JournalMode::Durable;
            if (recording.durable) {
                recording.notices = &redis::CommitNotices::ofProcess();
            }
            recording.pace = RecordingPace::limitsOf(config_, settings_.movesColdJobs);
            ShardRecorder::Handlers handlers;
            handlers.onCompared = [this, shard](const auto& token) { onCompared(shard, token); };
            handlers.onForeignJournal = [this](const Error& why) {
                finishOpening(tl::unexpected(why));  // only open() reports it
            };
            handlers.onRecordingAssured = [this] {
                if (++assuredShards_ == recorders_.size()) {
                    onAllAssured();
                }
            };
            recorders_.push_back(
                ShardRecorder::start({loop_, redis_.clock(), sql_, redis_.connection()}, recording,
                                     std::move(handlers)));
        }
    }

    SamplerDuties samplerDuties() const
    {
        const auto isRecording = [](const auto& recorder) {
            return recorder->step() == ShardRecorder::Step::Recording;
        };
        return {[this, isRecording] { return isRecording(recorders_.front()); },
                [this, isRecording] {
                    return std::any_of(recorders_.begin(), recorders_.end(), isRecording);
                }};
    }

    void onAllAssured()
    {
        if (config_.journal.retention > Millis{0}) {
            retention_ = startJournalRetention(loop_, redis_.clock(), sql_,
                                               config_.journal.retention, config_.retention.done);
        }
        if (config_.journal.sampleEvery > Millis{0}) {
            sampler_ = sampleBacklog({loop_, redis_.clock(), inspector_, sql_, querySql_},
                                     config_.journal.sampleEvery, samplerDuties());
        }
        moveColdJobs();
        finishOpening({});
    }

    /// Also when nothing is moved out any more, until all cold jobs are back.
    void moveColdJobs()
    {
        if (!settings_.movesColdJobs) {
            return;
        }
        moverQueue_.emplace(loop_, settings_.redis, config_, "restante-cold",
                            redis::RedisQueue::WakeUps::No, redis::RedisQueue::Confirms::Nothing,
                            redis::RedisQueue::Gated::Yes);
        const auto owns = [this](std::uint32_t shard) { return recorders_[shard]->isOwner(); };
        mover_ = ColdMover::start(loop_, moverQueue_->clock(), moverQueue_->connection(),
                                  moverQueue_->shards(),
                                  {.url = settings_.journal,
                                   .prefix = config_.redis.prefix,
                                   .shards = config_.redis.shards,
                                   .horizon = config_.queue.hotHorizon,
                                   .isOwner = owns});
    }

    /// All living jobs of the journal are in the store again, so what is absent later has ended.
    void clearLeftBehindFacts()
    {
        sql_.ask<void>(
            loop_,
            [shards = config_.redis.shards](auto& sql) {
                Result<void> written;
                for (std::uint32_t shard = 0; written && shard < shards; ++shard) {
                    written = sql.setFact(leftBehindFact(shard), "");
                }
                return written;
            },
            whileAlive(*this, &JournalWorker::onNothingLeftBehind));
    }

    void onNothingLeftBehind(const Result<void>& written)
    {
        if (!written) {
            log::error("journal", "cannot note that nothing is left behind: {}",
                       written.error().message);
            return;
        }
        for (std::uint32_t shard = 0; shard < config_.redis.shards; ++shard) {
            checkGap(shard);  // which has waited for the operator
        }
    }

    /// Jobs that ended during a gap are still living in the journal. The store is the one that the
    /// journal has recorded, so the jobs that it does not have have ended.
    void onCompared(std::uint32_t shard, const std::string& token)
    {
        gaps_[shard].token = token;
        checkGap(shard);
    }

    /// Ends them, if a gap is noted. Unless the shard is compared again first, a failure is
    /// retried.
    void checkGap(std::uint32_t shard)
    {
        const auto step = recorders_[shard]->step();
        const bool isCompared =
            step == ShardRecorder::Step::Recording || step == ShardRecorder::Step::Stuck;
        if (!isCompared || gaps_[shard].isBeingClosed) {
            return;
        }
        gaps_[shard].isBeingClosed = true;
        sql_.ask<std::string>(
            loop_, [shard](auto& sql) { return openGap(sql, shard); },
            whileAlive(*this, &JournalWorker::forgetAbsent, shard));
    }

    void forgetAbsent(std::uint32_t shard, const Result<std::string>& gap)
    {
        if (!gap) {
            return checkGapLater(shard);
        }
        if (gap->empty() || !reconciler_) {
            gaps_[shard].isBeingClosed = false;
            return;
        }
        reconciler_->forget(shard, gaps_[shard].token,
                            whileAlive(*this, &JournalWorker::onForgotten, shard, *gap));
    }

    void
    onForgotten(std::uint32_t shard, const std::string& gap, const Result<RecoverOutcome>& outcome)
    {
        if (!outcome) {
            log::error("journal", "shard {}: cannot compare with Redis: {}", shard,
                       outcome.error().message);
            return checkGapLater(shard);
        }
        log::info("journal", "{} jobs that Redis has not: ended in the journal",
                  outcome->recovered);
        sql_.ask<void>(
            loop_, [shard, gap](auto& sql) { return sql.removeFact(gapFact(shard), gap); },
            whileAlive(*this, &JournalWorker::onGapClosed, shard));
    }

    void onGapClosed(std::uint32_t shard, const Result<void>& removed)
    {
        if (!removed) {
            return checkGapLater(shard);
        }
        gaps_[shard].isBeingClosed = false;
        checkGap(shard);  // another one may have been noted meanwhile
    }

    void checkGapLater(std::uint32_t shard)
    {
        gaps_[shard].isBeingClosed = false;
        loop_.armTimer(kGapRetryDelay, whileAlive(*this, &JournalWorker::checkGap, shard));
    }

    /// Of a shard.
    struct Gap {
        std::string token;           ///< with which its last comparison ended
        bool isBeingClosed = false;  ///< the jobs that ended in it are being ended in the journal
    };

    EventLoop& loop_;
    JournalService::Settings settings_;
    const std::string process_ = fmt::format("{}/{}", hostAndPid(), newIdentity());
    Config config_;
    SqlThread sql_;       ///< for the recorders
    SqlThread querySql_;  ///< for queries, so that they do not wait for writes
    redis::RedisQueue redis_;
    redis::Connection
        samplerConnection_;  ///< for the sampler, so that no confirmation waits for its counts
    redis::RedisJobInspector inspector_;
    std::optional<Reconciler> reconciler_;
    std::list<std::shared_ptr<void>> settingRecoveries_;  ///< of several calls of recover()
    std::vector<std::shared_ptr<ShardRecorder>> recorders_;
    std::vector<Gap> gaps_;  ///< by shard
    std::size_t assuredShards_ = 0;
    std::shared_ptr<void> retention_;
    std::shared_ptr<void> sampler_;
    std::optional<redis::RedisQueue>
        moverQueue_;  ///< for moves of cold jobs; refused while the shard is not served
    std::shared_ptr<ColdMover> mover_;
    std::optional<JournalHealth> health_;
    Done<void> onOpened_;  ///< of open()
};

}  // namespace

void releaseOutbox(EventLoop& loop,
                   redis::Connection& connection,
                   const Clock& clock,
                   const Config& config)
{
    for (std::uint32_t shard = 0; shard < config.redis.shards; ++shard) {
        auto scripts = std::make_shared<redis::ScriptQueue>(
            loop, connection, clock,
            redis::ScriptQueue::Settings{.shardPrefix =
                                             redis::shardPrefix(config.redis.prefix, shard)});
        // The callback keeps the queue alive until the reply.
        scripts->add(redis::script("journal_leave"), {}, {""},
                     [&loop, scripts, shard](const Result<redis::Reply>& reply) {
                         if (!reply) {
                             log::warning("journal", "shard {}: {}", shard, reply.error().message);
                         }
                         // Destroyed later, because it must not be destroyed inside its own
                         // callback.
                         loop.post([scripts] {});
                     });
    }
}

class JournalService::Impl {
public:
    explicit Impl(Settings settings)
        : thread_([this, settings = std::move(settings)] { run(settings); })
    {
        started_.get_future().wait();
    }
    ~Impl()
    {
        loop_.post([this] {
            if (worker_) {
                worker_->stop([this] { loop_.stop(); });
                timeout_.arm(kStopTimeout, [this] { loop_.stop(); });
            } else {
                loop_.stop();
            }
        });
        thread_.join();
    }

    /// Calls `call(worker, done)` on the thread, and `done` on `loop`; without a worker `done` gets
    /// the reason.
    template <class T, class Call>
    void ask(EventLoop& loop, Done<T> done, Call call)
    {
        loop_.post([this, call = std::move(call), done = relay_.relayTo<T>(loop, std::move(done))] {
            if (worker_) {
                call(*worker_, done);
            } else {
                done(tl::unexpected(beginError_));
            }
        });
    }
    void dropRequestsOf(EventLoop& loop) { relay_.close(loop); }

private:
    void run(const Settings& settings)
    {
        try {
            worker_ = std::make_shared<JournalWorker>(loop_, settings);
        } catch (const std::exception& problem) {
            beginError_ = {ErrorCode::Unavailable,
                           fmt::format("the journal cannot begin: {}; correct that, and start this "
                                       "program again",
                                       problem.what())};
        }
        started_.set_value();
        loop_.run();
        worker_.reset();
    }

    LoopRelay relay_;
    std::promise<void> started_;
    EpollLoop loop_;
    Timer timeout_{loop_};
    std::shared_ptr<JournalWorker> worker_;  // used by the thread only
    Error beginError_;                       // why there is no worker; used by the thread only
    std::thread thread_;
};

JournalService::JournalService(Settings settings)
    : impl_(std::make_unique<Impl>(std::move(settings)))
{
}

JournalService::~JournalService() = default;

void JournalService::open(EventLoop& loop, Done<void> done)
{
    impl_->ask<void>(loop, std::move(done),
                     [](JournalWorker& worker, const auto& answer) { worker.open(answer); });
}

void JournalService::history(EventLoop& loop, std::string id, Done<std::vector<HistoryRow>> done)
{
    impl_->ask<std::vector<HistoryRow>>(
        loop, std::move(done), [id = std::move(id)](JournalWorker& worker, const auto& answer) {
            worker.history(id, answer);
        });
}

void JournalService::recover(EventLoop& loop, RecoverRequest request, Done<RecoverOutcome> done)
{
    impl_->ask<RecoverOutcome>(
        loop, std::move(done),
        [request = std::move(request)](JournalWorker& worker, const auto& answer) {
            worker.recover(request, answer);
        });
}

void JournalService::dropRequestsOf(EventLoop& loop)
{
    impl_->dropRequestsOf(loop);
}

}  // namespace restante::journal
