#include "core/config/config.h"

#include "core/base/address_policy.h"
#include "core/base/network.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace restante {

namespace {
std::string_view environment(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view{} : std::string_view{value};
}

/// A network as an entry of a list has it.
struct WrittenNetwork {
    Network network;
    std::string word;
};

/// The entries that have all of `whole` only together, "0.0.0.0/1, 128.0.0.0/1"; "" when they do
/// not, or when one of them has it alone.
std::string coverOf(const Network& whole, const std::vector<WrittenNetwork>& entries)
{
    std::vector<Network> networks;
    for (const auto& entry : entries) {
        networks.push_back(entry.network);
    }
    const auto cover = whole.coverFrom(networks);
    std::string text;
    for (const auto& part : cover) {
        const auto entry = std::ranges::find(entries, part, &WrittenNetwork::network);
        text += (text.empty() ? "" : ", ") + entry->word;
    }
    return cover.size() > 1 ? text : std::string();
}

/// Adds what of the entries is everybody only together, unless `found` has it.
void addEverybody(const std::vector<WrittenNetwork>& entries, std::vector<std::string>& found)
{
    for (const auto& whole : {Network::allOfIpv4(), Network::publicIpv6()}) {
        auto cover = coverOf(whole, entries);
        if (!cover.empty() && std::ranges::find(found, cover) == found.end()) {
            found.push_back(std::move(cover));
        }
    }
}

/// Whether the peer is believed over this transport.
bool isBelievedOver(TrustedPeer::Transport transport, const TrustedPeer& peer)
{
    using Transport = TrustedPeer::Transport;
    return peer.transport == Transport::Any || peer.transport == transport ||
           (peer.transport == Transport::Tcp && transport == Transport::Tls);
}

ConfigWarning trustWarning(const std::string& what)
{
    return {"sip.trusted",
            what + " everybody: whoever reaches us may send and register in anybody's name",
            "name the addresses of your SIP servers"};
}

ConfigWarning edgeWarning(const std::string& what)
{
    return {"sip.edges", what + " the Path of everybody",
            "name the addresses of your edge proxies"};
}

ConfigWarning contactWarning(const std::string& what)
{
    return {"sip.contacts.allow",
            what + " whoever registers have us connect to everything, this machine included",
            "name the networks of the phones"};
}

void addTrustWarnings(const Config::Sip& sip, std::vector<ConfigWarning>& warnings)
{
    for (const auto& peer : sip.trusted) {
        // Whoever comes over TLS has shown a certificate of our authority then.
        const bool isProved = peer.transport == TrustedPeer::Transport::Tls &&
                              sip.tls.verify == Config::ClientCertificates::Required;
        if (peer.network && peer.network->isEverybody() && !isProved) {
            warnings.push_back(trustWarning(peer.toString() + " trusts"));
        }
    }
    for (const auto& together : trustedPeersThatAreEverybody(sip)) {
        warnings.push_back(trustWarning(together + " together trust"));
    }
}

void addEdgeWarnings(const Config::Sip& sip, std::vector<ConfigWarning>& warnings)
{
    for (const auto& edge : sip.edges) {
        if (edge.isEverybody()) {
            warnings.push_back(edgeWarning(edge.toString() + " believes"));
        }
    }
    for (const auto& together : edgesThatAreEverybody(sip)) {
        warnings.push_back(edgeWarning(together + " together believe"));
    }
}

void addContactWarnings(const Config::Sip& sip, std::vector<ConfigWarning>& warnings)
{
    std::vector<WrittenNetwork> entries;
    for (const auto& word : sip.contacts.allow) {
        const auto network = AddressPolicy::networkOf(word);
        if (network && network->covers(Network::allOfIpv4())) {
            warnings.push_back(contactWarning(word + " lets"));
        } else if (network) {
            entries.push_back({*network, word});
        }
    }
    // Public addresses of IPv6 are open to contacts anyhow.
    if (const auto together = coverOf(Network::allOfIpv4(), entries); !together.empty()) {
        warnings.push_back(contactWarning(together + " together let"));
    }
}
}  // namespace

std::filesystem::path Config::stateDirectory() const
{
    return stateDir.empty() ? defaultStateDirectory() : stateDir;
}

Result<std::string> smsReportUrlOf(const Config& config)
{
    if (config.sms.gateway == Config::SmsGateway::Off ||
        config.sms.deliveryReports == Config::SmsReports::Off) {
        return std::string{};
    }
    if (!config.sms.reportUrl.empty()) {
        auto url = config.sms.reportUrl;
        url.erase(url.find_last_not_of('/') + 1);
        return url;
    }
    const auto& listen = config.http.listen;
    if (!listen || listen->port == 0 || isAnyAddress(listen->host)) {
        return invalid(
            "sms.report_url: is needed for sms.delivery_reports, as http.listen does not say where "
            "the gateway can reach us; write such as http://192.0.2.7:9277");
    }
    if (!config.http.tls.certificate.empty()) {
        return invalid(
            "sms.report_url: is needed for sms.delivery_reports, as http.listen speaks https "
            "(http.tls.certificate), and does not say by which name of the certificate; write "
            "such as https://restante.example.org:9277");
    }
    return "http://" + listen->toString();
}

std::vector<ConfigWarning> trustInEverybody(const Config& config)
{
    const auto& sip = config.sip;
    std::vector<ConfigWarning> warnings;
    if (std::ranges::all_of(sip.listen, [](const auto& at) { return at.address.isLoopback(); })) {
        return warnings;
    }
    addTrustWarnings(sip, warnings);
    addEdgeWarnings(sip, warnings);
    addContactWarnings(sip, warnings);
    return warnings;
}

std::vector<std::string> trustedPeersThatAreEverybody(const Config::Sip& sip)
{
    using Transport = TrustedPeer::Transport;
    std::vector<std::string> found;
    for (const auto transport : {Transport::Udp, Transport::Tcp, Transport::Tls}) {
        if (transport == Transport::Tls && sip.tls.verify == Config::ClientCertificates::Required) {
            continue;  // whoever comes so has shown a certificate of our authority
        }
        std::vector<WrittenNetwork> entries;
        for (const auto& peer : sip.trusted) {
            if (peer.network && !peer.network->isEverybody() && isBelievedOver(transport, peer)) {
                entries.push_back({*peer.network, peer.toString()});
            }
        }
        addEverybody(entries, found);
    }
    return found;
}

std::vector<std::string> edgesThatAreEverybody(const Config::Sip& sip)
{
    std::vector<WrittenNetwork> entries;
    for (const auto& edge : sip.edges) {
        if (!edge.isEverybody()) {
            entries.push_back({edge, edge.toString()});
        }
    }
    std::vector<std::string> found;
    addEverybody(entries, found);
    return found;
}

std::filesystem::path defaultStateDirectory()
{
    // systemd lists several directories with colons; the first is ours.
    if (auto directories = environment("STATE_DIRECTORY"); !directories.empty()) {
        return directories.substr(0, directories.find(':'));
    }
    if (auto stateHome = environment("XDG_STATE_HOME"); !stateHome.empty()) {
        return std::filesystem::path(stateHome) / "restante";
    }
    if (auto home = environment("HOME"); !home.empty()) {
        return std::filesystem::path(home) / ".local/state/restante";
    }
    return "/var/lib/restante";
}

}  // namespace restante
