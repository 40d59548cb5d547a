#include "sipplugin/receipts/report_watermark.h"

#include "core/base/text.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/keys.h"

#include <utility>

namespace restante::sip {

RedisReportWatermark::RedisReportWatermark(redis::Connection& connection, const std::string& prefix)
    : connection_(connection),
      key_(redis::shardPrefix(prefix, 0) + "reported")
{
}

void RedisReportWatermark::read(Done<std::optional<TimePoint>> done)
{
    connection_.command({"GET", key_}, [done = std::move(done)](const Result<redis::Reply>& reply) {
        if (!reply) {
            return done(tl::unexpected(reply.error()));
        }
        const auto* text = reply->text();
        std::int64_t ms = 0;
        const bool known = text != nullptr && readNumber(*text, ms);
        done(known ? std::optional{fromEpochMs(ms)} : std::nullopt);
    });
}

void RedisReportWatermark::write(TimePoint until, Done<void> done)
{
    const auto text = std::to_string(toEpochMs(until));
    connection_.command({"SET", key_, text},
                        [done = std::move(done)](const Result<redis::Reply>& reply) {
                            done(reply.map([](const redis::Reply&) {}));
                        });
}

}  // namespace restante::sip
