#pragma once

#include "core/base/clock.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace restante {

/// Hierarchical timing wheel (Varghese & Lauck, SOSP 1987, scheme 7): arm and cancel are
/// O(1), ms resolution, no tick: the owner sleeps until next() and then calls advance(). *One
/// loop.*
///
/// Levels of 256 slots, each slot of a level as wide as the whole level below; occupancy bitmaps
/// find the next slot in a few instructions. A timer far away cascades down at most once a level.
class TimingWheel {
public:
    using TimerId = std::uint64_t;  ///< never 0, never reused (node number + generation)
    using Task = std::function<void()>;

    explicit TimingWheel(TimePoint start);
    TimingWheel(const TimingWheel&) = delete;
    TimingWheel& operator=(const TimingWheel&) = delete;

    /// A moment that has passed fires at the next advance(); armed by a task, a millisecond after
    /// that task.
    TimerId arm(TimePoint at, Task task);
    /// False when it has fired, was cancelled or never existed.
    bool cancel(TimerId id) noexcept;

    /// A moment no later than the earliest timer, at which advance() has something to do (fire or
    /// cascade); none when nothing is armed.
    std::optional<TimePoint> next() const noexcept;
    /// Fires everything due at `now`, in order of time, then of arming; a task may arm and cancel.
    /// Never fires early. A `now` that went back does nothing.
    void advance(TimePoint now);

    std::size_t size() const noexcept { return size_; }

private:
    // Time is counted in ms since `origin_`, the moment of construction, so that it is never
    // negative. A timer lives at the level of the highest group of eight bits in which its moment
    // differs from `now_`; as all groups above agree, that level's slots after the current one are
    // in order of time, each level's timers come before those of the next, and nothing ever wraps.
    // When `now_` enters a slot of a higher level, the slot's timers move down.

    /// Each level has eight bits of the time: 256 slots, whose occupancy fits four words.
    static constexpr unsigned kBitsPerLevel = 8;
    static constexpr std::size_t kSlotsPerLevel = std::size_t{1} << kBitsPerLevel;
    /// Six levels of eight bits hold 2^48 ms, 8,900 years: more than a stored time can say.
    static constexpr unsigned kLevels = 6;
    static constexpr std::uint64_t kTimeLimit = std::uint64_t{1} << (kBitsPerLevel * kLevels);
    static constexpr std::uint32_t kNoNode = 0xFFFF'FFFF;

    struct Node {
        std::uint64_t due = 0;  ///< ms since origin_
        Task task;
        std::uint32_t generation = 0;
        std::uint32_t slot = kNoNode;  ///< level * kSlotsPerLevel + slot; kNoNode when free
        std::uint32_t previous = kNoNode;
        std::uint32_t following = kNoNode;
    };
    struct List {
        std::uint32_t first = kNoNode;
        std::uint32_t last = kNoNode;
    };
    /// Which of a level's slots hold timers: the next one is found by counting zeros.
    class Occupancy {
    public:
        void set(std::size_t slot) noexcept { words_[slot / 64] |= bit(slot); }
        void clear(std::size_t slot) noexcept { words_[slot / 64] &= ~bit(slot); }
        /// The first occupied slot at or after `from`.
        std::optional<std::size_t> next(std::size_t from) const noexcept;

    private:
        static std::uint64_t bit(std::size_t slot) noexcept
        {
            return std::uint64_t{1} << (slot % 64);
        }

        std::array<std::uint64_t, kSlotsPerLevel / 64> words_{};
    };

    static unsigned levelOf(std::uint64_t at, std::uint64_t now) noexcept;
    static std::size_t slotAt(std::uint64_t at, unsigned level) noexcept
    {
        return (at >> (kBitsPerLevel * level)) & (kSlotsPerLevel - 1);
    }
    /// The start of the first occupied slot; at level 0 that is the timers' own moment.
    std::optional<std::uint64_t> nextEvent() const noexcept;
    /// Sets the time to `at`, which is not beyond the next event, and moves down the timers of the
    /// slots that begin there.
    void setTime(std::uint64_t at);
    void fire();
    std::uint32_t allocateNode();
    /// Returns an unlinked node to the pool; its task is the caller's.
    Task release(std::uint32_t index) noexcept;
    /// Appends to the list of its slot. Timers of one moment stay in the order of arming, because a
    /// slot is emptied downwards before anything can be armed below it.
    void link(std::uint32_t index) noexcept;
    void unlink(std::uint32_t index) noexcept;
    List takeList(std::size_t slot) noexcept;

    TimePoint origin_;
    std::uint64_t now_ = 0;
    bool isFiring_ = false;
    std::size_t size_ = 0;
    std::uint32_t firstFree_ = kNoNode;
    std::vector<Node> nodes_;
    std::array<List, kLevels * kSlotsPerLevel> lists_;
    std::array<Occupancy, kLevels> occupied_;
};

}  // namespace restante
