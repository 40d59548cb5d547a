#pragma once

#include "core/base/event_loop.h"
#include "gui/session/backend.h"
#include "gui/session/bulk_request_run.h"
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

/// How a connection is, as the store's side tells it: without words for people. *Value.*
struct LinkReport {
    LinkState::Phase phase = LinkState::Phase::Connecting;
    LinkStep step = LinkStep::Configuration;
    LinkProblem problem = {};
    int retryInMs = 0;
    LinkFacts facts = {};
    int latencyMs = -1;
    Millis skew{0};                                  ///< the store's clock before this machine's
    std::optional<redis::Restoring> restoring = {};  ///< none: the store is served
    /// The store's time, when it was last asked, and that moment by a clock that nobody sets.
    TimePoint storeTime{};
    std::chrono::steady_clock::time_point measured{};
};

/// Set by whoever asked when the answer is not wanted any more. *Any thread.*
using Unwanted = std::shared_ptr<std::atomic<bool>>;

struct Question {
    Ticket ticket = 0;
    Unwanted unwanted;
    /// Asks; calls `answered` when it has passed the answer on.
    std::function<void(std::function<void()> answered)> ask;
    /// Tells that there will be none.
    std::function<void(const Error&)> fail;
};

/// Lets some questions through at a time, so that what is not wanted any more by the time of its
/// turn is never asked. *One loop.*
class QuestionQueue {
public:
    explicit QuestionQueue(std::size_t atOnce) : atOnce_(atOnce) {}

    void add(Question question);
    /// Everything that is unanswered fails; what is answered later is ignored.
    void failAll(const Error& why);

private:
    void go();

    std::size_t atOnce_;
    std::deque<Question> waiting_;
    std::map<Ticket, Question> asked_;
    /// Expires with what failAll() has given up, so that late answers do not count.
    std::shared_ptr<int> generation_ = std::make_shared<int>(0);
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

    /// At once, whatever is being waited for.
    void open();

    using Ask = std::function<void(const std::shared_ptr<OpenStore>&, std::function<void()>)>;
    /// While it is being connected to for the first time, questions wait for it.
    void ask(Ticket ticket, Unwanted unwanted, Ask ask, std::function<void(const Error&)> fail);
    /// A write that is no bulk request: it waits for nothing.
    void write(Ticket ticket, Ask act, std::function<void(const Error&)> fail);
    void act(Ticket ticket,
             BulkRequest request,
             std::string actor,
             BulkRequestRun::Tell progress,
             Done<BulkReport> done);
    void stop(Ticket ticket);

private:
    struct Running {
        std::unique_ptr<BulkRequestRun> run;
        Done<BulkReport> done;
    };

    std::function<void(std::function<void()>)> ofStore(Ask ask) const;
    void opened(OpenedStore opened);
    void lost(LinkProblem problem);
    void failed(LinkProblem problem);
    void leaveStore();
    void finish(Ticket ticket, Result<BulkReport> report);
    void retryLater();
    void countDown();
    void ping();
    void note(const StoreEvent& event);
    void tellChanges();
    Error whyNot() const;
    void tell() { callbacks_.link(report_); }

    EventLoop& loop_;
    std::unique_ptr<StoreOpener> opener_;
    Callbacks callbacks_;
    LinkReport report_;
    bool wasReady_ = false;
    std::uint32_t attempts_ = 0;  ///< to open it again, since it was lost
    std::shared_ptr<OpenStore> store_;
    QuestionQueue questions_;
    QuestionQueue writes_;
    std::vector<std::function<void()>> early_;  ///< asked before the store was there
    std::map<Ticket, Running> orders_;
    ChangeBatch changes_;
    std::chrono::steady_clock::time_point lastTold_{};
    Timer retry_;
    Timer ping_;
    Timer tellChanges_;
    /// Expires with this, and with the store that answers come from.
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace restante::gui
