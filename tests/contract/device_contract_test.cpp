#include "core/queue/topic.h"
#include "tests/contract/store_contract.h"

namespace restante::test {
namespace {

const std::string kPhone = "urn:uuid:phone";
const std::string kTablet = "urn:uuid:tablet";
constexpr auto kLease = 15s;
constexpr auto kKeep = 24h;
using Status = DeviceMark::Status;

/// The calls of a store for delivery of each message to every device.
class EveryDevice : public StoreContract {
protected:
    std::vector<std::string> lacking(std::vector<std::string> devices,
                                     std::optional<TimePoint> absent = {})
    {
        return await<std::vector<std::string>>([&](auto done) {
                   store().lackingDevices({kBob, std::move(devices), absent}, done);
               })
            .value();
    }
    DeviceBatch claimFor(const std::string& device, std::uint64_t token = 0, std::uint32_t max = 10)
    {
        return await<DeviceBatch>([&](auto done) {
                   store().claimForDevice({kBob, device, token, max, 0, kLease, kKeep}, done);
               })
            .value();
    }
    Result<TimePoint> mark(DeviceMark mark)
    {
        mark.recipient = kBob;
        mark.lease = kLease;
        mark.keep = kKeep;
        return await<TimePoint>([&](auto done) { store().mark(std::move(mark), done); });
    }
    Result<TimePoint> mark(const std::string& device,
                           std::uint64_t token,
                           const std::string& id,
                           Status status = Status::Taken)
    {
        DeviceMark request;
        request.device = device;
        request.token = token;
        request.id = id;
        request.status = status;
        return mark(request);
    }
    /// The device takes all messages that it lacks; returns their ids.
    std::vector<std::string> takeAll(const std::string& device)
    {
        const auto batch = claimFor(device);
        for (const auto& claimed : batch.messages) {
            EXPECT_DONE(mark(device, batch.token, claimed.job.id));
        }
        EXPECT_TRUE(claimFor(device, batch.token).messages.empty());
        return idsOf(batch.messages);
    }
    Result<void> limitMessages(TopicLimits limits)
    {
        return await<void>([&](auto done) {
            store().limitTopic({"sip", "olga", "slow peer"}, limits, done);
        });
    }
    std::vector<std::string> heldIds(std::size_t count, Millis lifetime = 1h)
    {
        std::vector<std::string> ids;
        for (std::size_t i = 0; i < count; ++i) {
            auto message = messageTo(kBob);
            message.expires = now() + lifetime;
            ids.push_back(storeHeldJob(message).id);
        }
        return ids;
    }
};
INSTANTIATE_TEST_SUITE_P(Store, EveryDevice, ::testing::ValuesIn(storeFactories()), nameOfStore);

TEST_P(EveryDevice, hasANameOnlyOnceItWasGivenAMessage)
{
    const auto id = heldIds(1).front();
    EXPECT_EQ(mark(kPhone, 7, id).error().code, ErrorCode::Stale);
    // Whoever is behind a proxy lacks messages until a named device has been given one.
    EXPECT_EQ(lacking({""}), std::vector<std::string>{""});
    EXPECT_EQ(takeAll(kPhone), std::vector{id});
    EXPECT_TRUE(lacking({""}).empty());
}

TEST_P(EveryDevice, getsEachMessageOnceInOrder)
{
    const auto ids = heldIds(3);
    EXPECT_EQ(lacking({kPhone, kTablet}), (std::vector{kPhone, kTablet}));
    EXPECT_EQ(takeAll(kPhone), ids);
    EXPECT_EQ(takeAll(kTablet), ids);
    EXPECT_TRUE(lacking({kPhone, kTablet}).empty());
    EXPECT_TRUE(claimFor(kPhone).messages.empty());
    EXPECT_EQ(stateOf(ids[0]), JobState::Held);
    EXPECT_EQ(view(ids[0]).devices, 2U);
}

TEST_P(EveryDevice, getsWhatItLacksWhenItComesLater)
{
    auto ids = heldIds(2);
    EXPECT_EQ(takeAll(kPhone), ids);
    const auto third = heldIds(1).front();
    EXPECT_EQ(lacking({kPhone, kTablet}), (std::vector{kPhone, kTablet}));
    EXPECT_EQ(takeAll(kPhone), std::vector{third});
    ids.push_back(third);
    EXPECT_EQ(takeAll(kTablet), ids);
}

TEST_P(EveryDevice, lacksTheMessageThatHasReplacedTheOneThatItTook)
{
    const auto id = heldIds(1).front();
    const auto batch = claimFor(kPhone);
    ASSERT_EQ(batch.messages.size(), 1U);
    const auto& old = batch.messages.front().job;
    auto edited = old;
    edited.body = "other words";
    edited.created += 1ms;
    EXPECT_DONE(push({.job = edited, .placement = Placement::Mailbox, .replace = true}));

    DeviceMark taken;
    taken.device = kPhone;
    taken.token = batch.token;
    taken.id = id;
    taken.created = old.created;
    taken.error = "480";  // of an attempt before
    taken.status = Status::Taken;
    EXPECT_DONE(mark(taken));

    EXPECT_EQ(view(id).devices, 0U);
    EXPECT_EQ(view(id).lastError, "");
    const auto next = claimFor(kPhone, batch.token);
    ASSERT_EQ(next.messages.size(), 1U) << "the phone lacks the edited one";
    EXPECT_EQ(next.messages.front().job.body, "other words");
    taken.created = edited.created;
    taken.token = next.token;
    EXPECT_DONE(mark(taken));
    EXPECT_EQ(view(id).devices, 1U);
}

TEST_P(EveryDevice, isWhomAProxyKnowsAsLongAsNoneHasBeenGivenAnything)
{
    const std::string proxy;  // the name that DeviceQuery has for it
    EXPECT_TRUE(lacking({proxy}).empty()) << "nothing waits";
    heldIds(1);
    EXPECT_EQ(lacking({proxy}, now() + 15min), std::vector{proxy});
    EXPECT_LT(earliest({kMailboxes}), now() + 15min) << "should whoever has asked crash";
    takeAll(kPhone);
    heldIds(1);
    EXPECT_TRUE(lacking({proxy}, now() + 15min).empty()) << "the phone has the first of them";
    EXPECT_EQ(earliest({kMailboxes}), now() + 15min);
    EXPECT_EQ(lacking({kPhone}), std::vector{kPhone});
}

TEST_P(EveryDevice, hasOneFlusherAtATime)
{
    heldIds(2);
    const auto first = claimFor(kPhone, 0, 1);
    EXPECT_EQ(first.messages.size(), 1U);
    EXPECT_TRUE(claimFor(kPhone).messages.empty());
    EXPECT_TRUE(lacking({kPhone}).empty());
    EXPECT_EQ(claimFor(kTablet).messages.size(), 2U) << "each device has its own";
}

TEST_P(EveryDevice, isServedBySomebodyElseWhenALeaseHasLapsed)
{
    const auto ids = heldIds(2);
    const auto lost = claimFor(kPhone);
    EXPECT_DONE(mark(kPhone, lost.token, ids[0]));
    clock().advance(kLease);
    EXPECT_EQ(lacking({kPhone}), std::vector{kPhone});
    const auto again = claimFor(kPhone);
    EXPECT_EQ(idsOf(again.messages), std::vector{ids[1]});
    EXPECT_REFUSED(mark(kPhone, lost.token, ids[1]), Stale);
    EXPECT_DONE(mark(kPhone, again.token, ids[1]));
}

TEST_P(EveryDevice, keepsItsLeaseWhileItIsMarked)
{
    const auto ids = heldIds(1);
    const auto batch = claimFor(kPhone);
    clock().advance(kLease - 1s);
    EXPECT_EQ(mark(kPhone, batch.token, ids[0], Status::Pending), now() + kLease);
    clock().advance(kLease - 1s);
    EXPECT_TRUE(claimFor(kPhone).messages.empty());
}

TEST_P(EveryDevice, isTriedAgainAtItsOwnTime)
{
    const auto ids = heldIds(1);
    const auto batch = claimFor(kPhone);
    DeviceMark away;
    away.device = kPhone;
    away.token = batch.token;
    away.id = ids[0];
    away.status = Status::Failed;
    away.error = "480 later";
    away.next = now() + 2min;
    EXPECT_DONE(mark(away));
    EXPECT_EQ(view(ids[0]).lastError, "480 later");
    EXPECT_EQ(lacking({kPhone, kTablet}), std::vector{kTablet});
    EXPECT_EQ(takeAll(kTablet), ids);
    EXPECT_TRUE(lacking({kPhone, kTablet}).empty());
    EXPECT_EQ(earliest({kMailboxes}), away.next);
    clock().advance(2min);
    EXPECT_EQ(dueMailboxes(), std::vector{kBob});
    EXPECT_EQ(lacking({kPhone}), std::vector{kPhone});
    EXPECT_EQ(claimFor(kPhone).messages.at(0).attempt, 2U);
}

TEST_P(EveryDevice, isTriedAtOnceWhenTheMailboxIsReleased)
{
    const auto ids = heldIds(1);
    DeviceMark away;
    away.device = kPhone;
    away.token = claimFor(kPhone).token;
    away.id = ids[0];
    away.status = Status::Failed;
    away.next = now() + 2min;
    EXPECT_DONE(mark(away));
    EXPECT_EQ(*await<std::uint64_t>([&](auto done) { store().releaseMailbox(kBob, done); }), 1U);
    EXPECT_EQ(lacking({kPhone}), std::vector{kPhone});
}

TEST_P(EveryDevice, isTriedAtOnceWhenItCameWhileItWasServed)
{
    const auto ids = heldIds(1);
    DeviceMark away;
    away.device = kPhone;
    away.token = claimFor(kPhone).token;
    away.id = ids[0];
    away.status = Status::Failed;
    away.error = "480 later";
    away.next = now() + 2min;
    EXPECT_EQ(*await<std::uint64_t>([&](auto done) { store().releaseMailbox(kBob, done); }), 1U);
    EXPECT_TRUE(lacking({kPhone}).empty());
    EXPECT_DONE(mark(away));
    EXPECT_EQ(dueMailboxes(), std::vector{kBob});
    EXPECT_EQ(lacking({kPhone}), std::vector{kPhone});
    away.token = claimFor(kPhone).token;
    EXPECT_DONE(mark(away));
    EXPECT_TRUE(lacking({kPhone}).empty());
    EXPECT_EQ(earliest({kMailboxes}), away.next);
}

TEST_P(EveryDevice, getsNoMoreThanTheRateOfATopicAllows)
{
    const auto ids = heldIds(3);
    EXPECT_DONE(limitMessages({.rate = {shards(), 1s}}));
    const auto first = claimFor(kPhone);
    EXPECT_EQ(idsOf(first.messages), std::vector{ids[0]});
    EXPECT_DONE(mark(kPhone, first.token, ids[0]));
    EXPECT_TRUE(claimFor(kPhone, first.token).messages.empty());
    EXPECT_TRUE(claimFor(kTablet).messages.empty()) << "the rate is that of all devices";
    const auto next = now() + 1s - kRateSlack;
    EXPECT_EQ(earliest({kMailboxes}), next);
    clock().set(next);
    EXPECT_EQ(lacking({kPhone}), std::vector{kPhone});
    EXPECT_EQ(idsOf(claimFor(kPhone).messages), std::vector{ids[1]});
}

TEST_P(EveryDevice, getsNoMoreAtOnceThanATopicHasFreeSlotsAndTakesNone)
{
    const auto ids = heldIds(3);
    EXPECT_DONE(limitMessages({.concurrency = 2 * shards()}));
    EXPECT_EQ(idsOf(claimFor(kPhone).messages), (std::vector{ids[0], ids[1]}));
    EXPECT_EQ(idsOf(claimFor(kTablet).messages), (std::vector{ids[0], ids[1]}));
}

TEST_P(EveryDevice, mayRefuseWhatAnotherTakes)
{
    const auto ids = heldIds(2);
    const auto batch = claimFor(kPhone);
    EXPECT_DONE(mark(kPhone, batch.token, ids[0], Status::Refused));
    EXPECT_DONE(mark(kPhone, batch.token, ids[1]));
    EXPECT_TRUE(lacking({kPhone}).empty());
    EXPECT_EQ(takeAll(kTablet), ids);
    clock().advance(1h);
    EXPECT_EQ(expire().size(), 2U);
    EXPECT_TRUE(isGone(ids[0]));
}

TEST_P(EveryDevice, leavesAMessageDoneWhenItsLifetimeIsOver)
{
    open({.retentionDone = 1h});
    const auto id = heldIds(1).front();
    takeAll(kPhone);
    clock().advance(1h);
    EXPECT_EQ(expire(), std::vector{id});
    EXPECT_EQ(stateOf(id), JobState::Done);
    EXPECT_EQ(earliest({kMailboxes}), std::nullopt);
}

TEST_P(EveryDevice, leavesAMessageDeadThatNoneHas)
{
    const auto id = heldIds(1).front();
    claimFor(kPhone);
    clock().advance(1h);
    EXPECT_EQ(expire(), std::vector{id});
    EXPECT_EQ(stateOf(id), JobState::Dead);
    EXPECT_EQ(view(id).lastError, "expired");
}

TEST_P(EveryDevice, leavesAMessageDeadThatAllRefused)
{
    const auto id = heldIds(1).front();
    EXPECT_DONE(mark(kPhone, claimFor(kPhone).token, id, Status::Refused));
    clock().advance(1h);
    EXPECT_EQ(expire(), std::vector{id});
    EXPECT_EQ(view(id).lastError, "expired; refused by every device that was offered it");
}

TEST_P(EveryDevice, keepsWhatItTookThoughItsPushIsRepeatedWithAnotherExpiry)
{
    auto message = messageTo(kBob);
    message.expires = now() + 1h;
    storeHeldJob(message);
    takeAll(kPhone);
    message.expires = now() + 1h + 1ms;  // as a retry has it that says in how long it expires
    const auto again =
        push({.job = message, .due = now(), .placement = Placement::Mailbox, .replace = true});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->status, PushStatus::AlreadyThere);
    EXPECT_TRUE(claimFor(kPhone).messages.empty()) << "it has it already";
}

TEST_P(EveryDevice, hasNothingOfAMessageThatReplacesTheOneItTook)
{
    auto message = messageTo(kBob);
    message.expires = now() + 1h;
    storeHeldJob(message);
    takeAll(kPhone);
    message.body = "other words";
    EXPECT_DONE(
        push({.job = message, .due = now(), .placement = Placement::Mailbox, .replace = true}));
    clock().advance(1h);
    EXPECT_EQ(expire(), std::vector{message.id});
    EXPECT_EQ(stateOf(message.id), JobState::Dead) << "nobody has had it";
}

TEST_P(EveryDevice, endsAMessageWithoutAnExpiryAWhileAfterOneHasIt)
{
    const auto id = storeHeldJob(messageTo(kBob)).id;
    takeAll(kPhone);
    clock().advance(kKeep - 1ms);
    EXPECT_TRUE(expire().empty());
    clock().advance(1ms);
    EXPECT_EQ(expire(), std::vector{id});
    EXPECT_TRUE(isGone(id));
}

TEST_P(EveryDevice, endsSuchAMessageThenAlsoWhenItWasInTheTrash)
{
    const auto id = storeHeldJob(messageTo(kBob)).id;
    takeAll(kPhone);
    EXPECT_DONE(trash(id));
    clock().advance(1h);
    EXPECT_DONE(restore(id));
    clock().advance(kKeep - 1h - 1ms);
    EXPECT_TRUE(expire().empty());
    clock().advance(1ms);
    EXPECT_EQ(expire(), std::vector{id});
    EXPECT_TRUE(isGone(id));
}

TEST_P(EveryDevice, keepsAMessageWithoutAnExpiryThatNoneHasWithoutEnd)
{
    const auto leased = leaseFromMailbox(messageTo(kBob));
    EXPECT_DONE(trash(leased.job.id));
    EXPECT_DONE(restore(leased.job.id));
    clock().advance(2 * kKeep);
    EXPECT_TRUE(expire().empty());
    EXPECT_EQ(stateOf(leased.job.id), JobState::Held);
}

TEST_P(EveryDevice, doesNotGetWhatHasExpired)
{
    heldIds(1, 1min);
    const auto living = heldIds(1, 1h).front();
    clock().advance(1min);
    EXPECT_EQ(idsOf(claimFor(kPhone).messages), std::vector{living});
}

TEST_P(EveryDevice, makesRoomInAFullMailboxForWhatIsNew)
{
    const auto ids = heldIds(2);
    auto next = messageTo(kBob);
    PushRequest request{.job = next, .due = now() + 1min, .placement = Placement::Mailbox};
    request.mailboxLimit = 2;
    request.makeRoom = true;
    EXPECT_REFUSED(push(request), MailboxFull);
    takeAll(kPhone);
    EXPECT_DONE(push(request));
    EXPECT_TRUE(isGone(ids[0]));
    EXPECT_EQ(takeAll(kPhone), std::vector{next.id});
}

TEST_P(EveryDevice, getsAMessageThatWasRestoredBeforeAnyHadIt)
{
    const auto ids = heldIds(3);
    EXPECT_DONE(trash(ids[0]));
    EXPECT_EQ(takeAll(kPhone), (std::vector{ids[1], ids[2]}));
    EXPECT_DONE(restore(ids[0]));
    EXPECT_EQ(takeAll(kPhone), std::vector{ids[0]});
    EXPECT_DONE(trash(ids[1]));
    EXPECT_DONE(restore(ids[1]));
    EXPECT_TRUE(lacking({kPhone}).empty()) << "it has this one";
}

TEST_P(EveryDevice, thatIsNotThereLeavesTheMailboxForLater)
{
    heldIds(1);
    EXPECT_TRUE(lacking({}, now() + 15min).empty());
    EXPECT_EQ(earliest({kMailboxes}), now() + 15min);
    EXPECT_TRUE(lacking({}).empty());
    EXPECT_EQ(earliest({kMailboxes}), now() + 15min);
}

TEST_P(EveryDevice, waitsForAMessageThatIsLeasedFromTheMailbox)
{
    const auto ids = heldIds(2);
    const auto claimed = claimMailbox(kBob, 1);
    EXPECT_TRUE(claimFor(kPhone).messages.empty());
    EXPECT_DONE(hold({.lease = leaseOf(claimed.at(0)), .counted = false}));
    EXPECT_EQ(takeAll(kPhone), ids);
}

}  // namespace
}  // namespace restante::test
