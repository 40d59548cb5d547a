#pragma once

#include "core/base/state_directory.h"
#include "core/config/config.h"
#include "core/redis/server/embedded_server.h"

#include <memory>
#include <optional>

namespace restante::daemon {

/// The state directory, held for this daemon alone, and the Redis of the configuration: the
/// embedded one, started or adopted, or a real one. *One thread.*
class RedisHost {
public:
    static Result<std::unique_ptr<RedisHost>> open(const Config& config);

    redis::RedisUrl url() const;
    /// Null when Redis is somebody else's.
    redis::EmbeddedServer* embedded() noexcept { return embedded_.get(); }

private:
    explicit RedisHost(StateDirectory directory) : directory_(std::move(directory)) {}

    StateDirectory directory_;
    redis::RedisUrl url_;
    std::unique_ptr<redis::EmbeddedServer> embedded_;
};

}  // namespace restante::daemon
