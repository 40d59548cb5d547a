// The embedded Redis is emptied, or loses its files, or the end of one, under people who write to
// each other. The oracle is that of lost_store_test: what was answered 2xx arrives, once but for
// what was under way or not in the journal yet, and in order.

#include "core/redis/client/blocking_command.h"
#include "tests/fault/load.h"
#include "tests/support/append_only.h"
#include "tests/support/eventually.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>

namespace restante::test {
namespace {

namespace fs = std::filesystem;

constexpr int kDamageRounds = 4;
/// What a disk forgets of a file's end; a stored message writes more than kLeastRecord of it.
constexpr std::size_t kLeastTorn = 20;
constexpr std::size_t kMostTorn = 20'000;
constexpr std::size_t kLeastRecord = 200;
constexpr Millis kRedisTimeout{5'000};

enum class Damage {
    Wipe,       ///< FLUSHALL
    FilesLost,  ///< with the processes: a volume that is empty at the next start
    FileTorn,   ///< with the processes: what was written last is not there
};

struct DamageScene {
    const char* name;
    Damage damage;
    const char* mode;
};

std::ostream& operator<<(std::ostream& out, const DamageScene& scene)
{
    return out << scene.name;
}

class EmbeddedStore : public ::testing::TestWithParam<DamageScene> {
protected:
    void strike(Load& load)
    {
        if (GetParam().damage == Damage::Wipe) {
            const auto before = serving();
            ASSERT_TRUE(redis::blockingCommand(daemon_.redisSocket(), {"FLUSHALL"}, kRedisTimeout));
            ASSERT_TRUE(eventually(
                [&] {
                    const auto now = serving();
                    return !now.empty() && now != before;
                },
                kProcessTimeout))
                << daemon_.process().allOutput();
            return;
        }
        killBoth();
        load.run(Millis{100});
        if (GetParam().damage == Damage::FilesLost) {
            fs::remove_all(daemon_.directory() / "state/redis");
        } else {
            tearFile(load.random());
        }
        daemon_.start();
    }
    bool keepsAll() const { return std::string(GetParam().mode) == "durable"; }
    /// How far the journal may be behind; none: no further than what is acknowledged.
    std::optional<Ledger::Clock::duration> unwritten() const
    {
        if (keepsAll()) {
            return {};
        }
        return std::chrono::duration_cast<Ledger::Clock::duration>(kUnwritten);
    }
    /// Of `async` as many as are acknowledged in that time, for each strike; without a journal what
    /// was in the bytes that are gone.
    std::size_t mayBeLost(const Ledger& ledger, std::chrono::duration<double> talked) const
    {
        if (keepsAll()) {
            return 0;
        }
        if (std::string(GetParam().mode) == "off") {
            return torn_ / kLeastRecord;
        }
        const auto rate = static_cast<double>(ledger.acknowledgedInAll()) / talked.count();
        return kDamageRounds * (1 + static_cast<std::size_t>(rate * kUnwritten.count()));
    }

    // kUnwritten is of a recorder that never pauses.
    Daemon daemon_{{{std::string("journal.mode=") + GetParam().mode, "journal.allowed_lag=0s",
                     "sip.retry=0s,500ms,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s"}}};
    std::size_t torn_ = 0;  ///< bytes, in all

private:
    void killBoth()
    {
        const auto redis = daemon_.embeddedRedis();
        daemon_.kill9();
        ASSERT_GT(redis, 0);
        ::kill(redis, SIGKILL);
        ASSERT_TRUE(eventually([&] { return daemon_.embeddedRedis() <= 0; }));
    }
    void tearFile(std::mt19937& random)
    {
        const auto file = lastIncrementIn(daemon_.directory() / "state/redis");
        const auto size = fs::file_size(file);
        const auto wanted = std::uniform_int_distribution(kLeastTorn, kMostTorn)(random);
        const auto torn = std::min<std::uintmax_t>(wanted, size);
        fs::resize_file(file, size - torn);
        torn_ += torn;
    }
    /// The key by which the daemons know that the store is served, and by whom.
    std::string serving() const
    {
        const auto keys =
            redis::blockingCommand(daemon_.redisSocket(), {"KEYS", "*serving:*"}, kRedisTimeout);
        const auto* list = keys ? keys->array() : nullptr;
        return list == nullptr || list->empty() ? std::string() : *list->at(0).text();
    }
};

}  // namespace

TEST_P(EmbeddedStore, comesBackUnderLoad)
{
    const auto seed = seedOfThisRun();
    Load load(daemon_, seed);
    std::chrono::duration<double> talked{0};
    for (int round = 0; round < kDamageRounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        load.runAtLeast(Millis{800});
        talked += std::chrono::steady_clock::now() - begin;
        load.struck(unwritten());
        ASSERT_NO_FATAL_FAILURE(strike(load));
    }
    load.run(Millis{500});
    const auto& ledger = load.ledger();
    const auto allowed = mayBeLost(ledger, talked);
    // What is lost never arrives, but nor is it in the store.
    EXPECT_TRUE(load.settle()) << daemon_.process().allOutput();
    std::cout << ledger << ", at most " << allowed << " of them lost" << std::endl;
    EXPECT_GT(ledger.acknowledgedInAll(), 100U);
    EXPECT_LE(ledger.lost(), allowed) << daemon_.process().allOutput();
    EXPECT_EQ(ledger.faults(), "") << daemon_.process().allOutput();
    EXPECT_LE(ledger.recordedDuplicates(),
              kDamageRounds * load.recipients() * kUnderWay + torn_ / kLeastRecord);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    EmbeddedStore,
    ::testing::Values(DamageScene{"emptied", Damage::Wipe, "durable"},
                      DamageScene{"emptiedAndWrittenBehind", Damage::Wipe, "async"},
                      DamageScene{"withoutItsFiles", Damage::FilesLost, "durable"},
                      DamageScene{"withoutItsFilesAndWrittenBehind", Damage::FilesLost, "async"},
                      DamageScene{"withATornFile", Damage::FileTorn, "durable"},
                      DamageScene{"withATornFileAndWrittenBehind", Damage::FileTorn, "async"},
                      DamageScene{"withATornFileAndNoJournal", Damage::FileTorn, "off"}),
    [](const auto& scene) { return scene.param.name; });

}  // namespace restante::test
