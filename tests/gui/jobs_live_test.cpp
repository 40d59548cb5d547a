#include "gui/pages/jobs/jobs_menus.h"
#include "tests/gui/support/jobs_room.h"
#include "tests/gui/support/seeded_jobs.h"

#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

constexpr int kIntervalMs = 250;

/// Many jobs, and a place in the middle of them on the screen.
struct LiveRoom : JobsRoom {
    explicit LiveRoom(int count)
        : JobsRoom([count](FakeBackend& store) { store.jobs = seededJobs(count); })
    {
        preferences.setLiveIntervalMs(kIntervalMs);
        EXPECT_TRUE(opened());
        EXPECT_TRUE(settled());
    }
    void scrollTo(int row)
    {
        table().verticalScrollBar()->setValue(row);
        EXPECT_TRUE(until([&] { return !table().topId().empty(); }));
        EXPECT_TRUE(settled());
    }
    /// So many that are due before all others, as a burst.
    void burst(int count)
    {
        for (int at = 0; at < count; ++at) {
            fake->jobs.push_back(seededJob("new-" + std::to_string(made_++), 0));
        }
        tell();
    }
    void tell()
    {
        ChangeBatch batch;
        batch.moved = 1;
        emit session->source().changed(batch);
    }
    std::uint64_t total() const { return page.feed().total(); }

private:
    int made_ = 100'000;
};

}  // namespace

TEST(LiveTable, whatArrivesMovesNeitherSelectionNorScroll)
{
    LiveRoom room(600);
    room.scrollTo(300);
    room.table().goTo(305);
    const auto top = room.table().topId();
    room.burst(12);
    ASSERT_TRUE(until([&] { return room.total() == 612; }));
    EXPECT_EQ(room.table().topId(), top);
    EXPECT_EQ(room.page.selected().ids, std::vector<std::string>{"job-305"});
    EXPECT_TRUE(room.table().marks().isRowSelected(317));
    EXPECT_EQ(room.table().currentIndex().row(), 317);
    EXPECT_EQ(room.page.currentJob(), "job-305");
    auto* pill = room.ui().newPill();
    ASSERT_TRUE(pill->isVisible());
    EXPECT_EQ(pill->text(), QStringLiteral("12 new"));
    pill->click();
    EXPECT_FALSE(pill->isVisible());
    EXPECT_TRUE(until([&] { return room.table().topId().starts_with("new-"); }));
}

TEST(LiveTable, whatArrivesAboveTheTopMovesNothingEither)
{
    LiveRoom room(600);
    ASSERT_EQ(room.table().topId(), "job-0");
    room.burst(5);
    ASSERT_TRUE(until([&] { return room.total() == 605; }));
    EXPECT_EQ(room.table().topId(), "job-0");
    EXPECT_EQ(room.ui().newPill()->text(), QStringLiteral("5 new"));
}

TEST(LiveTable, thePlaceHoldsInTheOtherOrderToo)
{
    LiveRoom room(3'000);
    JobsView view;
    view.descending = true;
    room.page.showView(view);
    ASSERT_TRUE(until([&] { return room.page.feed().answered(); }));
    room.scrollTo(1'500);
    const auto top = room.table().topId();
    for (int at = 0; at < 900; ++at) {
        room.fake->jobs.push_back(seededJob("later-" + std::to_string(at), 100'000));
    }
    room.tell();
    ASSERT_TRUE(until([&] { return room.total() == 3'900; }));
    EXPECT_EQ(room.table().topId(), top);
    EXPECT_EQ(room.table().visibleRows().first, 2'400);
}

TEST(LiveTable, aBurstOfThousandsAboveTheScreenMovesNothing)
{
    LiveRoom room(6'000);
    room.scrollTo(3'000);
    room.table().goTo(3'005);
    const auto top = room.table().topId();
    room.fake->pages.clear();
    room.burst(5'000);
    ASSERT_TRUE(until([&] { return room.total() == 11'000; }));
    EXPECT_EQ(room.table().topId(), top);
    EXPECT_EQ(room.table().visibleRows().first, 8'000);
    EXPECT_EQ(room.page.selected().ids, std::vector<std::string>{"job-3005"});
    EXPECT_TRUE(room.table().marks().isRowSelected(8'005));
    EXPECT_EQ(room.page.currentJob(), "job-3005");
    EXPECT_LE(room.fake->pages.size(), 30U);
    auto* pill = room.ui().newPill();
    EXPECT_EQ(pill->text(), QStringLiteral("5,000 new"));
}

TEST(LiveTable, thePlaceHoldsAlsoWhenItsFirstRowsHaveLeft)
{
    LiveRoom room(3'000);
    room.scrollTo(1'500);
    const auto seen = room.table().visibleRows();
    // What was on the screen is gone, and 700 above it as well.
    std::erase_if(room.fake->jobs, [&](const JobView& view) {
        const auto at = std::stol(view.job.id.substr(4));
        return at < 700 || (at >= seen.first && at <= seen.last);
    });
    room.tell();
    ASSERT_TRUE(until([&] { return room.total() < 2'300; }));
    ASSERT_TRUE(room.settled());
    EXPECT_EQ(room.table().topId(), "job-" + std::to_string(seen.last + 1));
}

TEST(LiveTable, nothingMovesWhileAMenuIsOpen)
{
    LiveRoom room(600);
    JobsMenus menus(Context{room.actions, room.preferences}, room.table(), &room.page);
    auto* menu = menus.cellMenu({room.page.feed().row(0), JobColumn::To}, &room.page);
    menu->popup(room.page.mapToGlobal(QPoint(50, 50)));
    ASSERT_TRUE(until([&] { return menu->isVisible(); }));
    room.fake->pages.clear();
    room.burst(5);
    QElapsedTimer since;
    since.start();
    ASSERT_TRUE(until([&] { return since.elapsed() > 3 * kIntervalMs; }));
    EXPECT_TRUE(room.fake->pages.empty());
    EXPECT_EQ(room.total(), 600U);
    menu->close();
    EXPECT_TRUE(until([&] { return room.total() == 605; }));
}

TEST(LiveTable, nothingMovesWhileACellIsDragged)
{
    LiveRoom room(600);
    auto* cells = room.table().viewport();
    const auto at = room.table().visualRect(room.table().model()->index(4, 3)).center();
    QTest::mousePress(cells, Qt::LeftButton, {}, at);
    QTest::mouseMove(cells, at + QPoint(1, 1));
    QMouseEvent move(QEvent::MouseMove, at + QPoint(2, 1), cells->mapToGlobal(at), Qt::NoButton,
                     Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(cells, &move);
    ASSERT_TRUE(room.table().inHand());
    room.fake->pages.clear();
    room.burst(5);
    QElapsedTimer since;
    since.start();
    ASSERT_TRUE(until([&] { return since.elapsed() > 3 * kIntervalMs; }));
    EXPECT_TRUE(room.fake->pages.empty());
    QTest::mouseRelease(cells, Qt::LeftButton, {}, at);
    EXPECT_TRUE(until([&] { return room.total() == 605; }));
}

TEST(LiveTable, theTableLooksNoMoreOftenThanItsInterval)
{
    LiveRoom room(600);
    room.preferences.setLiveIntervalMs(500);
    std::vector<qint64> looks;
    QElapsedTimer since;
    since.start();
    QObject::connect(&room.page.feed(), &JobsFeed::swapped, &room.page,
                     [&] { looks.push_back(since.elapsed()); });
    ASSERT_TRUE(until([&] {
        room.tell();
        return looks.size() == 3;
    }));
    EXPECT_GE(looks[2] - looks[0], 900);
}

TEST(LiveLook, catchesUpWithWhatCameWhileItWasUnderWay)
{
    LiveRoom room(600);
    room.fake->latencyMs = 400;
    room.burst(5);
    ASSERT_TRUE(until([&] { return room.page.feed().looking(); }));
    ASSERT_TRUE(until([&] { return room.total() == 605; }));
    // A change of which the store tells while the next look is on its way, and never again.
    room.tell();
    ASSERT_TRUE(until([&] { return room.page.feed().looking(); }));
    const auto asked = room.fake->pages.size();
    room.burst(5);
    ASSERT_TRUE(until([&] { return !room.page.feed().looking(); }));
    EXPECT_TRUE(until([&] { return room.fake->pages.size() > asked && room.total() == 610; }));
}

TEST(LiveLook, isMadeUpForWhenThePageIsSeenAgain)
{
    LiveRoom room(600);
    room.page.hide();
    room.burst(5);
    QElapsedTimer since;
    since.start();
    ASSERT_TRUE(until([&] { return since.elapsed() > 3 * kIntervalMs; }));
    EXPECT_EQ(room.total(), 600U);
    room.page.show();
    EXPECT_TRUE(until([&] { return room.total() == 605; }));
}

TEST(LiveLook, isOneForManyWrites)
{
    LiveRoom room(600);
    room.fake->latencyMs = 100;
    room.fake->pages.clear();
    room.fake->facetQuestions = 0;
    room.fake->mostFacetsAtOnce = 0;
    QElapsedTimer since;
    since.start();
    int writes = 0;
    ASSERT_TRUE(until([&] {
        emit room.session->commands().written();
        ++writes;
        return since.elapsed() > 2'000;
    }));
    ASSERT_GT(writes, 50);
    // Each look takes 250 ms to begin and 100 ms to be answered.
    EXPECT_GT(room.fake->pages.size(), 0U);
    EXPECT_LE(room.fake->pages.size(), 8U);
    EXPECT_EQ(room.fake->mostFacetsAtOnce, 1);
    EXPECT_LE(room.fake->facetQuestions, 20);
    // The last write is seen, too.
    room.fake->jobs.push_back(seededJob("new", 0));
    emit room.session->commands().written();
    EXPECT_TRUE(until([&] { return room.total() == 601; }));
}

TEST(CurrentJob, staysWhenItIsScrolledOutOfWhatIsLoaded)
{
    LiveRoom room(3'000);
    room.table().goTo(5);
    ASSERT_EQ(room.page.currentJob(), "job-5");
    QSignalSpy told(&room.page, &JobsPage::currentJobChanged);
    auto* bar = room.table().verticalScrollBar();
    bar->setValue(bar->maximum());
    ASSERT_TRUE(until([&] { return room.page.feed().row(2'999) != nullptr; }));
    room.burst(7);
    ASSERT_TRUE(until([&] { return room.total() == 3'007; }));
    ASSERT_TRUE(room.settled());
    EXPECT_EQ(room.page.feed().rowOf("job-5"), -1);
    EXPECT_EQ(room.page.currentJob(), "job-5");
    bar->setValue(0);
    ASSERT_TRUE(until([&] { return room.page.feed().rowOf("job-5") == 12; }));
    EXPECT_TRUE(until([&] { return room.table().currentIndex().row() == 12; }));
    EXPECT_EQ(room.page.currentJob(), "job-5");
    EXPECT_EQ(told.count(), 0);
}

TEST(CurrentJob, staysWhenItLeavesUntilTheUserGoesToAnother)
{
    LiveRoom room(600);
    room.table().goTo(5);
    QSignalSpy told(&room.page, &JobsPage::currentJobChanged);
    std::erase_if(room.fake->jobs, [](const JobView& view) { return view.job.id == "job-5"; });
    room.tell();
    ASSERT_TRUE(until([&] { return room.total() == 599; }));
    room.scrollTo(400);
    room.scrollTo(0);
    EXPECT_EQ(room.page.currentJob(), "job-5");
    EXPECT_EQ(told.count(), 0);
    // A click on the row where it was is about the job that is there now.
    const auto at = room.table().visualRect(room.table().model()->index(5, 2)).center();
    QTest::mouseClick(room.table().viewport(), Qt::LeftButton, {}, at);
    EXPECT_EQ(room.page.currentJob(), "job-6");
}

TEST(CurrentJob, isKnownWhenTheRowThatWasGoneToArrives)
{
    LiveRoom room(3'000);
    room.fake->latencyMs = 100;
    room.table().goTo(2'900);
    EXPECT_TRUE(room.page.currentJob().empty());
    EXPECT_TRUE(until([&] { return room.page.currentJob() == "job-2900"; }));
}

}  // namespace restante::gui::test
