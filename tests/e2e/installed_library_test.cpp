#include "tests/support/process.h"
#include "tests/support/redis_server.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace restante::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// What every object of this build was instrumented with, so that a stranger's links with it.
std::string instrumentation(const std::filesystem::path& build)
{
    std::ifstream cache(build / "CMakeCache.txt");
    std::string flags;
    for (std::string line; std::getline(cache, line);) {
        const std::string sanitize = "RESTANTE_SANITIZE:STRING=";
        if (line.starts_with(sanitize) && line.size() > sanitize.size()) {
            flags += " -fsanitize=" + line.substr(sanitize.size());
        }
        if (line.starts_with("CMAKE_CXX_FLAGS_DEBUG:") &&
            line.find("--coverage") != std::string::npos) {
            flags += " --coverage";
        }
    }
    return flags;
}

/// A tree installed from this build, and a stranger's project that knows nothing else of it.
TEST(InstalledLibrary, buildsAndRunsTheDocumentedExample)
{
    const TempDir directory;
    const auto root = (directory / "root").string();
    const auto build = (directory / "build").string();
    const auto must = [](std::vector<std::string> words) {
        const auto what = words[0] + " " + words[1];
        const auto result = run({std::move(words), {}, {}}, Millis{150'000});
        EXPECT_EQ(result.status, 0) << what << "\n" << result.output << result.errors;
        return result;
    };
    const std::string ours = std::getenv("RESTANTE_BUILD_DIR");
    must({"cmake", "--install", ours, "--prefix", root});
    must({"cmake", "-S", root + "/share/restante/examples/consumer", "-B", build,
          "-DCMAKE_PREFIX_PATH=" + root, "-DCMAKE_BUILD_TYPE=Debug",
          "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror" + instrumentation(ours)});
    must({"cmake", "--build", build});

    RedisServer server;
    const auto result = must({build + "/close-orders", server.url().toString()});
    EXPECT_THAT(result.output, AllOf(HasSubstr("close order 4711 (attempt 1)"),
                                     HasSubstr("close order 4712 (attempt 2)"),
                                     HasSubstr("close order 4713 (attempt 1)"),
                                     HasSubstr("all orders are closed")));
    EXPECT_EQ(*server.send({"ZCARD", "rst:{s0}:lease"}).integer(), 0);
}

}  // namespace
}  // namespace restante::test
