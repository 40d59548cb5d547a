// Taking steps back: what somebody else has touched since is left alone, what the store refuses can
// be tried again, and a connection that is lost in the middle costs neither counts nor steps.

#include "gui/operations/inverse.h"
#include "gui/operations/reason_text.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/dialogs/pause_dialog.h"
#include "gui/tasks/task_strip.h"
#include "tests/gui/support/commands_fixture.h"
#include "tests/gui/support/memory_opener.h"
#include "tests/gui/support/open_session.h"
#include "tests/gui/support/pause_dialog_object.h"
#include "tests/gui/support/stopwatch.h"
#include "tests/gui/support/task_strip_object.h"
#include "tests/gui/support/wait.h"

#include <QAction>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace restante::gui::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using Verb = BulkAction::Verb;

constexpr std::chrono::hours kHour{1};
const std::string kLeftAlone = "what is skipped has been changed by others since";

class Undo : public testing::Test {
protected:
    void SetUp() override { QLocale::setDefault(QLocale(QLocale::English)); }
    void TearDown() override { QLocale::setDefault(before_); }

    /// Does the verb to jobs, and waits.
    void runBulk(Verb verb, std::vector<std::string> ids, TimePoint due = {})
    {
        BulkRequest order;
        order.verb = verb;
        order.due = due;
        order.selection.ids = std::move(ids);
        order.selection.count = order.selection.ids.size();
        order.reason = "by mistake";
        fixture.board.run(order, stepTitle(verb, order.selection.count), QString());
        settle();
    }
    void settle()
    {
        EXPECT_TRUE(until([&] { return fixture.board.runningCount() == 0; }));
    }
    void undo()
    {
        fixture.actions.undo();
        settle();
    }
    JobView& job(const std::string& id)
    {
        for (auto& view : fixture.fake->jobs) {
            if (view.job.id == id) {
                return view;
            }
        }
        throw std::out_of_range(id);
    }
    std::string outcome() { return outcomeText(fixture.board.tasks().front()).toStdString(); }

    CommandsFixture fixture;

private:
    QLocale before_;
};

TEST_F(Undo, leavesAJobAloneThatSomebodyElseHasRestored)
{
    fixture.have("a", JobState::Dead);
    fixture.have("b", JobState::Dead);
    runBulk(Verb::Trash, {"a", "b"});
    job("a").state = JobState::Held;
    undo();
    EXPECT_EQ(outcome(), "1 ok · 1 skipped · 0 failed · " + kLeftAlone);
    EXPECT_EQ(job("a").state, JobState::Held);
    EXPECT_EQ(job("b").state, JobState::Dead);
}

TEST_F(Undo, leavesAJobAloneThatSomebodyElseHasRescheduled)
{
    fixture.have("a");
    fixture.have("b");
    const auto before = job("b").due;
    runBulk(Verb::Reschedule, {"a", "b"}, fixture.fake->time + 9 * kHour);
    job("a").due = fixture.fake->time + 20 * kHour;
    undo();
    EXPECT_EQ(outcome(), "1 ok · 1 skipped · 0 failed · " + kLeftAlone);
    EXPECT_EQ(job("a").due, fixture.fake->time + 20 * kHour);
    EXPECT_EQ(job("b").due, before);
}

TEST_F(Undo, leavesAJobAloneThatHasRunSince)
{
    for (const auto* id : {"leased", "retried", "ready"}) {
        fixture.have(id);
    }
    runBulk(Verb::RunNow, {"leased", "retried", "ready"});
    job("leased").state = JobState::Leased;
    job("retried").state = JobState::Scheduled;
    undo();
    EXPECT_EQ(outcome(), "1 ok · 2 skipped · 0 failed · " + kLeftAlone);
    EXPECT_EQ(job("leased").state, JobState::Leased);
    EXPECT_EQ(job("ready").due, fixture.fake->time + 2 * kHour);
}

TEST_F(Undo, leavesAJobAloneThatSomebodyElseHasReleased)
{
    fixture.have("a");
    fixture.have("b");
    runBulk(Verb::Hold, {"a", "b"});
    job("a").state = JobState::Ready;
    undo();
    EXPECT_EQ(outcome(), "1 ok · 1 skipped · 0 failed · " + kLeftAlone);
    EXPECT_EQ(job("a").state, JobState::Ready);
    EXPECT_EQ(job("b").state, JobState::Scheduled);
}

TEST_F(Undo, ofARestoreTakesNoJobFromItsWorker)
{
    fixture.have("a", JobState::Trashed);
    fixture.have("b", JobState::Trashed);
    runBulk(Verb::Restore, {"a", "b"});
    job("a").state = JobState::Leased;
    undo();
    EXPECT_EQ(job("a").state, JobState::Leased);
    EXPECT_EQ(job("b").state, JobState::Trashed);
}

TEST_F(Undo, andRedoDoNothingToWhatWasTouchedInBetween)
{
    fixture.have("a");
    fixture.have("b");
    runBulk(Verb::Trash, {"a", "b"});
    undo();
    job("a").due += kHour;
    fixture.actions.redo();
    settle();
    EXPECT_EQ(outcome(), "1 ok · 1 skipped · 0 failed · " + kLeftAlone);
    EXPECT_EQ(job("a").state, JobState::Scheduled);
    EXPECT_EQ(job("b").state, JobState::Trashed);
}

TEST_F(Undo, andRedoAreAuditedAsWhatTheyAre)
{
    fixture.have("a");
    runBulk(Verb::Trash, {"a"});
    undo();
    fixture.actions.redo();
    settle();
    ASSERT_EQ(fixture.fake->auditRows.size(), 3U);
    EXPECT_EQ(fixture.fake->auditRows[1].reason, QStringLiteral("undo: by mistake"));
    EXPECT_EQ(fixture.fake->auditRows[0].reason, QStringLiteral("redo: by mistake"));
    EXPECT_EQ(fixture.fake->auditRows[0].verb, QStringLiteral("trash"));
}

TEST_F(Undo, isThereAgainWhenTheStoreRefusesIt)
{
    fixture.have("a", JobState::Dead);
    runBulk(Verb::Trash, {"a"});
    fixture.fake->failing = {"a"};
    undo();
    EXPECT_EQ(outcome(), "0 ok · 0 skipped · 1 failed");
    ASSERT_NE(fixture.actions.steps().undoable(), nullptr);
    EXPECT_EQ(fixture.actions.steps().redoable(), nullptr);
    fixture.fake->failing.clear();
    undo();
    EXPECT_EQ(job("a").state, JobState::Dead);
    EXPECT_EQ(fixture.actions.steps().undoable(), nullptr);
    EXPECT_NE(fixture.actions.steps().redoable(), nullptr);
}

TEST_F(Undo, goesOnWithThoseThatTheStoreRefused)
{
    for (const auto* id : {"a", "b", "c"}) {
        fixture.have(id, JobState::Dead);
    }
    runBulk(Verb::Trash, {"a", "b", "c"});
    fixture.fake->failing = {"b"};
    undo();
    ASSERT_NE(fixture.actions.steps().undoable(), nullptr);
    EXPECT_THAT(fixture.actions.steps().undoable()->remainder.front()->selection.ids,
                ElementsAre("b"));
    fixture.fake->failing.clear();
    undo();
    EXPECT_EQ(job("b").state, JobState::Dead);
    fixture.actions.redo();
    settle();
    EXPECT_EQ(outcome(), "3 ok · 0 skipped · 0 failed");
    undo();
    EXPECT_EQ(outcome(), "3 ok · 0 skipped · 0 failed") << "all of them, as the title says";
    EXPECT_EQ(job("a").state, JobState::Dead);
}

TEST_F(Undo, thatFailedIsRepeatedAsTheStepThatItIsAndNotAsATask)
{
    fixture.have("a", JobState::Dead);
    runBulk(Verb::Trash, {"a"});
    const auto trash = fixture.board.tasks().front().id;
    fixture.fake->failing = {"a"};
    undo();
    const auto& task = fixture.board.tasks().front();
    ASSERT_EQ(task.failed, 1U);
    EXPECT_FALSE(fixture.board.canRepeat(task));
    EXPECT_EQ(fixture.board.repeat(task.id), 0);
    EXPECT_TRUE(fixture.actions.steps().canUndo(trash));
}

TEST_F(Undo, isOffWithAReasonWhileNothingCanBeWritten)
{
    fixture.have("a", JobState::Dead);
    runBulk(Verb::Trash, {"a"});
    auto link = fixture.fake->link();
    link.writable = false;
    link.whyNotWritable = QStringLiteral("The store is newer than this console.");
    fixture.fake->setLink(link);
    ConnectionCaps caps;
    caps.connected = true;
    caps.writeRefusal = fixture.session->commands().refusal();
    caps.undo = fixture.actions.steps().undoable()->title;
    caps.redo = caps.undo;
    fixture.registry.update(fixture.page.selection(), caps);
    for (const auto act : {ActionId::Undo, ActionId::Redo}) {
        EXPECT_FALSE(fixture.registry[act]->isEnabled());
        EXPECT_THAT(fixture.registry[act]->toolTip().toStdString(), HasSubstr("newer"));
    }
    // Nor does it use the step up when it is asked for all the same.
    QString said;
    QObject::connect(&fixture.actions, &JobActions::statusTextChanged,
                     [&](const QString& text) { said = text; });
    undo();
    EXPECT_THAT(said.toStdString(), HasSubstr("newer"));
    EXPECT_EQ(job("a").state, JobState::Trashed);
    ASSERT_NE(fixture.actions.steps().undoable(), nullptr);
    link.writable = true;
    fixture.fake->setLink(link);
    undo();
    EXPECT_EQ(job("a").state, JobState::Dead);
}

TEST_F(Undo, ofTwoStepsInQuickSuccessionDoesNotBeginTheSecondBeforeTheFirstHasEnded)
{
    fixture.have("a");
    runBulk(Verb::Hold, {"a"});
    runBulk(Verb::Trash, {"a"});
    fixture.actions.undo();
    EXPECT_FALSE(fixture.actions.mayRunStep());
    ConnectionCaps caps{true, {}, {}, {}};
    caps.undo = fixture.actions.steps().undoable()->title;
    caps.isStepRunning = fixture.actions.isStepRunning();
    fixture.registry.update(fixture.page.selection(), caps);
    EXPECT_FALSE(fixture.registry[ActionId::Undo]->isEnabled());
    EXPECT_THAT(fixture.registry[ActionId::Undo]->toolTip().toStdString(),
                HasSubstr("Another step is being undone or redone."));
    fixture.actions.undo();
    settle();
    EXPECT_TRUE(fixture.actions.mayRunStep());
    EXPECT_EQ(job("a").state, JobState::Held);
    ASSERT_NE(fixture.actions.steps().undoable(), nullptr) << "the hold is not used up";
    undo();
    EXPECT_EQ(outcome(), "1 ok · 0 skipped · 0 failed");
    EXPECT_EQ(job("a").state, JobState::Scheduled);
}

TEST_F(Undo, labelsNameTheStep)
{
    const auto label = [&] {
        ConnectionCaps caps{true, {}, {}, {}};
        caps.undo = fixture.actions.steps().undoable()->title;
        fixture.registry.update(fixture.page.selection(), caps);
        return fixture.registry[ActionId::Undo]->text().remove(u'&').toStdString();
    };
    for (const auto* id : {"a", "b", "c"}) {
        fixture.have(id);
    }
    runBulk(Verb::Hold, {"a", "b"});
    EXPECT_EQ(label(), "Undo: Hold 2 job(s)");
    runBulk(Verb::Release, {"a", "b"});
    EXPECT_EQ(label(), "Undo: Release 2 job(s)");
    runBulk(Verb::Reschedule, {"c"}, fixture.fake->time + 9 * kHour);
    EXPECT_EQ(label(), "Undo: Reschedule 1 job(s)");
    runBulk(Verb::Trash, {"c"});
    EXPECT_EQ(label(), "Undo: Move 1 job(s) to the trash");
    runBulk(Verb::Restore, {"c"});
    EXPECT_EQ(label(), "Undo: Restore 1 job(s)");
}

TEST_F(Undo, ofHoldReleaseRescheduleAndRestoreBringsEachBack)
{
    fixture.have("a");
    const auto due = job("a").due;
    runBulk(Verb::Hold, {"a"});
    undo();
    EXPECT_EQ(job("a").state, JobState::Scheduled);
    EXPECT_EQ(job("a").due, due);
    runBulk(Verb::Reschedule, {"a"}, due + kHour);
    undo();
    EXPECT_EQ(job("a").due, due);
    runBulk(Verb::Trash, {"a"});
    runBulk(Verb::Restore, {"a"});
    undo();
    EXPECT_EQ(job("a").state, JobState::Trashed);
    undo();
    EXPECT_EQ(job("a").state, JobState::Scheduled);
    fixture.have("h", JobState::Held);
    runBulk(Verb::Release, {"h"});
    EXPECT_EQ(job("h").state, JobState::Ready);
    undo();
    EXPECT_EQ(job("h").state, JobState::Held);
}

/// A topic of the fake store, paused or not.
void haveTopic(CommandsFixture& fixture, std::optional<TopicPause> pause)
{
    TopicView view;
    view.topic = "order";
    view.pause = std::move(pause);
    fixture.fake->topicList = {view};
    fixture.page.topic = "order";
    fixture.page.paused = view.pause.has_value();
}

TEST_F(Undo, ofAPauseResumesTheTopicAndRedoPausesItForTheSameReason)
{
    haveTopic(fixture, {});
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::PauseTopic]->trigger();
    PauseDialogObject(fixture.dialog<PauseDialog>()).pause(QStringLiteral("repairs"));
    ASSERT_TRUE(until([&] { return fixture.actions.steps().undoable() != nullptr; }));
    EXPECT_EQ(fixture.actions.steps().undoable()->title, QStringLiteral("Pause of “order”"));
    haveTopic(fixture, TopicPause{{}, "me", "repairs"});
    fixture.actions.undo();
    ASSERT_TRUE(until([&] { return fixture.fake->topicActions.size() == 2; }));
    EXPECT_EQ(fixture.fake->topicActions[1].first, JobWriter::TopicVerb::Resume);
    EXPECT_EQ(fixture.fake->topicActions[1].second.reason, "undo: repairs");
    ASSERT_TRUE(until([&] { return fixture.actions.steps().redoable() != nullptr; }));
    haveTopic(fixture, {});
    fixture.actions.redo();
    ASSERT_TRUE(until([&] { return fixture.fake->topicActions.size() == 3; }));
    EXPECT_EQ(fixture.fake->topicActions[2].first, JobWriter::TopicVerb::Pause);
    EXPECT_EQ(fixture.fake->topicActions[2].second.reason, "repairs");
}

TEST_F(Undo, ofAPauseKnowsTheReasonThatWasSent)
{
    haveTopic(fixture, {});
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::PauseTopic]->trigger();
    const PauseDialogObject dialog(fixture.dialog<PauseDialog>());
    dialog.pause(QStringLiteral("repairs"));
    dialog.reason()->setText(QStringLiteral("typed before the answer came"));
    ASSERT_TRUE(until([&] { return fixture.actions.steps().undoable() != nullptr; }));
    EXPECT_EQ(fixture.actions.steps().undoable()->topic->reason, "repairs");
}

TEST_F(Undo, ofAResumptionPausesItAsItWas)
{
    haveTopic(fixture, TopicPause{{}, "bob", "full disk"});
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::PauseTopic]->trigger();
    ASSERT_TRUE(until([&] { return fixture.actions.steps().undoable() != nullptr; }));
    haveTopic(fixture, {});
    fixture.actions.undo();
    ASSERT_TRUE(until([&] { return fixture.fake->topicActions.size() == 2; }));
    EXPECT_EQ(fixture.fake->topicActions[1].first, JobWriter::TopicVerb::Pause);
    EXPECT_EQ(fixture.fake->topicActions[1].second.reason, "full disk");
}

TEST_F(Undo, ofLimitsPutsThoseBackThatWereThere)
{
    haveTopic(fixture, {});
    const TopicLimits before{4, {}};
    const TopicLimits after{8, {10, Millis{1'000}}};
    fixture.fake->topicList[0].limits = before;
    fixture.actions.limitTopic("order", {before, after});
    ASSERT_TRUE(until([&] { return fixture.actions.steps().undoable() != nullptr; }));
    EXPECT_EQ(fixture.actions.steps().undoable()->title, QStringLiteral("Limits of “order”"));
    ASSERT_EQ(fixture.fake->limitActions.size(), 1U);
    EXPECT_EQ(fixture.fake->limitActions[0].second, after);
    EXPECT_FALSE(fixture.fake->limitActions[0].first.actor.empty());
    fixture.actions.undo();
    ASSERT_TRUE(until([&] { return fixture.actions.steps().redoable() != nullptr; }));
    EXPECT_EQ(fixture.fake->limitActions.back().second, before);
    EXPECT_EQ(fixture.fake->limitActions.back().first.reason, "undo");
    fixture.actions.redo();
    ASSERT_TRUE(until([&] { return fixture.fake->limitActions.size() == 3; }));
    EXPECT_EQ(fixture.fake->limitActions.back().second, after);
}

TEST_F(Undo, leavesLimitsAloneThatSomebodyElseHasChangedSince)
{
    haveTopic(fixture, {});
    fixture.actions.limitTopic("order", {{}, {8, {}}});
    ASSERT_TRUE(until([&] { return fixture.actions.steps().undoable() != nullptr; }));
    fixture.fake->topicList[0].limits = {2, {}};
    QString said;
    QObject::connect(&fixture.actions, &JobActions::statusTextChanged,
                     [&](const QString& text) { said = text; });
    fixture.actions.undo();
    ASSERT_TRUE(until([&] { return !said.isEmpty(); }));
    EXPECT_THAT(said.toStdString(), HasSubstr("somebody else"));
    EXPECT_EQ(fixture.fake->limitActions.size(), 1U);
}

TEST_F(Undo, hasNothingOfLimitsThatTheStoreHasRefused)
{
    haveTopic(fixture, {});
    fixture.fake->limitError = Error{ErrorCode::Unavailable, "no answer in time"};
    QString why;
    QObject::connect(&fixture.actions, &JobActions::limitsRefused,
                     [&](const std::string&, const QString& told) { why = told; });
    fixture.actions.limitTopic("order", {{}, {8, {}}});
    ASSERT_TRUE(until([&] { return !why.isEmpty(); }));
    EXPECT_EQ(why, QStringLiteral("no answer in time"));
    EXPECT_EQ(fixture.actions.steps().undoable(), nullptr);
}

TEST_F(Undo, leavesATopicAloneThatSomebodyElseHasPausedAgain)
{
    haveTopic(fixture, TopicPause{{}, "bob", "full disk"});
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::PauseTopic]->trigger();
    ASSERT_TRUE(until([&] { return fixture.actions.steps().undoable() != nullptr; }));
    haveTopic(fixture, TopicPause{{}, "eve", "attack"});
    QString said;
    QObject::connect(&fixture.actions, &JobActions::statusTextChanged,
                     [&](const QString& text) { said = text; });
    fixture.actions.undo();
    ASSERT_TRUE(until([&] { return !said.isEmpty(); }));
    EXPECT_THAT(said.toStdString(), HasSubstr("somebody else"));
    EXPECT_EQ(fixture.fake->topicActions.size(), 1U);
    EXPECT_EQ(fixture.actions.steps().undoable(), nullptr);
}

TEST_F(Undo, ofWhatAConnectionDidBeforeItWasLostAndTheRestByTheStrip)
{
    fixture.fake->latencyMs = 5;
    fixture.fake->actStep = 100;
    fixture.fake->haveRows(10'000);
    TaskStrip strip(fixture.board, fixture.actions, nullptr);
    BulkRequest order;
    order.verb = Verb::Trash;
    order.selection.all = true;
    order.selection.count = 10'000;
    const auto id = fixture.board.run(order, QStringLiteral("Trash"), QString());
    ASSERT_TRUE(until([&] { return fixture.board.task(id)->done >= 1'000; }));
    fixture.fake->gone = true;
    settle();
    const auto& task = *fixture.board.task(id);
    const auto done = task.done;
    EXPECT_TRUE(task.stopped);
    EXPECT_THAT(outcomeText(task).toStdString(),
                HasSubstr("stopped · connection lost after " + jobsText(done).toStdString()));
    ASSERT_TRUE(fixture.actions.steps().canUndo(id));
    EXPECT_EQ(fixture.actions.steps().undoable()->undoRequests.front()->selection.ids.size(), done);
    // The rest: the same order, but for what it has done.
    fixture.fake->gone = false;
    auto* retry = TaskStripObject(&strip).retry();
    ASSERT_TRUE(until([&] { return retry->isVisibleTo(&strip); }));
    EXPECT_EQ(retry->text(), QStringLiteral("Do the Rest"));
    fixture.fake->latencyMs = 0;
    retry->click();
    settle();
    EXPECT_EQ(fixture.board.tasks().front().done, 10'000 - done);
    EXPECT_EQ(fixture.board.tasks().front().expected, 10'000 - done);
    EXPECT_EQ(fixture.board.task(id)->remainder, nullptr);
}

TEST_F(Undo, canGoOnAfterATopicThatSomebodyElseHasChanged)
{
    haveTopic(fixture, {});
    fixture.have("a");
    runBulk(Verb::Hold, {"a"});
    fixture.actions.limitTopic("order", {{}, {8, {}}});
    ASSERT_TRUE(until([&] {
        const auto* step = fixture.actions.steps().undoable();
        return step != nullptr && step->topic.has_value();
    }));
    fixture.fake->topicList[0].limits = {2, {}};
    fixture.actions.undo();
    ASSERT_TRUE(until([&] { return fixture.actions.mayRunStep(); }));
    undo();
    EXPECT_EQ(job("a").state, JobState::Scheduled);
}

TEST_F(Undo, ofTwoHundredThousandJobsNeverHoldsUpTheWindow)
{
    std::vector<JobBefore> changed;
    BulkRequest order;
    order.verb = Verb::Reschedule;
    for (int n = 0; n < 200'000; ++n) {
        const auto id = "01J9ZZZZZZZZZZZZZZZZ" + std::to_string(100'000 + n);
        changed.push_back(
            {id, JobState::Scheduled, TimePoint{Millis{n}}, TimePoint{Millis{n + 1}}});
        order.selection.ids.push_back(id);
        order.dues.push_back(TimePoint{Millis{n + 1}});
    }
    // Every due time finds its job without looking at all the others.
    const auto again = redoRequest(order, changed);
    ASSERT_EQ(again.dues.size(), 200'000U);
    EXPECT_EQ(again.dues[199'999], TimePoint{Millis{200'000}});
    BulkReport report;
    report.idsProcessed = 100'000;
    const auto rest = remainderOf(order, {report, changed});
    ASSERT_TRUE(rest);
    EXPECT_EQ(rest->selection.ids.size(), 100'000U);
    EXPECT_EQ(rest->dues.front(), TimePoint{Millis{100'001}});
}

TEST_F(Undo, ofManyJobsIsBegunAndEndedWithoutAWindowThatWaits)
{
    const std::uint64_t many = TaskBoard::kMaxUndoableJobs / 2;
    fixture.fake->haveRows(many);
    fixture.fake->actStep = 2'000;
    BulkRequest order;
    order.verb = Verb::Trash;
    order.selection.all = true;
    order.selection.count = many;
    fixture.board.run(order, QStringLiteral("Trash"), QString());
    settle();
    ASSERT_NE(fixture.actions.steps().undoable(), nullptr);
    const auto before = threadMs();
    fixture.actions.undo();
    EXPECT_LT(threadMs() - before, 100 * slowness());
    settle();
    EXPECT_EQ(fixture.board.tasks().front().done, many);
    EXPECT_NE(fixture.actions.steps().redoable(), nullptr);
}

/// Steps on a store with all its rules and one job, "a", which a worker claims as soon as it is
/// ready and somebody has looked at it.
class UndoAmongWorkers : public testing::Test {
protected:
    void SetUp() override { QLocale::setDefault(QLocale(QLocale::English)); }
    void TearDown() override
    {
        actions_.open(nullptr);
        QLocale::setDefault(before_);
    }

    /// On the job after `prepare`.
    void open(const std::function<void(MemoryJobStore&)>& prepare)
    {
        session_.emplace(memorySession(
            [prepare](MemoryJobStore& store, restante::test::ManualClock& clock) {
                PushRequest request;
                request.job.id = "a";
                request.job.topic = "order";
                request.job.created = clock.now();
                request.due = clock.now();
                store.push(std::move(request), [](const auto&) {});
                prepare(store);
            },
            [this](MemoryJobStore& store) {
                ++looks_;
                store.claim({Channel::Pull, {}, 1}, [](const auto&) {});
            }));
        ASSERT_EQ(session_->settled(), LinkState::Phase::Ready) << session_->problem();
        actions_.open(&session_->session());
    }
    void expectUndoLeavesItToItsWorker(Verb verb, const QString& reason)
    {
        BulkRequest request;
        request.verb = verb;
        request.selection.ids = {"a"};
        request.selection.count = 1;
        request.reason = reason.toStdString();
        board_.run(request, stepTitle(verb, 1), QString());
        settle();
        ASSERT_EQ(outcome(), "1 ok · 0 skipped · 0 failed");
        actions_.undo();
        settle();
        EXPECT_EQ(outcome(), "0 ok · 1 skipped · 0 failed · " + kLeftAlone);
        EXPECT_EQ(looks_.load(), 2) << "it was claimed after the look of the undo";
        const auto job = session_->answer<JobView>(
            [&](auto reply) { session_->source().show("a", std::move(reply)); });
        ASSERT_TRUE(job);
        EXPECT_EQ(job->state, JobState::Leased);
        EXPECT_EQ(job->attempt, 1U) << "its worker's attempt is the current one";
    }

private:
    void settle()
    {
        EXPECT_TRUE(until([&] { return board_.runningCount() == 0; }));
    }
    std::string outcome() const { return outcomeText(board_.tasks().front()).toStdString(); }

    QLocale before_;
    std::atomic<int> looks_ = 0;
    QTemporaryDir home_;
    Preferences preferences_{home_.filePath(QStringLiteral("admin.ini"))};
    ActionRegistry registry_;
    QWidget window_;
    std::optional<OpenedSession> session_;
    TaskBoard board_;
    JobActions actions_{{registry_, preferences_}, board_, &window_};
};

TEST_F(UndoAmongWorkers, ofARestoreTakesNoJobFromOneWhoClaimsItInThatMoment)
{
    open([](MemoryJobStore& store) { store.trash({"a", {}, {}}, [](const auto&) {}); });
    expectUndoLeavesItToItsWorker(Verb::Restore, QStringLiteral("by mistake"));
}

TEST_F(UndoAmongWorkers, ofTheRetryOfAllThatFailedAlikeBuriesNoJobOfOneWhoClaimsItInThatMoment)
{
    const std::string error = "486 Busy Here";
    open([&](MemoryJobStore& store) { store.bury({.id = "a"}, error, [](const auto&) {}); });
    expectUndoLeavesItToItsWorker(Verb::RunNow, groupRetryReason(QString::fromStdString(error)));
}

TEST(RestOf, isWhatWasNotReachedAndWhatFailed)
{
    BulkRequest order;
    order.selection.ids = {"a", "b", "c", "d"};
    order.selection.count = 4;
    BulkReport report;
    report.idsProcessed = 2;
    report.failures = {{"a", {ErrorCode::Unavailable, ""}}, {"d", {ErrorCode::Unavailable, ""}}};
    const auto rest = remainderOf(order, {report, {}});
    ASSERT_TRUE(rest);
    EXPECT_THAT(rest->selection.ids, UnorderedElementsAre("a", "c", "d"));
    report.idsProcessed = 4;
    report.failures.clear();
    EXPECT_FALSE(remainderOf(order, {report, {}}));
    // All that match, without knowing which have been done: nobody can tell.
    order.selection.all = true;
    EXPECT_FALSE(remainderOf(order, {report, {}, false}));
}

TEST(UndoSteps, forgetTheOldestWhenAllOfThemNameTooManyJobs)
{
    UndoStack steps;
    BulkRequest order;
    order.selection.ids.resize(200'000);
    const auto shared = std::make_shared<const BulkRequest>(order);
    for (int task = 1; task <= 5; ++task) {
        UndoStep step;
        step.task = task;
        step.undoRequests = {shared};
        steps.push(std::move(step));
    }
    EXPECT_FALSE(steps.canUndo(3));
    EXPECT_TRUE(steps.canUndo(4));
    EXPECT_TRUE(steps.canUndo(5));
    // One that is put back keeps its place.
    auto step = steps.takeUndo(4);
    steps.putUndo(std::move(step));
    EXPECT_EQ(steps.undoable()->task, 5);
}

TEST(UndoSteps, cannotBeRedoneOnceAnotherOneWasDoneMeanwhile)
{
    UndoStack steps;
    steps.push({});
    auto first = steps.takeUndo();
    steps.push({});
    steps.putRedo(std::move(first));
    EXPECT_EQ(steps.redoable(), nullptr);
    steps.putRedo(steps.takeUndo());
    EXPECT_NE(steps.redoable(), nullptr);
}

TEST(InverseOrders, putAMessageBackIntoItsMailboxAndWhatWasHeldByItselfByItself)
{
    JobBefore message{"m", JobState::Held, TimePoint{Millis{1}}};
    JobBefore outside = message;
    outside.id = "i";
    outside.heldOutsideMailbox = true;
    const auto orders = inverseOf(Verb::Reschedule, {message, outside, message});
    ASSERT_EQ(orders.size(), 2U);
    EXPECT_EQ(orders[0].holdPlace, BulkAction::HoldPlace::InMailbox);
    EXPECT_THAT(orders[0].selection.ids, ElementsAre("m", "m"));
    EXPECT_EQ(orders[1].holdPlace, BulkAction::HoldPlace::OutsideMailbox);
    EXPECT_THAT(orders[1].selection.ids, ElementsAre("i"));
    // A hold by the user is no step back, so also redo holds by itself.
    EXPECT_EQ(redoRequest(BulkRequest{.verb = Verb::Hold}, {message}).holdPlace,
              BulkAction::HoldPlace::OutsideMailbox);
}

TEST(InverseOrders, nameTheStatesInWhichTheyMakeSense)
{
    const auto from = [](Verb verb, JobState before) {
        return inverseOf(verb, {{"a", before, TimePoint{Millis{1}}}}).front().expectedStates;
    };
    EXPECT_THAT(from(Verb::Trash, JobState::Dead), ElementsAre(JobState::Trashed));
    EXPECT_THAT(from(Verb::Hold, JobState::Ready), ElementsAre(JobState::Held));
    EXPECT_THAT(from(Verb::RunNow, JobState::Scheduled), ElementsAre(JobState::Ready));
    EXPECT_THAT(from(Verb::Reschedule, JobState::Held),
                ElementsAre(JobState::Scheduled, JobState::Ready));
    EXPECT_THAT(from(Verb::Release, JobState::Held),
                ElementsAre(JobState::Scheduled, JobState::Ready));
    EXPECT_THAT(from(Verb::Restore, JobState::Trashed),
                testing::Not(testing::Contains(JobState::Leased)));
    for (const auto verb :
         {Verb::RunNow, Verb::Reschedule, Verb::Release, Verb::Hold, Verb::Trash, Verb::Restore}) {
        for (const auto state : {JobState::Scheduled, JobState::Ready, JobState::Held,
                                 JobState::Dead, JobState::Done, JobState::Trashed}) {
            for (const auto& order : inverseOf(verb, {{"a", state, {}}})) {
                EXPECT_FALSE(order.expectedStates.empty());
            }
        }
    }
}

}  // namespace
TEST(TaskTitle, saysWhatItDoesAndThenWhatItHasDone)
{
    Task task;
    task.title = stepTitle(Verb::Hold, 12);
    task.doneTitle = doneTitle(Verb::Hold, 12);
    EXPECT_EQ(titleOf(task), QStringLiteral("Hold 12 job(s)"));
    task.phase = Task::Phase::Ended;
    EXPECT_EQ(titleOf(task), QStringLiteral("12 job(s) held"));
    EXPECT_EQ(doneTitle(Verb::Trash, 1, QStringLiteral("sip:bob@example.org")),
              QStringLiteral("sip:bob@example.org is in the trash"));
}

}  // namespace restante::gui::test
