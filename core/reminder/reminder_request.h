#pragma once

#include "core/base/clock.h"
#include "core/job/job.h"

#include <optional>
#include <string>

namespace restante::reminder {

/// What somebody asks for: a text, somebody to send it to, and when. *Value.* Times are the words
/// that were written, because what they mean depends on the time zone; plan() reads and checks
/// them all, and its errors name the field as it is called here (in JSON: `content_type`,
/// `time_zone`, `biz_key`).
///
/// When: exactly one of `at`, `atTime`, `in` and `event`; with `every` there may be none of them
/// (the series starts now).
struct ReminderRequest {
    std::string id = {};  ///< of the set; empty = a generated one
    std::string to = {};  ///< sip:bob@example.org, +491701234567 or https://example.org/hook
    std::optional<Channel> channel = {};  ///< sip, sms or webhook; none = guessed from `to`
    std::string text = {};
    std::string contentType = {};  ///< empty = text/plain;charset=UTF-8
    std::string sender = {};
    std::string bizKey = {};  ///< cancels the whole set; empty = made from the id of the set

    std::string at = {};  ///< RFC 3339, or "2026-12-31 09:00" in the time zone
    std::optional<TimePoint> atTime = {};
    std::string in = {};        ///< a duration, "15d"
    std::string event = {};     ///< "2026-12-31" or a time as in `at`
    std::string offsets = {};   ///< before the event, "15d,3d,0s"; empty = at the event itself
    std::string every = {};     ///< an RRULE, or "daily", "weekdays", "2h": see readEvery()
    std::string timeZone = {};  ///< an IANA name; empty = `reminder.time_zone`

    std::string retry = {};    ///< a retry schedule; empty = the channel's
    std::string expires = {};  ///< a time as in `at`, or a duration after each due time

    std::string actor = {};   ///< an operator who makes it, for the audit; empty = a program
    std::string reason = {};  ///< and why
    /// Instead of `id`: names this request, so that whoever repeats it because its answer was lost
    /// makes nothing twice. The jobs' ids are made from it; as an id, at most 64 characters.
    std::string token = {};
};

/// Another series in the place of one. *Value.*
struct SeriesChange {
    std::string id;           ///< of the series, and it keeps it
    std::string seen;         ///< its body as whoever changes it has read it
    ReminderRequest request;  ///< recurring; `id` and `token` are of no use
};

}  // namespace restante::reminder
