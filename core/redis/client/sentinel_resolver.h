#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/client/command_pipeline.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/stream_dialer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace restante::redis {

/// Asks the sentinels of a URL, one after the other, where their master is. Calls `done` once,
/// later, unless it is destroyed before: with the first answer, or with Unavailable, whose message
/// has what each of them said or did. A sentinel has a second for its answer. One that wants a
/// password gets that of the URL's sentinels, or if there is none, that of its Redis. *One loop.*
class SentinelResolver {
public:
    struct Found {
        std::string host;
        std::uint16_t port = 0;
        std::size_t sentinel = 0;  ///< who knew it
    };

    /// Begins with the sentinel `first`.
    SentinelResolver(EventLoop& loop, const RedisUrl& url, std::size_t first, Done<Found> done);
    SentinelResolver(const SentinelResolver&) = delete;
    SentinelResolver& operator=(const SentinelResolver&) = delete;

private:
    enum class LogIn { NotYet, Tried };

    std::size_t current() const noexcept;
    void askNext();
    void talk(ByteStream stream);
    void logIn(const std::string& user, const std::string& password);
    void askForMaster(LogIn logIn);
    void handle(const Reply& answer);
    void refused(const Error& why, LogIn logIn);
    void passOn(const std::string& why);

    EventLoop& loop_;
    const RedisUrl url_;
    const std::size_t first_;
    std::size_t asked_ = 0;
    std::string reasons_;  ///< why those that were asked are of no use
    Done<Found> done_;
    Timer timeout_;
    std::unique_ptr<StreamDialer> dialer_;
    std::unique_ptr<CommandPipeline> pipeline_;
};

/// "no sentinel of a:26379, b:26379 knows master "x" (a:26379: Connection refused; ...)".
std::string printNoMaster(const RedisUrl& url, const std::string& reasons);

}  // namespace restante::redis
