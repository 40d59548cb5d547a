#include "core/job/job_filter.h"
#include "core/queue/job_search.h"
#include "tests/contract/store_contract.h"

#include <algorithm>
#include <set>

namespace restante::test {
namespace {

class Search : public StoreContract {
protected:
    static JobFilter filter(const std::string& text)
    {
        auto filter = JobFilter::parse(text);
        EXPECT_TRUE(filter) << text;
        return filter.value_or(JobFilter{});
    }
    Result<SearchPage> search(JobSearch search)
    {
        return await<SearchPage>([&](auto done) { inspector().search(std::move(search), done); });
    }
    /// The ids of every page, in order; each page within the budget.
    std::vector<std::string> searchIds(JobSearch wanted)
    {
        std::vector<std::string> ids;
        for (int pages = 0; pages < 100; ++pages) {
            const auto page = search(wanted);
            EXPECT_DONE(page);
            for (const auto& view : page->jobs) {
                ids.push_back(view.job.id);
            }
            if (!page->hasMore()) {
                return ids;
            }
            wanted.cursor = page->cursor;
        }
        ADD_FAILURE() << "no end";
        return ids;
    }
    std::vector<std::string> searchIds(const std::string& text)
    {
        return searchIds({.filter = filter(text)});
    }
    /// The sum of all calls.
    std::map<JobState, std::uint64_t> countByState(JobSearch wanted)
    {
        std::map<JobState, std::uint64_t> sum;
        for (int calls = 0; calls < 100; ++calls) {
            const auto count = await<JobCount>([&](auto done) { inspector().count(wanted, done); });
            EXPECT_DONE(count);
            for (const auto& [state, number] : count->states) {
                sum[state] += number;
            }
            wanted.cursor = count->cursor;
            if (wanted.cursor.empty()) {
                return sum;
            }
        }
        ADD_FAILURE() << "no end";
        return sum;
    }
    JobPage indexed(IndexQuery query)
    {
        auto page = await<JobPage>([&](auto done) { inspector().indexed(std::move(query), done); });
        EXPECT_DONE(page);
        return page.value_or(JobPage{});
    }
    std::uint64_t countIndexed(IndexQuery::Kind kind, const std::string& value)
    {
        const auto count =
            await<std::uint64_t>([&](auto done) { inspector().countIndexed(kind, value, done); });
        EXPECT_DONE(count);
        return count.value_or(0);
    }
    /// A job on the n-th shard that can be found by its key.
    Job jobWithKey(const std::string& key, std::uint32_t n = 0)
    {
        auto job = newJob();
        job.id = newId(n % shards());
        job.bizKey = key;
        job.findByKey = true;
        return job;
    }
    static std::vector<std::string> sorted(std::vector<std::string> ids)
    {
        std::sort(ids.begin(), ids.end());
        return ids;
    }
};
INSTANTIATE_TEST_SUITE_P(Store, Search, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(Search, findsTheJobsOfEachState)
{
    open({.retentionDone = 1h});
    for (const auto state : kJobStates) {
        const auto id = makeJobIn(state);
        EXPECT_EQ(searchIds("state:" + std::string(name(state))), std::vector{id}) << name(state);
    }
    EXPECT_EQ(searchIds("").size(), kJobStates.size());
    EXPECT_EQ(searchIds({.states = {JobState::Dead, JobState::Held}}).size(), 2U);
    EXPECT_TRUE(searchIds("state:dead state:done").empty());
    EXPECT_TRUE(searchIds({.filter = filter("state:dead"), .states = {JobState::Done}}).empty());
}

TEST_P(Search, findsWhatMatchesTheFilter)
{
    const auto first = storeJob(newJob(2, "a"), 1h).id;
    const auto second = storeJob(newJob(7, "b"), 3h).id;
    const auto message = storeHeldJob(messageTo("sip:bob@example.org")).id;
    EXPECT_EQ(searchIds("topic:a"), std::vector{first});
    EXPECT_EQ(searchIds("due>2h state:scheduled"), std::vector{second});
    EXPECT_EQ(searchIds("to:sip:bob@*"), std::vector{message});
    EXPECT_EQ(searchIds("kind:sip"), std::vector{message});
    EXPECT_EQ(searchIds("priority<5"), std::vector{first});
    EXPECT_EQ(searchIds("state:scheduled (topic:a OR topic:b)"), (std::vector{first, second}));
    EXPECT_EQ(searchIds("id:" + first + "," + second).size(), 2U);
    EXPECT_TRUE(searchIds("id:nobody").empty());
    EXPECT_TRUE(searchIds("id:\"no id\"").empty());
}

TEST_P(Search, goesBothWaysThroughTheDueTimes)
{
    std::vector<std::string> ids;
    for (std::uint32_t i = 0; i < 25; ++i) {
        auto job = newJob(static_cast<int>(i % 10), i % 2 == 0 ? "a" : "b");
        job.id = newId(i % shards());
        ids.push_back(storeJob(job, 1h + 1s * i).id);
    }
    JobSearch wanted{.states = {JobState::Scheduled}, .limit = 7};
    EXPECT_EQ(searchIds(wanted), ids);
    std::reverse(ids.begin(), ids.end());
    wanted.order = JobSearch::Order::Descending;
    EXPECT_EQ(searchIds(wanted), ids);
}

TEST_P(Search, goesBothWaysThroughJobsOfOneMoment)
{
    std::multiset<std::string> ids;
    for (std::uint32_t i = 0; i < 12; ++i) {
        const auto job = jobWithKey("k", i);
        ids.insert(storeJob(job).id);
        EXPECT_DONE(trash(job.id));
    }
    for (const auto order : {JobSearch::Order::Ascending, JobSearch::Order::Descending}) {
        const auto seen = searchIds({.states = {JobState::Trashed}, .order = order, .limit = 5});
        EXPECT_EQ(std::multiset<std::string>(seen.begin(), seen.end()), ids);
    }
}

TEST_P(Search, stopsAtItsBudgetAndGoesOn)
{
    for (int i = 0; i < 250; ++i) {
        storeJob(newJob(5, i == 249 ? "uncommon" : "common"), 1h + 1s * i);
    }
    JobSearch wanted{.filter = filter("uncommon"), .budget = 100};
    const auto first = search(wanted);
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->jobs.empty());
    EXPECT_TRUE(first->hasMore());
    EXPECT_GE(first->examined, 100U);
    EXPECT_LT(first->examined, 250U);
    EXPECT_EQ(searchIds(wanted).size(), 1U);
    EXPECT_EQ(countByState(wanted)[JobState::Scheduled], 1U);
}

TEST_P(Search, countsWhatItLists)
{
    open({.retentionDone = 1h});
    for (const auto state : kJobStates) {
        makeJobIn(state);
        makeJobIn(state);
    }
    storeJob(newJob(1, "a"), 1h);
    storeJob(newJob(2, "a"));
    storeHeldJob(messageTo("sip:bob@example.org"));
    for (const auto* text :
         {"", "state:dead", "state:ready,scheduled topic:a", "topic:a", "kind:sip", "attempts>0",
          "state:scheduled kind:pull", "-state:done", "state:dead OR topic:a", "order"}) {
        const auto counts = countByState({.filter = filter(text)});
        std::uint64_t sum = 0;
        for (const auto& [state, number] : counts) {
            const auto ids = searchIds({.filter = filter(text), .states = {state}});
            EXPECT_EQ(number, ids.size()) << text << " " << name(state);
            sum += number;
        }
        EXPECT_EQ(sum, searchIds(text).size()) << text;
    }
}

TEST_P(Search, refusesTheCursorOfAnotherSearch)
{
    if (GetParam().name == "memory") {
        return;  // its cursors fit every search
    }
    for (int i = 0; i < 3; ++i) {
        storeJob(jobWithKey("k"), 1h);
    }
    const auto page = search({.filter = filter("biz_key:k"), .limit = 1});
    ASSERT_TRUE(page && page->hasMore());
    EXPECT_REFUSED(search({.cursor = page->cursor}), Invalid);
    EXPECT_REFUSED(search({.cursor = "nonsense"}), Invalid);
    EXPECT_REFUSED(search({.filter = filter("biz_key:k"), .cursor = "dead 1 a"}), Invalid);
}

TEST_P(Search, findsTheJobsOfABizKeyByTheIndex)
{
    std::vector<std::string> ids;
    for (std::uint32_t i = 0; i < 6; ++i) {
        ids.push_back(storeJob(jobWithKey("order 17", i), 1h).id);
        storeJob(jobWithKey("order 17x", i), 1h);
    }
    EXPECT_DONE(trash(ids[0]));
    EXPECT_EQ(sorted(searchIds({.filter = filter("biz_key:\"order 17\""), .limit = 2})),
              sorted(ids));
    EXPECT_EQ(searchIds("biz_key:\"order 17\" state:trashed"), std::vector{ids[0]});
    EXPECT_EQ(countByState({.filter = filter("biz_key:\"order 17\"")})[JobState::Scheduled], 5U);
    EXPECT_TRUE(searchIds("biz_key:order").empty());
    EXPECT_EQ(countIndexed(IndexQuery::Kind::BizKey, "order 17"), 6U);
    std::vector<std::string> seen;
    IndexQuery query{.value = "order 17", .limit = 4};
    do {
        const auto page = indexed(query);
        for (const auto& view : page.jobs) {
            seen.push_back(view.job.id);
        }
        query.cursor = page.cursor;
    } while (!query.cursor.empty());
    EXPECT_EQ(sorted(seen), sorted(ids));
}

TEST_P(Search, findsBySenderOnlyWhoAskedForIt)
{
    auto marked = newJob();
    marked.sender = "alice";
    marked.findBySender = true;
    const auto id = storeJob(marked, 1h).id;
    auto other = newJob();
    other.sender = "alice";
    storeJob(other, 1h);
    EXPECT_EQ(countIndexed(IndexQuery::Kind::Sender, "alice"), 1U);
    const auto page = indexed({.kind = IndexQuery::Kind::Sender, .value = "alice"});
    ASSERT_EQ(page.jobs.size(), 1U);
    EXPECT_EQ(page.jobs[0].job.id, id);
    EXPECT_TRUE(page.jobs[0].job.findBySender);
}

TEST_P(Search, forgetsInTheIndexWhatIsForgotten)
{
    const auto count = [&] { return countIndexed(IndexQuery::Kind::BizKey, "k"); };
    const auto job = leaseJob(jobWithKey("k"));
    EXPECT_EQ(count(), 1U);
    EXPECT_DONE(finish(leaseOf(job)));
    EXPECT_EQ(count(), 0U);
    const auto purged = storeJob(jobWithKey("k"), 1h).id;
    EXPECT_DONE(trash(purged));
    EXPECT_EQ(count(), 1U);
    EXPECT_DONE(purge(purged));
    EXPECT_EQ(count(), 0U);
}

TEST_P(Search, movesAReplacedJobToItsNewKey)
{
    auto job = storeJob(jobWithKey("old"), 1h);
    job.bizKey = "new";
    EXPECT_DONE(push({.job = job, .due = now() + 1h, .replace = true}));
    EXPECT_EQ(countIndexed(IndexQuery::Kind::BizKey, "old"), 0U);
    EXPECT_EQ(countIndexed(IndexQuery::Kind::BizKey, "new"), 1U);
}

TEST_P(Search, indexesAMessageThatAsksForIt)
{
    auto message = messageTo("sip:bob@example.org");
    message.bizKey = "17";
    message.findByKey = true;
    const auto id = storeHeldJob(message).id;
    EXPECT_EQ(searchIds("biz_key:17"), std::vector{id});
    const auto claimed = claimMailbox("sip:bob@example.org");
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_DONE(finish(leaseOf(claimed[0])));
    EXPECT_EQ(countIndexed(IndexQuery::Kind::BizKey, "17"), 0U);
}

}  // namespace
}  // namespace restante::test
