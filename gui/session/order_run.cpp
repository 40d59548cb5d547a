#include "gui/session/order_run.h"

#include <utility>

namespace restante::gui {

namespace {

constexpr std::chrono::milliseconds kTellEvery{100};

BulkAction
actionOf(Order order, std::string actor, std::function<void(const JobView&, TimePoint)> acted)
{
    BulkAction action;
    action.verb = order.verb;
    action.due = order.due;
    action.spread = order.spread;
    action.actor = std::move(actor);
    action.reason = std::move(order.reason);
    action.named = Progress::kFailures;
    action.mode = order.mode == Order::Mode::Act ? BulkAction::Mode::Act : BulkAction::Mode::DryRun;
    action.acted = std::move(acted);
    // Also of ids: a job that has left what the user looked at is not touched any more.
    action.filter = order.selection.view.whole();
    action.states = std::move(order.selection.view.states);
    if (order.selection.all) {
        action.except = std::move(order.selection.except);
        action.asOf = order.selection.asOf;
    } else {
        action.ids = std::move(order.selection.ids);
        action.dues = std::move(order.dues);
        if (!order.from.empty()) {
            action.states = std::move(order.from);
        }
        action.duesNow = std::move(order.duesNow);
        action.forgotten = std::move(order.forgotten);
    }
    action.attempts = order.attempts;
    action.holdIn = order.holdIn;
    return action;
}

}  // namespace

OrderRun::OrderRun(std::shared_ptr<OpenStore> store, Order order, std::string actor)
    : store_(std::move(store)),
      expected_(order.selection.count),
      resets_(order.attempts == BulkAction::Attempts::Reset),
      run_(store_->inspector(),
           store_->queue().store(),
           store_->queue().clock(),
           actionOf(
               std::move(order), std::move(actor), [this](const JobView& before, TimePoint given) {
                   changed_.push_back({before.job.id, before.state, before.due, given,
                                       resets_ ? std::optional(before.forgotten) : std::nullopt,
                                       before.byItself});
               }))
{
}

OrderRun::~OrderRun() = default;

void OrderRun::start(Done<BulkReport> done, Tell progress)
{
    progress_ = std::move(progress);
    run_.start(
        [this, done = std::move(done)](Result<BulkReport> report) {
            // What was done before an error counts, too, and can be taken back.
            tell(report ? *report : last_);
            done(std::move(report));  // which may end this
        },
        [this](const BulkReport& report) {
            last_ = report;
            if (std::chrono::steady_clock::now() - lastTold_ >= kTellEvery) {
                tell(report);
            }
        });
}

void OrderRun::stop()
{
    run_.stop();
}

void OrderRun::giveUp()
{
    tell(run_.giveUp());
}

void OrderRun::tell(const BulkReport& report)
{
    lastTold_ = std::chrono::steady_clock::now();
    if (progress_) {
        progress_({report, expected_, std::exchange(changed_, {})});
    }
}

}  // namespace restante::gui
