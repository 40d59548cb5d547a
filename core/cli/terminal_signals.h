#pragma once

#include <array>
#include <csignal>

namespace restante::cli {

/// Those that end a program, which first has to give back the terminal that it has changed.
inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/// System calls that the handler interrupts go on after it. SIG_DFL takes it away again.
inline void setSignalHandler(int signal, void (*handler)(int)) noexcept
{
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

}  // namespace restante::cli
