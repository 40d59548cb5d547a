#include "core/schedule/timing_wheel.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace restante {

std::optional<std::size_t> TimingWheel::Occupancy::next(std::size_t from) const noexcept
{
    if (from >= kSlotsPerLevel) {
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
    lists_.fill({kNoNode, kNoNode});
}

TimingWheel::TimerId TimingWheel::arm(TimePoint at, Task task)
{
    const auto index = allocateNode();
    auto& node = nodes_[index];
    const auto due = at <= origin_ ? 0 : static_cast<std::uint64_t>((at - origin_).count());
    // A moment that has passed fires now, or while timers are being fired, a millisecond later, so
    // that a task that keeps arming itself cannot hold up advance().
    const auto earliest = isFiring_ ? now_ + 1 : now_;
    node.due = std::min(std::max(due, earliest), kTimeLimit - 1);
    node.task = std::move(task);
    link(index);
    ++size_;
    return (TimerId{node.generation} << 32U) | (index + 1);
}

bool TimingWheel::cancel(TimerId id) noexcept
{
    const auto index = static_cast<std::uint32_t>(id & kNoNode) - 1;
    if (index >= nodes_.size() || nodes_[index].slot == kNoNode ||
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

void TimingWheel::advance(TimePoint now)
{
    if (now < origin_) {
        return;
    }
    const auto target = static_cast<std::uint64_t>((now - origin_).count());
    for (auto at = nextEvent(); at && *at <= target; at = nextEvent()) {
        setTime(*at);
        fire();
    }
    if (target > now_) {
        setTime(std::min(target, kTimeLimit - 1));
    }
}

unsigned TimingWheel::levelOf(std::uint64_t at, std::uint64_t now) noexcept
{
    const auto differing = at ^ now;
    return differing == 0 ? 0
                          : (static_cast<unsigned>(std::bit_width(differing)) - 1) / kBitsPerLevel;
}

std::optional<std::uint64_t> TimingWheel::nextEvent() const noexcept
{
    for (unsigned level = 0; level < kLevels; ++level) {
        // Above level 0 the current slot is empty: its timers have moved down.
        if (const auto slot = occupied_[level].next(slotAt(now_, level))) {
            const auto shift = kBitsPerLevel * level;
            const auto above = now_ >> (shift + kBitsPerLevel) << (shift + kBitsPerLevel);
            return above | (std::uint64_t{*slot} << shift);
        }
    }
    return std::nullopt;
}

void TimingWheel::setTime(std::uint64_t at)
{
    const auto top = levelOf(at, now_);
    now_ = at;
    for (auto level = top; level > 0; --level) {
        const auto list = takeList(level * kSlotsPerLevel + slotAt(at, level));
        for (auto index = list.first; index != kNoNode;) {
            link(std::exchange(index, nodes_[index].following));
        }
    }
}

void TimingWheel::fire()
{
    isFiring_ = true;
    const auto slot = slotAt(now_, 0);
    while (lists_[slot].first != kNoNode) {
        const auto index = lists_[slot].first;
        unlink(index);
        const auto task = release(index);
        task();
    }
    isFiring_ = false;
}

std::uint32_t TimingWheel::allocateNode()
{
    if (firstFree_ != kNoNode) {
        return std::exchange(firstFree_, nodes_[firstFree_].following);
    }
    assert(nodes_.size() < kNoNode - 1);
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

TimingWheel::Task TimingWheel::release(std::uint32_t index) noexcept
{
    auto& node = nodes_[index];
    ++node.generation;
    node.slot = kNoNode;
    node.following = std::exchange(firstFree_, index);
    --size_;
    return std::exchange(node.task, nullptr);
}

void TimingWheel::link(std::uint32_t index) noexcept
{
    auto& node = nodes_[index];
    const auto level = levelOf(node.due, now_);
    node.slot = static_cast<std::uint32_t>(level * kSlotsPerLevel + slotAt(node.due, level));
    auto& list = lists_[node.slot];
    node.previous = list.last;
    node.following = kNoNode;
    (list.last == kNoNode ? list.first : nodes_[list.last].following) = index;
    list.last = index;
    occupied_[level].set(slotAt(node.due, level));
}

void TimingWheel::unlink(std::uint32_t index) noexcept
{
    const auto& node = nodes_[index];
    auto& list = lists_[node.slot];
    (node.previous == kNoNode ? list.first : nodes_[node.previous].following) = node.following;
    (node.following == kNoNode ? list.last : nodes_[node.following].previous) = node.previous;
    if (list.first == kNoNode) {
        occupied_[node.slot / kSlotsPerLevel].clear(node.slot % kSlotsPerLevel);
    }
}

TimingWheel::List TimingWheel::takeList(std::size_t slot) noexcept
{
    occupied_[slot / kSlotsPerLevel].clear(slot % kSlotsPerLevel);
    return std::exchange(lists_[slot], List{});
}

}  // namespace restante
