#include "tests/integration/http/http_server_fixture.h"
#include "tests/support/eventually.h"
#include "tests/support/loop_fixture.h"

#include <gmock/gmock.h>

#include <ctime>
#include <future>
#include <sys/socket.h>

namespace restante::test {

using namespace std::chrono_literals;

namespace {

/// A server that waits for nobody longer than half a second.
class Timeouts : public HttpServerFixture {
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
        return eventually([&] { return !client.send("x") || client.closedWithin(20ms); }, kTimeout);
    }
    std::size_t parkedNow()
    {
        std::size_t count = 0;
        onLoop([&] { count = parked_.size(); });
        return count;
    }
    bool parks(std::size_t count)
    {
        return eventually([&] { return parkedNow() == count; }, kTimeout);
    }
    int closedNow()
    {
        int count = 0;
        onLoop([&] { count = closed_; });
        return count;
    }
    /// Does nothing else in this thread for that time.
    static void work(Millis time)
    {
        const auto end = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < end) {
        }
    }
    /// The processor's time that this thread has had.
    static std::chrono::nanoseconds threadTime()
    {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }
    /// A client whose request is parked and who has gone, which has been noticed.
    void parkAndGo()
    {
        {
            auto client = connect();
            client.send(HttpClient::request("POST", "/parked", "{}"));
            ASSERT_TRUE(parks(1));
        }
        ASSERT_TRUE(eventually([&] { return closedNow() == 1; }, kTimeout));
    }
};

}  // namespace

TEST_F(Timeouts, closesWhoDripsAHeader)
{
    serveShortly();
    auto client = connect();
    client.send("GET /ok HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    EXPECT_TRUE(isClosedWhileDripping(client));
}

TEST_F(Timeouts, closesWhoDripsABody)
{
    serveShortly();
    auto client = connect();
    client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n");
    EXPECT_TRUE(isClosedWhileDripping(client));
}

TEST_F(Timeouts, tellsWhoIsTooSlowThatTheyWere)
{
    serveShortly();
    auto client = connect();
    client.send("GET /ok HTTP/1.1\r\n");
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 408);
}

TEST_F(Timeouts, closesWhoSaysNothing)
{
    serveShortly();
    auto silent = connect();
    auto idle = connect();
    EXPECT_EQ(idle.ask("GET", "/ok").status, 200);
    EXPECT_TRUE(silent.closedWithin(kTimeout));
    EXPECT_TRUE(idle.closedWithin(kTimeout));
}

TEST_F(Timeouts, closesWhoDoesNotReadTheAnswer)
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
        kTimeout));
}

TEST_F(Timeouts, givesEachPartOfAStreamItsTime)
{
    constexpr int kParts = 12;  // far more in all than the sockets' buffers take
    router_.add(
        {"GET", "/long", http::Scope::Push, http::Dialect::V1, [](const http::HttpCallPtr& call) {
             std::string text;
             for (int i = 0; i < kParts; ++i) {
                 text += std::string(4'000'000, 'x') + "\npart " + std::to_string(i) + "\n";
             }
             if (call->beginStream("text/plain")) {
                 call->send(text);
                 call->endStream();
             }
         }});
    serve([](http::Server::Settings& settings) { settings.connection.request = 1s; });
    auto parked = connect();
    parked.send(HttpClient::request("POST", "/parked", "{}"));
    ASSERT_TRUE(parks(1));
    auto slow = connect();
    slow.send("GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (int i = 0; i < kParts; ++i) {
        ASSERT_NE(slow.receiveUntil("\npart " + std::to_string(i) + "\n"), "") << i;
        EXPECT_FALSE(parked.closedWithin(250ms));
    }
    EXPECT_NE(slow.receiveUntil("0\r"), "");
    onLoop([this] { parked_.front()->respond({}); });
}

TEST_F(Timeouts, blamesNoClientForTheTimeThatItWasBusyItself)
{
    constexpr auto kPatience = 1s;
    router_.add({"GET", "/laborious", http::Scope::Push, http::Dialect::V1,
                 [kPatience](const http::HttpCallPtr& call) {
                     call->beginStream("text/plain");
                     work(kPatience + 200ms);
                     call->send("the result\n");
                     call->endStream();
                 }});
    serve(
        [kPatience](http::Server::Settings& settings) { settings.connection.request = kPatience; });
    auto half = connect();
    const std::string body(30'000, 'x');  // more than one read takes
    half.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30000\r\n\r\n");
    auto client = connect();
    client.send("GET /laborious HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_NE(client.receiveUntil("Transfer-Encoding: chunked"), "");
    half.send(body);
    EXPECT_NE(client.receiveUntil("the result"), "");
    const auto answer = half.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, body);
}

TEST_F(Timeouts, blamesNoReaderForTheTimeThatItWasBusyItself)
{
    // More than the sockets' buffers take.
    const auto body = std::string(9'000'000, 'x') + "\nthe end\n";
    router_.add({"GET", "/large", http::Scope::Push, http::Dialect::V1,
                 [&body](const http::HttpCallPtr& call) {
                     call->respond({200, "text/plain", body, {}});
                 }});
    serve([](http::Server::Settings& settings) { settings.connection.request = 2s; });
    auto reader = connect();
    reader.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_NE(reader.receiveUntil("Content-Length"), "");
    onLoop([] { work(2'700ms); });
    EXPECT_NE(reader.receiveUntil("the end"), "");
}

TEST_F(Timeouts, givesNobodyMoreTimeForWhatBeganAfterItWasBusy)
{
    serveShortly();
    auto first = connect();
    EXPECT_EQ(first.ask("GET", "/ok").status, 200);
    std::promise<void> begun;
    auto busy = std::async(std::launch::async, [&] {
        onLoop([&begun] {
            begun.set_value();
            work(6s);
        });
    });
    begun.get_future().wait();
    auto client = connect();
    client.send("GET /ok HTTP/1.1\r\n");
    busy.get();
    const auto answer = client.receive(4s);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 408);
}

TEST_F(Timeouts, doesNotHurryWhoIsServed)
{
    serveShortly();
    auto client = connect();
    client.send(HttpClient::request("POST", "/parked", "{}"));
    ASSERT_TRUE(parks(1));
    EXPECT_FALSE(client.closedWithin(1'200ms));
    onLoop([this] { parked_.front()->respond({}); });
    EXPECT_EQ(client.receive()->status, 200);
}

TEST_F(Timeouts, noticesThatAParkedClientHasGone)
{
    serve();
    parkAndGo();
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
        kTimeout));
}

TEST_F(Timeouts, keepsNoConnectionOfWhoHasGoneBeforeTheStreamBegins)
{
    serve();
    parkAndGo();
    bool begun = true;
    std::size_t open = 1;
    onLoop([&] {
        begun = parked_.front()->beginStream("text/plain");
        parked_.clear();
        open = server().connections();
    });
    EXPECT_FALSE(begun);
    EXPECT_EQ(open, 0U);
}

TEST_F(Timeouts, turnsAwayWhoIsOneTooMany)
{
    serve([](http::Server::Settings& settings) {
        settings.ledger = std::make_shared<ConnectionLedger>(ConnectionLedger::Limits{2, 1'000});
    });
    auto first = connect();
    auto second = connect();
    EXPECT_EQ(first.ask("GET", "/ok").status, 200);
    EXPECT_EQ(second.ask("GET", "/ok").status, 200);
    auto third = connect();
    EXPECT_TRUE(third.closedWithin(kTimeout));
    first.close();
    EXPECT_TRUE(eventually([this] { return connect().ask("GET", "/ok").status == 200; }, kTimeout));
}

TEST_F(Timeouts, drainsWhatIsBeingServedAndNothingElse)
{
    serve();
    auto idle = connect();
    EXPECT_EQ(idle.ask("GET", "/ok").status, 200);
    auto busy = connect();
    busy.send(HttpClient::request("POST", "/parked", "{}"));
    ASSERT_TRUE(parks(1));
    bool drained = false;
    onLoop([&] { server().drain(10s, [&drained] { drained = true; }); });
    EXPECT_TRUE(idle.closedWithin(kTimeout));
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
        kTimeout));
}

TEST_F(Timeouts, leavesTheEndOfAStreamToWhoeverStreamsWhenItDrains)
{
    http::HttpCallPtr streaming;
    router_.add({"GET", "/endless", http::Scope::Push, http::Dialect::V1,
                 [&streaming](const http::HttpCallPtr& call) {
                     call->beginStream("text/plain");
                     call->send("half");
                     call->onClosed([&streaming] {
                         streaming->send(" and the reason");
                         streaming.reset();
                     });
                     streaming = call;
                 }});
    serve();
    auto client = connect();
    client.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_NE(client.receiveUntil("Transfer-Encoding: chunked"), "");
    onLoop([this] { server().drain(10s, [] {}); });
    EXPECT_NE(client.receiveUntil("half"), "");
    EXPECT_NE(client.receiveUntil(" and the reason"), "");
    EXPECT_NE(client.receiveUntil("0\r"), "");
    EXPECT_TRUE(client.closedWithin(kTimeout));
}

TEST_F(Timeouts, tellsWhoBeginsAStreamWhileItDrains)
{
    serve();
    auto client = connect();
    client.send(HttpClient::request("POST", "/parked", "{}"));
    ASSERT_TRUE(parks(1));
    onLoop([this] { server().drain(10s, [] {}); });
    onLoop([this] {
        const auto& call = parked_.front();
        EXPECT_TRUE(call->beginStream("text/plain"));
        call->send("half");
        call->onClosed([this] {
            parked_.front()->send(" and the reason");
            parked_.clear();
        });
    });
    EXPECT_NE(client.receiveUntil("half"), "");
    EXPECT_NE(client.receiveUntil(" and the reason"), "");
    EXPECT_NE(client.receiveUntil("0\r"), "");
    EXPECT_TRUE(client.closedWithin(kTimeout));
}

TEST_F(Timeouts, restsWhileNothingIsWantedOfWhatAClientDoes)
{
    serve();
    auto ahead = connect();
    ahead.send(HttpClient::request("POST", "/parked", "{}") + std::string(200'000, 'x'));
    auto finished = connect();
    finished.send(HttpClient::request("POST", "/parked", "{}"));
    finished.finish();
    ASSERT_TRUE(parks(2));
    std::promise<Millis> used;
    onLoop([&] {
        loop_.armTimer(300ms, [&, before = threadTime()] {
            used.set_value(std::chrono::duration_cast<Millis>(threadTime() - before));
        });
    });
    EXPECT_LT(used.get_future().get(), 100ms) << "it asks again and again for what it leaves";
    onLoop([this] { parked_.clear(); });
}

TEST_F(Timeouts, isUntouchedByTwentyMegabytes)
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
