// Keeping and resetting attempts: what the dialog says, what the store is told, what the history
// has, and what taking it back brings back.

#include "gui/operations/inverse.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/dialogs/reschedule_dialog.h"
#include "tests/gui/support/commands_fixture.h"
#include "tests/gui/support/memory_opener.h"
#include "tests/gui/support/open_session.h"
#include "tests/gui/support/reschedule_dialog_object.h"
#include "tests/gui/support/wait.h"

#include <QLocale>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

using testing::ElementsAre;
using Verb = BulkAction::Verb;
using Attempts = BulkAction::Attempts;

class RescheduledAttempts : public testing::Test {
protected:
    void SetUp() override { QLocale::setDefault(QLocale(QLocale::English)); }
    void TearDown() override { QLocale::setDefault(before_); }

    /// One that has used up four of its six attempts.
    void tried(const std::string& id, JobState state = JobState::Scheduled)
    {
        fixture.have(id, state);
        auto& view = fixture.fake->jobs.back();
        view.attempt = 4;
        view.job.retry = RetrySchedule::parse("0s,1m,1m,1m,1m,1m").value();
    }
    RescheduleDialogObject ask(std::vector<std::string> ids)
    {
        const auto count = static_cast<int>(ids.size());
        fixture.choose(std::move(ids));
        fixture.actions.start(Verb::Reschedule);
        const RescheduleDialogObject dialog(fixture.dialog<RescheduleDialog>());
        EXPECT_TRUE(until([&] { return dialog.preview()->rowCount() == count; }));
        return dialog;
    }
    static QString cell(const RescheduleDialogObject& dialog, int column)
    {
        return dialog.preview()->item(0, column)->text();
    }
    void send(const RescheduleDialogObject& dialog)
    {
        dialog.accept()->click();
        settle();
    }
    void settle()
    {
        ASSERT_TRUE(until(
            [&] { return !fixture.board.tasks().empty() && fixture.board.runningCount() == 0; }));
    }

    CommandsFixture fixture;

private:
    QLocale before_;
};

TEST_F(RescheduledAttempts, areKeptUnlessTheyAreToBeReset)
{
    tried("a");
    const auto dialog = ask({"a"});
    EXPECT_TRUE(dialog.keepAttempts()->isChecked());
    EXPECT_EQ(cell(dialog, 3), QStringLiteral("4/6"));
    EXPECT_EQ(cell(dialog, 4), QStringLiteral("4/6"));
    send(dialog);
    EXPECT_EQ(fixture.fake->bulkRequests.back().attempts, Attempts::Keep);
    EXPECT_EQ(fixture.job("a").countedAttempts(), 4U);
}

TEST_F(RescheduledAttempts, areResetAsThePreviewSaysAndAsTheHistoryTells)
{
    tried("a");
    const auto dialog = ask({"a"});
    dialog.resetAttempts()->setChecked(true);
    EXPECT_EQ(cell(dialog, 3), QStringLiteral("4/6"));
    EXPECT_EQ(cell(dialog, 4), QStringLiteral("0/6"));
    send(dialog);
    EXPECT_EQ(fixture.job("a").countedAttempts(), 0U);
    EXPECT_EQ(fixture.job("a").attempt, 4U);
    EXPECT_THAT(fixture.fake->histories["a"].back().reason, testing::HasSubstr("attempts reset"));
    // And back, with the attempts that counted before.
    fixture.actions.undo();
    settle();
    EXPECT_EQ(fixture.job("a").countedAttempts(), 4U);
    EXPECT_EQ(fixture.job("a").due, fixture.fake->time + std::chrono::hours{2});
    fixture.actions.redo();
    settle();
    EXPECT_EQ(fixture.job("a").countedAttempts(), 0U);
}

TEST_F(RescheduledAttempts, comeBackAsManyAsCountedBefore)
{
    tried("a");
    tried("b");
    fixture.fake->jobs.back().attemptOffset = 3;
    const auto dialog = ask({"a", "b"});
    dialog.resetAttempts()->setChecked(true);
    send(dialog);
    fixture.actions.undo();
    settle();
    EXPECT_EQ(fixture.job("a").countedAttempts(), 4U);
    EXPECT_EQ(fixture.job("b").countedAttempts(), 1U);
}

TEST_F(RescheduledAttempts, stayResetOfAJobThatIsOnlyHeldAgainAndThatIsSaid)
{
    tried("a", JobState::Held);
    const auto dialog = ask({"a"});
    dialog.resetAttempts()->setChecked(true);
    send(dialog);
    EXPECT_TRUE(until([&] {
        const auto& result = fixture.board.tasks().front().result;
        return result.contains(QStringLiteral("now due")) &&
               result.contains(QStringLiteral("leave their attempts reset"));
    })) << fixture.board.tasks().front().result.toStdString();
}

TEST(InverseOfAReset, namesWhatCountedOfThoseThatAreMovedBack)
{
    const std::vector<JobBefore> changed{
        {"a", JobState::Scheduled, TimePoint{Millis{1}}, TimePoint{Millis{9}}, 0},
        {"h", JobState::Held, TimePoint{Millis{2}}, TimePoint{Millis{9}}, 1},
        {"b", JobState::Ready, TimePoint{Millis{3}}, TimePoint{Millis{9}}, 2}};
    const auto orders = inverseOf(Verb::Reschedule, changed);
    ASSERT_EQ(orders.size(), 2U);
    EXPECT_THAT(orders[0].selection.ids, ElementsAre("a", "b"));
    EXPECT_THAT(orders[0].attemptOffsets, ElementsAre(0U, 2U));
    EXPECT_EQ(orders[0].expectedDues.size(), 2U);
    EXPECT_EQ(orders[1].verb, Verb::Hold);
    EXPECT_EQ(countKeepingReset(changed), 1U);
    // What failed of it is tried again with the same numbers.
    const auto rest = failedPartOf(orders[0], {{"b", Error{ErrorCode::Unavailable, "no"}}});
    EXPECT_THAT(rest.attemptOffsets, ElementsAre(2U));
}

/// A real store, through its thread.
TEST_F(RescheduledAttempts, areResetAndTakenBackInARealStore)
{
    OpenedSession opened(memorySession([](MemoryJobStore& store,
                                          restante::test::ManualClock& clock) {
        PushRequest request;
        request.job.id = "a";
        request.job.topic = "order";
        request.job.created = clock.now();
        request.due = clock.now();
        store.push(std::move(request), [](const auto&) {});
        store.claim({Channel::Pull, {}, 1}, [](const auto&) {});
        store.retry({{"a", 1}, clock.now() + std::chrono::hours{3}, "busy"}, [](const auto&) {});
    }));
    ASSERT_EQ(opened.settled(), LinkState::Phase::Ready);
    const auto run = [&opened](const BulkRequest& order) {
        std::vector<JobBefore> changed;
        const auto report = opened.answer<BulkReport>([&](auto reply) {
            opened.commands().runBulk(
                order,
                [&changed](const Progress& progress) {
                    changed.insert(changed.end(), progress.changed.begin(), progress.changed.end());
                },
                std::move(reply));
        });
        EXPECT_TRUE(report && report->done == 1);
        return changed;
    };
    const auto countedAttempts = [&opened] {
        return opened
            .answer<JobView>([&](auto reply) { opened.source().show("a", std::move(reply)); })
            .value_or(JobView{})
            .countedAttempts();
    };
    BulkRequest order;
    order.verb = Verb::Reschedule;
    order.attempts = Attempts::Reset;
    order.selection.ids = {"a"};
    order.selection.count = 1;
    order.due = opened.source().now() + std::chrono::hours{1};
    EXPECT_EQ(countedAttempts(), 1U);
    const auto changed = run(order);
    EXPECT_EQ(countedAttempts(), 0U);
    ASSERT_EQ(changed.size(), 1U);
    auto back = inverseOf(Verb::Reschedule, changed);
    ASSERT_EQ(back.size(), 1U);
    run(back.front());
    EXPECT_EQ(countedAttempts(), 1U);
}

}  // namespace
}  // namespace restante::gui::test
