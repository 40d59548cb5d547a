#include "tests/gui/support/jobs_page_fixture.h"
#include "tests/gui/support/seeded_jobs.h"

#include <QLabel>
#include <QScrollBar>
#include <QTest>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

using Ids = std::vector<std::string>;

JobView& job(JobsPageFixture& fixture, const std::string& id)
{
    return *std::find_if(fixture.fake->jobs.begin(), fixture.fake->jobs.end(),
                         [&](const JobView& view) { return view.job.id == id; });
}

QPoint placeOf(JobsPageFixture& fixture, int row, JobColumn column = JobColumn::Id)
{
    const auto index = fixture.table().model()->index(row, static_cast<int>(column));
    return fixture.table().visualRect(index).center();
}

void click(JobsPageFixture& fixture, int row, Qt::KeyboardModifiers keys = Qt::NoModifier)
{
    QTest::mouseClick(fixture.table().viewport(), Qt::LeftButton, keys, placeOf(fixture, row));
}

std::size_t marked(JobsPageFixture& fixture)
{
    std::size_t rows = 0;
    for (const auto& range : fixture.table().jobsSelection().selection()) {
        rows += static_cast<std::size_t>(range.height());
    }
    return rows;
}

Result<BulkReport>
runBulk(JobsPageFixture& fixture, const Selection& selection, BulkAction::Verb verb)
{
    BulkRequest order;
    order.verb = verb;
    order.selection = selection;
    std::optional<Result<BulkReport>> answer;
    fixture.session->commands().runBulk(
        order, {}, {&fixture.page, [&](Result<BulkReport> report) { answer = std::move(report); }});
    EXPECT_TRUE(until([&] { return answer.has_value(); }));
    return *answer;
}

/// Scheduled jobs only, in a tab of theirs.
struct ScheduledFixture : JobsPageFixture {
    explicit ScheduledFixture(int count)
        : JobsPageFixture([count](FakeBackend& store) { store.jobs = seededJobs(count); })
    {
        EXPECT_TRUE(opened());
        JobsView view;
        view.states = {JobState::Scheduled};
        page.showView(view);
        EXPECT_TRUE(until([&] { return page.feed().answered(); }));
        EXPECT_TRUE(settled());
    }
    void look()
    {
        page.refresh();
        EXPECT_TRUE(until([&] { return !page.feed().loading(); }));
    }
};

}  // namespace

TEST(SelectedJobs, endWhenTheirJobsLeaveTheView)
{
    ScheduledFixture fixture(50);
    toggle(fixture, 10);
    toggle(fixture, 20);
    job(fixture, "job-10").state = JobState::Dead;
    fixture.look();
    ASSERT_TRUE(until([&] { return fixture.page.selection().count == 1; }));
    EXPECT_EQ(fixture.page.selected().ids, Ids{"job-20"});
    // Coming back does not select it again.
    job(fixture, "job-10").state = JobState::Scheduled;
    fixture.look();
    ASSERT_TRUE(until([&] { return fixture.page.feed().total() == 50; }));
    EXPECT_EQ(fixture.page.selected().ids, Ids{"job-20"});
}

TEST(SelectedJobs, endAlsoFarFromTheScreen)
{
    ScheduledFixture fixture(2'000);
    toggle(fixture, 3);
    toggle(fixture, 4);
    auto* bar = fixture.table().verticalScrollBar();
    bar->setValue(bar->maximum());
    ASSERT_TRUE(until([&] { return fixture.page.feed().row(1'999) != nullptr; }));
    ASSERT_TRUE(fixture.settled());
    job(fixture, "job-3").state = JobState::Ready;
    fixture.look();
    ASSERT_TRUE(until([&] { return fixture.page.selection().count == 1; }));
    EXPECT_EQ(fixture.page.selected().ids, Ids{"job-4"});
    auto* text = fixture.ui().selectionText();
    EXPECT_EQ(text->text(), QStringLiteral("1 selected"));
}

TEST(SelectedJobs, endAlsoInAViewThatIsLookedThroughOnce)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = seededJobs(50); });
    fixture.preferences.setLiveIntervalMs(250);
    ASSERT_TRUE(fixture.opened());
    JobsView view;
    view.states = {JobState::Scheduled};
    view.filter = JobFilter::parse("attempts>=0").value();
    fixture.page.showView(view);
    ASSERT_TRUE(until([&] { return fixture.page.feed().complete(); }));
    toggle(fixture, 3);
    toggle(fixture, 4);
    job(fixture, "job-3").state = JobState::Dead;
    ChangeBatch batch;
    batch.ids = {"job-3"};
    emit fixture.session->source().changed(batch);
    ASSERT_TRUE(until([&] { return fixture.page.selection().count == 1; }));
    EXPECT_EQ(fixture.page.selected().ids, Ids{"job-4"});
    // Its row says what it is now, and is not marked.
    EXPECT_EQ(fixture.page.feed().row(3)->state, JobState::Dead);
    EXPECT_FALSE(fixture.table().jobsSelection().isRowSelected(3));
}

TEST(SelectedJobs, anOrderSkipsThoseThatHaveLeftBeforeThePageKnows)
{
    ScheduledFixture fixture(50);
    toggle(fixture, 1);
    toggle(fixture, 2);
    const auto selection = fixture.page.selected();
    EXPECT_EQ(selection.view.states, std::vector{JobState::Scheduled});
    job(fixture, "job-2").state = JobState::Ready;
    const auto report = runBulk(fixture, selection, BulkAction::Verb::Trash);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->done, 1U);
    EXPECT_EQ(report->skipped, 1U);
    EXPECT_EQ(job(fixture, "job-2").state, JobState::Ready);
}

TEST(SelectedJobs, oneThatIsLeftOutCountsOnlyWhileItIsThere)
{
    ScheduledFixture fixture(50);
    fixture.table().jobsSelection().selectAllMatching();
    toggle(fixture, 4);
    EXPECT_EQ(fixture.page.selection().count, 49U);
    job(fixture, "job-4").state = JobState::Ready;
    fixture.look();
    ASSERT_TRUE(
        until([&] { return fixture.page.selection().count == 49U && marked(fixture) == 49U; }));
    auto* text = fixture.ui().selectionText();
    ASSERT_TRUE(until([&] { return text->text() == QStringLiteral("All 49 matching selected"); }));
    // It is still left out should it come back.
    EXPECT_EQ(fixture.page.selected().except, std::set<std::string>{"job-4"});
    job(fixture, "job-4").state = JobState::Scheduled;
    fixture.look();
    ASSERT_TRUE(until([&] { return fixture.page.feed().total() == 50; }));
    EXPECT_EQ(fixture.page.selection().count, 49U);
    EXPECT_FALSE(fixture.table().jobsSelection().isRowSelected(4));
}

TEST(SelectedJobs, theKeyboardGoesOnThoughTheColumnOfTheCurrentCellHides)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = seededJobs(2'000); });
    ASSERT_TRUE(fixture.opened());
    constexpr int kState = static_cast<int>(JobColumn::State);
    auto& table = fixture.table();
    table.setCurrentIndex(table.model()->index(3, kState));
    JobsView view;
    view.states = {JobState::Scheduled};
    fixture.page.showView(view);  // says the state of all, so the column hides
    ASSERT_TRUE(until([&] { return fixture.page.feed().answered(); }));
    ASSERT_TRUE(fixture.settled());
    ASSERT_TRUE(until([&] { return table.isColumnHidden(kState); }));
    table.goTo(1'000);
    EXPECT_TRUE(table.visualRect(table.currentIndex()).intersects(table.viewport()->rect()))
        << "it is scrolled to";
    table.goTo(7);
    QTest::keyClick(&table, Qt::Key_Down);
    EXPECT_EQ(table.currentIndex().row(), 8);
    EXPECT_EQ(fixture.page.selected().ids, Ids{"job-8"});
    // Also where the column of the cell goes while the cell is the current one.
    const auto column = static_cast<JobColumn>(table.currentIndex().column());
    table.setColumnShown(column, false);
    EXPECT_EQ(fixture.page.currentJob(), "job-8");
    QTest::keyClick(&table, Qt::Key_Down);
    EXPECT_EQ(table.currentIndex().row(), 9);
}

TEST(SelectedJobs, aRangeAfterAllMatchingIsTheRangeAlone)
{
    ScheduledFixture fixture(2'000);
    click(fixture, 2);
    fixture.table().jobsSelection().selectAllMatching();
    EXPECT_EQ(fixture.page.selection().count, 2'000U);
    click(fixture, 6, Qt::ShiftModifier);
    EXPECT_FALSE(fixture.page.selected().all);
    EXPECT_EQ(fixture.page.selected().ids.size(), 5U);
    EXPECT_EQ(fixture.page.selection().count, marked(fixture));
    EXPECT_TRUE(fixture.table().jobsSelection().isRowSelected(4));
    EXPECT_FALSE(fixture.table().jobsSelection().isRowSelected(7));
    fixture.table().jobsSelection().selectAllMatching();
    QTest::keyClick(&fixture.table(), Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_FALSE(fixture.page.selected().all);
    EXPECT_EQ(fixture.page.selection().count, marked(fixture));
}

TEST(SelectedJobs, aRangeDropsWhatWasSelectedFarFromTheScreen)
{
    ScheduledFixture fixture(2'000);
    click(fixture, 3);
    auto* bar = fixture.table().verticalScrollBar();
    bar->setValue(bar->maximum());
    ASSERT_TRUE(until([&] { return fixture.page.feed().row(1'999) != nullptr; }));
    click(fixture, 1'995, Qt::ControlModifier);
    EXPECT_EQ(fixture.page.selection().count, 2U);
    click(fixture, 1'998, Qt::ShiftModifier);
    EXPECT_EQ(fixture.page.selected().ids, (Ids{"job-1995", "job-1996", "job-1997", "job-1998"}));
}

TEST(SelectedJobs, aRangeBeginsAtNoJobOfTheViewBefore)
{
    ScheduledFixture fixture(50);
    click(fixture, 5);
    auto view = fixture.page.shownView();
    view.descending = true;  // job-5 is in row 44 there
    fixture.page.showView(view);
    ASSERT_TRUE(until([&] { return fixture.page.feed().row(49) != nullptr; }));
    ASSERT_EQ(fixture.page.feed().row(44)->id, "job-5");
    fixture.table().scrollToTop();
    click(fixture, 2, Qt::ShiftModifier);
    for (const auto& id : fixture.page.selected().ids) {
        const auto row = fixture.page.feed().rowOf(id);
        EXPECT_LE(row, 2) << id << " is not between the top and the click";
    }
    EXPECT_FALSE(fixture.page.selected().ids.empty());
}

TEST(SelectedJobs, aRangeBeginsAtTheJobAndNotAtItsRow)
{
    ScheduledFixture fixture(50);
    click(fixture, 5);
    for (int at = 0; at < 3; ++at) {
        fixture.fake->jobs.push_back(seededJob("new-" + std::to_string(at), at));
    }
    fixture.look();
    ASSERT_EQ(fixture.page.feed().total(), 53U);
    fixture.table().scrollToTop();
    click(fixture, 10, Qt::ShiftModifier);  // job-5 is in row 8 now
    EXPECT_EQ(fixture.page.selected().ids, (Ids{"job-5", "job-6", "job-7"}));
    EXPECT_EQ(marked(fixture), 3U);
}

TEST(SelectedJobs, spaceTogglesTheCheckBoxOfARow)
{
    ScheduledFixture fixture(50);
    click(fixture, 2);
    fixture.table().setFocus();
    const auto box = fixture.table().model()->index(2, static_cast<int>(JobColumn::CheckBox));
    EXPECT_EQ(box.data(Qt::CheckStateRole).toInt(), Qt::Checked);
    QTest::keyClick(&fixture.table(), Qt::Key_Space);
    EXPECT_EQ(box.data(Qt::CheckStateRole).toInt(), Qt::Unchecked);
    EXPECT_TRUE(fixture.page.selected().ids.empty());
    QTest::keyClick(&fixture.table(), Qt::Key_Down, Qt::ControlModifier);
    QTest::keyClick(&fixture.table(), Qt::Key_Space);
    QTest::keyClick(&fixture.table(), Qt::Key_Down, Qt::ControlModifier);
    QTest::keyClick(&fixture.table(), Qt::Key_Space);
    EXPECT_EQ(fixture.page.selected().ids, (Ids{"job-3", "job-4"}));
    // Of all that match it leaves the row out.
    fixture.table().jobsSelection().selectAllMatching();
    QTest::keyClick(&fixture.table(), Qt::Key_Space);
    EXPECT_EQ(fixture.page.selected().except, std::set<std::string>{"job-4"});
}

TEST(SelectedJobs, stayAfterAnOrderOnThemWhenTheyAreNamed)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = seededJobs(50); });
    ASSERT_TRUE(fixture.opened());
    toggle(fixture, 1);
    toggle(fixture, 2);
    const auto selection = fixture.page.selected();
    toggle(fixture, 9);
    ASSERT_TRUE(runBulk(fixture, selection, BulkAction::Verb::Hold));
    ASSERT_TRUE(fixture.settled());
    EXPECT_EQ(job(fixture, "job-1").state, JobState::Held);
    EXPECT_EQ(fixture.page.selected().ids, (Ids{"job-1", "job-2", "job-9"}));
    EXPECT_EQ(marked(fixture), 3U);
    // "All" was about what there was: what comes later is not selected by it.
    fixture.table().jobsSelection().selectAllMatching();
    ASSERT_TRUE(runBulk(fixture, fixture.page.selected(), BulkAction::Verb::Trash));
    EXPECT_TRUE(fixture.page.selected().empty());
}

TEST(SelectedJobs, allMatchingIsBoundToTheMomentThatItWasSeen)
{
    ScheduledFixture fixture(50);
    fixture.table().jobsSelection().selectAllMatching();
    const auto selection = fixture.page.selected();
    EXPECT_EQ(selection.asOf, fixture.fake->time);
    EXPECT_EQ(selection.epoch, fixture.page.feed().epoch());
    fixture.fake->time += Millis{1'000};
    auto late = seededJob("late", 1);
    late.job.created = fixture.fake->time;
    fixture.fake->jobs.push_back(late);
    const auto report = runBulk(fixture, selection, BulkAction::Verb::Trash);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->done, 50U);
    EXPECT_EQ(job(fixture, "late").state, JobState::Scheduled);
}

}  // namespace restante::gui::test
