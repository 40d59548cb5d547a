// Digest authentication of whoever is not in sip.trusted.

#include "tests/integration/sip/inbound_server.h"
#include "tests/integration/sip/sip_client.h"
#include "tests/support/logged.h"
#include "tests/support/redis_server.h"
#include "tests/support/sip_login.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>

namespace restante::sip::test {
namespace {

using restante::test::challengeIn;
using restante::test::loggedBy;
using restante::test::parameterOf;
using restante::test::RedisServer;
using restante::test::SipLogin;
using restante::test::uniqueToken;
using ::testing::HasSubstr;
using ::testing::Not;

const SipLogin kAlicesLogin{"alice", "correct horse"};
const SipLogin kAlicesLoginByMd5{"alice", "correct horse", "MD5"};
const SipLogin kBobsLogin{"bob", "battery staple"};

/// A server that trusts nobody but knows alice and bob.
class Login : public ::testing::Test {
protected:
    static SipSettings strict()
    {
        auto settings = InboundServer::defaults();
        settings.trusted = {Network::parse("192.0.2.0/24").value()};
        return settings;
    }
    static std::filesystem::path usersIn(const std::filesystem::path& directory)
    {
        const auto file = directory / "users";
        std::ofstream(file) << kAlicesLogin.userLine("example.com") << "\n"
                            << kAlicesLoginByMd5.userLine("example.com") << "\n"
                            << kBobsLogin.userLine("example.com") << "\n";
        EXPECT_EQ(::chmod(file.c_str(), 0600), 0);
        return file;
    }

    void restart(const SipSettings& settings)
    {
        server_.reset();
        server_ = std::make_unique<InboundServer>(settings, usersIn(directory_.path()), redis_);
        socket_.moveTo(server_->at(SipTransport::Udp));
    }
    SipText message(const std::string& to = "sip:carol@example.com")
    {
        return messageOf(socket_, to, "hello");
    }
    SipText registration(const std::string& user)
    {
        auto request = requestOf(socket_, "REGISTER", "sip:example.com");
        request.set("To", "<sip:" + user + "@example.com>");
        request.set("From", "<sip:" + user + "@example.com>;tag=" + uniqueToken());
        request.set("Contact", "<sip:" + user + "@127.0.0.1:9>");
        return request;
    }
    /// The request, and once more with the answer to the challenge.
    SipText login(const SipLogin& who, const SipText& request)
    {
        const auto refusal = ask(socket_, request);
        EXPECT_EQ(refusal.status(), 401);
        return ask(socket_, who.repeated(request, refusal));
    }

    restante::test::TempDir directory_;
    const redis::RedisUrl redis_ = restante::test::sharedRedis().url();  ///< one for all servers
    std::unique_ptr<InboundServer> server_ =
        std::make_unique<InboundServer>(strict(), usersIn(directory_.path()), redis_);
    SipSocket socket_{server_->at(SipTransport::Udp)};
};

}  // namespace

TEST_F(Login, isAskedForWithSha256OnlyUnlessMd5IsAllowed)
{
    const auto refusal = ask(socket_, message());
    EXPECT_EQ(refusal.status(), 401);
    ASSERT_EQ(refusal.all("WWW-Authenticate").size(), 1U);
    const auto challenge = refusal.header("WWW-Authenticate");
    EXPECT_EQ(parameterOf(challenge, "realm"), "example.com");
    EXPECT_EQ(parameterOf(challenge, "algorithm"), "SHA-256");
    EXPECT_EQ(parameterOf(challenge, "qop"), "auth");
    EXPECT_THAT(challenge, Not(HasSubstr("stale")));

    auto settings = strict();
    settings.auth.md5 = true;
    restart(settings);
    const auto both = ask(socket_, message()).all("WWW-Authenticate");
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(parameterOf(both[0], "algorithm"), "SHA-256");
    EXPECT_EQ(parameterOf(both[1], "algorithm"), "MD5");
    EXPECT_EQ(login(kAlicesLoginByMd5, message()).status(), 202);
}

TEST_F(Login, storesTheMessageOfAUserWhoKnowsThePassword)
{
    EXPECT_EQ(login(kAlicesLogin, message()).status(), 202);
    ASSERT_EQ(server_->stored().size(), 1U);
}

TEST_F(Login, registersAUserWhoKnowsThePassword)
{
    EXPECT_EQ(login(kBobsLogin, registration("bob")).status(), 200);
    EXPECT_THAT(server_->registered(), ::testing::ElementsAre("sip:bob@example.com"));
}

TEST_F(Login, refusesAWrongPasswordAndAnUnknownUserAlike)
{
    const auto wrong = login({"alice", "wrong"}, message());
    auto unknown = message();
    unknown.set("From", "<sip:nobody@example.com>;tag=1");
    const auto nobody = login({"nobody", "wrong"}, unknown);
    EXPECT_EQ(wrong.status(), 401);
    EXPECT_EQ(nobody.status(), 401);
    EXPECT_EQ(wrong.header("Warning"), nobody.header("Warning"));
    EXPECT_EQ(wrong.startLine, nobody.startLine);
    EXPECT_EQ(parameterOf(wrong.header("WWW-Authenticate"), "stale"), "");
    EXPECT_EQ(parameterOf(nobody.header("WWW-Authenticate"), "stale"), "");
    EXPECT_TRUE(server_->stored().empty());
}

TEST_F(Login, doesNotLetAUserSpeakForAnother)
{
    EXPECT_EQ(login(kBobsLogin, message()).status(), 403) << "From is alice";
    EXPECT_EQ(login(kAlicesLogin, registration("bob")).status(), 403);
    EXPECT_TRUE(server_->stored().empty());
    EXPECT_TRUE(server_->registered().empty());
}

TEST_F(Login, isOfferedToOurOwnUsersOnly)
{
    for (const auto* from :
         {"<sip:alice@example.net>", "<sip:anonymous@anonymous.invalid>", "<tel:+12125550100>"}) {
        auto request = message();
        request.set("From", std::string(from) + ";tag=1");
        EXPECT_EQ(ask(socket_, request).status(), 403) << from;
    }
    for (const auto* method : {"OPTIONS", "INVITE", "SUBSCRIBE", "NOTIFY", "PUBLISH"}) {
        EXPECT_EQ(ask(socket_, requestOf(socket_, method, "sip:carol@example.com")).status(), 403)
            << method;
    }
}

TEST_F(Login, servesOneNonceForManyMessages)
{
    const auto first = message();
    const auto refusal = ask(socket_, first);
    for (unsigned count = 1; count <= 5; ++count) {
        const auto next = message();
        EXPECT_EQ(ask(socket_, kAlicesLogin.repeated(next, refusal, count)).status(), 202) << count;
    }
    EXPECT_EQ(server_->stored().size(), 5U);
}

TEST_F(Login, refusesAReplayWithANewNonceAndStoresNothing)
{
    const auto request = message();
    const auto good = kAlicesLogin.repeated(request, ask(socket_, request));
    ASSERT_EQ(ask(socket_, good).status(), 202);
    for (int i = 0; i < 50; ++i) {
        auto replay = messageOf(socket_, "sip:carol@example.com", "something else");
        replay.set("Authorization", good.header("Authorization"));
        const auto answer = ask(socket_, replay);
        EXPECT_EQ(answer.status(), 401);
        EXPECT_EQ(parameterOf(answer.header("WWW-Authenticate"), "stale"), "true");
    }
    EXPECT_EQ(server_->stored().size(), 1U);
}

TEST_F(Login, refusesTheReplayOfARegisterFromSomewhereElse)
{
    const auto request = registration("bob");
    const auto good = kBobsLogin.repeated(request, ask(socket_, request));
    ASSERT_EQ(ask(socket_, good).status(), 200);
    SipSocket thief{server_->at(SipTransport::Udp)};
    auto replay = good;
    replay.set("Via", thief.via("z9hG4bK" + uniqueToken()));
    EXPECT_EQ(ask(thief, replay).status(), 401);
    EXPECT_EQ(server_->registered().size(), 1U);
}

TEST_F(Login, refusesTheReplayOfARegisterWithAnotherContact)
{
    const auto request = registration("bob");
    const auto good = kBobsLogin.repeated(request, ask(socket_, request));
    ASSERT_EQ(ask(socket_, good).status(), 200);
    auto replay = good;
    replay.set("Via", socket_.via("z9hG4bK" + uniqueToken()));
    replay.set("Contact", "<sip:thief@192.0.2.66>");
    EXPECT_EQ(ask(socket_, replay).status(), 401);
    EXPECT_EQ(server_->registered().size(), 1U);
}

TEST_F(Login, believesThePathOfAnEdgeOnly)
{
    const auto throughAnEdge = [this] {
        auto request = registration("bob");
        request.headers.emplace_back("Path", "<sip:192.0.2.1;lr>");
        return login(kBobsLogin, request).all("Path");
    };
    EXPECT_TRUE(throughAnEdge().empty());
    auto settings = strict();
    settings.edges = {Network::parse("127.0.0.1").value()};
    restart(settings);
    EXPECT_EQ(throughAnEdge(), std::vector<std::string>{"<sip:192.0.2.1;lr>"});
}

TEST_F(Login, countsNoInventedNonceAgainstAnAddress)
{
    for (int i = 0; i < 40; ++i) {
        const auto request = message();
        auto refusal = ask(socket_, request);
        ASSERT_EQ(refusal.status(), 401);
        auto challenge = refusal.header("WWW-Authenticate");
        const auto nonce = parameterOf(challenge, "nonce");
        challenge.replace(challenge.find(nonce), nonce.size(), std::string(nonce.size(), 'f'));
        refusal.set("WWW-Authenticate", challenge);
        const SipLogin forger{"alice", "whatever"};
        ASSERT_EQ(ask(socket_, forger.repeated(request, refusal)).status(), 401) << i;
    }
    EXPECT_EQ(login(kAlicesLogin, message()).status(), 202);
}

TEST_F(Login, takesTheSameRequestOnceMoreAfterARestartAndFromAnotherDaemon)
{
    const auto request = message();
    const auto good = kAlicesLogin.repeated(request, ask(socket_, request));
    ASSERT_EQ(ask(socket_, good).status(), 202);
    restart(strict());
    EXPECT_EQ(ask(socket_, good).status(), 202) << "a retransmission that came to a new process";

    auto replay = messageOf(socket_, "sip:carol@example.com", "something else");
    replay.set("Authorization", good.header("Authorization"));
    EXPECT_EQ(ask(socket_, replay).status(), 401) << "the new process knows the count was used";

    const auto other = message();
    const auto refusal = ask(socket_, other);
    const InboundServer second{strict(), usersIn(directory_.path()), redis_};
    SipSocket there{second.at(SipTransport::Udp)};
    EXPECT_EQ(ask(there, kAlicesLogin.repeated(other, refusal)).status(), 202)
        << "a nonce of one daemon is good at the other";
}

TEST_F(Login, saysThatANonceIsStaleOnlyToWhoKnowsThePassword)
{
    auto settings = strict();
    settings.auth.nonceLifetime = Millis{0};
    restart(settings);
    const auto late = login(kAlicesLogin, message());
    EXPECT_EQ(late.status(), 401);
    EXPECT_EQ(parameterOf(late.header("WWW-Authenticate"), "stale"), "true");
    const auto wrong = login({"alice", "wrong"}, message());
    EXPECT_EQ(parameterOf(wrong.header("WWW-Authenticate"), "stale"), "");
    EXPECT_TRUE(server_->stored().empty());
}

TEST_F(Login, challengesAgainWhenTheNonceIsNoneOfOurs)
{
    auto refusal = ask(socket_, message());
    auto challenge = refusal.header("WWW-Authenticate");
    const auto nonce = parameterOf(challenge, "nonce");
    challenge.replace(challenge.find(nonce), nonce.size(), std::string(nonce.size(), 'f'));
    refusal.set("WWW-Authenticate", challenge);
    EXPECT_EQ(ask(socket_, kAlicesLogin.repeated(message(), refusal)).status(), 401);
    EXPECT_TRUE(server_->stored().empty());
}

TEST_F(Login, ignoresCredentialsOfAnotherRealm)
{
    const auto request = message();
    auto repeated = kAlicesLogin.repeated(request, ask(socket_, request));
    auto credentials = repeated.header("Authorization");
    credentials.replace(credentials.find("example.com"), 11, "example.org");
    repeated.set("Authorization", credentials);
    const auto answer = ask(socket_, repeated);
    EXPECT_EQ(answer.status(), 401);
    EXPECT_EQ(parameterOf(answer.header("WWW-Authenticate"), "realm"), "example.com");
}

TEST_F(Login, findsItsCredentialsAmongThoseForOthers)
{
    const auto request = message();
    auto repeated = kAlicesLogin.repeated(request, ask(socket_, request));
    const auto good = repeated.header("Authorization");
    repeated.set("Authorization", "Basic Zm9vOmJhcg==");
    repeated.headers.emplace_back("Authorization", "Digest realm=\"example.org\", username=\"x\"");
    repeated.headers.emplace_back("Authorization", good);
    EXPECT_EQ(ask(socket_, repeated).status(), 202);
}

TEST_F(Login, refusesCredentialsForAnotherRequestUri)
{
    const auto request = message("sip:dave@example.com");
    auto repeated = kAlicesLogin.repeated(request, ask(socket_, request));
    repeated.startLine = "MESSAGE sip:carol@example.com SIP/2.0";
    EXPECT_EQ(ask(socket_, repeated).status(), 400);
    EXPECT_TRUE(server_->stored().empty());
}

TEST_F(Login, refusesCredentialsThatCannotBeRead)
{
    const auto challenge = ask(socket_, message()).header("WWW-Authenticate");
    for (const auto& credentials :
         {"Digest realm=\"example.com\", username=" + std::string(4'096, '"'),
          std::string{"Digest realm=\"example.com\""}, "Digest " + std::string(4'096, '"'),
          "Digest realm=\"example.com\", nonce=\"" + parameterOf(challenge, "nonce") + "\"",
          std::string{"Digest realm=\"example.com\", realm=\"example.com\""}}) {
        auto request = message();
        request.set("Authorization", credentials);
        EXPECT_EQ(ask(socket_, request).status(), 400) << credentials.substr(0, 60);
    }
    EXPECT_EQ(login(kAlicesLogin, message()).status(), 202) << "and it is none the worse for it";
}

TEST_F(Login, stopsAnAddressThatGuessesPasswords)
{
    auto settings = strict();
    settings.auth.failures = 3;
    restart(settings);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(login({"alice", "guess " + std::to_string(i)}, message()).status(), 401);
    }
    const auto stopped = login(kAlicesLogin, message());
    EXPECT_EQ(stopped.status(), 403) << "even the right one";
    EXPECT_FALSE(stopped.header("Retry-After").empty());
    EXPECT_TRUE(server_->stored().empty());
}

TEST_F(Login, isLoggedWithTheReasonWhenNoNonceCanBeMade)
{
    const RedisServer store;
    store.send({"HSET", "rst:meta", "sip_secret", "damaged"});
    const InboundServer server{strict(), usersIn(directory_.path()), store.url()};
    socket_.moveTo(server.at(SipTransport::Udp));
    SipText answer;
    const auto lines = loggedBy([&] { answer = ask(socket_, message()); });
    EXPECT_EQ(answer.status(), 503);
    EXPECT_THAT(lines, HasSubstr("1 requests could not be authenticated, the last because: "
                                 "sip_secret in Redis is not 64 hexadecimal digits"));
}

TEST_F(Login, isLoggedWithTheReasonWhenTheUseOfItsNonceCannotBeKept)
{
    const RedisServer store;
    const InboundServer server{strict(), usersIn(directory_.path()), store.url()};
    socket_.moveTo(server.at(SipTransport::Udp));
    const auto request = message();
    const auto refusal = ask(socket_, request);
    const auto nonce = parameterOf(refusal.header("WWW-Authenticate"), "nonce");
    store.send({"SET", "rst:{s0}:sip_nonce:" + nonce, "no hash"});
    SipText answer;
    const auto lines =
        loggedBy([&] { answer = ask(socket_, kAlicesLogin.repeated(request, refusal)); });
    EXPECT_EQ(answer.status(), 500);
    EXPECT_THAT(lines, HasSubstr("1 requests could not be authenticated, the last because: "));
    EXPECT_THAT(lines, HasSubstr("WRONGTYPE"));
}

TEST_F(Login, isNotAskedOfTrustedAddresses)
{
    auto settings = strict();
    settings.trusted = {Network::parse("127.0.0.1").value()};
    restart(settings);
    EXPECT_EQ(ask(socket_, message()).status(), 202);
}

TEST_F(Login, tellsTheRecipientWhoTheSenderHasProvedToBeAndNothingElse)
{
    auto request = message();
    request.set("P-Asserted-Identity", "<sip:president@example.com>");
    request.set("P-Preferred-Identity", "<sip:president@example.com>");
    request.set("Privacy", "id");
    ASSERT_EQ(login(kAlicesLogin, request).status(), 202);
    const auto job = server_->stored().at(0);
    std::vector<std::string> asserted;
    for (const auto& [name, value] : job.headers) {
        EXPECT_THAT(value, Not(HasSubstr("president"))) << name;
        EXPECT_NE(name, "Privacy");
        EXPECT_NE(name, "Authorization");
        if (name == "P-Asserted-Identity") {
            asserted.push_back(value);
        }
    }
    EXPECT_THAT(asserted, ::testing::ElementsAre("<sip:alice@example.com>"));
}

TEST_F(Login, keepsNoPathOfAPhone)
{
    auto request = registration("bob");
    request.set("Path", "<sip:evil.example.net;lr>");
    ASSERT_EQ(login(kBobsLogin, request).status(), 200);
    std::vector<Binding> bindings;
    std::promise<void> looked;
    server_->onLoop([&] {
        server_->bindings().lookup("sip:bob@example.com", [&](const auto& found) {
            bindings = found.value();
            looked.set_value();
        });
    });
    looked.get_future().wait();
    ASSERT_FALSE(bindings.empty());
    for (const auto& binding : bindings) {
        EXPECT_TRUE(binding.path.empty());
    }
}

TEST_F(Login, withoutUsersIsForbiddenAsBefore)
{
    const InboundServer closed{strict()};
    SipSocket socket{closed.at(SipTransport::Udp)};
    const auto answer = ask(socket, messageOf(socket, "sip:carol@example.com", "hello"));
    EXPECT_EQ(answer.status(), 403);
    EXPECT_FALSE(answer.has("WWW-Authenticate"));
}

}  // namespace restante::sip::test
