#include "core/base/timestamp.h"
#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/session.h"
#include "core/cli/table.h"
#include "core/json/job_json.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

/// What a command line says about a topic.
struct Line {
    TopicAction action;
    std::optional<std::uint32_t> concurrency;
    std::optional<Rate> rate;
};

using Views = std::vector<TopicView>;

Result<Views> topicsOf(Session& session)
{
    return session.await<Views>([&](auto done) { session.inspector().topics(std::move(done)); });
}

std::string printPause(const TopicView& view, TimePoint now)
{
    if (!view.pause) {
        return {};
    }
    const auto& [since, actor, reason] = *view.pause;
    return oneLine(fmt::format("{}, by {}{}{}", printRelative(since, now), actor,
                               reason.empty() ? "" : ": ", reason));
}

std::string orDash(bool isSet, const std::string& text)
{
    return isSet ? text : "-";
}

int topics(Session& session, const Options& options)
{
    const auto views = topicsOf(session);
    if (!views) {
        return fail(views.error(), options);
    }
    if (options.json) {
        nlohmann::json object{{"topics", nlohmann::json::array()}};
        for (const auto& view : *views) {
            object["topics"].push_back(json::jsonOf(view));
        }
        fmt::print("{}\n", object.dump());
        return kDone;
    }
    if (views->empty()) {
        fmt::print("no topics: nothing is scheduled, ready, paused or limited\n");
        return kDone;
    }
    Table table({"TOPIC", "CHANNEL", "SCHEDULED", "READY", "LEASED", "AT ONCE", "RATE", "PAUSED"});
    for (const auto& view : *views) {
        const auto& limits = view.limits;
        const auto row = [&](const TopicCounts* counts) {
            table.add({view.topic, counts == nullptr ? "-" : std::string(name(counts->channel)),
                       std::to_string(counts == nullptr ? 0 : counts->scheduled),
                       std::to_string(counts == nullptr ? 0 : counts->ready),
                       orDash(view.leased.has_value(), std::to_string(view.leased.value_or(0))),
                       orDash(limits.concurrency > 0, std::to_string(limits.concurrency)),
                       orDash(limits.rate.count > 0, printRate(limits.rate)),
                       printPause(view, session.now())});
        };
        for (const auto& counts : view.channels) {
            row(&counts);
        }
        if (view.channels.empty()) {
            row(nullptr);
        }
    }
    fmt::print("{}", table.print(terminalWidth()));
    return kDone;
}

/// Tells how it went; `now` is what the topic is from now on.
int told(const Result<void>& answer,
         const Options& options,
         const std::string& topic,
         std::string_view now)
{
    if (!answer) {
        return fail(answer.error(), options);
    }
    if (options.json) {
        fmt::print("{}\n", nlohmann::json{{"topic", topic}, {"status", "ok"}}.dump());
    } else {
        fmt::print("{} {}\n", topic, now);
    }
    return kDone;
}

/// The limits that the line does not name stay as they are.
int limit(Session& session, const Options& options, const Line& line)
{
    const auto views = topicsOf(session);
    if (!views) {
        return fail(views.error(), options);
    }
    const auto found = std::find_if(views->begin(), views->end(), [&](const TopicView& view) {
        return view.topic == line.action.topic;
    });
    TopicLimits limits = found == views->end() ? TopicLimits{} : found->limits;
    limits.concurrency = line.concurrency.value_or(limits.concurrency);
    limits.rate = line.rate.value_or(limits.rate);
    const auto answer = session.await<void>(
        [&](auto done) { session.store().limitTopic(line.action, limits, std::move(done)); });
    const auto now = fmt::format(
        "is limited to {} at once, {}",
        limits.concurrency == 0 ? "any number" : std::to_string(limits.concurrency),
        limits.rate.count == 0 ? "at any rate" : "at a rate of " + printRate(limits.rate));
    return told(answer, options, line.action.topic,
                limits == TopicLimits{} ? "has no limits" : now);
}

CLI::App& addWithTopic(CLI::App& app, const char* name, const char* help, TopicAction& action)
{
    auto& command = *app.add_subcommand(name, help);
    command.add_option("topic", action.topic, "The queue")->required();
    command.add_option("--reason", action.reason, "Why: shown with the topic, kept in its events");
    return command;
}

using Step = void (JobStore::*)(TopicAction, Done<void>);

void addSwitch(
    CLI::App& app, Command& chosen, const char* name, const char* help, const char* past, Step step)
{
    auto line = std::make_shared<Line>();
    addWithTopic(app, name, help, line->action).callback([line, past, step, &chosen] {
        chosen = [line, past, step](Session& session, const Options& options) {
            line->action.actor = Session::actor();
            const auto answer = session.await<void>(
                [&](auto done) { (session.store().*step)(line->action, std::move(done)); });
            return told(answer, options, line->action.topic, past);
        };
    });
}

void addLimit(CLI::App& app, Command& chosen)
{
    auto line = std::make_shared<Line>();
    auto& command = addWithTopic(app, "limit", "Bound how much of a topic goes on", line->action);
    auto* limits = command.add_option_group("limits");
    limits->add_option("--concurrency", line->concurrency,
                       "Jobs leased at a time among all daemons, 0 = any number");
    addRate(*limits, "--rate", line->rate, "Jobs given out, e.g. 10/s or 100/m, 0 = any number");
    limits->require_option(1, 2);
    command.callback([line, &chosen] {
        chosen = [line](Session& session, const Options& options) {
            line->action.actor = Session::actor();
            return limit(session, options, *line);
        };
    });
}

}  // namespace

void addTopicCommands(CLI::App& app, Command& chosen)
{
    app.add_subcommand("topics", "Topics: what waits, what is paused or limited")
        ->callback([&chosen] { chosen = topics; });
    addSwitch(app, chosen, "pause", "Give out nothing of a topic; what is leased goes on",
              "is paused", &JobStore::pauseTopic);
    addSwitch(app, chosen, "resume", "Give out a paused topic's jobs again", "goes on",
              &JobStore::resumeTopic);
    addLimit(app, chosen);
}

}  // namespace restante::cli
