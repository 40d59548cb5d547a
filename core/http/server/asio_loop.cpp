#include "core/http/server/asio_loop.h"

#include <utility>
// Boost 1.74's asio uses std::exchange without including it.
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <unordered_map>

namespace restante::http {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// One watched descriptor, which it does not own. Asio tells of readiness once: each direction is
/// asked for again after its handler, as long as it is wanted. Shared with the waits on their way.
class WatchEntry : public std::enable_shared_from_this<WatchEntry> {
public:
    WatchEntry(asio::io_context& context, int fd, EventLoop::WatchHandler handler)
        : descriptor_(context, fd),
          handler_(std::move(handler))
    {
    }

    void want(Readiness wanted)
    {
        wanted_ = wanted;
        wait(Readiness::Readable, asio::posix::descriptor_base::wait_read, reading_);
        wait(Readiness::Writable, asio::posix::descriptor_base::wait_write, writing_);
    }

    void remove() noexcept
    {
        removed_ = true;
        descriptor_.release();
    }

private:
    using Kind = asio::posix::descriptor_base::wait_type;

    void wait(Readiness direction, Kind kind, bool& waiting)
    {
        if (waiting || removed_ || !has(wanted_, direction)) {
            return;
        }
        waiting = true;
        descriptor_.async_wait(kind,
                               [self = shared_from_this(), direction, kind, &waiting](error_code) {
                                   waiting = false;
                                   if (self->removed_ || !has(self->wanted_, direction)) {
                                       return;
                                   }
                                   self->handler_(direction);
                                   self->wait(direction, kind, waiting);
                               });
    }

    asio::posix::stream_descriptor descriptor_;
    EventLoop::WatchHandler handler_;
    Readiness wanted_ = Readiness::None;
    bool reading_ = false;
    bool writing_ = false;
    bool removed_ = false;
};

}  // namespace

class AsioLoop::Impl {
public:
    Impl() = default;
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl()
    {
        // What still waits would close the descriptors, which are not ours.
        for (auto& [id, watch] : watches_) {
            watch->remove();
        }
    }

    WatchId addWatch(int fd, Readiness wanted, WatchHandler handler)
    {
        const auto watch = std::make_shared<WatchEntry>(context_, fd, std::move(handler));
        watches_.emplace(++lastId_, watch);
        watch->want(wanted);
        return lastId_;
    }

    void changeWatch(WatchId id, Readiness wanted)
    {
        if (const auto found = watches_.find(id); found != watches_.end()) {
            found->second->want(wanted);
        }
    }

    void removeWatch(WatchId id) noexcept
    {
        if (const auto found = watches_.find(id); found != watches_.end()) {
            found->second->remove();
            watches_.erase(found);
        }
    }

    TimerId armTimer(Millis after, Task task)
    {
        const TimerId id = ++lastId_;
        auto& timer = timers_.try_emplace(id, context_).first->second;
        timer.expires_after(std::max(after, Millis{0}));
        timer.async_wait([this, id, task = std::move(task)](error_code error) {
            // Erased means cancelled, even when the wait had already ended well.
            if (!error && timers_.erase(id) == 1) {
                task();
            }
        });
        return id;
    }

    void cancelTimer(TimerId id) noexcept { timers_.erase(id); }

    void run()
    {
        while (!stopped_.exchange(false)) {
            turnFor(Millis{60'000});
        }
    }

    void stop() noexcept
    {
        stopped_ = true;
        context_.stop();
    }

    bool runUntil(const std::function<bool()>& reached, Millis timeout)
    {
        const auto end = std::chrono::steady_clock::now() + timeout;
        while (!reached()) {
            const auto left = end - std::chrono::steady_clock::now();
            if (left <= left.zero()) {
                return false;
            }
            turnFor(std::chrono::ceil<Millis>(left), Turns::One);
        }
        return true;
    }

    asio::io_context& context() noexcept { return context_; }

private:
    enum class Turns { One, Many };

    void turnFor(Millis longest, Turns turns = Turns::Many)
    {
        context_.restart();
        if (stopped_) {
            return;  // stop() came between the restart and here
        }
        if (turns == Turns::One) {
            context_.run_one_for(longest);
        } else {
            context_.run_for(longest);
        }
    }

    // One thread turns it; the lock that post() needs stays.
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
    std::uint64_t lastId_ = 0;
    std::unordered_map<WatchId, std::shared_ptr<WatchEntry>> watches_;
    std::unordered_map<TimerId, asio::steady_timer> timers_;
    std::atomic<bool> stopped_{false};
};

AsioLoop::AsioLoop() : impl_(std::make_unique<Impl>()) {}
AsioLoop::~AsioLoop() = default;

EventLoop::WatchId AsioLoop::addWatch(int fd, Readiness wanted, WatchHandler handler)
{
    return impl_->addWatch(fd, wanted, std::move(handler));
}
void AsioLoop::changeWatch(WatchId id, Readiness wanted)
{
    impl_->changeWatch(id, wanted);
}
void AsioLoop::removeWatch(WatchId id) noexcept
{
    impl_->removeWatch(id);
}
EventLoop::TimerId AsioLoop::armTimer(Millis after, Task task)
{
    return impl_->armTimer(after, std::move(task));
}
void AsioLoop::cancelTimer(TimerId id) noexcept
{
    impl_->cancelTimer(id);
}
void AsioLoop::post(Task task)
{
    boost::asio::post(impl_->context(), std::move(task));
}
boost::asio::io_context& AsioLoop::context() noexcept
{
    return impl_->context();
}
void AsioLoop::run()
{
    impl_->run();
}
void AsioLoop::stop() noexcept
{
    impl_->stop();
}
bool AsioLoop::runUntil(const std::function<bool()>& reached, Millis timeout)
{
    return impl_->runUntil(reached, timeout);
}

}  // namespace restante::http
