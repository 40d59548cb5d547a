#include "core/redis/store/arrival_order.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante::redis {

std::string ArrivalOrder::score(TimePoint due)
{
    const std::int64_t ms = std::max<std::int64_t>(0, toEpochMs(due));
    Slot& slot = slots_[static_cast<std::size_t>(ms) % slots_.size()];
    if (slot.due != due) {
        slot = {due, 0};
    }
    const double fraction = static_cast<double>(slot.next) / kFractions;
    slot.next = std::min(slot.next + 1, kFractions - 1);
    return fmt::format("{}", static_cast<double>(ms) + fraction);
}

}  // namespace restante::redis
