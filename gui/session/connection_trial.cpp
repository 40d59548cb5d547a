#include "gui/session/connection_trial.h"

#include "gui/session/open_store.h"
#include "gui/session/store_session.h"
#include "gui/session/store_thread.h"

#include <utility>

namespace restante::gui {

using Outcome = LinkFinding::Outcome;

/// The part of the test that runs on the store's thread. *One loop.*
class ConnectionTrial::TrialRun {
public:
    using StepFinished = std::function<void(const LinkFinding&)>;
    using Finished = std::function<void(bool)>;

    /// Begins at once; `stepFinished` and `finished` are called later.
    TrialRun(EventLoop& loop,
             std::unique_ptr<StoreOpener> opener,
             StepFinished stepFinished,
             Finished finished)
        : opener_(std::move(opener)),
          stepFinished_(std::move(stepFinished)),
          finished_(std::move(finished))
    {
        StoreOpener::Callbacks callbacks;
        callbacks.stepFinished = stepFinished_;
        callbacks.stepStarted = [](LinkStep) {};
        callbacks.connectionLost = [](const LinkProblem&) {};
        callbacks.failed = [this](const LinkProblem&) { finished_(false); };
        callbacks.opened = [this](OpenedStore opened) { testJournal(std::move(opened)); };
        opener_->open(loop, std::move(callbacks));
    }

private:
    void testJournal(OpenedStore opened)
    {
        store_ = std::move(opened.store);
        if (!opened.facts.whyNoColdJobs.isNone()) {
            stepFinished_({LinkStep::Journal, Outcome::Warned, {}, opened.facts.whyNoColdJobs});
            return finished_(true);
        }
        if (!opened.facts.whyNoJournal.isNone()) {
            stepFinished_({LinkStep::Journal, Outcome::Warned, {}, opened.facts.whyNoJournal});
            return finished_(true);
        }
        // No job has this id: any answer shows that the journal works.
        store_->history("-", [this](const Result<std::vector<HistoryRow>>& rows) {
            const bool answers = rows || rows.error().code == ErrorCode::NotFound;
            LinkProblem problem;
            if (!answers) {
                problem = {LinkProblem::Kind::Other, {}, rows.error().message};
            }
            stepFinished_(
                {LinkStep::Journal, answers ? Outcome::Passed : Outcome::Warned, {}, problem});
            finished_(true);
        });
    }

    std::unique_ptr<StoreOpener> opener_;
    StepFinished stepFinished_;
    Finished finished_;
    std::shared_ptr<OpenStore> store_;
};

ConnectionTrial::ConnectionTrial(const ConnectionProfile& profile,
                                 const QString& password,
                                 QObject* parent)
    : QObject(parent),
      thread_(std::make_unique<WorkerThread<TrialRun>>(*this))
{
    thread_->start([emitStepFinished = thread_->inWindow<LinkFinding>(
                        [this](const auto& finding) { emit stepFinished(finding); }),
                    emitFinished =
                        thread_->inWindow<bool>([this](bool passed) { emit finished(passed); }),
                    opener = std::make_shared<std::unique_ptr<StoreOpener>>(
                        openerFor(profile, password))](EventLoop& loop) {
        return std::make_unique<TrialRun>(loop, std::move(*opener), emitStepFinished, emitFinished);
    });
}

ConnectionTrial::~ConnectionTrial() = default;

}  // namespace restante::gui
