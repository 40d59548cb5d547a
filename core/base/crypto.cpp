#include "core/base/crypto.h"

#include "core/base/encoding.h"
#include "core/base/handle_deleter.h"
#include "core/base/text.h"

#include <memory>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdexcept>

namespace restante {

namespace {

using Context = std::unique_ptr<EVP_MD_CTX, HandleDeleter<EVP_MD_CTX_free>>;

/// A context that knows its algorithm. Each thread makes one: looking the algorithm up, as SHA256()
/// does, takes longer than a digest.
Context newSha256()
{
    Context context{EVP_MD_CTX_new()};
    if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
        throw std::runtime_error("OpenSSL refuses to compute SHA-256");
    }
    return context;
}

}  // namespace

std::string_view name(HashAlgorithm algorithm) noexcept
{
    return algorithm == HashAlgorithm::Sha256 ? "SHA-256" : "MD5";
}

std::optional<HashAlgorithm> hashAlgorithmNamed(std::string_view text) noexcept
{
    for (const auto one : {HashAlgorithm::Sha256, HashAlgorithm::Md5}) {
        if (equalIgnoringCase(name(one), text)) {
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
    if (algorithm == HashAlgorithm::Sha256) {
        return toHex(bytesOf(sha256(text)));
    }
    std::array<unsigned char, 16> hash{};
    if (EVP_Digest(text.data(), text.size(), hash.data(), nullptr, EVP_md5(), nullptr) != 1) {
        throw std::runtime_error("OpenSSL refuses to compute MD5");
    }
    return toHex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

Sha256 sha256(std::span<const std::string_view> texts, std::string_view separator)
{
    thread_local const auto context = newSha256();
    bool succeeded = EVP_DigestInit_ex(context.get(), nullptr, nullptr) == 1;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i > 0) {
            succeeded = succeeded &&
                        EVP_DigestUpdate(context.get(), separator.data(), separator.size()) == 1;
        }
        succeeded =
            succeeded && EVP_DigestUpdate(context.get(), texts[i].data(), texts[i].size()) == 1;
    }
    Sha256 digest{};
    if (!succeeded || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1) {
        throw std::runtime_error("OpenSSL refuses to compute SHA-256");
    }
    return digest;
}

Sha256 sha256(std::string_view text)
{
    return sha256({&text, 1}, {});
}

std::string_view bytesOf(const Sha256& digest) noexcept
{
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Sha256 hmac(std::string_view secret, std::string_view text)
{
    Sha256 code{};
    // No pointer at all means to OpenSSL "the secret of last time".
    const char* const key = secret.empty() ? "" : secret.data();
    if (HMAC(EVP_sha256(), key, static_cast<int>(secret.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), code.data(),
             nullptr) == nullptr) {
        throw std::runtime_error("OpenSSL refuses to compute an HMAC");
    }
    return code;
}

std::string randomHex(std::size_t bytes)
{
    std::string random(bytes, '\0');
    if (RAND_bytes(reinterpret_cast<unsigned char*>(random.data()), static_cast<int>(bytes)) != 1) {
        throw std::runtime_error("the system gives no random numbers");
    }
    return toHex(random);
}

bool sameSecret(std::string_view one, std::string_view other) noexcept
{
    return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace restante
