#pragma once

#include "tests/bench/socket.h"

#include <cstdint>
#include <string>

namespace restante::bench {

/// What a device saw.
struct Delivery {
    std::uint32_t received = 0;    ///< different bodies
    std::uint32_t repeated = 0;    ///< bodies seen before
    std::uint32_t inversions = 0;  ///< bodies whose number is below the one before
    double seconds = 0;            ///< from start() to the last new body
};

/// A device on one UDP socket: registers and answers 200 to every MESSAGE. Bodies begin with the
/// number of the message, so that order and repeats are seen.
class SipReceiver {
public:
    SipReceiver();
    std::uint16_t port() const;

    /// REGISTER of `user` at 127.0.0.1:`serverPort`; the clock of the delivery starts here.
    void registerAt(std::uint16_t serverPort, const std::string& user);
    /// The devices of u0 to u<users - 1> come back: registers them, so many at a time unanswered,
    /// and answers meanwhile, until each has had one message or 60 s passed.
    Delivery returnAll(std::uint16_t serverPort, std::uint32_t users, std::uint32_t unanswered);
    /// Answers until `count` different messages came or 30 s passed.
    Delivery receive(std::uint32_t count);

private:
    void sendRegister(std::uint16_t serverPort, const std::string& user);
    /// What has come within 500 ms: empty, a response, or a MESSAGE that has been answered.
    std::string take();

    Socket socket_;
    double startedAt_ = 0;
};

}  // namespace restante::bench
