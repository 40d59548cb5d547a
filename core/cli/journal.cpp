#include "core/cli/journal.h"

#include "core/base/timestamp.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/cli/table.h"
#include "core/journal/sql/sql_journal.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace restante::cli {

Result<journal::JournalUrl> journalOf(const ConnectedStore& store, const Options& options)
{
    const auto& config = store.config();
    if (!options.redis.empty() && config.journal.url.empty()) {
        // The one in the state directory is that of another store.
        return failure(ErrorCode::Invalid,
                       "--redis does not say where the journal of that store is; name it with "
                       "--set journal.url=URL, or give the daemon's configuration with --config");
    }
    if (config.journal.mode == Config::JournalMode::Off) {
        return failure(ErrorCode::NotFound, "there is no journal: journal.mode is off");
    }
    auto url = journal::journalUrlOf(config);
    if (url && !url->path.empty() && !std::filesystem::exists(url->path)) {
        return failure(ErrorCode::NotFound,
                       fmt::format("there is no journal at {}; name the daemon's configuration "
                                   "with --config, or its journal with --set journal.url=URL",
                                   url->path));
    }
    return url;
}

Result<std::vector<HistoryRow>>
historyOf(const ConnectedStore& store, const Options& options, const std::string& id)
{
    auto url = journalOf(store, options);
    if (!url) {
        return tl::unexpected(url.error());
    }
    // This program has nothing else to do meanwhile, so it needs no thread for the database.
    journal::SqlJournal sql(std::move(*url));
    return sql.history(id);
}

namespace {

/// What the attempts came to, a line for each that was asked: too long for a column.
void printLadder(const std::vector<HistoryRow>& history)
{
    bool first = true;
    for (const auto& row : history) {
        if (row.note.empty()) {
            continue;
        }
        fmt::print("{}", first ? "\nattempts\n" : "");
        first = false;
        std::string_view rest = row.note;
        while (!rest.empty()) {
            const auto end = std::min(rest.find('\n'), rest.size());
            fmt::print("  {}\n", oneLine(rest.substr(0, end)));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
}

}  // namespace

void printHistory(const std::vector<HistoryRow>& history)
{
    if (history.empty()) {
        fmt::print("\nthe journal has no history of it\n");
        return;
    }
    Table table({"AT", "TRANSITION", "FROM", "TO", "WORKER", "BY", "REASON"});
    for (const auto& row : history) {
        table.add({printLocalTime(row.at), row.transition, row.from, row.to, row.worker, row.actor,
                   row.reason});
    }
    fmt::print("\n{}", table.text(terminalWidth()));
    printLadder(history);
}

}  // namespace restante::cli
