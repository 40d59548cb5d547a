#include "core/cold/hot_horizon.h"

#include "core/base/text.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/keys.h"

#include <utility>

namespace restante::cold {

namespace {

constexpr const char* kHorizonField = "hot_horizon";  // docs/redis-schema.md

}  // namespace

void readHotHorizon(redis::Connection& connection,
                    const std::string& prefix,
                    Done<std::optional<Millis>> done)
{
    connection.command(
        {"HGET", redis::metaKey(prefix), kHorizonField},
        [done = std::move(done)](const Result<redis::Reply>& reply) {
            done(reply.map([](const redis::Reply& answer) {
                const auto* text = answer.text();
                return text == nullptr ? std::nullopt
                                       : std::optional(Millis{leadingNumber<Millis::rep>(*text)});
            }));
        });
}

void writeHotHorizon(redis::Connection& connection,
                     const std::string& prefix,
                     std::optional<Millis> horizon,
                     Done<void> done)
{
    const auto key = redis::metaKey(prefix);
    const auto onReply = [done = std::move(done)](const Result<redis::Reply>& reply) {
        done(reply.map([](const redis::Reply&) {}));
    };
    if (horizon) {
        connection.command({"HSET", key, kHorizonField, std::to_string(horizon->count())}, onReply);
    } else {
        connection.command({"HDEL", key, kHorizonField}, onReply);
    }
}

}  // namespace restante::cold
