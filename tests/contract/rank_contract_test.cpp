#include "core/job/job_filter.h"
#include "core/queue/job_search.h"
#include "tests/contract/store_contract.h"

#include <algorithm>

namespace restante::test {
namespace {

class Rank : public StoreContract {
protected:
    Result<RankPage> rankPage(RankQuery query)
    {
        return await<RankPage>([&](auto done) { inspector().ranked(std::move(query), done); });
    }
    /// The ids of all pages, in order.
    std::vector<std::string> rankInPages(RankQuery query)
    {
        std::vector<std::string> ids;
        for (query.offset = 0; query.offset < 10'000; query.offset += query.limit) {
            const auto page = rankPage(query);
            EXPECT_DONE(page);
            if (!page || page->jobs.empty()) {
                break;
            }
            EXPECT_EQ(page->offset, query.offset);
            for (const auto& view : page->jobs) {
                ids.push_back(view.job.id);
            }
        }
        return ids;
    }
    std::vector<std::string> searchIds(const JobSearch& wanted)
    {
        auto search = wanted;
        search.limit = 1'000;
        const auto page =
            await<SearchPage>([&](auto done) { inspector().search(std::move(search), done); });
        EXPECT_DONE(page);
        std::vector<std::string> ids;
        for (const auto& view : page.value_or(SearchPage{}).jobs) {
            ids.push_back(view.job.id);
        }
        return ids;
    }
    /// Pages of several sizes, in both orders, are what a search lists.
    void expectTheSearchedOrder(const std::vector<JobState>& states)
    {
        for (const auto order : {JobSearch::Order::Ascending, JobSearch::Order::Descending}) {
            const auto wanted = searchIds({.states = states, .order = order});
            for (const std::uint32_t limit : {3U, 40U, 1'000U}) {
                EXPECT_EQ(rankInPages({.states = states, .order = order, .limit = limit}), wanted)
                    << "pages of " << limit;
            }
        }
    }
    /// Jobs of many topics and priorities on every shard, so in many lanes; some due together.
    void storeMany(std::uint32_t count)
    {
        for (std::uint32_t i = 0; i < count; ++i) {
            auto job = newJob(static_cast<int>(i % 10), "topic-" + std::to_string(i * 7 % 6));
            job.id = newId(i % shards());
            storeJob(job, i % 3 == 0 ? 0ms : Millis{1h} + 1s * (i * 37 % 11));
        }
    }
    static JobSearch searchFor(const std::string& text)
    {
        const auto filter = JobFilter::parse(text);
        EXPECT_TRUE(filter) << text;
        return {.filter = filter.value_or(JobFilter{})};
    }
};
INSTANTIATE_TEST_SUITE_P(Store, Rank, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(Rank, pagesAreWhatASearchListsInManyLanes)
{
    storeMany(130);
    expectTheSearchedOrder({JobState::Scheduled});
    expectTheSearchedOrder({JobState::Ready});
    expectTheSearchedOrder({JobState::Scheduled, JobState::Ready});
}

TEST_P(Rank, pagesAreWhatASearchListsWhenAllHaveOneMoment)
{
    for (std::uint32_t i = 0; i < 60; ++i) {
        auto job = newJob(static_cast<int>(i % 4), i % 2 == 0 ? "a" : "b");
        job.id = newId(i % shards());
        const auto id = storeJob(job, 1h).id;
        if (i % 2 == 0) {
            EXPECT_DONE(reschedule(id, 2h));
        } else {
            EXPECT_DONE(trash(id));
        }
    }
    expectTheSearchedOrder({JobState::Scheduled});
    expectTheSearchedOrder({JobState::Trashed});
}

TEST_P(Rank, pagesOfAllStatesStandSideBySide)
{
    open({.retentionDone = 1h});
    for (const auto state : kJobStates) {
        for (int i = 0; i < 3; ++i) {
            makeJobIn(state);
        }
    }
    for (int i = 0; i < 4; ++i) {
        storeHeldJob(messageTo("sip:bob" + std::to_string(i) + "@example.org"), 1min * (5 - i));
    }
    expectTheSearchedOrder({});
    for (const auto state : kJobStates) {
        expectTheSearchedOrder({state});
    }
    expectTheSearchedOrder({JobState::Dead, JobState::Held});
}

TEST_P(Rank, countsEachStateThatIsAskedFor)
{
    storeMany(30);
    makeJobIn(JobState::Dead);
    const auto page = rankPage({.limit = 0});
    ASSERT_TRUE(page);
    EXPECT_TRUE(page->jobs.empty());
    EXPECT_EQ(page->total, 31U);
    EXPECT_EQ(page->states.size(), kJobStates.size());
    EXPECT_EQ(page->states.at(JobState::Ready), 10U);
    EXPECT_EQ(page->states.at(JobState::Scheduled), 20U);
    EXPECT_EQ(page->states.at(JobState::Dead), 1U);
    EXPECT_EQ(page->states.at(JobState::Done), 0U);
}

TEST_P(Rank, jumpsToAnyPlace)
{
    storeMany(90);
    const auto all = searchIds({.states = {JobState::Scheduled}});
    ASSERT_EQ(all.size(), 60U);
    for (const std::uint64_t offset : {0U, 1U, 29U, 58U, 59U}) {
        const auto page = rankPage({.states = {JobState::Scheduled}, .offset = offset, .limit = 5});
        ASSERT_TRUE(page && !page->jobs.empty()) << offset;
        EXPECT_EQ(page->jobs.size(), std::min<std::size_t>(5, 60 - offset)) << offset;
        EXPECT_EQ(page->jobs[0].job.id, all[offset]) << offset;
        EXPECT_EQ(page->total, 60U);
    }
    for (const std::uint64_t offset : {60ULL, 1'000'000'000'000ULL}) {
        const auto page = rankPage({.states = {JobState::Scheduled}, .offset = offset});
        ASSERT_TRUE(page);
        EXPECT_TRUE(page->jobs.empty());
        EXPECT_EQ(page->total, 60U);
    }
}

TEST_P(Rank, tellsOfAJobWhatShowTells)
{
    const auto failed = leaseJob(newJob());
    EXPECT_DONE(retry(leaseOf(failed), 1min, "busy"));
    const auto page = rankPage({.states = {JobState::Scheduled}});
    ASSERT_TRUE(page && page->jobs.size() == 1);
    const auto& seen = page->jobs[0];
    const auto shown = view(failed.job.id);
    EXPECT_EQ(seen.job.id, shown.job.id);
    EXPECT_EQ(seen.job.body, shown.job.body);
    EXPECT_EQ(seen.state, JobState::Scheduled);
    EXPECT_EQ(seen.due, shown.due);
    EXPECT_EQ(seen.attempt, shown.attempt);
    EXPECT_EQ(seen.lastError, "busy");
}

TEST_P(Rank, keepsToTopicsAndChannels)
{
    storeMany(60);
    auto message = messageTo("sip:bob@example.org");
    message.topic = "topic-1";
    storeJob(message, 2h);
    for (const auto* text : {"topic:topic-1 state:scheduled", "topic:topic-1,topic-2 state:ready",
                             "kind:sip state:scheduled", "topic:nobody state:ready"}) {
        const auto search = searchFor(text);
        auto query = rankQueryOf(search);
        ASSERT_TRUE(query) << text;
        query->limit = 4;
        EXPECT_EQ(rankInPages(*query), searchIds(search)) << text;
    }
    EXPECT_EQ(rankInPages({.states = {JobState::Ready}, .topics = {"topic-1", "topic-1"}}).size(),
              searchIds(searchFor("topic:topic-1 state:ready")).size());
}

TEST_P(Rank, refusesWhatTheStoreKeepsNoOrderFor)
{
    EXPECT_REFUSED(rankPage({.states = {JobState::Dead}, .topics = {"order"}}), Invalid);
    EXPECT_REFUSED(rankPage({.channels = {Channel::Sip}}), Invalid);
    EXPECT_REFUSED(rankPage({.limit = 1'001}), Invalid);
}

TEST_P(Rank, pagesHaveNoMoreOfABodyThanIsWanted)
{
    auto job = newJob(5, "a");
    job.id = newId(0);
    job.body = std::string(300, 'x') + "tail";
    job.contentType = "text/plain";
    job.headers = {{"X-Long", std::string(200, 'h')}};
    const auto long1 = storeJob(job, 1h).id;
    job.id = newId(0);
    job.body = "short";
    const auto short1 = storeJob(job, 2h).id;

    const auto page = rankPage({.limit = 10, .bodyBytes = 200});
    ASSERT_TRUE(page);
    ASSERT_EQ(page->jobs.size(), 2U);
    EXPECT_EQ(page->jobs[0].job.body, std::string(200, 'x'));
    EXPECT_EQ(page->jobs[0].job.headers, job.headers);
    EXPECT_EQ(page->jobs[1].job.body, "short");
    EXPECT_EQ(page->cut, (CutBodies{{long1, 304}}));

    auto search = searchFor("topic:a attempts=0");
    search.bodyBytes = 0;
    const auto found =
        await<SearchPage>([&](auto done) { inspector().search(std::move(search), done); });
    ASSERT_TRUE(found);
    ASSERT_EQ(found->jobs.size(), 2U);
    EXPECT_EQ(found->jobs[0].job.body, "");
    EXPECT_EQ(found->cut, (CutBodies{{long1, 304}, {short1, 5}}));
}

TEST_P(Rank, aSearchByBodyOrSizeSeesAllOfItAndTellsAPart)
{
    auto job = newJob(5, "a");
    job.body = std::string(300, 'x') + "needle";
    const auto id = storeJob(job, 1h).id;
    for (const auto* text : {"payload:needle", "needle", "size=306"}) {
        auto search = searchFor(text);
        search.bodyBytes = 10;
        const auto found =
            await<SearchPage>([&](auto done) { inspector().search(std::move(search), done); });
        ASSERT_TRUE(found);
        ASSERT_EQ(found->jobs.size(), 1U) << text;
        EXPECT_EQ(found->jobs[0].job.body, std::string(10, 'x')) << text;
        EXPECT_EQ(found->cut, (CutBodies{{id, 306}})) << text;
    }
}

}  // namespace
}  // namespace restante::test
