#include "gui/pages/jobs/filter_bar.h"
#include "tests/gui/support/jobs_page_fixture.h"
#include "tests/gui/support/stopwatch.h"

#include <QAction>
#include <QFile>
#include <QHeaderView>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QTest>
#include <gtest/gtest.h>

#include <unistd.h>

namespace restante::gui::test {

namespace {

double residentMiB()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly)) {
        return 0;
    }
    const auto pages = file.readAll().split(' ').value(1).toDouble();
    return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024 / 1024;
}

/// `count` jobs that are due one after the other, a second apart.
std::vector<JobView> jobsASecondApart(int count, const std::string& prefix = "job-")
{
    std::vector<JobView> jobs;
    for (int at = 0; at < count; ++at) {
        JobView view;
        view.job.id = prefix + std::to_string(at);
        view.job.topic = "order";
        view.job.recipient = at % 2 == 0 ? "sip:bob@example.org" : "sip:alice@example.org";
        view.job.created = TimePoint{Millis{1'792'000'000'000}};
        view.due = TimePoint{Millis{1'793'000'000'000 + at * 1'000}};
        jobs.push_back(view);
    }
    return jobs;
}

JobsView viewOf(const char* filter)
{
    JobsView view;
    view.filter = JobFilter::parse(filter).value();
    return view;
}

}  // namespace

TEST(LargeTable, aMillionRowsAppearAtOnceAndTheLastIsNearby)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.haveRows(1'000'000); });
    fixture.table().grab();  // fonts and icons are loaded once in the life of a program
    const auto memory = residentMiB();
    auto began = threadMs();
    fixture.open();
    ASSERT_TRUE(until([&] { return fixture.page.feed().row(0) != nullptr; }));
    fixture.table().grab();
    EXPECT_LT(threadMs() - began, 300 * slowness());
    auto* bar = fixture.table().verticalScrollBar();
    began = threadMs();
    bar->setValue(bar->maximum());
    fixture.table().grab();
    EXPECT_LT(threadMs() - began, 200 * slowness());
    ASSERT_TRUE(until([&] { return fixture.page.feed().row(999'999) != nullptr; }));
    EXPECT_EQ(fixture.page.feed().total(), 1'000'000U);
    EXPECT_LT(residentMiB() - memory, 150 * slowness());
}

TEST(SlowStore, aStoreThatAnswersLateStallsNothing)
{
    JobsPageFixture fixture([](FakeBackend& fake) {
        fake.haveRows(1'000'000);
        fake.latencyMs = 2'000;
    });
    fixture.open();
    turn();
    fixture.table().grab();
    const Heartbeat heart;
    ASSERT_TRUE(until([&] { return fixture.page.feed().answered(); }));
    auto* bar = fixture.table().verticalScrollBar();
    for (const int part : {2, 3, 4}) {
        bar->setValue(bar->maximum() / part);
        turn();
    }
    // A filter that the store must look through, and back to all.
    auto& edit = fixture.page.filterBar().edit();
    edit.setText(QStringLiteral("to:*@example.org"));
    QTest::keyClick(&edit, Qt::Key_Return);
    ASSERT_TRUE(until([&] { return fixture.page.feed().answered(); }));
    edit.clear();
    QTest::keyClick(&edit, Qt::Key_Return);
    ASSERT_TRUE(until([&] { return fixture.page.feed().answered(); }));
    // An order on what is loaded, in several steps, of which the table is told.
    fixture.fake->actStep = 100;
    fixture.table().jobsSelection().selectLoaded();
    BulkRequest order;
    order.verb = BulkAction::Verb::Hold;
    order.selection = fixture.page.selected();
    ASSERT_EQ(order.selection.ids.size(), 200U);
    std::optional<Result<BulkReport>> report;
    int told = 0;
    fixture.session->commands().runBulk(
        order, [&](const Progress&) { ++told; },
        {&fixture.page, [&](Result<BulkReport> answer) { report = std::move(answer); }});
    bar->setValue(bar->maximum() / 5);
    ASSERT_TRUE(until([&] { return report.has_value(); }));
    ASSERT_TRUE(*report);
    EXPECT_EQ((*report)->done, 200U);
    EXPECT_EQ(told, 2);
    ASSERT_TRUE(until([&] { return fixture.page.feed().row(200'000) != nullptr; }));
    EXPECT_LT(heart.longestWork(), 100 * slowness());
    // Whoever waited for an answer would have waited for two seconds.
    EXPECT_LT(heart.longestWait(), 1'500);
}

TEST(TablePages, aJumpToTheMiddleAsksForThePagesAroundItOnly)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.haveRows(1'000'000); });
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    fixture.fake->pages.clear();
    auto* bar = fixture.table().verticalScrollBar();
    bar->setValue(bar->maximum() / 2);
    ASSERT_TRUE(until([&] { return fixture.page.feed().row(500'000) != nullptr; }));
    ASSERT_TRUE(fixture.settled());
    EXPECT_LE(fixture.fake->pages.size(), 3U);
    for (const auto& request : fixture.fake->pages) {
        EXPECT_NEAR(static_cast<double>(request.offset), 500'000, 600);
    }
}

TEST(TablePages, whatIsScrolledPastIsCancelled)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.haveRows(1'000'000); });
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    fixture.fake->pages.clear();
    fixture.fake->cancelled.clear();
    fixture.fake->latencyMs = 300;
    auto* bar = fixture.table().verticalScrollBar();
    bar->setValue(bar->maximum() / 2);
    ASSERT_TRUE(until([&] { return !fixture.fake->pages.empty(); }));
    const auto passed = fixture.fake->pages.size();
    bar->setValue(bar->maximum());
    ASSERT_TRUE(until([&] { return fixture.page.feed().row(999'999) != nullptr; }));
    EXPECT_EQ(fixture.fake->cancelled.size(), passed);
    EXPECT_EQ(fixture.page.feed().row(500'000), nullptr);
}

TEST(LateReply, aLateReplyOfAnOlderQueryNeverChangesTheModel)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = jobsASecondApart(100); });
    ASSERT_TRUE(fixture.opened());
    fixture.fake->latencyMs = 50;
    fixture.page.showView(viewOf("id:job-1,job-2,job-3"));
    fixture.page.showView(viewOf("id:job-7"));
    fixture.fake->cancelled.clear();  // a store that answers all the same
    ASSERT_TRUE(until([&] { return fixture.page.feed().answered(); }));
    ASSERT_TRUE(fixture.settled());
    ASSERT_EQ(fixture.page.feed().total(), 1U);
    EXPECT_EQ(fixture.idAt(0), "job-7");
}

TEST(UncountedTable, rowsAreThereWhileTheyAreStillCounted)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = jobsASecondApart(3'200); });
    ASSERT_TRUE(fixture.opened());
    fixture.fake->latencyMs = 60;
    fixture.page.showView(viewOf("to:sip:bob*"));
    ASSERT_TRUE(until([&] { return fixture.page.counter().isPending(); }));
    EXPECT_NE(fixture.page.feed().row(0), nullptr);
    EXPECT_EQ(fixture.page.countText(), QStringLiteral("counting…"));
    ASSERT_TRUE(until([&] { return fixture.page.counter().exact(); }));
    EXPECT_EQ(fixture.page.countText(), QStringLiteral("1,600 matching (exact)"));
}

TEST(AllButSelection, allMatchingButFourIsAFilterWithFourExceptions)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.haveRows(3'004); });
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    fixture.actions[ActionId::SelectAllMatching]->setEnabled(true);
    fixture.actions[ActionId::SelectAllMatching]->trigger();
    EXPECT_EQ(fixture.page.selection().count, 3'004U);
    for (const int row : {3, 4, 5, 9}) {
        toggle(fixture, row);
    }
    const auto selected = fixture.page.selected();
    EXPECT_TRUE(selected.all);
    EXPECT_TRUE(selected.ids.empty());
    EXPECT_EQ(selected.except, (std::set<std::string>{"job-3", "job-4", "job-5", "job-9"}));
    EXPECT_EQ(selected.count, 3'000U);
    EXPECT_TRUE(selected.exact);
    EXPECT_EQ(fixture.ui().selectionText()->text(),
              QStringLiteral("All 3,004 matching selected, minus 4"));
    // The store is told the same.
    BulkRequest order;
    order.mode = BulkRequest::Mode::DryRun;
    order.selection = selected;
    fixture.session->commands().runBulk(order, {}, {&fixture.page, [](Result<BulkReport>) {}});
    const auto& got = fixture.fake->bulkRequests.front().selection;
    EXPECT_TRUE(got.all);
    EXPECT_TRUE(got.ids.empty());
    EXPECT_EQ(got.except.size(), 4U);
    // Scrolled away and back, the four are still the ones that are left out.
    auto* bar = fixture.table().verticalScrollBar();
    bar->setValue(bar->maximum());
    ASSERT_TRUE(until([&] { return fixture.page.feed().row(3'003) != nullptr; }));
    EXPECT_TRUE(fixture.table().jobsSelection().isRowSelected(3'003));
    bar->setValue(0);
    ASSERT_TRUE(fixture.settled());
    EXPECT_FALSE(fixture.table().jobsSelection().isRowSelected(4));
    EXPECT_EQ(fixture.page.selected().count, 3'000U);
}

TEST(FilteredSelection, allThatThePageShowsUnderAFilterIsAllThatAnOrderTouches)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = jobsASecondApart(1'000); });
    ASSERT_TRUE(fixture.opened());
    fixture.page.showView(viewOf("to:sip:bob*"));
    ASSERT_TRUE(until([&] { return fixture.page.feed().answered(); }));
    fixture.table().jobsSelection().selectAllMatching();
    toggle(fixture, 0);
    BulkRequest order;
    order.selection = fixture.page.selected();
    std::optional<Result<BulkReport>> answer;
    fixture.session->commands().runBulk(
        order, {}, {&fixture.page, [&](Result<BulkReport> report) { answer = std::move(report); }});
    ASSERT_TRUE(until([&] { return answer.has_value(); }));
    ASSERT_TRUE(answer->has_value());
    EXPECT_EQ((*answer)->done, 499U);
    EXPECT_EQ(fixture.fake->bulkRequests.front().selection.view.filter.text(), "to:sip:bob*");
    std::size_t touched = 0;
    for (const auto& job : fixture.fake->jobs) {
        const bool trashed = job.state == JobState::Trashed;
        touched += trashed ? 1 : 0;
        EXPECT_FALSE(trashed && !job.job.recipient.starts_with("sip:bob")) << job.job.id;
    }
    EXPECT_EQ(touched, 499U);
}

TEST(Selection, staysWithTheIdsWhenRowsGoAndCome)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = jobsASecondApart(50); });
    ASSERT_TRUE(fixture.opened());
    toggle(fixture, 10);
    toggle(fixture, 20);
    fixture.fake->jobs.erase(fixture.fake->jobs.begin(), fixture.fake->jobs.begin() + 5);
    fixture.page.refresh();
    ASSERT_TRUE(until([&] { return fixture.page.feed().total() == 45; }));
    EXPECT_EQ(fixture.page.selected().ids, (std::vector<std::string>{"job-10", "job-20"}));
    EXPECT_TRUE(fixture.table().jobsSelection().isRowSelected(5));
    EXPECT_FALSE(fixture.table().jobsSelection().isRowSelected(10));
}

TEST(Selection, endsWithTheView)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = jobsASecondApart(50); });
    ASSERT_TRUE(fixture.opened());
    fixture.table().jobsSelection().selectAllMatching();
    fixture.page.showTopic("order");
    EXPECT_EQ(fixture.page.selection().count, 0U);
    EXPECT_FALSE(fixture.page.selected().all);
}

TEST(Keyboard, homeAndEndLeadToTheFirstAndTheLastJob)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.haveRows(1'000'000); });
    fixture.open();
    ASSERT_TRUE(until([&] { return fixture.page.feed().row(0) != nullptr; }));
    fixture.table().goTo(7);
    QTest::keyClick(&fixture.table(), Qt::Key_End);
    EXPECT_EQ(fixture.table().currentIndex().row(), 999'999);
    ASSERT_TRUE(until([&] { return fixture.page.feed().row(999'999) != nullptr; }));
    QTest::keyClick(&fixture.table(), Qt::Key_Home);
    EXPECT_EQ(fixture.table().currentIndex().row(), 0);
    QTest::keyClick(&fixture.table(), Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_EQ(fixture.table().selectedJobs().count(1'000'000), 2U);
}

TEST(HostileTextInTable, textsOfStrangersAreShownAsTheyAre)
{
    const std::string hostile = "<b>x</b><img src=http://example.org/a.png>";
    JobsPageFixture fixture([&](FakeBackend& fake) {
        fake.jobs = jobsASecondApart(1);
        fake.jobs[0].job.sender = hostile;
        fake.jobs[0].lastError = hostile;
    });
    ASSERT_TRUE(fixture.opened());
    const auto literal = QString::fromStdString(hostile);
    auto* model = fixture.table().model();
    for (const auto column : {JobColumn::From, JobColumn::Error}) {
        const auto index = model->index(0, static_cast<int>(column));
        EXPECT_EQ(index.data().toString(), literal);
        const auto tip = index.data(Qt::ToolTipRole).toString();
        EXPECT_FALSE(tip.contains(QStringLiteral("<img")));
        EXPECT_TRUE(tip.contains(literal.toHtmlEscaped()));
    }
    for (const auto* label : fixture.page.findChildren<QLabel*>()) {
        EXPECT_TRUE(label->textFormat() == Qt::PlainText || !label->text().contains(u'<'))
            << label->objectName().toStdString();
    }
    fixture.table().grab();
}

TEST(ColumnLayout, columnsAreFoundAsTheyWereLeft)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = jobsASecondApart(3); });
    ASSERT_TRUE(fixture.opened());
    fixture.table().setColumnShown(JobColumn::Size, true);
    fixture.table().setColumnShown(JobColumn::Topic, false);
    fixture.table().horizontalHeader()->resizeSection(static_cast<int>(JobColumn::To), 321);
    fixture.table().moveColumn(JobColumn::Size, 1);
    const JobsPage again{Context{fixture.actions, fixture.preferences}};
    auto& table = const_cast<JobsPage&>(again).table();
    EXPECT_TRUE(table.isColumnChosen(JobColumn::Size));
    EXPECT_FALSE(table.isColumnChosen(JobColumn::Topic));
    EXPECT_EQ(table.columnWidth(static_cast<int>(JobColumn::To)), 321);
    EXPECT_EQ(table.horizontalHeader()->logicalIndex(1), static_cast<int>(JobColumn::Size));
    EXPECT_TRUE(table.horizontalHeader()->isSortIndicatorShown());
    fixture.preferences.forgetLayouts();
    EXPECT_FALSE(table.isColumnChosen(JobColumn::Size));
    EXPECT_EQ(table.horizontalHeader()->logicalIndex(1), static_cast<int>(JobColumn::State));
}

TEST(ColumnLayout, aLayoutWithFewerColumnsIsTaken)
{
    constexpr int kOnce = 10;
    QStandardItemModel model(0, kOnce);
    QTableView old;
    old.setModel(&model);
    old.setColumnHidden(static_cast<int>(JobColumn::Topic), true);
    old.horizontalHeader()->moveSection(5, 2);
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    preferences.setLayout(QStringLiteral("jobs/header"),
                          "1 10 " + old.horizontalHeader()->saveState().toBase64());
    ActionRegistry actions;
    JobsPage page{Context{actions, preferences}};
    EXPECT_FALSE(page.table().isColumnChosen(JobColumn::Topic));
    EXPECT_EQ(page.table().horizontalHeader()->logicalIndex(2), 5);
    EXPECT_EQ(page.table().isColumnChosen(JobColumn::Id), shownByDefault(JobColumn::Id));
    EXPECT_GT(page.table().columnWidth(static_cast<int>(JobColumn::Error)), 0);
}

TEST(TableAccessibility, aCellSaysItsColumnAndTheStateItsWord)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = jobsASecondApart(1); });
    ASSERT_TRUE(fixture.opened());
    const auto index = fixture.table().model()->index(0, static_cast<int>(JobColumn::State));
    EXPECT_EQ(index.data(Qt::AccessibleTextRole).toString(), QStringLiteral("State: Scheduled"));
    EXPECT_FALSE(fixture.table().accessibleName().isEmpty());
}

}  // namespace restante::gui::test
