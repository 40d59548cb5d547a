#include "core/base/duration.h"
#include "core/cli/arguments.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/cli/screen.h"
#include "core/cli/store_snapshot.h"
#include "core/cli/table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace restante::cli {

namespace {

struct TopLine {
    std::optional<Millis> every;
    bool once = false;
};

constexpr Millis kEvery{1'000};
/// A shorter one would measure little but itself.
constexpr Millis kLeast{100};

/// Two looks, because growth and deliveries are counted between them.
int topOnce(ConnectedStore& store, const Options& options, Millis every)
{
    SnapshotReader viewer(store, options);
    for (const bool last : {false, true}) {
        const auto snapshot = viewer.read();
        if (!snapshot) {
            return fail(snapshot.error(), options);
        }
        if (!last) {
            store.loop().runUntil([] { return false; }, every);
        } else if (options.json) {
            printJson(jsonOf(*snapshot, viewer.before()));
        } else {
            fmt::print("{}", snapshotText(*snapshot, viewer.before(), terminalWidth()));
        }
    }
    return kExitOk;
}

/// Until somebody ends it. A Redis that is away is shown, too: it may come back.
int topLive(ConnectedStore& store, const Options& options, Millis every)
{
    SnapshotReader viewer(store, options);
    Screen screen(store.loop());
    std::string last;
    while (true) {
        const auto snapshot = viewer.read();
        if (snapshot) {
            last = snapshotText(*snapshot, viewer.before(), Screen::width());
            screen.show(last);
        } else {
            screen.show(
                fmt::format("redis     trying again: {}\n\n{}", snapshot.error().message, last));
        }
        if (screen.wait(every) == Screen::Key::Quit) {
            return kExitOk;
        }
    }
}

int top(ConnectedStore& store, const Options& options, const TopLine& line)
{
    const auto every = line.every.value_or(kEvery);
    const bool live = isatty(STDOUT_FILENO) != 0 && !line.once && !options.json;
    return live ? topLive(store, options, every) : topOnce(store, options, every);
}

}  // namespace

void addTop(CLI::App& app, Command& chosen)
{
    auto line = std::make_shared<TopLine>();
    auto& command = *app.add_subcommand(
        "top", "Watch the store: rates, backlog, lateness, journal, couriers; q quits");
    addParsed(command, "--every", line->every, "Look so often, 100ms or longer, default 1s");
    command.add_flag("--once", line->once,
                     "Print what it is like and end, as with --json or when the output is no "
                     "terminal");
    choose(command, chosen, with(line, top), [line] {
        if (line->every && *line->every < kLeast) {
            throw CLI::ValidationError("--every", "100ms or longer");
        }
    });
}

}  // namespace restante::cli
