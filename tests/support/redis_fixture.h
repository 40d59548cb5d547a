#pragma once

#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/redis_server.h"

#include <memory>
#include <string>
#include <vector>

namespace restante::test {

/// A loop, and helpers to use a server through redis::Connection.
class RedisFixture : public LoopFixture {
protected:
    /// A connection to `url`, not yet ready.
    std::unique_ptr<redis::Connection> dial(const redis::RedisUrl& url)
    {
        redis::Connection::Settings settings;
        settings.url = url;
        return std::make_unique<redis::Connection>(loop_, std::move(settings));
    }

    /// A connection to `url` that is ready; fails the test when it does not become so.
    std::unique_ptr<redis::Connection> connect(const redis::RedisUrl& url)
    {
        auto connection = dial(url);
        EXPECT_TRUE(runUntil([&] { return connection->ready(); })) << connection->lastFailure();
        return connection;
    }

    Result<redis::Reply> call(redis::Connection& connection, const std::vector<std::string>& words)
    {
        return await<redis::Reply>([&](Done<redis::Reply> done) {
            connection.command({words.begin(), words.end()}, std::move(done));
        });
    }
};

}  // namespace restante::test
