#include "tests/integration/http/http_server_fixture.h"
#include "tests/support/eventually.h"
#include "tests/support/loop_fixture.h"

#include <gmock/gmock.h>

#include <sys/socket.h>

namespace restante::test {

using namespace std::chrono_literals;

namespace {

/// A server that waits for nobody longer than half a second.
class Patience : public HttpServerFixture {
protected:
    void serveShortly()
    {
        serve([](http::Server::Settings& settings) {
            settings.connection.request = 500ms;
            settings.connection.idle = 500ms;
            settings.connection.limits.body = 10'000'000;
        });
    }
    /// Sends a byte whenever the server has taken the last one, as long as it takes them.
    static bool isClosedWhileDripping(HttpClient& client)
    {
        return eventually([&] { return !client.send("x") || client.closedWithin(20ms); },
                          kPatience);
    }
    std::size_t parkedNow()
    {
        std::size_t count = 0;
        onLoop([&] { count = parked_.size(); });
        return count;
    }
    bool parks(std::size_t count)
    {
        return eventually([&] { return parkedNow() == count; }, kPatience);
    }
    int closedNow()
    {
        int count = 0;
        onLoop([&] { count = closed_; });
        return count;
    }
};

}  // namespace

TEST_F(Patience, closesWhoDripsAHeader)
{
    serveShortly();
    auto client = connect();
    client.send("GET /ok HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    EXPECT_TRUE(isClosedWhileDripping(client));
}

TEST_F(Patience, closesWhoDripsABody)
{
    serveShortly();
    auto client = connect();
    client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n");
    EXPECT_TRUE(isClosedWhileDripping(client));
}

TEST_F(Patience, tellsWhoIsTooSlowThatTheyWere)
{
    serveShortly();
    auto client = connect();
    client.send("GET /ok HTTP/1.1\r\n");
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 408);
}

TEST_F(Patience, closesWhoSaysNothing)
{
    serveShortly();
    auto silent = connect();
    auto idle = connect();
    EXPECT_EQ(idle.ask("GET", "/ok").status, 200);
    EXPECT_TRUE(silent.closedWithin(kPatience));
    EXPECT_TRUE(idle.closedWithin(kPatience));
}

TEST_F(Patience, closesWhoDoesNotReadTheAnswer)
{
    serveShortly();
    auto client = connect();
    client.send(HttpClient::request("POST", "/echo", std::string(9'000'000, 'x')));
    EXPECT_TRUE(eventually(
        [&] {
            std::size_t open = 1;
            onLoop([&] { open = server().connections(); });
            return open == 0;
        },
        kPatience));
}

TEST_F(Patience, doesNotHurryWhoIsServed)
{
    serveShortly();
    auto client = connect();
    client.send(HttpClient::request("POST", "/parked", "{}"));
    ASSERT_TRUE(parks(1));
    EXPECT_FALSE(client.closedWithin(1'200ms));
    onLoop([this] { parked_.front()->respond({}); });
    EXPECT_EQ(client.receive()->status, 200);
}

TEST_F(Patience, noticesThatAParkedClientHasGone)
{
    serve();
    {
        auto client = connect();
        client.send(HttpClient::request("POST", "/parked", "{}"));
        ASSERT_TRUE(parks(1));
    }
    EXPECT_TRUE(eventually([&] { return closedNow() == 1; }, kPatience));
    bool closed = false;
    onLoop([&] {
        closed = parked_.front()->closed();
        parked_.front()->respond({200, "text/plain", "a job", {}}, [this] { ++lost_; });
    });
    EXPECT_TRUE(closed);
    EXPECT_TRUE(eventually(
        [&] {
            int lost = 0;
            onLoop([&] { lost = lost_; });
            return lost == 1;
        },
        kPatience));
}

TEST_F(Patience, turnsAwayWhoIsOneTooMany)
{
    serve([](http::Server::Settings& settings) { settings.connections = 2; });
    auto first = connect();
    auto second = connect();
    EXPECT_EQ(first.ask("GET", "/ok").status, 200);
    EXPECT_EQ(second.ask("GET", "/ok").status, 200);
    auto third = connect();
    EXPECT_TRUE(third.closedWithin(kPatience));
    first.close();
    EXPECT_TRUE(
        eventually([this] { return connect().ask("GET", "/ok").status == 200; }, kPatience));
}

TEST_F(Patience, drainsWhatIsBeingServedAndNothingElse)
{
    serve();
    auto idle = connect();
    EXPECT_EQ(idle.ask("GET", "/ok").status, 200);
    auto busy = connect();
    busy.send(HttpClient::request("POST", "/parked", "{}"));
    ASSERT_TRUE(parks(1));
    bool drained = false;
    onLoop([&] { server().drain(10s, [&drained] { drained = true; }); });
    EXPECT_TRUE(idle.closedWithin(kPatience));
    EXPECT_THROW(connect(), std::runtime_error);
    onLoop([this] { parked_.front()->respond({}); });
    const auto answer = busy.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->header("Connection"), "close");
    busy.close();
    EXPECT_TRUE(eventually(
        [&] {
            bool done = false;
            onLoop([&] { done = drained; });
            return done;
        },
        kPatience));
}

TEST_F(Patience, leavesTheEndOfAStreamToWhoeverStreamsWhenItDrains)
{
    http::ExchangePtr streaming;
    router_.add({"GET", "/endless", http::Scope::Push, http::Dialect::V1,
                 [&streaming](const http::ExchangePtr& exchange) {
                     exchange->beginStream("text/plain");
                     exchange->send("half");
                     exchange->onClosed([&streaming] {
                         streaming->send(" and the reason");
                         streaming.reset();
                     });
                     streaming = exchange;
                 }});
    serve();
    auto client = connect();
    client.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_NE(client.receiveUntil("Transfer-Encoding: chunked"), "");
    onLoop([this] { server().drain(10s, [] {}); });
    EXPECT_NE(client.receiveUntil("half"), "");
    EXPECT_NE(client.receiveUntil(" and the reason"), "");
    EXPECT_NE(client.receiveUntil("0\r"), "");
    EXPECT_TRUE(client.closedWithin(kPatience));
}

TEST_F(Patience, isUntouchedByTwentyMegabytes)
{
    serve();
    auto client = connect();
    client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n");
    client.send(std::string(20'000'000, 'x'));
    const auto answer = client.receive();
    ASSERT_TRUE(answer) << "the refusal was lost with the connection";
    EXPECT_EQ(answer->status, 413);
    EXPECT_EQ(connect().ask("GET", "/ok").status, 200);
}

}  // namespace restante::test
