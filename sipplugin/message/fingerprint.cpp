#include "sipplugin/message/fingerprint.h"

#include <algorithm>
#include <memory>
#include <new>
#include <openssl/evp.h>

namespace restante::sip {

namespace {

struct ContextReleaser {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, ContextReleaser>;

/// Looking the algorithm up, as SHA256() does, takes longer than a digest: so once a thread.
Context newContext()
{
    Context context{EVP_MD_CTX_new()};
    if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
        throw std::bad_alloc{};
    }
    return context;
}

}  // namespace

std::string Fingerprint::hex() const
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    out.reserve(2 * kSize);
    for (const auto byte : bytes_) {
        out.push_back(kDigits[byte >> 4]);
        out.push_back(kDigits[byte & 0xf]);
    }
    return out;
}

Fingerprint fingerprint(std::initializer_list<std::string_view> parts)
{
    thread_local const auto context = newContext();
    EVP_DigestInit_ex(context.get(), nullptr, nullptr);
    for (const auto& part : parts) {
        if (&part != parts.begin()) {
            EVP_DigestUpdate(context.get(), "\n", 1);
        }
        EVP_DigestUpdate(context.get(), part.data(), part.size());
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    EVP_DigestFinal_ex(context.get(), digest.data(), nullptr);
    Fingerprint::Bytes front{};
    std::copy_n(digest.begin(), front.size(), front.begin());
    return Fingerprint{front};
}

}  // namespace restante::sip
