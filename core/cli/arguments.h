#pragma once

#include "core/base/clock.h"
#include "core/cli/command.h"
#include "core/job/job.h"
#include "core/job/job_filter.h"
#include "core/job/retry_schedule.h"
#include "core/queue/topic.h"

#include <optional>
#include <string>
#include <string_view>

/// Options whose text is read as a value of the domain. A text that cannot be read is a usage
/// error with the reason, before anything is connected.
namespace restante::cli {

/// Adds an option that is read as what `value` holds: a time (RFC 3339, or "2026-12-31 09:00" in
/// local time), a duration, a schedule of retries, a channel, a state or a rate.
template <class T>
CLI::Option* addParsed(CLI::App& app, const std::string& name, T& value, std::string help);

/// The reason of an operator who gives none.
inline constexpr const char* kUsualReason = "restantectl";
/// --reason: why an operator does it.
CLI::Option* addReason(CLI::App& app, std::string& value);

/// What --filter says; throws a usage error, which names the column, for one that cannot be read.
JobFilter filterNamed(const std::string& text);

/// `text` as one word of a shell's command line, whatever is in it.
std::string shellWord(std::string_view text);

/// Refuses, of every option of every command of `app`, values that nobody means: an empty one (an
/// unset variable in a script would otherwise be "all", "never" or "no limit"), broken UTF-8,
/// control characters, or more than a filter may have. Only content, a reason, a cursor or a
/// file's name may be empty; only content and files' names may be any bytes. To be called when
/// all commands are there.
void refuseOddValues(CLI::App& app);

}  // namespace restante::cli
