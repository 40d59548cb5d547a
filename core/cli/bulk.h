#pragma once

#include "core/cli/command.h"
#include "core/queue/bulk_action.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante::cli {

/// The jobs that a command line names: by their ids, or by what they are.
struct BulkLine {
    std::vector<std::string> ids;
    std::string filter;
    std::string bizKey;
    std::optional<JobState> state;
    std::string reason = kUsualReason;  ///< of each job's event
    bool dryRun = false;
    bool yes = false;

    /// Whether jobs are named by what they are.
    bool isBulk() const { return !filter.empty() || !bizKey.empty() || state; }
};

/// The ids, which it answers; --filter, --biz-key, --dry-run and --yes, of which none goes together
/// with them; and --reason.
CLI::Option* addBulkOptions(const Command& command, BulkLine& line);

/// The filter of a command line: all that it says must hold. Throws a usage error for one that
/// cannot be read.
JobFilter filterOf(const BulkLine& line);

/// Does `action` to all that `line` names and tells how it went; without --yes it only says what
/// it would do. "done" is what `past` says. 0 = everything done.
int runBulk(ConnectedStore& store,
            const Options& options,
            const BulkLine& line,
            BulkAction action,
            std::string_view past);

}  // namespace restante::cli
