#include "core/assembly/redis_queue.h"
#include "core/assembly/sms_delivery.h"
#include "core/delivery/sms/delivery_reports.h"
#include "core/job/job_id.h"
#include "tests/support/redis_fixture.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

namespace restante::sms {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

class DeliveryReportsTest : public test::RedisFixture {
protected:
    void SetUp() override
    {
        auto& server = test::sharedRedis();
        config_.sms.gateway = Config::SmsGateway::Kannel;
        config_.sms.deliveryReports = Config::SmsReports::Phone;
        redis_ = std::make_unique<redis::RedisQueue>(loop_, server.url(), config_, "test");
        ASSERT_TRUE(await<void>(
            [&](auto done) { redis_->awaitReady(redis::RedisQueue::Report::Silent, done); }));
        awaited_ = std::make_unique<AwaitedReports>(loop_, redis_->connection(), redis_->clock(),
                                                    "rst", 1);
        work(config_);
    }
    void work(const Config& config)
    {
        reports_ = std::make_unique<DeliveryReports>(redis_->queue(), redis_->inspector(),
                                                     *awaited_, config.sms);
    }

    /// A message that a gateway has taken: leased, noted, its lease made to last.
    DeliveryReports::Report taken()
    {
        PushOptions order;
        order.job.id = "m1";
        order.job.topic = "t";
        order.job.channel = Channel::Sms;
        order.job.recipient = "+4917012345678";
        order.job.body = "Hello";
        order.job.retry = RetrySchedule::parse("0s,5m").value();
        EXPECT_TRUE(await<PushOutcome>([&](auto done) { redis_->queue().push(order, done); }));
        return claimed();
    }
    DeliveryReports::Report claimed()
    {
        const auto jobs = await<std::vector<ClaimedJob>>([&](auto done) {
            redis_->queue().claim({Channel::Sms, {}, 1}, done);
        });
        EXPECT_THAT(jobs.value(), SizeIs(1));
        const SentAttempt sent{"m1", jobs->at(0).attempt};
        const auto token = await<std::string>(
            [&](auto done) { awaited_->expect(sent, redis_->clock().now() + 1h, done); });
        EXPECT_TRUE(await<TimePoint>(
            [&](auto done) { redis_->queue().touch(leaseOf(jobs->at(0)), 2h, done); }));
        return {sent, token.value(), ReportStatus::PhoneHasIt, ""};
    }
    Result<void> handle(const DeliveryReports::Report& report)
    {
        return await<void>([&](auto done) { reports_->handle(report, done); });
    }
    Result<JobView> show()
    {
        return await<JobView>([&](auto done) { redis_->inspector().show("m1", done); });
    }
    std::vector<SentAttempt> overdueIn(Millis time)
    {
        return await<std::vector<SentAttempt>>([&](auto done) {
                   awaited_->findOverdue(redis_->clock().now() + time, 10, done);
               })
            .value();
    }

    Config config_;
    std::unique_ptr<redis::RedisQueue> redis_;
    std::unique_ptr<AwaitedReports> awaited_;
    std::unique_ptr<DeliveryReports> reports_;
};

TEST_F(DeliveryReportsTest, finishTheJobThatThePhoneHas)
{
    const auto report = taken();
    EXPECT_EQ(show()->state, JobState::Leased);
    EXPECT_TRUE(handle(report));
    EXPECT_EQ(show().error().code, ErrorCode::NotFound);
    EXPECT_THAT(overdueIn(24h), IsEmpty());
}

TEST_F(DeliveryReportsTest, leaveTheJobAloneWhileItIsOnItsWay)
{
    auto report = taken();
    for (const auto status : {ReportStatus::OnItsWay, ReportStatus::NetworkHasIt}) {
        report.status = status;
        EXPECT_TRUE(handle(report));
        EXPECT_EQ(show()->state, JobState::Leased);
    }
    EXPECT_THAT(overdueIn(24h), SizeIs(1));
}

TEST_F(DeliveryReportsTest, finishTheJobThatTheNetworkHasWhenThatIsEnough)
{
    config_.sms.deliveryReports = Config::SmsReports::Network;
    work(config_);
    auto report = taken();
    report.status = ReportStatus::NetworkHasIt;
    EXPECT_TRUE(handle(report));
    EXPECT_EQ(show().error().code, ErrorCode::NotFound);
}

TEST_F(DeliveryReportsTest, sendTheJobIntoItsNextAttemptWhenItWasNotDelivered)
{
    auto report = taken();
    report.status = ReportStatus::NotDelivered;
    report.networkText = "absent subscriber";
    EXPECT_TRUE(handle(report));
    const auto view = show();
    EXPECT_EQ(view->state, JobState::Scheduled);
    EXPECT_GT(view->due, redis_->clock().now() + 4min);
    EXPECT_THAT(view->lastError, HasSubstr("absent subscriber"));
}

TEST_F(DeliveryReportsTest, buryTheJobWhoseLastAttemptWasNotDelivered)
{
    auto report = taken();
    report.status = ReportStatus::NetworkRefused;
    EXPECT_TRUE(handle(report));
    ASSERT_TRUE(await<void>([&](auto done) { redis_->store().runNow({"m1", "test", ""}, done); }));
    auto second = claimed();
    EXPECT_EQ(second.sent.attempt, 2U);
    second.status = ReportStatus::NetworkRefused;
    EXPECT_TRUE(handle(second));
    EXPECT_EQ(show()->state, JobState::Dead);
}

TEST_F(DeliveryReportsTest, ofAnEarlierAttemptAreWithoutEffect)
{
    auto late = taken();
    auto failed = late;
    failed.status = ReportStatus::NotDelivered;
    EXPECT_TRUE(handle(failed));
    EXPECT_TRUE(handle(late));    // the job is scheduled
    EXPECT_TRUE(handle(failed));  // and so it stays
    EXPECT_EQ(show()->state, JobState::Scheduled);
    ASSERT_TRUE(await<void>([&](auto done) { redis_->store().runNow({"m1", "test", ""}, done); }));
    const auto second = claimed();
    EXPECT_TRUE(handle(late));  // somebody else's lease
    EXPECT_EQ(show()->state, JobState::Leased);
    EXPECT_EQ(show()->attempt, second.sent.attempt);
}

TEST_F(DeliveryReportsTest, thatComeTwiceAreOne)
{
    const auto report = taken();
    EXPECT_TRUE(handle(report));
    EXPECT_TRUE(handle(report));
}

TEST_F(DeliveryReportsTest, areRefusedWithoutTheTokenOfTheirAttempt)
{
    const auto report = taken();
    for (const std::string& token : {std::string(), std::string("0"), std::string(32, '0')}) {
        auto forged = report;
        forged.token = token;
        EXPECT_EQ(handle(forged).error().code, ErrorCode::Denied);
    }
    auto other = report;
    other.sent.attempt = 2;
    EXPECT_EQ(handle(other).error().code, ErrorCode::Denied);
    EXPECT_EQ(show()->state, JobState::Leased);
}

TEST_F(DeliveryReportsTest, areNotProvedByASecretThatWasDamaged)
{
    for (const std::string& damaged : {std::string("0123"), std::string(64, 'x')}) {
        ASSERT_TRUE(call(redis_->connection(), {"HSET", "rst:meta", "sms_secret", damaged}));
        const auto token = await<std::string>([&](auto done) {
            awaited_->expect({"m1", 1}, redis_->clock().now() + 1h, done);
        });
        ASSERT_FALSE(token) << damaged;
        EXPECT_THAT(token.error().message, HasSubstr("is not 64 hexadecimal digits"));
    }
}

TEST_F(DeliveryReportsTest, areAwaitedInARedisWithoutMemory)
{
    const test::RedisServer full;
    redis::RedisQueue redis(loop_, full.url(), config_, "test");
    ASSERT_TRUE(
        await<void>([&](auto done) { redis.awaitReady(redis::RedisQueue::Report::Silent, done); }));
    const auto until = redis.clock().now() + 1h;
    AwaitedReports before(loop_, redis.connection(), redis.clock(), "rst", 1);
    // The store has its secret before its memory is full.
    ASSERT_TRUE(await<std::string>([&](auto done) { before.expect({"m1", 1}, until, done); }));
    full.send({"CONFIG", "SET", "maxmemory", "1"});
    AwaitedReports restarted(loop_, redis.connection(), redis.clock(), "rst", 1);
    const auto token = await<std::string>([&](auto done) {
        restarted.expect({"m1", 2}, until, done);
    });
    EXPECT_TRUE(token) << token.error().message;
    const auto overdue =
        await<std::vector<SentAttempt>>([&](auto done) { restarted.findOverdue(until, 10, done); });
    EXPECT_THAT(overdue.value(), SizeIs(2));
}

TEST_F(DeliveryReportsTest, areProvedByTheSameTokenInEveryDaemon)
{
    const auto report = taken();
    AwaitedReports elsewhere(loop_, redis_->connection(), redis_->clock(), "rst", 1);
    EXPECT_TRUE(
        await<bool>([&](auto done) { elsewhere.verify(report.sent, report.token, done); }).value());
}

TEST_F(DeliveryReportsTest, thatDoNotComeLeaveTheJobToAPerson)
{
    const auto report = taken();
    ASSERT_THAT(overdueIn(59min), IsEmpty());
    const auto overdue = overdueIn(61min);
    ASSERT_THAT(overdue, SizeIs(1));
    EXPECT_EQ(overdue[0].id, "m1");
    EXPECT_EQ(overdue[0].attempt, 1U);
    EXPECT_TRUE(await<void>([&](auto done) { reports_->giveUp(overdue[0], done); }));
    EXPECT_EQ(show()->state, JobState::Dead);
    EXPECT_THAT(show()->lastError, HasSubstr("no delivery report within 1d"));
    EXPECT_THAT(overdueIn(24h), IsEmpty());
    EXPECT_TRUE(handle(report));  // too late: nothing is sent twice, nothing comes back to life
    EXPECT_EQ(show()->state, JobState::Dead);
}

TEST_F(DeliveryReportsTest, thatDoNotComeEndAsTheOperatorSays)
{
    config_.sms.unreported = Config::SmsUnreported::Retry;
    work(config_);
    const auto report = taken();
    EXPECT_TRUE(await<void>([&](auto done) { reports_->giveUp(report.sent, done); }));
    EXPECT_EQ(show()->state, JobState::Scheduled);

    config_.sms.unreported = Config::SmsUnreported::Done;
    work(config_);
    ASSERT_TRUE(await<void>([&](auto done) { redis_->store().runNow({"m1", "test", ""}, done); }));
    const auto second = claimed();
    EXPECT_TRUE(await<void>([&](auto done) { reports_->giveUp(second.sent, done); }));
    EXPECT_EQ(show().error().code, ErrorCode::NotFound);
}

TEST_F(DeliveryReportsTest, areGivenUpByAnyDaemonThatRuns)
{
    const auto report = taken();
    ASSERT_TRUE(await<std::string>(
        [&](auto done) { awaited_->expect(report.sent, redis_->clock().now(), done); }));
    const OverdueReportWatcher overdue(loop_, redis_->clock(), *awaited_, *reports_, 1s);
    EXPECT_TRUE(runUntil([&] { return overdueIn(24h).empty(); }));
    EXPECT_EQ(show()->state, JobState::Dead);
}

TEST_F(DeliveryReportsTest, areGivenUpWhenNoneIsWantedAnyMore)
{
    const auto report = taken();
    ASSERT_TRUE(await<std::string>(
        [&](auto done) { awaited_->expect(report.sent, redis_->clock().now(), done); }));
    config_.sms.deliveryReports = Config::SmsReports::Off;
    const SmsDelivery delivery(loop_, *redis_, config_);
    EXPECT_TRUE(runUntil([&] { return overdueIn(24h).empty(); }));
    EXPECT_EQ(show()->state, JobState::Dead);
}

TEST_F(DeliveryReportsTest, areGivenUpOnTheShardsThatAnswer)
{
    std::string onSecondShard = "m";
    while (shardOfId(onSecondShard, 2) != 1) {
        onSecondShard += 'm';
    }
    ASSERT_TRUE(call(redis_->connection(), {"SET", "rst:{s0}:reports", "no set"}));
    AwaitedReports awaited(loop_, redis_->connection(), redis_->clock(), "rst", 2);
    const auto until = redis_->clock().now();
    ASSERT_TRUE(await<std::string>([&](auto done) {
        awaited.expect({onSecondShard, 1}, until, done);
    }));
    const auto overdue =
        await<std::vector<SentAttempt>>([&](auto done) { awaited.findOverdue(until, 10, done); });
    ASSERT_TRUE(overdue) << overdue.error().message;
    ASSERT_THAT(*overdue, SizeIs(1));
    EXPECT_EQ(overdue->front().id, onSecondShard);
}

TEST_F(DeliveryReportsTest, areGivenUpAsFastAsTheyAreMissed)
{
    constexpr int kMissed = 250;  // more than two looks take
    int noted = 0;
    for (int i = 0; i < kMissed; ++i) {
        awaited_->expect({fmt::format("m{}", i), 1}, redis_->clock().now() - 1s,
                         [&](const auto& token) { noted += token ? 1 : 0; });
    }
    ASSERT_TRUE(runUntil([&] { return noted == kMissed; }));
    const OverdueReportWatcher overdue(loop_, redis_->clock(), *awaited_, *reports_, 1h);
    EXPECT_TRUE(runUntil([&] { return overdueIn(0ms).empty(); }, 30s));
}

TEST(ReportStatus, readsNumbersAndWords)
{
    EXPECT_EQ(reportStatusOf("1"), ReportStatus::PhoneHasIt);
    EXPECT_EQ(reportStatusOf("DELIVRD"), ReportStatus::PhoneHasIt);
    EXPECT_EQ(reportStatusOf("2"), ReportStatus::NotDelivered);
    EXPECT_EQ(reportStatusOf("Failed"), ReportStatus::NotDelivered);
    EXPECT_EQ(reportStatusOf("4"), ReportStatus::OnItsWay);
    EXPECT_EQ(reportStatusOf("8"), ReportStatus::NetworkHasIt);
    EXPECT_EQ(reportStatusOf("16"), ReportStatus::NetworkRefused);
    for (const char* word : {"", "3", "01", "perhaps"}) {
        EXPECT_FALSE(reportStatusOf(word)) << word;
    }
}

}  // namespace
}  // namespace restante::sms
