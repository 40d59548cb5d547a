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

class Gate : public HttpServerFixture {
protected:
    void serveWithTokens()
    {
        serve([](http::Server::Settings& settings) {
            settings.gate.tokens = http::Tokens::parse(kTokens, "tokens").value();
        });
    }
    int statusOf(const std::string& bytes) const { return answerTo(bytes).status; }
};

}  // namespace

TEST_F(Gate, knowsItsOwnNames)
{
    serve([](http::Server::Settings& settings) { settings.gate.hosts = {"queue.example"}; });
    const auto port = std::to_string(this->port());
    for (const auto& host : {std::string("localhost"), "LOCALHOST:" + port, "127.0.0.1:" + port,
                             std::string("127.0.0.1"), std::string("Queue.Example"),
                             std::string("queue.example:443")}) {
        EXPECT_EQ(statusOf(get("/ok", "", host)), 200) << host;
    }
}

TEST_F(Gate, refusesNamesThatAreNotItsOwn)
{
    serve();
    for (const auto* host :
         {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1", "[::2]",
          "localhost:x", "localhost:123456", "[::1", "a b"}) {
        EXPECT_EQ(statusOf(get("/ok", "", host)), 421) << host;
    }
}

TEST_F(Gate, refusesWebPagesOfOthers)
{
    serve();
    EXPECT_EQ(statusOf(get("/ok", "Origin: http://evil.example\r\n")), 403);
    EXPECT_EQ(statusOf(get("/ok", "Origin: null\r\n")), 403);
    EXPECT_EQ(statusOf(get("/ok", "Sec-Fetch-Site: cross-site\r\n")), 403);
    EXPECT_EQ(statusOf(get("/ok", "Origin: http://localhost:8080\r\n")), 200);
    EXPECT_EQ(statusOf(get("/ok", "Sec-Fetch-Site: none\r\n")), 200);
}

TEST_F(Gate, tellsUnknownPathsFromWrongMethods)
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

TEST_F(Gate, decodesWhatItTakesFromThePath)
{
    serve();
    EXPECT_EQ(connect().ask("GET", "/jobs/a%2Fb%20c").body, "a/b c");
}

TEST_F(Gate, speaksTheLanguageOfTheRoute)
{
    serveWithTokens();
    EXPECT_EQ(connect().ask("POST", "/classic").body,
              R"({"code":1,"message":"send a token: Authorization: Bearer SECRET","data":null})");
    const auto problem = connect().ask("GET", "/ok");
    EXPECT_EQ(problem.header("Content-Type"), "application/problem+json");
    EXPECT_THAT(problem.body, HasSubstr(R"("status":401)"));
}

TEST_F(Gate, keepsTheConnectionAfterARefusalWithoutABody)
{
    serve();
    auto client = connect();
    EXPECT_EQ(client.ask("GET", "/nowhere").status, 404);
    EXPECT_EQ(client.ask("GET", "/ok").status, 200);
}

TEST_F(Gate, asksForATokenAndChecksItsScope)
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

TEST_F(Gate, takesNewTokensWhileItServes)
{
    serveWithTokens();
    onLoop([this] {
        server().use(http::Tokens::parse("new admin 0123456789abcdef-newer", "tokens").value());
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
        {"a push 0123456789abcdef more", "f:1: write NAME"},
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
