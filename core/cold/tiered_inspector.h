#pragma once

#include "core/base/callback_guard.h"
#include "core/cold/cold_jobs.h"
#include "core/queue/job_inspector.h"
#include "core/queue/job_search.h"
#include "core/redis/store/shard_queues.h"

namespace restante::cold {

/// Inspects the store and the cold jobs, which are scheduled. They come after the others in
/// ascending order (in a page by rank after the scheduled ones) and before them in descending
/// order; a page that one side does not fill continues with the other one. Unavailable: the
/// database does not answer, so the result would be incomplete. Borrows everything. *One loop.*
class TieredInspector final : public JobInspector {
public:
    TieredInspector(const Clock& clock,
                    JobInspector& hot,
                    const redis::ShardQueues& scripts,
                    ColdJobs& cold)
        : clock_(clock),
          hot_(hot),
          scripts_(scripts),
          cold_(cold)
    {
    }

    void show(std::string id, Done<JobView> done) override;
    void list(JobQuery query, Done<JobPage> done) override;
    void counts(Done<StoreCounts> done) override;
    void search(JobSearch search, Done<SearchPage> done) override;
    void ranked(RankQuery query, Done<RankPage> done) override;
    void count(JobSearch search, Done<JobCount> done) override;
    void indexed(IndexQuery query, Done<JobPage> done) override;
    void countIndexed(IndexQuery::Kind kind, std::string value, Done<std::uint64_t> done) override;
    void topics(Done<std::vector<TopicView>> done) override;

    void onceKeys(std::function<void(std::vector<OnceKey>)> batch, Done<void> done) override
    {
        hot_.onceKeys(std::move(batch), std::move(done));
    }
    void mailboxes(MailboxQuery query, Done<MailboxPage> done) override;
    void mailbox(MailboxRequest request, Done<MailboxContent> done) override;

private:
    void showRow(const ColdRow& row, Done<JobView> done);
    struct Scan;

    void scan(const std::shared_ptr<Scan>& scan);
    void searchCold(const JobSearch& search, SearchPage page, Done<SearchPage> done);
    void countCold(const JobSearch& search, JobCount count, Done<JobCount> done);
    void listCold(const JobQuery& query, JobPage page, Done<JobPage> done);
    template <class Query>
    void listHotThenCold(void (JobInspector::*hotMethod)(Query, Done<JobPage>),
                         Query query,
                         JobQuery coldQuery,
                         Done<JobPage> done);
    struct RankedRequest;
    void fillRankedPage(const std::shared_ptr<RankedRequest>& request);

    const Clock& clock_;
    JobInspector& hot_;
    const redis::ShardQueues& scripts_;
    ColdJobs& cold_;
    CallbackGuard guard_;
};

}  // namespace restante::cold
