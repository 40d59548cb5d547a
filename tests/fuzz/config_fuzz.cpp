#include "core/config/config_reader.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto config = readConfigText(fuzz::textOf(data, size), "fuzz.toml");
    if (!config) {
        fuzz::require(!config.error().empty(), "a refusal names at least one problem");
        return 0;
    }
    const auto again = readConfigText(formatConfig(*config), "printed.toml");
    fuzz::require(again && *again == *config, "what is printed is read back");
    return 0;
}
