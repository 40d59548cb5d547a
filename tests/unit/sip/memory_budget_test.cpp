#include "sipplugin/delivery/delivery_limits.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace restante::sip {
namespace {

constexpr std::size_t kLimit = 64UL << 20U;

ClaimedJob messageOf(std::size_t body)
{
    ClaimedJob claimed;
    claimed.job.body.assign(body, 'x');
    return claimed;
}

TEST(MemoryBudget, grantsAWholeBatchWhenThereIsRoom)
{
    MemoryBudget memory{kLimit};
    EXPECT_EQ(memory.grant(100).maxMessages, 100U);
    EXPECT_EQ(memory.grant(1).maxMessages, 1U);
}

TEST(MemoryBudget, grantsLessTheFullerItIsAndAlwaysOne)
{
    MemoryBudget memory{kLimit};
    auto last = memory.grant(100).maxMessages;
    for (int i = 0; i < 2'000; ++i) {
        const auto next = memory.grant(100).maxMessages;
        EXPECT_LE(next, last);
        EXPECT_GE(next, 1U);
        last = next;
    }
    EXPECT_EQ(last, 1U);
}

TEST(MemoryBudget, keepsAThousandPassesWithinItsLimit)
{
    MemoryBudget memory{kLimit};
    for (int pass = 0; pass < 1'000 && memory.hasRoom(); ++pass) {
        const auto grant = memory.grant(100);
        memory.release(grant.reservedBytes);
        // The store gives out what fits into the bytes, and one in any case.
        constexpr std::size_t kBody = 65'536;
        auto bytes = grant.maxRecordBytes;
        for (std::uint32_t i = 0; i < grant.maxMessages && (i == 0 || bytes >= kBody); ++i) {
            memory.acquire(memory.sampleCost(messageOf(kBody)));
            bytes -= std::min(bytes, kBody);
        }
    }
    EXPECT_LT(memory.used(), kLimit + (1UL << 20U));
}

TEST(MemoryBudget, hasRoomAgainWhenMessagesAreGone)
{
    MemoryBudget memory{kLimit};
    memory.acquire(kLimit);
    EXPECT_FALSE(memory.hasRoom());
    memory.release(1);
    EXPECT_TRUE(memory.hasRoom());
}

}  // namespace
}  // namespace restante::sip
