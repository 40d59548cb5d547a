#pragma once

#include "tests/support/daemon.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/kamailio.h"

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
    };

    explicit KamailioPair(const Settings& settings)
        : transport(settings.transport),
          restante({withProxy(settings, kamailio), kRestante})
    {
        kamailio.start({kDomain, "sip:" + restante.udp().hostPort() + parameterOf(transport),
                        kRestante, definesOf(settings)});
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
    std::string logs()
    {
        return "kamailio:\n" + kamailio.log() + "\nrestanted:\n" + restante.process().everything();
    }

    SipTransport transport;
    Kamailio kamailio;
    Daemon restante;

private:
    static constexpr auto kRestante = "127.0.0.2";

    static std::string parameterOf(SipTransport transport)
    {
        return transport == SipTransport::Tcp ? ";transport=tcp" : "";
    }
    static std::vector<std::string> withProxy(const Settings& settings, const Kamailio& kamailio)
    {
        auto set = settings.set;
        const auto server = "sip:" + kamailio.udp().hostPort() + parameterOf(settings.transport);
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
