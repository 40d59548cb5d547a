// The script that registers somebody and gives out what has waited for them.

#include "sipplugin/registration/binding_store.h"
#include "tests/integration/redis/script_cut_short_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace restante::sip::test {
namespace {

using namespace std::chrono_literals;
using restante::test::LoggedCommand;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kBobsKey = "rst:{s0}:aor:" + restante::test::StoreFixture::kBob;

class Arrive : public restante::test::ScriptCutShortFixture {
protected:
    void SetUp() override
    {
        // Redis itself ends what has expired.
        clock_.set(SystemClock().now());
        ScriptCutShortFixture::SetUp();
    }
    Binding device(const std::string& contact = "sip:bob@192.0.2.1") const
    {
        Binding binding;
        binding.contact = contact;
        binding.source = "192.0.2.1:5060";
        binding.transport = "udp";
        binding.callId = "call-1";
        binding.cseq = 7;
        binding.updated = now();
        binding.expires = now() + 1h;
        return binding;
    }
    /// Bob's phone registers, and up to `messages` are wanted.
    BindingUpdate registration(std::uint32_t messages = 10) const
    {
        BindingUpdate update;
        update.aor = kBob;
        update.callId = "call-1";
        update.cseq = 7;
        update.additions = {device()};
        update.releasesMailbox = true;
        update.claimLimits = {messages, 0};
        return update;
    }
    Result<Arrival> arrive(BindingUpdate update)
    {
        return await<Arrival>([&](auto done) { bindings().update(std::move(update), done); });
    }
    RedisBindingStore& bindings()
    {
        if (!bindings_ || shardsOf_ != store_.get()) {
            shardsOf_ = store_.get();
            bindings_.emplace(
                RedisBindingStore::Parts{*connection_, store_->shards(), *store_, clock_},
                RedisBindingStore::Settings{{"rst", 1}, 3});
        }
        return *bindings_;
    }
    static std::vector<std::string> idsOf(const std::vector<ClaimedJob>& jobs)
    {
        std::vector<std::string> ids;
        for (const auto& one : jobs) {
            ids.push_back(one.job.id);
        }
        return ids;
    }
    std::vector<std::string> dueMailboxes()
    {
        return await<std::vector<std::string>>([&](auto done) { store_->dueMailboxes(9, done); })
            .value();
    }
    std::int64_t scriptCalls() const
    {
        const auto stats = text({"INFO", "commandstats"});
        const std::string key = "cmdstat_evalsha:calls=";
        const auto at = stats.find(key);
        return at == std::string::npos ? 0 : std::stoll(stats.substr(at + key.size()));
    }
    std::string scoreOf(const std::string& set, const std::string& member) const
    {
        return text({"ZSCORE", "rst:{s0}:" + set, member});
    }

    const void* shardsOf_ = nullptr;
    std::optional<RedisBindingStore> bindings_;
};

TEST_F(Arrive, givesOutWhatHasWaitedInOrder)
{
    const auto first = held(message());
    const auto second = held(message());
    const auto arrival = arrive(registration());
    ASSERT_TRUE(arrival) << arrival.error().message;
    EXPECT_THAT(arrival->bindings, ElementsAre(device()));
    EXPECT_EQ(arrival->waiting, 2U);
    EXPECT_THAT(idsOf(arrival->messages), ElementsAre(first.id, second.id));
    EXPECT_EQ(arrival->messages.at(0).attempt, 1U);
    EXPECT_EQ(arrival->messages.at(0).leaseEnds, now() + first.ttr);
    EXPECT_THAT(claimBox(), IsEmpty());
    EXPECT_THAT(dueMailboxes(), IsEmpty());
    EXPECT_EQ(scoreOf("lease", first.id), std::to_string(toEpochMs(now() + first.ttr)));
    EXPECT_EQ(number({"EXISTS", "rst:{s0}:came:" + kBob}), 0);
}

TEST_F(Arrive, givesOutNoMoreThanIsWanted)
{
    const auto first = held(message());
    held(message());
    const auto arrival = arrive(registration(1));
    EXPECT_EQ(arrival->waiting, 2U);
    EXPECT_THAT(idsOf(arrival->messages), ElementsAre(first.id));
}

TEST_F(Arrive, releasesTheMailboxOfWhichNothingIsWanted)
{
    held(message());
    const auto arrival = arrive(registration(0));
    EXPECT_EQ(arrival->waiting, 1U);
    EXPECT_THAT(arrival->messages, IsEmpty());
    EXPECT_THAT(dueMailboxes(), ElementsAre(kBob));
}

TEST_F(Arrive, leavesTheMailboxAloneWhenOnlyABindingEnds)
{
    held(message());
    auto update = registration();
    update.removals = std::exchange(update.additions, {});
    update.releasesMailbox = false;
    const auto arrival = arrive(update);
    ASSERT_TRUE(arrival);
    EXPECT_EQ(arrival->waiting, 0U);
    EXPECT_THAT(arrival->messages, IsEmpty());
    EXPECT_THAT(dueMailboxes(), IsEmpty());
    EXPECT_EQ(claimBox().size(), 1U);
}

/// Another daemon is at it, and its attempt fails: it does not know where the phone is now.
TEST_F(Arrive, isRememberedByWhoeverHasTheMessages)
{
    held(message());
    const auto theirs = claimBox();
    ASSERT_EQ(theirs.size(), 1U);

    const auto arrival = arrive(registration());
    EXPECT_EQ(arrival->waiting, 1U);
    EXPECT_THAT(arrival->messages, IsEmpty());
    EXPECT_THAT(dueMailboxes(), IsEmpty());

    must<void>([&](auto done) {
        store().hold({.lease = leaseOf(theirs.at(0)), .nextAttempt = now() + 2min, .error = "480"},
                     done);
    });
    EXPECT_THAT(dueMailboxes(), ElementsAre(kBob));
    const auto again = arrive(registration());
    ASSERT_EQ(again->messages.size(), 1U);
    EXPECT_EQ(again->messages.at(0).attempt, 2U);
}

TEST_F(Arrive, givesAMessageToOneOfTwoThatComeTogether)
{
    held(message());
    std::vector<std::size_t> given;
    for (int i = 0; i < 2; ++i) {
        bindings().update(registration(), [&](const Result<Arrival>& arrival) {
            given.push_back(arrival.value().messages.size());
        });
    }
    ASSERT_TRUE(runUntil([&] { return given.size() == 2; }));
    EXPECT_THAT(given, ElementsAre(1, 0));
}

TEST_F(Arrive, ofManyIsOneCallAndOneEvent)
{
    constexpr int kMany = 30;             // a call of more would be sent before all are there
    ASSERT_TRUE(arrive(registration()));  // the script is known from now on
    std::vector<std::string> recipients;
    for (int i = 0; i < kMany; ++i) {
        auto one = message();
        one.recipient = "sip:u" + std::to_string(i) + "@example.org";
        recipients.push_back(held(one).recipient);
    }
    const auto events = number({"XLEN", "rst:{s0}:events"});
    const auto calls = scriptCalls();
    std::size_t given = 0;
    int answers = 0;
    for (const auto& recipient : recipients) {
        auto update = registration();
        update.aor = recipient;
        bindings().update(update, [&](const Result<Arrival>& arrival) {
            given += arrival.value().messages.size();
            ++answers;
        });
    }
    ASSERT_TRUE(runUntil([&] { return answers == kMany; }));
    EXPECT_EQ(given, static_cast<std::size_t>(kMany));
    EXPECT_EQ(scriptCalls() - calls, 1);
    EXPECT_EQ(number({"XLEN", "rst:{s0}:events"}) - events, 1);
}

TEST_F(Arrive, thatRedisRefusesDoesNotSpoilTheOthersOfItsCall)
{
    held(message());
    const std::string carol = "sip:carol@example.org";
    send({"SET", "rst:{s0}:aor:" + carol, "no hash"});
    std::optional<Result<Arrival>> hers;
    std::optional<Result<Arrival>> his;
    auto update = registration();
    update.aor = carol;
    bindings().update(update, [&](const auto& arrival) { hers = arrival; });
    bindings().update(registration(), [&](const auto& arrival) { his = arrival; });
    ASSERT_TRUE(runUntil([&] { return hers && his; }));
    ASSERT_FALSE(*hers);
    EXPECT_EQ(hers->error().code, ErrorCode::Internal);
    EXPECT_THAT(hers->error().message, ::testing::HasSubstr("WRONGTYPE"));
    ASSERT_TRUE(*his);
    EXPECT_EQ((*his)->messages.size(), 1U);
}

TEST_F(Arrive, thatIsRefusedGivesNothingOut)
{
    held(message());
    ASSERT_TRUE(arrive(registration(0)));
    auto earlier = registration();
    earlier.cseq = 6;
    EXPECT_EQ(arrive(earlier).error().code, ErrorCode::Stale);
    auto many = registration();
    for (int i = 2; i < 5; ++i) {
        many.additions.push_back(device("sip:bob@192.0.2." + std::to_string(i)));
    }
    EXPECT_EQ(arrive(many).error().code, ErrorCode::Conflict);
    EXPECT_EQ(claimBox().size(), 1U);
}

/// The daemon that was given the messages dies before it sends them.
TEST_F(Arrive, bringsThemAgainInOrderWhenNobodyDeliversThem)
{
    const auto first = held(message());
    const auto second = held(message());
    const auto dead = arrive(registration());
    ASSERT_EQ(dead->messages.size(), 2U);
    later(first.ttr + 1s);
    EXPECT_THAT(arrive(registration())->messages, IsEmpty()) << "it may still be at it";
    for (const auto& lost : dead->messages) {
        must<void>([&](auto done) {
            store().reap({leaseOf(lost), ReapVerdict::Action::Hold, now(), "lease ended"}, done);
        });
    }
    const auto again = arrive(registration());
    EXPECT_THAT(idsOf(again->messages), ElementsAre(first.id, second.id));
    EXPECT_EQ(again->messages.at(0).attempt, 2U);
    EXPECT_EQ(finish(leaseOf(dead->messages.at(0))).error().code, ErrorCode::Stale);
    EXPECT_TRUE(finish(leaseOf(again->messages.at(0))));
}

TEST_F(Arrive, thatIsOnlyAHintWritesNothingDown)
{
    held(message());
    auto hint = registration();
    hint.storesBindings = false;
    const auto arrival = arrive(hint);
    EXPECT_THAT(arrival->bindings, ElementsAre(device())) << "what it said";
    EXPECT_EQ(arrival->messages.size(), 1U);
    EXPECT_EQ(number({"EXISTS", kBobsKey}), 0);
}

TEST_F(Arrive, tellsOfTheOtherBindingsThatLive)
{
    auto other = device("sip:bob@192.0.2.2");
    other.q = 500;
    other.flow = "daemon/7";
    other.path = {"<sip:p1;lr>", "<sip:p2;lr>"};
    other.behindNat = true;
    other.instance = "urn:uuid:1";
    other.regId = "1";
    auto update = registration();
    update.additions = {other};
    ASSERT_TRUE(arrive(update));
    EXPECT_THAT(arrive(registration())->bindings, ElementsAre(device(), other));
    const auto found =
        await<std::vector<Binding>>([&](auto done) { bindings().lookup(kBob, done); });
    EXPECT_THAT(*found, ElementsAre(device(), other));
}

TEST_F(Arrive, readsWhatAnEarlierVersionHasWritten)
{
    const auto record = [this](int cseq) {
        return fmt::format(R"({{"contact":"sip:bob@192.0.2.9","instance":"","reg_id":"","q":900,)"
                           R"("path":["<sip:p;lr>"],"source":"192.0.2.9:5060","flow":"",)"
                           R"("behind_nat":false,"transport":"udp","call_id":"old","cseq":{},)"
                           R"("updated_ms":{},"expires_ms":{}}})",
                           cseq, toEpochMs(now()), toEpochMs(now() + 30min));
    };
    send({"HSET", kBobsKey, "sip:bob@192.0.2.9", record(4)});
    const auto arrival = arrive(registration());
    ASSERT_EQ(arrival->bindings.size(), 2U);
    const auto& old = arrival->bindings.at(1);
    EXPECT_EQ(old.contact, "sip:bob@192.0.2.9");
    EXPECT_EQ(old.q, 900U);
    EXPECT_THAT(old.path, ElementsAre("<sip:p;lr>"));
    EXPECT_EQ(old.cseq, 4U);
    EXPECT_EQ(old.expires, now() + 30min);

    auto end = registration();
    end.callId = "old";
    end.cseq = 3;
    end.additions.clear();
    end.removals = {old};
    EXPECT_EQ(arrive(end).error().code, ErrorCode::Stale);
    end.cseq = 5;
    EXPECT_THAT(arrive(end)->bindings, ElementsAre(device()));
}

TEST_F(Arrive, tellsTheJournalOnceOfABindingThatOnlyIsRefreshed)
{
    send({"HSET", "rst:{s0}:journal", "backlog", "1000"});
    const auto told = [this] { return number({"XLEN", "rst:{s0}:events"}); };
    ASSERT_TRUE(arrive(registration()));
    EXPECT_EQ(told(), 1);
    later(1min);
    auto refresh = registration();
    refresh.cseq = 8;
    ASSERT_TRUE(arrive(refresh));
    EXPECT_EQ(told(), 1);
    refresh.cseq = 9;
    refresh.additions = {device("sip:bob@192.0.2.2")};
    ASSERT_TRUE(arrive(refresh));
    EXPECT_EQ(told(), 2);
}

/// Wherever the file ends: each message is in one place, and comes again.
TEST_F(Arrive, cutShortIsPutRightByASweep)
{
    const auto first = held(message());
    const auto second = held(message());
    ASSERT_TRUE(arrive(registration()));
    const auto commands = logged();
    auto begin = commands.size();
    while (begin > 0 && commands[begin - 1].words.at(0) != "MULTI") {
        --begin;
    }
    ASSERT_GT(begin, 0U);
    for (auto count = begin; count < commands.size(); ++count) {
        SCOPED_TRACE(std::to_string(count - begin) + " of " +
                     std::to_string(commands.size() - begin) + " commands");
        replay(commands, count);
        const auto swept = sweep(redis::StoreSweep::Mode::Repair);
        ASSERT_TRUE(swept) << swept.error().message;
        const auto again = sweep(redis::StoreSweep::Mode::ReportOnly);
        EXPECT_EQ(again->faults(), 0U) << ::testing::PrintToString(again->examples);
        for (const auto& id : {first.id, second.id}) {
            const auto view = show(id);
            ASSERT_TRUE(view) << view.error().message;
            EXPECT_TRUE(view->state == JobState::Held || view->state == JobState::Leased)
                << name(view->state);
        }
    }
}

}  // namespace
}  // namespace restante::sip::test
