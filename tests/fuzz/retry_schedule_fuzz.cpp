#include "core/job/retry_schedule.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto schedule = RetrySchedule::parse(fuzz::textOf(data, size));
    if (!schedule) {
        fuzz::require(!schedule.error().message.empty(), "a refusal says why");
        return 0;
    }
    const auto again = RetrySchedule::parse(schedule->toString());
    fuzz::require(again && *again == *schedule, "what is printed is read back");
    for (const std::uint32_t attempt : {1U, 2U, 3U, 101U, 4'000'000'000U}) {
        for (const double random : {0.0, 0.5, 0.999'999}) {
            const auto wait = schedule->waitBefore(attempt, random);
            fuzz::require(!wait || *wait >= Millis{0}, "a wait is never negative");
        }
    }
    return 0;
}
