// What a shard has besides jobs comes back from the journal: pauses, limits, registrations.

#include "core/journal/recovery/setting_recovery.h"
#include "core/queue/topic.h"
#include "core/queue/topic_view.h"
#include "tests/integration/journal/journal_fixture.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

namespace restante::test {

using journal::SqlJournal;
using journal::StoredSetting;
using testing::UnorderedElementsAre;
using Kind = StoredSetting::Kind;
using Lost = journal::LostSettings;

class SettingRecoveryTest : public JournalFixture, public ::testing::WithParamInterface<SqlKind> {
protected:
    void SetUp() override
    {
        useDatabase(newDatabase(GetParam()));
        openQueue();
        sql_ = std::make_unique<journal::SqlThread>(journal::parseJournalUrl(url_).value());
    }
    void TearDown() override { sql_.reset(); }

    /// As if events had told the journal.
    void journalHas(const std::vector<StoredSetting>& settings)
    {
        const auto kept = await<void>([&](auto done) {
            sql_->ask<void>(
                loop_,
                [&](SqlJournal& sql) {
                    return sql.writeSettings(0, settings, queue_->clock().now());
                },
                std::move(done));
        });
        ASSERT_TRUE(kept) << kept.error().message;
    }
    void storeHas(const std::string& topic, const TopicPause& pause)
    {
        const TopicAction action{topic, pause.actor, pause.reason, pause.since};
        ASSERT_TRUE(
            await<void>([&](auto done) { queue_->store().pauseTopic(action, std::move(done)); }));
    }
    void storeHas(const std::string& topic, const TopicLimits& limits)
    {
        ASSERT_TRUE(await<void>([&](auto done) {
            queue_->store().limitTopic({topic, "olga", ""}, limits, std::move(done));
        }));
    }
    /// How many came back.
    std::uint64_t restore(Lost lost)
    {
        std::shared_ptr<void> recovery;
        const auto count = await<std::uint64_t>(
            [&](auto done) {
                recovery =
                    journal::restoreSettings({loop_, queue_->clock(), *sql_, queue_->connection()},
                                             {}, lost, std::move(done));
            },
            20s);
        EXPECT_TRUE(count) << count.error().message;
        return count.value_or(0);
    }
    /// "order paused 1700000000000 olga: the shop is down", "order limited 2 10/s".
    std::vector<std::string> heldBack()
    {
        const auto views = await<std::vector<TopicView>>(
            [&](auto done) { queue_->inspector().topics(std::move(done)); });
        std::vector<std::string> told;
        for (const auto& view : views.value()) {
            if (view.pause) {
                told.push_back(fmt::format("{} paused {} {}: {}", view.topic,
                                           toEpochMs(view.pause->since), view.pause->actor,
                                           view.pause->reason));
            }
            if (view.limits != TopicLimits{}) {
                told.push_back(fmt::format("{} limited {} {}", view.topic, view.limits.concurrency,
                                           formatRate(view.limits.rate)));
            }
        }
        return told;
    }
    std::string field(const std::string& key, const std::string& name)
    {
        const auto reply = redis_->send({"HGET", key, name});
        return reply.text() != nullptr ? *reply.text() : std::string();
    }

    static StoredSetting paused(const std::string& topic, const std::string& reason)
    {
        return {Kind::Pause, topic, "1700000000000\nolga\n" + reason};
    }
    static StoredSetting limited(const std::string& topic, const std::string& limits)
    {
        return {Kind::Limit, topic, limits};
    }
    StoredSetting registered(const std::string& address, const std::string& binding)
    {
        // MessagePack: a list of the field "a" and its value, one character each.
        return {Kind::Registration, "aor:" + address, "\x92\xa1" + ("a\xa1" + binding),
                toEpochMs(queue_->clock().now()) + 3'600'000};
    }

    std::unique_ptr<journal::SqlThread> sql_;
    static constexpr auto kBob = "rst:{s0}:aor:sip:bob@example.org";
};

TEST_P(SettingRecoveryTest, bringsEverythingBackThatIsLost)
{
    journalHas({paused("order", "it's \"down\"; \\ :x"), limited("order", "2 10 1000"),
                limited("Order", "1 0 1000"), registered("sip:bob@example.org", "b")});
    EXPECT_EQ(restore(Lost::Everything), 4U);
    EXPECT_THAT(heldBack(),
                UnorderedElementsAre("order paused 1700000000000 olga: it's \"down\"; \\ :x",
                                     "order limited 2 10/s", "Order limited 1 0"));
    EXPECT_EQ(field(kBob, "a"), "b");
    EXPECT_GT(*redis_->send({"PTTL", kBob}).integer(), 3'500'000);
    EXPECT_EQ(restore(Lost::Everything), 0U) << "it may be repeated";
}

TEST_P(SettingRecoveryTest, leavesWhatWasSetSinceEverythingWasLost)
{
    storeHas("order", TopicPause{fromEpochMs(1'700'000'000'005), "otto", "since then"});
    storeHas("order", TopicLimits{7, {}});
    storeHas("new", TopicPause{fromEpochMs(1'700'000'000'006), "otto", "as well"});
    redis_->send({"HSET", kBob, "a", "newer"});
    journalHas({paused("order", "before"), limited("order", "2 10 1000"), paused("old", "before"),
                registered("sip:bob@example.org", "b")});
    EXPECT_EQ(restore(Lost::Everything), 1U);
    EXPECT_THAT(heldBack(),
                UnorderedElementsAre("order paused 1700000000005 otto: since then",
                                     "order limited 7 0", "new paused 1700000000006 otto: as well",
                                     "old paused 1700000000000 olga: before"));
    EXPECT_EQ(field(kBob, "a"), "newer");
}

TEST_P(SettingRecoveryTest, letsTheNewestWinWhereOnlyThoseAreLost)
{
    storeHas("order", TopicPause{fromEpochMs(1'600'000'000'000), "otto", "old"});
    storeHas("order", TopicLimits{7, {}});
    storeHas("resumed", TopicPause{fromEpochMs(1'600'000'000'000), "otto", "old"});
    storeHas("freed", TopicLimits{3, {5, 1s}});
    storeHas("same", TopicPause{fromEpochMs(1'700'000'000'000), "olga", "still"});
    journalHas({paused("order", "new"), limited("order", "2 10 1000"), paused("same", "still"),
                registered("sip:bob@example.org", "b")});
    testing::internal::CaptureStderr();
    EXPECT_EQ(restore(Lost::Newest), 3U) << "but for the one that is the same";
    const auto log = testing::internal::GetCapturedStderr();
    EXPECT_THAT(log, testing::HasSubstr("3 pauses, limits and registrations are back"));
    EXPECT_THAT(log, testing::HasSubstr("2 pauses and limits that the journal does not have"));
    EXPECT_THAT(heldBack(),
                UnorderedElementsAre("order paused 1700000000000 olga: new", "order limited 2 10/s",
                                     "same paused 1700000000000 olga: still"));
    EXPECT_EQ(field(kBob, "a"), "b");
    EXPECT_EQ(restore(Lost::Newest), 0U) << "it may be repeated";
}

TEST_P(SettingRecoveryTest, letsEveryTopicGoOnWhenTheNewestSayNothing)
{
    storeHas("order", TopicPause{fromEpochMs(1'600'000'000'000), "otto", "old"});
    storeHas("order", TopicLimits{7, {}});
    EXPECT_EQ(restore(Lost::Newest), 0U) << "nothing came back";
    EXPECT_THAT(heldBack(), testing::IsEmpty());
    push(order());
    EXPECT_THAT(claim(), testing::SizeIs(1));
}

TEST_P(SettingRecoveryTest, bringsNoRegistrationBackThatHasEnded)
{
    auto ended = registered("sip:bob@example.org", "b");
    ended.untilMs = toEpochMs(queue_->clock().now()) - 1;
    journalHas({ended});
    EXPECT_EQ(restore(Lost::Everything), 0U);
    EXPECT_EQ(*redis_->send({"EXISTS", kBob}).integer(), 0);
}

INSTANTIATE_TEST_SUITE_P(Database,
                         SettingRecoveryTest,
                         ::testing::Values(SqlKind::Sqlite, SqlKind::Mariadb, SqlKind::Postgresql),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace restante::test
