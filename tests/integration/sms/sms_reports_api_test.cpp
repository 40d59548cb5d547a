#include "core/assembly/redis_queue.h"
#include "core/delivery/sms/awaited_reports.h"
#include "core/delivery/sms/delivery_reports.h"
#include "core/http/api/v1_api.h"
#include "tests/support/redis_fixture.h"

#include <gmock/gmock.h>

namespace restante::http {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

/// A call without a connection.
class Asked final : public HttpCall {
public:
    explicit Asked(Request request) : request_(std::move(request)) {}

    const Request& request() const noexcept override { return request_; }
    std::string_view pathValue(std::string_view) const noexcept override { return {}; }
    void respond(Response response, std::function<void()>) override
    {
        answer = std::move(response);
    }
    bool beginStream(std::string) override { return false; }
    void send(std::string) override {}
    std::size_t backlog() const noexcept override { return 0; }
    void endStream() override {}
    void onClosed(std::function<void()>) override {}
    bool closed() const noexcept override { return false; }

    std::optional<Response> answer;

private:
    Request request_;
};

using Fields = std::vector<std::pair<std::string, std::string>>;

class SmsReportsApi : public test::RedisFixture {
protected:
    void SetUp() override
    {
        addSmsReportRoutes(router_, reports_);
        ASSERT_TRUE(await<void>(
            [&](auto done) { redis_.awaitReady(redis::RedisQueue::Report::Silent, done); }));
    }
    Response ask(Request request)
    {
        const auto match = router_.match(request.method, "/v1/sms/reports");
        auto asked = std::make_shared<Asked>(std::move(request));
        match.route->handler(asked);
        EXPECT_TRUE(runUntil([&] { return asked->answer.has_value(); }));
        return asked->answer.value_or(Response{.status = 0});
    }
    Response get(const Fields& fields)
    {
        Request request;
        request.method = "GET";
        request.query = fields;
        return ask(std::move(request));
    }

    /// A leased job, and the fields that belong to it but for the status.
    Fields taken()
    {
        PushOptions order;
        order.job.id = "m1";
        order.job.topic = "t";
        order.job.channel = Channel::Sms;
        order.job.recipient = "+4917012345678";
        order.job.body = "Hello";
        EXPECT_TRUE(await<PushOutcome>([&](auto done) { redis_.queue().push(order, done); }));
        EXPECT_TRUE(await<std::vector<ClaimedJob>>([&](auto done) {
            redis_.queue().claim({Channel::Sms, {}, 1}, done);
        }));
        const auto token = await<std::string>([&](auto done) {
            awaited_.expect({"m1", 1}, redis_.clock().now() + 1h, done);
        });
        return {{"id", "m1"}, {"attempt", "1"}, {"token", token.value()}};
    }
    JobState state()
    {
        const auto view = await<JobView>([&](auto done) { redis_.inspector().show("m1", done); });
        return view ? view->state : JobState::Done;
    }
    static Config config()
    {
        Config config;
        config.sms.gateway = Config::SmsGateway::Kannel;
        config.sms.deliveryReports = Config::SmsReports::Phone;
        return config;
    }

    redis::RedisQueue redis_{loop_, test::sharedRedis().url(), config(), "test"};
    sms::AwaitedReports awaited_{loop_, redis_.connection(), redis_.clock(), "rst", 1};
    sms::DeliveryReports reports_{redis_.queue(), redis_.inspector(), awaited_, config().sms};
    Router router_;
};

TEST_F(SmsReportsApi, takesAReportAndFinishesItsJob)
{
    auto fields = taken();
    fields.emplace_back("status", "1");
    EXPECT_EQ(get(fields).status, 204);
    EXPECT_EQ(state(), JobState::Done);
    EXPECT_EQ(get(fields).status, 204);
}

TEST_F(SmsReportsApi, takesTheFieldsOfAForm)
{
    std::string form = "status=failed&answer=no+such%20number";
    for (const auto& [name, value] : taken()) {
        form += "&" + name + "=" + value;
    }
    Request request;
    request.method = "POST";
    request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
    request.body = form;
    EXPECT_EQ(ask(std::move(request)).status, 204);
    const auto view = await<JobView>([&](auto done) { redis_.inspector().show("m1", done); });
    EXPECT_EQ(view->state, JobState::Scheduled);
    EXPECT_THAT(view->lastError, HasSubstr("no such number"));
}

TEST_F(SmsReportsApi, refusesWhatIsWrongAndNamesTheField)
{
    const auto right = taken();
    const auto with = [&](const std::string& name, const std::string& value) {
        Fields fields{{"status", "1"}};
        for (const auto& [its, own] : right) {
            fields.emplace_back(its, its == name ? value : own);
        }
        return fields;
    };
    for (const char* attempt : {"", "0", "-1", "x", "1x", "4294967296"}) {
        const auto answer = get(with("attempt", attempt));
        EXPECT_EQ(answer.status, 400) << attempt;
        EXPECT_THAT(answer.body, HasSubstr("attempt"));
    }
    EXPECT_EQ(get(with("id", "")).status, 400);
    EXPECT_EQ(get(with("id", "with space")).status, 400);
    EXPECT_EQ(get(with("id", std::string(5'000, 'x'))).status, 400);
    EXPECT_EQ(get(right).status, 400);  // no status
    EXPECT_EQ(get(with("token", "forged")).status, 403);
    EXPECT_EQ(get(with("attempt", "2")).status, 403);
    EXPECT_EQ(state(), JobState::Leased);
}

}  // namespace
}  // namespace restante::http
