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

constexpr auto kTimePattern = "%Y-%m-%dT%H:%M:%S.%e%z";

spdlog::logger& logger()
{
    // Never destroyed, because a thread that ends after main() may still log.
    static const std::reference_wrapper<spdlog::logger> kInstance = [] {
        auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
        auto* instance = new spdlog::logger("restante", std::move(sink));
        instance->set_pattern(fmt::format("{} %l %v", kTimePattern));
        instance->set_level(spdlog::level::info);
        return std::ref(*instance);
    }();
    return kInstance;
}

spdlog::level::level_enum spdlogLevel(Level level) noexcept
{
    // In the order of Level.
    constexpr spdlog::level::level_enum kLevels[]{spdlog::level::debug, spdlog::level::info,
                                                  spdlog::level::warn, spdlog::level::err,
                                                  spdlog::level::off};
    return kLevels[static_cast<std::size_t>(level)];
}

std::atomic<Format>& currentFormat() noexcept
{
    static std::atomic<Format> format{Format::Text};
    return format;
}

}  // namespace

void setLevel(Level level) noexcept
{
    logger().set_level(spdlogLevel(level));
}

void setFormat(Format format) noexcept
{
    currentFormat() = format;
    logger().set_pattern(format == Format::Json
                             ? fmt::format(R"({{"time":"{}","level":"%l",%v}})", kTimePattern)
                             : fmt::format("{} %l %v", kTimePattern));
}

bool enabled(Level level) noexcept
{
    return logger().should_log(spdlogLevel(level));
}

void write(Level level, std::string_view component, std::string_view message)
{
    // The message may quote what a peer sent, which must not be able to forge a second line.
    std::string oneLine(message);
    std::ranges::replace_if(oneLine, isAsciiControl, ' ');
    if (currentFormat().load() == Format::Json) {
        logger().log(spdlogLevel(level), R"("part":"{}","message":"{}")", jsonEscaped(component),
                     jsonEscaped(oneLine));
    } else {
        logger().log(spdlogLevel(level), "{}: {}", component, oneLine);
    }
}

}  // namespace restante::log
