#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace restante::redis {
class Connection;
}  // namespace restante::redis

namespace restante::sip {

/// A random text in a field of the store's `meta` hash (docs/redis-schema.md), made by whoever asks
/// first. A store that was lost gets back what a living daemon knows. *One loop.*
class StoreToken {
public:
    /// `bytes` random ones, as twice as many hex digits.
    StoreToken(redis::Connection& connection,
               const std::string& prefix,
               std::string field,
               std::size_t bytes);

    /// Unavailable when Redis cannot store it.
    void read(Done<std::string> done);
    /// `handler` is called each time that Redis can be asked again.
    void onReachable(std::function<void()> handler);

private:
    redis::Connection& connection_;
    std::string key_;
    std::string field_;
    std::size_t bytes_;
    std::shared_ptr<std::string> known_ =
        std::make_shared<std::string>();  ///< answers outlive this
};

}  // namespace restante::sip
