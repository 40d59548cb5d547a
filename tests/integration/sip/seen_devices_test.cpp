// What is remembered of the devices of a user, for people: since when they are registered, and
// since when they are not.

#include "core/queue/mailbox.h"
#include "core/redis/store/redis_job_inspector.h"
#include "sipplugin/registration/binding_store.h"
#include "tests/integration/redis/store_fixture.h"

#include <gmock/gmock.h>

#include <chrono>
#include <fmt/format.h>

namespace restante::sip::test {
namespace {

using namespace std::chrono_literals;
using restante::test::sharedRedis;

class SeenDevices : public restante::test::StoreFixture {
protected:
    void SetUp() override
    {
        // Ahead of Redis' own, which would let keys go whose end is past.
        clock_.set(fromEpochMs(4'000'000'000'000));
        open(sharedRedis(), {});
        bindings_ = std::make_unique<RedisBindingStore>(
            RedisBindingStore::Parts{*connection_, store_->shards(), *store_, clock_},
            RedisBindingStore::Settings{{"rst", 1}, 3});
        inspector_ = std::make_unique<redis::RedisJobInspector>(
            loop_, *connection_, clock_, redis::RedisJobInspector::Settings{});
    }
    void TearDown() override
    {
        inspector_.reset();
        bindings_.reset();
    }

    Binding binding(const std::string& device, Millis lasts = 1h)
    {
        Binding one;
        one.contact = "sip:" + device + "@192.0.2.1";
        one.instance = device;
        one.agent = "Phone/1.0 of " + device;
        one.callId = device;
        one.cseq = ++cseq_;
        one.updated = clock_.now();
        one.expires = clock_.now() + lasts;
        return one;
    }
    void update(BindingUpdate update)
    {
        update.aor = kBob;
        update.cseq = ++cseq_;
        const auto done =
            await<Arrival>([&](auto answer) { bindings_->update(std::move(update), answer); });
        ASSERT_TRUE(done) << done.error().message;
    }
    void comes(const std::string& device, Millis lasts = 1h) { put(binding(device, lasts)); }
    void goes(const std::string& device)
    {
        BindingUpdate one;
        one.callId = device;
        one.removals = {binding(device)};
        update(std::move(one));
    }
    void put(Binding binding)
    {
        BindingUpdate one;
        one.callId = binding.callId;
        one.additions = {std::move(binding)};
        update(std::move(one));
    }
    MailboxView bob()
    {
        const auto found = await<MailboxContent>([&](auto done) {
            inspector_->mailbox({kBob, 0}, done);
        });
        EXPECT_TRUE(found) << found.error().message;
        return found.value_or(MailboxContent{}).mailbox;
    }
    RegisteredDevice device(const std::string& name)
    {
        for (const auto& one : bob().devices) {
            if (one.device == name) {
                return one;
            }
        }
        ADD_FAILURE() << name << " is not known";
        return {};
    }

    std::unique_ptr<RedisBindingStore> bindings_;
    std::unique_ptr<redis::RedisJobInspector> inspector_;
    std::uint32_t cseq_ = 0;
};

TEST_F(SeenDevices, areRegisteredSinceTheirFirstOfManyRegistrations)
{
    const auto first = clock_.now();
    comes("desk");
    clock_.advance(50min);
    comes("desk");
    const auto desk = device("desk");
    EXPECT_TRUE(desk.registered);
    EXPECT_EQ(desk.since, first);
    EXPECT_EQ(desk.seen, first + 50min);
    EXPECT_EQ(desk.until, first + 110min);
    EXPECT_EQ(desk.contact, "sip:desk@192.0.2.1");
    EXPECT_EQ(desk.agent, "Phone/1.0 of desk");
}

TEST_F(SeenDevices, areGoneFromTheMomentInWhichTheySaySo)
{
    comes("desk");
    clock_.advance(10min);
    const auto left = clock_.now();
    goes("desk");
    clock_.advance(3h);
    const auto desk = device("desk");
    EXPECT_FALSE(desk.registered);
    EXPECT_EQ(desk.until, left);
    EXPECT_EQ(desk.since, std::nullopt);
    EXPECT_EQ(bob().awaySince(), left);
}

TEST_F(SeenDevices, areGoneFromTheEndOfARegistrationThatNobodyRenewed)
{
    const auto first = clock_.now();
    comes("desk", 30min);
    clock_.advance(5h);
    EXPECT_EQ(bob().awaySince(), first + 30min);
    comes("desk");
    EXPECT_EQ(device("desk").since, first + 5h) << "there was a gap";
}

TEST_F(SeenDevices, areAwayOnlyWhenTheLastOfThemIs)
{
    comes("desk", 2h);
    comes("mobile", 30min);
    clock_.advance(1h);
    EXPECT_TRUE(bob().isRegistered());
    EXPECT_EQ(bob().awaySince(), std::nullopt);
    ASSERT_EQ(bob().devices.size(), 2U);
    EXPECT_EQ(bob().devices[0].device, "desk") << "those that are there come first";
    BindingUpdate all;
    all.callId = "desk";
    all.removeAll = true;
    update(std::move(all));
    EXPECT_EQ(bob().awaySince(), clock_.now());
    EXPECT_EQ(device("mobile").until, clock_.now() - 30min) << "it had gone before";
}

TEST_F(SeenDevices, saysNothingOfASinceThatNobodyNoted)
{
    comes("desk");
    send({"DEL", "rst:{s0}:seen:" + kBob});
    clock_.advance(10min);
    EXPECT_TRUE(device("desk").registered);
    comes("desk");
    EXPECT_EQ(device("desk").since, std::nullopt);
    EXPECT_EQ(device("desk").agent, "Phone/1.0 of desk");
}

TEST_F(SeenDevices, giveWayToAnotherAndAreThenGone)
{
    for (const auto* name : {"a", "b", "c", "d"}) {
        comes(name);
        clock_.advance(1s);
    }
    EXPECT_FALSE(device("a").registered) << "of three at a time the one that was seen longest ago";
    EXPECT_EQ(device("a").until, clock_.now() - 1s);
}

TEST_F(SeenDevices, areForgottenWhenManyOthersHaveComeSince)
{
    for (int i = 0; i < 40; ++i) {
        comes(fmt::format("device-{:02}", i), 1min);
        clock_.advance(2min);
    }
    const auto devices = bob().devices;
    ASSERT_EQ(devices.size(), 21U) << "the last one, gone by now, and twenty before";
    EXPECT_EQ(devices.front().device, "device-39");
    EXPECT_EQ(devices.back().device, "device-19");
}

TEST_F(SeenDevices, areKeptForThirtyDays)
{
    comes("desk", 1h);
    const auto reply = send({"PEXPIRETIME", "rst:{s0}:seen:" + kBob});
    ASSERT_NE(reply.integer(), nullptr);
    EXPECT_EQ(*reply.integer(), toEpochMs(clock_.now() + 1h + 720h));
}

TEST_F(SeenDevices, takeContactsAndAgentsAsTheyCome)
{
    auto odd = binding("odd");
    odd.contact = "sip:a b@192.0.2.1";
    odd.agent = "";
    put(odd);
    EXPECT_EQ(device("odd").contact, "sip:a%20b@192.0.2.1");
    EXPECT_EQ(device("odd").agent, "");
    goes("odd");
    EXPECT_EQ(device("odd").contact, "sip:a%20b@192.0.2.1");
}

}  // namespace
}  // namespace restante::sip::test
