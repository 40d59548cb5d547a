#include "core/config/config.h"

#include "core/base/network.h"

#include <cstdlib>
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
