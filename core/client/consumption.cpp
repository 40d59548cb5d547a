#include "core/client/consumption.h"

#include "core/base/log.h"
#include "core/base/while_alive.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace restante {

namespace {

/// A lease is extended when a third of it is over: two more chances before it ends.
constexpr int kExtensions = 3;
/// While the store cannot answer, what has to be told is told again so often.
constexpr Millis kFirstAgain{100};
constexpr Millis kLongestAgain{2'000};

}  // namespace

WorkerPool::WorkerPool(std::uint32_t threads)
{
    threads_.reserve(threads);
    for (std::uint32_t i = 0; i < threads; ++i) {
        threads_.emplace_back([this] { work(); });
    }
}

void WorkerPool::run(std::function<void()> task)
{
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
}

void WorkerPool::join()
{
    {
        const std::lock_guard lock(mutex_);
        isOver_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) {
        if (thread.joinable()) {
            thread.join();
        }
    }
}

void WorkerPool::work()
{
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return isOver_ || !tasks_.empty(); });
        if (tasks_.empty()) {
            return;
        }
        const auto task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
        lock.lock();
    }
}

/// A job from its claim until what became of it is stored. Its atomics are the worker's, too.
struct Consumption::Running {
    enum class Step { Waiting, Begun, Withdrawn };

    Running(EventLoop& loop, ClaimedJob claimed) : job(std::move(claimed)), timer(loop) {}

    ClaimedJob job;
    std::atomic<Step> step = Step::Waiting;
    std::atomic<bool> isLost = false;  ///< the lease is somebody else's
    Verdict verdict;                   ///< once the handler has returned
    bool hasReturned = false;
    Millis again{0};
    Timer timer;  ///< of the next extension, or the next try to record
};

Consumption::Consumption(EventLoop& loop,
                         DelayQueue& queue,
                         ClaimRequest what,
                         std::uint32_t concurrency,
                         Handler handler)
    : loop_(loop),
      queue_(queue),
      what_(std::move(what)),
      handler_(std::move(handler)),
      free_(concurrency),
      pool_(concurrency)
{
}

Consumption::~Consumption() = default;

void Consumption::start(DueWatcher& due)
{
    due_ = &due;
    watch_ = due.watch({DueSource::Kind::Lanes, what_.channel, what_.topics},
                       whileAlive(*this, [](Consumption& self, std::function<void()> settled) {
                           self.settled_ = std::move(settled);
                           self.pump();
                       }));
}

/// Claims for the free threads. The source stays unsettled while all of them are busy, so that
/// nobody looks at jobs that nobody can take.
void Consumption::pump()
{
    if (!settled_ || isClaiming_ || isStopped_ || free_ == 0) {
        return;
    }
    isClaiming_ = true;
    ++open_;
    what_.max = free_;
    queue_.claim(what_, whileAlive(*this, &Consumption::claimed, free_));
}

void Consumption::claimed(std::uint32_t asked, Result<std::vector<ClaimedJob>> jobs)
{
    isClaiming_ = false;
    if (!jobs) {
        log::debug("client", "nothing is claimed: {}", jobs.error().message);
        settle();
    } else {
        const bool wasAll = jobs->size() < asked;
        for (auto& job : *jobs) {
            begin(std::move(job));
        }
        wasAll ? settle() : pump();
    }
    close();
}

void Consumption::settle()
{
    if (const auto settled = std::exchange(settled_, nullptr)) {
        settled();
    }
}

void Consumption::begin(ClaimedJob job)
{
    ++open_;
    if (isStopped_) {
        return requeue(job);
    }
    --free_;
    const auto id = nextId_++;
    const auto running = std::make_shared<Running>(loop_, std::move(job));
    running_.emplace(id, running);
    extendLater(id, running->job.job.ttr / kExtensions);
    // The pool ends before this does, so the task may name it.
    pool_.run([this, running = running.get(), id] { handle(*running, id); });
}

/// On a thread of the pool.
void Consumption::handle(Running& running, RunId id)
{
    auto expected = Running::Step::Waiting;
    if (!running.step.compare_exchange_strong(expected, Running::Step::Begun)) {
        loop_.post(whileAlive(*this, [id](Consumption& self) {
            self.running_.erase(id);
            self.close();
        }));
        return;
    }
    Verdict verdict;
    try {
        verdict = handler_(Delivery(running.job, {[&running] { return running.isLost.load(); },
                                                  [this] { return isStopped_.load(); }}));
    } catch (const std::exception& problem) {
        verdict = Verdict::retry(problem.what());
    } catch (...) {
        verdict = Verdict::retry("the handler threw what is no exception");
    }
    loop_.post(whileAlive(*this, &Consumption::returned, id, std::move(verdict)));
}

void Consumption::returned(RunId id, Verdict verdict)
{
    auto& running = *running_.at(id);
    running.timer.cancel();
    running.verdict = std::move(verdict);
    running.hasReturned = true;
    ++free_;
    record(id);
    pump();
}

void Consumption::extendLater(RunId id, Millis wait)
{
    running_.at(id)->timer.arm(std::max(wait, Millis{1}), [this, id] { extend(id); });
}

void Consumption::extend(RunId id)
{
    queue_.touch(leaseOf(running_.at(id)->job), Millis{0},
                 whileAlive(*this, &Consumption::extended, id));
}

void Consumption::extended(RunId id, const Result<TimePoint>& deadline)
{
    const auto found = running_.find(id);
    if (found == running_.end() || found->second->hasReturned) {
        return;
    }
    auto& running = *found->second;
    const auto ttr = running.job.job.ttr;
    if (deadline) {
        return extendLater(id, ttr / kExtensions);
    }
    if (isTemporary(deadline.error().code)) {
        return extendLater(id, std::min(ttr / (kExtensions * kExtensions), kFirstAgain));
    }
    log::warning("client", "the lease of a job that is being handled is lost: {}",
                 deadline.error().message);
    running.isLost = true;
}

void Consumption::record(RunId id)
{
    const auto& running = *running_.at(id);
    auto done = whileAlive(*this, &Consumption::recorded, id);
    const auto& verdict = running.verdict;
    switch (verdict.fate) {
    case Verdict::Fate::Done: return queue_.finish(leaseOf(running.job), std::move(done));
    case Verdict::Fate::Retry:
        return queue_.fail(running.job, verdict.error, std::move(done), verdict.notBefore);
    case Verdict::Fate::Dead:
        return queue_.bury(leaseOf(running.job), verdict.error, std::move(done));
    }
}

/// What cannot be stored now is tried again until it can, or until the lease is somebody else's:
/// the attempt's number keeps a late one harmless.
void Consumption::recorded(RunId id, const Result<void>& result)
{
    auto& running = *running_.at(id);
    if (!result && isTemporary(result.error().code)) {
        running.again = std::clamp(running.again * 2, kFirstAgain, kLongestAgain);
        running.timer.arm(running.again, [this, id] { record(id); });
        return;
    }
    if (!result) {
        log::warning("client", "what became of a job is not recorded: {}", result.error().message);
    }
    running_.erase(id);
    close();
}

/// As if it had never been claimed.
void Consumption::requeue(const ClaimedJob& job)
{
    queue_.requeue(leaseOf(job), job.due,
                   whileAlive(*this, [](Consumption& self, const auto&) { self.close(); }));
}

void Consumption::stop()
{
    isStopped_ = true;
    settled_ = nullptr;
    if (due_ != nullptr) {
        due_->unwatch(watch_);
    }
    for (auto& [id, running] : running_) {
        auto expected = Running::Step::Waiting;
        if (running->step.compare_exchange_strong(expected, Running::Step::Withdrawn)) {
            running->timer.cancel();
            // Its entry goes when its thread has seen it.
            ++open_;
            requeue(running->job);
        }
    }
    tellIfIdle();
}

/// One thing less is open.
void Consumption::close()
{
    --open_;
    tellIfIdle();
}

void Consumption::tellIfIdle()
{
    if (!isStopped_ || open_ > 0) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        isIdle_ = true;
    }
    idle_.notify_all();
}

bool Consumption::awaitIdle(Millis timeout)
{
    std::unique_lock lock(mutex_);
    return idle_.wait_for(lock, timeout, [this] { return isIdle_; });
}

}  // namespace restante
