#include "core/base/timestamp.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/cli/table.h"
#include "core/json/job_json.h"
#include "core/queue/topic_view.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

/// The options of a command about a topic.
struct TopicArguments {
    TopicAction action;
    std::optional<std::uint32_t> concurrency;
    std::optional<Rate> rate;
};

using Views = std::vector<TopicView>;

std::string pauseText(const TopicView& view, TimePoint now)
{
    if (!view.pause) {
        return {};
    }
    const auto& [since, actor, reason] = *view.pause;
    return oneLine(fmt::format("{}, by {}{}{}", formatRelative(since, now), actor,
                               reason.empty() ? "" : ": ", reason));
}

std::string orDash(bool isSet, const std::string& text)
{
    return isSet ? text : "-";
}

nlohmann::json jsonOfTopics(const Views& views)
{
    return {{"topics", json::listOf(views)}};
}

void printTopics(const Views& views, TimePoint now)
{
    if (views.empty()) {
        fmt::print("no topics: nothing is scheduled, ready, paused or limited\n");
        return;
    }
    Table table(
        {"TOPIC", "CHANNEL", "SCHEDULED", "READY", "LEASED", "CONCURRENCY", "RATE", "PAUSED"});
    for (const auto& view : views) {
        const auto& limits = view.limits;
        const auto row = [&](const std::string& channel, const TopicCounts& counts) {
            table.add({view.topic, channel, std::to_string(counts.scheduled),
                       std::to_string(counts.ready),
                       orDash(view.leased.has_value(), std::to_string(view.leased.value_or(0))),
                       orDash(limits.concurrency > 0, std::to_string(limits.concurrency)),
                       orDash(limits.rate.count > 0, formatRate(limits.rate)),
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

int showTopics(ConnectedStore& store, const Options& options, const NoOptions& /*arguments*/)
{
    return printResult(store.ask(&JobInspector::topics), options, jsonOfTopics,
                       [&](const Views& views) { printTopics(views, store.now()); });
}

/// Runs `step` and prints the result; `outcome` is the new state of the topic.
int changeTopic(ConnectedStore& store,
                const Options& options,
                TopicAction action,
                std::string_view outcome,
                const std::function<void(JobStore&, TopicAction, Done<void>)>& step)
{
    action.actor = ConnectedStore::actor();
    const auto answer =
        store.await<void>([&](auto done) { step(store.jobStore(), action, std::move(done)); })
            .map([&] { return action.topic; });
    return printResult(
        answer, options,
        [](const std::string& topic) {
            return nlohmann::json{{"topic", topic}, {"status", "ok"}};
        },
        [&](const std::string& topic) { fmt::print("{} {}\n", topic, outcome); });
}

/// The limits that the command line does not name stay as they are.
int limit(ConnectedStore& store, const Options& options, const TopicArguments& arguments)
{
    const auto views = store.ask(&JobInspector::topics);
    if (!views) {
        return fail(views.error(), options);
    }
    const auto found = std::ranges::find(*views, arguments.action.topic, &TopicView::topic);
    TopicLimits limits = found == views->end() ? TopicLimits{} : found->limits;
    limits.concurrency = arguments.concurrency.value_or(limits.concurrency);
    limits.rate = arguments.rate.value_or(limits.rate);
    const auto limitsText = fmt::format(
        "is limited to {} at once, {}",
        limits.concurrency == 0 ? "any number" : std::to_string(limits.concurrency),
        limits.rate.count == 0 ? "at any rate" : "at a rate of " + formatRate(limits.rate));
    return changeTopic(store, options, arguments.action,
                       limits == TopicLimits{} ? "has no limits" : limitsText,
                       [&](JobStore& jobs, TopicAction action, Done<void> done) {
                           jobs.limitTopic(std::move(action), limits, std::move(done));
                       });
}

int pause(ConnectedStore& store, const Options& options, const TopicArguments& arguments)
{
    return changeTopic(store, options, arguments.action, "is paused", &JobStore::pauseTopic);
}

int resume(ConnectedStore& store, const Options& options, const TopicArguments& arguments)
{
    return changeTopic(store, options, arguments.action, "goes on", &JobStore::resumeTopic);
}

std::pair<Command, TopicArguments&>
addWithTopic(CommandLine& commands,
             const char* name,
             const char* help,
             int (*run)(ConnectedStore&, const Options&, const TopicArguments&))
{
    auto added = commands.add(name, help, run);
    auto& [command, arguments] = added;
    command.option("topic", &arguments.action.topic, "The queue", {.required = true});
    command.option("--reason", &arguments.action.reason,
                   "Why: shown with the topic, kept in its events");
    return added;
}

}  // namespace

void addTopicCommands(CommandLine& commands)
{
    commands.add("topics", "Topics: what waits, what is paused or limited", showTopics);
    addWithTopic(commands, "pause", "Give out nothing of a topic; what is leased goes on", pause);
    addWithTopic(commands, "resume", "Give out a paused topic's jobs again", resume);
    auto [limitCommand, arguments] =
        addWithTopic(commands, "limit", "Bound how much of a topic goes on", limit);
    const auto limits = limitCommand.group("limits", 1, 2);
    limits.option("--concurrency", &arguments.concurrency,
                  "Jobs leased at a time among all daemons, 0 = any number");
    limits.option("--rate", &arguments.rate, "Jobs given out, e.g. 10/s or 100/m, 0 = any number");
}

}  // namespace restante::cli
