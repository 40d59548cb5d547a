#include "gui/pages/jobs/jobs_menus.h"
#include "tests/gui/support/jobs_page_fixture.h"
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
struct LiveFixture : JobsPageFixture {
    explicit LiveFixture(int count)
        : JobsPageFixture([count](FakeBackend& store) { store.jobs = seededJobs(count); })
    {
        preferences.setLiveIntervalMs(kIntervalMs);
        EXPECT_TRUE(opened());
        EXPECT_TRUE(settled());
    }
    void scrollTo(int row)
    {
        table().verticalScrollBar()->setValue(row);
        EXPECT_TRUE(until([&] { return !table().firstVisibleId().empty(); }));
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
    LiveFixture fixture(600);
    fixture.scrollTo(300);
    fixture.table().goTo(305);
    const auto top = fixture.table().firstVisibleId();
    fixture.burst(12);
    ASSERT_TRUE(until([&] { return fixture.total() == 612; }));
    EXPECT_EQ(fixture.table().firstVisibleId(), top);
    EXPECT_EQ(fixture.page.selected().ids, std::vector<std::string>{"job-305"});
    EXPECT_TRUE(fixture.table().jobsSelection().isRowSelected(317));
    EXPECT_EQ(fixture.table().currentIndex().row(), 317);
    EXPECT_EQ(fixture.page.currentJob(), "job-305");
    auto* pill = fixture.ui().newPill();
    ASSERT_TRUE(pill->isVisible());
    EXPECT_EQ(pill->text(), QStringLiteral("12 new"));
    pill->click();
    EXPECT_FALSE(pill->isVisible());
    EXPECT_TRUE(until([&] { return fixture.table().firstVisibleId().starts_with("new-"); }));
}

TEST(LiveTable, whatArrivesAboveTheTopMovesNothingEither)
{
    LiveFixture fixture(600);
    ASSERT_EQ(fixture.table().firstVisibleId(), "job-0");
    fixture.burst(5);
    ASSERT_TRUE(until([&] { return fixture.total() == 605; }));
    EXPECT_EQ(fixture.table().firstVisibleId(), "job-0");
    EXPECT_EQ(fixture.ui().newPill()->text(), QStringLiteral("5 new"));
}

TEST(LiveTable, thePlaceHoldsInTheOtherOrderToo)
{
    LiveFixture fixture(3'000);
    JobsView view;
    view.descending = true;
    fixture.page.showView(view);
    ASSERT_TRUE(until([&] { return fixture.page.feed().answered(); }));
    fixture.scrollTo(1'500);
    const auto top = fixture.table().firstVisibleId();
    for (int at = 0; at < 900; ++at) {
        fixture.fake->jobs.push_back(seededJob("later-" + std::to_string(at), 100'000));
    }
    fixture.tell();
    ASSERT_TRUE(until([&] { return fixture.total() == 3'900; }));
    EXPECT_EQ(fixture.table().firstVisibleId(), top);
    EXPECT_EQ(fixture.table().visibleRows().first, 2'400);
}

TEST(LiveTable, aBurstOfThousandsAboveTheScreenMovesNothing)
{
    LiveFixture fixture(6'000);
    fixture.scrollTo(3'000);
    fixture.table().goTo(3'005);
    const auto top = fixture.table().firstVisibleId();
    fixture.fake->pages.clear();
    fixture.burst(5'000);
    ASSERT_TRUE(until([&] { return fixture.total() == 11'000; }));
    EXPECT_EQ(fixture.table().firstVisibleId(), top);
    EXPECT_EQ(fixture.table().visibleRows().first, 8'000);
    EXPECT_EQ(fixture.page.selected().ids, std::vector<std::string>{"job-3005"});
    EXPECT_TRUE(fixture.table().jobsSelection().isRowSelected(8'005));
    EXPECT_EQ(fixture.page.currentJob(), "job-3005");
    EXPECT_LE(fixture.fake->pages.size(), 30U);
    auto* pill = fixture.ui().newPill();
    EXPECT_EQ(pill->text(), QStringLiteral("5,000 new"));
}

TEST(LiveTable, thePlaceHoldsAlsoWhenItsFirstRowsHaveLeft)
{
    LiveFixture fixture(3'000);
    fixture.scrollTo(1'500);
    const auto seen = fixture.table().visibleRows();
    // What was on the screen is gone, and 700 above it as well.
    std::erase_if(fixture.fake->jobs, [&](const JobView& view) {
        const auto at = std::stol(view.job.id.substr(4));
        return at < 700 || (at >= seen.first && at <= seen.last);
    });
    fixture.tell();
    ASSERT_TRUE(until([&] { return fixture.total() < 2'300; }));
    ASSERT_TRUE(fixture.settled());
    EXPECT_EQ(fixture.table().firstVisibleId(), "job-" + std::to_string(seen.last + 1));
}

TEST(LiveTable, nothingMovesWhileAMenuIsOpen)
{
    LiveFixture fixture(600);
    JobsMenus menus(Context{fixture.actions, fixture.preferences}, fixture.table(), &fixture.page);
    auto* menu = menus.cellMenu({fixture.page.feed().row(0), JobColumn::To}, &fixture.page);
    menu->popup(fixture.page.mapToGlobal(QPoint(50, 50)));
    ASSERT_TRUE(until([&] { return menu->isVisible(); }));
    fixture.fake->pages.clear();
    fixture.burst(5);
    QElapsedTimer since;
    since.start();
    ASSERT_TRUE(until([&] { return since.elapsed() > 3 * kIntervalMs; }));
    EXPECT_TRUE(fixture.fake->pages.empty());
    EXPECT_EQ(fixture.total(), 600U);
    menu->close();
    EXPECT_TRUE(until([&] { return fixture.total() == 605; }));
}

TEST(LiveTable, nothingMovesWhileACellIsDragged)
{
    LiveFixture fixture(600);
    auto* cells = fixture.table().viewport();
    const auto at = fixture.table().visualRect(fixture.table().model()->index(4, 3)).center();
    QTest::mousePress(cells, Qt::LeftButton, {}, at);
    QTest::mouseMove(cells, at + QPoint(1, 1));
    QMouseEvent move(QEvent::MouseMove, at + QPoint(2, 1), cells->mapToGlobal(at), Qt::NoButton,
                     Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(cells, &move);
    ASSERT_TRUE(fixture.table().isUserBusy());
    fixture.fake->pages.clear();
    fixture.burst(5);
    QElapsedTimer since;
    since.start();
    ASSERT_TRUE(until([&] { return since.elapsed() > 3 * kIntervalMs; }));
    EXPECT_TRUE(fixture.fake->pages.empty());
    QTest::mouseRelease(cells, Qt::LeftButton, {}, at);
    EXPECT_TRUE(until([&] { return fixture.total() == 605; }));
}

TEST(LiveTable, theTableLooksNoMoreOftenThanItsInterval)
{
    LiveFixture fixture(600);
    fixture.preferences.setLiveIntervalMs(500);
    std::vector<qint64> looks;
    QElapsedTimer since;
    since.start();
    QObject::connect(&fixture.page.feed(), &JobsFeed::swapped, &fixture.page,
                     [&] { looks.push_back(since.elapsed()); });
    ASSERT_TRUE(until([&] {
        fixture.tell();
        return looks.size() == 3;
    }));
    EXPECT_GE(looks[2] - looks[0], 900);
}

TEST(LiveLook, catchesUpWithWhatCameWhileItWasUnderWay)
{
    LiveFixture fixture(600);
    fixture.fake->latencyMs = 400;
    fixture.burst(5);
    ASSERT_TRUE(until([&] { return fixture.page.feed().loading(); }));
    ASSERT_TRUE(until([&] { return fixture.total() == 605; }));
    // A change of which the store tells while the next look is on its way, and never again.
    fixture.tell();
    ASSERT_TRUE(until([&] { return fixture.page.feed().loading(); }));
    const auto asked = fixture.fake->pages.size();
    fixture.burst(5);
    ASSERT_TRUE(until([&] { return !fixture.page.feed().loading(); }));
    EXPECT_TRUE(
        until([&] { return fixture.fake->pages.size() > asked && fixture.total() == 610; }));
}

TEST(LiveLook, isMadeUpForWhenThePageIsSeenAgain)
{
    LiveFixture fixture(600);
    fixture.page.hide();
    fixture.burst(5);
    QElapsedTimer since;
    since.start();
    ASSERT_TRUE(until([&] { return since.elapsed() > 3 * kIntervalMs; }));
    EXPECT_EQ(fixture.total(), 600U);
    fixture.page.show();
    EXPECT_TRUE(until([&] { return fixture.total() == 605; }));
}

TEST(LiveLook, isOneForManyWrites)
{
    LiveFixture fixture(600);
    fixture.fake->latencyMs = 100;
    fixture.fake->pages.clear();
    fixture.fake->facetQuestions = 0;
    fixture.fake->mostFacetsAtOnce = 0;
    QElapsedTimer since;
    since.start();
    int writes = 0;
    ASSERT_TRUE(until([&] {
        emit fixture.session->commands().written();
        ++writes;
        return since.elapsed() > 2'000;
    }));
    ASSERT_GT(writes, 50);
    // Each look takes 250 ms to begin and 100 ms to be answered.
    EXPECT_GT(fixture.fake->pages.size(), 0U);
    EXPECT_LE(fixture.fake->pages.size(), 8U);
    EXPECT_EQ(fixture.fake->mostFacetsAtOnce, 1);
    EXPECT_LE(fixture.fake->facetQuestions, 20);
    // The last write is seen, too.
    fixture.fake->jobs.push_back(seededJob("new", 0));
    emit fixture.session->commands().written();
    EXPECT_TRUE(until([&] { return fixture.total() == 601; }));
}

TEST(CurrentJob, staysWhenItIsScrolledOutOfWhatIsLoaded)
{
    LiveFixture fixture(3'000);
    fixture.table().goTo(5);
    ASSERT_EQ(fixture.page.currentJob(), "job-5");
    QSignalSpy told(&fixture.page, &JobsPage::currentJobChanged);
    auto* bar = fixture.table().verticalScrollBar();
    bar->setValue(bar->maximum());
    ASSERT_TRUE(until([&] { return fixture.page.feed().row(2'999) != nullptr; }));
    fixture.burst(7);
    ASSERT_TRUE(until([&] { return fixture.total() == 3'007; }));
    ASSERT_TRUE(fixture.settled());
    EXPECT_EQ(fixture.page.feed().rowOf("job-5"), -1);
    EXPECT_EQ(fixture.page.currentJob(), "job-5");
    bar->setValue(0);
    ASSERT_TRUE(until([&] { return fixture.page.feed().rowOf("job-5") == 12; }));
    EXPECT_TRUE(until([&] { return fixture.table().currentIndex().row() == 12; }));
    EXPECT_EQ(fixture.page.currentJob(), "job-5");
    EXPECT_EQ(told.count(), 0);
}

TEST(CurrentJob, staysWhenItLeavesUntilTheUserGoesToAnother)
{
    LiveFixture fixture(600);
    fixture.table().goTo(5);
    QSignalSpy told(&fixture.page, &JobsPage::currentJobChanged);
    std::erase_if(fixture.fake->jobs, [](const JobView& view) { return view.job.id == "job-5"; });
    fixture.tell();
    ASSERT_TRUE(until([&] { return fixture.total() == 599; }));
    fixture.scrollTo(400);
    fixture.scrollTo(0);
    EXPECT_EQ(fixture.page.currentJob(), "job-5");
    EXPECT_EQ(told.count(), 0);
    // A click on the row where it was is about the job that is there now.
    const auto there = fixture.table().model()->index(5, static_cast<int>(JobColumn::State));
    QTest::mouseClick(fixture.table().viewport(), Qt::LeftButton, {},
                      fixture.table().visualRect(there).center());
    EXPECT_EQ(fixture.page.currentJob(), "job-6");
}

TEST(CurrentJob, isKnownWhenTheRowThatWasGoneToArrives)
{
    LiveFixture fixture(3'000);
    fixture.fake->latencyMs = 100;
    fixture.table().goTo(2'900);
    EXPECT_TRUE(fixture.page.currentJob().empty());
    EXPECT_TRUE(until([&] { return fixture.page.currentJob() == "job-2900"; }));
}

}  // namespace restante::gui::test
