#include "core/base/text.h"
#include "core/http/server/request_guard.h"
#include "tests/integration/http/http_server_fixture.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace restante::test {

using testing::HasSubstr;

namespace {

constexpr auto kTokens = "# who may what\n"
                         "shop push 0123456789abcdef-shop\n"
                         "worker push,pop 0123456789abcdef-worker\n"
                         "\n"
                         "0123456789abcdef-alone\n";

std::string
get(const std::string& path, const std::string& headers, const std::string& host = "localhost")
{
    return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "\r\n";
}

std::string bearer(const std::string& secret)
{
    return "Authorization: Bearer " + secret + "\r\n";
}

class RequestGuard : public HttpServerFixture {
protected:
    void serveWithTokens()
    {
        serve([](http::Server::Settings& settings) {
            settings.guard.tokens = http::Tokens::parse(kTokens, "tokens").value();
        });
    }
    int statusOf(const std::string& bytes) const { return answerTo(bytes).status; }
};

}  // namespace

TEST_F(RequestGuard, knowsItsOwnNames)
{
    serve([](http::Server::Settings& settings) { settings.guard.hosts = {"queue.example"}; });
    const auto port = std::to_string(this->port());
    for (const auto& host : {std::string("localhost"), "LOCALHOST:" + port, "127.0.0.1:" + port,
                             std::string("127.0.0.1"), std::string("Queue.Example"),
                             std::string("queue.example:443")}) {
        EXPECT_EQ(statusOf(get("/ok", "", host)), 200) << host;
    }
}

TEST_F(RequestGuard, refusesNamesThatAreNotItsOwn)
{
    serve();
    for (const auto* host :
         {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1", "[::2]",
          "localhost:x", "localhost:123456", "[::1", "a b"}) {
        EXPECT_EQ(statusOf(get("/ok", "", host)), 421) << host;
    }
}

TEST_F(RequestGuard, refusesWebPagesOfOthers)
{
    serve();
    EXPECT_EQ(statusOf(get("/ok", "Origin: http://evil.example\r\n")), 403);
    EXPECT_EQ(statusOf(get("/ok", "Origin: null\r\n")), 403);
    EXPECT_EQ(statusOf(get("/ok", "Sec-Fetch-Site: cross-site\r\n")), 403);
    EXPECT_EQ(statusOf(get("/ok", "Sec-Fetch-Site: none\r\n")), 200);
}

TEST_F(RequestGuard, comparesTheWholeOriginWithWhatWasAsked)
{
    serveWithTokens();
    const auto own = bearer("0123456789abcdef-shop");
    const auto at = "127.0.0.1:" + std::to_string(port());
    const auto of = [&](const std::string& origin, const std::string& host) {
        return statusOf(get("/ok", own + "Origin: " + origin + "\r\n", host));
    };
    EXPECT_EQ(of("http://" + at, at), 200);
    EXPECT_EQ(of("HTTP://LocalHost", "localhost:80"), 200);
    EXPECT_EQ(of("http://localhost:80", "localhost"), 200);
    EXPECT_EQ(of("http://[::1]:80", "[::1]"), 200);
    for (const auto& foreign :
         {"http://127.0.0.1:1", "http://127.0.0.1", "http://localhost", "https://127.0.0.1",
          "ftp://127.0.0.1", "127.0.0.1", "://", "http://", "file://"}) {
        EXPECT_EQ(of(foreign, at), 403) << foreign;
    }
    EXPECT_EQ(of("https://" + at, at), 403) << "this server has no TLS";
    EXPECT_EQ(of("http://" + at + "/path", at), 403);
    EXPECT_EQ(of("http://user@" + at, at), 403);
    EXPECT_EQ(statusOf(get("/ok", own + "Origin: http://localhost\r\nOrigin: http://evil\r\n")),
              403);
}

TEST_F(RequestGuard, believesAProxyThatTlsStoodInFrontOfIt)
{
    serve([](http::Server::Settings& settings) {
        settings.guard.tokens = http::Tokens::parse(kTokens, "tokens").value();
        settings.guard.hosts = {"queue.example"};
    });
    const auto own =
        bearer("0123456789abcdef-shop") + "Via: 1.1 proxy\r\nOrigin: https://queue.example\r\n";
    EXPECT_EQ(statusOf(get("/ok", own + "X-Forwarded-Proto: https\r\n", "queue.example")), 200);
    EXPECT_EQ(statusOf(get("/ok", own + "X-Forwarded-Proto: http\r\n", "queue.example")), 403);
    EXPECT_EQ(statusOf(get("/ok", own, "queue.example")), 403);
}

TEST_F(RequestGuard, refusesWhatAProxyBringsWhereNobodyNeedsAToken)
{
    serve();
    for (const auto* header :
         {"Forwarded: for=192.0.2.1", "X-Forwarded-For: 192.0.2.1", "x-forwarded-proto: https",
          "X-Forwarded-Host: localhost", "X-Real-IP: 192.0.2.1", "Via: 1.1 vegur"}) {
        const auto refused = answerTo(get("/ok", std::string(header) + "\r\n"));
        EXPECT_EQ(refused.status, 403) << header;
        EXPECT_THAT(refused.body, HasSubstr("http.token_file")) << header;
        EXPECT_EQ(statusOf(get("/open", std::string(header) + "\r\n")), 403) << header;
    }
    EXPECT_EQ(statusOf(get("/ok", "Viable: yes\r\nX-Forward: no\r\n")), 200);
}

TEST_F(RequestGuard, letsAProxyBringRequestsWithAToken)
{
    serveWithTokens();
    const std::string proxied = "Via: 1.1 proxy\r\nX-Forwarded-For: 192.0.2.1\r\n";
    EXPECT_EQ(statusOf(get("/ok", proxied + bearer("0123456789abcdef-shop"))), 200);
    EXPECT_EQ(statusOf(get("/ok", proxied)), 401);
    EXPECT_EQ(statusOf(get("/open", proxied)), 200);
}

TEST_F(RequestGuard, holdsEachRouteToItsOwnBodySize)
{
    router_.add({.method = "POST",
                 .pattern = "/small",
                 .scope = http::Scope::Push,
                 .dialect = http::Dialect::V1,
                 .handler =
                     [](const http::HttpCallPtr& call) {
                         call->respond({200, "text/plain", call->request().body, {}});
                     },
                 .bodyLimit = 10});
    serve();
    EXPECT_EQ(connect().ask("POST", "/small", "0123456789").status, 200);
    const auto longer = connect().ask("POST", "/small", "0123456789a");
    EXPECT_EQ(longer.status, 413);
    EXPECT_THAT(longer.body, HasSubstr("10 bytes"));
    const std::string chunked =
        "POST /small HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    EXPECT_EQ(statusOf(chunked + "a\r\n0123456789\r\n0\r\n\r\n"), 200);
    EXPECT_EQ(statusOf(chunked + "b\r\n0123456789a\r\n0\r\n\r\n"), 413);
    auto client = connect();
    EXPECT_EQ(client.ask("POST", "/small", "a").status, 200);
    EXPECT_EQ(client.ask("POST", "/echo", std::string(1'000, 'x')).status, 200)
        << "the next request has its own";
}

TEST_F(RequestGuard, tellsUnknownPathsFromWrongMethods)
{
    serve();
    EXPECT_EQ(statusOf(get("/nowhere", "")), 404);
    EXPECT_EQ(statusOf(get("/jobs/", "")), 404);
    const auto answer = connect().ask("DELETE", "/ok");
    EXPECT_EQ(answer.status, 405);
    EXPECT_EQ(answer.header("Allow"), "GET, HEAD, POST");
    EXPECT_EQ(connect().ask("HEAD", "/changes").status, 405);
    EXPECT_EQ(connect().ask("BREW", "/ok").status, 405);
}

TEST_F(RequestGuard, decodesWhatItTakesFromThePath)
{
    serve();
    EXPECT_EQ(connect().ask("GET", "/jobs/a%2Fb%20c").body, "a/b c");
}

TEST_F(RequestGuard, speaksTheLanguageOfTheRoute)
{
    serveWithTokens();
    EXPECT_EQ(connect().ask("POST", "/classic").body,
              R"({"code":1,"message":"send a token: Authorization: Bearer SECRET","data":null})");
    const auto problem = connect().ask("GET", "/ok");
    EXPECT_EQ(problem.header("Content-Type"), "application/problem+json");
    EXPECT_THAT(problem.body, HasSubstr(R"("status":401)"));
}

TEST_F(RequestGuard, keepsTheConnectionAfterARefusalWithoutABody)
{
    serve();
    auto client = connect();
    EXPECT_EQ(client.ask("GET", "/nowhere").status, 404);
    EXPECT_EQ(client.ask("GET", "/ok").status, 200);
}

TEST_F(RequestGuard, asksForATokenAndChecksItsScope)
{
    serveWithTokens();
    const auto none = answerTo(get("/ok", ""));
    EXPECT_EQ(none.status, 401);
    EXPECT_THAT(none.header("WWW-Authenticate"), HasSubstr("Bearer"));
    for (const auto* wrong : {"0123456789abcdef-shoq", "0123456789abcdef-sho", "x"}) {
        EXPECT_EQ(statusOf(get("/ok", bearer(wrong))), 401) << wrong;
    }
    EXPECT_EQ(statusOf(get("/ok", "Authorization: Basic c2hvcDpzaG9w\r\n")), 401);
    EXPECT_EQ(statusOf(get("/ok", "authorization: bearer 0123456789abcdef-shop\r\n")), 200);

    EXPECT_EQ(statusOf(get("/changes", bearer("0123456789abcdef-shop"))), 403);
    EXPECT_EQ(statusOf(get("/changes", bearer("0123456789abcdef-worker"))), 200);
    EXPECT_EQ(statusOf(get("/v1/admin", bearer("0123456789abcdef-worker"))), 403);
    EXPECT_EQ(statusOf(get("/v1/admin", bearer("0123456789abcdef-alone"))), 200);
    EXPECT_EQ(statusOf(get("/open", "")), 200);
}

TEST_F(RequestGuard, tellsAHandlerWhetherWhoeverAsksMayDoEverything)
{
    router_.add(
        {"GET", "/who", http::Scope::Pop, http::Dialect::V1, [](const http::HttpCallPtr& call) {
             call->respond({200, "text/plain", call->request().admin ? "admin" : "worker"});
         }});
    serveWithTokens();
    EXPECT_EQ(answerTo(get("/who", bearer("0123456789abcdef-worker"))).body, "worker");
    EXPECT_EQ(answerTo(get("/who", bearer("0123456789abcdef-alone"))).body, "admin");
}

TEST_F(RequestGuard, makesWhoeverTriesTokensWaitAndNobodyElse)
{
    serveWithTokens();
    const auto wrong = get("/ok", bearer("0123456789abcdef-guess"));
    std::vector<HttpClient> guessers;
    const auto begin = std::chrono::steady_clock::now();
    constexpr int kGuesses = http::FailureDelay::kUndelayedFailures + 6;
    for (int i = 0; i < kGuesses; ++i) {
        guessers.push_back(connect());
        guessers.back().send(wrong);
    }
    EXPECT_EQ(statusOf(get("/ok", bearer("0123456789abcdef-shop"))), 200);
    EXPECT_EQ(statusOf(get("/ok", "")), 401) << "without a token nothing was guessed";
    const auto meanwhile = std::chrono::steady_clock::now() - begin;
    for (auto& guesser : guessers) {
        EXPECT_EQ(guesser.receive().value_or(HttpAnswer{}).status, 401);
    }
    const auto all = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(all, 5 * http::FailureDelay::kDelayPerFailure);
    EXPECT_LT(meanwhile, all);
}

TEST(FailureDelay, answersAFewAtOnceThenTenASecondAndForgetsAfterwards)
{
    http::FailureDelay pace;
    http::FailureDelay::Moment now{std::chrono::hours{1}};
    for (int i = 0; i < http::FailureDelay::kUndelayedFailures; ++i) {
        EXPECT_EQ(pace.bookRefusal("192.0.2.1", now), Millis{0});
    }
    EXPECT_EQ(pace.bookRefusal("192.0.2.1", now), Millis{100});
    EXPECT_EQ(pace.bookRefusal("192.0.2.1", now), Millis{200});
    EXPECT_EQ(pace.bookRefusal("192.0.2.2", now), Millis{0});
    for (int i = 0; i < 1'000; ++i) {
        EXPECT_LE(pace.bookRefusal("192.0.2.1", now), http::FailureDelay::kLongestDelay);
    }
    now += http::FailureDelay::kLongestDelay + std::chrono::seconds{1};
    EXPECT_EQ(pace.bookRefusal("192.0.2.1", now), Millis{0});
}

TEST(FailureDelay, knowsNoMoreAddressesThanItHasRoomFor)
{
    http::FailureDelay pace;
    const http::FailureDelay::Moment now{std::chrono::hours{1}};
    for (int i = 0; i < 10'000; ++i) {
        EXPECT_EQ(pace.bookRefusal(std::to_string(i), now), Millis{0});
    }
    Millis last{0};
    for (int i = 10'000; i < 10'100; ++i) {
        last = pace.bookRefusal(std::to_string(i), now);
    }
    EXPECT_GT(last, Millis{0}) << "those who come later share one";
    EXPECT_EQ(pace.bookRefusal("0", now), Millis{0}) << "who was there before does not";
}

TEST(FailureDelay, isLoggedOnceASecond)
{
    http::FailureDelay pace;
    http::FailureDelay::Moment now{std::chrono::hours{1}};
    EXPECT_EQ(pace.countRefusalForLog(now), 1U);
    EXPECT_EQ(pace.countRefusalForLog(now), 0U);
    EXPECT_EQ(pace.countRefusalForLog(now), 0U);
    EXPECT_EQ(pace.countRefusalForLog(now + std::chrono::seconds{1}), 3U);
}

TEST(TokenGrant, matchesPatterns)
{
    EXPECT_TRUE(matchesPattern("order", "order"));
    EXPECT_FALSE(matchesPattern("order", "orders"));
    EXPECT_TRUE(matchesPattern("order.*", "order."));
    EXPECT_TRUE(matchesPattern("*.eu.*", "a.eu.b.eu.c"));
    EXPECT_FALSE(matchesPattern("*.eu", "a.eu.b"));
    EXPECT_TRUE(matchesPattern("*", ""));
    EXPECT_FALSE(matchesPattern("", "a"));
    EXPECT_TRUE(matchesPattern("a**b", "ab"));
    EXPECT_FALSE(matchesPattern("sip:*@shop.example", "sip:x@shop.example.evil"));
    EXPECT_FALSE(matchesPattern("*a*a*a*a*a*a*a*b", std::string(1'000, 'a')));
}

TEST_F(RequestGuard, takesNewTokensWhileItServes)
{
    serveWithTokens();
    onLoop([this] {
        server().setTokens(
            http::Tokens::parse("new admin 0123456789abcdef-newer", "tokens").value());
    });
    EXPECT_EQ(statusOf(get("/ok", bearer("0123456789abcdef-shop"))), 401);
    EXPECT_EQ(statusOf(get("/ok", bearer("0123456789abcdef-newer"))), 200);
}

TEST(Tokens, namesTheLineThatItDoesNotUnderstand)
{
    const std::pair<const char*, const char*> wrong[] = {
        {"a push short", "f:1: a secret has at least 16"},
        {"\na write 0123456789abcdef", "f:2: the scopes are"},
        {"a push", "f:1: write NAME"},
        {"a push 0123456789abcdef more", "f:1: behind the secret stand topics="},
        {"a push 0123456789abcdef topics=", "f:1: topics= names nothing"},
        {"a push 0123456789abcdef topics=a topics=b", "f:1: topics= is there twice"},
        {"a push 0123456789abcdef topics=a senders=b more", "f:1: write NAME"},
        {"a push,admin 0123456789abcdef topics=a", "f:1: the scope admin allows everything"},
        {"a push 0123456789abcdef\nb pop 0123456789abcdef", "f:2: this name or secret"},
        {"# nobody\n", "f has no token"},
        {"a push 0123456789abcd\xc3\xa4\xc3\xa4", "printable"},
    };
    for (const auto& [text, message] : wrong) {
        const auto tokens = http::Tokens::parse(text, "f");
        ASSERT_FALSE(tokens) << text;
        EXPECT_THAT(tokens.error().message, HasSubstr(message));
    }
}

TEST(Tokens, refusesAFileThatEverybodyMayRead)
{
    const TempDir directory;
    const auto file = directory / "tokens";
    std::ofstream(file) << kTokens;
    std::filesystem::permissions(file, std::filesystem::perms{0644});
    const auto refused = http::Tokens::read(file);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("chmod 600"));

    std::filesystem::permissions(file, std::filesystem::perms{0600});
    EXPECT_TRUE(http::Tokens::read(file));
    EXPECT_FALSE(http::Tokens::read(directory / "missing"));
}

}  // namespace restante::test
