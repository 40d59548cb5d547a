#pragma once

#include "core/base/clock.h"
#include "core/job/job.h"

#include <optional>
#include <string>

namespace restante::reminder {

/// A request for a reminder: a text, a recipient, and when to send it. *Value.* Times are text as
/// it was written, because their meaning depends on the time zone; plan() parses and checks all
/// fields, and its errors name them as here (in JSON: `content_type`, `time_zone`, `biz_key`).
///
/// When: exactly one of `at`, `atTime`, `in` and `event`; with `every` one of the first three, or
/// none (the series starts now).
struct ReminderRequest {
    std::string id = {};  ///< of the set; empty = a generated one
    std::string to = {};  ///< sip:bob@example.org, +491701234567 or https://example.org/hook
    std::optional<Channel> channel = {};  ///< sip, sms or webhook; none = guessed from `to`
    std::string text = {};
    std::string contentType = {};  ///< empty = text/plain;charset=UTF-8
    std::string sender = {};
    /// Cancels the whole set; empty = the id of the set when it has several times or is a series.
    std::string bizKey = {};

    std::string at = {};  ///< RFC 3339, or "2026-12-31 09:00" in the time zone
    std::optional<TimePoint> atTime = {};
    std::string in = {};        ///< a duration, "15d"
    std::string event = {};     ///< "2026-12-31" or a time as in `at`
    std::string offsets = {};   ///< before the event, "15d,3d,0s"; empty = at the event itself
    std::string every = {};     ///< an RRULE, or "daily", "weekdays", "2h": see readEvery()
    std::string timeZone = {};  ///< an IANA name; empty = `reminder.time_zone`

    std::string retry = {};    ///< a retry schedule; empty = the channel's
    std::string expires = {};  ///< a time as in `at`, or a duration after each due time

    std::string actor = {};   ///< the operator who asks for it, for the audit; empty = a program
    std::string reason = {};  ///< and why
    /// Idempotency token, instead of `id`: a request that is repeated because its answer was lost
    /// creates nothing twice. The jobs' ids are made from it; at most 64 characters, as an id.
    std::string token = {};
};

/// Replaces a series by another. *Value.*
struct SeriesChange {
    std::string id;            ///< of the series, which keeps it
    std::string expectedBody;  ///< the body that the change is based on; another one is a Conflict
    ReminderRequest request;   ///< recurring; `id` and `token` are ignored
};

}  // namespace restante::reminder
