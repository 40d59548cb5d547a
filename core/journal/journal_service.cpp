#include "core/journal/journal_service.h"

#include "core/base/epoll_loop.h"
#include "core/base/log.h"
#include "core/journal/journal_worker.h"
#include "core/journal/loop_relay.h"

#include <array>
#include <fmt/format.h>
#include <future>
#include <thread>
#include <unistd.h>

namespace restante::journal {

namespace {
/// For the last words to Redis.
constexpr Millis kStopping{3'000};
}  // namespace

std::string processName()
{
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    return fmt::format("{}/{}", host.data(), ::getpid());
}

class JournalService::Impl {
public:
    explicit Impl(Settings settings) : thread_([this, set = std::move(settings)] { run(set); })
    {
        started_.get_future().wait();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl()
    {
        loop_.post([this] {
            if (worker_) {
                worker_->stop([this] { loop_.stop(); });
                timeout_.arm(kStopping, [this] { loop_.stop(); });
            } else {
                loop_.stop();
            }
        });
        thread_.join();
    }

    template <class Task>
    void onThread(Task task)
    {
        loop_.post([this, task = std::move(task)] {
            if (worker_) {
                task(*worker_);
            }
        });
    }
    LoopRelay& relay() noexcept { return relay_; }

private:
    void run(const Settings& settings)
    {
        try {
            worker_ = std::make_unique<JournalWorker>(loop_, settings);
        } catch (const std::exception& problem) {
            log::error("journal", "cannot begin: {}", problem.what());
        }
        started_.set_value();
        loop_.run();
        worker_.reset();
    }

    LoopRelay relay_;
    std::promise<void> started_;
    EpollLoop loop_;
    Timer timeout_{loop_};
    std::unique_ptr<JournalWorker> worker_;  // of the thread alone
    std::thread thread_;
};

JournalService::JournalService(Settings settings)
    : impl_(std::make_unique<Impl>(std::move(settings)))
{
}

JournalService::~JournalService() = default;

void JournalService::open(EventLoop& loop, Done<void> done)
{
    impl_->onThread([done = impl_->relay().to<void>(loop, std::move(done))](JournalWorker& worker) {
        worker.open(done);
    });
}

void JournalService::history(EventLoop& loop, std::string id, Done<std::vector<HistoryRow>> done)
{
    impl_->onThread([id = std::move(id),
                     done = impl_->relay().to<std::vector<HistoryRow>>(loop, std::move(done))](
                        JournalWorker& worker) { worker.history(id, done); });
}

void JournalService::recover(EventLoop& loop, RecoverRequest request, Done<RecoverOutcome> done)
{
    impl_->onThread([request = std::move(request),
                     done = impl_->relay().to<RecoverOutcome>(loop, std::move(done))](
                        JournalWorker& worker) { worker.recover(request, done); });
}

void JournalService::leave(EventLoop& loop)
{
    impl_->relay().close(loop);
}

}  // namespace restante::journal
