#pragma once

#include "core/job/job.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace restante {
struct HistoryRow;
}

namespace restante::gui {

/// One request of an attempt to deliver a job, and what came of it. *Value.*
struct DeliveryStep {
    enum class Outcome { Delivered, Refused, NoAnswer, UnderWay, Unknown };
    std::uint32_t attempt = 1;
    TimePoint sent{};
    /// Where the request was sent: "sip:bob@10.0.0.7", "POST https://hooks.example.org/in".
    QString target;
    QString via;  ///< the next hop, if it is another host
    Outcome outcome = Outcome::Unknown;
    int status = 0;  ///< 0 = it has none
    QString answer;  ///< "480 Temporarily Unavailable"; for other channels the reason
    std::optional<Millis> took = {};
    QString worker = {};
    QString endedBy = {};  ///< the displayed name of the transition that ended the attempt
};

/// A claim of a job that ended without sending a request. *Value.*
struct UnsentTry {
    TimePoint at{};
    QString why;  ///< "no device is registered"; empty = not recorded
};

/// The requests, oldest first, and the claims that sent none. *Value.*
struct DeliveryLog {
    std::vector<DeliveryStep> steps = {};
    std::vector<UnsentTry> unsent = {};
    /// Attempts of which nobody has kept what was sent: neither a step nor unsent.
    std::size_t unknownAttempts = 0;
};
/// The requests of all attempts in the history. The attempt record, the note of the transition that
/// ended the attempt (docs/sip-behaviour.md, "The ladder"), has a line for each. Pulled jobs send
/// no requests, so each lease is a step, as is an attempt that ends without a note (its lease
/// lapsed) or is under way. `view` may have the last error. *Pure function.*
DeliveryLog deliveryLogOf(const std::vector<HistoryRow>& history,
                          const std::optional<JobView>& view);

/// "attempt 1: 2026-12-31T09:00:00.120Z sip:bob@10.0.0.7 via 10.0.0.1 480 Gone (12 ms)"; nullopt =
/// the line has another form. *Pure function.*
std::optional<DeliveryStep> parseAttemptLine(const QString& line);

}  // namespace restante::gui
