#include "core/journal/client/journal_queue.h"

#include "core/assembly/redis_queue.h"
#include "core/base/await.h"
#include "core/base/epoll_loop.h"
#include "core/base/try.h"
#include "core/client/queue_tier.h"
#include "core/config/config.h"
#include "core/journal/cold/cold_tier.h"
#include "core/journal/sql/sql_thread.h"

#include <utility>

namespace restante::journal {

namespace {

constexpr Millis kCheckTimeout{10'000};

class JournalTier final : public QueueTier {
public:
    JournalTier(const QueueBase& base, JournalUrl url)
        : tier_({base.loop, base.redis.clock(), base.redis.store(), base.redis.shards(),
                 base.redis.inspector()},
                std::move(url),
                base.horizon,
                redis::queueSettingsOf(base.config))
    {
    }
    DelayQueue& queue() override { return tier_.queue(); }

private:
    ColdTier tier_;
};

Result<std::unique_ptr<QueueTier>> openTier(const QueueBase& base, const std::string& text)
{
    auto url = TRY(text.empty() ? journalUrlOf(base.config) : parseJournalUrl(text));
    SqlThread sql(url, SqlJournal::Schema::Require);
    const auto isOurs = await<void>(
        base.loop, kCheckTimeout,
        [&](auto done) {
            checkColdJournal(base.loop, sql, base.redis.connection(), base.config.redis.prefix,
                             std::move(done));
        },
        "its database does not answer");
    if (!isOurs) {
        return failure(isOurs.error().code,
                       "the journal {}: {}; start its database and restanted, or name the "
                       "journal of this store",
                       url.shown, isOurs.error().message);
    }
    return std::make_unique<JournalTier>(base, std::move(url));
}

}  // namespace

ColdJobsOpener coldJobsIn(std::string url)
{
    return [url = std::move(url)](const QueueBase& base) { return openTier(base, url); };
}

}  // namespace restante::journal
