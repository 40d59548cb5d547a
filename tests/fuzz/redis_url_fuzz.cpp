#include "core/redis/client/redis_url.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto url = redis::parseRedisUrl(fuzz::textOf(data, size));
    if (!url) {
        fuzz::require(!url.error().message.empty(), "a refusal says why");
        return 0;
    }
    fuzz::require(!url->socketPath.empty() || (!url->host.empty() && url->port != 0),
                  "an accepted address names a place");
    return 0;
}
