// The states of the page of jobs: each is there, says what it must, and is pictured in each look.

#include "gui/pages/jobs/columns_dialog.h"
#include "gui/pages/jobs/filter_bar.h"
#include "gui/pages/jobs/jobs_bars.h"
#include "gui/theme/empty_pane.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/jobs_page_fixture.h"
#include "tests/gui/support/screens.h"
#include "tests/gui/support/seeded_jobs.h"
#include "tests/gui/support/wearing.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QScrollBar>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

std::vector<JobView> mixedJobs()
{
    auto jobs = seededJobs(400);
    for (std::size_t at = 0; at < jobs.size(); ++at) {
        auto& view = jobs[at];
        view.state = kJobStates[at % kJobStates.size()];
        view.job.channel = at % 3 == 0   ? Channel::Sip
                           : at % 3 == 1 ? Channel::Webhook
                                         : Channel::Pull;
        view.job.sender = "sip:alice@example.org";
        view.lastError = view.state == JobState::Dead ? "486 Busy Here" : "";
    }
    return jobs;
}

void haveMixedJobs(FakeBackend& fake)
{
    fake.jobs = mixedJobs();
    for (const auto& job : fake.jobs) {
        ++fake.storeCounts.states[job.state];
    }
    TopicView topic;
    topic.topic = "order";
    topic.channels.push_back({Channel::Sip, "order", 58, 57});
    fake.topicList.push_back(topic);
}

bool picture(JobsPageFixture& fixture, const char* state, const ScreenLook& look)
{
    const bool kept = keepPicture(&fixture.page, (std::string("jobs-") + state).c_str(), look);
    const auto clipped = clippedTexts(fixture.page);
    EXPECT_TRUE(clipped.isEmpty()) << state << ": " << clipped.join(u'\n').toStdString();
    return kept;
}

class JobsStates : public testing::TestWithParam<ScreenLook> {};

}  // namespace

TEST_P(JobsStates, withoutAConnectionAndWhileItIsMade)
{
    const Wearing look(GetParam());
    JobsPageFixture fixture(&haveMixedJobs);
    EXPECT_EQ(fixture.ui().notice().buttons.size(), 3);
    EXPECT_TRUE(picture(fixture, "no-profile", GetParam()));
    auto link = fixture.fake->link();
    link.phase = LinkState::Phase::Connecting;
    link.step = QStringLiteral("AUTH");
    fixture.fake->setLink(link);
    fixture.open();
    EXPECT_TRUE(fixture.ui().notice().skeleton);
    EXPECT_EQ(fixture.ui().notice().buttons.size(), 1);  // Cancel
    EXPECT_TRUE(picture(fixture, "connecting", GetParam()));
}

TEST_P(JobsStates, withoutARow)
{
    const Wearing look(GetParam());
    JobsPageFixture fixture;
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    JobsView view;
    view.states = {JobState::Held};
    fixture.page.showView(view);
    ASSERT_TRUE(until([&] { return fixture.ui().notice().buttons.size() == 1; }));
    EXPECT_TRUE(picture(fixture, "empty", GetParam()));
    view.filter = JobFilter::parse("state:held to:<b>nobody</b> attempts>3").value();
    fixture.page.showView(view);
    // Each of three terms, all of them, and the tab.
    ASSERT_TRUE(until([&] { return fixture.ui().notice().buttons.size() == 5; }));
    EXPECT_TRUE(picture(fixture, "no-result", GetParam()));
}

TEST_P(JobsStates, withRowsThatAreOnTheirWay)
{
    const Wearing look(GetParam());
    JobsPageFixture fixture([](FakeBackend& fake) { fake.haveRows(1'000'000); });
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    fixture.fake->latencyMs = 3'000;
    fixture.table().verticalScrollBar()->setValue(500'000);
    const auto cell = fixture.table().model()->index(500'003, static_cast<int>(JobColumn::To));
    EXPECT_TRUE(cell.data(JobsModel::LoadingRole).toBool());
    EXPECT_FALSE(cell.data(Qt::AccessibleTextRole).toString().isEmpty());
    EXPECT_TRUE(picture(fixture, "loading", GetParam()));
}

TEST_P(JobsStates, whileItIsLookedThroughAndWithASelection)
{
    const Wearing look(GetParam());
    JobsPageFixture fixture([](FakeBackend& fake) {
        fake.jobs = mixedJobs();
        fake.storeCounts.states[JobState::Scheduled] = 1'204'331;
    });
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    fixture.fake->latencyMs = 200;
    fixture.ui().filter(QStringLiteral("attempts>=0 -err:nothing"));
    ASSERT_TRUE(until([&] { return fixture.page.feed().scan().found >= 200; }));
    fixture.table().jobsSelection().selectAllMatching();
    EXPECT_TRUE(fixture.ui().scanStop()->isVisible());
    EXPECT_TRUE(picture(fixture, "scan", GetParam()));
}

TEST_P(JobsStates, withAnErrorOverRowsThatAreStale)
{
    const Wearing look(GetParam());
    JobsPageFixture fixture(&haveMixedJobs);
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    fixture.fake->nextError = Error{ErrorCode::Busy, "a script runs for 5 s already"};
    fixture.page.refresh();
    auto* bar = fixture.ui().trouble();
    ASSERT_TRUE(until([&] { return bar->isVisible(); }));
    EXPECT_TRUE(bar->text().contains(QStringLiteral("a script runs for 5 s already")));
    EXPECT_TRUE(bar->text().contains(QStringLiteral("busy")));
    // The age of the rows goes on.
    const auto first = bar->text();
    EXPECT_TRUE(until([&] { return bar->text() != first; }));
    EXPECT_EQ(fixture.page.feed().total(), 400U);
    EXPECT_TRUE(fixture.table().jobs().isStale());
    const auto cell = fixture.table().model()->index(0, static_cast<int>(JobColumn::To));
    EXPECT_EQ(cell.data(Qt::ForegroundRole).value<QBrush>().color(),
              QGuiApplication::palette().color(QPalette::Disabled, QPalette::Text));
    fixture.ui().troubleCopy()->click();
    EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(QStringLiteral("busy")));
    EXPECT_TRUE(picture(fixture, "error", GetParam()));
    fixture.ui().troubleRetry()->click();
    EXPECT_TRUE(until([&] { return !bar->isVisible() && !fixture.table().jobs().isStale(); }));
}

TEST_P(JobsStates, withTheConnectionLost)
{
    const Wearing look(GetParam());
    JobsPageFixture fixture(&haveMixedJobs);
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    auto link = fixture.fake->link();
    link.phase = LinkState::Phase::Lost;
    link.problem = QStringLiteral("The server closed the connection.");
    fixture.fake->setLink(link);
    EXPECT_TRUE(fixture.table().isVisible());
    EXPECT_TRUE(fixture.table().jobs().isStale());
    EXPECT_TRUE(picture(fixture, "lost", GetParam()));
    // Found again, it looks again.
    fixture.fake->jobs.pop_back();
    link.phase = LinkState::Phase::Ready;
    fixture.fake->setLink(link);
    EXPECT_TRUE(until([&] { return fixture.page.feed().total() == 399; }));
    EXPECT_FALSE(fixture.table().jobs().isStale());
}

TEST_P(JobsStates, withNumbersThatTheStoreDoesNotKeep)
{
    const Wearing look(GetParam());
    JobsPageFixture fixture(&haveMixedJobs);
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    EXPECT_TRUE(picture(fixture, "all", GetParam()));
    JobsView view;
    view.states = {JobState::Dead};
    fixture.page.showView(view);
    ASSERT_TRUE(until([&] { return fixture.page.feed().answered(); }));
    for (const int row : {1, 2, 5}) {
        fixture.table().jobsSelection().select(fixture.table().model()->index(row, 1),
                                               QItemSelectionModel::Toggle |
                                                   QItemSelectionModel::Rows);
    }
    EXPECT_TRUE(picture(fixture, "dead", GetParam()));
}

TEST_P(JobsStates, withTheDialogOfItsColumns)
{
    const Wearing look(GetParam());
    JobsPageFixture fixture(&haveMixedJobs);
    ASSERT_TRUE(fixture.opened());
    fixture.actions[ActionId::Columns]->setEnabled(true);
    fixture.actions[ActionId::Columns]->trigger();
    auto* dialog = newestOf<ColumnsDialog>(fixture.page);
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(keepPicture(dialog, "jobs-columns", GetParam()));
    EXPECT_TRUE(clippedTexts(*dialog).isEmpty());
    dialog->reject();
}

INSTANTIATE_TEST_SUITE_P(Looks, JobsStates, testing::ValuesIn(kEveryLook), [](const auto& look) {
    return std::string(look.param.name);
});

}  // namespace restante::gui::test
