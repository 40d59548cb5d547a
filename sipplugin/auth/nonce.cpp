#include "sipplugin/auth/nonce.h"

#include "core/base/crypto.h"
#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"
#include "sipplugin/lua/script.h"

#include <fmt/format.h>
#include <utility>

namespace restante::sip {

namespace {

constexpr std::size_t kTimeDigits = 12;  // of hex: milliseconds until the year 10889
constexpr std::size_t kRandomBytes = 8;  // two challenges of one millisecond differ
constexpr std::size_t kMacDigits = 32;   // 128 bits of the HMAC
constexpr std::size_t kContentDigits = kTimeDigits + 2 * kRandomBytes;
/// The clocks of daemons on one Redis differ by far less than this.
constexpr Millis kMostClockSkew{10'000};

constexpr std::string_view kSecretField = "sip_secret";
constexpr std::size_t kSecretBytes = 32;
/// After this many uses a client gets a new nonce. A hash of 128 fields is still a compact listpack
/// in Redis.
constexpr int kMostUses = 128;

Result<bool> isGoodUse(const redis::Reply& reply)
{
    const auto word = reply.text() != nullptr ? std::string_view{*reply.text()} : "";
    if (word == "first" || word == "repeated") {
        return true;
    }
    if (word == "replayed" || word == "worn") {
        return false;
    }
    return failure(ErrorCode::Internal, "use_nonce: Redis answered something unexpected");
}

}  // namespace

std::string NonceIssuer::macOf(std::string_view content, Scope scope) const
{
    // No address has a blank.
    const auto text = fmt::format("{}:{} {}", content, scope.source, scope.realm);
    return toHex(bytesOf(hmac(secret_, text))).substr(0, kMacDigits);
}

std::string NonceIssuer::make(Scope scope, TimePoint now) const
{
    const auto content = fmt::format("{:012x}{}", toEpochMs(now), randomHex(kRandomBytes));
    return content + macOf(content, scope);
}

NonceIssuer::Validity
NonceIssuer::validate(std::string_view nonce, Scope scope, TimePoint now) const
{
    if (nonce.size() != kContentDigits + kMacDigits ||
        !sameSecret(nonce.substr(kContentDigits), macOf(nonce.substr(0, kContentDigits), scope))) {
        return {};
    }
    const auto madeAt = fromEpochMs(leadingNumber<std::int64_t>(nonce.substr(0, kTimeDigits), 16));
    if (madeAt > now + kMostClockSkew) {
        return {};
    }
    const auto remaining = std::chrono::duration_cast<Millis>(madeAt + lifetime_ - now);
    return remaining > Millis{0} ? Validity{Status::Fresh, remaining}
                                 : Validity{Status::Stale, Millis{0}};
}

RedisNonceStore::RedisNonceStore(redis::Connection& connection, const std::string& prefix)
    : connection_(connection),
      secret_(connection, prefix, std::string{kSecretField}, kSecretBytes),
      keyPrefix_(redis::shardPrefix(prefix, 0) + "sip_nonce:")
{
}

void RedisNonceStore::use(const Use& use, Done<bool> done)
{
    evaluate(connection_, "use_nonce", 1,
             {keyPrefix_ + use.nonce, std::to_string(use.count), use.request,
              std::to_string(use.remaining.count()), std::to_string(kMostUses)},
             [done = std::move(done)](const Result<redis::Reply>& reply) {
                 done(reply.and_then(&isGoodUse));
             });
}

}  // namespace restante::sip
