#include "tests/support/sip_path.h"

#include "core/base/file_descriptor.h"

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>

namespace restante::test {

namespace {

bool hasIpv6()
{
    const FileDescriptor fd{::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_loopback;
    return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

void skip()
{
    GTEST_SKIP() << "this machine has no IPv6 loopback address (::1)";
}

}  // namespace

bool skipsWithout(const SipPath& path)
{
    const bool missing = path.overIpv6 && !hasIpv6();
    if (missing) {
        skip();
    }
    return missing;
}

}  // namespace restante::test
