#pragma once

#include "core/base/file_descriptor.h"
#include "sipplugin/connection_ledger.h"
#include "sipplugin/sip_settings.h"
#include "sipplugin/sofia/su_loop.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

struct sockaddr;

namespace restante::sip {

/// Keeps the connections that are made to our sockets within the limits of a ConnectionLedger.
///
/// sofia accepts whatever comes and tells nobody, and its time for the rest of a message begins
/// again with each byte. So this looks at the process's own descriptors: shortly after somebody has
/// connected, and every ConnectionLedger::kWindow while anybody is connected; never when nobody is.
/// What is one too many is shut down, which sofia and OpenSSL take for the peer's end. *One loop.*
class ConnectionWarden {
public:
    /// `limits.inAll` is lowered to what the process may open.
    ConnectionWarden(SuLoop& loop,
                     const std::vector<ListenAddress>& listening,
                     ConnectionLedger::Limits limits);

    /// A whole message has come over a connection with that peer.
    void completed(const sockaddr& peer);
    bool hasConnections() const noexcept { return ledger_.size() > 0; }

private:
    void watchAccepts(const ListenAddress& address);
    void lookSoon();
    void look();
    void lookAtFlow();
    std::vector<ConnectionLedger::Sighting> connections() const;
    void cut(const std::vector<ConnectionLedger::Verdict>& verdicts);

    SuLoop& loop_;
    ConnectionLedger ledger_;
    std::unordered_set<std::uint16_t> ports_;
    Timer soon_;
    Timer window_;
    Millis pause_;
    std::size_t silent_ = 0;  ///< closed since the last line of the log
    std::chrono::steady_clock::time_point nextLine_{};
    std::vector<FileDescriptor> listeners_;  ///< second descriptors of sofia's sockets
    std::vector<Watch> accepts_;
};

}  // namespace restante::sip
