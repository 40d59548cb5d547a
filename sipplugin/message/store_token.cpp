#include "sipplugin/message/store_token.h"

#include "core/base/async_task.h"
#include "core/base/crypto.h"
#include "core/base/encoding.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"

#include <utility>

namespace restante::sip {

StoreToken::StoreToken(redis::Connection& connection,
                       const std::string& prefix,
                       std::string field,
                       std::size_t byteCount,
                       std::string knownText)
    : connection_(connection),
      key_(redis::metaKey(prefix)),
      field_(std::move(field)),
      byteCount_(byteCount),
      knownText_(std::make_shared<std::string>(std::move(knownText)))
{
}

void StoreToken::read(Done<std::string> done)
{
    const auto proposal = knownText_->empty() ? randomHex(byteCount_) : *knownText_;
    connection_.command({"HSETNX", key_, field_, proposal}, [](const Result<redis::Reply>&) {});
    connection_.command(
        {"HGET", key_, field_},
        onSuccess(done, [done, knownText = knownText_, key = key_, field = field_,
                         digits = 2 * byteCount_](const redis::Reply& reply) {
            const auto* text = reply.text();
            if (text == nullptr) {
                // HSETNX was refused: Redis is full or takes no writes.
                return done(failure(ErrorCode::Unavailable, "{} cannot be stored in Redis", field));
            }
            if (text->size() != digits || !isHex(*text)) {
                return done(failure(ErrorCode::Unavailable,
                                    "{} in Redis is not {} hexadecimal digits: HDEL {} {} removes "
                                    "it, and another is made",
                                    field, digits, key, field));
            }
            *knownText = *text;
            done(*knownText);
        }));
}

void StoreToken::onReachable(std::function<void()> handler)
{
    connection_.onReady([handler = std::move(handler)](bool ready) {
        if (ready) {
            handler();
        }
    });
}

}  // namespace restante::sip
