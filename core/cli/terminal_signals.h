#pragma once

#include <array>
#include <csignal>

namespace restante::cli {

/// Those that end a program, which first has to give back the terminal that it has changed.
inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/// System calls that the handler interrupts go on after it.
inline void setSignalHandler(int signal, void (*handler)(int)) noexcept
{
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

/// The same, and SIG_DFL takes the handler away again; but what the parent has had ignored stays
/// so, as below nohup(1) or `trap '' INT`.
inline void setUnlessIgnored(int signal, void (*handler)(int)) noexcept
{
    struct sigaction current {};
    if (sigaction(signal, nullptr, &current) == 0 && current.sa_handler != SIG_IGN) {
        setSignalHandler(signal, handler);
    }
}

/// Stops as without a handler, and takes `handler` again when it is continued. Async-signal-safe,
/// in the handler of `signal` only. Not by SIGSTOP: where no shell could continue the program
/// (ssh -t, docker exec -it) the kernel ignores SIGTSTP, and SIGSTOP would stop it for good.
inline void stopByDefault(int signal, void (*handler)(int)) noexcept
{
    setSignalHandler(signal, SIG_DFL);
    sigset_t only;
    sigset_t before;
    sigemptyset(&only);
    sigaddset(&only, signal);
    std::raise(signal);                          // blocked in its handler
    sigprocmask(SIG_UNBLOCK, &only, &before);    // stops here
    sigprocmask(SIG_SETMASK, &before, nullptr);  // continued
    setSignalHandler(signal, handler);
}

}  // namespace restante::cli
