#include "core/http/server/asio_loop.h"

#include <utility>
// Above, because Boost 1.74's asio uses std::exchange without including <utility>.
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

/// One watched descriptor, which it does not own. Asio reports readiness once, so the wait for each
/// direction is repeated after its handler as long as it is wanted. Shared with the pending waits.
class WatchEntry : public std::enable_shared_from_this<WatchEntry> {
public:
    WatchEntry(asio::io_context& context, int fd, EventLoop::WatchHandler handler)
        : descriptor_(context, fd),
          handler_(std::move(handler))
    {
    }

    void setInterest(Readiness wanted)
    {
        wanted_ = wanted;
        wait(Readiness::Readable, asio::posix::descriptor_base::wait_read, waitsForReadable_);
        wait(Readiness::Writable, asio::posix::descriptor_base::wait_write, waitsForWritable_);
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
    bool waitsForReadable_ = false;
    bool waitsForWritable_ = false;
    bool removed_ = false;
};

}  // namespace

struct AsioLoop::Impl {
    enum class HandlerCount { One, Many };

    void runFor(Millis longest, HandlerCount handlers)
    {
        context.restart();
        if (stopped) {
            return;  // the restart has undone what stop() did to the context
        }
        if (handlers == HandlerCount::One) {
            context.run_one_for(longest);
        } else {
            context.run_for(longest);
        }
    }

    // One thread runs it; the lock that post() needs remains.
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    std::uint64_t lastId = 0;
    std::unordered_map<WatchId, std::shared_ptr<WatchEntry>> watches;
    std::unordered_map<TimerId, asio::steady_timer> timers;
    std::atomic<bool> stopped{false};
};

AsioLoop::AsioLoop() : impl_(std::make_unique<Impl>()) {}

AsioLoop::~AsioLoop()
{
    // The pending waits would otherwise close the descriptors, which are not ours.
    for (auto& [id, watch] : impl_->watches) {
        watch->remove();
    }
}

EventLoop::WatchId AsioLoop::addWatch(int fd, Readiness wanted, WatchHandler handler)
{
    const auto watch = std::make_shared<WatchEntry>(impl_->context, fd, std::move(handler));
    impl_->watches.emplace(++impl_->lastId, watch);
    watch->setInterest(wanted);
    return impl_->lastId;
}

void AsioLoop::changeWatch(WatchId id, Readiness wanted)
{
    if (const auto found = impl_->watches.find(id); found != impl_->watches.end()) {
        found->second->setInterest(wanted);
    }
}

void AsioLoop::removeWatch(WatchId id) noexcept
{
    if (const auto found = impl_->watches.find(id); found != impl_->watches.end()) {
        found->second->remove();
        impl_->watches.erase(found);
    }
}

EventLoop::TimerId AsioLoop::armTimer(Millis after, Task task)
{
    const TimerId id = ++impl_->lastId;
    auto& timer = impl_->timers.try_emplace(id, impl_->context).first->second;
    timer.expires_after(std::max(after, Millis{0}));
    timer.async_wait([this, id, task = std::move(task)](error_code error) {
        // Erased means cancelled, even when the wait had already ended well.
        if (!error && impl_->timers.erase(id) == 1) {
            task();
        }
    });
    return id;
}

void AsioLoop::cancelTimer(TimerId id) noexcept
{
    impl_->timers.erase(id);
}

void AsioLoop::post(Task task)
{
    asio::post(impl_->context, std::move(task));
}

boost::asio::io_context& AsioLoop::context() noexcept
{
    return impl_->context;
}

void AsioLoop::run()
{
    while (!impl_->stopped.exchange(false)) {
        impl_->runFor(Millis{60'000}, Impl::HandlerCount::Many);
    }
}

void AsioLoop::stop() noexcept
{
    impl_->stopped = true;
    impl_->context.stop();
}

bool AsioLoop::runUntil(const std::function<bool()>& reached, Millis timeout)
{
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!reached()) {
        const auto remaining = deadline - std::chrono::steady_clock::now();
        if (remaining <= remaining.zero()) {
            return false;
        }
        impl_->runFor(std::chrono::ceil<Millis>(remaining), Impl::HandlerCount::One);
    }
    return true;
}

}  // namespace restante::http
