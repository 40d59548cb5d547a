#pragma once

#include "core/base/callback_guard.h"
#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"
#include "core/redis/store/script_queue.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace restante::redis {

class Connection;
struct Reply;

/// Whether each shard of the store may be served, as docs/journal.md, "Identity", defines it: its
/// recorder has compared it with the journal since the server that answers now was started. While
/// that holds a shard has a token, whose key every script of a gated ScriptQueue names, so that a
/// store that is emptied, exchanged or rolled back refuses them in the same step.
///
/// Asks again after each reconnection, when a script was refused, and every second (every 50 ms
/// while a shard is not open). While there is no connection each shard is Unknown. *One loop*;
/// borrows everything.
class ServingGate {
public:
    struct Settings {
        std::string prefix = "rst";
        std::uint32_t shards = 1;
        /// Logs that the store is closed and opened; one gate of a process does.
        bool reports = false;
    };
    enum class State {
        Unknown,  ///< not asked yet on this connection
        Open,
        Closed,  ///< whoever wants something from it gets Unavailable
    };

    ServingGate(EventLoop& loop, Connection& connection, const Clock& clock, Settings settings);

    State state(std::uint32_t shard) const { return shards_[shard].state; }
    /// What scripts name as KEYS[2]; empty unless the shard is open.
    const std::string& key(std::uint32_t shard) const { return shards_[shard].key; }
    bool allOpen() const;
    /// Ok when all shards are served; otherwise Unavailable says what is going on, and how far.
    Result<void> health() const;
    /// What those get who ask a shard that is closed.
    Error closedError(std::uint32_t shard) const;

    /// A script was refused because of its token.
    void refused(std::uint32_t shard);
    /// Every handler given is told, later, that the state or token of some shard has changed; they
    /// must not outlive what they refer to.
    void onChange(std::function<void()> handler) { handlers_.push_back(std::move(handler)); }

private:
    struct Shard {
        std::string prefix;
        std::unique_ptr<ScriptQueue> scripts;  ///< ungated
        State state = State::Unknown;
        std::string key;
        std::string why = "the store has not been asked yet";
        bool asking = false;
    };
    void connectionChanged(bool ready);
    void arm();
    void askAll();
    void ask(std::uint32_t number);
    void answered(std::uint32_t number, const Result<Reply>& reply);
    void change(std::uint32_t number, State state, std::string key);
    void tell();

    EventLoop& loop_;
    Connection& connection_;
    bool reports_;
    Timer look_;
    std::vector<Shard> shards_;
    std::vector<std::function<void()>> handlers_;
    std::uint64_t epoch_ = 0;  ///< of the connection
    bool telling_ = false;
    CallbackGuard callbackGuard_;
};

}  // namespace restante::redis
