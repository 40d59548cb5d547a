#include "sipplugin/auth/nonce.h"

#include "core/base/crypto.h"
#include "core/base/encoding.h"
#include "core/base/text.h"

#include <fmt/format.h>

namespace restante::sip {

namespace {

constexpr std::size_t kTimeDigits = 12;  // of hex: milliseconds until the year 10889
constexpr std::size_t kRandomBytes = 8;  // two challenges of one millisecond differ
constexpr std::size_t kSealDigits = 32;  // 128 bits of the HMAC
constexpr std::size_t kFront = kTimeDigits + 2 * kRandomBytes;
/// Clocks of daemons on one Redis agree to far better than this.
constexpr Millis kMostClockSkew{10'000};

}  // namespace

std::string NonceIssuer::seal(std::string_view front, Scope scope) const
{
    // No address has a blank.
    const auto text = fmt::format("{}:{} {}", front, scope.source, scope.realm);
    return toHex(bytesOf(hmac(secret_, text))).substr(0, kSealDigits);
}

std::string NonceIssuer::make(Scope scope, TimePoint now) const
{
    const auto front = fmt::format("{:012x}{}", toEpochMs(now), randomHex(kRandomBytes));
    return front + seal(front, scope);
}

NonceIssuer::Judgement NonceIssuer::judge(std::string_view nonce, Scope scope, TimePoint now) const
{
    if (nonce.size() != kFront + kSealDigits ||
        !sameSecret(nonce.substr(kFront), seal(nonce.substr(0, kFront), scope))) {
        return {};
    }
    const auto made = fromEpochMs(leadingNumber<std::int64_t>(nonce.substr(0, kTimeDigits), 16));
    if (made > now + kMostClockSkew) {
        return {};
    }
    const auto left = std::chrono::duration_cast<Millis>(made + lifetime_ - now);
    return left > Millis{0} ? Judgement{Age::Fresh, left} : Judgement{Age::Stale, Millis{0}};
}

}  // namespace restante::sip
