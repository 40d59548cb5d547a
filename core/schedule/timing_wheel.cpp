#include "core/schedule/timing_wheel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>
#include <vector>

namespace restante {

namespace {

/// Eight bits of the time a level: 256 slots, whose occupancy fits four words.
constexpr unsigned kBits = 8;
constexpr std::size_t kSlots = std::size_t{1} << kBits;
/// Six levels of eight bits hold 2^48 ms, 8,900 years: more than a stored time can say.
constexpr unsigned kLevels = 6;
constexpr std::uint64_t kReach = std::uint64_t{1} << (kBits * kLevels);

constexpr std::uint32_t kNone = 0xFFFF'FFFF;

/// Which of a level's slots hold timers: the next one is found by counting zeros.
class Occupancy {
public:
    void set(std::size_t slot) noexcept { words_[slot / 64] |= bit(slot); }
    void clear(std::size_t slot) noexcept { words_[slot / 64] &= ~bit(slot); }

    /// The first occupied slot at or after `from`.
    std::optional<std::size_t> next(std::size_t from) const noexcept
    {
        if (from >= kSlots) {
            return std::nullopt;
        }
        auto word = words_[from / 64] & (~std::uint64_t{0} << (from % 64));
        for (auto i = from / 64;; word = words_[i]) {
            if (word != 0) {
                return i * 64 + static_cast<std::size_t>(std::countr_zero(word));
            }
            if (++i == words_.size()) {
                return std::nullopt;
            }
        }
    }

private:
    static std::uint64_t bit(std::size_t slot) noexcept { return std::uint64_t{1} << (slot % 64); }

    std::array<std::uint64_t, kSlots / 64> words_{};
};

}  // namespace

/// Time is counted in ms since `origin_`, the moment of construction, so that it is never
/// negative. A timer lives at the level of the highest group of eight bits in which its moment
/// differs from `now_`; as all groups above agree, that level's slots after the current one are
/// in order of time, each level's timers come before those of the next, and nothing ever wraps.
/// When `now_` enters a slot of a higher level, the slot's timers move down.
class TimingWheel::Impl {
public:
    explicit Impl(TimePoint start) : origin_(start) { heads_.fill({kNone, kNone}); }

    TimerId arm(TimePoint at, Task task)
    {
        const auto index = freeNode();
        auto& node = nodes_[index];
        const auto moment = at <= origin_ ? 0 : static_cast<std::uint64_t>((at - origin_).count());
        // What has passed belongs to the present, or while that is being fired to the next
        // millisecond, so that a task may arm itself for ever without holding advance() up.
        const auto soonest = isFiring_ ? now_ + 1 : now_;
        node.at = std::min(std::max(moment, soonest), kReach - 1);
        node.task = std::move(task);
        link(index);
        ++size_;
        return (TimerId{node.generation} << 32U) | (index + 1);
    }

    bool cancel(TimerId id) noexcept
    {
        const auto index = static_cast<std::uint32_t>(id & kNone) - 1;
        if (index >= nodes_.size() || nodes_[index].slot == kNone ||
            nodes_[index].generation != static_cast<std::uint32_t>(id >> 32U)) {
            return false;
        }
        unlink(index);
        // Destroyed last: what the closure owns may call back here.
        const auto task = release(index);
        return true;
    }

    std::optional<TimePoint> next() const noexcept
    {
        const auto at = nextEvent();
        return at ? std::optional{origin_ + Millis{static_cast<std::int64_t>(*at)}} : std::nullopt;
    }

    void advance(TimePoint until)
    {
        if (until < origin_) {
            return;
        }
        const auto target = static_cast<std::uint64_t>((until - origin_).count());
        for (auto at = nextEvent(); at && *at <= target; at = nextEvent()) {
            enter(*at);
            fire();
        }
        if (target > now_) {
            enter(std::min(target, kReach - 1));
        }
    }

    std::size_t size() const noexcept { return size_; }

private:
    struct Node {
        std::uint64_t at = 0;  ///< ms since origin_
        Task task;
        std::uint32_t generation = 0;
        std::uint32_t slot = kNone;  ///< level * kSlots + slot; kNone when free
        std::uint32_t before = kNone;
        std::uint32_t after = kNone;
    };
    struct List {
        std::uint32_t first = kNone;
        std::uint32_t last = kNone;
    };

    static unsigned levelOf(std::uint64_t at, std::uint64_t now) noexcept
    {
        const auto differing = at ^ now;
        return differing == 0 ? 0 : (static_cast<unsigned>(std::bit_width(differing)) - 1) / kBits;
    }
    static std::size_t slotAt(std::uint64_t at, unsigned level) noexcept
    {
        return (at >> (kBits * level)) & (kSlots - 1);
    }

    /// The start of the first occupied slot; at level 0 that is the timers' own moment.
    std::optional<std::uint64_t> nextEvent() const noexcept
    {
        for (unsigned level = 0; level < kLevels; ++level) {
            // Above level 0 the current slot is empty: its timers have moved down.
            if (const auto slot = occupied_[level].next(slotAt(now_, level))) {
                const auto width = kBits * level;
                const auto above = now_ >> (width + kBits) << (width + kBits);
                return above | (std::uint64_t{*slot} << width);
            }
        }
        return std::nullopt;
    }

    /// Lets the time be `at`, which is not beyond the next event, and moves down the timers of the
    /// slots that begin with it.
    void enter(std::uint64_t at)
    {
        const auto top = levelOf(at, now_);
        now_ = at;
        for (auto level = top; level > 0; --level) {
            const auto list = take(level * kSlots + slotAt(at, level));
            for (auto index = list.first; index != kNone;) {
                link(std::exchange(index, nodes_[index].after));
            }
        }
    }

    void fire()
    {
        isFiring_ = true;
        const auto slot = slotAt(now_, 0);
        while (heads_[slot].first != kNone) {
            const auto index = heads_[slot].first;
            unlink(index);
            const auto task = release(index);
            task();
        }
        isFiring_ = false;
    }

    std::uint32_t freeNode()
    {
        if (free_ != kNone) {
            return std::exchange(free_, nodes_[free_].after);
        }
        assert(nodes_.size() < kNone - 1);
        nodes_.emplace_back();
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }

    /// Returns an unlinked node to the pool; its task is the caller's.
    Task release(std::uint32_t index) noexcept
    {
        auto& node = nodes_[index];
        ++node.generation;
        node.slot = kNone;
        node.after = std::exchange(free_, index);
        --size_;
        return std::exchange(node.task, nullptr);
    }

    /// At the end of its slot: timers of one moment stay in the order of arming, because a slot is
    /// emptied downwards before anything can be armed below it.
    void link(std::uint32_t index) noexcept
    {
        auto& node = nodes_[index];
        const auto level = levelOf(node.at, now_);
        node.slot = static_cast<std::uint32_t>(level * kSlots + slotAt(node.at, level));
        auto& list = heads_[node.slot];
        node.before = list.last;
        node.after = kNone;
        (list.last == kNone ? list.first : nodes_[list.last].after) = index;
        list.last = index;
        occupied_[level].set(slotAt(node.at, level));
    }

    void unlink(std::uint32_t index) noexcept
    {
        const auto& node = nodes_[index];
        auto& list = heads_[node.slot];
        (node.before == kNone ? list.first : nodes_[node.before].after) = node.after;
        (node.after == kNone ? list.last : nodes_[node.after].before) = node.before;
        if (list.first == kNone) {
            occupied_[node.slot / kSlots].clear(node.slot % kSlots);
        }
    }

    List take(std::size_t slot) noexcept
    {
        occupied_[slot / kSlots].clear(slot % kSlots);
        return std::exchange(heads_[slot], List{});
    }

    TimePoint origin_;
    std::uint64_t now_ = 0;
    bool isFiring_ = false;
    std::size_t size_ = 0;
    std::uint32_t free_ = kNone;
    std::vector<Node> nodes_;
    std::array<List, kLevels * kSlots> heads_;
    std::array<Occupancy, kLevels> occupied_;
};

TimingWheel::TimingWheel(TimePoint start) : impl_(std::make_unique<Impl>(start)) {}
TimingWheel::~TimingWheel() = default;

TimingWheel::TimerId TimingWheel::arm(TimePoint at, Task task)
{
    return impl_->arm(at, std::move(task));
}

bool TimingWheel::cancel(TimerId id) noexcept
{
    return impl_->cancel(id);
}

std::optional<TimePoint> TimingWheel::next() const noexcept
{
    return impl_->next();
}

void TimingWheel::advance(TimePoint now)
{
    impl_->advance(now);
}

std::size_t TimingWheel::size() const noexcept
{
    return impl_->size();
}

}  // namespace restante
