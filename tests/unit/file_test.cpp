#include "core/base/file.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <string>

namespace restante {

TEST(ReadFile, takesEveryByteOfIt)
{
    test::TempDir directory;
    std::string bytes;
    for (int i = 0; i < 10'000; ++i) {
        bytes.push_back(static_cast<char>(i));
    }
    std::ofstream(directory / "some", std::ios::binary) << bytes;
    std::ofstream(directory / "none");

    EXPECT_EQ(readFile(directory / "some"), bytes);
    EXPECT_EQ(readFile(directory / "none"), "");
    EXPECT_EQ(readFile("/dev/null"), "");
}

TEST(ReadFile, tellsWhatCannotBeReadFromWhatIsEmpty)
{
    test::TempDir directory;
    EXPECT_FALSE(readFile(directory / "missing"));
    EXPECT_EQ(errno, ENOENT);
    EXPECT_FALSE(readFile(directory / "")) << "a directory opens like a file";
    EXPECT_EQ(errno, EISDIR);
}

}  // namespace restante
