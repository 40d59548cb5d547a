#include "tests/support/temp_dir.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace restante::test {

namespace {
std::filesystem::path placeFor(TempDir::Where where)
{
    const std::filesystem::path memory("/dev/shm");
    return where == TempDir::Where::Memory && std::filesystem::is_directory(memory)
               ? memory
               : std::filesystem::temp_directory_path();
}
}  // namespace

TempDir::TempDir(Where where)
{
    auto pattern = (placeFor(where) / "restante-XXXXXX").string();
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
