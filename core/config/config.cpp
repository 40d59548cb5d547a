#include "core/config/config.h"

#include "core/base/address_policy.h"
#include "core/base/network.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace restante {

namespace {
std::string_view environment(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view{} : std::string_view{value};
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
    for (const auto& peer : sip.trusted) {
        // Whoever comes over TLS has shown a certificate of our authority then.
        const bool isProved = peer.transport == TrustedPeer::Transport::Tls &&
                              sip.tls.verify == Config::ClientCertificates::Required;
        if (peer.network && peer.network->isEverybody() && !isProved) {
            warnings.push_back({"sip.trusted",
                                fmt::format("{} trusts everybody: whoever reaches us may send and "
                                            "register in anybody's name",
                                            peer.toString()),
                                "name the addresses of your SIP servers"});
        }
    }
    for (const auto& edge : sip.edges) {
        if (edge.isEverybody()) {
            warnings.push_back({"sip.edges",
                                fmt::format("{} believes the Path of everybody", edge.toString()),
                                "name the addresses of your edge proxies"});
        }
    }
    for (const auto& word : sip.contacts.allow) {
        const auto network = AddressPolicy::networkOf(word);
        if (network && network->covers(Network::allOfIpv4())) {
            warnings.push_back({"sip.contacts.allow",
                                fmt::format("{} lets whoever registers have us connect to "
                                            "everything, this machine included",
                                            word),
                                "name the networks of the phones"});
        }
    }
    return warnings;
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
