#include "core/delivery/webhook_response_policy.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto now = fromEpochMs(784'111'777'000);
    const auto wait = delivery::parseRetryAfter(fuzz::textOf(data, size), now);
    fuzz::require(!wait || (*wait >= Millis{0} && *wait <= std::chrono::hours{24}),
                  "a wait is between nothing and a day");
    return 0;
}
