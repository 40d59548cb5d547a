#include "core/base/epoll_loop.h"
#include "core/base/event_loop.h"
#include "core/cli/command.h"
#include "core/cli/connected_store.h"
#include "core/cli/store_snapshot.h"
#include "core/cli/table.h"

#include <array>
#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace restante::cli {

namespace {

// The screen of its own that most terminals have (so that the scroll-back stays), no cursor, no
// line wrap; and all that back again.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view kLeave = "\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr std::array kEnding{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// What a signal handler needs, which has no object.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
termios before{};
bool hasKeys = false;  // standard input is a terminal in the foreground
volatile std::sig_atomic_t resized = 0;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

/// Async-signal-safe. A terminal that takes nothing any more is no reason to do anything else.
void put(std::string_view text) noexcept
{
    while (!text.empty()) {
        const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written <= 0) {
            return;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void enter() noexcept
{
    if (hasKeys) {
        auto raw = before;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        raw.c_cc[VMIN] = 0;
        raw.c_cc[VTIME] = 0;
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    }
    put(kEnter);
}

void leave() noexcept
{
    put(kLeave);
    if (hasKeys) {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    }
}

extern "C" void endOn(int signal) noexcept
{
    leave();
    if (signal == SIGINT) {
        _exit(0);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

extern "C" void stopOn(int) noexcept
{
    leave();
    std::raise(SIGSTOP);
    enter();  // continued
    resized = 1;
}

extern "C" void resizeOn(int) noexcept
{
    resized = 1;
}

void handle(int signal, void (*handler)(int)) noexcept
{
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

winsize sizeOf() noexcept
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
        // In the background a read or a change of the terminal would stop us.
        hasKeys = isatty(STDIN_FILENO) != 0 && tcgetpgrp(STDIN_FILENO) == getpgrp() &&
                  tcgetattr(STDIN_FILENO, &before) == 0;
        for (const auto signal : kEnding) {
            handle(signal, endOn);
        }
        handle(SIGTSTP, stopOn);
        handle(SIGWINCH, resizeOn);
        enter();
        if (hasKeys) {
            keys_ =
                Watch(loop_, STDIN_FILENO, Readiness::Readable, [this](Readiness) { readKeys(); });
        }
    }
    ~Screen()
    {
        leave();
        for (const auto signal : kEnding) {
            handle(signal, SIG_DFL);
        }
        handle(SIGTSTP, SIG_DFL);
        handle(SIGWINCH, SIG_DFL);
    }

    static std::size_t width()
    {
        constexpr std::size_t kUsual = 80;
        const auto size = sizeOf();
        return size.ws_col > 0 ? size.ws_col : kUsual;
    }

    /// Shows these lines instead of what was there, without flicker; what does not fit is cut off.
    static void show(std::string_view text)
    {
        constexpr std::size_t kUsual = 24;
        const auto size = sizeOf();
        const std::size_t high = size.ws_row > 0 ? size.ws_row : kUsual;
        const auto wide = width();
        std::string frame = "\x1b[H";
        for (std::size_t row = 0; row < high && !text.empty(); ++row) {
            const auto line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            // Not behind the last line, which would scroll.
            frame += (row == 0 ? "" : "\r\n") + cutTo(line, wide) + "\x1b[K";
        }
        put(frame + "\x1b[J");
    }

    /// Turns the loop until a key is pressed (q and Q quit), the window changes its size, or for so
    /// long.
    Key wait(Millis time)
    {
        pressed_ = Key::None;
        resized = 0;
        loop_.runUntil([this] { return pressed_ != Key::None || resized != 0; }, time);
        return pressed_;
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
            Screen::show(last);
        } else {
            Screen::show(
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

void checkTop(TopLine& line)
{
    if (line.every && *line.every < kLeast) {
        refuseUsage("--every: 100ms or longer");
    }
}

}  // namespace

void addTop(CommandLine& commands)
{
    auto [command, line] =
        commands.add("top", "Watch the store: rates, backlog, lateness, journal, couriers; q quits",
                     top, checkTop);
    command.option("--every", &line.every, "Look so often, 100ms or longer, default 1s");
    command.option(
        "--once", &line.once,
        "Print what it is like and end, as with --json or when the output is no terminal");
}

}  // namespace restante::cli
