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
/// served, which are never used twice, so all stores of a process may share one. *Any thread.*
class CommitNotices {
public:
    static CommitNotices& ofProcess();

    /// Everything up to `cursor` in the stream of the shard that is served under `token` is
    /// committed.
    void tell(const std::string& token, StreamId cursor);
    /// The shard is not served under this token any more.
    void forget(const std::string& token);

    /// Who waits on one loop. *One loop*, which outlives it; so do the notices.
    class Listener {
    public:
        using OnCommit = std::function<void(const std::string& token, StreamId cursor)>;
        /// `onCommit` is called in a later turn of `loop`, with the newest cursor by then, for
        /// tokens that are waited for.
        Listener(CommitNotices& notices, EventLoop& loop, OnCommit onCommit);
        ~Listener();
        Listener(const Listener&) = delete;
        Listener& operator=(const Listener&) = delete;

        /// What has been committed so far; none = nothing in this process. Whatever is told later
        /// comes to `onCommit`, until ignore().
        std::optional<StreamId> await(const std::string& token);
        void ignore(const std::string& token);

    private:
        friend class CommitNotices;
        struct Ear;
        CommitNotices& notices_;
        std::shared_ptr<Ear> ear_;
    };
    std::size_t listeners() const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, StreamId> cursors_;
    std::set<std::shared_ptr<Listener::Ear>> ears_;
};

}  // namespace restante::redis
