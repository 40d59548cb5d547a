#include "gui/session/redis_store.h"

#include "core/assembly/redis_queue.h"
#include "core/journal/sql/sql_thread.h"
#include "core/redis/store/disciplined_clock.h"
#include "core/redis/store/event_feed.h"
#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/redis_job_store.h"
#include "core/redis/store/store_activity.h"
#include "gui/session/event_audit.h"
#include "gui/session/journal_audit.h"
#include "gui/session/journal_past.h"

#include <utility>

namespace restante::gui {

namespace {

constexpr Millis kPollInterval{5};
/// Leased jobs of a shard whose topics are looked at: some ms of the server.
constexpr std::uint64_t kMostLeased = 500;

redis::Connection::Settings connectionTo(const RedisStore::Settings& settings, const char* name)
{
    redis::Connection::Settings connection;
    connection.url = settings.url;
    connection.timeout = settings.timeout;
    connection.name = name;
    return connection;
}

redis::RedisJobStore::Settings
storeSettings(EventLoop& loop, redis::Connection& writes, const RedisStore::Settings& given)
{
    const auto& config = given.config;
    redis::RedisJobStore::Settings settings;
    settings.prefix = config.redis.prefix;
    settings.shards = config.redis.shards;
    settings.keepDone = config.retention.done > Millis{0};
    if (config.journal.mode == Config::JournalMode::Durable) {
        settings.confirms = redis::Confirms::Everything;
        redis::CommitWatch::Settings watch;
        watch.url = given.url;
        watch.prefix = settings.prefix;
        watch.shards = settings.shards;
        watch.name = "restante-admin-durable";
        settings.journal = std::make_shared<redis::CommitWatch>(loop, writes, std::move(watch));
    }
    return settings;
}

DelayQueue::Settings queueSettings(const Config& config)
{
    auto settings = redis::queueSettingsOf(config);
    // Whether there is a gateway for text messages only the daemon's configuration says.
    settings.accepts = {};
    return settings;
}

}  // namespace

struct RedisStore::Parts {
    Parts(EventLoop& guest, Settings given)
        : loop(guest),
          settings(std::move(given)),
          place{settings.config.redis.prefix, settings.config.redis.shards},
          reads(guest, connectionTo(settings, "restante-admin")),
          writes(guest, connectionTo(settings, "restante-admin-write")),
          events(guest, connectionTo(settings, "restante-admin-live")),
          clock(guest, reads),
          store(guest, writes, nullptr, clock, storeSettings(guest, writes, settings)),
          inspector(guest, reads, clock, {place.prefix, place.shards}),
          watch(guest, reads, clock, {place.prefix, place.shards}),
          queue(store, clock, queueSettings(settings.config)),
          feed(guest, reads, events, {place.prefix, place.shards}),
          pollTimer(guest),
          openTimeout(guest)
    {
    }

    EventLoop& loop;
    Settings settings;
    EventPlace place;
    redis::Connection reads;
    redis::Connection writes;
    redis::Connection events;
    redis::DisciplinedClock clock;
    redis::RedisJobStore store;
    redis::RedisJobInspector inspector;
    redis::StoreActivityReader watch;
    DelayQueue queue;
    redis::EventFeed feed;
    std::shared_ptr<journal::SqlThread> sql;  ///< shared with what it is being asked
    Done<void> ready;
    std::function<void()> lost;
    Timer pollTimer;
    Timer openTimeout;
};

RedisStore::RedisStore(EventLoop& loop, Settings settings)
    : parts_(std::make_unique<Parts>(loop, std::move(settings)))
{
    if (parts_->settings.journal) {
        parts_->sql = std::make_shared<journal::SqlThread>(*parts_->settings.journal,
                                                           journal::SqlJournal::Access::Look);
    }
}

RedisStore::~RedisStore() = default;

void RedisStore::awaitReady(Done<void> done, std::function<void()> lost)
{
    parts_->ready = std::move(done);
    parts_->lost = std::move(lost);
    parts_->openTimeout.arm(parts_->settings.timeout, [this] {
        const auto& failed = parts_->reads.ready() ? parts_->writes : parts_->reads;
        tellReady(failure(ErrorCode::Unavailable, failed.lastFailure()));
    });
    for (auto* connection : {&parts_->reads, &parts_->writes}) {
        connection->onReady([this](bool isReady) {
            if (!isReady && !parts_->ready) {
                if (const auto tell = std::exchange(parts_->lost, nullptr)) {
                    tell();
                }
            }
        });
    }
    pollReady();
}

void RedisStore::pollReady()
{
    if (parts_->reads.ready() && parts_->writes.ready() && parts_->clock.disciplined()) {
        parts_->pollTimer.arm(Millis{0}, [this] { tellReady({}); });
    } else {
        parts_->pollTimer.arm(kPollInterval, [this] { pollReady(); });
    }
}

void RedisStore::tellReady(Result<void> result)
{
    parts_->pollTimer.cancel();
    parts_->openTimeout.cancel();
    if (const auto tell = std::exchange(parts_->ready, nullptr)) {
        tell(std::move(result));  // which may end this
    }
}

JobInspector& RedisStore::inspector()
{
    return parts_->inspector;
}

DelayQueue& RedisStore::queue()
{
    return parts_->queue;
}

const Config& RedisStore::config() const
{
    return parts_->settings.config;
}

void RedisStore::history(std::string id, Done<std::vector<HistoryRow>> done)
{
    if (!parts_->sql) {
        return readEvents(parts_->reads, parts_->place, std::move(id), std::move(done));
    }
    parts_->sql->ask<std::vector<HistoryRow>>(
        parts_->loop,
        [id = std::move(id)](journal::SqlJournal& journal) { return journal.history(id); },
        std::move(done));
}

void RedisStore::audit(AuditRequest request, Done<AuditBatch> done)
{
    if (parts_->sql) {
        return readAudit(*parts_->sql, parts_->loop, request, std::move(done));
    }
    readAudit(parts_->reads, parts_->place, std::move(request), std::move(done));
}

void RedisStore::pulse(Done<redis::StoreActivity> done)
{
    parts_->watch.activity(std::move(done));
}

void RedisStore::past(PastRequest request, Done<Past> done)
{
    if (!parts_->sql) {
        return done(failure(ErrorCode::Unavailable, "no journal is known for this connection"));
    }
    // How far the journal is tells until when its silence means that nothing happened.
    parts_->watch.activity(
        [journal = std::weak_ptr(parts_->sql), &loop = parts_->loop, &clock = parts_->clock,
         retention = parts_->settings.config.journal.retention, request = std::move(request),
         done = std::move(done)](const Result<redis::StoreActivity>& pulse) {
            if (!pulse) {
                return done(tl::unexpected<Error>(pulse.error()));
            }
            const auto now = clock.now();
            JournalReach reach{.oldest = now - retention};
            if (pulse->journal) {
                reach.recorded = now - pulse->journal->behind;
            }
            readPast(journal, loop, request, reach, done);
        });
}

void RedisStore::activity(Done<TopicActivity> done)
{
    parts_->watch.countByTopic(
        JobState::Leased, kMostLeased,
        [journal = std::weak_ptr(parts_->sql), &loop = parts_->loop, now = parts_->clock.now(),
         done = std::move(done)](const Result<redis::JobsByTopic>& leased) {
            if (!leased) {
                return done(tl::unexpected<Error>(leased.error()));
            }
            readActivity(journal, loop, now, activityOf(*leased, kMostLeased), done);
        });
}

void RedisStore::ping(Done<void> done)
{
    parts_->reads.command({"PING"}, [done = std::move(done)](const Result<redis::Reply>& reply) {
        done(reply ? Result<void>{} : tl::unexpected<Error>(reply.error()));
    });
}

void RedisStore::follow(std::function<void(const StoreEvent&)> handler)
{
    redis::EventFeed::Following following;
    following.handler = [handler](const redis::EventFeed::Event& event,
                                  const redis::EventPosition&) {
        handler({event.entry.ids.size(), event.entry.ids, true});
    };
    following.missed = [handler](std::uint32_t) { handler({0, {}, false}); };
    parts_->feed.follow(std::move(following));
}

}  // namespace restante::gui
