#pragma once

#include "core/job/job.h"
#include "core/queue/job_history.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace restante::gui {

/// One request of an attempt to deliver a job, and what came of it. *Value.*
struct DeliveryStep {
    enum class Outcome { Delivered, Refused, NoAnswer, UnderWay, Unknown };
    std::uint32_t attempt = 1;
    TimePoint sent{};
    QString target;  ///< who was asked: "sip:bob@10.0.0.7", "POST https://hooks.example.org/in"
    QString via;     ///< where the request went, if elsewhere
    Outcome outcome = Outcome::Unknown;
    int status = 0;  ///< 0 = it has none
    QString answer;  ///< "480 Temporarily Unavailable"; of other channels what became of the job
    std::optional<Millis> took = {};
    QString worker = {};
    QString after = {};  ///< the transition that ended the attempt, for people
};

/// What the history tells of the attempts, oldest first. There is a line for each request in the
/// attempt record, the note of the transition that ended it (docs/sip-behaviour.md, "The ladder");
/// of jobs that are pulled, and of older attempts, the claim and what followed are known. `view`
/// may have the last error. *Pure function.*
std::vector<DeliveryStep> deliveryStepsOf(const std::vector<HistoryRow>& history,
                                          const std::optional<JobView>& view);

/// A job was taken to be delivered, and came back without a request having left. *Value.*
struct UnsentTry {
    TimePoint at{};
    QString why;  ///< "no device is registered"; empty = the history does not tell
};

/// The same history with what led to nothing. Of jobs that are pulled nothing leaves, so all their
/// leases are steps. *Pure function.*
struct DeliveryLog {
    std::vector<DeliveryStep> steps = {};
    std::vector<UnsentTry> unsent = {};
};
DeliveryLog deliveryLogOf(const std::vector<HistoryRow>& history,
                          const std::optional<JobView>& view);

/// "attempt 1: 2026-12-31T09:00:00.120Z sip:bob@10.0.0.7 via 10.0.0.1 480 Gone (12 ms)"; nothing
/// when the line is another one. *Pure function.*
std::optional<DeliveryStep> parseAttemptLine(const QString& line);

}  // namespace restante::gui
