#include "core/cli/bulk.h"

#include "core/cli/connected_store.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace restante::cli {

namespace {

/// Each call of the store has a timeout of its own, so this only limits a run that would never end.
constexpr Millis kLongestRun{std::chrono::hours{24 * 7}};

nlohmann::json jsonOf(const BulkReport& report, BulkAction::Verb verb, bool dryRun)
{
    nlohmann::json object{{"verb", name(verb)},
                          {"dry_run", dryRun},
                          {"matched", report.total()},
                          {"examined", report.examined},
                          {"done", report.done},
                          {"skipped", report.skipped},
                          {"failed", report.failed},
                          {"stopped", report.stopped},
                          {"states", nlohmann::json::object()},
                          {"first_ids", report.firstIds},
                          {"failures", nlohmann::json::array()}};
    for (const auto& [state, count] : report.matched) {
        if (count > 0) {
            object["states"][std::string(name(state))] = count;
        }
    }
    for (const auto& [id, error] : report.failures) {
        object["failures"].push_back(
            {{"id", id}, {"status", name(error.code)}, {"error", error.message}});
    }
    if (report.searchError) {
        object["error"] = report.searchError->message;
    }
    return object;
}

void printMatches(const BulkReport& report)
{
    for (const auto& [state, count] : report.matched) {
        if (count > 0) {
            fmt::print("{:>10} {}\n", count, name(state));
        }
    }
    for (const auto& id : report.firstIds) {
        fmt::print("{}\n", id);
    }
    if (report.total() > report.firstIds.size()) {
        fmt::print("... and {} more\n", report.total() - report.firstIds.size());
    }
}

void printOutcome(const BulkReport& report, std::string_view outcomeText)
{
    fmt::print("{} {}", report.done, report.done == 1 ? "job " : "jobs: each ");
    fmt::print("{}\n", outcomeText);
    if (report.skipped > 0) {
        fmt::print("{} skipped: gone, or in another state by then\n", report.skipped);
    }
    for (const auto& [id, error] : report.failures) {
        fmt::print(stderr, "restantectl: {}: {}\n", id, error.message);
    }
    if (report.failed > report.failures.size()) {
        fmt::print(stderr, "restantectl: ... and {} other failures\n",
                   report.failed - report.failures.size());
    }
    if (report.searchError) {
        fmt::print(stderr, "restantectl: {}\n", report.searchError->message);
    }
    if (report.stopped) {
        fmt::print(stderr,
                   "restantectl: stopped after {} jobs were looked at; the others are as they "
                   "were\n",
                   report.examined);
    }
}

}  // namespace

CLI::Option* addBulkOptions(const Command& command, BulkOptions& arguments)
{
    auto* ids = command.option("id", &arguments.ids, "The jobs");
    command.option("--filter", &arguments.filter,
                   "All jobs that match, e.g. 'state:dead topic:order age>7d' (docs/search.md)",
                   {.excludes = ids});
    command.option("--biz-key", &arguments.bizKey, "All jobs with this key of yours",
                   {.excludes = ids});
    command.option("--dry-run", &arguments.dryRun, "Only say which jobs those are",
                   {.excludes = ids});
    command.option("--yes", &arguments.yes, "Do it without saying first", {.excludes = ids});
    command.reason(&arguments.reason);
    return ids;
}

JobFilter filterOf(const BulkOptions& arguments)
{
    // Parsed by itself, so that an error's column is that of the user's text.
    (void)parseFilterOption(arguments.filter);
    std::string text = arguments.filter.empty() ? "" : fmt::format("({})", arguments.filter);
    if (!arguments.bizKey.empty()) {
        text += " " + filterFor("biz_key", arguments.bizKey);
    }
    auto filter = JobFilter::parse(text);
    if (!filter) {
        refuseUsage("--filter: " + filter.error().detail);
    }
    return std::move(*filter);
}

int runBulk(ConnectedStore& store,
            const Options& options,
            const BulkOptions& arguments,
            BulkAction action,
            std::string_view outcomeText)
{
    action.actor = ConnectedStore::actor();
    action.reason = arguments.reason;
    action.mode =
        arguments.yes && !arguments.dryRun ? BulkAction::Mode::Apply : BulkAction::Mode::DryRun;
    const auto verb = action.verb;
    const bool applies = action.mode == BulkAction::Mode::Apply;
    const bool showsProgress = applies && !options.json && isatty(STDERR_FILENO) != 0;
    BulkRun run(store.inspector(), store.jobStore(), store.queue().clock(), std::move(action));
    const auto report = store.await<BulkReport>(
        [&](auto done) {
            run.start(std::move(done), [showsProgress](const BulkReport& sofar) {
                if (showsProgress) {
                    fmt::print(stderr, "\r{} done, {} looked at ", sofar.done, sofar.examined);
                }
            });
        },
        kLongestRun);
    if (showsProgress) {
        fmt::print(stderr, "\r\x1b[K");
    }
    if (!report) {
        return fail(report.error(), options);
    }
    if (options.json) {
        printJson(jsonOf(*report, verb, !applies));
    } else if (applies) {
        printOutcome(*report, outcomeText);
    } else {
        printMatches(*report);
    }
    if (!applies && !arguments.dryRun) {
        fmt::print(stderr, "restantectl: nothing was done; add --yes to {} these {} jobs\n",
                   name(verb), report->total());
        return kExitFailed;
    }
    return report->failed == 0 && !report->stopped ? kExitOk : kExitFailed;
}

}  // namespace restante::cli
