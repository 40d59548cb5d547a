#include "gui/pages/dialogs/confirm_dialog.h"
#include "tests/gui/support/commands_fixture.h"
#include "tests/gui/support/confirm_dialog_object.h"
#include "tests/gui/support/wait.h"

#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

/// Two dead jobs, and the question whether they are to be deleted for good, some time ago.
struct OldQuestion : CommandsFixture {
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
        return !fake->bulkRequests.empty() &&
               fake->bulkRequests.back().mode == BulkRequest::Mode::Apply;
    }
};

}  // namespace

TEST(ConfirmDialog, countsOnceMoreWhenItsNumbersAreOld)
{
    OldQuestion fixture;
    EXPECT_EQ(fixture.fake->bulkRequests.size(), 1U);
    fixture.fake->jobs[1].state = JobState::Ready;
    fixture.accept()->click();
    // One less is no reason to ask again.
    ASSERT_TRUE(until([&] { return fixture.acted(); }));
    EXPECT_EQ(fixture.fake->bulkRequests.size(), 3U);
    EXPECT_EQ(fixture.fake->bulkRequests.back().selection.count, 1U);
}

TEST(ConfirmDialog, asksAgainWhenThereAreMoreByNow)
{
    OldQuestion fixture;
    fixture.have("c", JobState::Dead);  // created before, and dead since: the fake cannot tell
    fixture.accept()->click();
    ASSERT_TRUE(until([&] { return fixture.accept()->text().contains(u'3'); }));
    EXPECT_FALSE(fixture.acted());
    EXPECT_TRUE(fixture.ui().notice()->text().contains(QStringLiteral("more by now")));
    fixture.accept()->click();
    EXPECT_TRUE(until([&] { return fixture.acted(); }));
}

TEST(ConfirmDialog, doesNothingWhenItIsCancelledWhileItCountsOnceMore)
{
    OldQuestion fixture;
    fixture.fake->latencyMs = 300;
    fixture.fake->actStep = 1;
    fixture.accept()->click();
    ASSERT_TRUE(until([&] { return fixture.ui().states()->text().contains(u'1'); })) << "of two";
    fixture.ui().cancel()->click();
    // What has been counted by then is answered, maybe before the dialog is deleted.
    bool answered = false;
    fixture.session->source().counts({&fixture.window, [&](const auto&) { answered = true; }});
    while (!answered) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
    EXPECT_FALSE(fixture.acted());
    EXPECT_EQ(fixture.fake->bulkRequests.size(), 2U);
}

}  // namespace restante::gui::test
