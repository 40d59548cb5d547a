#include "core/cli/command.h"

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/base/version.h"
#include "core/redis/client/redis_url.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace restante::cli {

namespace {

constexpr std::size_t kLongestReason = 1'024;  // as of a topic's

template <class T>
Result<T> valueOrInvalid(std::optional<T> value, const std::string& text, const char* allowed)
{
    if (!value) {
        return invalid("\"" + text + "\" is none of " + allowed);
    }
    return *value;
}

// Parse the text of an option; the second parameter selects the type.
Result<TimePoint> parseOption(const std::string& text, const std::optional<TimePoint>&)
{
    return parseTimestamp(text);
}
Result<Millis> parseOption(const std::string& text, const std::optional<Millis>&)
{
    return parseDuration(text);
}
Result<RetrySchedule> parseOption(const std::string& text, const RetrySchedule&)
{
    return RetrySchedule::parse(text);
}
Result<Channel> parseOption(const std::string& text, const std::optional<Channel>&)
{
    return valueOrInvalid(channelNamed(text), text, "pull, sip, sms and webhook");
}
Result<JobState> parseOption(const std::string& text, const std::optional<JobState>&)
{
    return valueOrInvalid(jobStateNamed(text), text,
                          "scheduled, ready, leased, held, dead, trashed and done");
}
Result<Rate> parseOption(const std::string& text, const std::optional<Rate>&)
{
    return parseRate(text);
}

template <class T>
CLI::Option* addOption(CLI::App& app, const std::string& name, T& value, const std::string& help)
{
    if constexpr (std::is_same_v<T, bool>) {
        return app.add_flag(name, value, help);
    } else if constexpr (requires { parseOption(name, value); }) {
        const auto read = [&value, name](const std::string& text) {
            auto parsed = parseOption(text, value);
            if (!parsed) {
                throw CLI::ValidationError(name, parsed.error().message);
            }
            value = std::move(*parsed);
        };
        return app.add_option_function<std::string>(name, read, help)->type_name("");
    } else {
        return app.add_option(name, value, help);
    }
}

/// Options whose values are content, or are checked elsewhere.
bool allowsAnyValue(std::string_view option)
{
    constexpr std::array<std::string_view, 7> kFreeOptions{
        "--body", "--body-file", "--text", "--set", "--redis", "--config", "file"};
    return std::ranges::find(kFreeOptions, option) != kFreeOptions.end();
}

/// What a value must be and is not, or why it may not be empty: the text after the name of its
/// option. Empty = nothing is wrong.
std::string valueFault(std::string_view option, const std::string& value)
{
    if (value.empty() && option != "--reason" && option != "--cursor") {
        return "is empty; leave the option out if it has nothing to say";
    }
    if (!isUtf8(value)) {
        return "is UTF-8";
    }
    // A line feed separates the terms of a filter like a space.
    if (option != "--filter" && std::ranges::any_of(value, isAsciiControl)) {
        return "has no control characters, such as a line feed";
    }
    return value.size() > JobFilter::kLongest
               ? fmt::format("is at most {} bytes", JobFilter::kLongest)
               : std::string{};
}

/// Makes every option of every command of `app` refuse values that are certainly mistakes: an empty
/// one (an unset variable in a script would otherwise be "all", "never" or "no limit"), broken
/// UTF-8, control characters, or more than a filter may have. What allowsAnyValue() names may be
/// anything; a reason and a cursor may be empty, too, and a filter may have line feeds. To be
/// called after all commands have been added.
void addValueChecks(CLI::App& app)
{
    for (auto* option : app.get_options()) {
        const auto name = option->get_name();
        if (option->get_items_expected_max() > 0 && !allowsAnyValue(name)) {
            option->check(CLI::Validator(
                [name](const std::string& value) { return valueFault(name, value); }, ""));
        }
    }
    for (auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        addValueChecks(*command);
    }
}

}  // namespace

void refuseUsage(const std::string& message)
{
    throw CLI::ValidationError(message);
}

CLI::Option* Command::option(const std::string& name,
                             OptionValue value,
                             const std::string& help,
                             const OptionRules& rules) const
{
    auto* option =
        std::visit([&](auto* target) { return addOption(*app_, name, *target, help); }, value);
    option->required(rules.required)->delimiter(rules.separator);
    if (rules.excludes != nullptr) {
        option->excludes(rules.excludes);
    }
    if (rules.needs != nullptr) {
        option->needs(rules.needs);
    }
    if (rules.between) {
        option->check(CLI::Range(rules.between->first, rules.between->second));
    }
    if (rules.shownAs != nullptr) {
        option->type_name(rules.shownAs);
    }
    if (rules.oneAtATime) {
        option->allow_extra_args(false);
    }
    return option;
}

CLI::Option* Command::reason(std::string* value, const OptionRules& rules) const
{
    const auto tooLong = [](const std::string& text) {
        return text.size() > kLongestReason ? fmt::format("is at most {} bytes", kLongestReason)
                                            : std::string{};
    };
    return option("--reason", value, "Why: kept with the jobs' events, for the audit", rules)
        ->check(CLI::Validator(tooLong, ""));
}

Command Command::group(const std::string& name, std::size_t least, std::size_t most) const
{
    return Command(app_->add_option_group(name)->require_option(least, most));
}

CommandLine::CommandLine()
    : app_(std::make_unique<CLI::App>("Looks into a Restante store and changes it.", "restantectl"))
{
    app_->set_version_flag("--version", "restantectl " + std::string(version()));
    app_->require_subcommand(0, 1);
    app_->fallthrough();
    auto* redisOption =
        app_->add_option("--redis", options_.redis,
                         fmt::format("The Redis that keeps the jobs: {}; rediss is over TLS",
                                     redis::kRedisUrlForms));
    app_->add_option(
            "--config", options_.config,
            "The daemon's configuration; state_dir alone is enough to find its Redis. Without "
            "it, --redis and --set state_dir=DIR, /etc/restante/restante.toml if that is there")
        ->excludes(redisOption);
    app_->add_option("--set", options_.overrides,
                     "section.key=value, as for restanted; commas part the elements of a list")
        ->allow_extra_args(false);
    app_->add_flag("--json", options_.json, "Print JSON");
}

CommandLine::~CommandLine() = default;

Command CommandLine::addCommand(const std::string& name,
                                const std::string& help,
                                std::function<void()> onNamed)
{
    auto* command = app_->add_subcommand(name, help);
    command->callback(std::move(onNamed));
    return Command(command);
}

int CommandLine::run(int argc, char** argv)
{
    addValueChecks(*app_);
    try {
        app_->parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        return app_->exit(problem) == 0 ? kExitOk : kExitUsage;
    }
    if (!chosenCommand_) {
        fmt::print(stderr, "{}restantectl: a command is missing, see above\n", app_->help());
        return kExitUsage;
    }
    return chosenCommand_(options_);
}

JobFilter parseFilterOption(const std::string& text)
{
    auto filter = JobFilter::parse(text);
    if (!filter) {
        refuseUsage(
            fmt::format("--filter: column {}: {}", filter.error().column, filter.error().detail));
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

}  // namespace restante::cli
