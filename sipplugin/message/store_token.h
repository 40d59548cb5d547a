#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace restante::redis {
class Connection;
}  // namespace restante::redis

namespace restante::sip {

/// A random text in a field of the store's `meta` hash (docs/redis-schema.md), created by the first
/// reader. A running daemon writes it back into a store that was lost. *One loop.*
class StoreToken {
public:
    /// The text is `byteCount` random bytes in hex. `knownText` is what a daemon has read already;
    /// empty: nothing.
    StoreToken(redis::Connection& connection,
               const std::string& prefix,
               std::string field,
               std::size_t byteCount,
               std::string knownText = {});

    /// What was read last; empty before that.
    const std::string& knownText() const noexcept { return *knownText_; }

    /// Unavailable when Redis cannot store it, or has something else in its place.
    void read(Done<std::string> done);
    /// `handler` is called each time the connection to Redis becomes ready.
    void onReachable(std::function<void()> handler);

private:
    redis::Connection& connection_;
    std::string key_;
    std::string field_;
    std::size_t byteCount_;
    std::shared_ptr<std::string> knownText_;  ///< answers outlive this
};

}  // namespace restante::sip
