#include "sipplugin/settings/first_fall_back.h"

#include "core/job/retry_schedule.h"

namespace restante::sip {

namespace {

/// When `sip.retry` names no interval that is not 0.
constexpr std::chrono::minutes kDefaultFallBack{2};

}  // namespace

Millis firstFallBack(const std::string& schedule)
{
    const auto parsed = RetrySchedule::parse(schedule);
    for (std::uint32_t attempt = 1; parsed && attempt <= 2; ++attempt) {
        const auto wait = parsed->waitBefore(attempt);
        if (wait && *wait > Millis{0}) {
            return *wait;
        }
    }
    return kDefaultFallBack;
}

bool beginsAtOnce(const std::string& schedule)
{
    const auto parsed = RetrySchedule::parse(schedule);
    return !parsed || parsed->waitBefore(1).value_or(Millis{0}) == Millis{0};
}

}  // namespace restante::sip
