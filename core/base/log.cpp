#include "core/base/log.h"

#include <algorithm>
#include <functional>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace restante::log {

namespace {

spdlog::logger& logger()
{
    // Never destroyed: a thread that ends after main() may still have something to say.
    static const std::reference_wrapper<spdlog::logger> kInstance = [] {
        auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
        auto* made = new spdlog::logger("restante", std::move(sink));
        made->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
        made->set_level(spdlog::level::info);
        return std::ref(*made);
    }();
    return kInstance;
}

spdlog::level::level_enum foreign(Level level) noexcept
{
    switch (level) {
    case Level::Debug: return spdlog::level::debug;
    case Level::Info: return spdlog::level::info;
    case Level::Warning: return spdlog::level::warn;
    case Level::Error: return spdlog::level::err;
    case Level::Off: return spdlog::level::off;
    }
    return spdlog::level::off;
}

bool isControl(char c) noexcept
{
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}

}  // namespace

void setLevel(Level level) noexcept
{
    logger().set_level(foreign(level));
}

bool enabled(Level level) noexcept
{
    return logger().should_log(foreign(level));
}

void write(Level level, std::string_view part, std::string_view line)
{
    // What a peer sent may be quoted in a line: it must not be able to forge a second one.
    std::string oneLine(line);
    std::replace_if(oneLine.begin(), oneLine.end(), isControl, ' ');
    logger().log(foreign(level), "{}: {}", part, oneLine);
}

}  // namespace restante::log
