#include "tests/bench/rows.h"

#include <gtest/gtest.h>

namespace restante::bench {
namespace {

TEST(Setting, scalesToWholeArrays)
{
    for (std::uint32_t scale = 1; scale <= 100; ++scale) {
        Setting setting;
        setting.scale = scale;
        EXPECT_EQ(setting.scaled(200'000) % kBatch, 0U) << scale;
        EXPECT_GT(setting.scaled(10'000), 0U) << scale;
        EXPECT_LE(setting.scaled(200'000), 200'000 / scale) << scale;
    }
}

}  // namespace
}  // namespace restante::bench
