#pragma once

#include "core/queue/delay_queue.h"
#include "core/schedule/recurrence.h"

#include <optional>
#include <string>
#include <string_view>

namespace restante::reminder {

/// The body of a series' job: its recurrence, and what to push at each occurrence. *Value.*
struct Series {
    Job job;                                ///< of each occurrence, without id and created
    std::string rule;                       ///< RRULE
    std::string zone;                       ///< IANA name
    std::string start;                      ///< local time, as formatLocal() writes it
    std::optional<TimePoint> startInstant;  ///< Recurrence::startInstant()
    std::optional<Millis> expiresAfter;     ///< of each occurrence, counted from its due time
    std::optional<TimePoint> ends;  ///< no occurrence at or after this, and none delivered then

    /// The body: one line of JSON with a version, a line feed, and the text as it is.
    std::string toString() const;
    /// Invalid when it is no series, or one of a later version.
    static Result<Series> parse(std::string_view body);

    /// Invalid also when the machine does not have the time zone.
    Result<Recurrence> recurrence() const;
};

/// The id, with a suffix "-1", "-2" and so on if it needs one to belong to the shard of the
/// recipient's mailbox.
std::string idForMailbox(const std::string& id, std::string_view recipient, std::uint32_t shards);

/// The occurrence of `at` as a push. Its id is made of the series' id and the time, so that it is
/// the same whoever pushes it; it belongs to a shard that the channel allows. A repetition within a
/// week stores nothing, even if the first job has been delivered and removed.
PushOptions
occurrenceOf(const Series& series, const std::string& id, TimePoint at, std::uint32_t shards);

/// The longest id of a series, so that the ids of its occurrences are valid.
inline constexpr std::size_t kLongestSeriesId = 100;
/// How long the once key of an occurrence lasts: longer than daemons stay away.
inline constexpr Millis kOccurrenceOnceFor{std::chrono::hours{24 * 7}};

}  // namespace restante::reminder
