#include "core/base/timestamp.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/cli/finding.h"
#include "core/cli/table.h"
#include "core/json/job_json.h"
#include "core/redis/store/daemon_registry.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

using redis::DaemonView;
using Daemons = std::vector<DaemonView>;

Result<Daemons> daemonsOf(ConnectedStore& store)
{
    return store.await<Daemons>([&](auto done) {
        redis::readDaemons(store.connection(), store.config().redis.prefix, store.now(),
                           std::move(done));
    });
}

const char* stateOf(const DaemonView& daemon)
{
    if (!daemon.isLiving()) {
        return "silent";
    }
    if (daemon.draining) {
        return "ending";
    }
    return daemon.silentDuties.empty() ? "alive" : "hangs";
}

nlohmann::json jsonOfDaemons(const Daemons& daemons)
{
    nlohmann::json object{{"daemons", nlohmann::json::array()}};
    for (const auto& daemon : daemons) {
        nlohmann::json one{{"name", daemon.name},           {"version", daemon.version},
                           {"state", stateOf(daemon)},      {"duties", daemon.duties},
                           {"silent", daemon.silentDuties}, {"draining", daemon.draining}};
        json::addTime(one, "since", daemon.since);
        json::addTime(one, "seen", daemon.seen);
        object["daemons"].push_back(std::move(one));
    }
    return object;
}

/// The duties of a daemon, and in brackets those that hang.
std::string dutiesText(const DaemonView& daemon)
{
    auto text = fmt::format("{}", fmt::join(daemon.duties, " "));
    if (!daemon.silentDuties.empty()) {
        text += fmt::format("{}[{}]", text.empty() ? "" : " ", fmt::join(daemon.silentDuties, " "));
    }
    return text;
}

void printDaemons(const Daemons& daemons, TimePoint now)
{
    if (daemons.empty()) {
        fmt::print("no daemon works on this store: start restanted\n");
        return;
    }
    Table table({"DAEMON", "STATE", "VERSION", "SINCE", "SEEN", "DOES"});
    for (const auto& daemon : daemons) {
        table.add({oneLine(daemon.name), stateOf(daemon), oneLine(daemon.version),
                   formatLocalTime(daemon.since), formatRelative(daemon.seen, now),
                   oneLine(dutiesText(daemon))});
    }
    fmt::print("{}", table.text(terminalWidth()));
}

int showDaemons(ConnectedStore& store, const Options& options, const NoOptions& /*arguments*/)
{
    const auto now = store.now();
    return printResult(daemonsOf(store), options, jsonOfDaemons,
                       [now](const Daemons& found) { printDaemons(found, now); });
}

}  // namespace

void examineDaemons(ConnectedStore& store, Findings& findings)
{
    const auto about = "daemons";
    const auto daemons = daemonsOf(store);
    if (!daemons) {
        return findings.error(about, daemons.error().message, "nothing works without it");
    }
    if (std::none_of(daemons->begin(), daemons->end(),
                     [](const DaemonView& daemon) { return daemon.isLiving(); })) {
        findings.warning(about, "no daemon works on this store: nobody delivers",
                         "start restanted, or look at its log if it does not stay");
    }
    for (const auto& daemon : *daemons) {
        const auto seen = formatRelative(daemon.seen, store.now());
        if (!daemon.isLiving()) {
            findings.warning(about,
                             fmt::format("{} has ended without a word, or hangs; last seen {}",
                                         daemon.name, seen),
                             "look at its log; it is told of for an hour, a day while none lives");
        } else if (!daemon.silentDuties.empty()) {
            findings.warning(about,
                             fmt::format("{} lives, but its {} hang", daemon.name,
                                         fmt::join(daemon.silentDuties, " ")),
                             "restart it, and look at its log");
        } else {
            findings.ok(about, fmt::format("{}, {}: {}{}", daemon.name, daemon.version,
                                           fmt::join(daemon.duties, " "),
                                           daemon.draining ? ", it ends" : ""));
        }
    }
}

void addDaemons(CommandLine& commands)
{
    commands.add("daemons", "Which daemons work on this store, and what each of them does",
                 showDaemons);
}

}  // namespace restante::cli
