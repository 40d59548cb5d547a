#include "tests/contract/store_contract.h"

#include <algorithm>
#include <set>

namespace restante::test {
namespace {

class Inspect : public StoreContract {
protected:
    JobPage list(JobQuery query)
    {
        auto page = await<JobPage>([&](auto done) { inspector().list(std::move(query), done); });
        EXPECT_DONE(page);
        return page.value_or(JobPage{});
    }
    std::vector<std::string> listedIds(JobQuery query)
    {
        std::vector<std::string> ids;
        for (const auto& view : list(std::move(query)).jobs) {
            ids.push_back(view.job.id);
        }
        return ids;
    }
    StoreCounts counts()
    {
        auto counts = await<StoreCounts>([&](auto done) { inspector().counts(done); });
        EXPECT_DONE(counts);
        return counts.value_or(StoreCounts{});
    }
};
INSTANTIATE_TEST_SUITE_P(Store, Inspect, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(Inspect, showsNothingOfAJobThatIsNotThere)
{
    const auto seen = await<JobView>([&](auto done) { inspector().show("nobody", done); });
    EXPECT_REFUSED(seen, NotFound);
}

TEST_P(Inspect, listsTheJobsOfEachState)
{
    open({.retentionDone = 1h});
    using enum JobState;
    for (const auto state : {Scheduled, Ready, Leased, Held, Dead, Trashed, Done}) {
        const auto id = makeJobIn(state);
        const auto page = list({.state = state});
        ASSERT_EQ(page.jobs.size(), 1U) << name(state);
        EXPECT_EQ(page.jobs[0].job.id, id);
        EXPECT_EQ(page.jobs[0].state, state);
    }
    EXPECT_EQ(list({}).jobs.size(), 7U);
}

TEST_P(Inspect, listsByTheNextMoment)
{
    const auto third = storeJob(newJob(5, "a"), 3h).id;
    const auto first = storeJob(newJob(9, "a"), 1h).id;
    const auto second = storeJob(newJob(0, "b"), 2h).id;
    EXPECT_EQ(listedIds({.state = JobState::Scheduled}), (std::vector{first, second, third}));
}

TEST_P(Inspect, listsOnlyWhatFitsTheQuery)
{
    auto message = messageTo("sip:bob@example.org");
    message.bizKey = "call-1";
    storeHeldJob(message);
    storeHeldJob(messageTo("sip:carol@example.org"));
    storeJob(newJob(5, "a"), 1h);
    const auto wanted = std::vector{message.id};
    EXPECT_EQ(listedIds({.recipient = "sip:bob@example.org"}), wanted);
    EXPECT_EQ(listedIds({.bizKey = "call-1"}), wanted);
    EXPECT_EQ(listedIds({.channel = Channel::Sip}).size(), 2U);
    EXPECT_EQ(listedIds({.sender = "sip:alice@example.org"}).size(), 2U);
    EXPECT_EQ(listedIds({.topic = "a"}).size(), 1U);
    EXPECT_TRUE(listedIds({.topic = "none"}).empty());
}

TEST_P(Inspect, pagesThroughEveryJobOnce)
{
    std::set<std::string> pushed;
    for (std::uint32_t i = 0; i < 25; ++i) {
        auto job = newJob();
        job.id = newId(i % shards());
        pushed.insert(storeJob(job, 1h + 1s * (i / 5)).id);
    }
    std::multiset<std::string> seen;
    JobQuery query{.state = JobState::Scheduled, .limit = 10};
    int pages = 0;
    do {
        const auto page = list(query);
        EXPECT_LE(page.jobs.size(), 10U);
        for (const auto& view : page.jobs) {
            seen.insert(view.job.id);
        }
        query.cursor = page.cursor;
    } while (!query.cursor.empty() && ++pages < 25);
    EXPECT_EQ(seen, std::multiset<std::string>(pushed.begin(), pushed.end()));
}

TEST_P(Inspect, countsEveryStateOfAnEmptyStore)
{
    EXPECT_EQ(counts().states, noJobs());
}

TEST_P(Inspect, countsStatesTopicsAndMailboxes)
{
    storeJob(newJob(1, "a"), 1h);
    storeJob(newJob(2, "a"), 1h);
    storeJob(newJob(2, "a"));
    leaseJob(newJob(5, "b"));
    storeHeldJob(messageTo("sip:bob@example.org"));
    storeHeldJob(messageTo("sip:bob@example.org"));
    storeHeldJob(messageTo("sip:carol@example.org"));
    auto seen = counts();
    EXPECT_EQ(seen.states[JobState::Scheduled], 2U);
    EXPECT_EQ(seen.states[JobState::Ready], 1U);
    EXPECT_EQ(seen.states[JobState::Leased], 1U);
    EXPECT_EQ(seen.states[JobState::Held], 3U);
    EXPECT_EQ(seen.states[JobState::Dead], 0U);
    EXPECT_EQ(seen.mailboxes, 2U);
    const auto topic = std::find_if(seen.topics.begin(), seen.topics.end(), [](const auto& one) {
        return one.topic == "a" && one.channel == Channel::Pull;
    });
    ASSERT_NE(topic, seen.topics.end());
    EXPECT_EQ(topic->scheduled, 2U);
    EXPECT_EQ(topic->ready, 1U);
}

}  // namespace
}  // namespace restante::test
