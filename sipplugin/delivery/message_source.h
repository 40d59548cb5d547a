#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/queue/job_store.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace restante::sip {

/// Where a run takes the messages of one mailbox from, and where it says what became of each.
/// Calls are answered once, never from inside the call. *One loop.*
class MessageSource {
public:
    virtual ~MessageSource() = default;

    /// The oldest messages, in order; none when there is none or somebody else has them.
    virtual void
    claim(std::uint32_t max, std::size_t maxBytes, Done<std::vector<ClaimedJob>> done) = 0;
    /// Whether a message that is refused() has ended: nobody else is asked.
    virtual bool endsWhatIsRefused() const noexcept = 0;
    virtual void delivered(const Lease& lease, Done<void> done) = 0;
    virtual void refused(const Lease& lease, const std::string& reason, Done<void> done) = 0;
    virtual void expired(const Lease& lease, Done<void> done) = 0;
    /// The attempt has failed. Tried again at `next`; never, when there is none.
    virtual void unreachable(const Lease& lease,
                             const std::string& error,
                             std::optional<TimePoint> next,
                             Done<void> done) = 0;
    /// Not tried, and not counted as an attempt.
    virtual void untried(const Lease& lease, TimePoint next, Done<void> done) = 0;
    /// Keeps it for `length`; answers until when.
    virtual void touch(const Lease& lease, Millis length, Done<TimePoint> done) = 0;
};

}  // namespace restante::sip
