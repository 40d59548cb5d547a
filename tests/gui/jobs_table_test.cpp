#include "gui/pages/jobs/filter_bar.h"
#include "tests/gui/support/jobs_room.h"
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
std::vector<JobView> seeded(int count, const std::string& prefix = "job-")
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

void toggle(JobsRoom& room, int row)
{
    auto& marks = room.table().marks();
    marks.select(room.table().model()->index(row, 1),
                 QItemSelectionModel::Toggle | QItemSelectionModel::Rows);
}

}  // namespace

TEST(LargeTable, aMillionRowsAppearAtOnceAndTheLastIsNearby)
{
    JobsRoom room([](FakeBackend& fake) { fake.haveRows(1'000'000); });
    room.table().grab();  // fonts and icons are loaded once in the life of a program
    const auto memory = residentMiB();
    auto began = threadMs();
    room.open();
    ASSERT_TRUE(until([&] { return room.page.feed().row(0) != nullptr; }));
    room.table().grab();
    EXPECT_LT(threadMs() - began, 300 * slowness());
    auto* bar = room.table().verticalScrollBar();
    began = threadMs();
    bar->setValue(bar->maximum());
    room.table().grab();
    EXPECT_LT(threadMs() - began, 200 * slowness());
    ASSERT_TRUE(until([&] { return room.page.feed().row(999'999) != nullptr; }));
    EXPECT_EQ(room.page.feed().total(), 1'000'000U);
    EXPECT_LT(residentMiB() - memory, 150 * slowness());
}

TEST(SlowStore, aStoreThatAnswersLateStallsNothing)
{
    JobsRoom room([](FakeBackend& fake) {
        fake.haveRows(1'000'000);
        fake.latencyMs = 2'000;
    });
    room.open();
    turn();
    room.table().grab();
    const Heartbeat heart;
    ASSERT_TRUE(until([&] { return room.page.feed().answered(); }));
    auto* bar = room.table().verticalScrollBar();
    for (const int part : {2, 3, 4}) {
        bar->setValue(bar->maximum() / part);
        turn();
    }
    // A filter that the store must look through, and back to all.
    auto& edit = room.page.filterBar().edit();
    edit.setText(QStringLiteral("to:*@example.org"));
    QTest::keyClick(&edit, Qt::Key_Return);
    ASSERT_TRUE(until([&] { return room.page.feed().answered(); }));
    edit.clear();
    QTest::keyClick(&edit, Qt::Key_Return);
    ASSERT_TRUE(until([&] { return room.page.feed().answered(); }));
    // An order on what is loaded, in several steps, of which the table is told.
    room.fake->actStep = 100;
    room.table().marks().pickLoaded();
    Order order;
    order.verb = BulkAction::Verb::Hold;
    order.selection = room.page.selected();
    ASSERT_EQ(order.selection.ids.size(), 200U);
    std::optional<Result<BulkReport>> report;
    int told = 0;
    room.session->commands().act(
        order, [&](const Progress&) { ++told; },
        {&room.page, [&](Result<BulkReport> answer) { report = std::move(answer); }});
    bar->setValue(bar->maximum() / 5);
    ASSERT_TRUE(until([&] { return report.has_value(); }));
    ASSERT_TRUE(*report);
    EXPECT_EQ((*report)->done, 200U);
    EXPECT_EQ(told, 2);
    ASSERT_TRUE(until([&] { return room.page.feed().row(200'000) != nullptr; }));
    EXPECT_LT(heart.longestWork(), 100 * slowness());
    // Whoever waited for an answer would have waited for two seconds.
    EXPECT_LT(heart.longestWait(), 1'500);
}

TEST(TablePages, aJumpToTheMiddleAsksForThePagesAroundItOnly)
{
    JobsRoom room([](FakeBackend& fake) { fake.haveRows(1'000'000); });
    ASSERT_TRUE(room.opened());
    ASSERT_TRUE(room.settled());
    room.fake->pages.clear();
    auto* bar = room.table().verticalScrollBar();
    bar->setValue(bar->maximum() / 2);
    ASSERT_TRUE(until([&] { return room.page.feed().row(500'000) != nullptr; }));
    ASSERT_TRUE(room.settled());
    EXPECT_LE(room.fake->pages.size(), 3U);
    for (const auto& request : room.fake->pages) {
        EXPECT_NEAR(static_cast<double>(request.offset), 500'000, 600);
    }
}

TEST(TablePages, whatIsScrolledPastIsCancelled)
{
    JobsRoom room([](FakeBackend& fake) { fake.haveRows(1'000'000); });
    ASSERT_TRUE(room.opened());
    ASSERT_TRUE(room.settled());
    room.fake->pages.clear();
    room.fake->cancelled.clear();
    room.fake->latencyMs = 300;
    auto* bar = room.table().verticalScrollBar();
    bar->setValue(bar->maximum() / 2);
    ASSERT_TRUE(until([&] { return !room.fake->pages.empty(); }));
    const auto passed = room.fake->pages.size();
    bar->setValue(bar->maximum());
    ASSERT_TRUE(until([&] { return room.page.feed().row(999'999) != nullptr; }));
    EXPECT_EQ(room.fake->cancelled.size(), passed);
    EXPECT_EQ(room.page.feed().row(500'000), nullptr);
}

TEST(LateReply, aLateReplyOfAnOlderQueryNeverChangesTheModel)
{
    JobsRoom room([](FakeBackend& fake) { fake.jobs = seeded(100); });
    ASSERT_TRUE(room.opened());
    room.fake->latencyMs = 50;
    room.page.showView(viewOf("id:job-1,job-2,job-3"));
    room.page.showView(viewOf("id:job-7"));
    room.fake->cancelled.clear();  // a store that answers all the same
    ASSERT_TRUE(until([&] { return room.page.feed().answered(); }));
    ASSERT_TRUE(room.settled());
    ASSERT_EQ(room.page.feed().total(), 1U);
    EXPECT_EQ(room.idAt(0), "job-7");
}

TEST(UncountedTable, rowsAreThereWhileTheyAreStillCounted)
{
    JobsRoom room([](FakeBackend& fake) { fake.jobs = seeded(3'200); });
    ASSERT_TRUE(room.opened());
    room.fake->latencyMs = 60;
    room.page.showView(viewOf("to:sip:bob*"));
    ASSERT_TRUE(until([&] { return room.page.counter().counting(); }));
    EXPECT_NE(room.page.feed().row(0), nullptr);
    EXPECT_EQ(room.page.countText(), QStringLiteral("counting…"));
    ASSERT_TRUE(until([&] { return room.page.counter().exact(); }));
    EXPECT_EQ(room.page.countText(), QStringLiteral("1,600 matching (exact)"));
}

TEST(AllButSelection, allMatchingButFourIsAFilterWithFourExceptions)
{
    JobsRoom room([](FakeBackend& fake) { fake.haveRows(3'004); });
    ASSERT_TRUE(room.opened());
    ASSERT_TRUE(room.settled());
    room.actions[Act::SelectAllMatching]->setEnabled(true);
    room.actions[Act::SelectAllMatching]->trigger();
    EXPECT_EQ(room.page.selection().count, 3'004U);
    for (const int row : {3, 4, 5, 9}) {
        toggle(room, row);
    }
    const auto selected = room.page.selected();
    EXPECT_TRUE(selected.all);
    EXPECT_TRUE(selected.ids.empty());
    EXPECT_EQ(selected.except, (std::set<std::string>{"job-3", "job-4", "job-5", "job-9"}));
    EXPECT_EQ(selected.count, 3'000U);
    EXPECT_TRUE(selected.exact);
    EXPECT_EQ(room.ui().selectionText()->text(),
              QStringLiteral("All 3,004 matching selected, minus 4"));
    // The store is told the same.
    Order order;
    order.mode = Order::Mode::DryRun;
    order.selection = selected;
    room.session->commands().act(order, {}, {&room.page, [](Result<BulkReport>) {}});
    const auto& got = room.fake->orders.front().selection;
    EXPECT_TRUE(got.all);
    EXPECT_TRUE(got.ids.empty());
    EXPECT_EQ(got.except.size(), 4U);
    // Scrolled away and back, the four are still the ones that are left out.
    auto* bar = room.table().verticalScrollBar();
    bar->setValue(bar->maximum());
    ASSERT_TRUE(until([&] { return room.page.feed().row(3'003) != nullptr; }));
    EXPECT_TRUE(room.table().marks().isRowSelected(3'003));
    bar->setValue(0);
    ASSERT_TRUE(room.settled());
    EXPECT_FALSE(room.table().marks().isRowSelected(4));
    EXPECT_EQ(room.page.selected().count, 3'000U);
}

TEST(FilteredSelection, allThatThePageShowsUnderAFilterIsAllThatAnOrderTouches)
{
    JobsRoom room([](FakeBackend& fake) { fake.jobs = seeded(1'000); });
    ASSERT_TRUE(room.opened());
    room.page.showView(viewOf("to:sip:bob*"));
    ASSERT_TRUE(until([&] { return room.page.feed().answered(); }));
    room.table().marks().pickAllMatching();
    toggle(room, 0);
    Order order;
    order.selection = room.page.selected();
    std::optional<Result<BulkReport>> answer;
    room.session->commands().act(
        order, {}, {&room.page, [&](Result<BulkReport> report) { answer = std::move(report); }});
    ASSERT_TRUE(until([&] { return answer.has_value(); }));
    ASSERT_TRUE(answer->has_value());
    EXPECT_EQ((*answer)->done, 499U);
    EXPECT_EQ(room.fake->orders.front().selection.view.filter.text(), "to:sip:bob*");
    std::size_t touched = 0;
    for (const auto& job : room.fake->jobs) {
        const bool trashed = job.state == JobState::Trashed;
        touched += trashed ? 1 : 0;
        EXPECT_FALSE(trashed && !job.job.recipient.starts_with("sip:bob")) << job.job.id;
    }
    EXPECT_EQ(touched, 499U);
}

TEST(Selection, staysWithTheIdsWhenRowsGoAndCome)
{
    JobsRoom room([](FakeBackend& fake) { fake.jobs = seeded(50); });
    ASSERT_TRUE(room.opened());
    toggle(room, 10);
    toggle(room, 20);
    room.fake->jobs.erase(room.fake->jobs.begin(), room.fake->jobs.begin() + 5);
    room.page.refresh();
    ASSERT_TRUE(until([&] { return room.page.feed().total() == 45; }));
    EXPECT_EQ(room.page.selected().ids, (std::vector<std::string>{"job-10", "job-20"}));
    EXPECT_TRUE(room.table().marks().isRowSelected(5));
    EXPECT_FALSE(room.table().marks().isRowSelected(10));
}

TEST(Selection, endsWithTheView)
{
    JobsRoom room([](FakeBackend& fake) { fake.jobs = seeded(50); });
    ASSERT_TRUE(room.opened());
    room.table().marks().pickAllMatching();
    room.page.showTopic("order");
    EXPECT_EQ(room.page.selection().count, 0U);
    EXPECT_FALSE(room.page.selected().all);
}

TEST(Keyboard, homeAndEndLeadToTheFirstAndTheLastJob)
{
    JobsRoom room([](FakeBackend& fake) { fake.haveRows(1'000'000); });
    room.open();
    ASSERT_TRUE(until([&] { return room.page.feed().row(0) != nullptr; }));
    room.table().goTo(7);
    QTest::keyClick(&room.table(), Qt::Key_End);
    EXPECT_EQ(room.table().currentIndex().row(), 999'999);
    ASSERT_TRUE(until([&] { return room.page.feed().row(999'999) != nullptr; }));
    QTest::keyClick(&room.table(), Qt::Key_Home);
    EXPECT_EQ(room.table().currentIndex().row(), 0);
    QTest::keyClick(&room.table(), Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_EQ(room.table().picks().count(1'000'000), 2U);
}

TEST(HostileTextInTable, textsOfStrangersAreShownAsTheyAre)
{
    const std::string hostile = "<b>x</b><img src=http://example.org/a.png>";
    JobsRoom room([&](FakeBackend& fake) {
        fake.jobs = seeded(1);
        fake.jobs[0].job.sender = hostile;
        fake.jobs[0].lastError = hostile;
    });
    ASSERT_TRUE(room.opened());
    const auto literal = QString::fromStdString(hostile);
    auto* model = room.table().model();
    for (const auto column : {JobColumn::From, JobColumn::Error}) {
        const auto index = model->index(0, static_cast<int>(column));
        EXPECT_EQ(index.data().toString(), literal);
        const auto tip = index.data(Qt::ToolTipRole).toString();
        EXPECT_FALSE(tip.contains(QStringLiteral("<img")));
        EXPECT_TRUE(tip.contains(literal.toHtmlEscaped()));
    }
    for (const auto* label : room.page.findChildren<QLabel*>()) {
        EXPECT_TRUE(label->textFormat() == Qt::PlainText || !label->text().contains(u'<'))
            << label->objectName().toStdString();
    }
    room.table().grab();
}

TEST(ColumnLayout, columnsAreFoundAsTheyWereLeft)
{
    JobsRoom room([](FakeBackend& fake) { fake.jobs = seeded(3); });
    ASSERT_TRUE(room.opened());
    room.table().setColumnShown(JobColumn::Id, true);
    room.table().setColumnShown(JobColumn::From, false);
    room.table().horizontalHeader()->resizeSection(static_cast<int>(JobColumn::To), 321);
    room.table().moveColumn(JobColumn::Id, 1);
    const JobsPage again{Context{room.actions, room.preferences}};
    auto& table = const_cast<JobsPage&>(again).table();
    EXPECT_TRUE(table.isColumnShown(JobColumn::Id));
    EXPECT_FALSE(table.isColumnShown(JobColumn::From));
    EXPECT_EQ(table.columnWidth(static_cast<int>(JobColumn::To)), 321);
    EXPECT_EQ(table.horizontalHeader()->logicalIndex(1), static_cast<int>(JobColumn::Id));
    EXPECT_TRUE(table.horizontalHeader()->isSortIndicatorShown());
    room.preferences.forgetLayouts();
    EXPECT_FALSE(table.isColumnShown(JobColumn::Id));
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
    EXPECT_FALSE(page.table().isColumnShown(JobColumn::Topic));
    EXPECT_EQ(page.table().horizontalHeader()->logicalIndex(2), 5);
    EXPECT_EQ(page.table().isColumnShown(JobColumn::Id), shownAtFirst(JobColumn::Id));
    EXPECT_GT(page.table().columnWidth(static_cast<int>(JobColumn::Error)), 0);
}

TEST(TableAccessibility, aCellSaysItsColumnAndTheStateItsWord)
{
    JobsRoom room([](FakeBackend& fake) { fake.jobs = seeded(1); });
    ASSERT_TRUE(room.opened());
    const auto index = room.table().model()->index(0, static_cast<int>(JobColumn::State));
    EXPECT_EQ(index.data(Qt::AccessibleTextRole).toString(), QStringLiteral("State: Scheduled"));
    EXPECT_FALSE(room.table().accessibleName().isEmpty());
}

}  // namespace restante::gui::test
