#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <memory>

namespace restante::test {

/// A TCP proxy on 127.0.0.1 that forwards every byte, in order, but late: bytes of clients by
/// Delay::requests, bytes of the server by Delay::answers, each with a jitter of its own. With it a
/// test simulates a slow or asymmetric network. Its destructor ends all connections. *Any thread.*
class DelayingProxy {
public:
    struct Delay {
        Millis requests{0};
        Millis answers{0};
        Millis jitter{0};  ///< the most that is added at random to each delay
    };

    /// In front of 127.0.0.1:`server`. Throws when it cannot listen.
    DelayingProxy(std::uint16_t server, Delay delay);
    DelayingProxy(const DelayingProxy&) = delete;
    DelayingProxy& operator=(const DelayingProxy&) = delete;
    ~DelayingProxy();

    std::uint16_t port() const noexcept;
    /// Changes the delay of bytes that come from now on.
    void set(Delay delay) noexcept;
    /// Ends every connection; new ones are accepted.
    void cut() noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::test
