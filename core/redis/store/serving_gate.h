#pragma once

#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/store/script_queue.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace restante::redis {

class Connection;
struct Reply;

/// Whether each shard of the store may be served, as docs/journal.md, "Identity", defines it: its
/// recorder has compared it with the journal since the current server was started. While that holds
/// a shard has a token, whose key every script of a gated ScriptQueue names, so that a store that
/// is emptied, exchanged or rolled back refuses them in the same step.
///
/// Polls after each reconnection, when a script was refused, and every second (every 50 ms
/// while a shard is not open). While there is no connection each shard is Unknown. *One loop*;
/// borrows everything.
class ServingGate {
public:
    struct Settings {
        std::string prefix = "rst";
        std::uint32_t shards = 1;
        /// Logs when the store is closed and opened; true for one gate of a process.
        bool logsChanges = false;
    };
    enum class State {
        Unknown,  ///< no connection, no answer on it yet, or the last was an error: refusal()
        Open,
        Closed,  ///< calls to it get Unavailable
    };

    ServingGate(EventLoop& loop, Connection& connection, const Clock& clock, Settings settings);

    State state(std::uint32_t shard) const { return shards_[shard].state; }
    /// The key of the shard's token, KEYS[2] of scripts; empty unless the shard is open.
    const std::string& tokenKey(std::uint32_t shard) const { return shards_[shard].tokenKey; }
    bool allOpen() const;
    /// Ok when all shards are served; otherwise Unavailable says why not, and the progress.
    Result<void> health() const;
    /// The error for calls to a shard that is closed.
    Error closedError(std::uint32_t shard) const;
    /// The error for calls to a shard that is unknown because the last answer on this connection
    /// was an error; none while no answer has come, which calls can wait for.
    const std::optional<Error>& refusal(std::uint32_t shard) const
    {
        return shards_[shard].refusal;
    }

    /// To be called when a script was refused because of its token.
    void onRefused(std::uint32_t shard);
    /// Calls every handler given, later, when the state or token of some shard or the connection
    /// has changed, and after each answer that was an error; they must not outlive the objects that
    /// they use.
    void onChange(std::function<void()> handler) { handlers_.push_back(std::move(handler)); }

private:
    struct Shard {
        std::string prefix;
        std::unique_ptr<ScriptQueue> scripts;  ///< ungated
        State state = State::Unknown;
        std::string tokenKey;
        std::optional<Error> refusal;  ///< the last answer on this connection, if it was an error
        std::string why = "the store has not been asked yet";
        bool asking = false;
        bool isClosedInLog = false;  ///< the log's last word about it is that it is not served
    };
    void onConnectionChange(bool ready);
    void armPoll();
    void askAll();
    void ask(std::uint32_t number);
    void onAnswer(std::uint32_t number, const Result<Reply>& reply);
    void setState(std::uint32_t number, State state, std::string tokenKey);
    void scheduleNotify();

    EventLoop& loop_;
    Connection& connection_;
    bool logsChanges_;
    Timer pollTimer_;
    std::vector<Shard> shards_;
    std::vector<std::function<void()>> handlers_;
    std::uint64_t connectionEpoch_ = 0;  ///< grows with each change of the connection
    bool notifyPosted_ = false;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::redis
