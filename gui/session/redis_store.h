#pragma once

#include "core/base/callback_guard.h"
#include "core/config/config.h"
#include "core/journal/cold/store_with_cold_jobs.h"
#include "core/journal/sql/journal_url.h"
#include "core/journal/sql/sql_thread.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/store/disciplined_clock.h"
#include "core/redis/store/event_feed.h"
#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/redis_job_store.h"
#include "core/redis/store/store_activity.h"
#include "gui/session/event_audit.h"
#include "gui/session/open_store.h"
#include "gui/session/topic_census.h"

#include <memory>
#include <optional>

namespace restante::gui {

/// A store in Redis, with its journal if that is known, and so with the jobs that are in the
/// journal alone (docs/decisions/0042-cold-jobs.md). Reads and writes use separate connections, so
/// that a long search delays no write. Borrows the loop. *One loop.*
class RedisStore final : public OpenStore {
public:
    struct Settings {
        redis::RedisUrl url;
        Config config;  ///< with the prefix and the shards that the store has
        std::optional<journal::JournalUrl> journal = {};
        Millis timeout{5'000};
    };

    RedisStore(EventLoop& loop, Settings settings);

    /// Answers once the connections for reads and writes are ready, the time of the store is known,
    /// and so is whether it has cold jobs. After that, `lost` is called once when one of these two
    /// connections breaks.
    void awaitReady(Done<void> done, std::function<void()> lost);

    /// Why cold jobs are not shown that the store may have. Known once it is ready.
    const LinkProblem& coldProblem() const noexcept { return coldProblem_; }

    JobInspector& inspector() override
    {
        return storeWithColdJobs_ ? storeWithColdJobs_->inspector()
                                  : static_cast<JobInspector&>(inspector_);
    }
    DelayQueue& queue() override
    {
        return storeWithColdJobs_ ? storeWithColdJobs_->queue() : queue_;
    }
    Result<void> checkComplete() const override;
    const Config& config() const override { return settings_.config; }
    void history(std::string id, Done<std::vector<HistoryRow>> done) override;
    void audit(AuditRequest request, Done<AuditBatch> done) override;
    void storeActivity(Done<redis::StoreActivity> done) override
    {
        activityReader_.activity(std::move(done));
    }
    void past(PastRequest request, Done<Past> done) override;
    void topicActivity(Done<TopicActivity> done) override;
    void deadReasons(Done<DeadReasons> done) override;
    void daemons(Done<std::vector<DaemonView>> done) override
    {
        redis::readDaemons(reads_, address_.prefix, clock_.now(), std::move(done));
    }
    void ping(Done<void> done) override;
    void follow(std::function<void(const StoreEvent&)> handler) override;

private:
    void findColdJobsWhenConnected();
    void findColdJobs();
    void openStoreWithColdJobs(Millis horizon, const Result<void>& journalCheck);
    void completeReady(Result<void> result);

    EventLoop& loop_;
    Settings settings_;
    redis::StoreAddress address_;
    redis::Connection reads_;
    redis::Connection writes_;
    redis::Connection events_;
    redis::DisciplinedClock clock_;
    redis::RedisJobStore store_;
    redis::RedisJobInspector inspector_;
    redis::StoreActivityReader activityReader_;
    TopicCensus census_;
    DelayQueue queue_;
    redis::EventFeed feed_;
    std::shared_ptr<journal::SqlThread> sql_;  ///< shared with its pending requests
    struct TopicPastCache {
        TimePoint readAt{};
        std::optional<TopicPast> last = {};
    };
    std::shared_ptr<TopicPastCache> topicPast_;  ///< shared with pending answers
    std::unique_ptr<journal::StoreWithColdJobs>
        storeWithColdJobs_;  ///< null when no job is cold, or none can be read
    LinkProblem coldProblem_;
    bool coldSearchBegun_ = false;
    bool journalAsked_ = false;  ///< Redis has said all: the store has cold jobs, and which it is
    Done<void> onReady_;
    std::function<void()> onLost_;
    Timer findColdJobsTimer_;
    Timer openTimeout_;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::gui
