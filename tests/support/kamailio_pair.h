#pragma once

#include "tests/support/daemon.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/kamailio.h"
#include "tests/support/tls_socket.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace restante::test {

/// Kamailio with our shipped configuration, and a Restante behind it with an address of its own,
/// by which Kamailio knows it over TCP. *One thread.*
class KamailioPair {
public:
    /// How Restante learns who has registered.
    enum class Hint { CopiedRegister, RegEvent };
    struct Settings {
        SipTransport transport = SipTransport::Udp;  ///< of the phones and between the two
        std::vector<std::string> set;                ///< as for the daemon's --set
        std::vector<std::string> defines = {};       ///< as for `kamailio -A`
        Hint hint = Hint::CopiedRegister;
        bool overIpv6 = false;  ///< between the two; the phones stay with IPv4
    };

    explicit KamailioPair(const Settings& settings)
        : transport(settings.transport),
          restante({withProxy(settings, kamailio), hostOf(settings),
                    isSecure(settings) ? loopbackTls() : nullptr})
    {
        Kamailio::Settings kamailios{kDomain, restante.server(transport).uri(), hostOf(settings),
                                     definesOf(settings)};
        kamailios.overTls = isSecure(settings);
        kamailios.overIpv6 = settings.overIpv6;
        kamailio.start(kamailios);
    }

    SipPhone phone(const std::string& user) const
    {
        return SipPhone({user, kDomain, kamailio.server(transport)});
    }
    SipPhone registered(const std::string& user) const
    {
        auto made = phone(user);
        if (made.registerFor(kRegistration).status != 200) {
            throw std::runtime_error(user + " cannot register at Kamailio\n" + kamailio.log());
        }
        return made;
    }
    /// The number of that user's devices that Restante knows. Kamailio answers a REGISTER before it
    /// copies it, so that a registered phone may be unknown here.
    std::size_t devicesKnown(const std::string& user) const
    {
        SipPhone asker({user, kDomain, restante.udp()});
        auto question = asker.registration(kRegistration);
        return asker.ask(question.remove("Contact")).response.all("Contact").size();
    }
    std::string logs()
    {
        return "kamailio:\n" + kamailio.log() + "\nrestanted:\n" + restante.process().allOutput();
    }

    SipTransport transport;
    Kamailio kamailio;
    Daemon restante;

private:
    /// IPv6 has only one loopback address.
    static std::string hostOf(const Settings& settings)
    {
        return settings.overIpv6 ? "::1" : "127.0.0.2";
    }
    static bool isSecure(const Settings& settings)
    {
        return settings.transport == SipTransport::Tls;
    }
    static std::vector<std::string> withProxy(const Settings& settings, const Kamailio& kamailio)
    {
        auto set = settings.set;
        const auto server = kamailio.server(SipPath{settings.transport, settings.overIpv6}).uri();
        set.push_back("sip.proxy=" + server);
        if (settings.hint == Hint::RegEvent) {
            set.push_back("sip.regevent=" + server);
        }
        return set;
    }
    static std::vector<std::string> definesOf(const Settings& settings)
    {
        auto defines = settings.defines;
        if (settings.hint == Hint::RegEvent) {
            defines.emplace_back("WITH_REGEVENT");
        }
        return defines;
    }
};

}  // namespace restante::test
