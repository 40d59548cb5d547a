#include "core/job/job_id.h"
#include "tests/support/manual_clock.h"

#include <gtest/gtest.h>

#include <set>

namespace restante {
namespace {

using namespace std::chrono_literals;
using test::ManualClock;

TEST(JobId, ofACallerIsPrintableWithoutSpace)
{
    EXPECT_EQ(*checkedJobId("order:4711/{x}~!"), "order:4711/{x}~!");
    EXPECT_TRUE(checkedJobId("x"));
    EXPECT_TRUE(checkedJobId(std::string(128, 'x')));
}

TEST(JobId, ofACallerIsRefusedWithWhatIsAllowed)
{
    const std::string nul("a\0b", 3);
    for (const auto& id : {std::string{}, std::string(129, 'x'), std::string{"a b"},
                           std::string{"a\n"}, nul, std::string{"\x7f"}, std::string{"Grüße"}}) {
        const auto result = checkedJobId(id);
        ASSERT_FALSE(result) << id;
        EXPECT_EQ(result.error().code, ErrorCode::Invalid);
        EXPECT_NE(result.error().message.find("1-128"), std::string::npos);
    }
}

TEST(GeneratedId, isTwentySixCharactersOfCrockfordsAlphabet)
{
    const ManualClock clock(fromEpochMs(1));
    JobIdGenerator ids(clock, [] { return 0; });
    EXPECT_EQ(ids.generate(0), "00000000010000000000000000");
    EXPECT_EQ(ids.generate(0), "00000000010000000000000001");
    EXPECT_TRUE(checkedJobId(ids.generate(0)));
}

TEST(GeneratedId, beginsWithTheTime)
{
    const ManualClock clock(fromEpochMs(32 * 32 + 31));
    JobIdGenerator ids(clock, [] { return 0; });
    EXPECT_EQ(ids.generate(0).substr(0, 10), "000000010Z");
}

TEST(GeneratedId, carriesItsShard)
{
    const ManualClock clock;
    JobIdGenerator ids(clock);
    for (std::uint32_t shard : {0U, 1U, 2U, 63U, 1'000U}) {
        EXPECT_EQ(shardOfId(ids.generate(shard), 1'001), shard);
    }
}

TEST(GeneratedId, sharesItsPrefixWithFifteenOthers)
{
    const ManualClock clock;
    JobIdGenerator ids(clock);
    std::set<std::string> prefixes;
    for (int i = 0; i < 32; ++i) {
        prefixes.insert(ids.generate(0).substr(0, 25));
    }
    EXPECT_EQ(prefixes.size(), 2U);
}

TEST(GeneratedId, opensAnotherPrefixAfterASecond)
{
    ManualClock clock;
    JobIdGenerator ids(clock);
    const auto first = ids.generate(0);
    clock.advance(999ms);
    EXPECT_EQ(ids.generate(0).substr(0, 25), first.substr(0, 25));
    clock.advance(1ms);
    EXPECT_NE(ids.generate(0).substr(0, 25), first.substr(0, 25));
}

TEST(GeneratedId, growsStrictlyOnEachShardWhateverTheTimeDoes)
{
    ManualClock clock;
    std::uint64_t seed = 1;
    JobIdGenerator ids(clock, [&] { return seed *= 6'364'136'223'846'793'005U; });
    std::string last[2];
    for (int i = 0; i < 20'000; ++i) {
        const auto shard = static_cast<std::uint32_t>(i % 2);
        auto id = ids.generate(shard);
        ASSERT_LT(last[shard], id);
        last[shard] = std::move(id);
        clock.advance(Millis{i % 37 == 0 ? 400 : 0});
    }
}

TEST(GeneratedId, growsEvenWhereTheRandomPartEnds)
{
    const ManualClock clock;
    JobIdGenerator ids(clock, [] { return ~std::uint64_t{0}; });
    std::string last;
    for (int i = 0; i < 100; ++i) {
        auto id = ids.generate(0);
        ASSERT_LT(last, id);
        last = std::move(id);
    }
}

TEST(GeneratedId, differsBetweenTwoGeneratorsOfOneMoment)
{
    const ManualClock clock;
    JobIdGenerator one(clock);
    JobIdGenerator other(clock);
    std::set<std::string> all;
    for (int i = 0; i < 1'000; ++i) {
        all.insert(one.generate(0));
        all.insert(other.generate(0));
    }
    EXPECT_EQ(all.size(), 2'000U);
}

TEST(Shard, ofACallersIdIsAHashOfTheWholeOfIt)
{
    std::set<std::uint32_t> seen;
    for (int i = 0; i < 100; ++i) {
        seen.insert(shardOfId("order-" + std::to_string(i), 4));
    }
    EXPECT_EQ(seen, (std::set<std::uint32_t>{0, 1, 2, 3}));
    // CRC-32 of "123456789" is 0xCBF43926 in every description of it.
    EXPECT_EQ(shardOfId("123456789", 1'000), 0xCBF43926U % 1'000);
    EXPECT_EQ(shardOfMailbox("123456789", 1'000), 0xCBF43926U % 1'000);
}

TEST(Shard, isAlwaysOneOfThem)
{
    EXPECT_EQ(shardOfId("anything", 1), 0U);
    EXPECT_EQ(shardOfMailbox("sip:bob@example.org", 1), 0U);
    // The shape of a generated id, with a shard number far beyond.
    EXPECT_LT(shardOfId("01ARZ3NDEKZZZZZZZZZZZZZZZ0", 3), 3U);
}

}  // namespace
}  // namespace restante
