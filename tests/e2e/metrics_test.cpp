// What a real daemon says about itself on /metrics after it has done something of everything.

#include "core/base/metrics.h"
#include "tests/support/daemon_phones.h"
#include "tests/support/eventually.h"
#include "tests/support/http_client.h"
#include "tests/support/http_receiver.h"
#include "tests/support/prometheus_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace restante::test {
namespace {

using testing::IsEmpty;

/// A daemon with all that it can do, and a receiver that is webhook and SMS gateway in one.
class Metrics : public ::testing::Test {
protected:
    HttpAnswer ask(std::string_view method, std::string_view path, std::string_view body = {})
    {
        return HttpClient(daemon_.httpPort()).ask(method, path, body);
    }
    PrometheusText scrape()
    {
        auto page = PrometheusText::read(ask("GET", "/metrics").body);
        EXPECT_THAT(page.problems, IsEmpty());
        return page;
    }
    /// Not at once: couriers and the journal count on threads of their own.
    bool comes(const std::string& name, double least = 1)
    {
        return eventually([&] { return scrape().sum(name) >= least; });
    }

    void pushAndPop()
    {
        EXPECT_EQ(ask("POST", "/v1/jobs", R"({"topic":"order"})").status, 201);
        EXPECT_EQ(ask("POST", "/v1/topics/order/pop", "{}").status, 200);
        EXPECT_EQ(ask("POST", "/v1/topics/later/pause", "{}").status, 200);
        EXPECT_EQ(ask("POST", "/v1/jobs", R"({"topic":"later"})").status, 201);
    }
    void deliver()
    {
        EXPECT_EQ(ask("POST", "/v1/jobs",
                      R"({"topic":"hooks","channel":"webhook","body":"x","recipient":")" +
                          receiver_.url() + "\"}")
                      .status,
                  201);
        EXPECT_EQ(
            ask("POST", "/v1/jobs",
                R"({"topic":"texts","channel":"sms","body":"x","recipient":"+4917012345678"})")
                .status,
            201);
        ASSERT_TRUE(eventually([&] { return !reportTarget().empty(); }));
        EXPECT_EQ(ask("GET", reportTarget() + "&status=delivered").status, 204);
        EXPECT_EQ(phoneOf(daemon_, "alice").say(Daemon::aor("bob"), "Hello"), 202);
    }
    /// What the SMS gateway was told to call.
    std::string reportTarget() const
    {
        for (const auto& request : receiver_.requests()) {
            if (const auto at = request.body.find("/v1/sms/reports"); at != std::string::npos) {
                return request.body.substr(at);
            }
        }
        return {};
    }

    HttpReceiver receiver_;
    Daemon daemon_{
        {.set = {"webhook.allow=127.0.0.0/8", "journal.mode=async", "sms.gateway=template",
                 "sms.url=" + receiver_.url("/sms"), "sms.from=12345", "sms.body={report_url}",
                 "sms.content_type=text/plain", "sms.delivery_reports=phone"}}};
};

TEST_F(Metrics, areNotZeroAfterWhatTheyCountHasHappened)
{
    pushAndPop();
    deliver();
    HttpClient events(daemon_.httpPort());
    events.send(HttpClient::request("GET", "/v1/events"));
    ASSERT_FALSE(events.receiveUntil("retry").empty());
    HttpClient waiting(daemon_.httpPort());
    waiting.send(HttpClient::request("POST", "/v1/topics/empty/pop", R"({"wait":"1m"})"));

    // What only comes with trouble, is zero while all is well, or comes half a minute later.
    const std::set<std::string_view> rare{
        "restante_failed_operations_total", "restante_redis_reconnections_total",
        "restante_deliveries_in_flight",    "restante_journal_lag_entries",
        "restante_journal_lag_seconds",     "restante_store_recoveries_total",
        "restante_sweep_repairs_total",     "restante_sweep_unreadable",
        "restante_sweep_time_seconds",      "restante_journal_refused_total"};
    // Of what has to be configured: reg-event, logins and cold jobs have tests of their own.
    const std::set<std::string_view> elsewhere{
        "restante_cold_moved_in_total", "restante_cold_moved_out_total",
        "restante_sip_subscriptions", "restante_sip_subscriptions_refused_total",
        "restante_sip_logins_total"};
    for (const auto& metric : metrics::catalogue()) {
        const std::string name(metric.name);
        if (elsewhere.contains(name)) {
            continue;
        }
        EXPECT_TRUE(rare.contains(name) ? scrape().types.contains(name) : comes(name)) << name;
    }
    EXPECT_EQ(scrape().sum("restante_http_parked_pops"), 1);
    EXPECT_EQ(scrape().sum("restante_event_readers"), 1);
    EXPECT_EQ(scrape().sum("restante_topics_paused"), 1);
    events.close();
    waiting.close();
    EXPECT_TRUE(eventually([&] {
        const auto page = scrape();
        return page.sum("restante_http_parked_pops") == 0 &&
               page.sum("restante_event_readers") == 0 &&
               page.sum("restante_http_connections") == 1;
    }));
}

TEST(ColdMetrics, countTheJobsThatLeaveRedisAndComeBack)
{
    const Daemon daemon({.set = {"journal.mode=async", "queue.hot_horizon=10s"}});
    HttpClient client(daemon.httpPort());
    const auto sum = [&](const char* name) {
        return PrometheusText::read(client.ask("GET", "/metrics").body).sum(name);
    };
    const auto job = R"({"topic":"order","id":"leaves","delay":"5s"})";
    EXPECT_EQ(client.ask("POST", "/v1/jobs", job).status, 201);
    EXPECT_EQ(sum("restante_cold_moved_out_total"), 0);
    EXPECT_EQ(client.ask("PATCH", "/v1/jobs/leaves", R"({"delay":"1h"})").status, 200);
    EXPECT_TRUE(eventually([&] { return sum("restante_cold_moved_out_total") == 1; }));
    EXPECT_EQ(sum("restante_cold_moved_in_total"), 0);
    EXPECT_EQ(client.ask("POST", "/v1/jobs/leaves/run", "{}").status, 200);
    EXPECT_TRUE(eventually([&] { return sum("restante_cold_moved_in_total") == 1; }));
}

TEST_F(Metrics, tellTheRouteOfARequestAndHowItWasAnswered)
{
    ask("GET", "/v1/jobs/nobody");
    ask("GET", "/v1/jobs/else");
    ask("POST", "/v1/jobs", "{");
    ask("GET", "/made/up");
    ask("DELETE", "/healthz");
    const auto samples = scrape().samples;
    const auto count = [&](const std::string& labels) {
        const auto found = samples.find("restante_http_requests_total{" + labels + "}");
        return found == samples.end() ? 0.0 : found->second;
    };
    EXPECT_EQ(count(R"(route="GET /v1/jobs/{id}",status="4xx")"), 2);
    EXPECT_EQ(count(R"(route="POST /v1/jobs",status="4xx")"), 1);
    EXPECT_EQ(count(R"(route="other",status="4xx")"), 2);
}

TEST_F(Metrics, staySoundWhateverATopicIsCalled)
{
    for (const auto* topic : {R"(a\"b)", R"(c\\d)", "{}", "a=b", "#", "le=\\\"1\\\""}) {
        const auto body = std::string(R"({"topic":")") + topic + "\"}";
        EXPECT_EQ(ask("POST", "/v1/jobs", body).status, 201) << body;
    }
    EXPECT_EQ(scrape().sum("restante_backlog"), 6);
}

}  // namespace
}  // namespace restante::test
