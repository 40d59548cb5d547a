#include "gui/session/store_worker.h"

#include <QtGlobal>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace restante::gui {

namespace {

using SteadyClock = std::chrono::steady_clock;
using Phase = LinkState::Phase;

/// Enough to keep a pipeline filled, few enough for what is not wanted any more to be left out.
constexpr std::size_t kMaxActiveReads = 4;
constexpr Millis kPingInterval{5'000};
constexpr Millis kChangesInterval{250};
constexpr std::size_t kMaxChangeIds = 1'000;
constexpr Millis kSecond{1'000};
/// Between two reports of a bulk request.
constexpr Millis kProgressInterval{100};
/// Waits before each attempt to open a store again that was lost or is loading; then the last one
/// for ever.
constexpr std::array kRetryDelays{Millis{1'000}, Millis{2'000}, Millis{4'000}, Millis{8'000}};

/// Whether the next attempt may succeed though nobody changes the connection's settings: the other
/// side, or what lies between, may come back. The problems of a tunnel count, too, and sentinels or
/// nodes of which none answers; but not a jump host that refuses the login, or whose key is not the
/// known one: it does so again.
bool isTemporary(const LinkProblem& problem)
{
    using Kind = LinkProblem::Kind;
    using Redis = redis::ProbeProblem::Kind;
    constexpr std::array kTemporary{
        Kind::UnknownJumpHost,    Kind::JumpUnreachable,   Kind::JumpSilent,
        Kind::TunnelFailed,       Kind::TunnelLost,        Kind::TargetRefused,
        Kind::TargetSocketFailed, Kind::TargetUnreachable, Kind::Other};
    constexpr std::array kTemporaryOfRedis{
        Redis::Refused,      Redis::TimedOut,    Redis::Unreachable,
        Redis::NoSuchSocket, Redis::UnknownHost, Redis::Loading,
        Redis::NoMaster,     Redis::NoNode,      Redis::Other};
    const auto isIn = [](const auto& kinds, auto kind) {
        return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    };
    return problem.kind == Kind::Redis ? isIn(kTemporaryOfRedis, problem.redis.kind)
                                       : isIn(kTemporary, problem.kind);
}

BulkAction actionOf(BulkRequest request,
                    std::string actor,
                    std::function<void(const JobView&, TimePoint)> onApplied)
{
    BulkAction action;
    action.verb = request.verb;
    action.due = request.due;
    action.spread = request.spread;
    action.actor = std::move(actor);
    action.reason = std::move(request.reason);
    action.maxReported = Progress::kMaxFailures;
    action.mode = request.mode == BulkRequest::Mode::Apply ? BulkAction::Mode::Apply
                                                           : BulkAction::Mode::DryRun;
    action.onApplied = std::move(onApplied);
    // Also of ids: a job that has left what the user looked at is not touched any more.
    action.filter = request.selection.view.combinedFilter();
    action.states = std::move(request.selection.view.states);
    if (request.selection.all) {
        action.except = std::move(request.selection.except);
        action.asOf = request.selection.asOf;
    } else {
        action.ids = std::move(request.selection.ids);
        action.dues = std::move(request.dues);
        if (!request.expectedStates.empty()) {
            action.states = std::move(request.expectedStates);
        }
        action.expectedDues = std::move(request.expectedDues);
        action.attemptOffsets = std::move(request.attemptOffsets);
    }
    action.attempts = request.attempts;
    action.holdPlace = request.holdPlace;
    return action;
}

}  // namespace

/// One bulk request that is under way. Destroying it stops it without an answer. *One loop.*
class BulkRequestRun {
public:
    BulkRequestRun(std::shared_ptr<OpenStore> store, BulkRequest request, std::string actor)
        : store_(std::move(store)),
          expected_(request.selection.count),
          resetsAttempts_(request.attempts == BulkAction::Attempts::Reset),
          run_(store_->inspector(),
               store_->queue().store(),
               store_->queue().clock(),
               actionOf(std::move(request),
                        std::move(actor),
                        [this](const JobView& before, TimePoint newDue) {
                            changedJobs_.push_back(
                                {before.job.id, before.state, before.due, newDue,
                                 resetsAttempts_ ? std::optional(before.attemptOffset)
                                                 : std::nullopt,
                                 before.heldOutsideMailbox, before.job.recipient});
                        }))
    {
    }

    /// Once. `progress` is called at most ten times a second, and once more before `done`.
    void start(Done<BulkReport> done, StoreWorker::ProgressCallback progress)
    {
        progress_ = std::move(progress);
        run_.start(
            [this, done = std::move(done)](Result<BulkReport> report) {
                // What was done before an error counts, too, and can be taken back.
                reportProgress(report ? *report : lastReport_);
                done(std::move(report));  // which may end this
            },
            [this](const BulkReport& report) {
                lastReport_ = report;
                if (SteadyClock::now() - lastReportedAt_ >= kProgressInterval) {
                    reportProgress(report);
                }
            });
    }
    /// Ends after the acts on their way, with the report so far.
    void stop() { run_.stop(); }
    /// Ends at once: reports the progress, and calls `done` no more. What was on its way is
    /// among the failures.
    void giveUp() { reportProgress(run_.giveUp()); }

private:
    void reportProgress(const BulkReport& report)
    {
        lastReportedAt_ = SteadyClock::now();
        if (progress_) {
            progress_({report, expected_, std::exchange(changedJobs_, {})});
        }
    }

    std::shared_ptr<OpenStore> store_;
    std::uint64_t expected_;
    const bool resetsAttempts_;  ///< the attempts of its jobs
    StoreWorker::ProgressCallback progress_;
    SteadyClock::time_point lastReportedAt_{};
    BulkReport lastReport_;
    std::vector<JobBefore> changedJobs_;  ///< since the last report
    BulkRun run_;
};

void RequestQueue::add(StoreRequest request)
{
    waiting_.push_back(std::move(request));
    startWaitingRequests();
}

void RequestQueue::startWaitingRequests()
{
    while (!waiting_.empty() && active_.size() < maxActive_) {
        auto request = std::move(waiting_.front());
        waiting_.pop_front();
        if (request.cancelled && *request.cancelled) {
            continue;
        }
        const auto requestId = request.requestId;
        const auto ask = request.ask;
        const auto store = request.store;
        active_.emplace(requestId, std::move(request));
        ask(store, callbackGuard_.guard([this, requestId] {
            if (active_.erase(requestId) > 0) {
                startWaitingRequests();
            }
        }));
    }
}

void RequestQueue::failAll(const Error& why)
{
    callbackGuard_.renew();
    const auto waiting = std::exchange(waiting_, {});
    const auto active = std::exchange(active_, {});
    for (const auto& [requestId, request] : active) {
        request.fail(why);
    }
    for (const auto& request : waiting) {
        request.fail(why);
    }
}

StoreWorker::StoreWorker(EventLoop& loop, std::unique_ptr<StoreOpener> opener, Callbacks callbacks)
    : loop_(loop),
      opener_(std::move(opener)),
      callbacks_(std::move(callbacks)),
      reads_(kMaxActiveReads),
      writes_(std::numeric_limits<std::size_t>::max()),
      retryTimer_(loop),
      pingTimer_(loop),
      changesTimer_(loop)
{
}

StoreWorker::~StoreWorker()
{
    callbackGuard_.expire();
    opener_->giveUp();
    closeStore();
}

void StoreWorker::open()
{
    retryTimer_.cancel();
    opener_->giveUp();
    closeStore();
    report_.phase = wasReady_ ? Phase::Lost : Phase::Connecting;
    report_.retryInMs = 0;
    reportLink();
    StoreOpener::Callbacks callbacks;
    callbacks.stepFinished = [](const LinkFinding&) {};
    callbacks.stepStarted = [this](LinkStep step) {
        report_.step = step;
        reportLink();
    };
    callbacks.opened = [this](OpenedStore store) { handleOpened(std::move(store)); };
    callbacks.failed = [this](LinkProblem problem) { handleFailed(std::move(problem)); };
    callbacks.connectionLost = [this](LinkProblem problem) {
        // Later: what is on its way is answered first, and the store may be telling this itself.
        loop_.post([this, alive = callbackGuard_.watch(), problem = std::move(problem)] {
            if (alive.lock()) {
                handleLost(problem);
            }
        });
    };
    opener_->open(loop_, std::move(callbacks));
}

void StoreWorker::handleOpened(OpenedStore opened)
{
    store_ = std::move(opened.store);
    wasReady_ = true;
    reconnectAttempts_ = 0;
    report_.phase = Phase::Ready;
    report_.problem = {};
    report_.facts = std::move(opened.facts);
    store_->follow([this, alive = callbackGuard_.watch()](const StoreEvent& event) {
        if (alive.lock()) {
            addChanges(event);
        }
    });
    ping();
    reportLink();
    runEarlyRequests();
}

void StoreWorker::handleLost(LinkProblem problem)
{
    if (!store_) {
        return;
    }
    closeStore();
    report_.phase = Phase::Lost;
    report_.problem = std::move(problem);
    retryLater();
}

void StoreWorker::handleFailed(LinkProblem problem)
{
    const bool isLoading = problem.redis.kind == redis::ProbeProblem::Kind::Loading;
    const bool willRetry = isTemporary(problem) && (wasReady_ || isLoading);
    report_.problem = std::move(problem);
    report_.phase = willRetry ? Phase::Lost : Phase::Failed;
    report_.retryInMs = 0;
    runEarlyRequests();
    if (willRetry) {
        retryLater();
    } else {
        reportLink();
    }
}

void StoreWorker::closeStore()
{
    pingTimer_.cancel();
    callbackGuard_.renew();
    reads_.failAll(notConnectedError());
    writes_.failAll(notConnectedError());
    for (auto& [requestId, running] : std::exchange(bulkRuns_, {})) {
        running.run->giveUp();  // what was done counts, and can be taken back
        running.done(tl::unexpected<Error>(notConnectedError()));
    }
    store_.reset();
    report_.latencyMs = -1;
}

void StoreWorker::retryLater()
{
    const auto delay =
        kRetryDelays[std::min<std::size_t>(reconnectAttempts_++, kRetryDelays.size() - 1)];
    report_.retryInMs = static_cast<int>(delay.count());
    countDown();
}

void StoreWorker::countDown()
{
    reportLink();
    if (report_.retryInMs <= 0) {
        return open();
    }
    const auto step = std::min(Millis{report_.retryInMs}, kSecond);
    retryTimer_.arm(step, [this, step] {
        report_.retryInMs -= static_cast<int>(step.count());
        countDown();
    });
}

void StoreWorker::ping()
{
    store_->ping([this, alive = callbackGuard_.watch(),
                  sent = SteadyClock::now()](Result<void> answer) {
        if (!alive.lock() || !answer || !store_) {
            return;
        }
        const auto took = std::chrono::duration_cast<Millis>(SteadyClock::now() - sent);
        report_.latencyMs = static_cast<int>(took.count());
        const auto local = std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
        report_.storeTime = store_->queue().clock().now();
        report_.measuredAt = SteadyClock::now();
        report_.skew = report_.storeTime - local;
        reportLink();
    });
    store_->storeActivity(
        [this, alive = callbackGuard_.watch()](const Result<redis::StoreActivity>& activity) {
            if (!alive.lock() || !activity || !store_ || report_.notServed == activity->notServed) {
                return;
            }
            report_.notServed = activity->notServed;
            reportLink();
        });
    pingTimer_.arm(kPingInterval, [this] { ping(); });
}

void StoreWorker::addChanges(const StoreEvent& event)
{
    changes_.moved += event.moved;
    for (const auto& id : event.ids) {
        if (changes_.ids.size() >= kMaxChangeIds) {
            changes_.complete = false;
            break;
        }
        changes_.ids.push_back(id);
    }
    changes_.complete = changes_.complete && event.complete;
    if (!changesTimer_.armed()) {
        const auto since = std::chrono::duration_cast<Millis>(SteadyClock::now() - changesSentAt_);
        changesTimer_.arm(std::max(kChangesInterval - since, Millis{0}), [this] { sendChanges(); });
    }
}

void StoreWorker::sendChanges()
{
    changesSentAt_ = SteadyClock::now();
    changes_.at = store_ ? store_->queue().clock().now() : TimePoint{};
    callbacks_.changed(std::exchange(changes_, {}));
}

Error StoreWorker::notConnectedError() const
{
    return {ErrorCode::Unavailable,
            QT_TRANSLATE_NOOP("StoreProblem", "not connected to the store")};
}

void StoreWorker::ask(StoreRequest request)
{
    if (!store_ && report_.phase == Phase::Connecting) {
        earlyRequests_.push_back(std::move(request));
    } else {
        addTo(reads_, std::move(request));
    }
}

void StoreWorker::write(StoreRequest request)
{
    addTo(writes_, std::move(request));
}

void StoreWorker::addTo(RequestQueue& queue, StoreRequest request)
{
    if (!store_) {
        return request.fail(notConnectedError());
    }
    request.store = store_;
    queue.add(std::move(request));
}

void StoreWorker::runEarlyRequests()
{
    for (auto& request : std::exchange(earlyRequests_, {})) {
        ask(std::move(request));
    }
}

void StoreWorker::runBulk(RequestId requestId,
                          BulkRequest request,
                          std::string actor,
                          ProgressCallback progress,
                          Done<BulkReport> done)
{
    if (!store_) {
        return done(tl::unexpected<Error>(notConnectedError()));
    }
    if (!request.selection.all && request.selection.ids.empty()) {
        return done(BulkReport{});  // to BulkRun no ids would mean: whatever the filter finds
    }
    auto& running = bulkRuns_[requestId];
    running.done = std::move(done);
    running.run = std::make_unique<BulkRequestRun>(store_, std::move(request), std::move(actor));
    running.run->start(
        [this, requestId](Result<BulkReport> report) { finish(requestId, std::move(report)); },
        std::move(progress));
}

void StoreWorker::finish(RequestId requestId, Result<BulkReport> report)
{
    auto finished = bulkRuns_.extract(requestId);
    if (finished.empty()) {
        return;
    }
    // It is over, but still on the stack.
    loop_.post([run = std::shared_ptr<BulkRequestRun>(std::move(finished.mapped().run))] {});
    finished.mapped().done(std::move(report));
}

void StoreWorker::stop(RequestId requestId)
{
    if (const auto found = bulkRuns_.find(requestId); found != bulkRuns_.end()) {
        found->second.run->stop();
    }
}

}  // namespace restante::gui
