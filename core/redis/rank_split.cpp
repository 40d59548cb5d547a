#include "core/redis/rank_split.h"

#include <algorithm>
#include <utility>

namespace restante::redis {

namespace {

/// A quarter less each time makes 2^32 entries one in 78 rounds; more are needed only when the sets
/// change under it, and then there is no exact answer.
constexpr std::uint32_t kMostRounds = 80;

}  // namespace

RankSplit::RankSplit(std::vector<RankRange> ranges, std::uint64_t count) : wanted_(count)
{
    for (const auto& range : ranges) {
        windows_.push_back({range, {}});
    }
    settleIfSimple();
}

std::uint64_t RankSplit::left() const noexcept
{
    std::uint64_t sum = 0;
    for (const auto& window : windows_) {
        sum += window.range.size();
    }
    return sum;
}

std::vector<std::size_t> RankSplit::open() const
{
    std::vector<std::size_t> sets;
    for (std::size_t set = 0; set < windows_.size(); ++set) {
        if (windows_[set].range.size() > 0) {
            sets.push_back(set);
        }
    }
    return sets;
}

void RankSplit::take(const std::vector<Answer>& answers)
{
    const auto sets = open();
    std::uint64_t notGreater = 0;
    for (std::size_t i = 0; i < sets.size() && i < answers.size(); ++i) {
        notGreater += answers[i].notGreater - windows_[sets[i]].range.low;
    }
    const bool inFront = notGreater <= wanted_;
    for (std::size_t i = 0; i < sets.size() && i < answers.size(); ++i) {
        auto& [range, middle] = windows_[sets[i]];
        (inFront ? range.low : range.high) = answers[i].notGreater;
        middle = inFront ? answers[i].above : answers[i].below;
        if (!middle) {  // nothing there any more
            range.high = range.low;
        }
    }
    wanted_ -= inFront ? notGreater : 0;
    settleIfSimple();
    if (!settled_ && ++rounds_ >= kMostRounds) {
        settleAsTheyStand();
    }
    if (!settled_) {
        choosePivot();
    }
}

void RankSplit::settleIfSimple()
{
    const auto total = left();
    const auto sets = open();
    if (wanted_ == 0 || wanted_ >= total || sets.size() == 1) {
        settleAsTheyStand();
    }
}

void RankSplit::settleAsTheyStand()
{
    for (auto& [range, middle] : windows_) {
        const auto part = std::min(wanted_, range.size());
        range.low += part;
        range.high = range.low;
        wanted_ -= part;
    }
    settled_ = true;
}

void RankSplit::choosePivot()
{
    // The weighted median of the middles: half of what is left is in ranges whose middle is not
    // greater, half in ranges whose middle is not less.
    auto sets = open();
    std::sort(sets.begin(), sets.end(), [this](std::size_t a, std::size_t b) {
        return *windows_[a].middle < *windows_[b].middle;
    });
    const auto total = left();
    std::uint64_t sum = 0;
    for (const auto set : sets) {
        sum += windows_[set].range.size();
        if (2 * sum >= total) {
            pivot_ = windows_[set].middle;
            return;
        }
    }
}

std::vector<std::uint64_t> RankSplit::cut() const
{
    std::vector<std::uint64_t> ranks;
    for (const auto& window : windows_) {
        ranks.push_back(window.range.low);
    }
    return ranks;
}

}  // namespace restante::redis
