#include "core/cli/screen.h"

#include "core/cli/table.h"

#include <array>
#include <csignal>
#include <cstdlib>
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

}  // namespace

Screen::Screen(EpollLoop& loop) : loop_(loop)
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
        keys_ = Watch(loop_, STDIN_FILENO, Readiness::Readable, [this](Readiness) { readKeys(); });
    }
}

Screen::~Screen()
{
    leave();
    for (const auto signal : kEnding) {
        handle(signal, SIG_DFL);
    }
    handle(SIGTSTP, SIG_DFL);
    handle(SIGWINCH, SIG_DFL);
}

std::size_t Screen::width()
{
    constexpr std::size_t kUsual = 80;
    const auto size = sizeOf();
    return size.ws_col > 0 ? size.ws_col : kUsual;
}

std::size_t Screen::height()
{
    constexpr std::size_t kUsual = 24;
    const auto size = sizeOf();
    return size.ws_row > 0 ? size.ws_row : kUsual;
}

void Screen::show(std::string_view text)
{
    const auto wide = width();
    const auto high = height();
    std::string frame = "\x1b[H";
    for (std::size_t row = 0; row < high && !text.empty(); ++row) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        // Not behind the last line, which would scroll.
        frame += (row == 0 ? "" : "\r\n") + cutTo(line, wide) + "\x1b[K";
    }
    put(frame + "\x1b[J");
}

Screen::Key Screen::wait(Millis time)
{
    pressed_ = Key::None;
    resized = 0;
    loop_.runUntil([this] { return pressed_ != Key::None || resized != 0; }, time);
    return pressed_;
}

void Screen::readKeys()
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

}  // namespace restante::cli
