// The console against a real daemon, its embedded Redis and its journal.

#include "gui/shell/page_table.h"
#include "tests/gui/support/open_session.h"
#include "tests/support/daemon.h"

#include <QImage>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace restante::gui::test {
namespace {

using restante::test::builtProgram;
using restante::test::Daemon;
using restante::test::Process;
using restante::test::TempDir;
using ::testing::HasSubstr;
using Phase = LinkState::Phase;

ConnectionProfile profileOf(const Daemon& daemon)
{
    ConnectionProfile profile;
    profile.kind = ConnectionProfile::Kind::Local;
    profile.configFile = QString::fromStdString((daemon.directory() / "restante.toml").string());
    return profile;
}

class RealDaemon : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(session.settled(), Phase::Ready) << session.problem(); }

    std::string push(Millis delay)
    {
        PushOptions order;
        order.job.topic = "order";
        order.job.body = "close it";
        order.delay = delay;
        const auto pushed = session.answer<Pushed>(
            [&](auto reply) { session.commands().push(order, std::move(reply)); });
        EXPECT_TRUE(pushed) << (pushed ? "" : pushed.error().message);
        return pushed ? pushed->ids.front() : std::string{};
    }
    BulkRequest on(const std::string& id, BulkAction::Verb verb)
    {
        BulkRequest order;
        order.verb = verb;
        order.selection.ids = {id};
        order.selection.count = 1;
        order.reason = "a reason";
        return order;
    }
    void expectDone(const BulkRequest& order)
    {
        const auto report = session.runBulk(order);
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_EQ(report->done, 1U);
    }
    JobView shown(const std::string& id)
    {
        return session
            .answer<JobView>([&](auto reply) { session.source().show(id, std::move(reply)); })
            .value_or(JobView{});
    }
    std::vector<HistoryRow> history(const std::string& id)
    {
        return session
            .answer<std::vector<HistoryRow>>(
                [&](auto reply) { session.source().history(id, std::move(reply)); })
            .value_or(std::vector<HistoryRow>{});
    }

    Daemon daemon;
    OpenedSession session{profileOf(daemon)};
};

TEST_F(RealDaemon, isAmongThoseThatDeliver)
{
    const auto daemons = session.answer<std::vector<DaemonView>>(
        [&](auto reply) { session.source().daemons(std::move(reply)); });
    ASSERT_TRUE(daemons) << daemons.error().message;
    ASSERT_EQ(daemons->size(), 1U);
    EXPECT_TRUE(daemons->front().delivers());
    EXPECT_THAT(daemons->front().name,
                testing::EndsWith("/" + std::to_string(daemon.process().id())));
}

TEST_F(RealDaemon, showsChangesAndTakesBackWithActorAndReasonInTheJournal)
{
    EXPECT_TRUE(session.link().writable);
    EXPECT_EQ(session.link().journalProblem, QString());
    const auto id = push(std::chrono::hours{1});
    const auto before = shown(id);

    auto later = on(id, BulkAction::Verb::Reschedule);
    later.due = before.due + std::chrono::hours{2};
    expectDone(later);
    EXPECT_EQ(shown(id).due, later.due);
    expectDone(on(id, BulkAction::Verb::Trash));
    EXPECT_EQ(shown(id).state, JobState::Trashed);
    expectDone(on(id, BulkAction::Verb::Restore));
    const auto after = shown(id);
    EXPECT_EQ(after.state, JobState::Scheduled);
    EXPECT_EQ(after.due, later.due);
    EXPECT_EQ(after.attempt, before.attempt);

    // The journal is written behind: push, reschedule, trash, restore.
    std::vector<HistoryRow> rows;
    ASSERT_TRUE(until([&] { return (rows = history(id)).size() >= 4; }));
    EXPECT_EQ(rows[0].transition, "push");
    EXPECT_EQ(rows[1].transition, "reschedule");
    EXPECT_EQ(rows[1].actor, session.commands().actor());
    EXPECT_EQ(rows[1].reason, "a reason");
    EXPECT_EQ(rows[3].transition, "restore");

    const auto audit = session.answer<AuditBatch>(
        [&](auto reply) { session.source().audit({}, std::move(reply)); });
    ASSERT_TRUE(audit);
    ASSERT_EQ(audit->rows.size(), 4U);
    EXPECT_EQ(audit->rows[0].verb, QStringLiteral("restore"));
    EXPECT_EQ(audit->rows[2].verb, QStringLiteral("reschedule"));
    EXPECT_EQ(audit->rows[3].verb, QStringLiteral("push"));
}

TEST_F(RealDaemon, pausesATopicSoThatNothingOfItIsGivenOut)
{
    ASSERT_TRUE(session.answer<void>([&](auto reply) {
        session.commands().changeTopic(JobWriter::TopicVerb::Pause, {"order", {}, "maintenance"},
                                       std::move(reply));
    }));
    push(Millis{0});
    const auto topics = session.answer<std::vector<TopicView>>(
        [&](auto reply) { session.source().topics(std::move(reply)); });
    ASSERT_TRUE(topics);
    const auto order = std::find_if(topics->begin(), topics->end(),
                                    [](const TopicView& view) { return view.topic == "order"; });
    ASSERT_NE(order, topics->end());
    ASSERT_TRUE(order->pause);
    EXPECT_EQ(order->pause->reason, "maintenance");
}

TEST_F(RealDaemon, comesBackAfterTheDaemonHasBeenStoppedAndStarted)
{
    const auto id = push(std::chrono::hours{1});
    daemon.stop();
    ASSERT_TRUE(until([&] { return session.link().phase == Phase::Lost; }));
    const auto refused = session.runBulk(on(id, BulkAction::Verb::Trash));
    ASSERT_FALSE(refused);
    daemon.start();
    ASSERT_TRUE(until([&] { return session.link().phase == Phase::Ready; })) << session.problem();
    EXPECT_EQ(shown(id).state, JobState::Scheduled);
}

TEST_F(RealDaemon, aReadOnlyProfileWritesNothingIntoIt)
{
    const auto id = push(std::chrono::hours{1});
    auto profile = profileOf(daemon);
    profile.mode = AccessMode::ReadOnly;
    OpenedSession reading(profile);
    ASSERT_EQ(reading.settled(), Phase::Ready) << reading.problem();
    const auto refused = reading.runBulk(on(id, BulkAction::Verb::Trash));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Denied);
    EXPECT_EQ(shown(id).state, JobState::Scheduled);
}

/// restante-admin as it is started by hand, in a home where nobody has been.
class Admin : public testing::Test {
protected:
    restante::test::Finished run(std::vector<std::string> words)
    {
        words.insert(words.begin(), builtProgram("restante-admin").string());
        const auto home = directory.path().string();
        return restante::test::run({words,
                                    {{"HOME", home},
                                     {"XDG_CONFIG_HOME", home + "/.config"},
                                     {"XDG_RUNTIME_DIR", home},
                                     {"QT_QPA_PLATFORM", "offscreen"}},
                                    {}});
    }
    std::string picture() { return (directory / "out.png").string(); }

    TempDir directory;
};

TEST_F(Admin, takesAPictureOfTheDemoInACleanHome)
{
    const auto finished = run({"--demo", "--screenshot", picture()});
    EXPECT_EQ(finished.status, 0) << finished.errors;
    const QImage image(QString::fromStdString(picture()));
    EXPECT_GE(image.width(), 1'000);
    EXPECT_GE(image.height(), 600);
}

TEST_F(Admin, tellsItsVersion)
{
    const auto finished = run({"--version"});
    EXPECT_EQ(finished.status, 0);
    EXPECT_THAT(finished.output, HasSubstr("restante-admin "));
}

TEST_F(Admin, takesAPictureOfTheStoreOfADaemonByItsConfiguration)
{
    const Daemon daemon;
    const auto finished = run(
        {"--config", (daemon.directory() / "restante.toml").string(), "--screenshot", picture()});
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_TRUE(std::filesystem::exists(picture()));
}

TEST_F(Admin, takesAPictureOfEachPageAndOfNoOther)
{
    for (const auto& entry : pageTable()) {
        const auto finished = run({"--demo", "--page", entry.name, "--screenshot", picture()});
        EXPECT_EQ(finished.status, 0) << entry.name << finished.errors;
        EXPECT_EQ(QImage(QString::fromStdString(picture())).size(), QSize(1'280, 800))
            << entry.name;
        std::filesystem::remove(picture());
    }
    EXPECT_EQ(run({"--demo", "--page", "nonsense", "--screenshot", picture()}).status, 2);
    EXPECT_FALSE(std::filesystem::exists(picture()));
}

TEST_F(Admin, saysWhyThereIsNoPicture)
{
    const auto finished = run({"--redis", "unix:///nowhere/redis.sock", "--screenshot", picture()});
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.errors, HasSubstr("no socket /nowhere/redis.sock"));
    EXPECT_FALSE(std::filesystem::exists(picture()));
    EXPECT_EQ(run({"--demo", "--redis", "redis://x"}).status, 2);
    EXPECT_EQ(run({"--no-such-option"}).status, 2);
}

}  // namespace
}  // namespace restante::gui::test
