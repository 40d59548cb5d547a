#include "core/redis/store/commit_notices.h"

#include <utility>

namespace restante::redis {

struct CommitNotices::Listener::State {
    EventLoop& loop;
    OnCommit onCommit;
    /// The tokens that are awaited, under the lock of the notices; true = a call is posted.
    std::map<std::string, bool> awaited = {};
};

CommitNotices& CommitNotices::ofProcess()
{
    // The thread of a database that hangs may outlive main().
    static auto* const notices = new CommitNotices;  // NOLINT(cppcoreguidelines-owning-memory)
    return *notices;
}

void CommitNotices::begin(const std::string& token, StreamId cursor)
{
    const std::lock_guard guard(mutex_);
    cursors_[token] = cursor;
}

void CommitNotices::tell(const std::string& token, StreamId cursor)
{
    const std::lock_guard guard(mutex_);
    const auto known = cursors_.find(token);
    if (known == cursors_.end()) {
        return;
    }
    known->second = cursor;
    for (const auto& listener : listeners_) {
        const auto awaited = listener->awaited.find(token);
        if (awaited == listener->awaited.end() || std::exchange(awaited->second, true)) {
            continue;
        }
        // Under the lock, so that the listener, and with it the loop, is still there.
        listener->loop.post([this, weak = std::weak_ptr(listener), token] {
            const auto alive = weak.lock();
            if (!alive) {
                return;
            }
            StreamId newest;
            {
                const std::lock_guard relock(mutex_);
                const auto posted = alive->awaited.find(token);
                if (posted == alive->awaited.end()) {
                    return;
                }
                posted->second = false;
                const auto committed = cursors_.find(token);
                if (committed == cursors_.end()) {
                    return;
                }
                newest = committed->second;
            }
            alive->onCommit(token, newest);
        });
    }
}

void CommitNotices::end(const std::string& token)
{
    const std::lock_guard guard(mutex_);
    cursors_.erase(token);
}

std::size_t CommitNotices::listeners() const
{
    const std::lock_guard guard(mutex_);
    return listeners_.size();
}

CommitNotices::Listener::Listener(CommitNotices& notices, EventLoop& loop, OnCommit onCommit)
    : notices_(notices),
      state_(std::make_shared<State>(State{loop, std::move(onCommit)}))
{
    const std::lock_guard guard(notices_.mutex_);
    notices_.listeners_.insert(state_);
}

CommitNotices::Listener::~Listener()
{
    const std::lock_guard guard(notices_.mutex_);
    notices_.listeners_.erase(state_);
}

std::optional<StreamId> CommitNotices::Listener::await(const std::string& token)
{
    const std::lock_guard guard(notices_.mutex_);
    state_->awaited.try_emplace(token, false);
    const auto committed = notices_.cursors_.find(token);
    return committed != notices_.cursors_.end() ? std::optional(committed->second) : std::nullopt;
}

void CommitNotices::Listener::stopAwaiting(const std::string& token)
{
    const std::lock_guard guard(notices_.mutex_);
    state_->awaited.erase(token);
}

}  // namespace restante::redis
