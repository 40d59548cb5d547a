#include "core/base/crypto.h"
#include "core/base/encoding.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace restante {

TEST(Crypto, hashesAsTheStandardsSay)
{
    // FIPS 180-4 (examples), RFC 1321 section A.5.
    EXPECT_EQ(hexHash(HashAlgorithm::Sha256, "abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hexHash(HashAlgorithm::Sha256, ""),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hexHash(HashAlgorithm::Md5, "abc"), "900150983cd24fb0d6963f7d28e17f72");
    EXPECT_EQ(hexHash(HashAlgorithm::Md5, ""), "d41d8cd98f00b204e9800998ecf8427e");
    EXPECT_EQ(hexLength(HashAlgorithm::Sha256), 64U);
    EXPECT_EQ(hexLength(HashAlgorithm::Md5), 32U);
}

TEST(Crypto, hashesTextsAsOne)
{
    const std::string_view texts[]{"a", "", "c"};
    EXPECT_EQ(sha256(texts, "\n"), sha256("a\n\nc"));
    EXPECT_EQ(sha256(texts, ""), sha256("ac"));
    EXPECT_EQ(sha256({}, "\n"), sha256(""));
    EXPECT_NE(sha256("a"), sha256("b"));
}

TEST(Crypto, namesItsHashesWithoutCase)
{
    EXPECT_EQ(hashAlgorithmNamed("sha-256"), HashAlgorithm::Sha256);
    EXPECT_EQ(hashAlgorithmNamed("MD5"), HashAlgorithm::Md5);
    EXPECT_FALSE(hashAlgorithmNamed("MD5-sess"));
    EXPECT_FALSE(hashAlgorithmNamed(""));
}

TEST(Crypto, signsAsRfc4231Says)
{
    EXPECT_EQ(toHex(bytesOf(hmac("Jefe", "what do ya want for nothing?"))),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(toHex(bytesOf(hmac("", ""))),
              "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
    EXPECT_EQ(hmac({}, {}), hmac("", ""));
}

TEST(Crypto, makesRandomBytesThatDiffer)
{
    std::set<std::string> made;
    for (int i = 0; i < 100; ++i) {
        const auto text = randomHex(16);
        EXPECT_EQ(text.size(), 32U);
        EXPECT_TRUE(isHex(text)) << text;
        made.insert(text);
    }
    EXPECT_EQ(made.size(), 100U);
    EXPECT_EQ(randomHex(0), "");
}

TEST(Crypto, comparesSecrets)
{
    EXPECT_TRUE(sameSecret("", ""));
    EXPECT_TRUE(sameSecret("abc", "abc"));
    EXPECT_FALSE(sameSecret("abc", "abd"));
    EXPECT_FALSE(sameSecret("abc", "ab"));
    EXPECT_FALSE(sameSecret("abc", "ABC"));
    EXPECT_FALSE(sameSecret(std::string("a\0b", 3), std::string("a\0c", 3)));
}

}  // namespace restante
