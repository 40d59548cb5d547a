// What RedisJobInspector tells of mailboxes: of very many, and of the devices of a recipient.

#include "core/queue/mailbox.h"
#include "tests/integration/redis/store_fixture.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

namespace restante::test {
namespace {

class MailboxWalk : public StoreFixture {
protected:
    void SetUp() override
    {
        StoreFixture::SetUp();
        inspector_ = std::make_unique<redis::RedisJobInspector>(
            loop_, *connection_, clock_, redis::RedisJobInspector::Settings{});
    }
    void TearDown() override { inspector_.reset(); }

    MailboxPage page(const MailboxQuery& query)
    {
        const auto found =
            await<MailboxPage>([&](auto done) { inspector_->mailboxes(query, done); });
        EXPECT_TRUE(found) << found.error().message;
        return found.value_or(MailboxPage{});
    }
    MailboxView bob()
    {
        const auto found = await<MailboxContent>([&](auto done) {
            inspector_->mailbox({kBob, 0}, done);
        });
        EXPECT_TRUE(found) << found.error().message;
        return found.value_or(MailboxContent{}).mailbox;
    }
    /// As register.lua writes them.
    void bind(const std::string& device, TimePoint updated, TimePoint expires) const
    {
        send({"HSET", "rst:{s0}:aor:" + kBob, device,
              fmt::format(R"({{"contact":"sip:{}@192.0.2.1","updated_ms":{},"expires_ms":{}}})",
                          device, toEpochMs(updated), toEpochMs(expires))});
    }
    void remember(const std::string& device, TimePoint since, TimePoint seen, TimePoint until) const
    {
        send({"HSET", "rst:{s0}:seen:" + kBob, device,
              fmt::format("{} {} {} sip:{}@192.0.2.1 Phone/1.0 (of {})", toEpochMs(since),
                          toEpochMs(seen), toEpochMs(until), device, device)});
    }

    std::unique_ptr<redis::RedisJobInspector> inspector_;
};

TEST_F(MailboxWalk, findsTheFullestOfVeryMany)
{
    constexpr int kMailboxes = 2'500;
    for (int i = 0; i < kMailboxes; ++i) {
        const auto recipient = fmt::format("sip:user{}@example.org", i);
        send({"ZADD", "rst:{s0}:boxes", "+inf", recipient});
        send({"ZADD", "rst:{s0}:box:" + recipient, "1", "a", "2", i % 1'000 == 7 ? "b" : "a"});
    }
    const auto found = page({.limit = 3});
    ASSERT_EQ(found.mailboxes.size(), 3U);
    EXPECT_EQ(found.mailboxes[0].recipient, "sip:user1007@example.org");
    EXPECT_EQ(found.mailboxes[1].recipient, "sip:user2007@example.org");
    EXPECT_EQ(found.mailboxes[2].recipient, "sip:user7@example.org");
    EXPECT_EQ(found.mailboxes[0].waiting, 2U);
    EXPECT_EQ(found.mailboxes[0].next, std::nullopt) << "only when the recipient registers";
    EXPECT_EQ(found.total, 2'500U);
    EXPECT_EQ(found.messages, 2'503U);
    EXPECT_TRUE(found.complete);
    EXPECT_FALSE(found.cursor.empty());
}

TEST_F(MailboxWalk, saysAtLeastWhenThereAreMoreThanItMayLookAt)
{
    for (int i = 0; i < 2'500; ++i) {
        const auto recipient = fmt::format("sip:user{}@example.org", i);
        send({"ZADD", "rst:{s0}:boxes", "+inf", recipient});
        send({"ZADD", "rst:{s0}:box:" + recipient, "1", "a"});
    }
    const auto found = page({.limit = 3, .budget = 1'000});
    EXPECT_FALSE(found.complete);
    EXPECT_GE(found.total, 1'000U);
    EXPECT_LT(found.total, 2'500U);
}

TEST_F(MailboxWalk, tellsOfDevicesThatAreThereAndOfThoseThatAreGone)
{
    const auto now = clock_.now();
    bind("desk", now - 1min, now + 1h);
    remember("desk", now - 24h, now - 1min, now + 1h);
    bind("old", now - 5min, now + 1h);  // registered before anybody noted such things
    bind("lapsed", now - 2h, now - 1h);
    remember("lapsed", now - 48h, now - 2h, now - 1h);
    remember("mobile", now - 48h, now - 30h, now - 26h);
    const auto view = bob();
    ASSERT_EQ(view.devices.size(), 4U);
    EXPECT_EQ(view.devices[0],
              (RegisteredDevice{"desk", "sip:desk@192.0.2.1", "Phone/1.0 (of desk)", now - 24h,
                                now - 1min, now + 1h, true}));
    EXPECT_EQ(view.devices[1], (RegisteredDevice{"old", "sip:old@192.0.2.1", "", std::nullopt,
                                                 now - 5min, now + 1h, true}));
    EXPECT_EQ(view.devices[2],
              (RegisteredDevice{"lapsed", "sip:lapsed@192.0.2.1", "Phone/1.0 (of lapsed)",
                                std::nullopt, now - 2h, now - 1h, false}));
    EXPECT_EQ(view.devices[3].device, "mobile");
    EXPECT_TRUE(view.isRegistered());
    EXPECT_EQ(view.awaySince(), std::nullopt);
}

TEST_F(MailboxWalk, readsBindingsThatArePackedAsWell)
{
    const auto now = clock_.now();
    std::string record(1, '\x01');
    for (const auto at : {now + 1h, now - 1min}) {
        for (int shift = 40; shift >= 0; shift -= 8) {
            record += static_cast<char>(toEpochMs(at) >> shift);
        }
    }
    send({"HSET", "rst:{s0}:aor:" + kBob, "desk", record + "whatever follows"});
    remember("desk", now - 24h, now - 1min, now + 1h);
    const auto view = bob();
    ASSERT_EQ(view.devices.size(), 1U);
    EXPECT_TRUE(view.devices[0].registered);
    EXPECT_EQ(view.devices[0].seen, now - 1min);
    EXPECT_EQ(view.devices[0].until, now + 1h);
    EXPECT_EQ(view.devices[0].contact, "sip:desk@192.0.2.1");
}

TEST_F(MailboxWalk, tellsSinceWhenSomebodyIsAway)
{
    const auto now = clock_.now();
    remember("desk", now - 48h, now - 2h, now - 1h);
    remember("mobile", now - 48h, now - 30h, now - 26h);
    EXPECT_FALSE(bob().isRegistered());
    EXPECT_EQ(bob().awaySince(), now - 1h);
}

TEST_F(MailboxWalk, believesNoEndOfARegistrationThatIsNotThere)
{
    const auto now = clock_.now();
    remember("desk", now - 48h, now - 2h, now + 1h);
    EXPECT_FALSE(bob().isRegistered());
    EXPECT_EQ(bob().awaySince(), now - 2h) << "when it was seen last";
}

TEST_F(MailboxWalk, survivesWhatCannotBeRead)
{
    send({"HSET", "rst:{s0}:aor:" + kBob, "desk", "{", "mobile", "[]"});
    send({"HSET", "rst:{s0}:seen:" + kBob, "desk", "yesterday"});
    send({"ZADD", "rst:{s0}:boxes", "1000", kBob});
    send({"ZADD", "rst:{s0}:box:" + kBob, "1", "nothing", "2", "spoilt"});
    send({"HSET", "rst:{s0}:j:spoil", "t", "\x07short"});
    const auto view = bob();
    EXPECT_TRUE(view.devices.empty());
    EXPECT_EQ(view.waiting, 2U);
    EXPECT_EQ(view.oldest, std::nullopt);
    const auto found = await<MailboxContent>([&](auto done) {
        inspector_->mailbox({kBob, 10}, done);
    });
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->messages.size(), 2U);
}

}  // namespace
}  // namespace restante::test
