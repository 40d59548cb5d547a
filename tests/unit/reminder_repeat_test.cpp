// A reminder whose answer was lost is asked for once more, with the token of the first time.

#include "core/base/timestamp.h"
#include "core/job/job_id.h"
#include "tests/unit/reminder_fixture.h"

#include <gtest/gtest.h>

namespace restante::reminder {
namespace {

using namespace std::chrono_literals;

class ReminderAgain : public ReminderFixture {
protected:
    ReminderAgain() : ReminderFixture({.queue = ofFourShards()}) {}

    static ReminderRequest request()
    {
        ReminderRequest request;
        request.to = "sip:bob@example.org";
        request.text = "wake up";
        request.timeZone = "UTC";
        request.token = "console-17";
        return request;
    }
    CreatedReminder create(const ReminderRequest& request)
    {
        // Another program each time: it remembers nothing.
        const auto reminders = Reminders::make(queue_, store_, settings_);
        auto created =
            await<CreatedReminder>([&](auto done) { reminders->create(request, std::move(done)); });
        EXPECT_TRUE(created) << created.error().message;
        return created.value_or(CreatedReminder{});
    }
    static DelayQueue::Settings ofFourShards()
    {
        DelayQueue::Settings settings;
        settings.shards = 4;
        return settings;
    }
};

TEST_F(ReminderAgain, isOneReminder)
{
    auto wish = request();
    wish.in = "2h";
    EXPECT_EQ(create(wish).status, PushStatus::Stored);
    loop_.advance(5s);
    EXPECT_EQ(create(wish).status, PushStatus::AlreadyThere);
    ASSERT_EQ(jobs().size(), 1U);
    EXPECT_EQ(shardOfId(jobs()[0].job.id, 4), shardOfMailbox(wish.to, 4));
}

TEST_F(ReminderAgain, isAnsweredWithTheTimeThatWasAskedForFirst)
{
    auto wish = request();
    wish.in = "2h";
    const auto first = create(wish);
    loop_.advance(5s);
    EXPECT_EQ(create(wish).jobs.at(0).due, first.jobs.at(0).due);

    auto other = request();
    other.to = "https://example.org/hook";
    other.token.clear();
    other.id = "member-7";
    other.at = "2026-04-01 09:00";
    create(other);
    other.at = "2026-05-01 09:00";
    const auto again = create(other);
    EXPECT_EQ(again.status, PushStatus::AlreadyThere);
    EXPECT_EQ(formatRfc3339(again.jobs.at(0).due), "2026-04-01T09:00:00.000Z");
}

TEST_F(ReminderAgain, isAnsweredWithTheFirstWaitOfItsRetry)
{
    auto wish = request();
    wish.at = "2026-04-01 09:00";
    wish.retry = "5m,1h";
    EXPECT_EQ(formatRfc3339(create(wish).jobs.at(0).due), "2026-04-01T09:05:00.000Z");
    ASSERT_EQ(jobs().size(), 1U);
    EXPECT_EQ(formatRfc3339(jobs()[0].due), "2026-04-01T09:05:00.000Z");
}

TEST_F(ReminderAgain, isTheOneThatHasBeenSentByThen)
{
    auto wish = request();
    wish.to = "https://example.org/hook";
    wish.in = "1s";
    create(wish);
    loop_.advance(2s);
    const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store_.claim({Channel::Webhook, {}, 1}, std::move(done));
    });
    ASSERT_EQ(claimed->size(), 1U);
    ASSERT_TRUE(await<std::uint64_t>(
        [&](auto done) { store_.finish(leaseOf(claimed->front()), std::move(done)); }));
    EXPECT_EQ(create(wish).status, PushStatus::AlreadyThere);
    EXPECT_TRUE(jobs().empty());
}

TEST_F(ReminderAgain, isTheOneOfTheSameIdThatHasBeenSentByThen)
{
    auto wish = request();
    wish.to = "https://example.org/hook";
    wish.token.clear();
    wish.id = "member-7";
    wish.in = "1s";
    EXPECT_EQ(create(wish).status, PushStatus::Stored);
    loop_.advance(2s);
    const auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store_.claim({Channel::Webhook, {}, 1}, std::move(done));
    });
    ASSERT_EQ(claimed->size(), 1U);
    ASSERT_TRUE(await<std::uint64_t>(
        [&](auto done) { store_.finish(leaseOf(claimed->front()), std::move(done)); }));
    EXPECT_EQ(create(wish).status, PushStatus::AlreadyThere);
    EXPECT_TRUE(jobs().empty());
}

TEST_F(ReminderAgain, isOneSeries)
{
    for (const char* in : {"", "2h"}) {
        auto wish = request();
        wish.token += in;
        wish.in = in;
        wish.every = "2h";
        EXPECT_EQ(create(wish).status, PushStatus::Stored);
        loop_.advance(5s);
        EXPECT_EQ(create(wish).status, PushStatus::AlreadyThere);
    }
    EXPECT_EQ(jobs().size(), 2U);
}

TEST_F(ReminderAgain, isOneSeriesInTheHourThatTheClockRepeats)
{
    clock_.set(parseTimestamp("2026-10-25T01:30:00Z").value());
    auto wish = request();
    wish.timeZone = "Europe/Berlin";
    wish.every = "2h";
    EXPECT_EQ(create(wish).status, PushStatus::Stored);
    loop_.advance(5s);
    EXPECT_EQ(create(wish).status, PushStatus::AlreadyThere);
    EXPECT_EQ(jobs().size(), 1U);
}

TEST_F(ReminderAgain, completesASetOfWhichSomeWereStored)
{
    auto wish = request();
    wish.event = "2026-06-01";
    wish.offsets = "15d,3d,0s";
    const auto first = create(wish);
    ASSERT_EQ(jobs().size(), 3U);
    ASSERT_TRUE(await<void>([&](auto done) {
        store_.purge({first.jobs[1].id, "test", "was never stored"}, std::move(done));
    }));
    const auto second = create(wish);
    EXPECT_EQ(second.status, PushStatus::Stored);
    EXPECT_EQ(second.bizKey, first.bizKey);
    EXPECT_EQ(jobs().size(), 3U);
    for (const auto& view : jobs()) {
        EXPECT_EQ(view.job.bizKey, first.bizKey);
        EXPECT_EQ(shardOfId(view.job.id, 4), shardOfMailbox(wish.to, 4));
    }
}

TEST_F(ReminderAgain, isTheSameSetWhenOneOfItsTimesIsLeft)
{
    for (const char* id : {"", "member-7"}) {
        auto wish = request();
        wish.to = "https://example.org/hook";
        wish.id = id;
        wish.token = wish.id.empty() ? "console-19" : "";
        wish.event = formatRfc3339(clock_.now() + 50h);
        wish.offsets = "49h,1h";
        ASSERT_EQ(create(wish).jobs.size(), 2U);
        loop_.advance(2h);
        const auto again = create(wish);
        EXPECT_EQ(again.jobs.size(), 1U);
        EXPECT_EQ(again.status, PushStatus::AlreadyThere) << "not a conflict";
    }
}

TEST_F(ReminderAgain, isAnotherOneWithAnotherToken)
{
    auto wish = request();
    wish.in = "2h";
    create(wish);
    wish.token = "console-18";
    EXPECT_EQ(create(wish).status, PushStatus::Stored);
    EXPECT_EQ(jobs().size(), 2U);
}

}  // namespace
}  // namespace restante::reminder
