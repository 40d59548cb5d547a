// "The audit page lists every write": whatever the console can do to a store (checks 9-14), with
// who did it, on the store of the demonstration, on a bare Redis, and on a daemon with its journal.

#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/commands/job_actions.h"
#include "gui/operations/task_board.h"
#include "tests/gui/support/open_session.h"
#include "tests/support/daemon.h"
#include "tests/support/redis_server.h"

#include <QTemporaryDir>
#include <QWidget>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace restante::gui::test {
namespace {

using Verb = BulkAction::Verb;
using Strings = std::vector<std::string>;

/// The commands of a window on a session, and what each of them must have left behind.
class Writer {
public:
    explicit Writer(OpenedSession& session) : session_(session)
    {
        actions_.open(&session_.session());
    }
    ~Writer() { actions_.open(nullptr); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    std::string push(const std::string& topic)
    {
        PushOptions order;
        order.job.topic = topic;
        order.job.body = "hello";
        order.delay = std::chrono::hours{2};
        const auto pushed = session_.answer<Pushed>(
            [&](auto reply) { session_.commands().push(order, std::move(reply)); });
        EXPECT_TRUE(pushed) << (pushed ? "" : pushed.error().message);
        const auto id = pushed ? pushed->ids.front() : std::string{};
        expect("push", {id});
        return id;
    }
    void runBulk(Verb verb, const Strings& ids, TimePoint due = {})
    {
        Selection selection;
        selection.ids = ids;
        selection.count = ids.size();
        runBulk(verb, selection, due);
        expect(std::string(name(verb)), ids);
    }
    void runBulk(Verb verb, const Selection& selection, TimePoint due = {})
    {
        BulkRequest order;
        order.verb = verb;
        order.selection = selection;
        order.due = due;
        order.reason = "a reason";
        board_.run(order, QStringLiteral("an order"), QString());
        settle();
        EXPECT_EQ(board_.tasks().front().skipped + board_.tasks().front().failed, 0U);
    }
    void undo(const std::string& verb, const Strings& ids)
    {
        actions_.undo();
        settle();
        expect(verb, ids);
    }
    void redo(const std::string& verb, const Strings& ids)
    {
        actions_.redo();
        settle();
        expect(verb, ids);
    }
    void createReminder()
    {
        reminder::ReminderRequest request;
        request.to = "+491701234567";
        request.in = "2h";
        request.text = "call back";
        const auto made = session_.answer<Pushed>(
            [&](auto reply) { session_.commands().createReminder(request, std::move(reply)); });
        ASSERT_TRUE(made) << made.error().message;
        expect("push", made->ids);
    }
    void import(JobState state, const Strings& verbs, Channel channel = Channel::Pull)
    {
        JobView view;
        view.job.id = "imported-" + std::string(name(state)) + std::string(name(channel));
        view.job.channel = channel;
        if (channel == Channel::Sip) {
            view.job.recipient = "sip:bob@example.org";
        }
        view.job.topic = "imported";
        view.job.created = session_.source().now();
        view.state = state;
        view.due = session_.source().now() + std::chrono::hours{3};
        const auto outcome = session_.answer<PushOutcome>(
            [&](auto reply) { session_.commands().import(view, false, std::move(reply)); });
        ASSERT_TRUE(outcome) << outcome.error().message;
        for (const auto& verb : verbs) {
            expect(verb, {view.job.id});
        }
    }
    void changeTopic(JobWriter::TopicVerb verb, const std::string& word)
    {
        ASSERT_TRUE(session_.answer<void>([&](auto reply) {
            session_.commands().changeTopic(verb, {"audited", {}, "repairs"}, std::move(reply));
        }));
        expect(word, {"audited"});
    }

    void expect(const std::string& verb, const Strings& objects)
    {
        for (const auto& object : objects) {
            expected_.push_back(verb + " " + object);
        }
    }

    /// All that this console has done, as the audit page asks for it, page by page.
    Strings audited()
    {
        Strings lines;
        AuditRequest request;
        request.actor = QString::fromStdString(session_.commands().actor());
        request.limit = 7;
        do {
            const auto page = session_.answer<AuditBatch>(
                [&](auto reply) { session_.source().audit(request, std::move(reply)); });
            if (!page) {
                return {page.error().message};
            }
            for (const auto& row : page->rows) {
                lines.push_back((row.verb + u' ' + row.object).toStdString());
            }
            request.cursor = page->cursor;
        } while (!request.cursor.empty());
        std::sort(lines.begin(), lines.end());
        return lines;
    }
    Strings expected()
    {
        std::sort(expected_.begin(), expected_.end());
        return expected_;
    }

private:
    void settle()
    {
        EXPECT_TRUE(until([&] { return board_.runningCount() == 0; }));
    }

    OpenedSession& session_;
    QTemporaryDir home_;
    Preferences preferences_{home_.filePath(QStringLiteral("admin.ini"))};
    ActionRegistry registry_;
    QWidget window_;
    TaskBoard board_;
    JobActions actions_{{registry_, preferences_}, board_, &window_};
    Strings expected_;
};

/// What checks 9 to 14 do.
void writeEverything(Writer& writer, OpenedSession& session)
{
    const Strings ids{writer.push("audited"), writer.push("audited"), writer.push("audited")};
    const auto other = writer.push("other");
    // Check 9: under a filter. Check 11: taken back, done again, taken back.
    Selection all;
    all.all = true;
    all.view.filter = *JobFilter::parse("topic:audited");
    all.count = ids.size();
    writer.runBulk(Verb::Trash, all);
    writer.expect("trash", ids);
    writer.undo("restore", ids);
    writer.redo("trash", ids);
    writer.undo("restore", ids);
    // Check 10: in bulk, each verb there is.
    writer.runBulk(Verb::Hold, ids);
    writer.undo("reschedule", ids);
    writer.runBulk(Verb::Bury, {ids[0]});
    // Check 14: rescheduled, and back.
    writer.runBulk(Verb::Reschedule, {other}, session.source().now() + std::chrono::hours{5});
    writer.undo("reschedule", {other});
    // Check 12: for good.
    writer.runBulk(Verb::Purge, {ids[2]});
    // What is made, and what is brought back from a file.
    writer.createReminder();
    writer.import(JobState::Scheduled, {"push"});
    // Each in one step, whatever its state.
    writer.import(JobState::Dead, {"push"});
    writer.import(JobState::Held, {"push"});
    writer.import(JobState::Trashed, {"push"});
    // Into the mailbox of somebody.
    writer.import(JobState::Held, {"push"}, Channel::Sip);
    writer.changeTopic(JobWriter::TopicVerb::Pause, "pause");
    writer.changeTopic(JobWriter::TopicVerb::Resume, "resume");
    // In the end, because whoever works off what is ready may take them.
    const auto released = writer.push("released");
    writer.runBulk(Verb::Hold, {released});
    writer.runBulk(Verb::Release, {released});
    writer.runBulk(Verb::RunNow, {writer.push("run")});
}

/// Check 13: what is refused is nobody's write.
void isRefused(ConnectionProfile profile, const std::string& id)
{
    profile.mode = AccessMode::ReadOnly;
    OpenedSession reader(profile);
    ASSERT_EQ(reader.settled(), LinkState::Phase::Ready) << reader.problem();
    BulkRequest order;
    order.verb = Verb::Purge;
    order.selection.ids = {id};
    order.selection.count = 1;
    const auto report = reader.runBulk(order);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::Denied);
}

void expectAllOfItInTheAudit(const ConnectionProfile& profile)
{
    OpenedSession session(profile);
    ASSERT_EQ(session.settled(), LinkState::Phase::Ready) << session.problem();
    Writer writer(session);
    writeEverything(writer, session);
    isRefused(profile, writer.push("left"));
    const auto expected = writer.expected();
    // A journal is written behind.
    EXPECT_TRUE(until([&] { return writer.audited().size() >= expected.size(); }));
    Strings missing;
    const auto audited = writer.audited();
    std::set_difference(expected.begin(), expected.end(), audited.begin(), audited.end(),
                        std::back_inserter(missing));
    EXPECT_THAT(missing, testing::IsEmpty());
    EXPECT_EQ(audited, expected);
}

TEST(EveryWrite, isInTheAuditOfTheDemonstration)
{
    OpenedSession session(demoProfile());
    ASSERT_EQ(session.settled(), LinkState::Phase::Ready);
    Writer writer(session);
    writeEverything(writer, session);
    EXPECT_EQ(writer.audited(), writer.expected());
}

TEST(EveryWrite, isInTheAuditOfARedisWithoutAJournal)
{
    restante::test::RedisServer redis;
    redis.send({"HSET", "rst:meta", "schema", "1", "shards", "1"});
    expectAllOfItInTheAudit(redisProfile("unix://" + redis.socketPath()));
}

TEST(EveryWrite, isInTheAuditOfADaemonWithItsJournal)
{
    const restante::test::Daemon daemon;
    ConnectionProfile profile;
    profile.kind = ConnectionProfile::Kind::Local;
    profile.configFile = QString::fromStdString((daemon.directory() / "restante.toml").string());
    expectAllOfItInTheAudit(profile);
}

}  // namespace
}  // namespace restante::gui::test
