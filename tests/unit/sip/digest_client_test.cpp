#include "core/auth/ha1.h"
#include "sipplugin/auth/digest.h"
#include "sipplugin/outbound/authenticating_sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::sip {
namespace {

using Answer = DigestClient::Answer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;

constexpr std::string_view kUri = "sip:bob@example.com";

Answer challenge(DigestClient& login, int status, const std::vector<std::string>& challenges)
{
    return login.handleChallenge({status, challenges});
}

std::string offer(const std::string& more)
{
    return "Digest realm=\"example.com\", nonce=\"n1\", " + more;
}

class Proxy : public ::testing::Test {
protected:
    std::string credentials()
    {
        const auto headers = login_.authorize("MESSAGE", kUri);
        return headers.size() == 1 ? headers.front().second : std::string{};
    }
    /// Whether the credentials are right, by the server's reckoning.
    static bool proves(const std::string& header)
    {
        const auto given = DigestFields::parse(header).and_then(&DigestCredentials::read).value();
        const auto ha1 = auth::ha1Of(given.algorithm, "restante", "example.com", "open\"sesame");
        return given.response == responseOf(given.algorithm, ha1,
                                            {"MESSAGE", kUri, given.nonce, given.nc, given.cnonce});
    }

    DigestClient login_{{"restante", "open\"sesame", {"example.com"}, {}}};
};

}  // namespace

TEST_F(Proxy, isToldNothingBeforeItAsks)
{
    EXPECT_THAT(login_.authorize("MESSAGE", kUri), IsEmpty());
}

TEST_F(Proxy, isAnsweredInTheFieldThatItsStatusAsksFor)
{
    EXPECT_EQ(challenge(login_, 407, {offer("qop=\"auth\"")}), Answer::Fresh);
    EXPECT_THAT(login_.authorize("MESSAGE", kUri), ElementsAre(Key("Proxy-Authorization")));
    EXPECT_EQ(challenge(login_, 401, {offer("qop=\"auth\"")}), Answer::Fresh);
    EXPECT_THAT(login_.authorize("MESSAGE", kUri),
                ElementsAre(Key("Authorization"), Key("Proxy-Authorization")));
}

TEST_F(Proxy, isAnsweredBySha256WhereverItStands)
{
    ASSERT_EQ(challenge(login_, 407,
                        {offer("algorithm=MD5, qop=\"auth\""),
                         offer("algorithm=SHA-256, qop=\"auth,auth-int\"")}),
              Answer::Fresh);
    const auto header = credentials();
    EXPECT_THAT(header, HasSubstr("algorithm=SHA-256"));
    EXPECT_TRUE(proves(header)) << header;
}

TEST_F(Proxy, isAnsweredByMd5WhenItKnowsNothingElse)
{
    ASSERT_EQ(challenge(login_, 407,
                        {offer("algorithm=SHA-512-256, qop=\"auth\""),
                         offer("qop=\"auth\", opaque=\"o\"")}),
              Answer::Fresh);
    const auto header = credentials();
    EXPECT_TRUE(proves(header)) << header;
    EXPECT_THAT(header, HasSubstr("opaque=\"o\""));
    EXPECT_THAT(header, Not(HasSubstr("algorithm"))) << "it named none";
}

TEST_F(Proxy, isAnsweredInTheOlderFormWhenItOffersNoQop)
{
    ASSERT_EQ(challenge(login_, 407, {offer("algorithm=MD5")}), Answer::Fresh);
    EXPECT_THAT(credentials(), Not(HasSubstr("nc=")));
}

TEST_F(Proxy, seesItsNonceAgainWithAGrowingCount)
{
    challenge(login_, 407, {offer("qop=\"auth\"")});
    EXPECT_THAT(credentials(), HasSubstr("nc=00000001"));
    EXPECT_THAT(credentials(), HasSubstr("nc=00000002"));
    challenge(login_, 407, {"Digest realm=\"example.com\", nonce=\"n2\", qop=\"auth\""});
    const auto header = credentials();
    EXPECT_THAT(header, HasSubstr("nonce=\"n2\""));
    EXPECT_THAT(header, HasSubstr("nc=00000001"));
}

TEST_F(Proxy, saysWhetherOnlyTheNonceWasTooOld)
{
    EXPECT_EQ(challenge(login_, 407, {offer("qop=\"auth\", stale=TRUE")}), Answer::Stale);
    EXPECT_EQ(challenge(login_, 407, {offer("qop=\"auth\", stale=false")}), Answer::Fresh);
}

TEST_F(Proxy, isNotAnsweredForAnotherRealmOrWhatNobodyCanRead)
{
    challenge(login_, 407, {offer("qop=\"auth\"")});
    for (const std::string bad : {"Digest realm=\"evil.example\", nonce=\"n\", qop=\"auth\"",
                                  "Basic realm=\"example.com\"", "Digest realm=\"example.com\"",
                                  "Digest realm=\"example.com\", nonce=\"n\", qop=\"auth-int\"",
                                  "Digest realm=\"example.com\", nonce=\"n\", algorithm=TEA",
                                  "Digest realm=\"example.com", ""}) {
        EXPECT_EQ(challenge(login_, 407, {bad}), Answer::None) << bad;
        EXPECT_THAT(login_.authorize("MESSAGE", kUri), IsEmpty()) << "nor is the old one used";
    }
    EXPECT_EQ(challenge(login_, 407, {}), Answer::None);
}

TEST(ProxyWithoutUser, isNeverAnswered)
{
    DigestClient login{{}};
    EXPECT_FALSE(login.enabled());
    EXPECT_EQ(challenge(login, 407, {"Digest realm=\"\", nonce=\"n\""}), Answer::None);
}

}  // namespace restante::sip
