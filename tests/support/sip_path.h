#pragma once

#include "tests/support/sip_socket.h"

#include <array>
#include <ostream>
#include <string>

namespace restante::test {

/// How two SIP peers on this machine reach each other. *Value.*
struct SipPath {
    SipTransport transport = SipTransport::Udp;
    bool overIpv6 = false;

    std::string host() const { return overIpv6 ? "::1" : "127.0.0.1"; }
    bool isStream() const { return transport != SipTransport::Udp; }
};

/// "udp", "tlsOverIpv6": for the name of a test, too.
inline std::string name(const SipPath& path)
{
    return std::string(name(path.transport)) + (path.overIpv6 ? "OverIpv6" : "");
}
inline std::ostream& operator<<(std::ostream& out, const SipPath& path)
{
    return out << name(path);
}

inline constexpr std::array<SipPath, 6> kEveryPath{{{SipTransport::Udp},
                                                    {SipTransport::Tcp},
                                                    {SipTransport::Tls},
                                                    {SipTransport::Udp, true},
                                                    {SipTransport::Tcp, true},
                                                    {SipTransport::Tls, true}}};

/// For slow tests: each transport and each IP version, but not each combination.
inline constexpr std::array<SipPath, 3> kSomePaths{
    {{SipTransport::Udp}, {SipTransport::Tcp, true}, {SipTransport::Tls}}};
inline constexpr std::array<SipPath, 4> kStreams{{{SipTransport::Tcp},
                                                  {SipTransport::Tls},
                                                  {SipTransport::Tcp, true},
                                                  {SipTransport::Tls, true}}};
inline constexpr std::array<SipPath, 4> kPathsWithoutTls{{{SipTransport::Udp},
                                                          {SipTransport::Tcp},
                                                          {SipTransport::Udp, true},
                                                          {SipTransport::Tcp, true}}};

/// True on a machine without the loopback address of that path; the running test is then marked as
/// skipped, with the reason, and must return. On the test's thread only.
bool skipsWithout(const SipPath& path);

}  // namespace restante::test
