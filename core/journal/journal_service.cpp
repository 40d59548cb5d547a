#include "core/journal/journal_service.h"

#include "core/base/epoll_loop.h"
#include "core/base/log.h"
#include "core/journal/answer_gate.h"
#include "core/journal/journal_keeper.h"

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
            if (keeper_) {
                keeper_->stop([this] { loop_.stop(); });
                patience_.arm(kStopping, [this] { loop_.stop(); });
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
            if (keeper_) {
                task(*keeper_);
            }
        });
    }
    AnswerGate& gate() noexcept { return gate_; }

private:
    void run(const Settings& settings)
    {
        try {
            keeper_ = std::make_unique<JournalKeeper>(loop_, settings);
        } catch (const std::exception& problem) {
            log::error("journal", "cannot begin: {}", problem.what());
        }
        started_.set_value();
        loop_.run();
        keeper_.reset();
    }

    AnswerGate gate_;
    std::promise<void> started_;
    EpollLoop loop_;
    Timer patience_{loop_};
    std::unique_ptr<JournalKeeper> keeper_;  // of the thread alone
    std::thread thread_;
};

JournalService::JournalService(Settings settings)
    : impl_(std::make_unique<Impl>(std::move(settings)))
{
}

JournalService::~JournalService() = default;

void JournalService::open(EventLoop& loop, Done<void> done)
{
    impl_->onThread([done = impl_->gate().to<void>(loop, std::move(done))](JournalKeeper& keeper) {
        keeper.open(done);
    });
}

void JournalService::history(EventLoop& loop, std::string id, Done<std::vector<HistoryRow>> done)
{
    impl_->onThread([id = std::move(id),
                     done = impl_->gate().to<std::vector<HistoryRow>>(loop, std::move(done))](
                        JournalKeeper& keeper) { keeper.history(id, done); });
}

void JournalService::recover(EventLoop& loop, RecoverRequest request, Done<RecoverOutcome> done)
{
    impl_->onThread([request = std::move(request),
                     done = impl_->gate().to<RecoverOutcome>(loop, std::move(done))](
                        JournalKeeper& keeper) { keeper.recover(request, done); });
}

void JournalService::leave(EventLoop& loop)
{
    impl_->gate().close(loop);
}

}  // namespace restante::journal
