#include "tests/support/node_packages.h"

#include "tests/support/process.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace restante::test {

namespace {

constexpr Millis kInstallationTimeout{150'000};

/// $1 is the file that lists the installed packages, written last; the others are the wanted ones.
constexpr auto kInstallScript = R"sh(
exec 9>"$1.lock" && flock 9 || exit
list=$1; shift
[ "$(cat "$list" 2>/dev/null)" = "$*" ] && exit
npm install --prefix . --no-audit --no-fund --prefer-offline --ignore-scripts --save-exact "$@" && echo "$*" >"$list"
)sh";

}  // namespace

NodePackages::NodePackages(const std::string& name, const std::vector<std::string>& packages)
    : folder(std::filesystem::path(std::getenv("RESTANTE_BUILD_DIR")) / name)
{
    std::filesystem::create_directories(folder);
    std::vector<std::string> words{"sh", "-c", kInstallScript, "sh", "installed"};
    words.insert(words.end(), packages.begin(), packages.end());
    const auto installed = run({std::move(words), {}, folder}, kInstallationTimeout);
    if (installed.status != 0) {
        missing =
            fmt::format("npm install {} failed; it needs nodejs, npm, and the network once: {}",
                        fmt::join(packages, " "), installed.errors);
    }
}

}  // namespace restante::test
