#include "core/auth/digest_hash.h"

#include <array>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdexcept>
#include <strings.h>
#include <vector>

namespace restante::auth {

namespace {

std::string hexOf(const unsigned char* bytes, std::size_t count)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
        text += kDigits[bytes[i] >> 4U];
        text += kDigits[bytes[i] & 0xfU];
    }
    return text;
}

}  // namespace

std::string_view name(HashAlgorithm algorithm) noexcept
{
    return algorithm == HashAlgorithm::Sha256 ? "SHA-256" : "MD5";
}

std::optional<HashAlgorithm> hashAlgorithmNamed(std::string_view text) noexcept
{
    for (const auto one : {HashAlgorithm::Sha256, HashAlgorithm::Md5}) {
        const auto known = name(one);
        if (known.size() == text.size() &&
            strncasecmp(known.data(), text.data(), text.size()) == 0) {
            return one;
        }
    }
    return std::nullopt;
}

std::size_t hexLength(HashAlgorithm algorithm) noexcept
{
    return algorithm == HashAlgorithm::Sha256 ? 64 : 32;
}

std::string hexHash(HashAlgorithm algorithm, std::string_view text)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
    unsigned length = 0;
    const auto* function = algorithm == HashAlgorithm::Sha256 ? EVP_sha256() : EVP_md5();
    if (EVP_Digest(text.data(), text.size(), hash.data(), &length, function, nullptr) != 1) {
        throw std::runtime_error("OpenSSL refuses to compute " + std::string(name(algorithm)));
    }
    return hexOf(hash.data(), length);
}

std::string hexMac(std::string_view secret, std::string_view text)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
    unsigned length = 0;
    if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(),
             &length) == nullptr) {
        throw std::runtime_error("OpenSSL refuses to compute an HMAC");
    }
    return hexOf(mac.data(), length);
}

std::string randomHex(std::size_t bytes)
{
    std::vector<unsigned char> random(bytes);
    if (RAND_bytes(random.data(), static_cast<int>(bytes)) != 1) {
        throw std::runtime_error("the system gives no random numbers");
    }
    return hexOf(random.data(), bytes);
}

bool sameSecret(std::string_view one, std::string_view other) noexcept
{
    return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace restante::auth
