#pragma once

#include "core/base/event_loop.h"
#include "core/redis/store/stream_id.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace restante::redis {

/// What the recorders of this process have committed, told to those who wait for it in this
/// process: at once, and not by way of Redis. Shards are named by the tokens under which they are
/// served, which are never used twice. *Any thread.*
class CommitNotices {
public:
    /// Of the store of this process. It is never destroyed: a commit may end after main().
    static CommitNotices& ofProcess();

    /// A recorder of this process serves a shard under this token, and has committed everything up
    /// to `cursor`: what was told before does not count any more.
    void begin(const std::string& token, StreamId cursor);
    /// Everything up to `cursor` is committed. Says nothing of a token that has not begun, or has
    /// ended.
    void tell(const std::string& token, StreamId cursor);
    /// The shard is not served under this token any more. Who still waits under it is not told.
    void end(const std::string& token);

    /// Who waits on one loop. *One loop*, which outlives it; so do the notices.
    class Listener {
    public:
        using OnCommit = std::function<void(const std::string& token, StreamId cursor)>;
        /// `onCommit` is called in a later turn of `loop`, with the newest cursor by then, for
        /// tokens that are awaited.
        Listener(CommitNotices& notices, EventLoop& loop, OnCommit onCommit);
        ~Listener();
        Listener(const Listener&) = delete;
        Listener& operator=(const Listener&) = delete;

        /// What has been committed so far; none = no recorder of this process serves under this
        /// token. Whatever is told later comes to `onCommit`, until stopAwaiting().
        std::optional<StreamId> await(const std::string& token);
        void stopAwaiting(const std::string& token);

    private:
        friend class CommitNotices;
        struct State;
        CommitNotices& notices_;
        std::shared_ptr<State> state_;
    };
    /// How many there are. Each belongs to a CommitWatch, which subscribes in Redis, too: when
    /// Redis has told more than that, somebody waits in another process.
    std::size_t listeners() const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, StreamId> cursors_;  ///< by token
    std::set<std::shared_ptr<Listener::State>> listeners_;
};

}  // namespace restante::redis
