// Redis is emptied, or comes back older, under daemons that people write through. The oracle is
// that of kill_test: what was answered 2xx arrives, once but for what was in flight, and in order.

#include "tests/fault/load.h"
#include "tests/support/eventually.h"
#include "tests/support/redis_server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace restante::test {

namespace {

using namespace std::chrono_literals;

constexpr int kLossRounds = 5;
/// What reaches one recipient between a strike and its notice: a device is offered one message at a
/// time, and none after the store has refused to take what became of one.
constexpr std::size_t kInFlight = 1;

enum class Loss { Wipe, RollBack };

struct LossScene {
    const char* name;
    Loss loss;
    const char* mode;
    std::size_t daemons;
    std::size_t shards = 1;
};

std::ostream& operator<<(std::ostream& out, const LossScene& scene)
{
    return out << scene.name;
}

class LostStore : public ::testing::TestWithParam<LossScene> {
protected:
    /// Afterwards a Redis without any job may just not be noticed yet: see servedAnew().
    void strike()
    {
        before_ = servings();
        if (GetParam().loss == Loss::Wipe) {
            redis_.send({"FLUSHALL"});
            return;
        }
        redis_.kill9();
        redis_.restart();  // with what it had at the last SAVE
    }
    /// Waits until the daemons have compared each shard with the journal and serve it again.
    bool servedAnew() const
    {
        return eventually(
            [this] {
                const auto now = servings();
                return now.size() == GetParam().shards &&
                       std::none_of(now.begin(), now.end(),
                                    [this](const auto& key) { return before_.contains(key); });
            },
            kProcessTimeout);
    }
    /// How far the journal may be behind; none: no further than what is acknowledged.
    std::optional<Ledger::Clock::duration> unwritten() const
    {
        if (std::string(GetParam().mode) == "durable") {
            return {};
        }
        return std::chrono::duration_cast<Ledger::Clock::duration>(kUnwritten);
    }
    /// Of `async`: as many as are acknowledged in that time, for each strike.
    std::size_t mayBeLost(const Ledger& ledger, std::chrono::duration<double> talked) const
    {
        if (std::string(GetParam().mode) == "durable") {
            return 0;
        }
        const auto rate = static_cast<double>(ledger.acknowledgedInAll()) / talked.count();
        return kLossRounds * (1 + static_cast<std::size_t>(rate * kUnwritten.count()));
    }

private:
    std::set<std::string> servings() const
    {
        const auto reply = redis_.send({"KEYS", "*serving:*"});
        std::set<std::string> names;
        for (const auto& key : *reply.array()) {
            names.insert(*key.text());
        }
        return names;
    }

protected:
    RedisServer redis_;

private:
    std::set<std::string> before_;
};

}  // namespace

TEST_P(LostStore, comesBackUnderLoad)
{
    const auto seed = seedOfThisRun();
    std::vector<std::unique_ptr<Daemon>> daemons;
    for (std::size_t n = 0; n < GetParam().daemons; ++n) {
        Daemon::Settings settings;
        settings.set = {"redis.url=unix://" + redis_.socketPath(),
                        std::string("journal.mode=") + GetParam().mode,
                        "journal.allowed_lag=0s",  // kUnwritten is of a recorder that never pauses
                        "redis.shards=" + std::to_string(GetParam().shards),
                        "sip.retry=0s,500ms,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s"};
        if (n > 0) {
            settings.set.push_back("journal.url=sqlite://" +
                                   (daemons.front()->directory() / "state/journal.db").string());
        }
        daemons.push_back(std::make_unique<Daemon>(settings));
    }
    Load load(*daemons.front(), seed);
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 0; round < kLossRounds; ++round) {
        load.runAtLeast(Millis{600});
        if (GetParam().loss == Loss::RollBack) {
            redis_.send({"SAVE"});
            load.runAtLeast(Millis{600});
        }
        load.struck(unwritten());
        strike();
    }
    const auto talked = std::chrono::steady_clock::now() - begin;
    ASSERT_TRUE(servedAnew()) << daemons.front()->process().allOutput();
    load.run(Millis{500});
    const auto& ledger = load.ledger();
    const auto allowed = mayBeLost(ledger, talked);
    // What is lost never arrives, so only `durable` can wait for everything.
    const bool settled = load.settle(allowed == 0 ? Millis{150'000} : Millis{20'000});
    std::cout << ledger << ", at most " << allowed << " of them lost" << std::endl;
    EXPECT_TRUE(settled || allowed > 0) << daemons.front()->process().allOutput();
    EXPECT_GT(ledger.acknowledgedInAll(), 100U);
    EXPECT_LE(ledger.lost(), allowed) << daemons.front()->process().allOutput();
    EXPECT_EQ(ledger.faults(), "") << daemons.front()->process().allOutput();
    EXPECT_LE(ledger.recordedDuplicates(), kLossRounds * load.recipients() * kInFlight);
    EXPECT_LE(ledger.duplicates(), kLossRounds * load.recipients() * kUnderWay);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    LostStore,
    ::testing::Values(LossScene{"emptiedWithOneDaemon", Loss::Wipe, "durable", 1},
                      LossScene{"emptiedWithThreeDaemons", Loss::Wipe, "durable", 3},
                      LossScene{"emptiedAndWrittenBehind", Loss::Wipe, "async", 1},
                      LossScene{"emptiedWithTwoDaemonsAndShards", Loss::Wipe, "durable", 2, 2},
                      LossScene{"emptiedAndWrittenBehindByThree", Loss::Wipe, "async", 3},
                      LossScene{"rolledBack", Loss::RollBack, "durable", 1},
                      LossScene{"rolledBackAndWrittenBehind", Loss::RollBack, "async", 1},
                      LossScene{"rolledBackWithThreeDaemons", Loss::RollBack, "durable", 3}),
    [](const auto& scene) { return scene.param.name; });

}  // namespace restante::test
