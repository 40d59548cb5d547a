#pragma once

#include "core/base/clock.h"
#include "core/delivery/http_client.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace restante::delivery {

/// One request of an attempt to deliver, as the job's history tells it (Lease::note). *Value.*
struct AttemptLine {
    std::uint32_t attempt = 1;
    TimePoint sent{};
    std::string request = {};  ///< whom or what was asked: "POST https://hooks.example.org/in"
    std::string via = {};      ///< host and port where it went, if that is another
    std::string answer = {};   ///< "503 Service Unavailable"; without one, why there is none
    bool answered = true;
    std::optional<Millis> elapsed = {};
};

/// "attempt 1: 2026-12-31T09:00:00.120Z POST https://hooks.example.org/in 503 Service Unavailable
/// (12 ms)" and a line feed, at most 640 bytes of UTF-8; with ` via HOST:PORT` where it has one,
/// and "(no answer, ..." when nobody answered. Nothing that a peer wrote can break the line. *Pure
/// function.*
std::string toString(const AttemptLine& line);

/// Sets answer, answered and elapsed from the result of an HTTP request: the status with its phrase
/// and, unless it is a success, the beginning of the body; or why there is no answer. Without an
/// answer `elapsed` is `waited`. *Pure function.*
void setHttpResult(AttemptLine& line, const HttpResult& result, Millis waited);

/// The URL as it may appear in a history: its query may hold a password and becomes "?...". *Pure
/// function.*
std::string withoutQuery(std::string_view url);

/// The beginning of a peer's text, as one line of UTF-8 without control characters, at most `most`
/// bytes. Text that is not UTF-8 is written in ASCII, with ? for other bytes. *Pure function.*
std::string oneLineExcerpt(std::string_view text, std::size_t most);

}  // namespace restante::delivery
