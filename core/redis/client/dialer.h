#pragma once

#include "core/base/event_loop.h"
#include "core/base/file_descriptor.h"
#include "core/base/result.h"
#include "core/redis/client/redis_url.h"

#include <memory>

namespace restante::redis {

/// Opens one socket to a Redis without ever blocking the loop: a host name is resolved on a thread,
/// its addresses are tried in turn. Calls `done` once, later, unless it is destroyed before. It has
/// no time-out: the caller destroys it. *One loop.*
class Dialer {
public:
    Dialer(EventLoop& loop, const RedisUrl& url, Done<FileDescriptor> done);
    Dialer(const Dialer&) = delete;
    Dialer& operator=(const Dialer&) = delete;
    ~Dialer();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace restante::redis
