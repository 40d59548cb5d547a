#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <memory>

namespace restante::test {

/// A TCP proxy on 127.0.0.1 that hands on every byte, in order, but late: what clients send by
/// Delay::requests, what the server answers by Delay::answers, each with a jitter of its own. With
/// it a test shows what a slow or lopsided net does. Ends with all its connections. *Any thread.*
class DelayingProxy {
public:
    struct Delay {
        Millis requests{0};
        Millis answers{0};
        Millis jitter{0};  ///< up to so much more, each way, each time
    };

    /// In front of 127.0.0.1:`server`. Throws when it cannot listen.
    DelayingProxy(std::uint16_t server, Delay delay);
    DelayingProxy(const DelayingProxy&) = delete;
    DelayingProxy& operator=(const DelayingProxy&) = delete;
    ~DelayingProxy();

    std::uint16_t port() const noexcept;
    /// For what is sent from now on.
    void set(Delay delay) noexcept;
    /// Ends every connection; new ones are taken.
    void cut() noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::test
