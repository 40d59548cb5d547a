#include "core/delivery/sms/gateway.h"

#include "core/delivery/sms/gateways.h"

#include <fmt/format.h>
#include <fstream>

namespace restante::sms {

namespace {
Result<std::string> passwordOf(const Config::Sms& config)
{
    if (config.passwordFile.empty()) {
        return std::string{};
    }
    std::ifstream file(config.passwordFile);
    std::string line;
    if (!std::getline(file, line)) {
        return failure(ErrorCode::Invalid,
                       fmt::format("sms.password_file: cannot read a line from {}; is it there, "
                                   "and may restanted read it?",
                                   config.passwordFile.string()));
    }
    line.erase(line.find_last_not_of("\r ") + 1);
    return line;
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
