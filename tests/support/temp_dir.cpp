#include "tests/support/temp_dir.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <system_error>

namespace restante::test {

namespace {
/// /dev/shm is used only with this much free space: containers may have only 64 MB there.
constexpr std::uintmax_t kEnoughMemory = 2'000'000'000;

std::filesystem::path parentFor(TempDir::Where where)
{
    const std::filesystem::path memory("/dev/shm");
    std::error_code unknown;
    const auto room = std::filesystem::space(memory, unknown);
    return where == TempDir::Where::Memory && !unknown && room.available >= kEnoughMemory
               ? memory
               : std::filesystem::temp_directory_path();
}
}  // namespace

TempDir::TempDir(Where where)
{
    auto pattern = (parentFor(where) / "restante-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw std::system_error(errno, std::generic_category(), "mkdtemp " + pattern);
    }
    path_ = pattern;
}

TempDir::~TempDir()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace restante::test
