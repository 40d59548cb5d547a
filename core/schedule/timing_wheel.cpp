#include "core/schedule/timing_wheel.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace restante {

std::optional<std::size_t> TimingWheel::Occupancy::next(std::size_t from) const noexcept
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

TimingWheel::TimingWheel(TimePoint start) : origin_(start)
{
    heads_.fill({kNone, kNone});
}

TimingWheel::TimerId TimingWheel::arm(TimePoint at, Task task)
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

bool TimingWheel::cancel(TimerId id) noexcept
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

std::optional<TimePoint> TimingWheel::next() const noexcept
{
    const auto at = nextEvent();
    return at ? std::optional{origin_ + Millis{static_cast<std::int64_t>(*at)}} : std::nullopt;
}

void TimingWheel::advance(TimePoint until)
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

unsigned TimingWheel::levelOf(std::uint64_t at, std::uint64_t now) noexcept
{
    const auto differing = at ^ now;
    return differing == 0 ? 0 : (static_cast<unsigned>(std::bit_width(differing)) - 1) / kBits;
}

std::optional<std::uint64_t> TimingWheel::nextEvent() const noexcept
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

void TimingWheel::enter(std::uint64_t at)
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

void TimingWheel::fire()
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

std::uint32_t TimingWheel::freeNode()
{
    if (free_ != kNone) {
        return std::exchange(free_, nodes_[free_].after);
    }
    assert(nodes_.size() < kNone - 1);
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

TimingWheel::Task TimingWheel::release(std::uint32_t index) noexcept
{
    auto& node = nodes_[index];
    ++node.generation;
    node.slot = kNone;
    node.after = std::exchange(free_, index);
    --size_;
    return std::exchange(node.task, nullptr);
}

void TimingWheel::link(std::uint32_t index) noexcept
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

void TimingWheel::unlink(std::uint32_t index) noexcept
{
    const auto& node = nodes_[index];
    auto& list = heads_[node.slot];
    (node.before == kNone ? list.first : nodes_[node.before].after) = node.after;
    (node.after == kNone ? list.last : nodes_[node.after].before) = node.before;
    if (list.first == kNone) {
        occupied_[node.slot / kSlots].clear(node.slot % kSlots);
    }
}

TimingWheel::List TimingWheel::take(std::size_t slot) noexcept
{
    occupied_[slot / kSlots].clear(slot % kSlots);
    return std::exchange(heads_[slot], List{});
}

}  // namespace restante
