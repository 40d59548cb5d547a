#include "core/base/address_policy.h"
#include "core/config/key_builder.h"

/// Who may speak to us, and whom we speak to because they said so.
namespace restante::builder {

namespace {

codec::Codec<TrustedPeer> trustedPeer()
{
    const auto read = [](std::string_view word) -> std::optional<TrustedPeer> {
        auto peer = TrustedPeer::parse(word);
        return peer ? std::optional{std::move(*peer)} : std::nullopt;
    };
    return {"an address or a network, such as 192.0.2.1, 10.0.0.0/8 or fd00::/8; behind tcp: or "
            "tls:, whoever connects from there; or tls: and a certificate's name, such as "
            "tls:proxy.example.org",
            read, [](const TrustedPeer& peer) { return peer.print(); }};
}

}  // namespace

void addSipPeers(std::vector<ConfigKey>& keys)
{
    keys.push_back(many<TrustedPeer>(
        {"sip.trusted",
         "Who may send requests: SIP servers and phones that are believed. Others must log in\n"
         "(sip.auth), or are answered 403. Over UDP whoever can forge a source address is "
         "believed\n"
         "too: beyond this machine and a closed network, name peers as tcp: or tls:."},
        trustedPeer(), [](auto& c) -> auto& { return c.sip.trusted; }));
    keys.push_back(many<Network>(
        {"sip.edges",
         "Edge proxies in front of us whose Path is believed, although the phones behind them log\n"
         "in here: deliveries go back through them."},
        codec::network(), [](auto& c) -> auto& { return c.sip.edges; }));
    keys.push_back(one<Config::UserCase>(
        {"sip.user_case",
         "Whether sip:Bob@ and sip:bob@ are two people (sensitive, as in RFC 3261 and Kamailio)\n"
         "or one (insensitive). Set it before messages are stored: it decides whose they are."},
        codec::choice<Config::UserCase>({{"sensitive", Config::UserCase::Sensitive},
                                         {"insensitive", Config::UserCase::Insensitive}}),
        [](auto& c) -> auto& { return c.sip.userCase; }));
}

void addSipContacts(std::vector<ConfigKey>& keys)
{
    keys.push_back(many<std::string>(
        {"sip.contacts.allow",
         "Networks or hosts where registered contacts may lie besides public addresses and the\n"
         "address that the REGISTER came from. On this machine's own addresses the port must be\n"
         "that of the REGISTER, too."},
        codec::text("networks or host names, such as 10.0.0.0/8 or phones.example.org",
                    [](std::string_view word) {
                        return AddressPolicy::allowing({std::string(word)}).has_value();
                    }),
        [](auto& c) -> auto& { return c.sip.contacts.allow; }));
}

}  // namespace restante::builder
