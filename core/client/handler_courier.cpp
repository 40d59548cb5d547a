#include "core/client/handler_courier.h"

#include "core/base/log.h"
#include "core/base/while_alive.h"

#include <exception>
#include <utility>

namespace restante {

namespace {

using delivery::Outcome;

Outcome outcomeOf(const Verdict& verdict)
{
    const auto kind = verdict.kind == Verdict::Kind::Done   ? Outcome::Kind::Delivered
                      : verdict.kind == Verdict::Kind::Dead ? Outcome::Kind::Dead
                                                            : Outcome::Kind::Retry;
    return {.kind = kind, .reason = verdict.error, .wait = verdict.notBefore};
}

}  // namespace

WorkerPool::WorkerPool(std::uint32_t threads)
{
    threads_.reserve(threads);
    try {
        for (std::uint32_t i = 0; i < threads; ++i) {
            threads_.emplace_back([this] { work(); });
        }
    } catch (...) {
        join();  // a thread that runs must not be destroyed
        throw;
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
        isStopping_ = true;
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
        wake_.wait(lock, [this] { return isStopping_ || !tasks_.empty(); });
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

/// A job until its handler has returned. The atomics are shared with the worker.
struct HandlerCourier::TakenJob {
    enum class Step { Waiting, Begun, Withdrawn };

    TakenJob(ClaimedJob claimed, Report tell) : job(std::move(claimed)), report(std::move(tell)) {}
    /// Moves from Waiting to `next`; false if it was not waiting any more.
    bool leaveWaiting(Step next)
    {
        auto expected = Step::Waiting;
        return step.compare_exchange_strong(expected, next);
    }

    ClaimedJob job;
    Report report;
    std::atomic<Step> step = Step::Waiting;
    std::atomic<bool> isLost = false;  ///< as Delivery::leaseLost()
};

HandlerCourier::~HandlerCourier() = default;

/// A single job, because mayJoin() allows no groups.
void HandlerCourier::deliver(std::vector<ClaimedJob> jobs, Report report)
{
    --freeThreads_;
    const auto taken = std::make_shared<TakenJob>(std::move(jobs.front()), std::move(report));
    takenJobs_.push_back(taken);
    // The pool is joined before this is destroyed, so the task may use `this`.
    pool_.run([this, taken] { handle(taken); });
}

/// On a thread of the pool.
void HandlerCourier::handle(const std::shared_ptr<TakenJob>& taken)
{
    if (!taken->leaveWaiting(TakenJob::Step::Begun)) {
        return;
    }
    Verdict verdict;
    try {
        verdict = handler_(Delivery(taken->job, taken->isLost, isStopped_));
    } catch (const std::exception& problem) {
        verdict = Verdict::retry(problem.what());
    } catch (...) {
        verdict = Verdict::retry("the handler threw what is no exception");
    }
    loop_.post(whileAlive(*this, &HandlerCourier::handleReturn, taken, std::move(verdict)));
}

void HandlerCourier::handleReturn(const std::shared_ptr<TakenJob>& taken, const Verdict& verdict)
{
    std::erase(takenJobs_, taken);
    ++freeThreads_;
    taken->report({outcomeOf(verdict)});
}

void HandlerCourier::handleLeaseLost(const ClaimedJob& job)
{
    log::warning("client", "the lease of job {}, which is being handled, is lost", job.job.id);
    for (const auto& taken : takenJobs_) {
        if (taken->job.job.id == job.job.id && taken->job.attempt == job.attempt) {
            taken->isLost = true;
        }
    }
}

void HandlerCourier::drain()
{
    isStopped_ = true;
    for (const auto& taken : takenJobs_) {
        if (taken->leaveWaiting(TakenJob::Step::Withdrawn)) {
            loop_.post([taken] { taken->report({{.kind = Outcome::Kind::Returned}}); });
        }
    }
}

}  // namespace restante
