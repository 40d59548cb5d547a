#include "core/redis/store/commit_notices.h"

#include <utility>

namespace restante::redis {

struct CommitNotices::Listener::Ear {
    EventLoop& loop;
    OnCommit onCommit;
    /// The tokens that are waited for, under the lock of the notices; true = a call is posted.
    std::map<std::string, bool> awaited = {};
};

CommitNotices& CommitNotices::ofProcess()
{
    static CommitNotices notices;
    return notices;
}

void CommitNotices::tell(const std::string& token, StreamId cursor)
{
    const std::lock_guard guard(mutex_);
    cursors_[token] = cursor;
    for (const auto& ear : ears_) {
        const auto awaited = ear->awaited.find(token);
        if (awaited == ear->awaited.end() || std::exchange(awaited->second, true)) {
            continue;
        }
        // Under the lock, so that the listener, and with it the loop, is still there.
        ear->loop.post([this, weak = std::weak_ptr(ear), token] {
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

void CommitNotices::forget(const std::string& token)
{
    const std::lock_guard guard(mutex_);
    cursors_.erase(token);
}

std::size_t CommitNotices::listeners() const
{
    const std::lock_guard guard(mutex_);
    return ears_.size();
}

CommitNotices::Listener::Listener(CommitNotices& notices, EventLoop& loop, OnCommit onCommit)
    : notices_(notices),
      ear_(std::make_shared<Ear>(Ear{loop, std::move(onCommit)}))
{
    const std::lock_guard guard(notices_.mutex_);
    notices_.ears_.insert(ear_);
}

CommitNotices::Listener::~Listener()
{
    const std::lock_guard guard(notices_.mutex_);
    notices_.ears_.erase(ear_);
}

std::optional<StreamId> CommitNotices::Listener::await(const std::string& token)
{
    const std::lock_guard guard(notices_.mutex_);
    ear_->awaited.try_emplace(token, false);
    const auto committed = notices_.cursors_.find(token);
    return committed != notices_.cursors_.end() ? std::optional(committed->second) : std::nullopt;
}

void CommitNotices::Listener::ignore(const std::string& token)
{
    const std::lock_guard guard(notices_.mutex_);
    ear_->awaited.erase(token);
}

}  // namespace restante::redis
