#include "core/job/web_url.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto url = parseWebUrl(fuzz::textOf(data, size));
    if (!url) {
        fuzz::require(!url.error().message.empty(), "a refusal says why");
        return 0;
    }
    fuzz::require(!url->host.empty() && url->port != 0, "an accepted URL names a host and a port");
    fuzz::require(url->host.find_first_of("@/\\?# []") == std::string::npos,
                  "no other parser could take the host for another");
    const auto again =
        parseWebUrl((url->tls ? "https://" : "http://") + url->authority() + url->target);
    fuzz::require(again && again->host == url->host && again->port == url->port &&
                      again->target == url->target,
                  "put together again it is the same");
    return 0;
}
