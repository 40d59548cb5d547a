#include "gui/pages/detail/delivery_step.h"

#include "core/base/timestamp.h"
#include "core/queue/job_history.h"
#include "gui/pages/detail/detail_text.h"

#include <QRegularExpression>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

using Outcome = DeliveryStep::Outcome;

bool isClaim(const HistoryRow& row)
{
    return row.transition.rfind("claim", 0) == 0;
}

/// Whether it ends an attempt, whatever it leads to.
bool endsAttempt(const HistoryRow& row)
{
    return row.from == "leased" && row.to != "leased" && !isClaim(row);
}

/// Whether the job returned to waiting; if a request was sent, the note has a line for it.
bool returnsToWaiting(const HistoryRow& row)
{
    return row.from == "leased" && (row.transition == "hold" || row.transition == "retry");
}

bool hasAttemptRecord(const HistoryRow& row)
{
    return row.note.starts_with("attempt ");
}

DeliveryStep stepOfClaim(const HistoryRow& claim, std::uint32_t attempt, const QString& target)
{
    DeliveryStep step;
    step.attempt = attempt;
    step.sent = claim.at;
    step.target = target;
    step.worker = textOf(claim.worker);
    step.outcome = Outcome::UnderWay;
    return step;
}

void closeStep(DeliveryStep& step, const HistoryRow& row)
{
    step.took = row.at - step.sent;
    step.endedBy = transitionName(row.transition);
    step.answer = textOf(row.reason);
    step.outcome = row.transition == "finish" ? Outcome::Delivered
                   : row.transition == "reap" ? Outcome::NoAnswer
                                              : Outcome::Refused;
}

std::vector<DeliveryStep> stepsOfNote(const HistoryRow& row)
{
    std::vector<DeliveryStep> steps;
    const auto lines = textOf(row.note).split(u'\n', Qt::SkipEmptyParts);
    for (const auto& line : lines) {
        auto step = parseAttemptLine(line).value_or(DeliveryStep{});
        if (step.sent == TimePoint{}) {
            // The line is truncated or from a later version; it is shown as it is.
            step.sent = row.at;
            step.attempt = steps.empty() ? 1 : steps.back().attempt;
            step.answer = line;
        }
        if (step.outcome == Outcome::Unknown && step.target == QLatin1String("delivery-report")) {
            step.outcome = row.transition == "finish" ? Outcome::Delivered : Outcome::Refused;
        }
        step.worker = textOf(row.worker);
        step.endedBy = transitionName(row.transition);
        steps.push_back(std::move(step));
    }
    return steps;
}

}  // namespace

std::optional<DeliveryStep> parseAttemptLine(const QString& line)
{
    static const QRegularExpression kRequestLine(
        QStringLiteral("^attempt (\\d{1,9}): (\\S+) ((?:[A-Z]{1,16} )?\\S+)(?: via (\\S+))? "
                       "(?:(\\d{3})( .*)?|(\\D.*)) \\((no answer, )?(\\d{1,12}) ms\\)$"));
    // A delivery report arrives long after the request.
    static const QRegularExpression kReportLine(
        QStringLiteral("^attempt (\\d{1,9}): (\\S+) (delivery-report) (.+)$"));
    auto match = kRequestLine.match(line);
    const bool isReport = !match.hasMatch();
    if (isReport) {
        match = kReportLine.match(line);
    }
    const auto sent = match.hasMatch() ? parseTimestamp(match.captured(2).toStdString())
                                       : Result<TimePoint>(TimePoint{});
    if (!match.hasMatch() || !sent) {
        return std::nullopt;
    }
    DeliveryStep step;
    step.attempt = match.captured(1).toUInt();
    step.sent = *sent;
    step.target = match.captured(3);
    if (isReport) {
        step.answer = match.captured(4);
        return step;
    }
    step.via = match.captured(4);
    step.status = match.captured(5).toInt();
    step.answer = match.captured(5) + match.captured(6) + match.captured(7);
    step.took = Millis{match.captured(9).toLongLong()};
    step.outcome = !match.captured(8).isEmpty()              ? Outcome::NoAnswer
                   : step.status >= 200 && step.status < 300 ? Outcome::Delivered
                                                             : Outcome::Refused;
    return step;
}

DeliveryLog deliveryLogOf(const std::vector<HistoryRow>& history,
                          const std::optional<JobView>& view)
{
    DeliveryLog log;
    auto& steps = log.steps;
    std::optional<DeliveryStep> openStep;  // an attempt without a line in a note
    std::uint32_t attemptCount = 0;
    const auto target = view ? textOf(view->job.recipient) : QString();
    const bool sendsRequests = view && view->job.channel != Channel::Pull;
    for (const auto& row : history) {
        if (isClaim(row)) {
            openStep = stepOfClaim(row, ++attemptCount, target);
        } else if (sendsRequests && returnsToWaiting(row) && !row.noteIsKnown) {
            openStep.reset();
            ++log.unknownAttempts;
        } else if (sendsRequests && returnsToWaiting(row) && !hasAttemptRecord(row)) {
            // It counts as no attempt, so the next one has this number.
            attemptCount -= openStep ? 1U : 0U;
            openStep.reset();
            log.unsent.push_back({row.at, textOf(row.note).trimmed()});
        } else if (!row.note.empty()) {
            auto noteSteps = stepsOfNote(row);
            if (!noteSteps.empty()) {
                openStep.reset();
                attemptCount = std::max(attemptCount, noteSteps.back().attempt);
            }
            steps.insert(steps.end(), noteSteps.begin(), noteSteps.end());
        } else if (openStep && endsAttempt(row)) {
            closeStep(*openStep, row);
            steps.push_back(*std::exchange(openStep, {}));
        }
    }
    const bool failedWithoutAnswer = !steps.empty() && steps.back().answer.isEmpty() &&
                                     steps.back().outcome != Outcome::Delivered;
    if (view && failedWithoutAnswer) {
        steps.back().answer = textOf(view->lastError);
    }
    if (openStep) {
        steps.push_back(*openStep);
    }
    return log;
}

}  // namespace restante::gui
