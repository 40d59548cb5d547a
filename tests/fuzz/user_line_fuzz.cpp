#include "core/auth/ha1.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto line = auth::parseUserLine(fuzz::textOf(data, size));
    if (!line) {
        fuzz::require(line.error().code == ErrorCode::Invalid, "what cannot be read is Invalid");
        fuzz::require(!line.error().message.empty(), "a refusal says why");
    }
    return 0;
}
