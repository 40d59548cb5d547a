#include "core/queue/delay_queue.h"

#include "core/base/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <random>

namespace restante {

namespace {

constexpr std::string_view kLapsed = "the lease ended before the attempt did";

/// Spreads the retries of many; quality does not matter, so no system call.
double jitter()
{
    thread_local std::minstd_rand engine{std::random_device{}()};
    return std::uniform_real_distribution<double>{0.0, 1.0}(engine);
}

/// Counts the verdicts of one reapLapsed() and answers when the last is in.
class Tally {
public:
    explicit Tally(Done<std::uint32_t> done) : done_(std::move(done)) { }
    Tally(const Tally&) = delete;
    Tally& operator=(const Tally&) = delete;
    ~Tally()
    {
        if (failure_) {
            done_(tl::unexpected(*failure_));
        } else {
            done_(reaped_);
        }
    }

    void add(const Result<void>& result)
    {
        if (result) {
            ++reaped_;
        } else if (isTemporary(result.error().code)) {
            failure_ = result.error();
        }
        // Stale and NotFound: its worker was quicker after all.
    }

private:
    Done<std::uint32_t> done_;
    std::uint32_t reaped_ = 0;
    std::optional<Error> failure_;
};

}  // namespace

DelayQueue::DelayQueue(JobStore& store, const Clock& clock, Settings settings)
    : store_(store),
      clock_(clock),
      settings_(std::move(settings)),
      ids_(clock)
{
    assert(settings_.shards >= 1);
}

}  // namespace restante
