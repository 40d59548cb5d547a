#include "gui/pages/detail/delivery_step.h"

#include "core/base/timestamp.h"
#include "gui/pages/detail/detail_text.h"

#include <QRegularExpression>

#include <algorithm>

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

/// Of an attempt that left no line behind.
class OpenAttempt {
public:
    void begin(const HistoryRow& claim, const QString& target)
    {
        step_ = DeliveryStep{};
        step_->attempt = ++begun_;
        step_->sent = claim.at;
        step_->target = target;
        step_->worker = textOf(claim.worker);
        step_->outcome = Outcome::UnderWay;
    }
    void end(const HistoryRow& row, std::vector<DeliveryStep>& steps)
    {
        if (!step_) {
            return;
        }
        step_->took = row.at - step_->sent;
        step_->after = transitionName(row.transition);
        step_->answer = textOf(row.reason);
        step_->outcome = row.transition == "finish" ? Outcome::Delivered
                         : row.transition == "reap" ? Outcome::NoAnswer
                                                    : Outcome::Refused;
        steps.push_back(*step_);
        step_.reset();
    }
    void endWithLines(std::uint32_t number)
    {
        step_.reset();
        begun_ = std::max(begun_, number);
    }
    const std::optional<DeliveryStep>& step() const noexcept { return step_; }

private:
    std::optional<DeliveryStep> step_;
    std::uint32_t begun_ = 0;
};

std::vector<DeliveryStep> linesOf(const HistoryRow& row)
{
    std::vector<DeliveryStep> steps;
    const auto lines = textOf(row.note).split(u'\n', Qt::SkipEmptyParts);
    for (const auto& line : lines) {
        auto step = stepOf(line).value_or(DeliveryStep{});
        if (step.sent == TimePoint{}) {
            // Cut off, or of a later version: as it stands is better than not at all.
            step.sent = row.at;
            step.attempt = steps.empty() ? 1 : steps.back().attempt;
            step.answer = line;
        }
        if (step.outcome == Outcome::Unknown && step.target == QLatin1String("delivery-report")) {
            step.outcome = row.transition == "finish" ? Outcome::Delivered : Outcome::Refused;
        }
        step.worker = textOf(row.worker);
        step.after = transitionName(row.transition);
        steps.push_back(std::move(step));
    }
    return steps;
}

}  // namespace

std::optional<DeliveryStep> stepOf(const QString& line)
{
    static const QRegularExpression kLine(
        QStringLiteral("^attempt (\\d{1,9}): (\\S+) ((?:[A-Z]{1,16} )?\\S+)(?: via (\\S+))? "
                       "(?:(\\d{3})( .*)?|(\\D.*)) \\((no answer, )?(\\d{1,12}) ms\\)$"));
    // It comes by itself, long after the message was sent.
    static const QRegularExpression kReport(
        QStringLiteral("^attempt (\\d{1,9}): (\\S+) (delivery-report) (.+)$"));
    auto match = kLine.match(line);
    const bool isReport = !match.hasMatch();
    if (isReport) {
        match = kReport.match(line);
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

std::vector<DeliveryStep> deliveriesOf(const std::vector<HistoryRow>& history,
                                       const std::optional<JobView>& view)
{
    std::vector<DeliveryStep> steps;
    OpenAttempt open;
    const auto target = view ? textOf(view->job.recipient) : QString();
    for (const auto& row : history) {
        if (isClaim(row)) {
            open.begin(row, target);
        } else if (!row.note.empty()) {
            auto lines = linesOf(row);
            if (!lines.empty()) {
                open.endWithLines(lines.back().attempt);
            }
            steps.insert(steps.end(), lines.begin(), lines.end());
        } else if (endsAttempt(row)) {
            open.end(row, steps);
        }
    }
    const bool failed = !steps.empty() && steps.back().answer.isEmpty() &&
                        steps.back().outcome != Outcome::Delivered;
    if (view && failed) {
        steps.back().answer = textOf(view->lastError);
    }
    if (open.step()) {
        steps.push_back(*open.step());
    }
    return steps;
}

}  // namespace restante::gui
