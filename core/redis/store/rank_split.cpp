#include "core/redis/store/rank_split.h"

#include <algorithm>
#include <utility>

namespace restante::redis {

namespace {

/// Each round leaves at most a quarter undecided; more rounds are needed only when the sets change
/// meanwhile, and then there is no exact answer.
constexpr std::uint32_t kMostRounds = 60;
/// A range of so many entries is read as a whole instead.
constexpr std::uint64_t kReadWholeSize = 12;

/// One entry of a set, with its rank and that of the next sample.
struct Sample {
    const RankedEntry* entry;
    std::size_t set;
    std::uint64_t rank;
    std::uint64_t next;  ///< rank of the next sample of the set, or the end of its range
};

/// Where a range is looked at: denser around `expectedCut`, the share of it that is before the cut
/// if all sets are alike. The whole of a short one.
std::vector<std::uint64_t> sampleRanks(const RankRange& range, double expectedCut)
{
    const auto size = range.size();
    std::vector<std::uint64_t> ranks;
    if (size <= kReadWholeSize) {
        for (auto rank = range.low; rank < range.high; ++rank) {
            ranks.push_back(rank);
        }
        return ranks;
    }
    const auto add = [&](double place) {
        const auto most = static_cast<double>(size - 1);
        ranks.push_back(range.low + static_cast<std::uint64_t>(std::clamp(place, 0.0, most)));
    };
    const auto whole = static_cast<double>(size);
    for (const double place : {0.25, 0.5, 0.75, expectedCut}) {
        add(place * whole);
    }
    for (const double width : {1.0 / 16, 1.0 / 64, 1.0 / 256}) {
        add((expectedCut - width) * whole);
        add((expectedCut + width) * whole);
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

}  // namespace

RankSplit::RankSplit(std::vector<RankRange> ranges, std::uint64_t count)
    : undecided_(std::move(ranges)),
      remaining_(count)
{
    settleOrSample();
}

std::uint64_t RankSplit::undecidedSize() const noexcept
{
    std::uint64_t sum = 0;
    for (const auto& range : undecided_) {
        sum += range.size();
    }
    return sum;
}

void RankSplit::settleOrSample()
{
    const auto total = undecidedSize();
    remaining_ = std::min(remaining_, total);
    const auto sets = std::count_if(undecided_.begin(), undecided_.end(),
                                    [](const auto& range) { return range.size() > 0; });
    samples_.assign(undecided_.size(), {});
    if (sets <= 1 || remaining_ == 0 || remaining_ == total || rounds_ >= kMostRounds) {
        for (auto& range : undecided_) {
            const auto part = std::min(remaining_, range.size());
            range = {range.low + part, range.low + part};
            remaining_ -= part;
        }
    }
    settled_ = undecidedSize() <= kSettledSize;
    if (!settled_) {
        ++rounds_;
        const double expectedCut = static_cast<double>(remaining_) / static_cast<double>(total);
        for (std::size_t set = 0; set < undecided_.size(); ++set) {
            samples_[set] = sampleRanks(undecided_[set], expectedCut);
        }
    }
}

void RankSplit::take(const std::vector<std::vector<RankedEntry>>& answers)
{
    std::vector<Sample> samples;
    std::uint64_t most = 0;  // entries that may be before the samples looked at
    for (std::size_t set = 0; set < undecided_.size(); ++set) {
        auto& range = undecided_[set];
        const auto& ranks = samples_[set];
        const auto count = std::min(ranks.size(), answers[set].size());
        if (count < ranks.size()) {  // the set has shrunk
            range.high = std::max(range.low, ranks[count]);
        }
        for (std::size_t n = 0; n < count; ++n) {
            samples.push_back(
                {&answers[set][n], set, ranks[n], n + 1 < count ? ranks[n + 1] : range.high});
        }
        most += (count > 0 ? ranks[0] : range.high) - range.low;
    }
    std::sort(samples.begin(), samples.end(),
              [](const auto& a, const auto& b) { return *a.entry < *b.entry; });
    // At least `least` and at most `most` entries are not greater than the sample.
    std::uint64_t least = 0;
    std::size_t inFront = 0;                 // samples that are in front of the cut for certain
    std::size_t notBehind = samples.size();  // those from there on are behind it
    std::vector<std::uint64_t> leastOfSet(undecided_.size(), 0);
    for (std::size_t n = 0; n < samples.size(); ++n) {
        const auto& [entry, set, rank, next] = samples[n];
        const auto notGreater = rank + 1 - undecided_[set].low;
        least += notGreater - std::exchange(leastOfSet[set], notGreater);
        most += next - rank;
        if (most <= remaining_) {
            inFront = n + 1;
        }
        if (least >= remaining_) {
            notBehind = std::min(notBehind, n + 1);
        }
    }
    for (std::size_t n = 0; n < inFront; ++n) {
        auto& range = undecided_[samples[n].set];
        const auto low = std::max(range.low, samples[n].rank + 1);
        remaining_ -= low - range.low;
        range.low = low;
    }
    for (std::size_t n = samples.size(); n > notBehind; --n) {
        auto& range = undecided_[samples[n - 1].set];
        range.high = std::clamp(samples[n - 1].rank, range.low, std::max(range.low, range.high));
    }
    settleOrSample();
}

RankMerge::RankMerge(const RankSplit& split,
                     const std::vector<RankRange>& ranges,
                     std::uint64_t count)
    : rangesToRead_(ranges.size()),
      skipped_(split.remaining()),
      count_(count),
      // Twice its share of the page: sets that are alike need no second look.
      readAhead_(2 * count / std::max<std::size_t>(ranges.size(), 1) + 4)
{
    for (std::size_t set = 0; set < ranges.size(); ++set) {
        const auto& undecided = split.undecided()[set];
        sets_.push_back({{undecided.low, std::max(undecided.low, ranges[set].high)}});
        rangesToRead_[set] = {undecided.low,
                              std::min(sets_[set].range.high, undecided.high + readAhead_)};
    }
}

const RankedEntry* RankMerge::lastOfPage()
{
    std::vector<const RankedEntry*> entries;
    for (const auto& set : sets_) {
        for (const auto& entry : set.entries) {
            entries.push_back(&entry);
        }
    }
    if (entries.size() < skipped_ + count_ || skipped_ + count_ == 0) {
        return nullptr;
    }
    const auto place = entries.begin() + static_cast<std::ptrdiff_t>(skipped_ + count_ - 1);
    std::nth_element(entries.begin(), place, entries.end(),
                     [](const auto* a, const auto* b) { return *a < *b; });
    return *place;
}

void RankMerge::take(const std::vector<std::vector<RankedEntry>>& answers)
{
    for (std::size_t set = 0; set < sets_.size(); ++set) {
        auto& [range, entries] = sets_[set];
        const bool ended = answers[set].size() < rangesToRead_[set].size();
        entries.insert(entries.end(), answers[set].begin(), answers[set].end());
        if (ended) {
            range.high = range.low + entries.size();
        }
    }
    planReads();
}

void RankMerge::planReads()
{
    readAhead_ *= 2;
    const auto* lastOnPage = lastOfPage();
    for (std::size_t set = 0; set < sets_.size(); ++set) {
        const auto& [range, entries] = sets_[set];
        const auto next = range.low + entries.size();
        // Entries behind one that is behind the page need not be read.
        const bool hasMore = next < range.high && (lastOnPage == nullptr || entries.empty() ||
                                                   entries.back() < *lastOnPage);
        rangesToRead_[set] = {next, hasMore ? std::min(range.high, next + readAhead_) : next};
    }
}

std::vector<RankRange> RankMerge::page() const
{
    std::vector<std::pair<const RankedEntry*, std::size_t>> entries;
    for (std::size_t set = 0; set < sets_.size(); ++set) {
        for (const auto& entry : sets_[set].entries) {
            entries.emplace_back(&entry, set);
        }
    }
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return *a.first < *b.first; });
    std::vector<RankRange> page;
    for (const auto& set : sets_) {
        page.push_back({set.range.low, set.range.low});
    }
    for (std::uint64_t n = 0; n < entries.size() && n < skipped_ + count_; ++n) {
        auto& range = page[entries[n].second];
        ++range.high;
        range.low += n < skipped_ ? 1 : 0;
    }
    return page;
}

}  // namespace restante::redis
