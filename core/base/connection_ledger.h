#pragma once

#include "core/base/network.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace restante {

/// Counts the connections that were accepted and refuses those beyond the limits. *Any thread.*
class ConnectionLedger {
public:
    struct Limits {
        std::size_t total = 20'000;
        /// Of one customerNetworkOf(). 127.0.0.1 and ::1 count only in `total`: a proxy on this
        /// machine may carry all users.
        std::size_t perAddress = 100;
    };
    enum class Refusal { TooManyInTotal, TooManyPerAddress };

    explicit ConnectionLedger(Limits limits) : limits_(limits) {}

    /// Counts the connection from a numeric address unless it is refused.
    std::optional<Refusal> admit(const std::string& address)
    {
        const std::lock_guard lock(mutex_);
        if (count_ >= limits_.total) {
            return Refusal::TooManyInTotal;
        }
        if (!isUsualLoopback(address)) {
            auto& countOfNetwork = countByNetwork_[customerNetworkOf(address)];
            if (countOfNetwork >= limits_.perAddress) {
                return Refusal::TooManyPerAddress;
            }
            ++countOfNetwork;
        }
        ++count_;
        return std::nullopt;
    }
    /// A connection that was admitted has ended.
    void release(const std::string& address)
    {
        const std::lock_guard lock(mutex_);
        --count_;
        if (isUsualLoopback(address)) {
            return;
        }
        if (const auto found = countByNetwork_.find(customerNetworkOf(address));
            found != countByNetwork_.end() && --found->second == 0) {
            countByNetwork_.erase(found);
        }
    }

    std::size_t size() const
    {
        const std::lock_guard lock(mutex_);
        return count_;
    }

private:
    static bool isUsualLoopback(const std::string& address)
    {
        return address == "127.0.0.1" || address == "::1" || address == "::ffff:127.0.0.1";
    }

    const Limits limits_;
    mutable std::mutex mutex_;  ///< guards the rest
    std::size_t count_ = 0;
    std::unordered_map<std::string, std::size_t> countByNetwork_;
};

}  // namespace restante
