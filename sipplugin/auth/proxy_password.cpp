#include "sipplugin/auth/proxy_password.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>

namespace restante::sip {

Result<ProxyLogin> withPassword(ProxyLogin login)
{
    if (login.passwordFile.empty()) {
        return login;
    }
    const auto file = login.passwordFile.string();
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) {
        return failure(ErrorCode::Invalid, fmt::format("cannot read sip.proxy_password_file {}: {}",
                                                       file, std::strerror(errno)));
    }
    if ((status.st_mode & S_IRWXO) != 0) {
        return failure(ErrorCode::Invalid,
                       fmt::format("sip.proxy_password_file {0} can be read by everybody; chmod "
                                   "640 {0}",
                                   file));
    }
    std::ifstream stream(file, std::ios::binary);
    std::getline(stream, login.password);
    if (login.password.ends_with('\r')) {
        login.password.pop_back();
    }
    if (login.password.empty()) {
        return failure(
            ErrorCode::Invalid,
            fmt::format("the first line of sip.proxy_password_file {} is no password", file));
    }
    return login;
}

}  // namespace restante::sip
