#include "core/delivery/dispatcher.h"
#include "core/delivery/webhook_courier.h"
#include "core/queue/memory_job_store.h"
#include "core/schedule/lease_reaper.h"
#include "tests/support/http_receiver.h"
#include "tests/support/loop_fixture.h"

#include <gmock/gmock.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace restante::delivery {
namespace {

using namespace std::chrono_literals;
using test::HttpReceiver;
using test::HttpReply;
using testing::HasSubstr;
using Behaviour = HttpReply::Behaviour;

/// Jobs in memory, a dispatcher, the courier, and receivers on real sockets.
class WebhookCourierTest : public test::LoopFixture {
protected:
    static WebhookCourier::Settings loopbackAllowed()
    {
        return {.policy = AddressPolicy::allowing({"127.0.0.0/8", "localhost"}).value()};
    }
    void start(WebhookCourier::Settings settings = loopbackAllowed())
    {
        dispatcher_.reset();
        courier_ = WebhookCourier::make(loop_, clock_, std::move(settings));
        dispatcher_ = Dispatcher::make(loop_, queue_, due_, *courier_);
    }
    std::string push(const std::string& url, const std::string& retry = "0s,10ms,20ms,40ms")
    {
        Job job;
        job.id = "job-" + std::to_string(++pushed_);
        job.topic = "hooks";
        job.channel = Channel::Webhook;
        job.recipient = url;
        job.body = "{\"n\":" + std::to_string(pushed_) + "}";
        job.contentType = "application/json";
        job.retry = RetrySchedule::parse(retry).value();
        queue_.push({.job = job, .at = at_}, [](const auto& stored) { EXPECT_TRUE(stored); });
        return job.id;
    }
    std::optional<JobView> view(const std::string& id)
    {
        const auto seen = await<JobView>([&](auto done) { store_.show(id, done); });
        return seen ? std::optional{*seen} : std::nullopt;
    }
    /// Whether the job's end, death or next attempt comes.
    bool becomes(const std::string& id, const std::function<bool(const JobView&)>& reached)
    {
        const auto end = std::chrono::steady_clock::now() + test::kTimeout;
        while (std::chrono::steady_clock::now() < end) {
            const auto seen = view(id);
            if (seen && reached(*seen)) {
                return true;
            }
            loop_.runUntil([] { return false; }, 5ms);
        }
        return false;
    }
    bool dies(const std::string& id)
    {
        return becomes(id, [](const auto& seen) { return seen.state == JobState::Dead; });
    }
    bool waitsAgain(const std::string& id)
    {
        return becomes(id, [](const auto& seen) {
            return seen.state == JobState::Scheduled && seen.attempt == 1;
        });
    }
    bool isDelivered(const std::string& id)
    {
        const auto end = std::chrono::steady_clock::now() + test::kTimeout;
        while (view(id)) {
            if (std::chrono::steady_clock::now() > end) {
                return false;
            }
            loop_.runUntil([] { return false; }, 5ms);
        }
        return true;
    }
    static HttpReceiver::Script saying(int status)
    {
        return [status](const auto&) { return HttpReply{.status = status}; };
    }

    SystemClock clock_;
    MemoryJobStore store_{loop_, clock_};
    DelayQueue queue_{store_, clock_, {}};
    DueWatcher due_{loop_, clock_, store_};
    LeaseReaper leaseReaper_{queue_, due_};
    std::shared_ptr<WebhookCourier> courier_;
    std::shared_ptr<Dispatcher> dispatcher_;
    std::optional<TimePoint> at_;
    int pushed_ = 0;
};

TEST_F(WebhookCourierTest, tellsTheHistoryOfEachAttempt)
{
    HttpReceiver receiver([](const auto& request) {
        return request.target == "/good?key=1"
                   ? HttpReply{.status = 200}
                   : HttpReply{.status = 500, .body = "out of\nmemory " + std::string(9'000, 'x')};
    });
    const auto courier = WebhookCourier::make(loop_, clock_, loopbackAllowed());
    const auto noteFor = [&](const std::string& url) {
        ClaimedJob claimed;
        claimed.job.id = "job";
        claimed.job.recipient = url;
        claimed.attempt = 3;
        std::optional<Outcome> outcome;
        courier->deliver({claimed}, [&](auto outcomes) { outcome = std::move(outcomes.front()); });
        EXPECT_TRUE(runUntil([&] { return outcome.has_value(); }));
        return outcome.value_or(Outcome{}).note;
    };
    const auto good = noteFor(receiver.url("/good?key=1"));
    EXPECT_THAT(good, testing::StartsWith("attempt 3: 20"));
    EXPECT_THAT(good, HasSubstr(" POST " + receiver.url("/good") + "?... 200 OK ("));
    const auto bad = noteFor(receiver.url("/bad"));
    EXPECT_THAT(bad, HasSubstr("/bad 500 Internal Server Error: out of memory xxx"));
    EXPECT_LT(bad.size(), 640U);
    EXPECT_THAT(noteFor("http://127.0.0.1:1/"), HasSubstr("(no answer, "));
    EXPECT_EQ(noteFor("gopher://h/"), "") << "nothing was sent";
}

TEST_F(WebhookCourierTest, postsAJobWithItsEnvelope)
{
    HttpReceiver receiver;
    auto settings = loopbackAllowed();
    settings.secrets = {"s3cret"};
    start(std::move(settings));
    const auto id = push(receiver.url("/hook?x=1"));
    ASSERT_TRUE(isDelivered(id));
    ASSERT_EQ(receiver.count(), 1U);
    const auto request = receiver.requests().front();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/hook?x=1");
    EXPECT_EQ(request.body, "{\"n\":1}");
    EXPECT_EQ(request.header("Content-Type"), "application/json");
    EXPECT_EQ(request.header("Restante-Id"), id);
    EXPECT_EQ(request.header("Restante-Attempt"), "1");
    EXPECT_EQ(request.header("Restante-Topic"), "hooks");
    const auto signature = request.header("Restante-Signature");
    const auto t = std::stoll(signature.substr(2));
    EXPECT_EQ(signature, restanteSignature({"s3cret"}, fromEpochMs(t * 1'000), request.body));
}

TEST_F(WebhookCourierTest, triesUntilTheReceiverAcknowledges)
{
    int asked = 0;
    HttpReceiver receiver(
        [&](const auto&) { return HttpReply{.status = ++asked < 4 ? 500 : 204}; });
    start();
    ASSERT_TRUE(isDelivered(push(receiver.url())));
    std::vector<std::string> attempts;
    for (const auto& request : receiver.requests()) {
        attempts.push_back(request.header("Restante-Attempt"));
    }
    EXPECT_THAT(attempts, testing::ElementsAre("1", "2", "3", "4"));
}

TEST_F(WebhookCourierTest, givesUpAfterTheLastInterval)
{
    HttpReceiver receiver(saying(404));
    start();
    const auto id = push(receiver.url());
    ASSERT_TRUE(dies(id));
    EXPECT_EQ(receiver.count(), 4U);
    EXPECT_EQ(view(id)->lastError, "404 from " + receiver.hostPort());
}

TEST_F(WebhookCourierTest, buriesAtOnceWhatIsRefusedForGood)
{
    for (const int status : {410, 422}) {
        HttpReceiver receiver(saying(status));
        start();
        const auto id = push(receiver.url());
        ASSERT_TRUE(dies(id));
        EXPECT_EQ(receiver.count(), 1U);
        EXPECT_EQ(view(id)->lastError, std::to_string(status) + " from " + receiver.hostPort());
    }
}

TEST_F(WebhookCourierTest, waitsAsLongAsTheReceiverAsks)
{
    HttpReceiver receiver([](const auto&) {
        return HttpReply{.status = 503, .headers = {{"Retry-After", "3600"}}};
    });
    start();
    const auto id = push(receiver.url());
    ASSERT_TRUE(waitsAgain(id));
    EXPECT_GT(view(id)->due, clock_.now() + 59min);
    EXPECT_LE(view(id)->due, clock_.now() + 60min);
}

TEST_F(WebhookCourierTest, saysWhyItWasNotDelivered)
{
    const std::vector<std::pair<Behaviour, std::string>> peers{
        {Behaviour::Hang, "no answer from"},
        {Behaviour::DripBody, "no answer from"},
        {Behaviour::HangUp, "hung up without an answer"},
        {Behaviour::CutShort, "hung up in the middle"},
        {Behaviour::NoHttp, "does not speak HTTP"},
    };
    for (const auto& [behaviour, reason] : peers) {
        const bool neverEnds = behaviour == Behaviour::Hang || behaviour == Behaviour::DripBody;
        auto settings = loopbackAllowed();
        settings.timeout = neverEnds ? 1'000ms : 5'000ms;
        start(std::move(settings));
        HttpReceiver receiver([m = behaviour](const auto&) { return HttpReply{.behaviour = m}; });
        const auto id = push(receiver.url(), "0s,1h");
        ASSERT_TRUE(waitsAgain(id)) << reason;
        EXPECT_THAT(view(id)->lastError, HasSubstr(reason));
    }
}

TEST_F(WebhookCourierTest, isContentWithA200ThatNeverEnds)
{
    HttpReceiver receiver([](const auto&) { return HttpReply{.behaviour = Behaviour::Endless}; });
    start();
    EXPECT_TRUE(isDelivered(push(receiver.url())));
}

TEST_F(WebhookCourierTest, sendsNothingToAnAddressThatIsNotAllowed)
{
    HttpReceiver receiver;
    start({});
    const auto id = push(receiver.url());
    ASSERT_TRUE(dies(id));
    EXPECT_EQ(view(id)->lastError, "not sent to " + receiver.hostPort() +
                                       ": 127.0.0.1 is a loopback address; webhook.allow can "
                                       "allow it");
    EXPECT_EQ(receiver.connections(), 0U);
}

TEST_F(WebhookCourierTest, sendsNothingToANameOfSuchAnAddressButTriesItAgain)
{
    HttpReceiver receiver;
    start({});
    const auto id = push(receiver.url("/", "localhost"), "0s,1h");
    ASSERT_TRUE(waitsAgain(id));
    EXPECT_THAT(view(id)->lastError, HasSubstr("loopback address"));
    EXPECT_EQ(receiver.connections(), 0U);
}

TEST_F(WebhookCourierTest, isNotLedAwayByARedirection)
{
    HttpReceiver secret;
    HttpReceiver receiver([&](const auto&) {
        return HttpReply{.status = 307, .headers = {{"Location", secret.url("/admin")}}};
    });
    start();
    const auto id = push(receiver.url(), "0s,1h");
    ASSERT_TRUE(waitsAgain(id));
    EXPECT_THAT(view(id)->lastError, HasSubstr("307"));
    EXPECT_EQ(secret.connections(), 0U);
}

TEST_F(WebhookCourierTest, sendsNoMoreToOneHostThanItsShare)
{
    HttpReceiver receiver([](const auto&) { return HttpReply{.delay = 10ms}; });
    auto settings = loopbackAllowed();
    settings.maxRequestsPerHost = 3;
    start(std::move(settings));
    std::vector<std::string> ids;
    for (int i = 0; i < 40; ++i) {
        ids.push_back(push(receiver.url()));
    }
    for (const auto& id : ids) {
        ASSERT_TRUE(isDelivered(id));
    }
    EXPECT_EQ(receiver.count(), 40U);
    EXPECT_LE(receiver.mostAtOnce(), 3U);
    EXPECT_LE(receiver.connections(), 3U);
}

TEST_F(WebhookCourierTest, doesNotLetASlowHostKeepTheOthersWaiting)
{
    HttpReceiver slow([](const auto&) { return HttpReply{.behaviour = Behaviour::Hang}; });
    HttpReceiver quick;
    auto settings = loopbackAllowed();
    settings.concurrency = 10;
    settings.maxRequestsPerHost = 2;
    settings.timeout = 1h;
    start(std::move(settings));
    const auto first = push(slow.url());
    for (int i = 0; i < 50; ++i) {
        push(slow.url());
    }
    EXPECT_TRUE(isDelivered(push(quick.url())));
    EXPECT_EQ(quick.count(), 1U);
    EXPECT_EQ(view(first)->state, JobState::Leased);
    EXPECT_LE(slow.mostAtOnce(), 2U);
}

TEST_F(WebhookCourierTest, putsJobsOfOneInstantIntoOnePost)
{
    HttpReceiver receiver;
    auto settings = loopbackAllowed();
    settings.groupsJobs = true;
    start(std::move(settings));
    at_ = clock_.now() + 200ms;
    std::set<std::string> ids;
    for (int i = 0; i < 5; ++i) {
        ids.insert(push(receiver.url()));
    }
    const auto elsewhere = push(receiver.url("/other"));
    for (const auto& id : ids) {
        ASSERT_TRUE(isDelivered(id));
    }
    ASSERT_TRUE(isDelivered(elsewhere));
    ASSERT_EQ(receiver.count(), 2U);
    for (const auto& request : receiver.requests()) {
        if (request.target == "/other") {
            EXPECT_EQ(request.header("Restante-Id"), elsewhere);
            continue;
        }
        EXPECT_EQ(request.header("Restante-Group"), "5");
        std::set<std::string> sent;
        for (const auto& one : nlohmann::json::parse(request.body)) {
            sent.insert(one.at("id"));
        }
        EXPECT_EQ(sent, ids);
    }
}

TEST_F(WebhookCourierTest, asksAgainForEachWhenAGroupIsRefused)
{
    HttpReceiver receiver([](const auto& request) {
        const bool isBad = request.body.find("\"n\":2") != std::string::npos ||
                           !request.header("Restante-Group").empty();
        return HttpReply{.status = isBad ? 422 : 200};
    });
    auto settings = loopbackAllowed();
    settings.groupsJobs = true;
    settings.maxRequestsPerHost = 1;
    start(std::move(settings));
    at_ = clock_.now() + 200ms;
    const auto good = push(receiver.url());
    const auto bad = push(receiver.url());
    const auto alsoGood = push(receiver.url());
    ASSERT_TRUE(dies(bad));
    EXPECT_TRUE(isDelivered(good));
    EXPECT_TRUE(isDelivered(alsoGood));
    EXPECT_EQ(receiver.count(), 4U);
}

TEST_F(WebhookCourierTest, groupsOnlyTheTopicsItIsToldTo)
{
    HttpReceiver receiver;
    auto settings = loopbackAllowed();
    settings.groupsJobs = true;
    settings.groupTopics = {"others"};
    start(std::move(settings));
    at_ = clock_.now() + 100ms;
    const auto one = push(receiver.url());
    const auto two = push(receiver.url());
    ASSERT_TRUE(isDelivered(one));
    ASSERT_TRUE(isDelivered(two));
    EXPECT_EQ(receiver.count(), 2U);
}

TEST_F(WebhookCourierTest, givesBackWhatIsNotSentWhenItStops)
{
    HttpReceiver receiver([](const auto&) { return HttpReply{.delay = 200ms}; });
    auto settings = loopbackAllowed();
    settings.maxRequestsPerHost = 1;
    start(std::move(settings));
    const auto first = push(receiver.url());
    const auto second = push(receiver.url());
    ASSERT_TRUE(becomes(second, [](const auto& seen) { return seen.state == JobState::Leased; }));
    bool drained = false;
    dispatcher_->drain([&] { drained = true; });
    EXPECT_TRUE(runUntil([&] { return drained; }));
    EXPECT_FALSE(view(first));
    EXPECT_EQ(view(second)->state, JobState::Ready);
    EXPECT_EQ(view(second)->attempt, 0U);
    EXPECT_EQ(receiver.count(), 1U);
}

}  // namespace
}  // namespace restante::delivery
