#include "core/base/timestamp.h"
#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/reminder/reminders.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

/// What the command line of `remind` said.
struct RemindLine {
    reminder::ReminderRequest request;
    std::size_t preview = 0;
    std::string cancel;
};

nlohmann::json jsonOf(TimePoint due)
{
    return {{"due", printRfc3339(due)}, {"due_ms", toEpochMs(due)}};
}

nlohmann::json jsonOf(const reminder::Created& created)
{
    auto object = jsonOf(created.runs.front().due);
    object["id"] = created.runs.front().id;
    object["status"] = created.status == PushStatus::Stored ? "stored" : "already_there";
    object["channel"] = name(created.channel);
    object["biz_key"] = created.bizKey;
    object["recurring"] = created.recurring;
    object["notes"] = created.notes;
    for (const auto& run : created.runs) {
        auto one = jsonOf(run.due);
        one["id"] = run.id;
        object["runs"].push_back(std::move(one));
    }
    return object;
}

void print(const reminder::Created& created, const RemindLine& line, TimePoint now)
{
    for (const auto& run : created.runs) {
        fmt::print("{}  {} by {} at {} ({}){}{}\n", run.id, line.request.to, name(created.channel),
                   printLocalTime(run.due), printRelative(run.due, now),
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
    return tell(
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
                fmt::print("{}  {} ({})\n", printRfc3339(at), printLocalTime(at),
                           printRelative(at, store.now()));
            }
        });
}

int cancel(ConnectedStore& store, const Options& options, const RemindLine& line)
{
    reminder::Reminders reminders(store.queue(), store.inspector(),
                                  reminder::settingsOf(store.config()));
    const auto cancelled = store.await<std::uint64_t>([&](auto done) {
        reminders.cancel(line.cancel, ConnectedStore::actor(), std::move(done),
                         line.request.reason);
    });
    return tell(
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
    reminder::Reminders reminders(store.queue(), store.inspector(),
                                  reminder::settingsOf(store.config()));
    const auto created = store.prepare().and_then([&] {
        return store.await<reminder::Created>(
            [&](auto done) { reminders.create(line.request, std::move(done)); });
    });
    if (created) {
        store.warnIfNobodyDelivers(created->channel);
    }
    return tell(
        created, options, [](const reminder::Created& one) { return jsonOf(one); },
        [&](const reminder::Created& one) { print(one, line, store.now()); });
}

int remind(ConnectedStore& store, const Options& options, const RemindLine& line)
{
    if (!line.cancel.empty()) {
        return cancel(store, options, line);
    }
    return line.preview > 0 ? preview(store, options, line) : create(store, options, line);
}

void addWhen(CLI::App& command, reminder::ReminderRequest& request)
{
    auto& when = *command.add_option_group("when");
    when.add_option("--at", request.at, "At this time, e.g. \"2026-12-31 09:00\"");
    when.add_option("--in", request.in, "After this long, e.g. 15d");
    auto* event = when.add_option("--before,--event", request.event,
                                  "Before an event at this time or on this day, see --offsets");
    when.require_option(0, 1);
    command
        .add_option("--offsets", request.offsets,
                    "How long before the event, e.g. 15d,3d (default: at the event itself)")
        ->needs(event);
    command
        .add_option("--every", request.every,
                    "Again and again: hourly, daily, weekly, monthly, yearly, weekdays, a day's "
                    "name, an interval such as 2h, or an RRULE such as FREQ=MONTHLY;BYDAY=1MO")
        ->excludes(event);
    command.add_option("--zone", request.timeZone,
                       "Time zone of all these, e.g. Europe/Berlin (default: reminder.time_zone)");
    command.add_option("--expires", request.expires,
                       "Not delivered any more after this time, or this long after its due time");
}

/// What must be there, and what may not be there together: refused before anything is connected.
void checkLine(const RemindLine& line)
{
    const auto& request = line.request;
    if (!line.cancel.empty()) {
        return;
    }
    if (request.to.empty()) {
        throw CLI::RequiredError("TO: sip:USER@DOMAIN, a phone number, or a webhook's URL");
    }
    if (request.at.empty() && request.in.empty() && request.event.empty() &&
        request.every.empty()) {
        throw CLI::RequiredError("--at, --in, --before or --every");
    }
    if (request.text.empty()) {
        throw CLI::RequiredError("--text");
    }
}

}  // namespace

void addRemind(CLI::App& app, Command& chosen)
{
    auto line = std::make_shared<RemindLine>();
    auto& request = line->request;
    auto& command = *app.add_subcommand("remind", "Send somebody a text at given times");
    command.add_option("to", request.to, "sip:USER@DOMAIN, a phone number, or a webhook's URL");
    addWhen(command, request);
    command.add_option("--text", request.text, "What to say");
    command.add_option("--content-type", request.contentType,
                       "Media type of the text (default text/plain;charset=UTF-8)");
    addParsed(command, "--channel", request.channel, "sip, sms or webhook (default: by TO)");
    command.add_option("--sender,--from", request.sender, "The sender the recipient sees");
    command.add_option("--id", request.id, "The id (default: a generated one)");
    command.add_option("--biz-key", request.bizKey, "Your own key, which cancels the whole set");
    command.add_option("--retry", request.retry, "Waits before each attempt, e.g. 0s,2m,10m");
    command.add_option("--preview", line->preview, "Show the next N times and store nothing")
        ->check(CLI::Range(1, 1'000))
        ->type_name("N");
    command.add_option("--cancel", line->cancel, "Cancel every pending reminder with this biz key")
        ->type_name("BIZ_KEY");
    addReason(command, request.reason);
    choose(command, chosen, with(line, remind), [line] {
        checkLine(*line);
        // Whoever says why is an operator, for the audit.
        line->request.actor = line->request.reason.empty() ? "" : ConnectedStore::actor();
    });
}

}  // namespace restante::cli
