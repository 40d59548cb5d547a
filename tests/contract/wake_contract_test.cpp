#include "core/queue/job_search.h"
#include "tests/contract/store_contract.h"

#include <algorithm>

namespace restante::test {
namespace {

using Kind = DueSource::Kind;

RESTANTE_CONTRACT(Earliest);

TEST_P(Earliest, isNoneWhereNothingWaits)
{
    for (const auto kind : {Kind::Lanes, Kind::Mailboxes, Kind::Leases, Kind::Expiry}) {
        EXPECT_EQ(earliest({kind}), std::nullopt);
    }
}

TEST_P(Earliest, isTheNearestJobOfTheTopicsWhateverItsPriority)
{
    storeJob(newJob(0, "a"), 3h);
    storeJob(newJob(9, "a"), 2h);
    storeJob(newJob(5, "b"), 1h);
    EXPECT_EQ(earliest({Kind::Lanes, Channel::Pull, {"a"}}), now() + 2h);
    EXPECT_EQ(earliest({Kind::Lanes, Channel::Pull, {"a", "b"}}), now() + 1h);
    EXPECT_EQ(earliest({Kind::Lanes, Channel::Pull, {}}), now() + 1h);
    EXPECT_EQ(earliest({Kind::Lanes, Channel::Pull, {"c"}}), std::nullopt);
    EXPECT_EQ(earliest({Kind::Lanes, Channel::Sms, {}}), std::nullopt);
}

TEST_P(Earliest, isExactToTheMillisecond)
{
    for (int i = 0; i < 40; ++i) {
        storeJob(newJob(), 1'000ms);
    }
    EXPECT_EQ(earliest({Kind::Lanes, Channel::Pull, {"order"}}), now() + 1'000ms);
}

TEST_P(Earliest, looksAtEveryShard)
{
    for (std::uint32_t shard = 0; shard < shards(); ++shard) {
        auto job = newJob();
        job.id = newId(shard);
        storeJob(job, 1h * (shards() - shard));
    }
    EXPECT_EQ(earliest({Kind::Lanes, Channel::Pull, {}}), now() + 1h);
}

TEST_P(Earliest, ofTheLeasesIsTheNearestDeadline)
{
    leaseJob(newJob());
    auto brief = newJob();
    brief.ttr = 5s;
    leaseJob(brief);
    EXPECT_EQ(earliest({Kind::Leases}), now() + 5s);
}

TEST_P(Earliest, ofTheExpiryIsTheNearestExpires)
{
    auto job = newJob();
    job.expires = now() + 5s;
    storeJob(job);
    auto message = messageTo("sip:bob@example.org");
    message.expires = now() + 3s;
    storeHeldJob(message);
    EXPECT_EQ(earliest({Kind::Expiry}), now() + 3s);
    EXPECT_DONE(trash(message.id));
    EXPECT_EQ(earliest({Kind::Expiry}), now() + 5s);
    EXPECT_DONE(restore(message.id));
    EXPECT_EQ(earliest({Kind::Expiry}), now() + 3s);
}

class OnWake : public StoreContract {
protected:
    void SetUp() override
    {
        StoreContract::SetUp();
        store().onWake([this](const Wake& wake) {
            if (wake.due != TimePoint{}) {  // Wake{}: some may have been missed
                wakes_.push_back(wake);
            }
        });
        // A subscription takes a moment: ever nearer jobs until the newest one is heard. Wakes of a
        // shard come in order, so none of the older ones is still to come.
        bool heard = false;
        for (auto nearer = 1'000h; !heard && nearer > 900h; nearer -= 1h) {
            storeJob(newJob(), nearer);
            const auto isNewest = [&](const Wake& wake) { return wake.due == now() + nearer; };
            heard = loop().runUntil(
                [&] { return std::any_of(wakes_.begin(), wakes_.end(), isNewest); }, 100ms);
        }
        EXPECT_TRUE(heard);
        wakes_.clear();
    }
    void TearDown() override { store().onWake({}); }

    /// The next wake-up of this kind.
    Wake awaitWake(Kind kind)
    {
        const auto isWanted = [kind](const Wake& wake) { return wake.kind == kind; };
        const auto found = [&] { return std::find_if(wakes_.begin(), wakes_.end(), isWanted); };
        EXPECT_TRUE(loop().runUntil([&] { return found() != wakes_.end(); }, kTimeout));
        return found() == wakes_.end() ? Wake{} : *found();
    }

    std::vector<Wake> wakes_;
};
INSTANTIATE_TEST_SUITE_P(Store, OnWake, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(OnWake, isToldOfAJobNearerThanAllOthersOfItsLane)
{
    storeJob(newJob(), 2h);
    const auto wake = awaitWake(Kind::Lanes);
    EXPECT_EQ(wake.channel, Channel::Pull);
    EXPECT_EQ(wake.topic, "order");
    EXPECT_EQ(wake.due, now() + 2h);
}

TEST_P(OnWake, isNotToldOfAJobBehindTheHead)
{
    storeJob(newJob(), 2h);
    awaitWake(Kind::Lanes);
    wakes_.clear();
    storeJob(newJob(), 3h);
    storeJob(newJob(), 1h);
    EXPECT_EQ(awaitWake(Kind::Lanes).due, now() + 1h);
    EXPECT_EQ(wakes_.size(), 1U);
}

TEST_P(OnWake, isToldOfANearerMailbox)
{
    storeHeldJob(messageTo("sip:bob@example.org"), 5min);
    EXPECT_EQ(awaitWake(Kind::Mailboxes).due, now() + 5min);
    wakes_.clear();
    EXPECT_DONE(await<std::uint64_t>(
        [&](auto done) { store().releaseMailbox("sip:bob@example.org", done); }));
    EXPECT_EQ(awaitWake(Kind::Mailboxes).due, now());
}

TEST_P(OnWake, isToldOfANearerDeadline)
{
    leaseJob(newJob());
    EXPECT_EQ(awaitWake(Kind::Leases).due, now() + 60s);
}

TEST_P(OnWake, isToldOfANearerExpiry)
{
    auto job = newJob();
    job.expires = now() + 5s;
    storeJob(job, 1h);
    EXPECT_EQ(awaitWake(Kind::Expiry).due, now() + 5s);
}

TEST_P(OnWake, isToldWhenAJobComesBackNearer)
{
    const auto claimed = leaseJob(newJob());
    wakes_.clear();
    EXPECT_DONE(retry(leaseOf(claimed), 2min));
    EXPECT_EQ(awaitWake(Kind::Lanes).due, now() + 2min);
    wakes_.clear();
    EXPECT_DONE(runNow(claimed.job.id));
    EXPECT_EQ(awaitWake(Kind::Lanes).due, now());
}

}  // namespace
}  // namespace restante::test
