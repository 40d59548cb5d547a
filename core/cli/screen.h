#pragma once

#include "core/base/epoll_loop.h"
#include "core/base/event_loop.h"

#include <cstddef>
#include <string_view>

namespace restante::cli {

/// The terminal on standard output, taken over for a live view and given back as it was: at the
/// end, on SIGINT, SIGTERM, SIGHUP and SIGQUIT (which then end the program; SIGINT, with which
/// people leave such a view, with status 0), and while it is stopped (SIGTSTP). One at a time. *One
/// loop.*
class Screen {
public:
    enum class Key { None, Quit, Other };

    explicit Screen(EpollLoop& loop);
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    ~Screen();

    static std::size_t width();
    static std::size_t height();

    /// Shows these lines instead of what was there, without flicker; what does not fit is cut off.
    void show(std::string_view text);
    /// Turns the loop until a key is pressed (q and Q quit), the window changes its size, or for so
    /// long.
    Key wait(Millis time);

private:
    void readKeys();

    EpollLoop& loop_;
    Watch keys_;
    Key pressed_ = Key::None;
};

}  // namespace restante::cli
