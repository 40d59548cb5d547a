#include "core/base/duration.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto duration = parseDuration(fuzz::textOf(data, size));
    if (!duration) {
        fuzz::require(!duration.error().message.empty(), "a refusal says why");
        return 0;
    }
    fuzz::require(*duration >= Millis{0}, "a duration is never negative");
    const auto again = parseDuration(formatDuration(*duration));
    fuzz::require(again && *again == *duration, "what is printed is read back");
    return 0;
}
