#include "core/redis/store/clock_discipline.h"

#include <algorithm>
#include <utility>

namespace restante::redis {

ClockDiscipline::Span ClockDiscipline::learn(const Sample& sample) noexcept
{
    const auto least = sample.time - sample.received;
    const auto most = sample.time - sample.sent;
    if (!offset_) {
        offset_ = low_ = least;
        high_ = most;
        at_ = sample.sent;
        return Span{0};
    }
    earnAllowance(sample.received);
    const auto low = lowest(sample.received);
    const auto high = highest(sample.received);
    const bool agrees = low <= most && least <= high && !std::exchange(isStale_, false);
    at_ = sample.sent;
    const auto wrong = least - *offset_;
    if (!agrees) {
        follow(wrong, most - least);
        return wrong;
    }
    // A quick answer narrows the bounds; a slow one does not spoil what it has taught.
    low_ = std::max(low, least);
    high_ = std::min(high, most);
    if (least <= *offset_ && *offset_ <= most) {
        return Span{0};
    }
    offset_ = least;
    return wrong;
}

void ClockDiscipline::earnAllowance(Span at) noexcept
{
    const auto earned =
        std::max(at - at_, Span{0}) / (kAllowanceEvery.count() / kLargestCorrection.count());
    allowance_ = std::min(allowance_ + earned, kLargestCorrection);
}

void ClockDiscipline::follow(Span wrong, Span width) noexcept
{
    const auto followed = std::clamp(wrong, -allowance_, allowance_);
    allowance_ -= std::chrono::abs(followed);
    *offset_ += followed;
    low_ = *offset_;
    high_ = low_ + width;
}

}  // namespace restante::redis
