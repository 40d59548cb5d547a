#include "core/cli/arguments.h"

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace restante::cli {

namespace {

constexpr std::size_t kLongestReason = 1'024;  // as of a topic's

template <class T>
Result<T> named(std::optional<T> value, const std::string& text, const char* allowed)
{
    if (!value) {
        return failure(ErrorCode::Invalid, "\"" + text + "\" is none of " + allowed);
    }
    return *value;
}

// How a text becomes the value that is wanted.
Result<TimePoint> parsed(const std::string& text, const std::optional<TimePoint>&)
{
    return parseTimestamp(text);
}
Result<Millis> parsed(const std::string& text, const std::optional<Millis>&)
{
    return parseDuration(text);
}
Result<RetrySchedule> parsed(const std::string& text, const RetrySchedule&)
{
    return RetrySchedule::parse(text);
}
Result<Channel> parsed(const std::string& text, const std::optional<Channel>&)
{
    return named(channelNamed(text), text, "pull, sip, sms and webhook");
}
Result<JobState> parsed(const std::string& text, const std::optional<JobState>&)
{
    return named(jobStateNamed(text), text,
                 "scheduled, ready, leased, held, dead, trashed and done");
}
Result<Rate> parsed(const std::string& text, const std::optional<Rate>&)
{
    return parseRate(text);
}

/// Content, and what the system or the configuration judges.
bool takesAnything(std::string_view option)
{
    constexpr std::array<std::string_view, 7> kAnything{"--body",  "--body-file", "--text", "--set",
                                                        "--redis", "--config",    "file"};
    return std::ranges::find(kAnything, option) != kAnything.end();
}

/// What is odd about a value, or nothing.
std::string oddIn(std::string_view option, const std::string& value)
{
    if (value.empty() && option != "--reason" && option != "--cursor") {
        return "is empty; leave the option out if it has nothing to say";
    }
    if (!isUtf8(value)) {
        return "is UTF-8";
    }
    // Between the terms of a filter, a line feed is a space.
    if (option != "--filter" && std::ranges::any_of(value, isAsciiControl)) {
        return "has no control characters, such as a line feed";
    }
    return value.size() > JobFilter::kLongest
               ? fmt::format("is at most {} bytes", JobFilter::kLongest)
               : std::string{};
}

}  // namespace

template <class T>
CLI::Option* addParsed(CLI::App& app, const std::string& name, T& value, std::string help)
{
    return app
        .add_option_function<std::string>(
            name,
            [&value, name](const std::string& text) {
                auto read = parsed(text, value);
                if (!read) {
                    throw CLI::ValidationError(name, read.error().message);
                }
                value = std::move(*read);
            },
            std::move(help))
        ->type_name("");
}
template CLI::Option*
addParsed(CLI::App&, const std::string&, std::optional<TimePoint>&, std::string);
template CLI::Option* addParsed(CLI::App&, const std::string&, std::optional<Millis>&, std::string);
template CLI::Option*
addParsed(CLI::App&, const std::string&, std::optional<Channel>&, std::string);
template CLI::Option*
addParsed(CLI::App&, const std::string&, std::optional<JobState>&, std::string);
template CLI::Option* addParsed(CLI::App&, const std::string&, std::optional<Rate>&, std::string);
template CLI::Option* addParsed(CLI::App&, const std::string&, RetrySchedule&, std::string);

CLI::Option* addReason(CLI::App& app, std::string& value)
{
    return app.add_option("--reason", value, "Why: kept with the jobs' events, for the audit")
        ->check(CLI::Validator(
            [](const std::string& text) {
                return text.size() > kLongestReason
                           ? fmt::format("is at most {} bytes", kLongestReason)
                           : std::string{};
            },
            ""));
}

JobFilter filterNamed(const std::string& text)
{
    auto filter = JobFilter::parse(text);
    if (!filter) {
        throw CLI::ValidationError(
            "--filter", fmt::format("column {}: {}", filter.error().column, filter.error().detail));
    }
    return std::move(*filter);
}

std::string shellWord(std::string_view text)
{
    std::string word = "'";
    for (const char character : text) {
        word += character == '\'' ? std::string("'\\''") : std::string(1, character);
    }
    return word + "'";
}

void refuseOddValues(CLI::App& app)
{
    for (auto* option : app.get_options()) {
        const auto name = option->get_name();
        if (option->get_items_expected_max() > 0 && !takesAnything(name)) {
            option->check(CLI::Validator(
                [name](const std::string& value) { return oddIn(name, value); }, ""));
        }
    }
    for (auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        refuseOddValues(*command);
    }
}

}  // namespace restante::cli
