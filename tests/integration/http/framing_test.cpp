#include "tests/integration/http/http_server_fixture.h"
#include "tests/support/eventually.h"
#include "tests/support/logged.h"
#include "tests/support/loop_fixture.h"

#include <gmock/gmock.h>

#include <ostream>

namespace restante::test {

namespace {

class Framing : public HttpServerFixture {
protected:
    Framing() { serve(); }
};

const std::string kPost = "POST /echo HTTP/1.1\r\nHost: localhost\r\n";

}  // namespace

TEST_F(Framing, answersOneRequestAfterTheOtherOnOneConnection)
{
    auto client = connect();
    EXPECT_EQ(client.ask("POST", "/echo", "first").body, "first");
    EXPECT_EQ(client.ask("POST", "/echo", "second").body, "second");
    EXPECT_EQ(client.ask("GET", "/ok").body, "ok");
}

TEST_F(Framing, answersPipelinedRequestsInTheirOrder)
{
    auto client = connect();
    std::string requests;
    for (int i = 0; i < 200; ++i) {
        requests += HttpClient::request("POST", "/echo", "number " + std::to_string(i));
    }
    ASSERT_TRUE(client.send(requests));
    for (int i = 0; i < 200; ++i) {
        const auto answer = client.receive();
        ASSERT_TRUE(answer);
        ASSERT_EQ(answer->body, "number " + std::to_string(i));
    }
}

TEST_F(Framing, takesAChunkedBody)
{
    const auto answer = answerTo(
        kPost + "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "hello world");
}

TEST_F(Framing, takesARequestThatComesByteByByte)
{
    auto client = connect();
    for (const char byte : HttpClient::request("POST", "/echo", "slowly")) {
        ASSERT_TRUE(client.send({&byte, 1}));
    }
    EXPECT_EQ(client.receive()->body, "slowly");
}

TEST_F(Framing, takesAnEmptyChunkedBodyByteByByte)
{
    auto client = connect();
    for (const char byte : kPost + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n") {
        ASSERT_TRUE(client.send({&byte, 1}));
    }
    EXPECT_EQ(client.receive()->status, 200);
}

TEST_F(Framing, saysContinueToWhoWaitsForIt)
{
    auto client = connect();
    client.send(kPost + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_THAT(client.receiveUntil("\r\n\r\n"), testing::StartsWith("HTTP/1.1 100 "));
    client.send("hi");
    EXPECT_EQ(client.receive()->body, "hi");
}

TEST_F(Framing, refusesAtOnceWhatIsTooLongInsteadOfSayingContinue)
{
    const auto answer =
        answerTo(kPost + "Content-Length: 20000000\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(answer.header("Connection"), "close");
}

TEST_F(Framing, answersARequestWhoseClientHasFinishedSending)
{
    auto client = connect();
    client.send(HttpClient::request("GET", "/ok"));
    client.finish();
    EXPECT_EQ(client.receive()->body, "ok");
    EXPECT_TRUE(client.closedWithin(kTimeout));
}

TEST_F(Framing, answersAllThatAClientHadSentWhenItFinishedSending)
{
    auto client = connect();
    client.send(HttpClient::request("POST", "/parked", "{}") +
                HttpClient::request("POST", "/echo", "second") +
                HttpClient::request("POST", "/echo", "third"));
    client.finish();
    ASSERT_TRUE(eventually(
        [this] {
            int closed = 0;
            onLoop([&] { closed = closed_; });
            return closed == 1;
        },
        kTimeout));
    onLoop([this] { parked_.front()->respond({200, "text/plain", "first", {}}); });
    for (const char* body : {"first", "second", "third"}) {
        EXPECT_EQ(client.receive().value_or(HttpAnswer{}).body, body);
    }
    EXPECT_TRUE(client.closedWithin(kTimeout));
}

TEST_F(Framing, closesWhenAskedTo)
{
    auto client = connect();
    client.send("GET /ok HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const auto answer = client.receive();
    EXPECT_EQ(answer->body, "ok");
    EXPECT_EQ(answer->header("Connection"), "close");
    EXPECT_TRUE(client.closedWithin(kTimeout));
}

TEST_F(Framing, takesAnAddressWithAHostInIt)
{
    EXPECT_EQ(answerTo("GET http://localhost/ok HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
}

TEST_F(Framing, answersHttp10AndClosesBehindIt)
{
    auto client = connect();
    client.send("GET /ok HTTP/1.0\r\n\r\n");
    EXPECT_EQ(client.receive()->body, "ok");
    EXPECT_TRUE(client.closedWithin(kTimeout));
}

TEST_F(Framing, tellsHttp10ThatTheConnectionStaysOpenAsItAsked)
{
    auto client = connect();
    client.send("GET /ok HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header("Connection"), "keep-alive");
    EXPECT_EQ(client.ask("GET", "/ok").header("Connection"), "") << "what HTTP/1.1 does anyway";
}

TEST_F(Framing, keepsTheLengthOfAnAnswerToHead)
{
    auto client = connect();
    const auto answer = client.ask("HEAD", "/ok");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("Content-Length"), "2");
    EXPECT_EQ(client.ask("GET", "/ok").body, "ok");
}

TEST_F(Framing, streamsInChunksAndGoesOn)
{
    auto client = connect();
    const auto answer = client.ask("GET", "/stream");
    EXPECT_EQ(answer.header("Content-Type"), "text/event-stream");
    EXPECT_EQ(answer.body, "onetwo");
    EXPECT_EQ(client.ask("GET", "/ok").body, "ok");
}

TEST_F(Framing, beginsNoStreamForARequestThatHasItsAnswer)
{
    const auto parks = [this](std::size_t wanted) {
        return eventually(
            [&] {
                std::size_t count = 0;
                onLoop([&] { count = parked_.size(); });
                return count == wanted;
            },
            kTimeout);
    };
    auto client = connect();
    client.send(HttpClient::request("POST", "/parked", "{}"));
    ASSERT_TRUE(parks(1));
    onLoop([this] { parked_[0]->respond({200, "text/plain", "first", {}}); });
    EXPECT_EQ(client.receive().value_or(HttpAnswer{}).body, "first");

    client.send(HttpClient::request("POST", "/parked", "{}"));
    ASSERT_TRUE(parks(2));
    bool begun = true;
    const auto lines = loggedBy([&] {
        onLoop([&] {
            begun = parked_[0]->beginStream("text/plain");
            parked_[0]->send("in place of the second");
        });
    });
    EXPECT_FALSE(begun);
    EXPECT_THAT(lines, testing::HasSubstr("POST /parked was answered twice"));
    onLoop([this] { parked_[1]->respond({200, "text/plain", "second", {}}); });
    EXPECT_EQ(client.receive().value_or(HttpAnswer{}).body, "second");
}

TEST_F(Framing, answers500ForAHandlerThatThrowsOrForgets)
{
    auto client = connect();
    EXPECT_EQ(client.ask("GET", "/throws").status, 500);
    EXPECT_EQ(client.ask("GET", "/forgets").status, 500);
    EXPECT_EQ(client.ask("GET", "/ok").status, 200);
}

struct BadRequest {
    std::string name;
    std::string bytes;
    int status = 400;
};

std::ostream& operator<<(std::ostream& out, const BadRequest& bad)
{
    return out << bad.name;
}

class StrictFraming : public HttpServerFixture, public testing::WithParamInterface<BadRequest> {
protected:
    StrictFraming() { serve(); }
};

TEST_P(StrictFraming, isRefusedAndTheConnectionClosed)
{
    auto client = connect();
    client.send(GetParam().bytes);
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, GetParam().status) << answer->body;
    EXPECT_EQ(answer->header("Connection"), "close");
    client.finish();
    EXPECT_TRUE(client.closedWithin(kTimeout));
    EXPECT_EQ(connect().ask("GET", "/ok").status, 200);
}

INSTANTIATE_TEST_SUITE_P(
    Requests,
    StrictFraming,
    testing::Values(
        BadRequest{"garbage", "\x16\x03\x01 this is not HTTP\r\n\r\n"},
        BadRequest{"lengthAndChunked",
                   kPost + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        BadRequest{"chunkedAndLength",
                   kPost + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"},
        BadRequest{"twoLengths", kPost + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi"},
        BadRequest{"listOfLengths", kPost + "Content-Length: 2, 2\r\n\r\nhi"},
        BadRequest{"negativeLength", kPost + "Content-Length: -1\r\n\r\n"},
        BadRequest{"plusLength", kPost + "Content-Length: +2\r\n\r\nhi"},
        BadRequest{"hugeLength", kPost + "Content-Length: 18446744073709551617\r\n\r\n"},
        BadRequest{"twoEncodings",
                   kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"},
        BadRequest{"otherEncoding", kPost + "Transfer-Encoding: gzip\r\n\r\n", 501},
        BadRequest{"encodedBeforeItIsChunked",
                   kPost + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
        BadRequest{"badChunkSize", kPost + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"},
        BadRequest{"negativeChunkSize", kPost + "Transfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n"},
        BadRequest{"hugeChunkSize",
                   kPost + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"},
        BadRequest{"chunkTooLong",
                   kPost + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi!!\r\n0\r\n\r\n"},
        BadRequest{"endlessChunkLine",
                   kPost + "Transfer-Encoding: chunked\r\n\r\n5;" + std::string(20'000, 'x')},
        BadRequest{"chunkedBodyTooLong", kPost + "Transfer-Encoding: chunked\r\n\r\nffffff\r\n",
                   413},
        BadRequest{"folded", kPost + "X-A: 1\r\n folded\r\n\r\n"},
        BadRequest{"bareLf", "GET /ok HTTP/1.1\nHost: localhost\n\n"},
        BadRequest{"nul", std::string("GET /ok HTTP/1.1\r\nHost: local\0host\r\n\r\n", 38)},
        BadRequest{"spaceBeforeColon", "GET /ok HTTP/1.1\r\nHost : localhost\r\n\r\n"},
        BadRequest{"noHost", "GET /ok HTTP/1.1\r\n\r\n"},
        BadRequest{"emptyHost", "GET /ok HTTP/1.1\r\nHost:\r\n\r\n"},
        BadRequest{"twoHosts", "GET /ok HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"},
        BadRequest{"brokenEscape", "GET /jobs/%zz HTTP/1.1\r\nHost: localhost\r\n\r\n"},
        BadRequest{"escapedNul", "GET /jobs/%00 HTTP/1.1\r\nHost: localhost\r\n\r\n"},
        BadRequest{"brokenQuery", "GET /ok?a=%2 HTTP/1.1\r\nHost: localhost\r\n\r\n"},
        BadRequest{"http2", "GET /ok HTTP/2.0\r\nHost: localhost\r\n\r\n", 505},
        BadRequest{"longHeader",
                   "GET /ok HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(17'000, 'x'), 431},
        BadRequest{"longAddress", "GET /" + std::string(17'000, 'x'), 431},
        BadRequest{"longBody", kPost + "Content-Length: 1000001\r\n\r\n", 413}),
    [](const auto& one) { return one.param.name; });

}  // namespace restante::test
