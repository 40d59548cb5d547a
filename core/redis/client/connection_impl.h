#pragma once

#include "core/base/callback_guard.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/client/reply.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::redis {

/// The implementation of a Connection: to one server, or to a cluster. Its methods are
/// Connection's. *One loop.*
class ConnectionImpl {
public:
    virtual ~ConnectionImpl() = default;

    virtual void command(const Connection::Args& args, Done<Reply> done) = 0;
    virtual void commandToEach(const Connection::Args& args, Done<std::vector<Reply>> done) = 0;
    virtual void subscribe(std::vector<std::string> channels,
                           Connection::MessageHandler handler) = 0;
    virtual bool isCluster() const noexcept = 0;
    virtual std::string lastFailure() const = 0;
    virtual Error refusal() const = 0;
    virtual std::size_t inFlight() const noexcept = 0;

    void onReady(std::function<void(bool)> handler) { onReady_.push_back(std::move(handler)); }
    bool ready() const noexcept { return ready_; }

protected:
    ConnectionImpl(EventLoop& loop, Connection::Settings settings);

    /// "redis redis://h:6379: <what>".
    std::string withTarget(std::string_view what) const;
    /// Answers `done` with `why` in a later turn.
    void reject(Done<Reply> done, Error why);
    std::size_t rejectedCount() const noexcept { return rejected_.size(); }
    /// The error of commands while the last attempt to connect has failed with `lastFailure`; with
    /// an empty one, while no attempt has ended.
    Error whyNotReady(const Error& lastFailure) const;
    /// Calls every handler of onReady(); one of them may destroy this.
    void notifyReady(bool ready);
    /// Called last by the destructors of derived classes.
    void answerRejectedNow();

    EventLoop& loop_;
    const Connection::Settings settings_;
    const std::string target_;
    bool ready_ = false;
    /// Expires with this, so that a method sees that a callback has destroyed it.
    CallbackGuard callbackGuard_;

private:
    void answerRejected();

    std::vector<std::function<void(bool)>> onReady_;
    std::vector<std::pair<Done<Reply>, Error>> rejected_;
    Timer rejectionTimer_;
};

/// The masters of a Redis Cluster as one Connection. Each command goes to the master of its slot,
/// over one connection to each master that is dialled when it is needed for the first time.
///
/// Commands of one slot are executed in the order in which they were given, also when the slot
/// moves: redirected commands are sent again first, once those in flight for the slot have been
/// answered. MOVED is followed; so is ASK (ASKING and the command together), but not for
/// scripts: they touch keys that they do not name, and these are in two places until the slot has
/// moved, so they wait for that. TRYAGAIN, CLUSTERDOWN and a master that cannot be reached are
/// waited for, too. All this until the time of the command is over; then it fails with Unavailable.
/// A command that was sent when its connection broke is not repeated: it may have been executed.
///
/// A script that a master does not know is loaded there, once SCRIPT LOAD has brought it.
///
/// It is ready while the master that has shard 0 is. It subscribes at any master, and at the next
/// one when that one is lost or has left the cluster: a message that is published anywhere reaches
/// all nodes of the cluster.
std::unique_ptr<ConnectionImpl> makeClusterConnection(EventLoop& loop,
                                                      Connection::Settings settings);

}  // namespace restante::redis
