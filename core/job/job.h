#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/job/job_state.h"
#include "core/job/retry_schedule.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante {

/// Who delivers the job when it is due.
enum class Channel { Pull, Sip, Sms, Webhook };

std::string_view name(Channel channel) noexcept;
std::optional<Channel> channelNamed(std::string_view word) noexcept;

/// What never changes about a job after its push. *Value.* DESIGN.md section 4.
struct Job {
    std::string id;
    std::string topic;
    Channel channel = Channel::Pull;
    std::string body;  ///< opaque, NUL-safe
    std::string contentType;
    std::vector<std::pair<std::string, std::string>> headers;  ///< what must travel with the body
    std::string recipient;                                     ///< AoR, phone number or URL
    std::string sender;
    std::string bizKey;  ///< the caller's own key
    int priority = 5;    ///< 0 (first) - 9
    Millis ttr{60'000};  ///< lease length
    std::optional<TimePoint> expires;
    RetrySchedule retry;
    std::string recurrence;  ///< RFC 5545 RRULE with time zone, or empty
    TimePoint created{};
    /// In the index of biz keys: every job with a key that somebody pushed, and not the messages
    /// that SIP servers forward, whose key is their Call-ID. The queue decides.
    bool findByKey = false;
    bool findBySender = false;  ///< in the index of senders: JobInspector::indexed()

    friend bool operator==(const Job&, const Job&) = default;
};

/// The bounds on a job's fields.
struct JobLimits {
    std::size_t body = 65'536;  ///< bytes, `limits.body`
    std::size_t topic = 128;
    std::size_t recipient = 1'024;
    std::size_t headers = 16'384;                   ///< bytes of all names and values together
    Millis horizon{std::chrono::hours{24 * 3660}};  ///< how far ahead `due` may be
};

/// Checks every field and names the first that is wrong and what is allowed. Nothing is stored of
/// a refused job. A topic is 1-128 printable ASCII characters without space, comma or control.
Result<void> validate(const Job& job, const JobLimits& limits);

/// The queue a job waits in: channel, priority and topic as one word, "pull:5:order".
/// The name of its sorted set is built from it, and courier wake-ups name it.
std::string laneOf(const Job& job);

/// A job as it stands now. *Value.*
struct JobView {
    Job job;
    JobState state = JobState::Scheduled;
    TimePoint due{};  ///< next moment: due, lease deadline, next mailbox attempt, or when it ended
    std::uint32_t attempt = 0;  ///< attempts begun so far: the number of the last one
    std::string lastError;      ///< of the last failed attempt, or the reason why it is dead
    /// How many devices have it, of a message that goes to every device; only of show().
    std::uint32_t devices = 0;
    /// How many of its attempts count no longer, because an operator has reset them; they keep
    /// their numbers, which fence the leases.
    std::uint32_t forgotten = 0;

    /// The attempts that its retry schedule has used up.
    std::uint32_t counted() const noexcept { return attempt > forgotten ? attempt - forgotten : 0; }
};

}  // namespace restante
