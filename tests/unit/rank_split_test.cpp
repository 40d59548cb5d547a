#include "core/redis/rank_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fmt/format.h>
#include <random>

namespace restante::redis {
namespace {

using Set = std::vector<RankedEntry>;

RankedEntry entry(double at, std::string id)
{
    return {std::move(id), fmt::format("{}", at), at};
}

/// What split.lua answers.
RankSplit::Answer answerOf(const Set& set, RankRange range, const std::optional<RankedEntry>& pivot)
{
    RankSplit::Answer answer{range.low, {}, {}};
    while (pivot && answer.notGreater < range.high && !(*pivot < set[answer.notGreater])) {
        ++answer.notGreater;
    }
    const auto middle = [&](std::uint64_t low, std::uint64_t high) -> std::optional<RankedEntry> {
        return low < high ? std::optional(set[(low + high - 1) / 2]) : std::nullopt;
    };
    answer.below = middle(range.low, answer.notGreater);
    answer.above = middle(answer.notGreater, range.high);
    return answer;
}

/// The entries in front of the cut, in order; `rounds` is how often the sets were asked.
Set cutOff(const std::vector<Set>& sets, std::uint64_t count, int& rounds)
{
    std::vector<RankRange> ranges;
    for (const auto& set : sets) {
        ranges.push_back({0, set.size()});
    }
    RankSplit split(ranges, count);
    for (rounds = 0; !split.settled() && rounds < 1'000; ++rounds) {
        std::vector<RankSplit::Answer> answers;
        for (const auto index : split.open()) {
            answers.push_back(answerOf(sets[index], split.range(index), split.pivot()));
        }
        split.take(answers);
    }
    Set front;
    const auto cut = split.cut();
    for (std::size_t i = 0; i < sets.size(); ++i) {
        front.insert(front.end(), sets[i].begin(),
                     sets[i].begin() + static_cast<std::ptrdiff_t>(cut[i]));
    }
    std::sort(front.begin(), front.end());
    return front;
}

/// Sets of random sizes with entries of a few moments each, or of one.
std::vector<Set> someSets(std::mt19937& random, std::size_t sets, std::uint32_t moments)
{
    std::vector<Set> all(sets);
    int id = 0;
    for (auto& set : all) {
        for (auto left = random() % 40; left > 0; --left) {
            set.push_back(entry(random() % moments,
                                fmt::format("{:05}", random() % 1'000 * 100 + ++id % 100)));
        }
        std::sort(set.begin(), set.end());
    }
    return all;
}

TEST(RankSplit, cutsOffTheFirstEntriesOfAllSetsTogether)
{
    std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same sets each time
    for (int i = 0; i < 300; ++i) {
        const auto sets = someSets(random, 1 + random() % 8, i % 2 == 0 ? 1 : 50);
        Set all;
        for (const auto& set : sets) {
            all.insert(all.end(), set.begin(), set.end());
        }
        std::sort(all.begin(), all.end());
        const auto count = random() % (all.size() + 1);
        int rounds = 0;
        const auto front = cutOff(sets, count, rounds);
        ASSERT_EQ(front.size(), count);
        for (std::size_t n = 0; n < count; ++n) {
            EXPECT_EQ(front[n].at, all[n].at);
        }
    }
}

TEST(RankSplit, needsFewRoundsHoweverUnlikeTheSetsAre)
{
    std::vector<Set> sets(6);
    for (int i = 0; i < 20'000; ++i) {
        // One after the other, one twice as large as the next, one of a single moment.
        sets[static_cast<std::size_t>(std::min(i % 32, 5))].push_back(
            entry(i % 32 == 5 ? 7 : i, fmt::format("{:06}", i)));
    }
    for (auto& set : sets) {
        std::sort(set.begin(), set.end());
    }
    for (const std::uint64_t count : {1U, 9'999U, 10'000U, 19'999U}) {
        int rounds = 0;
        EXPECT_EQ(cutOff(sets, count, rounds).size(), count);
        EXPECT_LE(rounds, 35);  // 4/3 to that power is above 20,000
    }
}

TEST(RankSplit, asksNothingOfASingleSet)
{
    RankSplit split({{10, 20}, {5, 5}}, 3);
    EXPECT_TRUE(split.settled());
    EXPECT_EQ(split.cut(), (std::vector<std::uint64_t>{13, 5}));
}

TEST(RankSplit, takesWhatThereIsWhenTheSetsHaveShrunk)
{
    RankSplit split({{0, 10}, {0, 10}}, 15);
    split.take({{0, {}, {}}, {0, {}, {}}});  // nothing is there any more
    EXPECT_TRUE(split.settled());
    EXPECT_EQ(split.cut(), (std::vector<std::uint64_t>{0, 0}));
}

TEST(RankSplit, endsWhenTheSetsNeverAnswerTheSame)
{
    RankSplit split({{0, 1'000}, {0, 1'000}}, 700);
    int rounds = 0;
    for (; !split.settled() && rounds < 1'000; ++rounds) {
        // As if everything were always behind the pivot.
        std::vector<RankSplit::Answer> answers;
        for (const auto index : split.open()) {
            answers.push_back({split.range(index).low, {}, entry(rounds, "x")});
        }
        split.take(answers);
    }
    EXPECT_LT(rounds, 100);
    EXPECT_LE(split.cut()[0] + split.cut()[1], 700U);
}

}  // namespace
}  // namespace restante::redis
