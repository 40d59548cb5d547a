#pragma once

#include "core/cli/command.h"
#include "core/queue/bulk_action.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante::cli {

/// The jobs that a command line selects, by ids or by a filter, and how they are acted on.
struct BulkOptions {
    std::vector<std::string> ids;
    std::string filter;
    std::string bizKey;
    std::optional<JobState> state;
    std::string reason = kDefaultReason;  ///< for each job's event
    bool dryRun = false;
    bool yes = false;

    /// Whether the jobs are selected by a filter, key or state.
    bool isBulk() const { return !filter.empty() || !bizKey.empty() || state; }
};

/// Adds the ids, whose option it returns; --filter, --biz-key, --dry-run and --yes, which exclude
/// ids; and --reason.
CLI::Option* addBulkOptions(const Command& command, BulkOptions& arguments);

/// What --filter and --biz-key say, which must both match. Throws a usage error when it is invalid.
JobFilter filterOf(const BulkOptions& arguments);

/// Applies `action` to all jobs that its filter and states select, for the reason in `arguments`,
/// and prints the result; without --yes only what it would do. `outcomeText` says what became of
/// each job ("is dead"). 0 = everything done, or nothing was to be done (--dry-run).
int runBulk(ConnectedStore& store,
            const Options& options,
            const BulkOptions& arguments,
            BulkAction action,
            std::string_view outcomeText);

}  // namespace restante::cli
