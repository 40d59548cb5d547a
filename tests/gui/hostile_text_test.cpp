// What strangers write is shown as they wrote it, wherever it is shown, and nobody goes to where it
// points.

#include "gui/commands/job_actions.h"
#include "gui/operations/task_board.h"
#include "gui/pages/detail/job_detail.h"
#include "gui/pages/jobs/filter_bar.h"
#include "gui/pages/jobs/filter_edit.h"
#include "gui/pages/jobs/jobs_table.h"
#include "tests/gui/support/hostile.h"
#include "tests/gui/support/screens.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

/// The main window before a store in which everything that can hold text holds markup.
class HostileText : public testing::Test, protected WindowOnStore {
protected:
    HostileText()
    {
        ConnectionProfile profile;
        profile.name = bait.text();
        openFake([this](FakeBackend& store) { fill(store); }, profile);
        show();
    }
    void fill(FakeBackend& store) const
    {
        for (int at = 0; at < 5; ++at) {
            store.jobs.push_back(job(store, at));
        }
        HistoryRow line;
        line.at = store.time;
        line.transition = line.from = line.to = line.worker = line.actor = markup;
        line.reason = line.note = markup;
        store.histories["job-0"] = {line, line};
        TopicView topic;
        topic.topic = markup;
        topic.pause = TopicPause{store.time, markup, markup};
        store.topicList = {topic};
        const auto text = bait.text();
        store.auditRows = {{store.time, text, text, text, text, text, text}};
        auto link = store.link();
        link.server = text;
        store.setLink(link);
    }
    JobView job(const FakeBackend& store, int at) const
    {
        JobView view;
        view.job.id = "job-" + std::to_string(at);
        for (auto* field :
             {&view.job.topic, &view.job.sender, &view.job.recipient, &view.job.bizKey,
              &view.job.contentType, &view.job.body, &view.lastError}) {
            *field = markup;
        }
        view.job.headers = {{markup, markup}};
        view.state = at == 0 ? JobState::Dead : JobState::Scheduled;
        view.due = store.time + std::chrono::hours{1};
        view.job.created = store.time;
        return view;
    }
    void expectLiteral(const char* where)
    {
        turn();
        EXPECT_EQ(notLiteral(bait.text()).join(u'\n').toStdString(), "") << where;
        EXPECT_EQ(notLiteralTips(window, bait.text()).join(u'\n').toStdString(), "") << where;
        EXPECT_TRUE(keepPicture(&window, "hostile", {where, Scheme::Light, "en"}));
        EXPECT_FALSE(bait.taken()) << where;
    }
    bool loaded()
    {
        return until([&] { return jobs().feed().answered() && !jobs().feed().busy(); });
    }

    Bait bait;
    const std::string markup = bait.markup();
};

}  // namespace

TEST_F(HostileText, theWalkFindsALabelThatReadsMarkup)
{
    QLabel naive(bait.text());
    QLabel escaped(QStringLiteral("<p>%1</p>").arg(bait.text().toHtmlEscaped()));
    EXPECT_EQ(notLiteral(bait.text()).size(), 1) << "the naive one, and only that";
    naive.setTextFormat(Qt::PlainText);
    EXPECT_EQ(notLiteral(bait.text()), QStringList());
}

TEST_F(HostileText, everyPageShowsMarkupLiterallyAndAsksNobody)
{
    ASSERT_TRUE(loaded());
    jobs().table().goTo(1);
    expectLiteral("jobs");
    for (const auto tab : {JobDetail::Tab::Payload, JobDetail::Tab::History,
                           JobDetail::Tab::Attempts, JobDetail::Tab::Related}) {
        jobs().showJob("job-0");
        jobs().detail().showTab(tab);
        expectLiteral("detail");
    }
    for (const auto page : {PageId::Topics, PageId::Monitor, PageId::Audit}) {
        window.showPage(page);
        auto* table = ui().tableOf(page);
        if (page != PageId::Monitor) {
            ASSERT_TRUE(until([&] { return table->model()->rowCount() > 0; }));
        }
        expectLiteral(page == PageId::Topics    ? "topics"
                      : page == PageId::Monitor ? "monitor"
                                                : "audit");
    }
    EXPECT_TRUE(window.windowTitle().startsWith(bait.text()));
}

TEST_F(HostileText, filtersAndSavedViewsShowMarkupLiterally)
{
    ASSERT_TRUE(loaded());
    JobsView view;
    view.filter = *JobFilter::parse("err:\"" + markup + " & 'more'\"");
    jobs().savedViews().save({bait.text(), view});
    jobs().showView(view);
    ASSERT_TRUE(loaded());
    expectLiteral("filter");
    fake->jobs.clear();
    jobs().refresh();
    ASSERT_TRUE(until([&] { return jobs().feed().total() == 0; }));
    expectLiteral("nothing-found");
    jobs().filterBar().edit().setText(bait.text() + QStringLiteral(" AND ("));
    expectLiteral("wrong-filter");
}

TEST_F(HostileText, errorsAndTheLostConnectionShowMarkupLiterally)
{
    ASSERT_TRUE(loaded());
    fake->nextError = Error{ErrorCode::Unavailable, markup};
    jobs().refresh();
    ASSERT_TRUE(until([&] { return jobs().feed().error().has_value(); }));
    expectLiteral("error");
    auto link = fake->link();
    link.phase = LinkState::Phase::Lost;
    link.problem = bait.text();
    fake->setLink(link);
    expectLiteral("lost");
    link.phase = LinkState::Phase::Connecting;
    link.step = bait.text();
    fake->setLink(link);
    expectLiteral("connecting");
    link.phase = LinkState::Phase::Ready;
    link.writable = false;
    link.whyNotWritable = bait.text();
    fake->setLink(link);
    expectLiteral("read-only");
}

TEST_F(HostileText, dialogsAndTasksShowMarkupLiterally)
{
    ASSERT_TRUE(loaded());
    fake->failing = {"job-1"};
    jobs().table().jobsSelection().selectLoaded();
    window.actions()[ActionId::Trash]->trigger();
    window.actions()[ActionId::ShowTasks]->trigger();
    ui().tasks()->show();
    expectLiteral("tasks");
    Task task;
    task.title = task.scope = task.actor = task.problem = task.result = bait.text();
    task.failures = {{markup, Error{ErrorCode::Unavailable, markup}}};
    task.failed = 1;
    auto& board = window.jobActions().board();
    board.end(board.begin(task, [] {}));
    expectLiteral("task-failed");
    for (const auto act : {ActionId::DeletePermanently, ActionId::Reschedule,
                           ActionId::DuplicateAsNew, ActionId::Export, ActionId::GoToJob,
                           ActionId::CommandPalette, ActionId::Shortcuts, ActionId::Preferences}) {
        jobs().table().goTo(0);
        turn();
        window.actions()[act]->trigger();
        expectLiteral(qPrintable(window.actions()[act]->objectName()));
        for (auto* dialog : ui().dialogs()) {
            dialog->reject();
        }
        ASSERT_TRUE(until([&] { return ui().dialogs().isEmpty(); }))
            << window.actions()[act]->objectName().toStdString();
    }
}

}  // namespace restante::gui::test
