#pragma once

#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/commands/job_actions.h"
#include "gui/operations/task_board.h"
#include "gui/pages/page.h"
#include "gui/pages/selection_owner.h"
#include "gui/session/store_session.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/page_object.h"

#include <QTemporaryDir>
#include <QWidget>

#include <memory>
#include <string>

namespace restante::gui::test {

/// A page whose selection is whatever a test puts there.
class StandInPage : public Page, public SelectionOwner {
public:
    void open(StoreSession*) override {}
    void refresh() override {}
    SelectionSummary selection() const override
    {
        SelectionSummary summary;
        summary.count = chosen.count;
        summary.all = chosen.all;
        summary.states = states;
        summary.topicChosen = !topic.empty();
        summary.topicPaused = paused;
        return summary;
    }
    Selection selected() const override { return chosen; }
    JobsView shownView() const override { return chosen.view; }
    std::string selectedTopic() const override { return topic; }
    std::string selectedRecipient() const override { return recipient; }

    Selection chosen;
    std::map<JobState, std::uint64_t> states;
    std::string topic;
    std::string recipient;
    bool paused = false;
};

/// The commands with everything that they stand on, on a fake store, and no main window.
class CommandsFixture {
public:
    explicit CommandsFixture(AccessMode mode = AccessMode::Normal)
    {
        auto backend = std::make_unique<FakeBackend>();
        fake = backend.get();
        ConnectionProfile profile;
        profile.name = QStringLiteral("test");
        profile.mode = mode;
        session = std::make_unique<StoreSession>(profile, std::move(backend));
        actions.setPage([this] { return &page; });
        actions.open(session.get());
        window.show();
    }
    ~CommandsFixture() { actions.open(nullptr); }
    CommandsFixture(const CommandsFixture&) = delete;
    CommandsFixture& operator=(const CommandsFixture&) = delete;

    /// A job of the fake store; answers its id.
    std::string have(const std::string& id,
                     JobState state = JobState::Scheduled,
                     const std::string& topic = "order")
    {
        JobView view;
        view.job.id = id;
        view.job.topic = topic;
        view.job.body = "hello";
        view.job.recipient = "sip:bob@example.org";
        view.job.created = fake->time - std::chrono::hours{1};
        view.state = state;
        view.due = fake->time + std::chrono::hours{2};
        fake->jobs.push_back(std::move(view));
        return id;
    }
    void choose(std::vector<std::string> ids)
    {
        page.chosen = {};
        page.chosen.count = ids.size();
        page.chosen.ids = std::move(ids);
    }
    void chooseAll(const std::string& filter, std::uint64_t count)
    {
        page.chosen = {};
        page.chosen.all = true;
        page.chosen.view.filter = *JobFilter::parse(filter);
        page.chosen.count = count;
    }
    const JobView& job(const std::string& id) const
    {
        for (const auto& view : fake->jobs) {
            if (view.job.id == id) {
                return view;
            }
        }
        static const JobView kNone;
        return kNone;
    }
    /// The newest dialog of that kind that is open.
    template <class Dialog>
    Dialog* dialog()
    {
        return newestOf<Dialog>(window);
    }

    FakeBackend* fake = nullptr;
    QTemporaryDir home;
    Preferences preferences{home.filePath(QStringLiteral("admin.ini"))};
    ActionRegistry registry;
    std::unique_ptr<StoreSession> session;
    QWidget window;
    StandInPage page;
    TaskBoard board;
    JobActions actions{{registry, preferences}, board, &window};
};

/// Whether it has had tasks, and all of them have ended.
inline bool idle(const CommandsFixture& fixture)
{
    return !fixture.board.tasks().empty() && fixture.board.runningCount() == 0;
}

}  // namespace restante::gui::test
