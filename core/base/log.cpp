#include "core/base/log.h"

#include "core/base/encoding.h"
#include "core/base/text.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace restante::log {

namespace {

constexpr auto kTime = "%Y-%m-%dT%H:%M:%S.%e%z";

spdlog::logger& logger()
{
    // Never destroyed: a thread that ends after main() may still have something to say.
    static const std::reference_wrapper<spdlog::logger> kInstance = [] {
        auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
        auto* made = new spdlog::logger("restante", std::move(sink));
        made->set_pattern(fmt::format("{} %l %v", kTime));
        made->set_level(spdlog::level::info);
        return std::ref(*made);
    }();
    return kInstance;
}

spdlog::level::level_enum foreign(Level level) noexcept
{
    // In the order of Level.
    constexpr spdlog::level::level_enum kLevels[]{spdlog::level::debug, spdlog::level::info,
                                                  spdlog::level::warn, spdlog::level::err,
                                                  spdlog::level::off};
    return kLevels[static_cast<std::size_t>(level)];
}

std::atomic<Format>& chosenFormat() noexcept
{
    static std::atomic<Format> format{Format::Text};
    return format;
}

}  // namespace

void setLevel(Level level) noexcept
{
    logger().set_level(foreign(level));
}

void setFormat(Format format) noexcept
{
    chosenFormat() = format;
    logger().set_pattern(format == Format::Json
                             ? fmt::format(R"({{"time":"{}","level":"%l",%v}})", kTime)
                             : fmt::format("{} %l %v", kTime));
}

bool enabled(Level level) noexcept
{
    return logger().should_log(foreign(level));
}

void write(Level level, std::string_view part, std::string_view line)
{
    // What a peer sent may be quoted in a line: it must not be able to forge a second one.
    std::string oneLine(line);
    std::ranges::replace_if(oneLine, isAsciiControl, ' ');
    if (chosenFormat().load() == Format::Json) {
        logger().log(foreign(level), R"("part":"{}","message":"{}")", jsonEscaped(part),
                     jsonEscaped(oneLine));
    } else {
        logger().log(foreign(level), "{}: {}", part, oneLine);
    }
}

}  // namespace restante::log
