#include "gui/shell/start_options.h"

#include "core/base/version.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace restante::gui {

StartLine readStartLine(int argc, const char* const* argv)
{
    CLI::App app{"Restante's console: look at jobs, and steer them."};
    std::string config;
    std::string redis;
    std::string screenshot;
    std::string page;
    StartLine line;
    app.set_version_flag("--version",
                         std::string("restante-admin ") + std::string(restante::version()));
    auto* configOption =
        app.add_option("--config", config, "Show the store of the daemon with this configuration")
            ->check(CLI::ExistingFile);
    auto* redisOption = app.add_option("--redis", redis, "Show the store in the Redis at this URL");
    auto* demoOption = app.add_flag("--demo", line.options.demo,
                                    "Show a store that is made up; no server is needed");
    app.add_option("--screenshot", screenshot, "Write a picture of a page to this file, and end");
    std::vector<std::string> pages;
    for (const auto& entry : pageTable()) {
        pages.emplace_back(entry.name);
    }
    app.add_option("--page", page,
                   "The page that is shown first (overview), or that is on the picture (jobs)")
        ->check(CLI::IsMember(pages));
    redisOption->excludes(configOption);
    demoOption->excludes(configOption)->excludes(redisOption);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        line.exitCode = app.exit(error) == 0 ? 0 : 2;
    }
    line.options.config = QString::fromLocal8Bit(config.c_str());
    line.options.redis = QString::fromLocal8Bit(redis.c_str());
    line.options.page = pageNamed(page);
    line.options.screenshot = QString::fromLocal8Bit(screenshot.c_str());
    return line;
}

}  // namespace restante::gui
