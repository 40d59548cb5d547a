#pragma once

#include "core/queue/delay_queue.h"
#include "core/schedule/recurrence.h"

#include <optional>
#include <string>
#include <string_view>

namespace restante::reminder {

/// What a series' job carries in its body: when it comes again, and what to push then. *Value.*
struct Series {
    Job job;                             ///< of each occurrence, without id and created
    std::string rule;                    ///< RRULE
    std::string zone;                    ///< IANA name
    std::string start;                   ///< the wall clock's reading, as printLocal() writes it
    std::optional<TimePoint> begin;      ///< the moment of the start: Recurrence::begin()
    std::optional<Millis> expiresAfter;  ///< of each occurrence, counted from its due time
    std::optional<TimePoint> ends;       ///< no occurrence after this, and none delivered later

    /// The body: one line of JSON with a version, a line feed, and the text as it is.
    std::string print() const;
    /// Invalid when it is none of ours, or of a later version.
    static Result<Series> parse(std::string_view body);

    /// Invalid also when the machine has lost the time zone.
    Result<Recurrence> recurrence() const;
};

/// The id, with something behind it if that takes it to the shard of the recipient's mailbox.
std::string idForMailbox(const std::string& id, std::string_view recipient, std::uint32_t shards);

/// The occurrence of `at` as a push. Its id is made of the series' and the time, so that it is the
/// same whoever pushes it; it belongs to a shard that the channel allows. A repetition within a
/// week stores nothing, even if the first has been delivered and forgotten.
PushOptions
occurrenceOf(const Series& series, const std::string& id, TimePoint at, std::uint32_t shards);

/// As long as a series' id may be, so that those of its occurrences are valid.
inline constexpr std::size_t kLongestSeriesId = 100;
/// How long occurrenceOf() remembers: longer than daemons stay away.
inline constexpr Millis kRemembered{std::chrono::hours{24 * 7}};

}  // namespace restante::reminder
