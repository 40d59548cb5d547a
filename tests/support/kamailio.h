#pragma once

#include "tests/support/process.h"
#include "tests/support/sip_path.h"
#include "tests/support/sip_socket.h"
#include "tests/support/temp_dir.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace restante::test {

/// Debian's Kamailio with the configuration that we ship (resources/kamailio), adapted by defines.
/// A restart loses its registrations but keeps its port. *One thread.*
class Kamailio {
public:
    struct Settings {
        std::string domain;
        std::string restanteUri;   ///< where it brings what it cannot deliver; empty = not told
        std::string restanteHost;  ///< where Restante's requests come from
        /// Each `NAME` or `NAME=value`, as for `kamailio -A`.
        std::vector<std::string> defines;
        std::filesystem::path configuration{};  ///< empty = the one that we ship
        bool overTls = false;                   ///< it listens for TLS as well
        bool overIpv6 = false;                  ///< it listens on ::1 as well
    };

    /// Chooses the ports; begins with start().
    Kamailio();
    Kamailio(const Kamailio&) = delete;
    Kamailio& operator=(const Kamailio&) = delete;
    ~Kamailio();

    /// Waits until it answers; throws with its log when it does not.
    void start(const Settings& settings);
    /// Starts it again with the same settings and without registrations.
    void restart();
    void stop();

    SipServer udp() const { return {SipTransport::Udp, kHost, port_}; }
    SipServer tcp() const { return {SipTransport::Tcp, kHost, port_}; }
    /// Over TLS and IPv6 when start() is told so.
    SipServer server(const SipPath& path) const;
    SipServer server(SipTransport transport) const { return server(SipPath{transport}); }
    std::string log() const { return process_ ? process_->allOutput() : ""; }

private:
    static constexpr auto kHost = "127.0.0.1";

    bool answers() const;

    TempDir directory_;
    std::uint16_t port_;
    std::uint16_t tlsPort_;
    Settings settings_;
    std::unique_ptr<Process> process_;
};

}  // namespace restante::test
