#include "tests/gui/support/jobs_room.h"

#include <QElapsedTimer>
#include <QScrollBar>
#include <gtest/gtest.h>

namespace restante::gui::test {

TEST(Check01, aMillionRowsAppearAtOnceAndTheLastIsNearby)
{
    JobsRoom room([](FakeBackend& fake) { fake.haveRows(1'000'000); });
    QElapsedTimer watch;
    watch.start();
    room.open();
    ASSERT_TRUE(until([&] { return room.page.feed().row(0) != nullptr; }));
    room.table().grab();
    EXPECT_LT(watch.elapsed(), 3'000);
    auto* bar = room.table().verticalScrollBar();
    bar->setValue(bar->maximum());
    ASSERT_TRUE(until([&] { return room.page.feed().row(999'999) != nullptr; }));
    EXPECT_EQ(room.page.feed().total(), 1'000'000U);
}

TEST(Check03, aJumpToTheMiddleAsksForThePagesAroundItOnly)
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

}  // namespace restante::gui::test
