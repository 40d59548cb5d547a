#pragma once

#include "core/redis/client/connection.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {

/// What a Connection is made of: one server, or a cluster. Its methods are Connection's. *One
/// loop.*
class ConnectionImpl {
public:
    ConnectionImpl() = default;
    ConnectionImpl(const ConnectionImpl&) = delete;
    ConnectionImpl& operator=(const ConnectionImpl&) = delete;
    virtual ~ConnectionImpl() = default;

    virtual void command(const Connection::Args& args, Done<Reply> done) = 0;
    virtual void commandToEach(const Connection::Args& args, Done<std::vector<Reply>> done) = 0;
    virtual void subscribe(std::vector<std::string> channels,
                           Connection::MessageHandler handler) = 0;
    virtual void onReady(std::function<void(bool)> handler) = 0;
    virtual bool ready() const noexcept = 0;
    virtual bool isCluster() const noexcept = 0;
    virtual std::string lastFailure() const = 0;
    virtual std::size_t inFlight() const noexcept = 0;
};

}  // namespace restante::redis
