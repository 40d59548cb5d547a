#include "sipplugin/trace/network_bytes.h"

#include <arpa/inet.h>

namespace restante::sip {

std::string addressBytes(const std::string& host)
{
    std::string bytes(sizeof(in6_addr), '\0');
    if (inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1) {
        return bytes;
    }
    bytes.assign(sizeof(in_addr), '\0');
    inet_pton(AF_INET, host.c_str(), bytes.data());
    return bytes;
}

std::string asIpv6(const std::string& bytes)
{
    return bytes.size() == sizeof(in6_addr) ? bytes : std::string(10, '\0') + "\xff\xff" + bytes;
}

}  // namespace restante::sip
