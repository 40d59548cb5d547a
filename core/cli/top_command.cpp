#include "core/base/epoll_loop.h"
#include "core/base/event_loop.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/cli/store_snapshot.h"
#include "core/cli/table.h"
#include "core/cli/terminal_signals.h"

#include <array>
#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

namespace restante::cli {

namespace {

// Switches to the alternate screen (which keeps the scroll-back), without cursor and line wrap; and
// back again.
constexpr std::string_view kEnterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view kLeaveScreen = "\x1b[?7h\x1b[?25h\x1b[?1049l";

// Globals, because signal handlers have no object.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
termios savedTerminal{};
bool hasKeys = false;                        // standard input is a terminal in the foreground
volatile std::sig_atomic_t needsRedraw = 0;  // resized, or continued after a stop
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

/// Async-signal-safe. Gives up when the terminal takes no more bytes.
void writeTerminal(std::string_view text) noexcept
{
    while (!text.empty()) {
        const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written <= 0) {
            return;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void enterScreen() noexcept
{
    if (hasKeys) {
        auto raw = savedTerminal;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        raw.c_cc[VMIN] = 0;
        raw.c_cc[VTIME] = 0;
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    }
    writeTerminal(kEnterScreen);
}

void leaveScreen() noexcept
{
    writeTerminal(kLeaveScreen);
    if (hasKeys) {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &savedTerminal);
    }
}

extern "C" void onEndSignal(int signal) noexcept
{
    leaveScreen();
    if (signal == SIGINT) {
        _exit(0);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

extern "C" void onStopSignal(int signal) noexcept
{
    leaveScreen();
    stopByDefault(signal, onStopSignal);
    enterScreen();
    needsRedraw = 1;
}

extern "C" void onResizeSignal(int) noexcept
{
    needsRedraw = 1;
}

winsize terminalSize() noexcept
{
    winsize size{};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    return size;
}

/// The terminal on standard output, taken over for a live view and given back as it was: at the
/// end, on SIGINT, SIGTERM, SIGHUP and SIGQUIT (which then end the program; SIGINT, with which
/// people leave such a view, with status 0), and while it is stopped (SIGTSTP). One at a time. *One
/// loop.*
class Screen {
public:
    enum class Key { None, Quit, Other };

    explicit Screen(EpollLoop& loop) : loop_(loop)
    {
        // In the background reading or changing the terminal would stop the program.
        hasKeys = isatty(STDIN_FILENO) != 0 && tcgetpgrp(STDIN_FILENO) == getpgrp() &&
                  tcgetattr(STDIN_FILENO, &savedTerminal) == 0;
        for (const auto signal : kEndingSignals) {
            setUnlessIgnored(signal, onEndSignal);
        }
        setUnlessIgnored(SIGTSTP, onStopSignal);
        setSignalHandler(SIGWINCH, onResizeSignal);
        enterScreen();
        if (hasKeys) {
            keys_ =
                Watch(loop_, STDIN_FILENO, Readiness::Readable, [this](Readiness) { readKeys(); });
        }
    }
    ~Screen()
    {
        leaveScreen();
        for (const auto signal : kEndingSignals) {
            setUnlessIgnored(signal, SIG_DFL);
        }
        setUnlessIgnored(SIGTSTP, SIG_DFL);
        setSignalHandler(SIGWINCH, SIG_DFL);
    }

    static std::size_t width()
    {
        constexpr std::size_t kDefaultWidth = 80;
        const auto size = terminalSize();
        return size.ws_col > 0 ? size.ws_col : kDefaultWidth;
    }

    /// Replaces the screen with these lines, without flicker; what does not fit is cut off. wait()
    /// ends at once if the window changes its size from now on.
    static void show(std::string_view text)
    {
        constexpr std::size_t kDefaultHeight = 24;
        needsRedraw = 0;
        const auto size = terminalSize();
        const std::size_t rowCount = size.ws_row > 0 ? size.ws_row : kDefaultHeight;
        const auto columnCount = width();
        // Each line is erased before it is written: after a line of full width the cursor stands on
        // its last character.
        std::string frame = "\x1b[H";
        std::size_t row = 0;
        for (; row < rowCount && !text.empty(); ++row) {
            const auto line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            // Not behind the last line, which would scroll.
            frame += (row == 0 ? "" : "\r\n");
            frame += "\x1b[K" + truncated(line, columnCount);
        }
        if (row < rowCount) {
            frame += row == 0 ? "\x1b[J" : "\r\n\x1b[J";  // what a longer frame has left
        }
        writeTerminal(frame);
    }

    /// Turns the loop until a key is pressed (q and Q quit), the window changes its size, the
    /// program is continued after a stop, or for so long; not at all if a key was pressed since the
    /// last time, as while a slow store was read.
    Key wait(Millis time)
    {
        loop_.runUntil([this] { return pressed_ != Key::None || needsRedraw != 0; }, time);
        return std::exchange(pressed_, Key::None);
    }

private:
    void readKeys()
    {
        std::array<char, 64> bytes{};
        const auto count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (count <= 0) {
            keys_.remove();  // the terminal has gone
            return;
        }
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            const bool quits = bytes[i] == 'q' || bytes[i] == 'Q';
            pressed_ = quits || pressed_ == Key::Quit ? Key::Quit : Key::Other;
        }
    }

    EpollLoop& loop_;
    Watch keys_;
    Key pressed_ = Key::None;
};

struct TopArguments {
    std::optional<Millis> every;
    bool once = false;
};

constexpr Millis kDefaultInterval{1'000};
/// At shorter intervals the measuring itself would be most of the load.
constexpr Millis kMinInterval{100};

/// Takes two snapshots, because rates are computed between them.
int topOnce(ConnectedStore& store, const Options& options, Millis every)
{
    SnapshotReader reader(store, options);
    for (const bool isSecond : {false, true}) {
        const auto snapshot = reader.read();
        if (!snapshot) {
            return fail(snapshot.error(), options);
        }
        if (!isSecond) {
            store.loop().runUntil([] { return false; }, every);
        } else if (options.json) {
            printJson(jsonOf(*snapshot, reader.before()));
        } else {
            fmt::print("{}", snapshotText(*snapshot, reader.before(), terminalWidth()));
        }
    }
    return kExitOk;
}

/// Runs until the user ends it, also while Redis is away, because it may come back.
int topLive(ConnectedStore& store, const Options& options, Millis every)
{
    SnapshotReader reader(store, options);
    Screen screen(store.loop());
    std::string lastText;
    while (true) {
        const auto snapshot = reader.read();
        if (snapshot) {
            lastText = snapshotText(*snapshot, reader.before(), Screen::width());
            Screen::show(lastText);
        } else {
            Screen::show(fmt::format("redis     trying again: {}\n\n{}", snapshot.error().message,
                                     lastText));
        }
        if (screen.wait(every) == Screen::Key::Quit) {
            return kExitOk;
        }
    }
}

int top(ConnectedStore& store, const Options& options, const TopArguments& arguments)
{
    const auto every = arguments.every.value_or(kDefaultInterval);
    const bool live = isatty(STDOUT_FILENO) != 0 && !arguments.once && !options.json;
    return live ? topLive(store, options, every) : topOnce(store, options, every);
}

void checkTop(TopArguments& arguments)
{
    if (arguments.every && *arguments.every < kMinInterval) {
        refuseUsage("--every: 100ms or longer");
    }
}

}  // namespace

void addTop(CommandLine& commands)
{
    auto [command, arguments] =
        commands.add("top", "Watch the store: rates, backlog, lateness, journal, couriers; q quits",
                     top, checkTop);
    command.option("--every", &arguments.every, "Look so often, 100ms or longer, default 1s");
    command.option(
        "--once", &arguments.once,
        "Print what it is like and end, as with --json or when the output is no terminal");
}

}  // namespace restante::cli
