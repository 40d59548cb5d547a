#include "gui/pages/detail/steps_model.h"

#include "gui/theme/icons.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QCoreApplication>
#include <QFont>
#include <QLocale>

namespace restante::gui {

namespace {

using Outcome = DeliveryStep::Outcome;

QString answerText(const DeliveryStep& step)
{
    if (step.outcome == Outcome::NoAnswer && step.status != 0) {
        return QCoreApplication::translate("StepsModel", "%1 (no answer)").arg(step.answer);
    }
    return step.answer.isEmpty() ? styleOf(step.outcome).word : step.answer;
}

QString tookText(const DeliveryStep& step)
{
    return step.took ? TimeText::duration(*step.took) : QString();
}

}  // namespace

OutcomeStyle styleOf(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Delivered:
        return {QStringLiteral("state-done"), Theme::style(JobState::Done).ink,
                QCoreApplication::translate("StepsModel", "Delivered")};
    case Outcome::Refused:
        return {QStringLiteral("state-dead"), Theme::style(JobState::Dead).ink,
                QCoreApplication::translate("StepsModel", "Failed")};
    case Outcome::NoAnswer:
        return {QStringLiteral("dialog-warning"), Theme::style(JobState::Held).ink,
                QCoreApplication::translate("StepsModel", "No answer")};
    case Outcome::UnderWay:
        return {QStringLiteral("state-leased"), Theme::style(JobState::Leased).ink,
                QCoreApplication::translate("StepsModel", "Under way")};
    case Outcome::Unknown: break;
    }
    return {QStringLiteral("dialog-information"), Theme::style(JobState::Trashed).ink,
            QCoreApplication::translate("StepsModel", "Unknown")};
}

void StepsModel::setContent(std::vector<DeliveryStep> steps,
                            std::function<QString(TimePoint)> moment)
{
    beginResetModel();
    steps_ = std::move(steps);
    moment_ = std::move(moment);
    endResetModel();
}

int StepsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(steps_.size());
}

int StepsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Count;
}

QVariant StepsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const auto& step = steps_[static_cast<std::size_t>(index.row())];
    const auto stateStyle = styleOf(step.outcome);
    const bool answer = index.column() == Answer;
    switch (role) {
    case Qt::DisplayRole: break;
    case Qt::DecorationRole: return answer ? QVariant(icon(stateStyle.icon)) : QVariant();
    case Qt::ForegroundRole: return answer ? QVariant(stateStyle.ink) : QVariant();
    case Qt::TextAlignmentRole:
        return index.column() == Attempt || index.column() == Took
                   ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                   : QVariant();
    default: return {};
    }
    switch (index.column()) {
    case Attempt: return QLocale().toString(step.attempt);
    case Sent: return moment_(step.sent);
    case Took: return tookText(step);
    default: return step.via.isEmpty() ? step.target : tr("%1 via %2").arg(step.target, step.via);
    case Answer: return answerText(step);
    }
}

QVariant StepsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Attempt: return tr("Attempt");
    case Sent: return tr("Sent");
    case Answer: return tr("Answer");
    case Took: return tr("After");
    default: return tr("To");
    }
}

void StepComparisonModel::setContent(const DeliveryStep& left,
                                     const DeliveryStep& right,
                                     const std::function<QString(TimePoint)>& moment)
{
    beginResetModel();
    lines_ = {
        {tr("Attempt"), QLocale().toString(left.attempt), QLocale().toString(right.attempt)},
        {tr("Sent"), moment(left.sent), moment(right.sent)},
        {tr("To"), left.target, right.target},
        {tr("Via"), left.via, right.via},
        {tr("Outcome"), styleOf(left.outcome).word, styleOf(right.outcome).word},
        {tr("Answer"), left.answer, right.answer},
        {tr("Took"), tookText(left), tookText(right)},
        {tr("Worker"), left.worker, right.worker},
        {tr("Then"), left.after, right.after},
    };
    endResetModel();
}

void StepComparisonModel::clear()
{
    beginResetModel();
    lines_.clear();
    endResetModel();
}

int StepComparisonModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

int StepComparisonModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 4;
}

QVariant StepComparisonModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const auto& line = lines_[static_cast<std::size_t>(index.row())];
    const bool differs = line.left != line.right;
    if (role == Qt::FontRole && differs) {
        QFont bold;
        bold.setBold(true);
        return bold;
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (index.column()) {
    case 0: return line.name;
    case 1: return differs ? QStringLiteral("≠") : QStringLiteral("=");
    case 2: return line.left;
    default: return line.right;
    }
}

QVariant StepComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case 0: return tr("Field");
    case 2: return tr("Earlier");
    case 3: return tr("Later");
    default: return {};
    }
}

}  // namespace restante::gui
