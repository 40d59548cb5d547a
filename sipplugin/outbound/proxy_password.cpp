#include "sipplugin/outbound/proxy_password.h"

#include "core/base/secret_file.h"

#include <utility>

namespace restante::sip {

Result<ProxyCredentials> withPassword(ProxyCredentials login)
{
    if (login.passwordFile.empty()) {
        return login;
    }
    auto password = readSecret("sip.proxy_password_file", login.passwordFile);
    if (!password) {
        return tl::unexpected(password.error());
    }
    login.password = std::move(*password);
    return login;
}

}  // namespace restante::sip
