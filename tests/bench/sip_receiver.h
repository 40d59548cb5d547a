#pragma once

#include "tests/bench/socket.h"

#include <cstdint>
#include <string>

namespace restante::bench {

/// The messages that a device has received.
struct Delivery {
    std::uint32_t received = 0;    ///< different bodies
    std::uint32_t repeated = 0;    ///< bodies seen before
    std::uint32_t inversions = 0;  ///< bodies whose number is below the one before
    double seconds = 0;            ///< from start() to the last new body
};

/// A device on one UDP socket: registers and answers 200 to every MESSAGE. Bodies begin with the
/// number of the message, which reveals order and repeats.
class SipReceiver {
public:
    SipReceiver();
    std::uint16_t port() const;

    /// Sends a REGISTER of `user` to 127.0.0.1:`serverPort`; Delivery::seconds counts from here.
    void registerAt(std::uint16_t serverPort, const std::string& user);
    /// Registers u0 to u<users - 1>, with at most `unanswered` REGISTERs at a time, each sent again
    /// after 500 ms without an answer (RFC 3261 17.1.2.2), and answers messages until each user has
    /// got one or 60 s have passed.
    Delivery returnAll(std::uint16_t serverPort, std::uint32_t users, std::uint32_t unanswered);
    /// Answers until `count` different messages came or 30 s passed.
    Delivery receive(std::uint32_t count);

private:
    void sendRegister(std::uint16_t serverPort, const std::string& user);
    /// A message that came within 500 ms: empty, a response, or a MESSAGE that was answered here.
    std::string take();

    Socket socket_;
    double startedAt_ = 0;
};

}  // namespace restante::bench
