#include "core/base/timestamp.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/reminder/reminders.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

/// The options of `remind`.
struct RemindArguments {
    reminder::ReminderRequest request;
    std::size_t preview = 0;
    std::string cancel;
};

nlohmann::json jsonOf(TimePoint due)
{
    return {{"due", formatRfc3339(due)}, {"due_ms", toEpochMs(due)}};
}

nlohmann::json jsonOf(const reminder::CreatedReminder& created)
{
    auto object = jsonOf(created.jobs.front().due);
    object["id"] = created.jobs.front().id;
    object["status"] = created.status == PushStatus::Stored ? "stored" : "already_there";
    object["channel"] = name(created.channel);
    object["biz_key"] = created.bizKey;
    object["recurring"] = created.recurring;
    object["notes"] = created.notes;
    for (const auto& job : created.jobs) {
        object["runs"].push_back(jsonOf(job.due));
        object["runs"].back()["id"] = job.id;
    }
    return object;
}

void print(const reminder::CreatedReminder& created,
           const RemindArguments& arguments,
           TimePoint now)
{
    for (const auto& job : created.jobs) {
        fmt::print("{}  {} by {} at {} ({}){}{}\n", job.id, arguments.request.to,
                   name(created.channel), formatLocalTime(job.due), formatRelative(job.due, now),
                   created.recurring ? ", then " + arguments.request.every : "",
                   created.status == PushStatus::Stored ? "" : " (was already there)");
    }
    for (const auto& note : created.notes) {
        fmt::print("{}\n", note);
    }
    if (created.recurring || created.jobs.size() > 1) {
        fmt::print("cancel with: restantectl remind --cancel {}\n", shellWord(created.bizKey));
    }
}

int preview(ConnectedStore& store, const Options& options, const RemindArguments& arguments)
{
    using Times = std::vector<TimePoint>;
    return printResult(
        reminder::preview(arguments.request, reminder::settingsOf(store.config()), store.now(),
                          arguments.preview),
        options,
        [](const Times& times) {
            nlohmann::json object{{"runs", nlohmann::json::array()}};
            for (const auto at : times) {
                object["runs"].push_back(jsonOf(at));
            }
            return object;
        },
        [&](const Times& times) {
            for (const auto at : times) {
                fmt::print("{}  {} ({})\n", formatRfc3339(at), formatLocalTime(at),
                           formatRelative(at, store.now()));
            }
        });
}

int cancel(ConnectedStore& store, const Options& options, const RemindArguments& arguments)
{
    const auto reminders = reminder::Reminders::make(store.queue(), store.inspector(),
                                                     reminder::settingsOf(store.config()));
    const auto cancelled = store.await<std::uint64_t>([&](auto done) {
        reminders->cancel(arguments.cancel, ConnectedStore::actor(), std::move(done),
                          arguments.request.reason);
    });
    return printResult(
        cancelled, options,
        [&](std::uint64_t count) {
            return nlohmann::json{{"biz_key", arguments.cancel}, {"cancelled", count}};
        },
        [](std::uint64_t count) {
            fmt::print("cancelled {} (restantectl restore ID brings one back)\n", count);
        });
}

int create(ConnectedStore& store, const Options& options, const RemindArguments& arguments)
{
    const auto reminders = reminder::Reminders::make(store.queue(), store.inspector(),
                                                     reminder::settingsOf(store.config()));
    const auto created = store.prepare().and_then([&] {
        return store.await<reminder::CreatedReminder>(
            [&](auto done) { reminders->create(arguments.request, std::move(done)); });
    });
    if (created) {
        store.warnIfNobodyDelivers(created->channel);
    }
    return printResult(
        created, options, [](const reminder::CreatedReminder& one) { return jsonOf(one); },
        [&](const reminder::CreatedReminder& one) { print(one, arguments, store.now()); });
}

int remind(ConnectedStore& store, const Options& options, const RemindArguments& arguments)
{
    if (!arguments.cancel.empty()) {
        return cancel(store, options, arguments);
    }
    return arguments.preview > 0 ? preview(store, options, arguments)
                                 : create(store, options, arguments);
}

void addWhen(const Command& command, reminder::ReminderRequest& request)
{
    const auto when = command.group("when", 0, 1);
    when.option("--at", &request.at, "At this time, e.g. \"2026-12-31 09:00\"");
    when.option("--in", &request.in, "After this long, e.g. 15d");
    auto* event = when.option("--before,--event", &request.event,
                              "Before an event at this time or on this day, see --offsets");
    command.option("--offsets", &request.offsets,
                   "How long before the event, e.g. 15d,3d (default: at the event itself)",
                   {.needs = event});
    command.option("--every", &request.every,
                   "Again and again: hourly, daily, weekly, monthly, yearly, weekdays, a day's "
                   "name, an interval such as 2h, or an RRULE such as FREQ=MONTHLY;BYDAY=1MO",
                   {.excludes = event});
    command.option("--zone", &request.timeZone,
                   "Time zone of all these, e.g. Europe/Berlin (default: reminder.time_zone)");
    command.option("--expires", &request.expires,
                   "Not delivered any more after this time, or this long after its due time");
}

/// Before connecting: sets the actor, and refuses a request without what a reminder needs.
void checkRemind(RemindArguments& arguments)
{
    auto& request = arguments.request;
    // Only an operator gives a reason; it is recorded in the audit.
    request.actor = request.reason.empty() ? "" : ConnectedStore::actor();
    if (!arguments.cancel.empty()) {
        return;
    }
    if (request.to.empty()) {
        refuseUsage("TO: sip:USER@DOMAIN, a phone number, or a webhook's URL is required");
    }
    if (request.at.empty() && request.in.empty() && request.event.empty() &&
        request.every.empty()) {
        refuseUsage("--at, --in, --before or --every is required");
    }
    if (request.text.empty()) {
        refuseUsage("--text is required");
    }
}

}  // namespace

void addRemind(CommandLine& commands)
{
    auto [command, arguments] =
        commands.add("remind", "Send somebody a text at given times", remind, checkRemind);
    auto& request = arguments.request;
    command.option("to", &request.to, "sip:USER@DOMAIN, a phone number, or a webhook's URL");
    addWhen(command, request);
    command.option("--text", &request.text, "What to say");
    command.option("--content-type", &request.contentType,
                   "Media type of the text (default text/plain;charset=UTF-8)");
    command.option("--channel", &request.channel, "sip, sms or webhook (default: by TO)");
    command.option("--sender,--from", &request.sender, "The sender the recipient sees");
    command.option("--id", &request.id, "The id (default: a generated one)");
    command.option("--biz-key", &request.bizKey, "Your own key, which cancels the whole set");
    command.option("--retry", &request.retry, "Waits before each attempt, e.g. 0s,2m,10m");
    command.option("--preview", &arguments.preview, "Show the next N times and store nothing",
                   {.between = {{1, 1'000}}, .shownAs = "N"});
    command.option("--cancel", &arguments.cancel, "Cancel every pending reminder with this biz key",
                   {.shownAs = "BIZ_KEY"});
    command.reason(&request.reason);
}

}  // namespace restante::cli
