#include "core/redis/trace_orders.h"

#include "core/redis/connection.h"
#include "core/redis/keys.h"

#include <charconv>
#include <utility>

namespace restante::redis {

namespace {

void tell(Connection& connection, const std::string& channel, Done<std::uint64_t> done)
{
    connection.command({"PUBLISH", channel, "changed"},
                       [done = std::move(done)](const Result<Reply>& told) {
                           done(told.map([](const Reply& reply) {
                               const auto* count = reply.integer();
                               return count == nullptr ? 0 : static_cast<std::uint64_t>(*count);
                           }));
                       });
}

/// Addresses and scores in turn; what is neither is left out.
std::vector<TraceOrder> ordersOf(const Reply& reply)
{
    std::vector<TraceOrder> orders;
    const auto* all = reply.array();
    for (std::size_t i = 0; all != nullptr && i + 1 < all->size(); i += 2) {
        const auto* address = (*all)[i].text();
        const auto* score = (*all)[i + 1].text();
        std::int64_t ms = 0;
        if (address != nullptr && score != nullptr &&
            std::from_chars(score->data(), score->data() + score->size(), ms).ec == std::errc{}) {
            orders.push_back({*address, fromEpochMs(ms)});
        }
    }
    return orders;
}

}  // namespace

TraceOrders::TraceOrders(Connection& connection, std::string_view prefix)
    : connection_(connection),
      key_(shardPrefix(prefix, 0) + "traces"),
      channel_(shardPrefix(prefix, 0) + "traced")
{
}

void TraceOrders::put(const TraceOrder& order, Done<std::uint64_t> done)
{
    const auto until = std::to_string(toEpochMs(order.until));
    connection_.command({"ZADD", key_, until, order.address},
                        [&connection = connection_, channel = channel_,
                         done = std::move(done)](const Result<Reply>& stored) {
                            if (!stored) {
                                return done(tl::unexpected(stored.error()));
                            }
                            tell(connection, channel, done);
                        });
}

void TraceOrders::remove(const std::string& address, Done<std::uint64_t> done)
{
    connection_.command(
        {"ZREM", key_, address}, [&connection = connection_, channel = channel_, address,
                                  done = std::move(done)](const Result<Reply>& removed) {
            if (!removed) {
                return done(tl::unexpected(removed.error()));
            }
            if (const auto* count = removed->integer(); count == nullptr || *count == 0) {
                return done(failure(ErrorCode::NotFound, address + " is not traced"));
            }
            tell(connection, channel, done);
        });
}

void TraceOrders::living(TimePoint now, Done<std::vector<TraceOrder>> done)
{
    const auto ended = std::to_string(toEpochMs(now));
    connection_.command({"ZREMRANGEBYSCORE", key_, "-inf", ended}, [](const Result<Reply>&) {});
    connection_.command(
        {"ZRANGEBYSCORE", key_, "(" + ended, "+inf", "WITHSCORES"},
        [done = std::move(done)](const Result<Reply>& reply) { done(reply.map(ordersOf)); });
}

}  // namespace restante::redis
