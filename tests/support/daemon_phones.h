#pragma once

#include "tests/support/daemon.h"
#include "tests/support/sip_phone.h"

#include <chrono>
#include <stdexcept>
#include <string>

namespace restante::test {

inline constexpr std::chrono::seconds kRegistration{600};

/// A phone that has not registered yet.
inline SipPhone
phoneOf(const Daemon& daemon, const std::string& user, SipTransport transport = SipTransport::Udp)
{
    return SipPhone({user, kDomain, daemon.server(transport)});
}

/// A phone that can be reached from now on.
inline SipPhone registeredPhone(const Daemon& daemon,
                                const std::string& user,
                                SipTransport transport = SipTransport::Udp)
{
    auto phone = phoneOf(daemon, user, transport);
    if (const auto answer = phone.registerFor(kRegistration); answer.status != 200) {
        throw std::runtime_error(user + " cannot register: " + answer.response.startLine);
    }
    return phone;
}

}  // namespace restante::test
