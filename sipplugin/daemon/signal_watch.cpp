#include "sipplugin/daemon/signal_watch.h"

#include <array>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace restante::daemon {

namespace {

// A signal handler may do little more than write(): each signal is one byte in this pipe.
std::array<int, 2> pipeEnds{-1, -1};

extern "C" void writeSignal(int number)
{
    const int savedErrno = errno;
    const auto byte = static_cast<unsigned char>(number);
    // A full pipe already holds more signals than anyone has sent on purpose.
    [[maybe_unused]] const auto written = write(pipeEnds[1], &byte, 1);
    errno = savedErrno;
}

void installHandler(int number, void (*handler)(int))
{
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
}

}  // namespace

SignalWatch::SignalWatch(EventLoop& loop,
                         std::initializer_list<int> signals,
                         std::function<void(int)> handler)
    : signals_(signals)
{
    assert(pipeEnds[0] == -1);
    if (pipe2(pipeEnds.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe for signals");
    }
    watch_ =
        Watch(loop, pipeEnds[0], Readiness::Readable, [handler = std::move(handler)](Readiness) {
            unsigned char number = 0;
            while (read(pipeEnds[0], &number, 1) == 1) {
                handler(number);
            }
        });
    for (int number : signals_) {
        daemon::installHandler(number, writeSignal);
    }
}

SignalWatch::~SignalWatch()
{
    for (int number : signals_) {
        daemon::installHandler(number, SIG_DFL);
    }
    watch_.remove();
    for (int& end : pipeEnds) {
        close(end);
        end = -1;
    }
}

}  // namespace restante::daemon
