#include "gui/base/csv_text.h"
#include "gui/base/utc.h"
#include "gui/operations/confirmation.h"
#include "gui/operations/inverse.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/dialogs/confirm_dialog.h"
#include "gui/pages/dialogs/reschedule_dialog.h"
#include "gui/theme/time_text.h"
#include "tests/gui/support/commands_fixture.h"
#include "tests/gui/support/confirm_dialog_object.h"
#include "tests/gui/support/memory_opener.h"
#include "tests/gui/support/open_session.h"
#include "tests/gui/support/reschedule_dialog_object.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QLocale>
#include <QTest>
#include <gtest/gtest.h>

#include <optional>

namespace restante::gui::test {

namespace {

using Verb = BulkAction::Verb;

/// Numbers as the texts of these checks write them.
class EnglishNumbers : public testing::Test {
protected:
    void SetUp() override { QLocale::setDefault(QLocale(QLocale::English)); }
    void TearDown() override { QLocale::setDefault(before_); }

private:
    QLocale before_;
};

class SelectionCommand : public EnglishNumbers {};
class BulkCommand : public EnglishNumbers {};
class TrashCommand : public EnglishNumbers {};
class PurgeCommand : public EnglishNumbers {};
class RescheduleCommand : public EnglishNumbers {};

}  // namespace

TEST_F(SelectionCommand, allThatMatchMinusFourIsAnOrderOfAFilterAndFourIds)
{
    CommandsFixture fixture;
    fixture.fake->haveRows(3'004);
    fixture.chooseAll("topic:order", 3'004);
    fixture.page.chosen.except = {"job-1", "job-2", "job-3", "job-4"};
    fixture.page.chosen.count = 3'000;
    fixture.actions.start(Verb::Trash);
    ASSERT_TRUE(until([&] { return fixture.dialog<ConfirmDialog>() != nullptr; }));
    const ConfirmDialogObject dialog(fixture.dialog<ConfirmDialog>());
    dialog.typedCount()->setText(QStringLiteral("3,000"));
    ASSERT_TRUE(until([&] { return dialog.accept()->isEnabled(); }));
    EXPECT_TRUE(dialog.scope()->text().contains(QStringLiteral("topic:order")));
    dialog.accept()->click();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    const auto& order = fixture.fake->bulkRequests.back();
    EXPECT_TRUE(order.selection.all);
    EXPECT_TRUE(order.selection.ids.empty());
    EXPECT_EQ(order.selection.except.size(), 4U);
    EXPECT_EQ(order.selection.view.filter.text(), "topic:order");
    EXPECT_EQ(fixture.board.tasks().front().done, 3'000U);
}

TEST(FilterCommand, anOrderUnderAFilterTouchesOnlyWhatMatches)
{
    CommandsFixture fixture;
    fixture.have("a", JobState::Dead, "order");
    fixture.have("b", JobState::Dead, "invoice");
    fixture.have("c", JobState::Scheduled, "order");
    fixture.chooseAll("topic:order", 1);
    fixture.page.chosen.view.states = {JobState::Dead};
    fixture.actions.start(Verb::Trash);
    const ConfirmDialogObject dialog(fixture.dialog<ConfirmDialog>());
    ASSERT_TRUE(until([&] { return dialog.accept()->isEnabled(); }));
    dialog.accept()->click();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_EQ(fixture.job("a").state, JobState::Trashed);
    EXPECT_EQ(fixture.job("b").state, JobState::Dead);
    EXPECT_EQ(fixture.job("c").state, JobState::Scheduled);
}

TEST_F(BulkCommand, aBulkOrderCountsWhatWentWrongAndRepeatsOnlyThat)
{
    CommandsFixture fixture;
    fixture.fake->haveRows(10'000);
    fixture.fake->failing = {"job-7", "job-700", "job-7000"};
    fixture.fake->skipped = {"job-1", "job-2"};
    BulkRequest order;
    order.verb = Verb::Trash;
    order.selection.all = true;
    order.selection.count = 10'000;
    const auto id = fixture.board.run(order, stepTitle(order.verb, 10'000), QString());
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    const auto& task = *fixture.board.task(id);
    EXPECT_EQ(outcomeText(task), QStringLiteral("9,995 ok · 2 skipped · 3 failed"));
    fixture.fake->failing.clear();
    ASSERT_EQ(task.remainder, nullptr);
    const auto again = fixture.board.repeat(id);
    ASSERT_NE(again, 0);
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_EQ(fixture.fake->bulkRequests.back().selection.ids,
              (std::vector<std::string>{"job-7", "job-700", "job-7000"}));
    EXPECT_EQ(outcomeText(*fixture.board.task(again)),
              QStringLiteral("3 ok · 0 skipped · 0 failed"));
}

TEST_F(BulkCommand, isNotRepeatedInAnotherStore)
{
    CommandsFixture fixture;
    fixture.fake->haveRows(100);
    fixture.fake->failing = {"job-7"};
    BulkRequest order;
    order.verb = Verb::Trash;
    order.selection.all = true;
    order.selection.count = 100;
    const auto id = fixture.board.run(order, stepTitle(order.verb, 100), QString());
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    ASSERT_TRUE(fixture.board.canRepeat(*fixture.board.task(id)));
    fixture.board.open(fixture.session.get());
    EXPECT_FALSE(fixture.board.canRepeat(*fixture.board.task(id)));
    const auto requestCount = fixture.fake->bulkRequests.size();
    EXPECT_EQ(fixture.board.repeat(id), 0);
    EXPECT_EQ(fixture.fake->bulkRequests.size(), requestCount);
}

TEST_F(BulkCommand, aStopInTheMiddleLeavesACountThatIsTrue)
{
    CommandsFixture fixture;
    fixture.fake->latencyMs = 5;
    fixture.fake->actStep = 100;
    fixture.fake->haveRows(10'000);
    BulkRequest order;
    order.verb = Verb::Trash;
    order.selection.all = true;
    order.selection.count = 10'000;
    const auto id = fixture.board.run(order, QStringLiteral("Trash"), QString());
    ASSERT_TRUE(until([&] { return fixture.board.task(id)->done >= 1'000; }));
    fixture.board.stop(id);
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    const auto& task = *fixture.board.task(id);
    EXPECT_TRUE(task.stopped);
    EXPECT_LT(task.done, 10'000U);
    EXPECT_TRUE(outcomeText(task).contains(QStringLiteral("stopped")));
    // What can be taken back is exactly what was done.
    ASSERT_TRUE(fixture.actions.steps().canUndo(id));
    EXPECT_EQ(fixture.actions.steps().undoable()->undoRequests.front()->selection.ids.size(),
              task.done);
}

TEST_F(BulkCommand, aConnectionThatGoesAwayEndsTheTaskWithWhatWasDone)
{
    CommandsFixture fixture;
    fixture.fake->latencyMs = 5;
    fixture.fake->actStep = 100;
    fixture.fake->haveRows(10'000);
    BulkRequest order;
    order.verb = Verb::Trash;
    order.selection.all = true;
    order.selection.count = 10'000;
    const auto id = fixture.board.run(order, QStringLiteral("Trash"), QString());
    ASSERT_TRUE(until([&] { return fixture.board.task(id)->done >= 1'000; }));
    fixture.actions.open(nullptr);
    const auto& task = *fixture.board.task(id);
    EXPECT_FALSE(task.running());
    EXPECT_FALSE(task.problem.isEmpty());
    EXPECT_GE(task.done, 1'000U);
}

TEST_F(BulkCommand, isToldWhatItDidAlsoWhenItsEndEmptiesTheList)
{
    CommandsFixture fixture;
    fixture.fake->haveRows(10);
    QObject::connect(&fixture.board, &TaskBoard::ended, &fixture.window,
                     [&](int) { fixture.board.clearEnded(); });
    BulkRequest order;
    order.verb = Verb::Trash;
    order.selection.all = true;
    order.selection.count = 10;
    std::optional<Task> told;
    std::size_t changed = 0;
    fixture.board.run(order, QStringLiteral("Trash"), QString(),
                      [&](const TaskBoard::Outcome& outcome) {
                          told = outcome.task;
                          changed = outcome.changed.size();
                      });
    ASSERT_TRUE(until([&] { return told.has_value(); }));
    EXPECT_TRUE(fixture.board.tasks().empty());
    EXPECT_FALSE(told->running());
    EXPECT_EQ(told->title, QStringLiteral("Trash"));
    EXPECT_EQ(told->done, 10U);
    EXPECT_EQ(changed, 10U);
}

TEST(TaskList, keepsItsEndedTasksHoweverManyAreRunning)
{
    TaskBoard board;
    const auto first = board.begin({}, {});
    const auto second = board.begin({}, {});
    board.end(first);
    board.end(second);
    for (std::size_t at = 0; at < TaskBoard::kMaxEnded; ++at) {
        board.begin({}, {});
    }
    EXPECT_NE(board.task(first), nullptr);
    EXPECT_NE(board.task(second), nullptr);
    EXPECT_EQ(board.tasks().size(), TaskBoard::kMaxEnded + 2);
}

TEST(TaskList, forgetsTheOldestOfTooManyThatHaveEnded)
{
    TaskBoard board;
    const auto running = board.begin({}, {});
    const auto oldest = board.begin({}, {});
    board.end(oldest);
    const auto next = board.begin({}, {});
    board.end(next);
    for (std::size_t at = 1; at < TaskBoard::kMaxEnded; ++at) {
        board.end(board.begin({}, {}));
    }
    board.begin({}, {});
    EXPECT_EQ(board.task(oldest), nullptr);
    EXPECT_NE(board.task(next), nullptr);
    EXPECT_NE(board.task(running), nullptr) << "it is older, but has not ended";
    EXPECT_EQ(board.tasks().size(), TaskBoard::kMaxEnded + 2);
}

TEST_F(TrashCommand, deleteMovesToTheTrashWithoutAskingAndUndoBringsItBack)
{
    CommandsFixture fixture;
    fixture.have("a", JobState::Dead);
    fixture.have("b");
    const auto due = fixture.job("b").due;
    fixture.choose({"a", "b"});
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::Trash]->trigger();
    EXPECT_EQ(fixture.dialog<QDialog>(), nullptr);
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_EQ(fixture.job("a").state, JobState::Trashed);
    ASSERT_NE(fixture.actions.steps().undoable(), nullptr);
    fixture.actions.undo();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_EQ(fixture.job("a").state, JobState::Dead);
    EXPECT_EQ(fixture.job("b").state, JobState::Scheduled);
    EXPECT_EQ(fixture.job("b").due, due);
    fixture.actions.redo();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_EQ(fixture.job("b").state, JobState::Trashed);
    EXPECT_NE(fixture.actions.steps().undoable(), nullptr);
}

TEST_F(TrashCommand, theCommandsOfTheWindowDoItToTheRowsOfTheTable)
{
    WindowOnStore whole;
    whole.openFake([](FakeBackend& store) {
        for (const auto* id : {"a", "b"}) {
            JobView view;
            view.job.id = id;
            view.job.topic = "order";
            view.due = store.time + std::chrono::hours{2};
            store.jobs.push_back(view);
        }
    });
    whole.show();
    whole.window.showPage(PageId::Jobs);
    auto& actions = whole.window.actions();
    ASSERT_TRUE(until([&] {
        actions[ActionId::SelectAll]->trigger();
        return actions[ActionId::Trash]->isEnabled();
    }));
    EXPECT_FALSE(actions[ActionId::Undo]->isEnabled());
    actions[ActionId::Trash]->trigger();
    const auto both = [&](JobState state) {
        return whole.fake->jobs[0].state == state && whole.fake->jobs[1].state == state;
    };
    ASSERT_TRUE(until([&] { return both(JobState::Trashed); }));
    ASSERT_TRUE(until([&] { return actions[ActionId::Undo]->isEnabled(); }));
    EXPECT_TRUE(actions[ActionId::Undo]->text().contains(u'2'));
    actions[ActionId::Undo]->trigger();
    EXPECT_TRUE(until([&] { return both(JobState::Scheduled); }));
}

TEST_F(PurgeCommand, deletingForGoodAsksWithCancelAsTheDefault)
{
    CommandsFixture fixture;
    fixture.choose({fixture.have("a", JobState::Dead), fixture.have("b", JobState::Dead)});
    fixture.actions.start(Verb::Purge);
    auto* dialog = fixture.dialog<ConfirmDialog>();
    ASSERT_NE(dialog, nullptr);
    const ConfirmDialogObject ui(dialog);
    auto* cancel = ui.cancel();
    auto* accept = ui.accept();
    EXPECT_TRUE(cancel->isDefault());
    EXPECT_EQ(dialog->focusWidget(), cancel);
    EXPECT_FALSE(accept->isDefault());
    ASSERT_TRUE(until([&] { return accept->isEnabled(); }));
    EXPECT_TRUE(accept->text().contains(QStringLiteral("Delete")));
    EXPECT_TRUE(accept->text().contains(u'2'));
    QTest::keyClick(dialog, Qt::Key_Return);
    EXPECT_TRUE(until([&] { return fixture.dialog<ConfirmDialog>() == nullptr; }));
    for (const auto& order : fixture.fake->bulkRequests) {
        EXPECT_EQ(order.mode, BulkRequest::Mode::DryRun);
    }
}

TEST_F(PurgeCommand, inProductionTheButtonWaitsForTheCount)
{
    CommandsFixture fixture(AccessMode::Production);
    fixture.choose({fixture.have("a", JobState::Dead), fixture.have("b", JobState::Dead)});
    fixture.actions.start(Verb::Purge);
    const ConfirmDialogObject dialog(fixture.dialog<ConfirmDialog>());
    auto* accept = dialog.accept();
    auto* typed = dialog.typedCount();
    ASSERT_TRUE(until([&] { return dialog.states()->text().contains(QStringLiteral("Dead 2")); }));
    EXPECT_FALSE(accept->isEnabled());
    QTest::keyClicks(typed, QStringLiteral("12"));
    EXPECT_FALSE(accept->isEnabled());
    typed->setText(QStringLiteral("2"));
    EXPECT_TRUE(accept->isEnabled());
    dialog.reason()->setText(QStringLiteral("duplicates"));
    accept->click();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_EQ(fixture.fake->bulkRequests.back().mode, BulkRequest::Mode::Apply);
    EXPECT_EQ(fixture.fake->bulkRequests.back().reason, "duplicates");
}

TEST(ReadOnlyConnection, aReadOnlyConnectionRefusesWhatTheCommandsAsk)
{
    CommandsFixture fixture(AccessMode::ReadOnly);
    fixture.choose({fixture.have("a")});
    fixture.actions.start(Verb::Trash);
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_FALSE(fixture.board.tasks().front().problem.isEmpty());
    EXPECT_TRUE(fixture.fake->bulkRequests.empty());
    EXPECT_EQ(fixture.job("a").state, JobState::Scheduled);
}

TEST_F(RescheduleCommand, reschedulingTellsTheTimeThatTheStoreHas)
{
    CommandsFixture fixture;
    fixture.choose({fixture.have("a")});
    fixture.actions.start(Verb::Reschedule);
    const RescheduleDialogObject dialog(fixture.dialog<RescheduleDialog>());
    auto* preview = dialog.preview();
    ASSERT_TRUE(until([&] { return preview->rowCount() == 1; }));
    dialog.zone()->setEditText(QStringLiteral("Asia/Tokyo"));
    dialog.time()->setDateTime(QDateTime(QDate(2027, 1, 2), QTime(9, 30), kUtc));
    EXPECT_TRUE(dialog.at()->isChecked());
    EXPECT_TRUE(preview->item(0, 2)->text().startsWith(QStringLiteral("2027-01-02 09:30:00")));
    dialog.reason()->setText(QStringLiteral("customer asked"));
    dialog.accept()->click();
    ASSERT_TRUE(
        until([&] { return idle(fixture) && !fixture.board.tasks().front().result.isEmpty(); }));
    const auto tokyo = QTimeZone("Asia/Tokyo");
    EXPECT_EQ(fixture.job("a").due, timeOf(QDate(2027, 1, 2), QTime(9, 30), tokyo));
    EXPECT_TRUE(fixture.board.tasks().front().result.contains(timeIn(tokyo, fixture.job("a").due)));
    const auto& history = fixture.fake->histories["a"];
    ASSERT_EQ(history.size(), 1U);
    EXPECT_EQ(history.front().actor, fixture.session->commands().actor());
    EXPECT_EQ(history.front().reason, "customer asked");
    // And back to where it was.
    fixture.actions.undo();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_EQ(fixture.job("a").due, fixture.fake->time + std::chrono::hours{2});
}

TEST_F(RescheduleCommand, aLateAnswerChangesNothingThatWasChosen)
{
    CommandsFixture fixture;
    fixture.choose({fixture.have("a")});
    fixture.actions.start(Verb::Reschedule);
    const RescheduleDialogObject dialog(fixture.dialog<RescheduleDialog>());
    ASSERT_EQ(dialog.preview()->rowCount(), 0) << "the store has not answered yet";
    dialog.wait()->setEditText(QStringLiteral("3h"));
    ASSERT_TRUE(until([&] { return dialog.preview()->rowCount() == 1; }));
    EXPECT_TRUE(dialog.in()->isChecked());
    dialog.accept()->click();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_EQ(fixture.job("a").due, fixture.fake->time + std::chrono::hours{3});
}

TEST_F(RescheduleCommand, aTimeThatHasPassedIsSaid)
{
    CommandsFixture fixture;
    fixture.choose({fixture.have("a")});
    fixture.actions.start(Verb::Reschedule);
    auto* dialog = fixture.dialog<RescheduleDialog>();
    ASSERT_NE(dialog, nullptr);
    const RescheduleDialogObject ui(dialog);
    ui.time()->setDateTime(QDateTime(QDate(2020, 1, 2), QTime(9, 30), kUtc));
    auto* notice = ui.notice();
    EXPECT_TRUE(notice->isVisibleTo(dialog));
    EXPECT_TRUE(notice->text().contains(QStringLiteral("at once")));
    // Nonsense is refused with a sentence.
    ui.in()->setChecked(true);
    ui.wait()->setEditText(QStringLiteral("soon"));
    EXPECT_FALSE(ui.accept()->isEnabled());
    EXPECT_TRUE(notice->text().contains(QStringLiteral("soon")));
}

TEST_F(RescheduleCommand, whatIsSpreadIsDueWhenThePreviewSaid)
{
    // A real store, through its thread.
    OpenedSession opened(
        memorySession([](MemoryJobStore& store, restante::test::ManualClock& clock) {
            for (int n = 0; n < 10; ++n) {
                PushRequest request;
                request.job.id = "job-" + std::to_string(n);
                request.job.topic = "order";
                request.job.created = clock.now();
                request.due = clock.now() + std::chrono::hours{2};
                store.push(std::move(request), [](const auto&) {});
            }
        }));
    ASSERT_EQ(opened.settled(), LinkState::Phase::Ready);
    CommandsFixture fixture;
    fixture.actions.open(&opened.session());
    std::vector<std::string> ids;
    for (int n = 0; n < 10; ++n) {
        ids.push_back("job-" + std::to_string(n));
    }
    fixture.choose(ids);
    fixture.actions.start(Verb::Reschedule);
    const RescheduleDialogObject dialog(fixture.dialog<RescheduleDialog>());
    auto* preview = dialog.preview();
    ASSERT_TRUE(until([&] { return preview->rowCount() == 5; }));
    dialog.zone()->setEditText(QStringLiteral("UTC"));
    dialog.time()->setDateTime(QDateTime(QDate(2096, 1, 2), QTime(9, 0), kUtc));
    dialog.spread()->setEditText(QStringLiteral("30m"));
    dialog.spreads()->setChecked(true);
    std::map<std::string, QString> promised;
    for (int row = 0; row < 5; ++row) {
        promised[preview->item(row, 0)->text().toStdString()] = preview->item(row, 2)->text();
    }
    dialog.accept()->click();
    if (auto* confirm = fixture.dialog<ConfirmDialog>()) {
        auto* accept = ConfirmDialogObject(confirm).accept();
        ASSERT_TRUE(until([&] { return accept->isEnabled(); }));
        accept->click();
    }
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_EQ(fixture.board.tasks().front().done, 10U);
    const auto utc = QTimeZone("UTC");
    const auto first = timeOf(QDate(2096, 1, 2), QTime(9, 0), utc);
    for (int n = 0; n < 10; ++n) {
        const auto id = ids[static_cast<std::size_t>(n)];
        const auto view =
            opened.answer<JobView>([&](auto reply) { opened.source().show(id, std::move(reply)); });
        ASSERT_TRUE(view);
        EXPECT_EQ(view->due, first + std::chrono::minutes{3 * n});
        if (promised.count(id) != 0) {
            EXPECT_EQ(promised[id], timeIn(utc, view->due));
        }
    }
    // And one step takes all of them back to where each was.
    fixture.actions.undo();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_EQ(fixture.board.tasks().front().done, 10U);
    fixture.actions.open(nullptr);
}

TEST(Confirmation, isAskedForWhatCannotBeTakenBackOrSeen)
{
    Selection two;
    two.ids = {"a", "b"};
    two.count = 2;
    Selection one = two;
    one.count = 1;
    Selection all;
    all.all = true;
    all.count = 1;
    const auto normal = AccessMode::Normal;
    EXPECT_EQ(confirmationFor(Verb::Trash, two, normal, 1'000), Confirmation::None);
    EXPECT_EQ(confirmationFor(Verb::Trash, all, normal, 1'000), Confirmation::Ask);
    EXPECT_EQ(confirmationFor(Verb::RunNow, one, normal, 1'000), Confirmation::None);
    EXPECT_EQ(confirmationFor(Verb::RunNow, two, normal, 1'000), Confirmation::Ask);
    EXPECT_EQ(confirmationFor(Verb::Purge, one, normal, 1'000), Confirmation::Ask);
    EXPECT_EQ(confirmationFor(Verb::Trash, two, normal, 2), Confirmation::TypeCount);
    EXPECT_EQ(confirmationFor(Verb::Trash, one, AccessMode::Production, 1'000), Confirmation::None);
    EXPECT_EQ(confirmationFor(Verb::Purge, one, AccessMode::Production, 1'000),
              Confirmation::TypeCount);
    EXPECT_EQ(confirmationFor(Verb::Trash, two, AccessMode::Production, 1'000),
              Confirmation::TypeCount);
    EXPECT_EQ(confirmationFor(Verb::Trash, two, AccessMode::Production, 1'000, 3),
              Confirmation::Ask);
}

TEST(Inverse, bringsEachJobBackToWhereItWas)
{
    const TimePoint due{Millis{5'000}};
    const std::vector<JobBefore> changed{{"s", JobState::Scheduled, due},
                                         {"h", JobState::Held, due},
                                         {"d", JobState::Dead, due},
                                         {"r", JobState::Ready, due + Millis{1}}};
    const auto ofRun = inverseOf(Verb::RunNow, changed);
    ASSERT_EQ(ofRun.size(), 2U);
    EXPECT_EQ(ofRun[0].verb, Verb::Reschedule);
    EXPECT_EQ(ofRun[0].selection.ids, (std::vector<std::string>{"s", "r"}));
    EXPECT_EQ(ofRun[0].dues, (std::vector<TimePoint>{due, due + Millis{1}}));
    EXPECT_EQ(ofRun[1].verb, Verb::Hold);
    EXPECT_EQ(inverseOf(Verb::Trash, changed).front().selection.count, 4U);
    EXPECT_TRUE(inverseOf(Verb::Purge, changed).empty());
    EXPECT_TRUE(inverseOf(Verb::Restore, {{"d", JobState::Dead, due}}).empty());
}

TEST(Csv, quotesWhatASpreadsheetWouldMisread)
{
    EXPECT_EQ(csvCell("plain"), "plain");
    EXPECT_EQ(csvCell("a,b"), "\"a,b\"");
    EXPECT_EQ(csvCell("say \"hi\"\n"), "\"say \"\"hi\"\"\n\"");
    EXPECT_EQ(csvCell("+491701234567"), "\"+491701234567\"");
    EXPECT_EQ(csvCell("=1+1", CsvFormulas::Apostrophe), "\"'=1+1\"");
    EXPECT_EQ(csvCell(""), "");
}

}  // namespace restante::gui::test
