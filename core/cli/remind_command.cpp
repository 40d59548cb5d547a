#include "core/base/timestamp.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/reminder/reminders.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

/// The options of `remind`.
struct RemindLine {
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
    auto object = jsonOf(created.runs.front().due);
    object["id"] = created.runs.front().id;
    object["status"] = created.status == PushStatus::Stored ? "stored" : "already_there";
    object["channel"] = name(created.channel);
    object["biz_key"] = created.bizKey;
    object["recurring"] = created.recurring;
    object["notes"] = created.notes;
    for (const auto& run : created.runs) {
        object["runs"].push_back(jsonOf(run.due));
        object["runs"].back()["id"] = run.id;
    }
    return object;
}

void print(const reminder::CreatedReminder& created, const RemindLine& line, TimePoint now)
{
    for (const auto& run : created.runs) {
        fmt::print("{}  {} by {} at {} ({}){}{}\n", run.id, line.request.to, name(created.channel),
                   formatLocalTime(run.due), formatRelative(run.due, now),
                   created.recurring ? ", then " + line.request.every : "",
                   created.status == PushStatus::Stored ? "" : " (was already there)");
    }
    for (const auto& note : created.notes) {
        fmt::print("{}\n", note);
    }
    if (created.recurring || created.runs.size() > 1) {
        fmt::print("cancel with: restantectl remind --cancel \"{}\"\n", created.bizKey);
    }
}

int preview(ConnectedStore& store, const Options& options, const RemindLine& line)
{
    using Times = std::vector<TimePoint>;
    return printResult(
        reminder::preview(line.request, reminder::settingsOf(store.config()), store.now(),
                          line.preview),
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

int cancel(ConnectedStore& store, const Options& options, const RemindLine& line)
{
    const auto reminders = reminder::Reminders::make(store.queue(), store.inspector(),
                                                     reminder::settingsOf(store.config()));
    const auto cancelled = store.await<std::uint64_t>([&](auto done) {
        reminders->cancel(line.cancel, ConnectedStore::actor(), std::move(done),
                          line.request.reason);
    });
    return printResult(
        cancelled, options,
        [&](std::uint64_t count) {
            return nlohmann::json{{"biz_key", line.cancel}, {"cancelled", count}};
        },
        [](std::uint64_t count) {
            fmt::print("cancelled {} (restantectl restore ID brings one back)\n", count);
        });
}

int create(ConnectedStore& store, const Options& options, const RemindLine& line)
{
    const auto reminders = reminder::Reminders::make(store.queue(), store.inspector(),
                                                     reminder::settingsOf(store.config()));
    const auto created = store.prepare().and_then([&] {
        return store.await<reminder::CreatedReminder>(
            [&](auto done) { reminders->create(line.request, std::move(done)); });
    });
    if (created) {
        store.warnIfNobodyDelivers(created->channel);
    }
    return printResult(
        created, options, [](const reminder::CreatedReminder& one) { return jsonOf(one); },
        [&](const reminder::CreatedReminder& one) { print(one, line, store.now()); });
}

int remind(ConnectedStore& store, const Options& options, const RemindLine& line)
{
    if (!line.cancel.empty()) {
        return cancel(store, options, line);
    }
    return line.preview > 0 ? preview(store, options, line) : create(store, options, line);
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

/// Checks required and conflicting options before connecting.
void checkLine(RemindLine& line)
{
    auto& request = line.request;
    // Only an operator gives a reason; it is recorded in the audit.
    request.actor = request.reason.empty() ? "" : ConnectedStore::actor();
    if (!line.cancel.empty()) {
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
    auto [command, line] =
        commands.add("remind", "Send somebody a text at given times", remind, checkLine);
    auto& request = line.request;
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
    command.option("--preview", &line.preview, "Show the next N times and store nothing",
                   {.between = {{1, 1'000}}, .shownAs = "N"});
    command.option("--cancel", &line.cancel, "Cancel every pending reminder with this biz key",
                   {.shownAs = "BIZ_KEY"});
    command.reason(&request.reason);
}

}  // namespace restante::cli
