#pragma once

#include "core/base/event_loop.h"
#include "core/queue/delay_queue.h"
#include "core/queue/job_history.h"
#include "core/queue/job_inspector.h"
#include "core/redis/store/store_activity.h"
#include "gui/session/job_source.h"
#include "gui/session/link_problem.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante {
struct Config;
}

namespace restante::gui {

struct StoreEvent {
    std::uint64_t moved = 0;
    std::vector<std::string> ids = {};
    bool complete = true;  ///< false: some were missed
};

/// An open store on its own loop, which executes the requests of the console. Answers are delivered
/// on that loop, later. *One loop.*
class OpenStore {
public:
    OpenStore() = default;
    OpenStore(const OpenStore&) = delete;
    OpenStore& operator=(const OpenStore&) = delete;
    virtual ~OpenStore() = default;

    virtual JobInspector& inspector() = 0;
    /// All writes go through it, on another connection than the reads, so that a long read delays
    /// no write.
    virtual DelayQueue& queue() = 0;
    virtual const Config& config() const = 0;
    /// Unavailable when the store may have jobs that cannot be read. To be asked before a job is
    /// stored under an id that one of them may have.
    virtual Result<void> checkComplete() const { return {}; }
    virtual void history(std::string id, Done<std::vector<HistoryRow>> done) = 0;
    virtual void audit(AuditRequest request, Done<AuditBatch> done) = 0;
    virtual void storeActivity(Done<redis::StoreActivity> done) = 0;
    virtual void past(PastRequest request, Done<Past> done) = 0;
    virtual void topicActivity(Done<TopicActivity> done) = 0;
    virtual void deadReasons(Done<DeadReasons> done) = 0;
    virtual void daemons(Done<std::vector<DaemonView>> done) = 0;
    /// An empty request, to measure the latency.
    virtual void ping(Done<void> done) = 0;
    /// Calls `handler` for all events from now on. Call it once.
    virtual void follow(std::function<void(const StoreEvent&)> handler) = 0;
};

struct OpenedStore {
    std::shared_ptr<OpenStore> store;  ///< shared with the requests on their way
    LinkFacts facts;
};

/// How a store is opened, again and again if it is lost. *One loop.*
class StoreOpener {
public:
    /// Each of them is set.
    struct Callbacks {
        std::function<void(LinkStep)> stepStarted;
        std::function<void(const LinkFinding&)> stepFinished;
        /// After `opened`: the store is of no use any more.
        std::function<void(LinkProblem)> connectionLost;
        /// Opened, or why not. A problem that may pass by itself is worth another try.
        std::function<void(OpenedStore)> opened;
        std::function<void(LinkProblem)> failed;
    };

    StoreOpener() = default;
    StoreOpener(const StoreOpener&) = delete;
    StoreOpener& operator=(const StoreOpener&) = delete;
    virtual ~StoreOpener() = default;

    /// Gives up an earlier open(). None of `callbacks` is called from inside.
    virtual void open(EventLoop& loop, Callbacks callbacks) = 0;
    /// Gives up a pending open(). On the thread of the loop.
    virtual void giveUp() = 0;
};

}  // namespace restante::gui
