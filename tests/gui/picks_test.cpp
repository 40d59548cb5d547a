#include "tests/gui/support/jobs_room.h"
#include "tests/gui/support/seeded_jobs.h"

#include <QLabel>
#include <QScrollBar>
#include <QTest>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

using Ids = std::vector<std::string>;

void toggle(JobsRoom& room, int row)
{
    room.table().marks().select(room.table().model()->index(row, 1),
                                QItemSelectionModel::Toggle | QItemSelectionModel::Rows);
}

JobView& job(JobsRoom& room, const std::string& id)
{
    return *std::find_if(room.fake->jobs.begin(), room.fake->jobs.end(),
                         [&](const JobView& view) { return view.job.id == id; });
}

QPoint placeOf(JobsRoom& room, int row, JobColumn column = JobColumn::State)
{
    const auto index = room.table().model()->index(row, static_cast<int>(column));
    return room.table().visualRect(index).center();
}

void click(JobsRoom& room, int row, Qt::KeyboardModifiers keys = Qt::NoModifier)
{
    QTest::mouseClick(room.table().viewport(), Qt::LeftButton, keys, placeOf(room, row));
}

std::size_t marked(JobsRoom& room)
{
    std::size_t rows = 0;
    for (const auto& range : room.table().marks().selection()) {
        rows += static_cast<std::size_t>(range.height());
    }
    return rows;
}

Result<BulkReport> act(JobsRoom& room, const Selection& selection, BulkAction::Verb verb)
{
    Order order;
    order.verb = verb;
    order.selection = selection;
    std::optional<Result<BulkReport>> answer;
    room.session->commands().act(
        order, {}, {&room.page, [&](Result<BulkReport> report) { answer = std::move(report); }});
    EXPECT_TRUE(until([&] { return answer.has_value(); }));
    return *answer;
}

/// Scheduled jobs only, in a tab of theirs.
struct ScheduledRoom : JobsRoom {
    explicit ScheduledRoom(int count)
        : JobsRoom([count](FakeBackend& store) { store.jobs = seededJobs(count); })
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
        EXPECT_TRUE(until([&] { return !page.feed().looking(); }));
    }
};

}  // namespace

TEST(Picks, endWhenTheirJobsLeaveTheView)
{
    ScheduledRoom room(50);
    toggle(room, 10);
    toggle(room, 20);
    job(room, "job-10").state = JobState::Dead;
    room.look();
    ASSERT_TRUE(until([&] { return room.page.selection().count == 1; }));
    EXPECT_EQ(room.page.selected().ids, Ids{"job-20"});
    // Coming back does not pick it again.
    job(room, "job-10").state = JobState::Scheduled;
    room.look();
    ASSERT_TRUE(until([&] { return room.page.feed().total() == 50; }));
    EXPECT_EQ(room.page.selected().ids, Ids{"job-20"});
}

TEST(Picks, endAlsoFarFromTheScreen)
{
    ScheduledRoom room(2'000);
    toggle(room, 3);
    toggle(room, 4);
    auto* bar = room.table().verticalScrollBar();
    bar->setValue(bar->maximum());
    ASSERT_TRUE(until([&] { return room.page.feed().row(1'999) != nullptr; }));
    ASSERT_TRUE(room.settled());
    job(room, "job-3").state = JobState::Ready;
    room.look();
    ASSERT_TRUE(until([&] { return room.page.selection().count == 1; }));
    EXPECT_EQ(room.page.selected().ids, Ids{"job-4"});
    auto* text = room.ui().selectionText();
    EXPECT_EQ(text->text(), QStringLiteral("1 selected"));
}

TEST(Picks, endAlsoInAViewThatIsLookedThroughOnce)
{
    JobsRoom room([](FakeBackend& fake) { fake.jobs = seededJobs(50); });
    room.preferences.setLiveIntervalMs(250);
    ASSERT_TRUE(room.opened());
    JobsView view;
    view.states = {JobState::Scheduled};
    view.filter = JobFilter::parse("attempts>=0").value();
    room.page.showView(view);
    ASSERT_TRUE(until([&] { return room.page.feed().complete(); }));
    toggle(room, 3);
    toggle(room, 4);
    job(room, "job-3").state = JobState::Dead;
    ChangeBatch batch;
    batch.ids = {"job-3"};
    emit room.session->source().changed(batch);
    ASSERT_TRUE(until([&] { return room.page.selection().count == 1; }));
    EXPECT_EQ(room.page.selected().ids, Ids{"job-4"});
    // Its row says what it is now, and is not marked.
    EXPECT_EQ(room.page.feed().row(3)->state, JobState::Dead);
    EXPECT_FALSE(room.table().marks().isRowSelected(3));
}

TEST(Picks, anOrderSkipsThoseThatHaveLeftBeforeThePageKnows)
{
    ScheduledRoom room(50);
    toggle(room, 1);
    toggle(room, 2);
    const auto selection = room.page.selected();
    EXPECT_EQ(selection.view.states, std::vector{JobState::Scheduled});
    job(room, "job-2").state = JobState::Ready;
    const auto report = act(room, selection, BulkAction::Verb::Trash);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->done, 1U);
    EXPECT_EQ(report->skipped, 1U);
    EXPECT_EQ(job(room, "job-2").state, JobState::Ready);
}

TEST(Picks, oneThatIsLeftOutCountsOnlyWhileItIsThere)
{
    ScheduledRoom room(50);
    room.table().marks().pickAllMatching();
    toggle(room, 4);
    EXPECT_EQ(room.page.selection().count, 49U);
    job(room, "job-4").state = JobState::Ready;
    room.look();
    ASSERT_TRUE(until([&] { return room.page.selection().count == 49U && marked(room) == 49U; }));
    auto* text = room.ui().selectionText();
    ASSERT_TRUE(until([&] { return text->text() == QStringLiteral("All 49 matching selected"); }));
    // It is still left out should it come back.
    EXPECT_EQ(room.page.selected().except, std::set<std::string>{"job-4"});
    job(room, "job-4").state = JobState::Scheduled;
    room.look();
    ASSERT_TRUE(until([&] { return room.page.feed().total() == 50; }));
    EXPECT_EQ(room.page.selection().count, 49U);
    EXPECT_FALSE(room.table().marks().isRowSelected(4));
}

TEST(Picks, aRangeAfterAllMatchingIsTheRangeAlone)
{
    ScheduledRoom room(2'000);
    click(room, 2);
    room.table().marks().pickAllMatching();
    EXPECT_EQ(room.page.selection().count, 2'000U);
    click(room, 6, Qt::ShiftModifier);
    EXPECT_FALSE(room.page.selected().all);
    EXPECT_EQ(room.page.selected().ids.size(), 5U);
    EXPECT_EQ(room.page.selection().count, marked(room));
    EXPECT_TRUE(room.table().marks().isRowSelected(4));
    EXPECT_FALSE(room.table().marks().isRowSelected(7));
    room.table().marks().pickAllMatching();
    QTest::keyClick(&room.table(), Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_FALSE(room.page.selected().all);
    EXPECT_EQ(room.page.selection().count, marked(room));
}

TEST(Picks, aRangeDropsWhatWasPickedFarFromTheScreen)
{
    ScheduledRoom room(2'000);
    click(room, 3);
    auto* bar = room.table().verticalScrollBar();
    bar->setValue(bar->maximum());
    ASSERT_TRUE(until([&] { return room.page.feed().row(1'999) != nullptr; }));
    click(room, 1'995, Qt::ControlModifier);
    EXPECT_EQ(room.page.selection().count, 2U);
    click(room, 1'998, Qt::ShiftModifier);
    EXPECT_EQ(room.page.selected().ids, (Ids{"job-1995", "job-1996", "job-1997", "job-1998"}));
}

TEST(Picks, aRangeBeginsAtTheJobAndNotAtItsRow)
{
    ScheduledRoom room(50);
    click(room, 5);
    for (int at = 0; at < 3; ++at) {
        room.fake->jobs.push_back(seededJob("new-" + std::to_string(at), at));
    }
    room.look();
    ASSERT_EQ(room.page.feed().total(), 53U);
    room.table().scrollToTop();
    click(room, 10, Qt::ShiftModifier);  // job-5 is in row 8 now
    EXPECT_EQ(room.page.selected().ids, (Ids{"job-5", "job-6", "job-7"}));
    EXPECT_EQ(marked(room), 3U);
}

TEST(Picks, spaceTogglesTheCheckBoxOfARow)
{
    ScheduledRoom room(50);
    click(room, 2);
    room.table().setFocus();
    const auto box = room.table().model()->index(2, static_cast<int>(JobColumn::Pick));
    EXPECT_EQ(box.data(Qt::CheckStateRole).toInt(), Qt::Checked);
    QTest::keyClick(&room.table(), Qt::Key_Space);
    EXPECT_EQ(box.data(Qt::CheckStateRole).toInt(), Qt::Unchecked);
    EXPECT_TRUE(room.page.selected().ids.empty());
    QTest::keyClick(&room.table(), Qt::Key_Down, Qt::ControlModifier);
    QTest::keyClick(&room.table(), Qt::Key_Space);
    QTest::keyClick(&room.table(), Qt::Key_Down, Qt::ControlModifier);
    QTest::keyClick(&room.table(), Qt::Key_Space);
    EXPECT_EQ(room.page.selected().ids, (Ids{"job-3", "job-4"}));
    // Of all that match it leaves the row out.
    room.table().marks().pickAllMatching();
    QTest::keyClick(&room.table(), Qt::Key_Space);
    EXPECT_EQ(room.page.selected().except, std::set<std::string>{"job-4"});
}

TEST(Picks, areGoneAfterAnOrderOnThem)
{
    JobsRoom room([](FakeBackend& fake) { fake.jobs = seededJobs(50); });
    ASSERT_TRUE(room.opened());
    toggle(room, 1);
    toggle(room, 2);
    const auto selection = room.page.selected();
    toggle(room, 9);
    ASSERT_TRUE(act(room, selection, BulkAction::Verb::Hold));
    EXPECT_EQ(room.page.selected().ids, Ids{"job-9"});
    // "All" was about what there was: what comes later is not picked by it.
    room.table().marks().pickAllMatching();
    ASSERT_TRUE(act(room, room.page.selected(), BulkAction::Verb::Trash));
    EXPECT_TRUE(room.page.selected().empty());
}

TEST(Picks, allMatchingIsBoundToTheMomentThatItWasSeen)
{
    ScheduledRoom room(50);
    room.table().marks().pickAllMatching();
    const auto selection = room.page.selected();
    EXPECT_EQ(selection.asOf, room.fake->time);
    EXPECT_EQ(selection.epoch, room.page.feed().epoch());
    room.fake->time += Millis{1'000};
    auto late = seededJob("late", 1);
    late.job.created = room.fake->time;
    room.fake->jobs.push_back(late);
    const auto report = act(room, selection, BulkAction::Verb::Trash);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->done, 50U);
    EXPECT_EQ(job(room, "late").state, JobState::Scheduled);
}

}  // namespace restante::gui::test
