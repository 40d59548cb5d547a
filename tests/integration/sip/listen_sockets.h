#pragma once

#include "core/config/config_codec.h"
#include "sipplugin/message/transport_address.h"

#include <string_view>
#include <utility>
#include <vector>

namespace restante::sip::test {

/// The sockets that an entry of `sip.listen` means.
inline std::vector<TransportAddress> socketsOf(std::string_view entry)
{
    const auto listen = codec::sipListen().read(entry).value();
    std::vector<TransportAddress> sockets;
    for (const auto& [isMeant, transport] :
         {std::pair{listen.udp, Transport::Udp}, std::pair{listen.tcp, Transport::Tcp},
          std::pair{listen.tls, Transport::Tls}}) {
        if (isMeant) {
            sockets.push_back({transport, listen.address.host, listen.address.port});
        }
    }
    return sockets;
}

}  // namespace restante::sip::test
