#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

/// Structured one-line logs on standard error. A message never contains a job body or a secret. A
/// failure is logged once, by the code that decides what happens next. Any thread.
namespace restante::log {

enum class Level { Debug, Info, Warning, Error, Off };

/// Everything below `level` is dropped before it is formatted. Default Info.
void setLevel(Level level) noexcept;
bool enabled(Level level) noexcept;
/// Text is for people: `2026-11-21T11:00:00.000+00:00 warning redis: ...`. Json is for log
/// collectors: one object per line with the members time, level, part (the component) and message.
/// Default Text.
enum class Format { Text, Json };
void setFormat(Format format) noexcept;
/// `component` is the part of the program that logs: "redis", "sip", "schedule".
void write(Level level, std::string_view component, std::string_view message);

template <class... Args>
void debug(std::string_view component, fmt::format_string<Args...> text, Args&&... args)
{
    if (enabled(Level::Debug)) {
        write(Level::Debug, component, fmt::format(text, std::forward<Args>(args)...));
    }
}
template <class... Args>
void info(std::string_view component, fmt::format_string<Args...> text, Args&&... args)
{
    if (enabled(Level::Info)) {
        write(Level::Info, component, fmt::format(text, std::forward<Args>(args)...));
    }
}
template <class... Args>
void warning(std::string_view component, fmt::format_string<Args...> text, Args&&... args)
{
    if (enabled(Level::Warning)) {
        write(Level::Warning, component, fmt::format(text, std::forward<Args>(args)...));
    }
}
template <class... Args>
void error(std::string_view component, fmt::format_string<Args...> text, Args&&... args)
{
    if (enabled(Level::Error)) {
        write(Level::Error, component, fmt::format(text, std::forward<Args>(args)...));
    }
}

}  // namespace restante::log
