#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace restante::redis {

/// An entry of a sorted set. Entries are ordered by score, then id. *Value.*
struct RankedEntry {
    std::string id;
    std::string score;  ///< as Redis printed it
    double at = 0;      ///< the same as a number

    friend bool operator<(const RankedEntry& a, const RankedEntry& b)
    {
        return a.at != b.at ? a.at < b.at : a.id < b.id;
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
    /// What is left when it is settled.
    static constexpr std::uint64_t kFew = 1'000;

    RankSplit(std::vector<RankRange> ranges, std::uint64_t count);

    bool settled() const noexcept { return settled_; }
    /// Which entries of each set are to be asked for, by rank, ascending; none of some sets.
    const std::vector<std::vector<std::uint64_t>>& samples() const noexcept { return samples_; }
    /// The answers, set by set; those that are not there any more are left out at the end.
    void take(const std::vector<std::vector<RankedEntry>>& answers);

    /// Of each set what is still undecided: entries before that are in front of the cut, those
    /// behind it are behind it ...
    const std::vector<RankRange>& undecided() const noexcept { return undecided_; }
    /// ... and how many of the undecided entries of all sets are in front of it.
    std::uint64_t remaining() const noexcept { return remaining_; }

private:
    std::uint64_t left() const noexcept;
    void settleOrSample();

    std::vector<RankRange> undecided_;
    std::uint64_t remaining_;
    std::vector<std::vector<std::uint64_t>> samples_;
    std::uint32_t rounds_ = 0;
    bool settled_ = false;
};

/// Merges what sets have behind such a place, as far as a page needs it. *Value*, pure.
class RankMerge {
public:
    /// `ranges`: the entries of all sets; the page has `count` of those that `split` cuts off.
    RankMerge(const RankSplit& split, const std::vector<RankRange>& ranges, std::uint64_t count);

    /// What is to be read of each set; all empty = page() is known.
    const std::vector<RankRange>& rangesToRead() const noexcept { return rangesToRead_; }
    /// The answers, set by set. A set that answers less than was asked for has ended.
    void take(const std::vector<std::vector<RankedEntry>>& answers);
    /// Which ranks of each set are on the page.
    std::vector<RankRange> page() const;

private:
    struct Set {
        RankRange range;  ///< from the first entry read to the last there is
        std::vector<RankedEntry> entries{};
    };

    /// The last entry of the page; none when it is not known, or it is not full.
    const RankedEntry* last();
    void wantMore();

    std::vector<Set> sets_;
    std::vector<RankRange> rangesToRead_;
    std::uint64_t skipped_;  ///< entries in front of the page
    std::uint64_t count_;
    std::uint64_t step_;  ///< entries read of a set beyond what is undecided
};

}  // namespace restante::redis
