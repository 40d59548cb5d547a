#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace restante::redis {

/// An entry of a sorted set. Entries are ordered by score, then id. *Value.*
struct RankedEntry {
    std::string id;
    std::string score;       ///< as Redis printed it
    double scoreNumber = 0;  ///< the same as a number

    friend bool operator<(const RankedEntry& a, const RankedEntry& b)
    {
        return a.scoreNumber != b.scoreNumber ? a.scoreNumber < b.scoreNumber : a.id < b.id;
    }
};

/// Ranks of a sorted set: `low` to `high` - 1.
struct RankRange {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    std::uint64_t size() const noexcept { return high > low ? high - low : 0; }

    friend bool operator==(const RankRange&, const RankRange&) = default;
};

/// Multiway selection: finds the cut behind the first `count` entries of several sorted ranges
/// taken together, without reading what comes before it. Each round asks for a dozen entries of
/// each set, at known ranks. Comparing them bounds how many entries of every set are in front of
/// the cut and how many are behind it, so the undecided part shrinks until few enough are left to
/// be read. Most samples are taken near where the cut is when all sets are distributed alike; the
/// others keep every gap below a quarter of the range. *Value*, pure: whoever drives it asks the
/// sets.
class RankSplit {
public:
    /// At most this many entries are undecided when it is settled.
    static constexpr std::uint64_t kSettledSize = 1'000;

    RankSplit(std::vector<RankRange> ranges, std::uint64_t count);

    bool settled() const noexcept { return settled_; }
    /// The entries to read of each set, by rank, ascending; some sets may have none.
    const std::vector<std::vector<std::uint64_t>>& samples() const noexcept { return samples_; }
    /// Takes the answers, set by set; entries that do not exist any more are missing at the end.
    void take(const std::vector<std::vector<RankedEntry>>& answers);

    /// The undecided range of each set: entries before it are in front of the cut, entries after it
    /// are behind the cut.
    const std::vector<RankRange>& undecided() const noexcept { return undecided_; }
    /// How many of the undecided entries of all sets are in front of the cut.
    std::uint64_t remaining() const noexcept { return remaining_; }

private:
    std::uint64_t undecidedSize() const noexcept;
    void settleOrSample();

    std::vector<RankRange> undecided_;
    std::uint64_t remaining_;
    std::vector<std::vector<std::uint64_t>> samples_;
    std::uint32_t rounds_ = 0;
    bool settled_ = false;
};

/// Merges the entries behind the cut of a RankSplit, as far as a page needs them. *Value*, pure.
class RankMerge {
public:
    /// `ranges`: the entries of all sets; the page has `count` entries behind the cut of `split`.
    RankMerge(const RankSplit& split, const std::vector<RankRange>& ranges, std::uint64_t count);

    /// The ranges to read of each set; all empty = page() is known.
    const std::vector<RankRange>& rangesToRead() const noexcept { return rangesToRead_; }
    /// Takes the answers, set by set. A set that answers fewer entries than asked for has ended.
    void take(const std::vector<std::vector<RankedEntry>>& answers);
    /// The ranks of each set that are on the page.
    std::vector<RankRange> page() const;

private:
    struct Set {
        RankRange range;  ///< from the first entry read to the end of the set
        std::vector<RankedEntry> entries{};
    };

    /// The last entry of the page; null when it is not known, or the page is not full.
    const RankedEntry* lastOfPage();
    void planReads();

    std::vector<Set> sets_;
    std::vector<RankRange> rangesToRead_;
    std::uint64_t skipped_;  ///< entries in front of the page
    std::uint64_t count_;
    std::uint64_t readAhead_;  ///< entries to read of a set beyond its undecided range
};

}  // namespace restante::redis
