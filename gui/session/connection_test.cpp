#include "gui/session/connection_test.h"

#include "gui/session/open_store.h"
#include "gui/session/session_opening.h"
#include "gui/session/store_thread.h"

#include <utility>

namespace restante::gui {

using Outcome = LinkFinding::Outcome;

/// The store's side of it. *One loop.*
class ConnectionTest::Trial {
public:
    using Found = std::function<void(const LinkFinding&)>;
    using Finished = std::function<void(bool)>;

    Trial(std::unique_ptr<StoreOpener> opener, Found found, Finished finished)
        : opener_(std::move(opener)),
          found_(std::move(found)),
          finished_(std::move(finished))
    {
    }

    void start(EventLoop& loop)
    {
        StoreOpener::Callbacks callbacks;
        callbacks.found = found_;
        callbacks.doing = [](LinkStep) {};
        callbacks.lost = [](const LinkProblem&) {};
        callbacks.failed = [this](const LinkProblem&) { finished_(false); };
        callbacks.opened = [this](OpenedStore opened) { tryJournal(std::move(opened)); };
        opener_->open(loop, std::move(callbacks));
    }

private:
    void tryJournal(OpenedStore opened)
    {
        store_ = std::move(opened.store);
        if (!opened.facts.whyNoJournal.isNone()) {
            found_({LinkStep::Journal, Outcome::Warned, {}, opened.facts.whyNoJournal});
            return finished_(true);
        }
        // No job is called so; that the journal says so is all there is to know.
        store_->history("-", [this](const Result<std::vector<HistoryRow>>& rows) {
            const bool answers = rows || rows.error().code == ErrorCode::NotFound;
            LinkProblem problem;
            if (!answers) {
                problem = {LinkProblem::Kind::Other, {}, rows.error().message};
            }
            found_({LinkStep::Journal, answers ? Outcome::Passed : Outcome::Warned, {}, problem});
            finished_(true);
        });
    }

    std::unique_ptr<StoreOpener> opener_;
    Found found_;
    Finished finished_;
    std::shared_ptr<OpenStore> store_;
};

struct ConnectionTest::Line {
    std::shared_ptr<GuiThreadInvoker> window;
    std::shared_ptr<std::unique_ptr<Trial>> trial;  ///< what it holds: the other thread's only
    StoreThread thread;
};

ConnectionTest::ConnectionTest(const ConnectionProfile& profile,
                               const QString& password,
                               QObject* parent)
    : QObject(parent),
      line_(std::make_unique<Line>())
{
    line_->window = std::make_shared<GuiThreadInvoker>(*this);
    line_->trial = std::make_shared<std::unique_ptr<Trial>>();
    const auto window = line_->window;
    Trial::Found tellFound = [this, window](const LinkFinding& finding) {
        (*window)([this, finding] { emit found(finding); });
    };
    Trial::Finished tellFinished = [this, window](bool passed) {
        (*window)([this, passed] { emit finished(passed); });
    };
    line_->thread.post(
        [trial = line_->trial, loop = &line_->thread.loop(), tellFound = std::move(tellFound),
         tellFinished = std::move(tellFinished),
         opener = std::make_shared<std::unique_ptr<StoreOpener>>(openerFor(profile, password))] {
            *trial = std::make_unique<Trial>(std::move(*opener), tellFound, tellFinished);
            (*trial)->start(*loop);
        });
}

ConnectionTest::~ConnectionTest()
{
    line_->window->close();
    line_->thread.post([trial = line_->trial] { trial->reset(); });
}

}  // namespace restante::gui
