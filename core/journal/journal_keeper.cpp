#include "core/journal/journal_keeper.h"

#include "core/base/log.h"
#include "core/journal/journal_retention.h"
#include "core/journal/journal_sampler.h"
#include "core/journal/reconciler.h"
#include "core/journal/shard_recorder.h"
#include "core/redis/keys.h"
#include "core/redis/redis_queue.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace restante::journal {

namespace {

// Facts in journal_meta.
constexpr auto kStore = "store";
constexpr auto kShards = "shards";

redis::Connection::Settings connectionTo(const redis::RedisUrl& url)
{
    redis::Connection::Settings settings;
    settings.url = url;
    settings.name = "restante-journal-look";
    return settings;
}

std::string randomName()
{
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}", random(), random(), random());
}

}  // namespace

class JournalKeeper::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(EventLoop& loop, const JournalService::Settings& settings)
        : loop_(loop),
          settings_(settings),
          config_(settings.config),
          sql_(settings.journal),
          reading_(settings.journal),
          redis_(loop,
                 settings.redis,
                 config_,
                 "restante-journal",
                 redis::RedisQueue::WakeUps::No,
                 redis::RedisQueue::Confirms::Nothing),
          looks_(loop, connectionTo(settings.redis)),
          inspector_(loop, looks_, redis_.clock(), {config_.redis.prefix, config_.redis.shards})
    {
    }

    void open(Done<void> done)
    {
        done_ = std::move(done);
        redis_.awaitReady(redis::RedisQueue::Report::Silent, [weak = weak_from_this()](auto ready) {
            if (auto self = weak.lock()) {
                ready ? self->openSql() : self->answer(std::move(ready));
            }
        });
    }

    void stop(std::function<void()> stopped)
    {
        reconciler_.reset();
        sampler_.reset();
        auto waiting = std::make_shared<std::size_t>(recorders_.size());
        auto one = [waiting, stopped = std::move(stopped)] {
            if (*waiting == 0 || --*waiting == 0) {
                stopped();
            }
        };
        if (recorders_.empty()) {
            one();
        }
        for (auto& recorder : recorders_) {
            recorder->stop(one);
        }
    }

    void history(std::string id, Done<std::vector<HistoryRow>> done)
    {
        reading_.ask<std::vector<HistoryRow>>(
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
        const bool adopts = request.id.empty() && request.change == RecoverRequest::Change::Store;
        reconciler_->run(Reconciler::Action::Recover, std::move(request),
                         [weak = weak_from_this(), adopts, done = std::move(done)](auto outcome) {
                             auto self = weak.lock();
                             if (self && outcome && adopts) {
                                 self->adoptStore();
                             }
                             done(std::move(outcome));
                         });
    }

private:
    void answer(Result<void> result)
    {
        if (auto done = std::exchange(done_, nullptr)) {
            done(std::move(result));
        }
    }

    void openSql()
    {
        struct Facts {
            std::string store;
            std::string shards;
        };
        sql_.ask<Facts>(
            loop_,
            [](auto& sql) -> Result<Facts> {
                auto store = sql.fact(kStore);
                auto shards = store ? sql.fact(kShards) : store;
                if (!shards) {
                    return tl::unexpected(shards.error());
                }
                return Facts{*store, *shards};
            },
            [weak = weak_from_this()](Result<Facts> facts) {
                auto self = weak.lock();
                if (!self) {
                    return;
                }
                if (!facts) {
                    return self->answer(tl::unexpected(
                        Error{facts.error().code, facts.error().message +
                                                      "; start the database, correct journal.url, "
                                                      "or set journal.mode = \"off\""}));
                }
                self->knownStore_ = facts->store;
                self->check(facts->shards);
            });
    }

    void check(const std::string& shards)
    {
        const auto wanted = std::to_string(config_.redis.shards);
        if (!shards.empty() && shards != wanted) {
            return answer(failure(
                ErrorCode::Invalid,
                fmt::format("journal {}: it was written with redis.shards = {}, now it is {}; set "
                            "it back, or give this store a journal of its own (journal.url)",
                            settings_.journal.shown, shards, wanted)));
        }
        const auto key = redis::metaKey(config_.redis.prefix);
        const auto name = randomName();
        redis_.connection().command({"HSETNX", key, "store", name}, [](const auto&) {});
        redis_.connection().command(
            {"HGET", key, "store"}, [weak = weak_from_this()](Result<redis::Reply> reply) {
                auto self = weak.lock();
                if (!self) {
                    return;
                }
                if (!reply || reply->text() == nullptr) {
                    return self->answer(
                        reply ? failure(ErrorCode::Internal, "redis: it has lost its name")
                              : tl::unexpected(reply.error()));
                }
                self->store_ = *reply->text();
                self->begin();
            });
    }

    void begin()
    {
        const Reconciler::Parts parts{loop_, redis_.clock(), reading_, redis_.connection()};
        reconciler_.emplace(parts,
                            Reconciler::Settings{config_.redis.prefix, config_.redis.shards});
        for (std::uint32_t shard = 0; shard < config_.redis.shards; ++shard) {
            ShardRecorder::Settings recording;
            recording.url = settings_.redis;
            recording.prefix = config_.redis.prefix;
            recording.shard = shard;
            recording.backlog = config_.journal.backlog;
            recording.owner = settings_.owner;
            recording.durable = config_.journal.mode == Config::JournalMode::Durable;
            recorders_.push_back(std::make_unique<ShardRecorder>(
                ShardRecorder::Parts{loop_, redis_.clock(), sql_, redis_.connection()}, recording));
            recorders_.back()->onRebuilt([this](auto why) { rebuilt(why); });
            recorders_.back()->onListening([this] {
                if (++listening_ == recorders_.size()) {
                    listen();
                }
            });
        }
    }

    JournalSampler::Duties duties() const
    {
        const auto records = [](const auto& recorder) {
            return recorder->step() == ShardRecorder::Step::Recording;
        };
        return {
            [this, records] { return records(recorders_.front()); },
            [this, records] { return std::any_of(recorders_.begin(), recorders_.end(), records); }};
    }

    void listen()
    {
        retention_.emplace(loop_, redis_.clock(), sql_, config_.journal.retention);
        sampler_.emplace(JournalSampler::Parts{loop_, redis_.clock(), inspector_, sql_, reading_},
                         config_.journal.sampleEvery, duties());
        if (knownStore_.empty()) {
            adoptStore();
        }
        if (knownStore_ == store_) {
            return answer({});
        }
        lookForLost();
    }

    /// Redis is another one than the journal knows: it was lost, or exchanged.
    void lookForLost()
    {
        sql_.ask<std::uint64_t>(
            loop_, [](auto& sql) { return sql.countLiving(); },
            [weak = weak_from_this()](Result<std::uint64_t> living) {
                auto self = weak.lock();
                if (!self) {
                    return;
                }
                if (!living) {
                    return self->answer(tl::unexpected(living.error()));
                }
                self->foundLost(*living);
            });
    }

    void foundLost(std::uint64_t living)
    {
        if (!settings_.recoverLost) {
            if (living > 0) {
                log::warning("journal",
                             "Redis is not the one that the journal knows; {} jobs live there; "
                             "bring them back with journal.recover = \"auto\"",
                             living);
            }
            return answer({});
        }
        log::info("journal", "Redis is not the one that the journal knows: recovering {} jobs",
                  living);
        recover({}, [weak = weak_from_this()](Result<RecoverOutcome> outcome) {
            auto self = weak.lock();
            if (!self) {
                return;
            }
            if (!outcome) {
                return self->answer(tl::unexpected(outcome.error()));
            }
            log::info("journal", "recovered {} jobs; {} were there already", outcome->recovered,
                      outcome->alreadyThere);
            self->answer({});
        });
    }

    void adoptStore()
    {
        knownStore_ = store_;
        sql_.ask<void>(
            loop_,
            [store = store_, shards = std::to_string(config_.redis.shards)](auto& sql) {
                return sql.setFact(kStore, store).and_then([&] {
                    return sql.setFact(kShards, shards);
                });
            },
            [](Result<void> written) {
                if (!written) {
                    log::error("journal", "cannot note which Redis it records: {}",
                               written.error().message);
                }
            });
    }

    /// What ended in the gap is still living in the journal; what Redis lost is not in it.
    void rebuilt(ShardRecorder::Rebuilt why)
    {
        using Rebuilt = ShardRecorder::Rebuilt;
        if (!reconciler_ || knownStore_ != store_ || why == Rebuilt::New) {
            return;
        }
        const bool recovers = why == Rebuilt::RolledBack && settings_.recoverLost;
        if (why == Rebuilt::RolledBack && !recovers) {
            return log::warning("journal", "Redis has lost its newest events; bring back what was "
                                           "pushed then with journal.recover = \"auto\"");
        }
        reconciler_->run(
            recovers ? Reconciler::Action::Recover : Reconciler::Action::Forget, {},
            [recovers](Result<RecoverOutcome> outcome) {
                if (outcome) {
                    log::info("journal", "{} jobs that Redis has not: {}", outcome->recovered,
                              recovers ? "recovered" : "ended in the journal");
                } else {
                    log::error("journal", "cannot compare with Redis: {}", outcome.error().message);
                }
            });
    }

    EventLoop& loop_;
    JournalService::Settings settings_;
    Config config_;
    SqlThread sql_;      ///< of the recorders
    SqlThread reading_;  ///< beside them, so that nobody who asks waits for what is being written
    redis::RedisQueue redis_;
    redis::Connection looks_;  ///< of the sampler, so that no confirmation waits for its counts
    redis::RedisJobInspector inspector_;
    std::optional<Reconciler> reconciler_;
    std::vector<std::unique_ptr<ShardRecorder>> recorders_;
    std::size_t listening_ = 0;
    std::optional<JournalRetention> retention_;
    std::optional<JournalSampler> sampler_;
    Done<void> done_;
    std::string store_;
    std::string knownStore_;
};

JournalKeeper::JournalKeeper(EventLoop& loop, const JournalService::Settings& settings)
    : impl_(std::make_shared<Impl>(loop, settings))
{
}

JournalKeeper::~JournalKeeper() = default;

void JournalKeeper::open(Done<void> done)
{
    impl_->open(std::move(done));
}

void JournalKeeper::stop(std::function<void()> stopped)
{
    impl_->stop(std::move(stopped));
}

void JournalKeeper::history(std::string id, Done<std::vector<HistoryRow>> done)
{
    impl_->history(std::move(id), std::move(done));
}

void JournalKeeper::recover(RecoverRequest request, Done<RecoverOutcome> done)
{
    impl_->recover(std::move(request), std::move(done));
}

}  // namespace restante::journal
