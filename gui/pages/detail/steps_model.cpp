#include "gui/pages/detail/steps_model.h"

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
    moment_ = std::move(moment);
    setRows(std::move(steps));
}

const std::vector<TableColumn>& StepsModel::columns() const
{
    static const std::vector<TableColumn> kColumns{{QT_TR_NOOP("Attempt")},
                                                   {QT_TR_NOOP("Sent")},
                                                   {QT_TR_NOOP("Answer")},
                                                   {QT_TR_NOOP("After")},
                                                   {QT_TR_NOOP("To")}};
    return kColumns;
}

QString StepsModel::text(const DeliveryStep& step, int column) const
{
    switch (column) {
    case Attempt: return QLocale().toString(step.attempt);
    case Sent: return moment_(step.sent);
    case Answer: return answerText(step);
    case Took: return tookText(step);
    default: return step.via.isEmpty() ? step.target : tr("%1 via %2").arg(step.target, step.via);
    }
}

QVariant StepsModel::attribute(const DeliveryStep& step, int column, int role) const
{
    if (role == Qt::TextAlignmentRole && (column == Attempt || column == Took)) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    const auto style = styleOf(step.outcome);
    return column == Answer ? iconOrInk(style.icon, style.ink, role) : QVariant();
}

void StepComparisonModel::setContent(const DeliveryStep& left,
                                     const DeliveryStep& right,
                                     const std::function<QString(TimePoint)>& moment)
{
    setRows({
        {tr("Attempt"), QLocale().toString(left.attempt), QLocale().toString(right.attempt)},
        {tr("Sent"), moment(left.sent), moment(right.sent)},
        {tr("To"), left.target, right.target},
        {tr("Via"), left.via, right.via},
        {tr("Outcome"), styleOf(left.outcome).word, styleOf(right.outcome).word},
        {tr("Answer"), left.answer, right.answer},
        {tr("Took"), tookText(left), tookText(right)},
        {tr("Worker"), left.worker, right.worker},
        {tr("Then"), left.after, right.after},
    });
}

const std::vector<TableColumn>& StepComparisonModel::columns() const
{
    static const std::vector<TableColumn> kColumns{
        {QT_TR_NOOP("Field")}, {""}, {QT_TR_NOOP("Earlier")}, {QT_TR_NOOP("Later")}};
    return kColumns;
}

QString StepComparisonModel::text(const ComparedField& field, int column) const
{
    switch (column) {
    case 0: return field.name;
    case 1: return field.left == field.right ? QStringLiteral("=") : QStringLiteral("≠");
    case 2: return field.left;
    default: return field.right;
    }
}

QVariant StepComparisonModel::attribute(const ComparedField& field, int, int role) const
{
    if (role != Qt::FontRole || field.left == field.right) {
        return {};
    }
    QFont bold;
    bold.setBold(true);
    return bold;
}

}  // namespace restante::gui
