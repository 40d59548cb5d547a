#include "gui/session/bulk_request_run.h"

#include <utility>

namespace restante::gui {

namespace {

constexpr std::chrono::milliseconds kTellEvery{100};

BulkAction actionOf(BulkRequest request,
                    std::string actor,
                    std::function<void(const JobView&, TimePoint)> acted)
{
    BulkAction action;
    action.verb = request.verb;
    action.due = request.due;
    action.spread = request.spread;
    action.actor = std::move(actor);
    action.reason = std::move(request.reason);
    action.named = Progress::kFailures;
    action.mode = request.mode == BulkRequest::Mode::Apply ? BulkAction::Mode::Apply
                                                           : BulkAction::Mode::DryRun;
    action.acted = std::move(acted);
    // Also of ids: a job that has left what the user looked at is not touched any more.
    action.filter = request.selection.view.whole();
    action.states = std::move(request.selection.view.states);
    if (request.selection.all) {
        action.except = std::move(request.selection.except);
        action.asOf = request.selection.asOf;
    } else {
        action.ids = std::move(request.selection.ids);
        action.dues = std::move(request.dues);
        if (!request.from.empty()) {
            action.states = std::move(request.from);
        }
        action.duesNow = std::move(request.duesNow);
        action.forgotten = std::move(request.forgotten);
    }
    action.attempts = request.attempts;
    action.holdIn = request.holdIn;
    return action;
}

}  // namespace

BulkRequestRun::BulkRequestRun(std::shared_ptr<OpenStore> store,
                               BulkRequest request,
                               std::string actor)
    : store_(std::move(store)),
      expected_(request.selection.count),
      resets_(request.attempts == BulkAction::Attempts::Reset),
      run_(
          store_->inspector(),
          store_->queue().store(),
          store_->queue().clock(),
          actionOf(
              std::move(request), std::move(actor), [this](const JobView& before, TimePoint given) {
                  changed_.push_back({before.job.id, before.state, before.due, given,
                                      resets_ ? std::optional(before.forgotten) : std::nullopt,
                                      before.byItself});
              }))
{
}

void BulkRequestRun::start(Done<BulkReport> done, Tell progress)
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

void BulkRequestRun::stop()
{
    run_.stop();
}

void BulkRequestRun::giveUp()
{
    tell(run_.giveUp());
}

void BulkRequestRun::tell(const BulkReport& report)
{
    lastTold_ = std::chrono::steady_clock::now();
    if (progress_) {
        progress_({report, expected_, std::exchange(changed_, {})});
    }
}

}  // namespace restante::gui
