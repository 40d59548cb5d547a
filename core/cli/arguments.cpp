#include "core/cli/arguments.h"

#include "core/base/duration.h"
#include "core/base/timestamp.h"

#include <CLI/CLI.hpp>

namespace restante::cli {

namespace {

template <class Slot, class Read>
CLI::Option*
addRead(CLI::App& app, const std::string& name, Slot& slot, std::string help, Read read)
{
    return app
        .add_option_function<std::string>(
            name,
            [&slot, read, name](const std::string& text) {
                auto value = read(text);
                if (!value) {
                    throw CLI::ValidationError(name, value.error().message);
                }
                slot = std::move(*value);
            },
            std::move(help))
        ->type_name("");
}

template <class T>
Result<T> named(std::optional<T> value, const std::string& text, const char* allowed)
{
    if (!value) {
        return failure(ErrorCode::Invalid, "\"" + text + "\" is none of " + allowed);
    }
    return *value;
}

}  // namespace

CLI::Option*
addTime(CLI::App& app, const std::string& name, std::optional<TimePoint>& value, std::string help)
{
    return addRead(app, name, value, std::move(help), parseTimestamp);
}

CLI::Option*
addDuration(CLI::App& app, const std::string& name, std::optional<Millis>& value, std::string help)
{
    return addRead(app, name, value, std::move(help), parseDuration);
}

CLI::Option*
addSchedule(CLI::App& app, const std::string& name, RetrySchedule& value, std::string help)
{
    return addRead(app, name, value, std::move(help), RetrySchedule::parse);
}

CLI::Option*
addChannel(CLI::App& app, const std::string& name, std::optional<Channel>& value, std::string help)
{
    return addRead(app, name, value, std::move(help), [](const std::string& text) {
        return named(channelNamed(text), text, "pull, sip, sms and webhook");
    });
}

CLI::Option*
addState(CLI::App& app, const std::string& name, std::optional<JobState>& value, std::string help)
{
    return addRead(app, name, value, std::move(help), [](const std::string& text) {
        return named(jobStateNamed(text), text,
                     "scheduled, ready, leased, held, dead, trashed and done");
    });
}

CLI::Option*
addRate(CLI::App& app, const std::string& name, std::optional<Rate>& value, std::string help)
{
    return addRead(app, name, value, std::move(help), parseRate);
}

}  // namespace restante::cli
