#include "core/auth/ha1.h"
#include "sipplugin/auth/digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::sip {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kNonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v";
constexpr std::string_view kClientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";

std::string exampleResponse(HashAlgorithm algorithm)
{
    const auto ha1 = auth::ha1Of(algorithm, "Mufasa", "http-auth@example.org", "Circle of Life");
    return responseOf(algorithm, ha1, {"GET", "/dir/index.html", kNonce, "00000001", kClientNonce});
}

Result<DigestCredentials> credentialsIn(const std::string& header)
{
    return DigestFields::parse(header).and_then(&DigestCredentials::read);
}

const std::string kGood = "Digest username=\"bob\", realm=\"example.com\", nonce=\"abc\", "
                          "uri=\"sip:example.com\", response=\"" +
                          std::string(64, 'A') +
                          "\", algorithm=SHA-256, cnonce=\"xyz\", qop=auth, nc=0000000a";

std::string goodWithout(const std::string& name)
{
    auto header = kGood;
    const auto start = header.find(name + "=");
    const auto end = header.find(", ", start);
    header.erase(start, end == std::string::npos ? end : end + 2 - start);
    return header;
}

std::string goodWith(const std::string& old, const std::string& changed)
{
    auto header = kGood;
    return header.replace(header.find(old), old.size(), changed);
}

}  // namespace

TEST(Digest, computesTheResponsesOfTheExamplesInRfc7616)
{
    EXPECT_EQ(exampleResponse(HashAlgorithm::Sha256),
              "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1");
    EXPECT_EQ(exampleResponse(HashAlgorithm::Md5), "8ca523f5e9506fed4657c9700eebdbec");
}

TEST(Digest, computesTheOlderFormWithoutQop)
{
    // RFC 2069; the figures come from another implementation of MD5.
    const auto ha1 = auth::ha1Of(HashAlgorithm::Md5, "bob", "biloxi.com", "zanzibar");
    EXPECT_EQ(ha1, "12af60467a33e8518da5c68bbff12b11");
    EXPECT_EQ(
        responseOf(HashAlgorithm::Md5, ha1,
                   {"INVITE", "sip:bob@biloxi.com", "dcd98b7102dd2f0e8b11d0f600bfb0c093", "", ""}),
        "bf57e4e0d0bffc0fbaedce64d59add5e");
}

TEST(DigestCredentials, areReadWithTheirQuotesAndEscapesUndone)
{
    const auto read = credentialsIn(goodWith("\"bob\"", "\"b\\\"o\\\\b\""));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->user, "b\"o\\b");
    EXPECT_EQ(read->realm, "example.com");
    EXPECT_EQ(read->algorithm, HashAlgorithm::Sha256);
    EXPECT_EQ(read->nonceCount, 10U);
    EXPECT_EQ(read->nc, "0000000a");
    EXPECT_EQ(read->response, std::string(64, 'a'));
}

TEST(DigestCredentials, withoutAlgorithmAreMd5)
{
    EXPECT_FALSE(credentialsIn(goodWithout("algorithm"))) << "64 digits are none of MD5's";
    const auto read = credentialsIn("Digest username=b,realm=r,nonce=n,uri=\"sip:r\",cnonce=c,"
                                    "qop=\"auth\",nc=00000001,response=" +
                                    std::string(32, '0'));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->algorithm, HashAlgorithm::Md5);
}

TEST(DigestCredentials, nameTheFieldThatIsMissing)
{
    for (const std::string name :
         {"username", "realm", "nonce", "uri", "response", "cnonce", "nc"}) {
        const auto read = credentialsIn(goodWithout(name));
        ASSERT_FALSE(read) << name;
        EXPECT_THAT(read.error().message, HasSubstr(name + " is missing"));
    }
    EXPECT_THAT(credentialsIn(goodWithout("qop")).error().message, HasSubstr("qop"));
}

TEST(DigestCredentials, refuseWhatWasNeverOffered)
{
    EXPECT_FALSE(credentialsIn(goodWith("qop=auth", "qop=auth-int")));
    EXPECT_FALSE(credentialsIn(goodWith("SHA-256", "SHA-256-sess")));
    EXPECT_FALSE(credentialsIn(goodWith("SHA-256", "MD5")));
    EXPECT_FALSE(credentialsIn(kGood + ", userhash=true"));
    for (const auto* count : {"00000000", "1", "0000000g", "000000001", "-0000001"}) {
        EXPECT_FALSE(credentialsIn(goodWith("0000000a", count))) << count;
    }
}

TEST(DigestFields, refuseAnotherSchemeAndWhatCannotBeRead)
{
    for (const std::string& header :
         {std::string{"Basic Zm9v"}, std::string{"Digest"}, std::string{"DigestX a=b"},
          std::string{"Digest a"}, std::string{"Digest =b"}, std::string{"Digest a=\"b"},
          std::string{"Digest a=\"b\\"}, std::string{"Digest a=b c=d"},
          std::string{"Digest a=\"b\"\"c\""}, std::string{"Digest a=b, A=c"},
          std::string{"Digest a=\"b\x01\""}, "Digest a=" + std::string(4'096, '"'),
          "Digest " + std::string(4'096, '"')}) {
        EXPECT_FALSE(DigestFields::parse(header)) << header.substr(0, 40);
    }
}

TEST(DigestFields, refuseAFloodOfThem)
{
    std::string header = "Digest ";
    for (int i = 0; i < 100; ++i) {
        header += "x" + std::to_string(i) + "=1,";
    }
    EXPECT_FALSE(DigestFields::parse(header));
}

TEST(DigestFields, readWhatIsLegalButOdd)
{
    const auto fields = DigestFields::parse("dIgEsT\t ,a = \"1,2\" , ,B=\"\",c=x=");
    ASSERT_FALSE(fields) << "a token holds no =";
    const auto better = DigestFields::parse("dIgEsT\t ,a = \"1,2\" , ,B=\"\"");
    ASSERT_TRUE(better) << better.error().message;
    EXPECT_EQ(better->value("a"), "1,2");
    ASSERT_NE(better->find("b"), nullptr);
    EXPECT_EQ(better->value("b"), "");
    EXPECT_EQ(better->find("c"), nullptr);
}

}  // namespace restante::sip
