#include "core/base/timestamp.h"
#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
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

Result<Views> topicsOf(ConnectedStore& store)
{
    return store.await<Views>([&](auto done) { store.inspector().topics(std::move(done)); });
}

std::string pauseText(const TopicView& view, TimePoint now)
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

nlohmann::json jsonOf(const Views& views)
{
    nlohmann::json object{{"topics", nlohmann::json::array()}};
    for (const auto& view : views) {
        object["topics"].push_back(json::jsonOf(view));
    }
    return object;
}

void printTopics(const Views& views, TimePoint now)
{
    if (views.empty()) {
        fmt::print("no topics: nothing is scheduled, ready, paused or limited\n");
        return;
    }
    Table table({"TOPIC", "CHANNEL", "SCHEDULED", "READY", "LEASED", "AT ONCE", "RATE", "PAUSED"});
    for (const auto& view : views) {
        const auto& limits = view.limits;
        const auto row = [&](const std::string& channel, const TopicCounts& counts) {
            table.add({view.topic, channel, std::to_string(counts.scheduled),
                       std::to_string(counts.ready),
                       orDash(view.leased.has_value(), std::to_string(view.leased.value_or(0))),
                       orDash(limits.concurrency > 0, std::to_string(limits.concurrency)),
                       orDash(limits.rate.count > 0, printRate(limits.rate)),
                       pauseText(view, now)});
        };
        for (const auto& counts : view.channels) {
            row(std::string(name(counts.channel)), counts);
        }
        if (view.channels.empty()) {
            row("-", {});
        }
    }
    fmt::print("{}", table.text(terminalWidth()));
}

int topics(ConnectedStore& store, const Options& options)
{
    return tell(topicsOf(store), options, jsonOf,
                [&](const Views& views) { printTopics(views, store.now()); });
}

/// Does it, and tells how it went; `outcome` is what the topic is from now on.
int change(ConnectedStore& store,
           const Options& options,
           TopicAction action,
           std::string_view outcome,
           const std::function<void(TopicAction, Done<void>)>& step)
{
    action.actor = ConnectedStore::actor();
    const auto answer =
        store.await<void>([&](auto done) { step(action, std::move(done)); }).map([&] {
            return action.topic;
        });
    return tell(
        answer, options,
        [](const std::string& topic) {
            return nlohmann::json{{"topic", topic}, {"status", "ok"}};
        },
        [&](const std::string& topic) { fmt::print("{} {}\n", topic, outcome); });
}

/// The limits that the line does not name stay as they are.
int limit(ConnectedStore& store, const Options& options, const Line& line)
{
    const auto views = topicsOf(store);
    if (!views) {
        return fail(views.error(), options);
    }
    const auto found = std::ranges::find(*views, line.action.topic, &TopicView::topic);
    TopicLimits limits = found == views->end() ? TopicLimits{} : found->limits;
    limits.concurrency = line.concurrency.value_or(limits.concurrency);
    limits.rate = line.rate.value_or(limits.rate);
    const auto now = fmt::format(
        "is limited to {} at once, {}",
        limits.concurrency == 0 ? "any number" : std::to_string(limits.concurrency),
        limits.rate.count == 0 ? "at any rate" : "at a rate of " + printRate(limits.rate));
    return change(store, options, line.action, limits == TopicLimits{} ? "has no limits" : now,
                  [&](TopicAction action, Done<void> done) {
                      store.jobStore().limitTopic(std::move(action), limits, std::move(done));
                  });
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
    choose(addWithTopic(app, name, help, line->action), chosen,
           [line, past, step](ConnectedStore& store, const Options& options) {
               return change(store, options, line->action, past,
                             [&](TopicAction action, Done<void> done) {
                                 (store.jobStore().*step)(std::move(action), std::move(done));
                             });
           });
}

void addLimit(CLI::App& app, Command& chosen)
{
    auto line = std::make_shared<Line>();
    auto& command = addWithTopic(app, "limit", "Bound how much of a topic goes on", line->action);
    auto* limits = command.add_option_group("limits");
    limits->add_option("--concurrency", line->concurrency,
                       "Jobs leased at a time among all daemons, 0 = any number");
    addParsed(*limits, "--rate", line->rate, "Jobs given out, e.g. 10/s or 100/m, 0 = any number");
    limits->require_option(1, 2);
    choose(command, chosen, with(line, limit));
}

}  // namespace

void addTopicCommands(CLI::App& app, Command& chosen)
{
    choose(*app.add_subcommand("topics", "Topics: what waits, what is paused or limited"), chosen,
           topics);
    addSwitch(app, chosen, "pause", "Give out nothing of a topic; what is leased goes on",
              "is paused", &JobStore::pauseTopic);
    addSwitch(app, chosen, "resume", "Give out a paused topic's jobs again", "goes on",
              &JobStore::resumeTopic);
    addLimit(app, chosen);
}

}  // namespace restante::cli
