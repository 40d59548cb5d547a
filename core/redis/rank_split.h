#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
};

/// Finds the first `count` entries that several ranges have together, in the order of all entries,
/// without reading them: it asks how many are not greater than an entry from the middle, and leaves
/// out those that this decides, a quarter of what is left at least, until nothing is left. *Value*,
/// pure: whoever drives it asks the sets.
class RankSplit {
public:
    /// What a set answers.
    struct Answer {
        std::uint64_t notGreater = 0;  ///< rank behind the last entry that is not greater than the
                                       ///< pivot, within the range that was asked about
        std::optional<RankedEntry> below;  ///< the middle of the range in front of that rank,
        std::optional<RankedEntry> above;  ///< and of the one behind it; of two, the first
    };

    RankSplit(std::vector<RankRange> ranges, std::uint64_t count);

    /// Whether cut() is known.
    bool settled() const noexcept { return settled_; }
    /// What is to be asked about next: the entry, none at first (then notGreater is the range's
    /// beginning), ...
    const std::optional<RankedEntry>& pivot() const noexcept { return pivot_; }
    /// ... and the sets, by their index, with the ranges.
    std::vector<std::size_t> open() const;
    const RankRange& range(std::size_t set) const { return windows_[set].range; }
    /// The answers of open(), in that order.
    void take(const std::vector<Answer>& answers);
    /// Of each set the rank behind its last entry that is among the first `count`.
    std::vector<std::uint64_t> cut() const;

private:
    struct Window {
        RankRange range;
        std::optional<RankedEntry> middle;
    };

    void settleIfSimple();
    void settleAsTheyStand();
    std::uint64_t left() const noexcept;
    void choosePivot();

    std::vector<Window> windows_;
    std::uint64_t wanted_;  ///< how many entries of the windows are to be in front of the cut
    std::optional<RankedEntry> pivot_;
    std::uint32_t rounds_ = 0;
    bool settled_ = false;
};

}  // namespace restante::redis
