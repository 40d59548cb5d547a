#include "gui/session/redis_store.h"

#include "core/assembly/redis_queue.h"
#include "core/base/result_gathering.h"
#include "core/cold/hot_horizon.h"
#include "core/redis/client/connection_settings.h"
#include "gui/session/journal_reader.h"

#include <QtGlobal>

#include <utility>

namespace restante::gui {

namespace {

/// Leased jobs of a shard whose topics are read: a few ms of the server.
constexpr std::uint64_t kMaxLeasedRead = 500;
/// Dead jobs of a shard whose error is read; only a short text is read of each.
constexpr std::uint64_t kMaxDeadRead = 5'000;
/// How long the history of the topics is cached.
constexpr Millis kTopicPastMaxAge{60'000};

redis::Connection::Settings connectionSettings(const RedisStore::Settings& settings,
                                               const char* name)
{
    redis::Connection::Settings connection;
    connection.url = settings.url;
    connection.timeout = settings.timeout;
    connection.name = name;
    return connection;
}

redis::RedisJobStore::Settings storeSettings(EventLoop& loop,
                                             redis::Connection& writes,
                                             const RedisStore::Settings& consoleSettings)
{
    const auto& config = consoleSettings.config;
    redis::RedisJobStore::Settings settings;
    settings.prefix = config.redis.prefix;
    settings.shards = config.redis.shards;
    settings.keepDone = config.retention.done > Millis{0};
    if (config.journal.mode == Config::JournalMode::Durable) {
        settings.confirms = redis::Confirms::Everything;
        redis::CommitWatch::Settings watch;
        watch.url = consoleSettings.url;
        watch.prefix = settings.prefix;
        watch.shards = settings.shards;
        watch.name = "restante-admin-durable";
        settings.journal = redis::CommitWatch::make(loop, writes, std::move(watch));
    }
    return settings;
}

DelayQueue::Settings queueSettings(const Config& config)
{
    auto settings = redis::queueSettingsOf(config);
    // Only the daemon's configuration says whether there is an SMS gateway.
    settings.checkJob = {};
    return settings;
}

}  // namespace

RedisStore::RedisStore(EventLoop& loop, Settings settings)
    : loop_(loop),
      settings_(std::move(settings)),
      address_{settings_.config.redis.prefix, settings_.config.redis.shards},
      reads_(loop, connectionSettings(settings_, "restante-admin")),
      writes_(loop, connectionSettings(settings_, "restante-admin-write")),
      events_(loop, connectionSettings(settings_, "restante-admin-live")),
      clock_(loop, reads_),
      store_(loop, writes_, nullptr, clock_, storeSettings(loop, writes_, settings_)),
      inspector_(loop, reads_, clock_, {address_.prefix, address_.shards}),
      activityReader_(loop, reads_, clock_, {address_.prefix, address_.shards}),
      census_(activityReader_, clock_),
      queue_(store_, clock_, queueSettings(settings_.config)),
      feed_(loop, reads_, events_, {address_.prefix, address_.shards}),
      topicPast_(std::make_shared<TopicPastCache>()),
      findColdJobsTimer_(loop),
      openTimeout_(loop)
{
    if (settings_.journal) {
        sql_ = std::make_shared<journal::SqlThread>(*settings_.journal,
                                                    journal::SqlJournal::Schema::Require);
    }
}

void RedisStore::awaitReady(Done<void> done, std::function<void()> lost)
{
    onReady_ = std::move(done);
    onLost_ = std::move(lost);
    openTimeout_.arm(settings_.timeout, [this] {
        const std::string late = "no answer in time";
        if (journalAsked_) {
            coldProblem_ = {LinkProblem::Kind::ColdJobsUnread, {}, late};
            return completeReady({});
        }
        const auto why = (reads_.ready() ? writes_ : reads_).lastFailure();
        completeReady(failure(ErrorCode::Unavailable, why.empty() ? late : why));
    });
    for (auto* connection : {&reads_, &writes_}) {
        connection->onReady([this](bool isReady) {
            if (isReady) {
                findColdJobsWhenConnected();
            } else if (!onReady_) {
                if (const auto callback = std::exchange(onLost_, nullptr)) {
                    callback();
                }
            }
        });
    }
    clock_.onDisciplined([this] { findColdJobsWhenConnected(); });
    findColdJobsWhenConnected();
}

void RedisStore::findColdJobsWhenConnected()
{
    if (onReady_ && reads_.ready() && writes_.ready() && clock_.disciplined()) {
        // Later, as awaitReady() may still be running.
        findColdJobsTimer_.arm(Millis{0}, [this] { findColdJobs(); });
    }
}

void RedisStore::findColdJobs()
{
    if (std::exchange(coldSearchBegun_, true)) {
        return;
    }
    const auto onHorizon = [this](const Result<std::optional<Millis>>& horizon) {
        if (!horizon) {
            return completeReady(tl::unexpected<Error>(horizon.error()));
        }
        if (!*horizon) {
            return completeReady({});
        }
        if (!sql_) {
            coldProblem_ = {LinkProblem::Kind::ColdJobsWithoutJournal};
            return completeReady({});
        }
        journal::checkColdJournal(
            loop_, *sql_, reads_, address_.prefix,
            callbackGuard_.guard([this, hotHorizon = **horizon](const Result<void>& journalCheck) {
                openStoreWithColdJobs(hotHorizon, journalCheck);
            }),
            callbackGuard_.guard([this] { journalAsked_ = true; }));
    };
    cold::readHotHorizon(reads_, address_.prefix, callbackGuard_.guard(onHorizon));
}

/// `journalCheck`: an error when the journal is another store's or cannot be read.
void RedisStore::openStoreWithColdJobs(Millis horizon, const Result<void>& journalCheck)
{
    if (!onReady_) {
        return;  // it was too slow
    }
    if (journalCheck) {
        storeWithColdJobs_ = std::make_unique<journal::StoreWithColdJobs>(
            journal::HotStore{loop_, clock_, store_, store_.shards(), inspector_},
            *settings_.journal, horizon, queueSettings(settings_.config));
    } else {
        using Kind = LinkProblem::Kind;
        const bool isAnothers = journalCheck.error().code == ErrorCode::Conflict;
        coldProblem_ = {isAnothers ? Kind::ColdJobsOfAnother : Kind::ColdJobsUnread,
                        settings_.journal->shown, journalCheck.error().message};
    }
    completeReady({});
}

Result<void> RedisStore::checkComplete() const
{
    if (coldProblem_.isNone()) {
        return {};
    }
    return failure(ErrorCode::Unavailable,
                   QT_TRANSLATE_NOOP("StoreProblem",
                                     "nothing was done, because jobs that are due in a long while "
                                     "cannot be read, and one of them may have this id"));
}

void RedisStore::completeReady(Result<void> result)
{
    findColdJobsTimer_.cancel();
    openTimeout_.cancel();
    // A connection may have broken while the database was asked.
    if (const auto& broken = reads_.ready() ? writes_ : reads_; result && !broken.ready()) {
        result = failure(ErrorCode::Unavailable, broken.lastFailure());
    }
    if (const auto callback = std::exchange(onReady_, nullptr)) {
        callback(std::move(result));  // which may end this
    }
}

void RedisStore::history(std::string id, Done<std::vector<HistoryRow>> done)
{
    if (!sql_) {
        return readEvents(reads_, address_, std::move(id), std::move(done));
    }
    sql_->ask<std::vector<HistoryRow>>(
        loop_, [id = std::move(id)](journal::SqlJournal& journal) { return journal.history(id); },
        std::move(done));
}

void RedisStore::audit(AuditRequest request, Done<AuditBatch> done)
{
    if (sql_) {
        return readAudit(*sql_, loop_, request, std::move(done));
    }
    readAudit(reads_, address_, std::move(request), std::move(done));
}

void RedisStore::past(PastRequest request, Done<Past> done)
{
    if (!sql_) {
        return done(failure(ErrorCode::Unavailable, "no journal is known for this connection"));
    }
    // Up to the position of the journal, a missing row means that nothing happened.
    activityReader_.activity(
        [journal = std::weak_ptr(sql_), &loop = loop_, &clock = clock_,
         retention = settings_.config.journal.retention, request = std::move(request),
         done = std::move(done)](const Result<redis::StoreActivity>& activity) {
            if (!activity) {
                return done(tl::unexpected<Error>(activity.error()));
            }
            const auto now = clock.now();
            JournalCoverage coverage{.oldest = now - retention};
            if (activity->journal) {
                coverage.recordedUntil = now - activity->journal->behind;
            }
            readPast(journal, loop, request, coverage, done);
        });
}

void RedisStore::topicActivity(Done<TopicActivity> done)
{
    struct LeasedAndCensus {
        redis::JobsByTopic leased;
        TopicCensus::Counts counts;
    };
    const auto answer = [journal = std::weak_ptr(sql_), &loop = loop_, now = clock_.now(),
                         cache = topicPast_,
                         done = std::move(done)](const Result<LeasedAndCensus>& counted) {
        if (!counted) {
            return done(tl::unexpected<Error>(counted.error()));
        }
        auto activity = activityOf(counted->leased, kMaxLeasedRead);
        activity.held = counted->counts.held;
        activity.dead = counted->counts.dead;
        activity.retrying = counted->counts.retrying;
        activity.past = cache->last;
        readActivity(journal, loop, now, std::move(activity), done);
    };
    // A step of the past is half an hour long, so it is read in the background, and not each time.
    if (const auto at = clock_.now();
        at - topicPast_->readAt > kTopicPastMaxAge || at < topicPast_->readAt) {
        topicPast_->readAt = at;
        readTopicPast(sql_, loop_, at, [cache = topicPast_](std::optional<TopicPast> read) {
            cache->last = std::move(read);
        });
    }
    auto gathering = std::make_shared<ResultGathering<LeasedAndCensus>>(answer, 2);
    activityReader_.countByTopic(
        JobState::Leased, kMaxLeasedRead, [gathering](const Result<redis::JobsByTopic>& leased) {
            gathering->take(leased,
                            [](LeasedAndCensus& all, const auto& jobs) { all.leased = jobs; });
        });
    census_.count([gathering](const Result<TopicCensus::Counts>& censusCounts) {
        gathering->take(censusCounts,
                        [](LeasedAndCensus& all, const auto& counts) { all.counts = counts; });
    });
}

void RedisStore::deadReasons(Done<DeadReasons> done)
{
    activityReader_.countByError(
        JobState::Dead, kMaxDeadRead,
        mapped<redis::JobsByError>(std::move(done), [](const redis::JobsByError& jobs) {
            DeadReasons reasons{jobs, 0};
            for (const auto& [error, count] : jobs) {
                reasons.examined += count;
            }
            return reasons;
        }));
}

void RedisStore::ping(Done<void> done)
{
    reads_.command({"PING"}, [done = std::move(done)](const Result<redis::Reply>& reply) {
        done(reply ? Result<void>{} : tl::unexpected<Error>(reply.error()));
    });
}

void RedisStore::follow(std::function<void(const StoreEvent&)> handler)
{
    redis::EventFeed::Subscription subscription;
    subscription.handler = [handler](const redis::EventFeed::Event& event,
                                     const redis::EventPosition&) {
        handler({event.entry.ids.size(), event.entry.ids, true});
    };
    subscription.onMissed = [handler](std::uint32_t) { handler({0, {}, false}); };
    feed_.subscribe(std::move(subscription));
}

}  // namespace restante::gui
