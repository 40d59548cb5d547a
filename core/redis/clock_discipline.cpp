#include "core/redis/clock_discipline.h"

#include <algorithm>

namespace restante::redis {

ClockDiscipline::Span ClockDiscipline::learn(const Sample& sample) noexcept
{
    const auto lowest = sample.time - sample.received;
    const auto highest = sample.time - sample.sent;
    if (!offset_) {
        offset_ = lowest;
        return Span{0};
    }
    // A slow answer allows for much: it must not spoil what a quick one has taught.
    if (lowest <= *offset_ && *offset_ <= highest) {
        return Span{0};
    }
    const auto wrong = lowest - *offset_;
    *offset_ += std::clamp(wrong, -kLargestCorrection, kLargestCorrection);
    return wrong;
}

}  // namespace restante::redis
