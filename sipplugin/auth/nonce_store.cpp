#include "sipplugin/auth/nonce_store.h"

#include "core/redis/client/connection.h"
#include "core/redis/store/keys.h"
#include "sipplugin/lua/script.h"

#include <array>
#include <utility>

namespace restante::sip {

namespace {

constexpr std::string_view kSecretField = "sip_secret";
constexpr std::size_t kSecretBytes = 32;
/// Then a client is given a new nonce. A hash of so many fields is still one packed list in Redis.
constexpr int kMostUses = 128;

Result<NonceStore::Verdict> verdictOf(const redis::Reply& reply)
{
    using Verdict = NonceStore::Verdict;
    constexpr auto kWords =
        std::to_array<std::pair<std::string_view, Verdict>>({{"first", Verdict::First},
                                                             {"repeated", Verdict::Repeated},
                                                             {"replayed", Verdict::Replayed},
                                                             {"worn", Verdict::Worn}});
    for (const auto& [word, verdict] : kWords) {
        if (reply.text() != nullptr && *reply.text() == word) {
            return verdict;
        }
    }
    return failure(ErrorCode::Internal, "use_nonce: Redis answered something unexpected");
}

}  // namespace

RedisNonceStore::RedisNonceStore(redis::Connection& connection, const std::string& prefix)
    : connection_(connection),
      secret_(connection, prefix, std::string{kSecretField}, kSecretBytes),
      uses_(redis::shardPrefix(prefix, 0) + "sip_nonce:")
{
}

void RedisNonceStore::use(const Use& use, Done<Verdict> done)
{
    evaluate(connection_, "use_nonce", 1,
             {uses_ + use.nonce, std::to_string(use.count), use.request,
              std::to_string(use.left.count()), std::to_string(kMostUses)},
             [done = std::move(done)](const Result<redis::Reply>& reply) {
                 done(reply.and_then(&verdictOf));
             });
}

}  // namespace restante::sip
