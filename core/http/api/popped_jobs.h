#pragma once

#include "core/queue/job_store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace restante::http {

/// What the last pops of this daemon gave out, as far as the end of an attempt depends on it: a
/// failed one is retried without another look at the job. Bounded: of the attempts that were begun
/// long ago nothing is known. What it says of an attempt never changes while that attempt has the
/// lease, so the store's fencing is all that is needed. *One loop.*
class PoppedJobs {
public:
    void add(const ClaimedJob& claimed);
    /// The attempt with what decides about its next one: id, channel, recipient and retry; none =
    /// another daemon gave it out, or it was long ago.
    std::optional<ClaimedJob> find(const std::string& id, std::uint32_t attempt) const;

private:
    /// Two generations of so many, some 4 MB with long ids and schedules.
    static constexpr std::size_t kGeneration = 8'192;

    struct Terms {
        std::uint32_t attempt = 0;
        std::uint32_t forgotten = 0;
        Channel channel = Channel::Pull;
        std::string recipient;
        RetrySchedule retry;
    };
    std::unordered_map<std::string, Terms> current_;
    std::unordered_map<std::string, Terms> before_;
};

}  // namespace restante::http
