#pragma once

#include "core/base/clock.h"
#include "sipplugin/message/socket_name.h"

#include <cstddef>
#include <mutex>
#include <netinet/in.h>
#include <optional>
#include <unordered_map>

namespace restante::sip {

/// Counts incoming connections and refuses those beyond the limits. *Any thread.*
class ConnectionLedger {
public:
    struct Limits {
        std::uint32_t total = 20'000;
        std::uint32_t perAddress = 100;  ///< loopback counts only in `total`
        Millis messageTime{30'000};
    };
    enum class Refusal { TooManyInTotal, TooManyPerAddress };

    explicit ConnectionLedger(Limits limits) : limits_(limits) {}

    /// Counts the connection unless it is refused.
    std::optional<Refusal> admit(const SocketName& peer)
    {
        const std::lock_guard lock(mutex_);
        if (count_ >= limits_.total) {
            return Refusal::TooManyInTotal;
        }
        if (const auto source = sourceKeyOf(peer); !source.empty()) {
            auto& countOfSource = sources_[source];
            if (countOfSource >= limits_.perAddress) {
                return Refusal::TooManyPerAddress;
            }
            ++countOfSource;
        }
        ++count_;
        return std::nullopt;
    }
    /// A connection that was admitted has ended.
    void release(const SocketName& peer)
    {
        const std::lock_guard lock(mutex_);
        --count_;
        if (const auto found = sources_.find(sourceKeyOf(peer));
            found != sources_.end() && --found->second == 0) {
            sources_.erase(found);
        }
    }

    std::size_t size() const
    {
        const std::lock_guard lock(mutex_);
        return count_;
    }

private:
    /// The bytes of the address; of IPv6 those of the /64, which is one customer's network. Empty
    /// for 127.0.0.1 and ::1: a proxy on this machine may carry all users.
    static std::string sourceKeyOf(const SocketName& peer)
    {
        const auto& v6 = reinterpret_cast<const sockaddr_in6*>(&peer.storage)->sin6_addr;
        const auto& v4 = reinterpret_cast<const sockaddr_in*>(&peer.storage)->sin_addr;
        const bool isV4 = peer.family() != AF_INET6;
        const bool isOwn = isV4 ? v4.s_addr == htonl(INADDR_LOOPBACK) : IN6_IS_ADDR_LOOPBACK(&v6);
        const auto* bytes = reinterpret_cast<const char*>(isV4 ? &v4.s_addr : v6.s6_addr32);
        return {bytes, isOwn ? 0U : isV4 ? sizeof v4 : 8U};
    }

    const Limits limits_;
    mutable std::mutex mutex_;  ///< guards the rest
    std::size_t count_ = 0;
    std::unordered_map<std::string, std::uint32_t> sources_;
};

}  // namespace restante::sip
