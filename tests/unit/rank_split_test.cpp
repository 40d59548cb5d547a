#include "core/redis/store/rank_split.h"

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

/// What a set answers about these ranks.
Set at(const Set& set, const std::vector<std::uint64_t>& ranks)
{
    Set entries;
    for (const auto rank : ranks) {
        if (rank < set.size()) {
            entries.push_back(set[rank]);
        }
    }
    return entries;
}

/// The page that begins at `offset`, in order; `reads` is how often the sets were asked.
Set pageOf(const std::vector<Set>& sets, std::uint64_t offset, std::uint64_t count, int& reads)
{
    std::vector<RankRange> ranges;
    for (const auto& set : sets) {
        ranges.push_back({0, set.size()});
    }
    RankSplit split(ranges, offset);
    for (reads = 0; !split.settled() && reads < 1'000; ++reads) {
        std::vector<Set> answers;
        for (std::size_t i = 0; i < sets.size(); ++i) {
            answers.push_back(at(sets[i], split.samples()[i]));
        }
        split.take(answers);
    }
    RankMerge merge(split, ranges, count);
    const auto isOpen = [](const RankRange& range) { return range.size() > 0; };
    while (std::any_of(merge.rangesToRead().begin(), merge.rangesToRead().end(), isOpen) &&
           ++reads < 1'000) {
        std::vector<Set> answers;
        for (std::size_t i = 0; i < sets.size(); ++i) {
            const auto& [low, high] = merge.rangesToRead()[i];
            answers.emplace_back();
            for (auto rank = low; rank < high; ++rank) {
                answers.back().push_back(sets[i].at(rank));
            }
        }
        merge.take(answers);
    }
    Set page;
    const auto ranks = merge.page();
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const auto& [low, high] = ranks[i];
        for (auto rank = low; rank < high; ++rank) {
            page.push_back(sets[i].at(rank));
        }
    }
    std::sort(page.begin(), page.end());
    return page;
}

/// Whether the page is exactly what all sets together have there.
void expectPage(const std::vector<Set>& sets, std::uint64_t offset, std::uint64_t count, int most)
{
    Set all;
    for (const auto& set : sets) {
        all.insert(all.end(), set.begin(), set.end());
    }
    std::sort(all.begin(), all.end());
    int reads = 0;
    const auto page = pageOf(sets, offset, count, reads);
    EXPECT_LE(reads, most);
    ASSERT_EQ(page.size(), std::min<std::uint64_t>(count, all.size() - offset));
    for (std::size_t n = 0; n < page.size(); ++n) {
        ASSERT_EQ(page[n].id, all[offset + n].id) << offset << " + " << n;
    }
}

/// Sets of random sizes with entries of a few moments each, or of one.
std::vector<Set>
someSets(std::mt19937& random, std::size_t sets, std::uint32_t moments, std::uint32_t most)
{
    std::vector<Set> all(sets);
    int id = 0;
    for (auto& set : all) {
        for (auto left = random() % most; left > 0; --left) {
            set.push_back(
                entry(random() % moments, fmt::format("{:03}-{:06}", random() % 1'000, ++id)));
        }
        std::sort(set.begin(), set.end());
    }
    return all;
}

TEST(RankSplit, findsAnyPageOfSomeSets)
{
    std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same sets each time
    for (int i = 0; i < 200; ++i) {
        const auto sets = someSets(random, 1 + random() % 8, i % 2 == 0 ? 1 : 50, 40);
        std::size_t total = 0;
        for (const auto& set : sets) {
            total += set.size();
        }
        expectPage(sets, random() % (total + 1), 1 + random() % 30, 10);
    }
}

TEST(RankSplit, findsAnyPageOfManyEntriesInFewRounds)
{
    std::mt19937 random(2);  // NOLINT(cert-msc51-cpp)
    for (const std::uint32_t moments : {1U, 100U, 1'000'000'000U}) {
        const auto sets = someSets(random, 20, moments, 1'500);
        std::size_t total = 0;
        for (const auto& set : sets) {
            total += set.size();
        }
        for (const auto offset : {std::size_t{0}, total / 10, total / 2, total - 150}) {
            expectPage(sets, offset, 200, 12);
        }
    }
}

TEST(RankSplit, needsFewRoundsHoweverUnlikeTheSetsAre)
{
    std::vector<Set> sets(6);
    for (int i = 0; i < 20'000; ++i) {
        // One after the other, some small, one of a single moment.
        const auto set = i % 32 < 5 ? i % 32 : i < 10'000 ? 5 : 0;
        sets[static_cast<std::size_t>(set)].push_back(
            entry(set == 4 ? 7 : i, fmt::format("{:06}", i)));
    }
    for (auto& set : sets) {
        std::sort(set.begin(), set.end());
    }
    for (const std::uint64_t offset : {0U, 1U, 1'900U, 9'999U, 10'000U, 19'000U, 19'999U}) {
        expectPage(sets, offset, 200, 25);
    }
}

TEST(RankSplit, asksNothingOfASingleSet)
{
    RankSplit split({{10, 2'000'000}, {5, 5}}, 1'000'000);
    EXPECT_TRUE(split.settled());
    EXPECT_EQ(split.undecided(), (std::vector<RankRange>{{1'000'010, 1'000'010}, {5, 5}}));
    EXPECT_EQ(split.remaining(), 0U);
}

TEST(RankSplit, takesWhatThereIsWhenTheSetsHaveShrunk)
{
    RankSplit split({{0, 10'000}, {0, 10'000}}, 15'000);
    ASSERT_FALSE(split.settled());
    int rounds = 0;
    for (; !split.settled() && rounds < 1'000; ++rounds) {
        split.take({{}, {}});  // nothing is there any more
    }
    EXPECT_LT(rounds, 100);
    RankMerge merge(split, {{0, 10'000}, {0, 10'000}}, 100);
    merge.take({{}, {}});
    for (const auto& range : merge.page()) {
        EXPECT_EQ(range.size(), 0U);
    }
    for (const auto& range : merge.rangesToRead()) {
        EXPECT_EQ(range.size(), 0U);
    }
}

TEST(RankSplit, endsWhenTheSetsAnswerNonsense)
{
    std::mt19937 random(3);  // NOLINT(cert-msc51-cpp)
    RankSplit split({{0, 100'000}, {0, 100'000}}, 70'000);
    int rounds = 0;
    for (; !split.settled() && rounds < 1'000; ++rounds) {
        std::vector<Set> answers(2);
        for (std::size_t set = 0; set < 2; ++set) {
            for (std::size_t n = 0; n < split.samples()[set].size(); ++n) {
                answers[set].push_back(entry(random() % 5, "x"));
            }
        }
        split.take(answers);
    }
    EXPECT_LT(rounds, 100);
    for (const auto& range : split.undecided()) {
        EXPECT_LE(range.high, 100'000U);
        EXPECT_LE(range.low, range.high);
    }
}

}  // namespace
}  // namespace restante::redis
