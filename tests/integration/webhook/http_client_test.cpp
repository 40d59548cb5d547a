#include "core/delivery/http_client.h"
#include "tests/support/eventually.h"
#include "tests/support/free_port.h"
#include "tests/support/http_receiver.h"
#include "tests/support/loop_fixture.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>

#include <memory>
#include <optional>

namespace restante::delivery {
namespace {

using namespace std::chrono_literals;
using test::HttpReceiver;
using test::HttpReply;
using Kind = HttpError::Kind;
using Behaviour = HttpReply::Behaviour;

class HttpClientTest : public test::LoopFixture {
protected:
    HttpResult sendBy(HttpClient& client, HttpRequest request)
    {
        auto result = std::make_shared<std::optional<HttpResult>>();
        client.send(std::move(request), [result](HttpResult told) { *result = std::move(told); });
        EXPECT_FALSE(result->has_value()) << "answered from inside the call";
        EXPECT_TRUE(runUntil([&] { return result->has_value(); }));
        return result->value_or(tl::unexpected(HttpError{Kind::Invalid, "test: no answer"}));
    }
    HttpResult send(HttpRequest request) { return sendBy(client_, std::move(request)); }
    HttpResult get(const std::string& url) { return send({.method = "GET", .url = url}); }

    static HttpReceiver::Script behaving(Behaviour behaviour)
    {
        return [behaviour](const auto&) { return HttpReply{.behaviour = behaviour}; };
    }
    static HttpClient::Settings loopbackAllowed()
    {
        return {.policy = AddressPolicy::allowing({"127.0.0.0/8"}).value()};
    }

    HttpClient client_{loop_, loopbackAllowed()};
};

TEST_F(HttpClientTest, sendsWhatItIsGivenAndTellsTheAnswer)
{
    HttpReceiver receiver([](const auto&) {
        return HttpReply{.status = 201, .headers = {{"X-Kept", " yes "}}, .body = "thanks"};
    });
    const std::string body{"a\0b\xff", 4};
    const auto answer = send({.url = receiver.url("/hook?x=1"),
                              .headers = {{"X-Sent", "1"}, {"X-Empty", ""}},
                              .body = body});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 201);
    EXPECT_EQ(answer->header("x-kept"), "yes");
    EXPECT_EQ(answer->body, "thanks");
    EXPECT_FALSE(answer->truncated);
    ASSERT_EQ(receiver.count(), 1U);
    const auto request = receiver.requests().front();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/hook?x=1");
    EXPECT_EQ(request.body, body);
    EXPECT_EQ(request.header("X-Sent"), "1");
    EXPECT_TRUE(request.headers.contains("x-empty"));
    EXPECT_FALSE(request.headers.contains("content-type"));
    EXPECT_FALSE(request.headers.contains("expect"));
    EXPECT_TRUE(request.header("User-Agent").starts_with("restante/"));
}

TEST_F(HttpClientTest, sendsAnEmptyBodyAsOne)
{
    HttpReceiver receiver;
    ASSERT_TRUE(send({.url = receiver.url()}));
    EXPECT_EQ(receiver.requests().front().header("Content-Length"), "0");
}

TEST_F(HttpClientTest, keepsTheConnectionForTheNextRequest)
{
    HttpReceiver receiver;
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(send({.url = receiver.url(), .body = "x"}));
    }
    EXPECT_EQ(receiver.count(), 5U);
    EXPECT_EQ(receiver.connections(), 1U);
}

TEST_F(HttpClientTest, sendsManyAtOnce)
{
    HttpReceiver receiver([](const auto&) { return HttpReply{.delay = 1'000ms}; });
    int answered = 0;
    for (int i = 0; i < 20; ++i) {
        client_.send({.url = receiver.url()},
                     [&](const auto& result) { answered += result ? 1 : 0; });
    }
    EXPECT_EQ(client_.inFlight(), 20U);
    EXPECT_TRUE(runUntil([&] { return answered == 20; }));
    EXPECT_GT(receiver.mostAtOnce(), 10U);
    EXPECT_EQ(client_.inFlight(), 0U);
}

TEST_F(HttpClientTest, opensNoMoreConnectionsToOneHostThanAllowed)
{
    HttpReceiver receiver([](const auto&) { return HttpReply{.delay = 20ms}; });
    auto settings = loopbackAllowed();
    settings.maxConnectionsPerHost = 2;
    HttpClient client(loop_, std::move(settings));
    int answered = 0;
    for (int i = 0; i < 10; ++i) {
        client.send({.url = receiver.url()},
                    [&](const auto& result) { answered += result ? 1 : 0; });
    }
    EXPECT_TRUE(runUntil([&] { return answered == 10; }));
    EXPECT_LE(receiver.mostAtOnce(), 2U);
}

TEST_F(HttpClientTest, followsNoRedirect)
{
    HttpReceiver secret;
    HttpReceiver receiver([&](const auto&) {
        return HttpReply{.status = 302, .headers = {{"Location", secret.url("/secret")}}};
    });
    const auto answer = get(receiver.url());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 302);
    EXPECT_EQ(secret.connections(), 0U);
}

TEST_F(HttpClientTest, asksNoProxyOfTheEnvironment)
{
    HttpReceiver proxy;
    HttpReceiver receiver;
    for (const char* name : {"http_proxy", "ALL_PROXY", "all_proxy"}) {
        ::setenv(name, proxy.url("").c_str(), 1);
    }
    const auto answer = get(receiver.url());
    for (const char* name : {"http_proxy", "ALL_PROXY", "all_proxy"}) {
        ::unsetenv(name);
    }
    EXPECT_TRUE(answer);
    EXPECT_EQ(proxy.connections(), 0U);
    EXPECT_EQ(receiver.count(), 1U);
}

TEST_F(HttpClientTest, cutsAnAnswerThatIsTooLong)
{
    HttpReceiver receiver(behaving(Behaviour::Endless));
    const auto answer = send({.url = receiver.url(), .answerLimit = 1'000});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body.size(), 1'000U);
    EXPECT_TRUE(answer->truncated);
}

TEST_F(HttpClientTest, givesUpOnHeadersWithoutEnd)
{
    HttpReceiver receiver(behaving(Behaviour::HugeHeader));
    const auto answer = get(receiver.url());
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, Kind::Broken);
}

TEST_F(HttpClientTest, givesUpOnAPeerThatDoesNotAnswerInTime)
{
    for (const auto behaviour : {Behaviour::Hang, Behaviour::DripBody}) {
        HttpReceiver receiver(behaving(behaviour));
        const auto answer = send({.url = receiver.url(), .timeout = 1s});
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().kind, Kind::Timeout);
        EXPECT_EQ(answer.error().message, "no answer from " + receiver.hostPort() + " within 1s");
    }
}

TEST_F(HttpClientTest, takesAnAnswerThatCameInTimeWhileItWasBusyItself)
{
    HttpReceiver receiver([](const auto&) { return HttpReply{.delay = 300ms}; });
    std::optional<HttpResult> result;
    client_.send({.url = receiver.url(), .timeout = 1s},
                 [&](HttpResult told) { result = std::move(told); });
    while (receiver.count() == 0) {
        loop_.runUntil([] { return false; }, 5ms);
    }
    ASSERT_FALSE(result);
    const auto end = std::chrono::steady_clock::now() + 1'200ms;
    while (std::chrono::steady_clock::now() < end) {
    }
    ASSERT_TRUE(runUntil([&] { return result.has_value(); }));
    ASSERT_TRUE(*result) << result->error().message;
    EXPECT_EQ((*result)->status, 200);
}

TEST_F(HttpClientTest, saysWhatTheProblemWithAPeerIs)
{
    const std::vector<std::pair<Behaviour, std::string>> peers{
        {Behaviour::HangUp, "hung up without an answer"},
        {Behaviour::CutShort, "hung up in the middle of its answer"},
        {Behaviour::NoHttp, "does not speak HTTP"},
    };
    for (const auto& [behaviour, message] : peers) {
        HttpReceiver receiver(behaving(behaviour));
        const auto answer = get(receiver.url());
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().kind, Kind::Broken);
        EXPECT_EQ(answer.error().message, receiver.hostPort() + " " + message);
    }
}

TEST_F(HttpClientTest, saysThatNobodyListens)
{
    const auto port = std::to_string(test::freePort());
    const auto answer = get("http://127.0.0.1:" + port + "/secret?token=1");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, Kind::Connect);
    EXPECT_EQ(answer.error().message,
              "cannot connect to 127.0.0.1:" + port + ": Connection refused");
}

TEST_F(HttpClientTest, saysThatANameHasNoAddress)
{
    const auto answer = get("http://nobody.invalid/");  // RFC 2606: never exists
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().kind, testing::AnyOf(Kind::Resolve, Kind::Timeout));
    EXPECT_THAT(answer.error().message, testing::HasSubstr("nobody.invalid"));
}

TEST_F(HttpClientTest, saysThatThePeerSpeaksNoTls)
{
    HttpReceiver receiver(behaving(Behaviour::NoHttp));
    const auto answer =
        send({.url = "https://" + receiver.hostPort() + "/", .connectTimeout = 300ms});
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().kind, testing::AnyOf(Kind::Tls, Kind::Timeout));
}

/// A TLS server with a certificate of its own making, for "localhost".
class TlsServer {
public:
    TlsServer()
    {
        const auto made =
            test::run({{"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                        "-keyout", file("key.pem"), "-out", certificate()},
                       {},
                       {}});
        EXPECT_EQ(made.status, 0) << made.errors;
        server_ = std::make_unique<test::Process>(test::Process::Command{
            {"openssl", "s_server", "-accept", "127.0.0.1:" + std::to_string(port_), "-cert",
             certificate(), "-key", file("key.pem"), "-www"},
            {},
            {}});
        EXPECT_TRUE(server_->waitForLine("ACCEPT"));
    }
    std::string url() const { return "https://localhost:" + std::to_string(port_) + "/"; }
    std::string certificate() const { return file("certificate.pem"); }

private:
    std::string file(const std::string& name) const { return directory_ / name; }

    test::TempDir directory_;
    std::uint16_t port_ = test::freePort();
    std::unique_ptr<test::Process> server_;
};

TEST_F(HttpClientTest, believesOnlyCertificatesThatItKnows)
{
    const TlsServer server;
    const auto policy = AddressPolicy::allowing({"localhost"}).value();
    HttpClient stranger(loop_, {.policy = policy});
    const auto refused = sendBy(stranger, {.method = "GET", .url = server.url()});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Kind::Tls);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("certificate"));
    HttpClient friendly(loop_, {.policy = policy, .caFile = server.certificate()});
    const auto answer = sendBy(friendly, {.method = "GET", .url = server.url()});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 200);
}

TEST_F(HttpClientTest, connectsToNoAddressThatIsNotAllowed)
{
    HttpReceiver receiver;
    HttpClient strict(loop_, {});
    for (const std::string host : {"127.0.0.1", "localhost", "0x7f.1", "2130706433", "127.1",
                                   "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0"}) {
        const auto answer = sendBy(strict, {.url = receiver.url("/", host)});
        ASSERT_FALSE(answer) << host;
        EXPECT_EQ(answer.error().kind, Kind::Refused) << host << ": " << answer.error().message;
        EXPECT_THAT(answer.error().message, testing::HasSubstr("webhook.allow"));
    }
    EXPECT_EQ(receiver.connections(), 0U);
}

TEST_F(HttpClientTest, reachesAHostThatIsAllowedByName)
{
    HttpReceiver receiver;
    HttpClient client(loop_, {.policy = AddressPolicy::allowing({"LocalHost"}).value()});
    EXPECT_TRUE(sendBy(client, {.url = receiver.url("/", "localhost")}));
    const auto other = sendBy(client, {.url = receiver.url()});
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().message, "not sent to " + receiver.hostPort() +
                                         ": 127.0.0.1 is a loopback address; webhook.allow can "
                                         "allow it");
}

TEST_F(HttpClientTest, refusesARequestThatIsWrong)
{
    const std::vector<HttpRequest> wrong{
        {.url = "ftp://127.0.0.1/"},
        {.url = "file:///etc/passwd"},
        {.url = "http://user:secret@127.0.0.1/"},
        {.method = "PO ST", .url = "http://127.0.0.1/"},
        {.url = "http://127.0.0.1/", .headers = {{"X", "1\r\nY: 2"}}},
        {.url = "http://127.0.0.1/", .headers = {{"X Y", "1"}}},
    };
    for (const auto& request : wrong) {
        const auto answer = send(request);
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().kind, Kind::Invalid);
    }
}

TEST_F(HttpClientTest, mayBeDestroyedByItsHandler)
{
    HttpReceiver receiver;
    auto client = std::make_unique<HttpClient>(loop_, loopbackAllowed());
    int told = 0;
    for (int i = 0; i < 3; ++i) {
        client->send({.url = receiver.url()}, [&](const auto&) {
            ++told;
            client.reset();
        });
    }
    EXPECT_TRUE(runUntil([&] { return told > 0; }));
    EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace restante::delivery
