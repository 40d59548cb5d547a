#include "tests/support/temp_dir.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace restante::test {

TempDir::TempDir()
{
    auto pattern = (std::filesystem::temp_directory_path() / "restante-XXXXXX").string();
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
