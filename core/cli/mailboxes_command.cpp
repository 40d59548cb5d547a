#include "core/base/timestamp.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/cli/table.h"
#include "core/json/job_json.h"
#include "core/queue/mailbox.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

Result<MailboxPage> pageOf(ConnectedStore& store, const MailboxQuery& query)
{
    return store.await<MailboxPage>(
        [&](auto done) { store.inspector().mailboxes(query, std::move(done)); });
}

std::string ago(const std::optional<TimePoint>& at, TimePoint now)
{
    return at ? formatRelative(*at, now) : "-";
}

/// Whether the recipient can be reached, and since when not.
std::string stateOf(const MailboxView& view, TimePoint now)
{
    const auto registered = std::ranges::count_if(view.devices, &RegisteredDevice::registered);
    if (registered > 0) {
        return fmt::format("registered, {} device{}", registered, registered == 1 ? "" : "s");
    }
    const auto away = view.awaySince();
    return away ? fmt::format("away since {} ({})", formatLocalTime(*away),
                              formatRelative(*away, now))
                : "no device known";
}

void printDevices(const MailboxView& view, TimePoint now)
{
    Table table({"DEVICE", "CONTACT", "STATE", "SINCE", "SEEN"});
    for (const auto& device : view.devices) {
        const auto& name = device.agent.empty() ? device.device : device.agent;
        const auto since = device.registered ? device.since : std::optional(device.until);
        table.add({oneLine(name), oneLine(device.contact),
                   device.registered ? "registered" : "gone", ago(since, now),
                   ago(device.seen, now)});
    }
    fmt::print("\n{}", table.text(terminalWidth()));
}

void printPage(const MailboxPage& page, TimePoint now, const std::string& name)
{
    if (page.mailboxes.empty()) {
        const auto* const ofThatName = name.empty() ? "" : " of that name";
        if (page.total > 0) {
            fmt::print("no more mailboxes{}\n", ofThatName);
        } else if (page.complete) {
            fmt::print("no messages wait in a mailbox{}\n", ofThatName);
        } else {
            fmt::print("no mailbox{} among those that were looked at; there are more\n",
                       ofThatName);
        }
        return;
    }
    Table table({"RECIPIENT", "WAITING", "OLDEST", "NEWEST", "NEXT TRY", "RECIPIENT IS"});
    for (const auto& view : page.mailboxes) {
        table.add({oneLine(view.recipient), std::to_string(view.waiting), ago(view.oldest, now),
                   ago(view.newest, now),
                   view.next ? formatRelative(*view.next, now) : "on registration",
                   stateOf(view, now)});
    }
    fmt::print("{}", table.text(terminalWidth()));
    if (page.mailboxes.size() == 1 && page.total == 1 && !page.mailboxes[0].devices.empty()) {
        printDevices(page.mailboxes[0], now);
    }
    const auto* const least = page.complete ? "" : "at least ";
    fmt::print("\n{}{} mailbox{}, {}{} message{}\n", least, page.total, page.total == 1 ? "" : "es",
               least, page.messages, page.messages == 1 ? "" : "s");
    if (!page.cursor.empty()) {
        fmt::print("more: --cursor {}\n", shellWord(page.cursor));
    }
}

int mailboxes(ConnectedStore& store, const Options& options, const MailboxQuery& query)
{
    return printResult(
        pageOf(store, query), options, [](const MailboxPage& page) { return json::jsonOf(page); },
        [&](const MailboxPage& page) { printPage(page, store.now(), query.name); });
}

}  // namespace

void addMailboxes(CommandLine& commands)
{
    auto [command, query] = commands.add(
        "mailboxes", "For whom SIP messages wait, and where they can be reached", mailboxes);
    command.option("name", &query.name, "Only recipients with this in their address");
    command.option("--limit", &query.limit, "Mailboxes a page, 1 to 500, default 100",
                   {.between = {{1, 500}}});
    command.option("--cursor", &query.cursor, "What the page before ended with");
}

}  // namespace restante::cli
