#include "gui/pages/dialogs/confirm_dialog.h"
#include "tests/gui/support/confirm_dialog_object.h"
#include "tests/gui/support/desk.h"
#include "tests/gui/support/wait.h"

#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

/// Two dead jobs, and the question whether they are to be deleted for good, some time ago.
struct OldQuestion : Desk {
    OldQuestion()
    {
        have("a", JobState::Dead);
        have("b", JobState::Dead);
        chooseAll("state:dead", 2);
        page.chosen.asOf = fake->time;
        actions.start(BulkAction::Verb::Purge);
        EXPECT_TRUE(until([&] { return accept()->isEnabled(); }));
        QElapsedTimer since;
        since.start();
        EXPECT_TRUE(until([&] { return since.elapsed() > 2'200; }));
    }
    ConfirmDialogObject ui() { return ConfirmDialogObject(dialog<ConfirmDialog>()); }
    QPushButton* accept() { return ui().accept(); }
    bool acted() const
    {
        return !fake->orders.empty() && fake->orders.back().mode == Order::Mode::Act;
    }
};

}  // namespace

TEST(ConfirmDialog, countsOnceMoreWhenItsNumbersAreOld)
{
    OldQuestion desk;
    EXPECT_EQ(desk.fake->orders.size(), 1U);
    desk.fake->jobs[1].state = JobState::Ready;
    desk.accept()->click();
    // One less is no reason to ask again.
    ASSERT_TRUE(until([&] { return desk.acted(); }));
    EXPECT_EQ(desk.fake->orders.size(), 3U);
    EXPECT_EQ(desk.fake->orders.back().selection.count, 1U);
}

TEST(ConfirmDialog, asksAgainWhenThereAreMoreByNow)
{
    OldQuestion desk;
    desk.have("c", JobState::Dead);  // created before, and dead since: the fake cannot tell
    desk.accept()->click();
    ASSERT_TRUE(until([&] { return desk.accept()->text().contains(u'3'); }));
    EXPECT_FALSE(desk.acted());
    EXPECT_TRUE(desk.ui().notice()->text().contains(QStringLiteral("more by now")));
    desk.accept()->click();
    EXPECT_TRUE(until([&] { return desk.acted(); }));
}

}  // namespace restante::gui::test
