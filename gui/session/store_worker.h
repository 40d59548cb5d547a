#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "gui/session/backend.h"
#include "gui/session/open_store.h"
#include "gui/session/reply.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante::gui {

/// The state of a connection without texts, as the store's thread reports it. *Value.*
struct LinkReport {
    LinkState::Phase phase = LinkState::Phase::Connecting;
    LinkStep step = LinkStep::Configuration;
    LinkProblem problem = {};
    int retryInMs = 0;
    LinkFacts facts = {};
    int latencyMs = -1;
    Millis skew{0};  ///< how far the store's clock is ahead of this machine's
    std::optional<redis::NotServed> notServed = {};  ///< none: the store is served
    /// The store's time, when it was last asked, and that moment by a clock that nobody sets.
    TimePoint storeTime{};
    std::chrono::steady_clock::time_point measuredAt{};
};

class BulkRequestRun;

/// Set when a request is cancelled. *Any thread.*
using CancelFlag = std::shared_ptr<std::atomic<bool>>;

/// One pending read or write. *Value.*
struct StoreRequest {
    RequestId requestId = 0;
    CancelFlag cancelled;  ///< none: it cannot be cancelled
    /// Asks the store; calls `answered` when it has passed the answer on.
    std::function<void(const std::shared_ptr<OpenStore>&, std::function<void()> answered)> ask;
    /// Fails the request.
    std::function<void(const Error&)> fail;
    std::shared_ptr<OpenStore> store = {};  ///< that it is asked of, once there is one
};

/// Runs a limited number of requests at a time, so that a cancelled request that still waits is
/// never sent. *One loop.*
class RequestQueue {
public:
    explicit RequestQueue(std::size_t maxActive) : maxActive_(maxActive) {}

    void add(StoreRequest request);
    /// Fails all unanswered requests; later answers are ignored.
    void failAll(const Error& why);

private:
    void startWaitingRequests();

    std::size_t maxActive_;
    std::deque<StoreRequest> waiting_;
    std::map<RequestId, StoreRequest> active_;
    CallbackGuard callbackGuard_;  ///< renewed by failAll(): late answers do not count
};

/// The store's side of a connection: opens the store, opens it again when it is lost, asks it and
/// has it changed. *One loop.*
class StoreWorker {
public:
    struct Callbacks {
        std::function<void(const LinkReport&)> link;
        std::function<void(ChangeBatch)> changed;  ///< at most four times a second
    };

    StoreWorker(EventLoop& loop, std::unique_ptr<StoreOpener> opener, Callbacks callbacks);
    ~StoreWorker();

    /// Opens the store at once, also during the wait before a retry.
    void open();

    /// During the first connection attempt requests wait for its end.
    void ask(StoreRequest request);
    /// A write that is no bulk request; not queued behind others.
    void write(StoreRequest request);
    using ProgressCallback = std::function<void(const Progress&)>;
    /// `progress` is called at most ten times a second, and once more before `done`.
    void runBulk(RequestId requestId,
                 BulkRequest request,
                 std::string actor,
                 ProgressCallback progress,
                 Done<BulkReport> done);
    void stop(RequestId requestId);

private:
    struct ActiveRun {
        std::unique_ptr<BulkRequestRun> run;
        Done<BulkReport> done;
    };

    void addTo(RequestQueue& queue, StoreRequest request);
    void runEarlyRequests();
    void handleOpened(OpenedStore opened);
    void handleLost(LinkProblem problem);
    void handleFailed(LinkProblem problem);
    void closeStore();
    void finish(RequestId requestId, Result<BulkReport> report);
    void retryLater();
    void countDown();
    void ping();
    void addChanges(const StoreEvent& event);
    void sendChanges();
    Error notConnectedError() const;
    void reportLink() { callbacks_.link(report_); }

    EventLoop& loop_;
    std::unique_ptr<StoreOpener> opener_;
    Callbacks callbacks_;
    LinkReport report_;
    bool wasReady_ = false;
    std::uint32_t reconnectAttempts_ = 0;  ///< to open it again, since it was lost
    std::shared_ptr<OpenStore> store_;
    RequestQueue reads_;
    RequestQueue writes_;
    std::vector<StoreRequest> earlyRequests_;  ///< asked before the store was there
    std::map<RequestId, ActiveRun> bulkRuns_;
    ChangeBatch changes_;
    std::chrono::steady_clock::time_point changesSentAt_{};
    Timer retryTimer_;
    Timer pingTimer_;
    Timer changesTimer_;
    /// Expires with this, and with the store that answers come from.
    CallbackGuard callbackGuard_;
};

}  // namespace restante::gui
