#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/job/job_state.h"
#include "core/job/retry_schedule.h"

#include <array>
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

inline constexpr std::array kChannels{Channel::Pull, Channel::Sip, Channel::Sms, Channel::Webhook};

std::string_view name(Channel channel) noexcept;
std::optional<Channel> channelNamed(std::string_view word) noexcept;

/// What never changes about a job after its push: its record. *Value.*
struct Job {
    std::string id;
    std::string topic;
    Channel channel = Channel::Pull;
    std::string body;  ///< opaque, NUL-safe
    std::string contentType;
    std::vector<std::pair<std::string, std::string>> headers;  ///< sent with the body
    std::string recipient;                                     ///< AoR, phone number or URL
    std::string sender;
    std::string bizKey;  ///< the caller's own key
    int priority = 5;    ///< 0 (first) - 9
    Millis ttr{60'000};  ///< lease length
    std::optional<TimePoint> expires;
    RetrySchedule retry;
    std::string recurrence;  ///< RFC 5545 RRULE with time zone, or empty
    TimePoint created{};
    /// In the index of biz keys: every job that was pushed with a key, but not the messages that
    /// SIP servers forward, whose key is their Call-ID. The queue sets it.
    bool findByKey = false;
    bool findBySender = false;  ///< in the index of senders: JobInspector::indexed()
    /// The id is the caller's own, and is remembered for a while when the job is finished, so that
    /// a repeated push does not bring it back: kFinishedIdLifetime of job_store.h.
    bool rememberId = false;

    friend bool operator==(const Job&, const Job&) = default;
};

/// Whether it waits in its recipient's mailbox while the recipient cannot be reached.
inline bool hasMailbox(const Job& job)
{
    return job.channel == Channel::Sip && !job.recipient.empty();
}

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

/// Refuses a text that is longer or has control characters.
Result<void> checkText(std::string_view field, std::string_view text, std::size_t longest);

/// Whether a SIP header says who sent a message: From, and what a network asserts or signs about
/// its users (RFC 3325, RFC 6050, RFC 8224). Only a message that came by SIP may carry them;
/// whoever pushes a job names its `sender`. Compared without case. *Pure function.*
bool isSenderHeader(std::string_view header) noexcept;

/// The queue a job waits in: channel, priority and topic as one word, "pull:5:order".
/// The name of its sorted set is built from it, and courier wake-ups name it.
std::string laneOf(const Job& job);

/// The exact position of a job in its state, in addition to `due`; an export that has it can be
/// imported to the same position. *Value.*
struct JobPosition {
    std::uint32_t order = 0;    ///< among the jobs of its lane due in the same ms, in 1/4096
    std::uint64_t arrival = 0;  ///< its number in its mailbox, 0 = in no mailbox
    /// Of a job leased out of its mailbox: the next attempt of the mailbox; max() = unknown.
    TimePoint mailboxNext = TimePoint::max();
    std::string origin;  ///< where restore puts the job back: docs/redis-schema.md, `Korigin`
};

/// Whether a text is an origin as the store writes it; empty is one, too.
bool isOrigin(std::string_view text);

/// A job as it stands now. *Value.*
struct JobView {
    Job job;
    JobState state = JobState::Scheduled;
    /// Next event: due time, lease deadline, next mailbox attempt, or when it ended. Of a job held
    /// outside a mailbox: when release() makes it due; TimePoint::max() = unknown.
    TimePoint due{};
    std::uint32_t attempt = 0;  ///< attempts begun so far: the number of the last one
    std::string lastError;      ///< of the last failed attempt, or the reason why it is dead
    /// How many devices have their copy of a message that goes to every device; filled by show()
    /// only.
    std::uint32_t devices = 0;
    /// How many of its attempts no longer count, because an operator has reset them; they keep
    /// their numbers, which are the fencing tokens.
    std::uint32_t attemptOffset = 0;
    /// None when the source does not say, such as an export of an earlier version.
    std::optional<JobPosition> position = {};

    bool heldOutsideMailbox = false;  ///< held, but in no mailbox: only an operator releases it

    /// The attempts that its retry schedule has used up.
    std::uint32_t countedAttempts() const noexcept
    {
        return attempt > attemptOffset ? attempt - attemptOffset : 0;
    }
};

}  // namespace restante
