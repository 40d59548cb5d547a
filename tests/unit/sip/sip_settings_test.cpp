// When a message that was put into a mailbox is tried, should nobody register.

#include "core/queue/memory_job_store.h"
#include "sipplugin/settings/sip_settings.h"
#include "tests/support/manual_clock.h"
#include "tests/support/manual_loop.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;

/// How long after its arrival a message's mailbox is due, by this `sip.retry`.
Millis firstDueAfter(const std::string& retry)
{
    restante::test::ManualClock clock;
    restante::test::ManualLoop loop{clock};
    MemoryJobStore store{loop, clock};
    Config::Sip settings;
    settings.retry = RetrySchedule::parse(retry).value();
    DelayQueue::Settings queueSettings;
    queueSettings.sipRetry = settings.retry;
    DelayQueue queue{store, clock, queueSettings};
    Job job;
    job.topic = "sip";
    job.channel = Channel::Sip;
    job.recipient = "sip:bob@example.com";
    job.body = "hello";
    queue.push(mailboxPush(std::move(job), settings),
               [](const Result<PushOutcome>& pushed) { EXPECT_TRUE(pushed); });
    std::optional<TimePoint> due;
    store.earliest({.kind = DueSource::Kind::Mailboxes},
                   [&](const auto& earliest) { due = earliest.value(); });
    loop.settle();
    return due.value_or(TimePoint::max()) - clock.now();
}

TEST(MailboxPush, isDueAfterTheFirstWaitThatIsNotZero)
{
    EXPECT_EQ(firstDueAfter("0s,2m,10m"), 2min);
    EXPECT_EQ(firstDueAfter("0s,0s,5m"), 5min);
    EXPECT_EQ(firstDueAfter("0s,0s,0s,1s,1h"), 1s);
    EXPECT_EQ(firstDueAfter("exponential(base=10s,cap=1h)"), 10s);
}

TEST(MailboxPush, isDueAfterTheFirstWaitOnlyOnce)
{
    EXPECT_EQ(firstDueAfter("5m"), 5min);
    EXPECT_EQ(firstDueAfter("5m,10m"), 5min);
}

TEST(MailboxPush, isDueAfterTwoMinutesWhenEachWaitIsZero)
{
    EXPECT_EQ(firstDueAfter("0s"), 2min);
    EXPECT_EQ(firstDueAfter("0s,0s,0s"), 2min);
    EXPECT_EQ(firstDueAfter("exponential(attempts=1)"), 2min);
}

}  // namespace
}  // namespace restante::sip
