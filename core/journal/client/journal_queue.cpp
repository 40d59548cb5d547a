#include "core/journal/client/journal_queue.h"

#include "core/assembly/redis_queue.h"
#include "core/base/await.h"
#include "core/base/epoll_loop.h"
#include "core/base/try.h"
#include "core/client/queue_with_cold_jobs.h"
#include "core/config/config.h"
#include "core/journal/cold/store_with_cold_jobs.h"
#include "core/journal/sql/sql_thread.h"

#include <utility>

namespace restante::journal {

namespace {

constexpr Millis kCheckTimeout{10'000};

class QueueWithJournal final : public QueueWithColdJobs {
public:
    QueueWithJournal(const ColdJobsContext& context, JournalUrl url)
        : store_({context.loop, context.redis.clock(), context.redis.store(),
                  context.redis.shards(), context.redis.inspector()},
                 std::move(url),
                 context.horizon,
                 redis::queueSettingsOf(context.config))
    {
    }
    DelayQueue& queue() override { return store_.queue(); }

private:
    StoreWithColdJobs store_;
};

Result<std::unique_ptr<QueueWithColdJobs>> openColdJobs(const ColdJobsContext& context,
                                                        const std::string& urlText)
{
    auto url = TRY(urlText.empty() ? journalUrlOf(context.config) : parseJournalUrl(urlText));
    SqlThread sql(url, SqlJournal::Schema::Require);
    const auto isUsable = await<void>(
        context.loop, kCheckTimeout,
        [&](auto done) {
            checkColdJournal(context.loop, sql, context.redis.connection(),
                             context.config.redis.prefix, std::move(done));
        },
        "its database does not answer");
    if (!isUsable) {
        return failure(isUsable.error().code,
                       "the journal {}: {}; start its database and restanted, or name the "
                       "journal of this store",
                       url.shown, isUsable.error().message);
    }
    return std::make_unique<QueueWithJournal>(context, std::move(url));
}

}  // namespace

ColdJobsOpener coldJobsIn(std::string url)
{
    return [url = std::move(url)](const ColdJobsContext& context) {
        return openColdJobs(context, url);
    };
}

}  // namespace restante::journal
