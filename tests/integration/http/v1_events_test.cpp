#include "tests/integration/http/v1_fixture.h"
#include "tests/support/eventually.h"

#include <gmock/gmock.h>

namespace restante::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class V1Events : public V1Fixture {
protected:
    /// A reader that certainly hears what happens from now on.
    HttpClient listen(const std::string& query, const std::string& headers = {})
    {
        HttpClient client = connect();
        client.send("GET /v1/events" + query + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
                    "\r\n");
        EXPECT_THAT(client.receiveUntil("retry: 1000"), HasSubstr("text/event-stream"));
        return client;
    }
    /// What happens until a reader that does not read is dropped.
    void expectTheLazyReaderToBeDropped()
    {
        auto lazy = listen("");
        const std::string why(1'000, 'x');
        json orders = json::array();
        for (int i = 0; i < 500; ++i) {
            orders.push_back({{"topic", "order"}, {"id", std::to_string(i)}, {"delay", "1h"}});
        }
        ASSERT_EQ(ask("POST", "/v1/jobs", orders).status, 201);
        const auto readers = [this] {
            const auto text = get("/metrics").raw.body;
            const auto at = text.find("\nrestante_event_readers ");
            return at == std::string::npos ? std::string() : text.substr(at + 24, 1);
        };
        EXPECT_EQ(readers(), "1");
        // Far more than the socket's buffers and the bound: each turn moves 500 jobs twice, with a
        // long reason.
        EXPECT_TRUE(eventually(
            [&] {
                ask("DELETE", "/v1/jobs?all=true&reason=" + why);
                ask("POST", "/v1/jobs/restore?all=true&reason=" + why);
                return readers() == "0";
            },
            Millis{50'000}));
        EXPECT_EQ(get("/healthz").status, 200);
    }
    static std::string idIn(const std::string& events)
    {
        const auto begin = events.rfind("id: ") + 4;
        return events.substr(begin, events.find('\n', begin) - begin);
    }
};

TEST_F(V1Events, tellWhatHappensToAJob)
{
    auto reader = listen("");
    push({{"id", "a"}});
    const auto pushed = reader.receiveUntil("\"push\"");
    EXPECT_THAT(pushed, HasSubstr("event: push\ndata: {"));
    EXPECT_THAT(pushed, HasSubstr("\"id\":\"a\""));
    pop();
    EXPECT_THAT(reader.receiveUntil("\"claim\""), HasSubstr("event: claim"));
    ask("DELETE", "/v1/jobs/a?reason=wrong+number");
    const auto trashed = reader.receiveUntil("\"why\"");
    EXPECT_THAT(trashed, HasSubstr("\"why\":\"wrong number\""));
    EXPECT_THAT(trashed, HasSubstr("\"by\":"));
}

TEST_F(V1Events, areNarrowedByTopicTransitionAndJob)
{
    auto byTopic = listen("?topic=invoice");
    auto byTransition = listen("?transition=trash");
    auto byId = listen("?id=c");
    push({{"id", "a"}});
    push({{"id", "b"}, {"topic", "invoice"}});
    push({{"id", "c"}});
    ask("DELETE", "/v1/jobs/a");
    const auto invoice = byTopic.receiveUntil("\"id\":\"b\"");
    EXPECT_THAT(invoice, HasSubstr("\"topic\":\"invoice\""));
    EXPECT_THAT(invoice, Not(HasSubstr("\"id\":\"a\"")));
    EXPECT_THAT(byTransition.receiveUntil("\"id\":\"a\""), Not(HasSubstr("push")));
    EXPECT_THAT(byId.receiveUntil("\"id\":\"c\""), Not(HasSubstr("\"id\":\"b\"")));
}

TEST_F(V1Events, areNarrowedByTheTopicThatAnIdHasNow)
{
    auto byTopic = listen("?topic=invoice");
    push({{"id", "a"}});
    push({{"id", "b"}, {"topic", "invoice"}});
    byTopic.receiveUntil("\"id\":\"b\"");  // so that the topic of "a" is known
    push({{"id", "a"}, {"topic", "invoice"}, {"replace", true}});
    EXPECT_THAT(byTopic.receiveUntil("\"id\":\"a\""), HasSubstr("\"topic\":\"invoice\""));
    push({{"id", "b"}, {"replace", true}});
    push({{"id", "c"}, {"topic", "invoice"}});
    EXPECT_THAT(byTopic.receiveUntil("\"id\":\"c\""), Not(HasSubstr("\"id\":\"b\"")));
}

TEST_F(V1Events, goOnBehindTheLastOneThatTheClientHeard)
{
    std::string last;
    {
        auto reader = listen("");
        push({{"id", "a"}});
        last = idIn(reader.receiveUntil("\"id\":\"a\""));  // its id comes before it
    }
    push({{"id", "b"}});
    auto again = listen("", "Last-Event-ID: " + last + "\r\n");
    const auto missed = again.receiveUntil("\"id\":\"b\"");
    EXPECT_THAT(missed, HasSubstr("\"id\":\"b\""));
    EXPECT_THAT(missed, Not(HasSubstr("\"id\":\"a\"")));
    auto all = listen("?from=0");
    EXPECT_THAT(all.receiveUntil("\"id\":\"b\""), HasSubstr("\"id\":\"a\""));
}

TEST_F(V1Events, sayWhenWhatCameInBetweenIsNotKeptAnyMore)
{
    onLoop([this] { services_->heartbeatInterval = Millis{50}; });
    std::string last;
    {
        auto reader = listen("");
        push({{"id", "a"}});
        last = idIn(reader.receiveUntil("\"id\":\"a\""));
    }
    EXPECT_THAT(listen("", "Last-Event-ID: " + last + "\r\n").receiveUntil(": still here"),
                Not(HasSubstr("missed")));
    push({{"id", "b"}});
    for (const auto* shard : {"0", "1"}) {
        redis_.send({"XTRIM", std::string("rst:{s") + shard + "}:events", "MAXLEN", "0"});
    }
    for (int i = 0; i < 20; ++i) {
        push({{"id", "c" + std::to_string(i)}});  // in both shards
    }
    auto again = listen("", "Last-Event-ID: " + last + "\r\n");
    EXPECT_THAT(again.receiveUntil("read the jobs anew"), HasSubstr("event: missed\ndata: {"));
}

TEST_F(V1Events, refusePositionsAndParametersThatMeanNothing)
{
    expectProblem(get("/v1/events?from=yesterday"), 400, "from");
    expectProblem(get("/v1/events?from=1-1"), 400, "from");
    expectProblem(get("/v1/events?topic="), 400, "topic");
    expectProblem(get("/v1/events?colour=red"), 400, "colour");
}

TEST_F(V1Events, dropAReaderThatDoesNotRead)
{
    expectTheLazyReaderToBeDropped();
}

TEST_F(V1Events, dropAReaderAtAHeartBeat)
{
    // So often that one comes between the events that are too much and the next.
    onLoop([this] { services_->heartbeatInterval = Millis{1}; });
    expectTheLazyReaderToBeDropped();
}

}  // namespace
}  // namespace restante::test
