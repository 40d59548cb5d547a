#include "gui/session/store_worker.h"

#include <QtGlobal>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace restante::gui {

namespace {

using Steady = std::chrono::steady_clock;
using Phase = LinkState::Phase;

/// Enough to keep a pipeline filled, few enough for what is not wanted any more to be left out.
constexpr std::size_t kQuestionsAtOnce = 4;
constexpr Millis kPingEvery{5'000};
constexpr Millis kTellChangesEvery{250};
constexpr std::size_t kIdsTold = 1'000;
constexpr Millis kSecond{1'000};
/// Waits before each attempt to open a lost store again; then the last one for ever.
constexpr std::array kBackOff{Millis{1'000}, Millis{2'000}, Millis{4'000}, Millis{8'000}};

/// Of a tunnel, the same: whoever refuses us or is not whom we know does so again.
bool mayPassInTunnel(LinkProblem::Kind kind)
{
    using Kind = LinkProblem::Kind;
    return kind == Kind::UnknownJumpHost || kind == Kind::JumpUnreachable ||
           kind == Kind::JumpSilent || kind == Kind::TunnelFailed || kind == Kind::TunnelLost ||
           kind == Kind::BehindRefused || kind == Kind::BehindNoSocket ||
           kind == Kind::BehindUnreachable;
}

/// It may be another next time, without anybody changing the connection.
bool mayPass(LinkProblem::Kind kind)
{
    using Kind = LinkProblem::Kind;
    return kind == Kind::Refused || kind == Kind::TimedOut || kind == Kind::Unreachable ||
           kind == Kind::NoSuchSocket || mayPassInTunnel(kind) || kind == Kind::UnknownHost ||
           kind == Kind::Loading || kind == Kind::Other;
}

int inMs(Steady::duration duration)
{
    return static_cast<int>(std::chrono::duration_cast<Millis>(duration).count());
}

}  // namespace

void QuestionQueue::add(Question question)
{
    waiting_.push_back(std::move(question));
    go();
}

void QuestionQueue::go()
{
    while (!waiting_.empty() && asked_.size() < atOnce_) {
        auto question = std::move(waiting_.front());
        waiting_.pop_front();
        if (question.unwanted && *question.unwanted) {
            continue;
        }
        const auto ticket = question.ticket;
        const auto ask = question.ask;
        asked_.emplace(ticket, std::move(question));
        ask([this, ticket, generation = std::weak_ptr(generation_)] {
            if (generation.lock() && asked_.erase(ticket) > 0) {
                go();
            }
        });
    }
}

void QuestionQueue::failAll(const Error& why)
{
    generation_ = std::make_shared<int>(0);
    const auto waiting = std::exchange(waiting_, {});
    const auto asked = std::exchange(asked_, {});
    for (const auto& [ticket, question] : asked) {
        question.fail(why);
    }
    for (const auto& question : waiting) {
        question.fail(why);
    }
}

StoreWorker::StoreWorker(EventLoop& loop, std::unique_ptr<StoreOpener> opener, Callbacks callbacks)
    : loop_(loop),
      opener_(std::move(opener)),
      callbacks_(std::move(callbacks)),
      questions_(kQuestionsAtOnce),
      writes_(std::numeric_limits<std::size_t>::max()),
      retry_(loop),
      ping_(loop),
      tellChanges_(loop)
{
}

StoreWorker::~StoreWorker()
{
    alive_.reset();
    opener_->giveUp();
    leaveStore();
}

void StoreWorker::open()
{
    retry_.cancel();
    opener_->giveUp();
    leaveStore();
    report_.phase = wasReady_ ? Phase::Lost : Phase::Connecting;
    report_.retryInMs = 0;
    tell();
    StoreOpener::Callbacks callbacks;
    callbacks.doing = [this](LinkStep step) {
        report_.step = step;
        tell();
    };
    callbacks.opened = [this](OpenedStore store) { opened(std::move(store)); };
    callbacks.failed = [this](LinkProblem problem) { failed(std::move(problem)); };
    callbacks.lost = [this](LinkProblem problem) {
        // Later: what is on its way is answered first, and the store may be telling this itself.
        loop_.post([this, alive = std::weak_ptr(alive_), problem = std::move(problem)] {
            if (alive.lock()) {
                lost(problem);
            }
        });
    };
    opener_->open(loop_, std::move(callbacks));
}

void StoreWorker::opened(OpenedStore opened)
{
    store_ = std::move(opened.store);
    wasReady_ = true;
    attempts_ = 0;
    report_.phase = Phase::Ready;
    report_.problem = {};
    report_.facts = std::move(opened.facts);
    store_->follow([this, alive = std::weak_ptr(alive_)](const StoreEvent& event) {
        if (alive.lock()) {
            note(event);
        }
    });
    ping();
    tell();
    for (const auto& question : std::exchange(early_, {})) {
        question();
    }
}

void StoreWorker::lost(LinkProblem problem)
{
    if (!store_) {
        return;
    }
    leaveStore();
    report_.phase = Phase::Lost;
    report_.problem = std::move(problem);
    retryLater();
}

void StoreWorker::failed(LinkProblem problem)
{
    const bool again =
        mayPass(problem.kind) && (wasReady_ || problem.kind == LinkProblem::Kind::Loading);
    report_.problem = std::move(problem);
    report_.phase = again ? Phase::Lost : Phase::Failed;
    report_.retryInMs = 0;
    for (const auto& question : std::exchange(early_, {})) {
        question();
    }
    if (again) {
        retryLater();
    } else {
        tell();
    }
}

void StoreWorker::leaveStore()
{
    ping_.cancel();
    alive_ = alive_ ? std::make_shared<int>(0) : nullptr;
    questions_.failAll(whyNot());
    writes_.failAll(whyNot());
    for (auto& [ticket, running] : std::exchange(orders_, {})) {
        running.run->giveUp();  // what was done counts, and can be taken back
        running.done(tl::unexpected<Error>(whyNot()));
    }
    store_.reset();
    report_.latencyMs = -1;
}

void StoreWorker::retryLater()
{
    const auto wait = kBackOff[std::min<std::size_t>(attempts_++, kBackOff.size() - 1)];
    report_.retryInMs = static_cast<int>(wait.count());
    countDown();
}

void StoreWorker::countDown()
{
    tell();
    if (report_.retryInMs <= 0) {
        return open();
    }
    const auto step = std::min(Millis{report_.retryInMs}, kSecond);
    retry_.arm(step, [this, step] {
        report_.retryInMs -= static_cast<int>(step.count());
        countDown();
    });
}

void StoreWorker::ping()
{
    store_->ping([this, alive = std::weak_ptr(alive_), sent = Steady::now()](Result<void> answer) {
        if (!alive.lock() || !answer || !store_) {
            return;
        }
        report_.latencyMs = inMs(Steady::now() - sent);
        const auto local = std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
        report_.storeTime = store_->queue().clock().now();
        report_.measured = Steady::now();
        report_.skew = report_.storeTime - local;
        tell();
    });
    store_->pulse([this, alive = std::weak_ptr(alive_)](const Result<redis::StoreActivity>& pulse) {
        if (!alive.lock() || !pulse || !store_ || report_.restoring == pulse->restoring) {
            return;
        }
        report_.restoring = pulse->restoring;
        tell();
    });
    ping_.arm(kPingEvery, [this] { ping(); });
}

void StoreWorker::note(const StoreEvent& event)
{
    changes_.moved += event.moved;
    for (const auto& id : event.ids) {
        if (changes_.ids.size() >= kIdsTold) {
            changes_.complete = false;
            break;
        }
        changes_.ids.push_back(id);
    }
    changes_.complete = changes_.complete && event.complete;
    if (!tellChanges_.armed()) {
        const auto since = std::chrono::duration_cast<Millis>(Steady::now() - lastTold_);
        tellChanges_.arm(std::max(kTellChangesEvery - since, Millis{0}), [this] { tellChanges(); });
    }
}

void StoreWorker::tellChanges()
{
    lastTold_ = Steady::now();
    changes_.at = store_ ? store_->queue().clock().now() : TimePoint{};
    callbacks_.changed(std::exchange(changes_, {}));
}

Error StoreWorker::whyNot() const
{
    return {ErrorCode::Unavailable,
            QT_TRANSLATE_NOOP("StoreProblem", "not connected to the store")};
}

void StoreWorker::ask(Ticket ticket,
                      Unwanted unwanted,
                      Ask ask,
                      std::function<void(const Error&)> fail)
{
    if (!store_ && report_.phase == Phase::Connecting) {
        early_.emplace_back([this, ticket, unwanted = std::move(unwanted), ask = std::move(ask),
                             fail = std::move(fail)] { this->ask(ticket, unwanted, ask, fail); });
        return;
    }
    if (!store_) {
        return fail(whyNot());
    }
    questions_.add({ticket, std::move(unwanted), ofStore(std::move(ask)), std::move(fail)});
}

void StoreWorker::write(Ticket ticket, Ask act, std::function<void(const Error&)> fail)
{
    if (!store_) {
        return fail(whyNot());
    }
    writes_.add({ticket, nullptr, ofStore(std::move(act)), std::move(fail)});
}

std::function<void(std::function<void()>)> StoreWorker::ofStore(Ask ask) const
{
    return [store = store_, ask = std::move(ask)](std::function<void()> answered) {
        ask(store, std::move(answered));
    };
}

void StoreWorker::act(Ticket ticket,
                      BulkRequest request,
                      std::string actor,
                      BulkRequestRun::Tell progress,
                      Done<BulkReport> done)
{
    if (!store_) {
        return done(tl::unexpected<Error>(whyNot()));
    }
    if (!request.selection.all && request.selection.ids.empty()) {
        return done(BulkReport{});  // to BulkRun no ids would mean: whatever the filter finds
    }
    auto& running = orders_[ticket];
    running.done = std::move(done);
    running.run = std::make_unique<BulkRequestRun>(store_, std::move(request), std::move(actor));
    running.run->start(
        [this, ticket](Result<BulkReport> report) { finish(ticket, std::move(report)); },
        std::move(progress));
}

void StoreWorker::finish(Ticket ticket, Result<BulkReport> report)
{
    auto over = orders_.extract(ticket);
    if (over.empty()) {
        return;
    }
    // It is over, but still on the stack.
    loop_.post([kept = std::shared_ptr<BulkRequestRun>(std::move(over.mapped().run))] {});
    over.mapped().done(std::move(report));
}

void StoreWorker::stop(Ticket ticket)
{
    if (const auto found = orders_.find(ticket); found != orders_.end()) {
        found->second.run->stop();
    }
}

}  // namespace restante::gui
