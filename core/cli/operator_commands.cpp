#include "core/base/timestamp.h"
#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/session.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

using Ids = std::vector<std::string>;
using Step = std::function<void(JobStore&, OperatorAction, Done<void>)>;

nlohmann::json resultOf(const std::string& id, const Result<void>& answer)
{
    if (answer) {
        return {{"id", id}, {"status", "ok"}};
    }
    return {{"id", id}, {"status", name(answer.error().code)}, {"error", answer.error().message}};
}

/// Does `step` to every id and tells how each went; "done" is what `past` says.
int applyTo(Session& session,
            const Options& options,
            const Ids& ids,
            std::string_view past,
            const Step& step)
{
    const auto answers = session.awaitAll(ids.size(), [&](std::size_t i, Done<void> done) {
        step(session.store(), {ids[i], Session::actor(), "restantectl"}, std::move(done));
    });
    nlohmann::json results = nlohmann::json::array();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (options.json) {
            results.push_back(resultOf(ids[i], answers[i]));
        } else if (answers[i]) {
            fmt::print("{} {}\n", ids[i], past);
        } else {
            fmt::print(stderr, "restantectl: {}: {}\n", ids[i], answers[i].error().message);
        }
    }
    if (options.json) {
        fmt::print("{}\n", nlohmann::json{{"results", results}}.dump());
    }
    const bool allDone = std::all_of(answers.begin(), answers.end(),
                                     [](const auto& answer) { return answer.has_value(); });
    return allDone ? kDone : kFailed;
}

CLI::App& addWithIds(CLI::App& app, const char* name, const char* help, Ids& ids)
{
    auto& command = *app.add_subcommand(name, help);
    command.add_option("id", ids, "The jobs");
    return command;
}

struct Verb {
    const char* name;
    const char* help;
    const char* past;
    Step step;
};

/// A command that does one thing to each of its jobs.
void addVerb(CLI::App& app, Command& chosen, Verb verb)
{
    auto ids = std::make_shared<Ids>();
    auto& command = addWithIds(app, verb.name, verb.help, *ids);
    command.get_option("id")->required();
    command.callback([ids, verb, &chosen] {
        chosen = [ids, verb](Session& session, const Options& options) {
            return applyTo(session, options, *ids, verb.past, verb.step);
        };
    });
}

void addReschedule(CLI::App& app, Command& chosen)
{
    struct Line {
        Ids ids;
        std::optional<TimePoint> at;
        std::optional<Millis> in;
    };
    auto line = std::make_shared<Line>();
    auto& command = addWithIds(app, "reschedule", "Let jobs be due at another time", line->ids);
    command.get_option("id")->required();
    auto* when = command.add_option_group("when");
    addTime(*when, "--at", line->at, "At this time, e.g. \"2026-12-31 09:00\"");
    addDuration(*when, "--in", line->in, "After this long, e.g. 15d");
    when->require_option(1);
    command.callback([line, &chosen] {
        chosen = [line](Session& session, const Options& options) {
            const auto due = line->at ? *line->at : session.now() + line->in.value_or(Millis{0});
            return applyTo(session, options, line->ids, "is due at " + printLocalTime(due),
                           [due](JobStore& store, OperatorAction action, Done<void> done) {
                               store.reschedule(std::move(action), due, std::move(done));
                           });
        };
    });
}

/// The ids of all jobs of `state` that got there before `before`.
Result<Ids> idsOf(Session& session, JobState state, TimePoint before)
{
    Ids ids;
    JobQuery query;
    query.state = state;
    query.limit = 1000;
    do {
        auto page = session.await<JobPage>(
            [&](auto done) { session.inspector().list(query, std::move(done)); });
        if (!page) {
            return tl::unexpected(page.error());
        }
        for (const auto& view : page->jobs) {
            if (view.due <= before) {
                ids.push_back(view.job.id);
            }
        }
        query.cursor = page->cursor;
    } while (!query.cursor.empty());
    return ids;
}

void purgeStep(JobStore& store, OperatorAction action, Done<void> done)
{
    store.purge(std::move(action), std::move(done));
}

void addPurge(CLI::App& app, Command& chosen)
{
    struct Line {
        Ids ids;
        std::optional<JobState> state;
        std::optional<Millis> olderThan;
    };
    auto line = std::make_shared<Line>();
    auto& command = addWithIds(app, "purge", "Remove jobs for good", line->ids);
    auto* state =
        addState(command, "--state", line->state, "All jobs that are dead, trashed or done");
    state->excludes(command.get_option("id"));
    addDuration(command, "--older-than", line->olderThan, "Only those that got there this long ago")
        ->needs(state);
    command.callback([line, &chosen] {
        if (line->ids.empty() && !line->state) {
            throw CLI::RequiredError("purge: a job's id, or --state dead|trashed|done");
        }
        if (line->state && *line->state != JobState::Dead && *line->state != JobState::Trashed &&
            *line->state != JobState::Done) {
            throw CLI::ValidationError("--state", "purge takes dead, trashed or done; name living "
                                                  "jobs by their ids");
        }
        chosen = [line](Session& session, const Options& options) {
            if (line->state) {
                auto ids = idsOf(session, *line->state,
                                 session.now() - line->olderThan.value_or(Millis{0}));
                if (!ids) {
                    return fail(ids.error(), options);
                }
                line->ids = std::move(*ids);
            }
            return applyTo(session, options, line->ids, "is gone", purgeStep);
        };
    });
}

}  // namespace

void addOperatorCommands(CLI::App& app, Command& chosen)
{
    addVerb(app, chosen,
            {"run", "Let jobs be due now", "runs now",
             [](JobStore& store, OperatorAction action, Done<void> done) {
                 store.runNow(std::move(action), std::move(done));
             }});
    addReschedule(app, chosen);
    addVerb(app, chosen,
            {"delete", "Put jobs into the trash, from where restore takes them back",
             "is in the trash", [](JobStore& store, OperatorAction action, Done<void> done) {
                 store.trash(std::move(action), std::move(done));
             }});
    addVerb(app, chosen,
            {"restore", "Put trashed, dead or done jobs back where they were", "is back",
             [](JobStore& store, OperatorAction action, Done<void> done) {
                 store.restore(std::move(action), std::move(done));
             }});
    addPurge(app, chosen);
}

}  // namespace restante::cli
