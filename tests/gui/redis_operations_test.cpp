// Orders on a real Redis that goes away in the middle, through the commands, the task board and
// the undo of the window: no wrong count, and nothing that was done is forgotten.

#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/commands/job_actions.h"
#include "gui/operations/task_board.h"
#include "gui/operations/verb_texts.h"
#include "tests/gui/support/open_session.h"
#include "tests/support/redis_server.h"

#include <QTemporaryDir>
#include <QWidget>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

using restante::test::RedisServer;
using Phase = LinkState::Phase;
using Verb = BulkAction::Verb;

constexpr int kPushedJobs = 3'000;

class RedisOrders : public testing::Test {
protected:
    void SetUp() override
    {
        redis.send({"HSET", "rst:meta", "schema", "1", "shards", "1"});
        session.emplace(redisProfile("unix://" + redis.socketPath()));
        ASSERT_EQ(session->settled(), Phase::Ready) << session->problem();
        actions.open(&session->session());
        push(kPushedJobs);
    }
    void TearDown() override { actions.open(nullptr); }

    void push(int count)
    {
        int stored = 0;
        for (int n = 0; n < count; ++n) {
            PushOptions order;
            order.job.topic = "order";
            order.delay = std::chrono::hours{1};
            session->commands().push(order, {&window, [&](Result<Pushed> pushed) {
                                                 if (pushed) {
                                                     ids.push_back(pushed->ids.front());
                                                 }
                                                 ++stored;
                                             }});
        }
        ASSERT_TRUE(until([&] { return stored == count; }));
        ASSERT_EQ(ids.size(), static_cast<std::size_t>(count));
    }
    /// Begins to trash all of them, and kills the store when some have been.
    int trashAndKill(Selection selection)
    {
        BulkRequest order;
        order.verb = Verb::Trash;
        order.selection = std::move(selection);
        const auto id = board.run(order, QStringLiteral("Trash"), QString());
        bool killed = false;
        QObject whileItRuns;
        QObject::connect(&board, &TaskBoard::changed, &whileItRuns, [&](int) {
            const auto* task = board.task(id);
            if (!killed && task != nullptr && task->done >= 100) {
                killed = true;
                redis.kill9();
            }
        });
        EXPECT_TRUE(until([&] { return board.runningCount() == 0; }));
        EXPECT_TRUE(killed);
        return id;
    }
    void startAgain()
    {
        // The orders have ended by its loss, of which the window may hear later.
        ASSERT_TRUE(until([&] { return session->link().phase != Phase::Ready; }));
        redis.restart();
        session->session().backend().reconnect();
        ASSERT_TRUE(until([&] { return session->link().phase == Phase::Ready; }))
            << session->problem();
    }
    std::uint64_t trashed()
    {
        const auto counts = session->answer<StoreCounts>(
            [&](auto reply) { session->source().counts(std::move(reply)); });
        return counts ? counts->states.at(JobState::Trashed) : 0;
    }
    void settle()
    {
        EXPECT_TRUE(until([&] { return board.runningCount() == 0; }));
    }

    RedisServer redis{{.appendOnly = RedisServer::AppendOnly::Yes, .extra = {}, .password = {}}};
    std::vector<std::string> ids;
    QTemporaryDir home;
    Preferences preferences{home.filePath(QStringLiteral("admin.ini"))};
    ActionRegistry registry;
    QWidget window;
    std::optional<OpenedSession> session;
    TaskBoard board;
    JobActions actions{{registry, preferences}, board, &window};
};

TEST_F(RedisOrders, thatLoseTheirStoreEndWithWhatWasDoneAndGoOnWithTheRest)
{
    Selection selection;
    selection.ids = ids;
    selection.count = ids.size();
    const auto id = trashAndKill(selection);
    const auto& task = *board.task(id);
    EXPECT_TRUE(task.stopped);
    EXPECT_EQ(task.problem, QStringLiteral("connection lost after ") + jobsText(task.done));
    EXPECT_LT(task.processed(), ids.size());
    ASSERT_TRUE(actions.steps().canUndo(id));
    EXPECT_EQ(actions.steps().undoable()->undoRequests.front()->selection.ids.size(), task.done);

    // What is told as done is done; of what was on its way nobody knows.
    startAgain();
    const auto there = trashed();
    EXPECT_GE(there, task.done);
    EXPECT_LE(there, task.done + task.failed);

    ASSERT_NE(board.task(id)->remainder, nullptr);
    const auto rest = board.repeat(id);
    ASSERT_NE(rest, 0);
    settle();
    EXPECT_EQ(trashed(), ids.size());
    EXPECT_EQ(board.task(rest)->failed, 0U);
    EXPECT_EQ(board.task(rest)->processed() + there - board.task(rest)->skipped, ids.size());

    // And all of it can be taken back, step by step, but for what no answer was known of.
    actions.undo();
    settle();
    actions.undo();
    settle();
    EXPECT_EQ(trashed(), board.task(rest)->skipped);
}

TEST_F(RedisOrders, ofAFilterGoOnWithWhatIsLeft)
{
    Selection selection;
    selection.all = true;
    selection.view.filter = *JobFilter::parse("topic:order");
    selection.count = ids.size();
    const auto id = trashAndKill(selection);
    const auto done = board.task(id)->done;
    EXPECT_TRUE(board.task(id)->stopped);
    ASSERT_NE(board.task(id)->remainder, nullptr);
    EXPECT_EQ(board.task(id)->remainder->selection.count, ids.size() - done);
    startAgain();
    ASSERT_NE(board.task(id)->remainder, nullptr);
    const auto rest = board.repeat(id);
    ASSERT_NE(rest, 0);
    settle();
    EXPECT_EQ(trashed(), ids.size());
    EXPECT_TRUE(board.task(rest)->problem.isEmpty()) << board.task(rest)->problem.toStdString();
}

TEST_F(RedisOrders, thatHangEndWithWhatWasDoneWhenTheUserReconnects)
{
    Selection selection;
    selection.ids = ids;
    selection.count = ids.size();
    BulkRequest order;
    order.verb = Verb::Trash;
    order.selection = selection;
    const auto id = board.run(order, QStringLiteral("Trash"), QString());
    bool paused = false;
    QObject::connect(&board, &TaskBoard::changed, &window, [&](int) {
        if (!paused && board.task(id)->done >= 100) {
            paused = true;
            redis.pause();
            session->session().backend().reconnect();
        }
    });
    settle();
    redis.resume();
    const auto& task = *board.task(id);
    EXPECT_TRUE(paused);
    EXPECT_TRUE(task.stopped);
    EXPECT_FALSE(task.problem.isEmpty());
    EXPECT_GE(task.done, 100U);
    ASSERT_TRUE(actions.steps().canUndo(id));
    EXPECT_EQ(actions.steps().undoable()->undoRequests.front()->selection.ids.size(), task.done);
    ASSERT_NE(task.remainder, nullptr);
    EXPECT_EQ(task.remainder->selection.ids.size() + task.done + task.skipped, ids.size());
}

}  // namespace
}  // namespace restante::gui::test
