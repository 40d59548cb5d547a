#include "core/delivery/sms/gateway.h"

#include "core/base/secret_file.h"
#include "core/delivery/sms/gateways.h"

namespace restante::sms {

namespace {
Result<std::string> passwordOf(const Config::Sms& config)
{
    if (config.passwordFile.empty()) {
        return std::string{};
    }
    return readSecret("sms.password_file", config.passwordFile);
}
}  // namespace

Result<std::unique_ptr<Gateway>> gatewayOf(const Config::Sms& config)
{
    if (config.gateway == Config::SmsGateway::Off) {
        return nullptr;
    }
    if (config.url.empty()) {
        return failure(ErrorCode::Invalid, "sms.url: is needed when sms.gateway is set; write the "
                                           "URL of the gateway");
    }
    auto password = passwordOf(config);
    if (!password) {
        return tl::unexpected(std::move(password.error()));
    }
    if (config.gateway == Config::SmsGateway::Kannel) {
        if (config.url.find_first_of("{}") != std::string::npos) {
            return failure(ErrorCode::Invalid,
                           "sms.url: has no placeholders when sms.gateway is kannel; write "
                           "http://HOST:PORT/cgi-bin/sendsms");
        }
        return kannelGateway(config, std::move(*password));
    }
    return templateGateway(config, std::move(*password));
}

}  // namespace restante::sms
