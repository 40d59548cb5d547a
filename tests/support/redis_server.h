#pragma once

#include "core/redis/client/redis_url.h"
#include "core/redis/client/reply.h"
#include "tests/support/temp_dir.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace restante::test {

/// A private redis-server on a unix socket in a directory of its own; killed by the destructor, or
/// by the kernel if the test itself dies. Throws when the server does not start. *One thread.*
class RedisServer {
public:
    enum class AppendOnly { No, Yes };
    struct Settings {
        AppendOnly appendOnly = AppendOnly::No;
        bool tcp = false;                ///< also listen on 127.0.0.1:port()
        std::vector<std::string> extra;  ///< e.g. {"--requirepass", "x"}
        std::string password;            ///< that send() authenticates with
        TempDir::Where where = TempDir::Where::Memory;
    };

    RedisServer() : RedisServer(Settings{}) {}
    explicit RedisServer(Settings settings);
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;
    ~RedisServer();

    redis::RedisUrl url() const;     ///< of the unix socket, without user and password
    redis::RedisUrl tcpUrl() const;  ///< needs Settings::tcp
    std::string socketPath() const { return directory_ / "r.sock"; }
    pid_t processId() const noexcept { return process_; }

    void kill9();    ///< SIGKILL, and waits for the end
    void restart();  ///< after kill9(), or ends it first; waits until it answers
    /// As restart(), but does not wait: it may still be loading its data.
    void launch();
    void pause();   ///< SIGSTOP
    void resume();  ///< SIGCONT

    /// One command over a connection of its own. An error reply throws std::runtime_error with its
    /// text, and so does a server that cannot be reached.
    redis::Reply send(const std::vector<std::string>& command) const;

private:
    bool hasEnded();
    bool answers() const;

    TempDir directory_;
    Settings settings_;
    std::uint16_t port_ = 0;
    pid_t process_ = -1;
};

/// The server that all tests of a binary share, emptied (data, functions, scripts) by each call.
/// Append-only is off: a test that needs more starts a RedisServer of its own.
RedisServer& sharedRedis();

}  // namespace restante::test
