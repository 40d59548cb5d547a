// The places of a sender's scheduled messages, which several daemons take at the same time.

#include "sipplugin/inbound/scheduled_messages.h"
#include "tests/integration/redis/store_fixture.h"

#include <chrono>
#include <memory>

namespace restante::sip::test {
namespace {

using namespace std::chrono_literals;

const std::string kAlice = "sip:alice@example.org";

/// One place for each sender.
class SenderPlaces : public restante::test::StoreFixture {
protected:
    void SetUp() override
    {
        StoreFixture::SetUp();
        quotas_ = std::make_unique<SenderQuotas>(*connection_, clock_, MailboxKeys{});
    }

    SenderQuotas::Reservation reservation(const std::string& id)
    {
        SenderQuotas::Reservation one;
        one.sender = kAlice;
        one.id = id;
        one.lifetime = 1h;
        return one;
    }
    bool acquire(SenderQuotas::Reservation one)
    {
        const auto taken = await<bool>([&](auto done) { quotas_->acquire(std::move(one), done); });
        EXPECT_TRUE(taken) << taken.error().message;
        return taken.value_or(false);
    }

    std::unique_ptr<SenderQuotas> quotas_;
};

TEST_F(SenderPlaces, areKeptByAMessageThatIsStoredWhileSomebodyLooksWhichArePending)
{
    ASSERT_TRUE(acquire(reservation("a")));
    auto other = reservation("b");
    EXPECT_FALSE(acquire(other));
    other.collectingSince = clock_.now();  // and does not find the first one
    quotas_->confirm(kAlice, "a");
    EXPECT_FALSE(acquire(other)) << "in the same millisecond";
    clock_.advance(10ms);
    quotas_->confirm(kAlice, "a");
    EXPECT_FALSE(acquire(other));
}

TEST_F(SenderPlaces, areGivenBackByAMessageThatHasEnded)
{
    ASSERT_TRUE(acquire(reservation("a")));
    quotas_->confirm(kAlice, "a");
    clock_.advance(10ms);
    auto other = reservation("b");
    other.collectingSince = clock_.now();
    other.pending = {"a"};
    EXPECT_FALSE(acquire(other));
    other.pending.clear();
    EXPECT_TRUE(acquire(other));
}

TEST_F(SenderPlaces, areGivenBackWhenNobodyHasConfirmedThemForAMinute)
{
    ASSERT_TRUE(acquire(reservation("a")));
    auto other = reservation("b");
    clock_.advance(59s);
    other.collectingSince = clock_.now();
    EXPECT_FALSE(acquire(other)) << "it may be on its way into the store";
    clock_.advance(1s);
    other.collectingSince = clock_.now();
    EXPECT_TRUE(acquire(other));
}

}  // namespace
}  // namespace restante::sip::test
