#include "sipplugin/fingerprint.h"

#include <array>
#include <openssl/sha.h>

namespace restante::sip {

std::string fingerprint(std::string_view text)
{
    constexpr std::size_t kBytes = 16;
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
    std::string out;
    out.reserve(2 * kBytes);
    for (std::size_t i = 0; i < kBytes; ++i) {
        out.push_back(kDigits[digest[i] >> 4]);
        out.push_back(kDigits[digest[i] & 0xf]);
    }
    return out;
}

}  // namespace restante::sip
