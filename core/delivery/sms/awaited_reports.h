#pragma once

#include "core/base/clock.h"
#include "core/base/event_loop.h"
#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {
class Connection;
}  // namespace restante::redis

namespace restante::sms {

/// One attempt whose message a gateway may have taken. *Value.*
struct SentAttempt {
    std::string id;
    std::uint32_t attempt = 0;
};

/// Which attempts wait for a delivery report, in Redis (`Kreports`), so that any daemon can take
/// the report or give up waiting for it; and the tokens that prove a report. Their secret is in
/// Redis too, made by whoever needs it first, so that all daemons agree. Borrows loop and
/// connection. *One loop.*
class AwaitedReports {
public:
    AwaitedReports(EventLoop& loop,
                   redis::Connection& connection,
                   std::string prefix,
                   std::uint32_t shards);
    AwaitedReports(const AwaitedReports&) = delete;
    AwaitedReports& operator=(const AwaitedReports&) = delete;
    ~AwaitedReports();

    /// Notes that a report on `sent` is awaited until `until`; answers the token it must bring.
    /// To be called before the message is sent, as its report may be the quicker one.
    void await(SentAttempt sent, TimePoint until, Done<std::string> done);
    /// Nothing is awaited any more; without an answer, as a note that stays does no harm.
    void forget(const SentAttempt& sent);
    /// Whether `token` is the one that await() gave out for `sent`.
    void verify(SentAttempt sent, std::string token, Done<bool> done);
    /// At most `max` of each shard that were awaited until `now` or earlier.
    void overdue(TimePoint now, std::uint32_t max, Done<std::vector<SentAttempt>> done);

private:
    struct State;
    std::shared_ptr<State> state_;  ///< shared with answers that come after this has gone
};

}  // namespace restante::sms
