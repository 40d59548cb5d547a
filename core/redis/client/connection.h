#pragma once

#include "core/base/event_loop.h"
#include "core/base/result.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace restante::redis {

class ConnectionImpl;
struct Reply;

/// One asynchronous, pipelining connection on a loop. *One loop.*
///
/// Connects at once, authenticates (`AUTH [user] password`), SELECTs, and reconnects for ever with
/// back-off (50 ms doubling to 1 s, so that a Redis that is back serves again within 2 s). A
/// command that is sent without a ready connection fails at once with the reason of the last
/// attempt (Unavailable; Denied when the password was refused); one that is in flight when the
/// connection breaks or that is not answered within `timeout` (ten times that while the bytes of a
/// long answer keep coming) fails with Unavailable, and a time-out breaks the connection (its later
/// replies could be taken for others'). A refusal by Redis becomes its ErrorCode: OOM Full;
/// READONLY, MISCONF ReadOnly; LOADING Loading; BUSY, NOREPLICAS Busy; NOAUTH, WRONGPASS, NOPERM
/// Denied; what another node or a later try would take (MASTERDOWN, CLUSTERDOWN, MOVED, ASK,
/// CROSSSLOT, TRYAGAIN, NOTSERVING) Unavailable; anything else Internal. The message begins with
/// Redis' own word, e.g. "NOSCRIPT", which is Error::remoteCode, too. An array that holds an error
/// is a refusal as a whole.
///
/// When its URL names nodes of a Redis Cluster it stands for all its masters
/// (connection_impl.h). A command then goes to the master of its keys' slot, waits for a moment
/// while the cluster rearranges itself, and names keys of one slot only; one without keys goes to
/// the master that has shard 0, so that all agree on the time.
///
/// Any callback may destroy it.
class Connection {
public:
    struct Settings;  ///< connection_settings.h
    using Args = std::vector<std::string_view>;

    Connection(EventLoop& loop, Settings settings);
    /// Commands still in flight are answered with Unavailable before it returns, and what these
    /// answers send is rejected. When an answer destroys it, those that failed together with that
    /// command are answered only afterwards.
    ~Connection();

    /// Sends one command; the bytes are copied before it returns. `done` is called exactly once,
    /// later.
    void command(const Args& args, Done<Reply> done);

    /// Sends one command, without keys, to the server, or to all masters of the cluster. Answers
    /// with all replies, or with the first error, which names the node.
    void commandToEach(const Args& args, Done<std::vector<Reply>> done);

    /// Calls `handler` for each message of `channels` from now on, across reconnections. A
    /// connection that subscribes takes no other commands. Called once.
    using MessageHandler = std::function<void(std::string_view channel, std::string_view payload)>;
    void subscribe(std::vector<std::string> channels, MessageHandler handler);

    /// Every handler given is called for every change: true once the connection is ready for
    /// commands (and subscribed), false when it is lost.
    void onReady(std::function<void(bool ready)> handler);
    bool ready() const noexcept;
    /// Whether a command may name keys of one slot only.
    bool isCluster() const noexcept;
    /// Why it is not ready, "" when it is: "redis unix:///run/r.sock: connect: No such file".
    std::string lastFailure() const;
    /// What a command gets that cannot be sent, as it is not ready.
    Error refusal() const;
    std::size_t inFlight() const noexcept;

private:
    std::unique_ptr<ConnectionImpl> impl_;
};

}  // namespace restante::redis
