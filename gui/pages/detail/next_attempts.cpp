#include "gui/pages/detail/next_attempts.h"

#include "gui/theme/time_text.h"

#include <QLocale>

#include <utility>

namespace restante::gui {

namespace {

using After = AttemptForecast::After;

}  // namespace

void NextAttemptsModel::setContent(AttemptForecast forecast,
                                   std::function<QString(TimePoint)> formatTime)
{
    forecast_ = std::move(forecast);
    TimedRowModel::setContent(std::exchange(forecast_.attempts, {}), std::move(formatTime));
}

QString NextAttemptsModel::note() const
{
    switch (forecast_.after) {
    case After::Ended: return tr("None: it has ended. Restore or run it, and it is tried again.");
    case After::OnRelease: return tr("None until it is released.");
    case After::Dead: return tr("If the last one fails, too, the job is dead.");
    case After::Expires: return tr("Then it expires.");
    case After::GoesOn: return tr("And so on.");
    case After::OnPull:
        return tr("A consumer takes it once it is due; whenever a lease ends without an answer, it "
                  "is ready again.");
    case After::OnRegistration:
        return tr("As soon as the recipient registers a device. Until then nothing is sent, and no "
                  "attempt is used up.");
    }
    return {};
}

QString NextAttemptsModel::scheduleHint() const
{
    return forecast_.byChannelSchedule
               ? tr("It has no schedule of its own: this is the standard one of its channel, "
                    "unless the daemon is configured otherwise.")
               : QString();
}

const std::vector<TableColumn>& NextAttemptsModel::columns() const
{
    static const std::vector<TableColumn> kColumns{
        {QT_TR_NOOP("Attempt")}, {QT_TR_NOOP("After")}, {QT_TR_NOOP("At the earliest")}};
    return kColumns;
}

QString NextAttemptsModel::text(const PlannedAttempt& attempt, int column) const
{
    if (column == Number) {
        return QLocale().toString(attempt.number);
    }
    if (column == At) {
        return formatTime_(attempt.at);
    }
    const auto wait = attempt.wait == Millis{0} ? tr("at once") : TimeText::duration(attempt.wait);
    return attempt.approximate ? tr("about %1").arg(wait) : wait;
}

QVariant NextAttemptsModel::attribute(const PlannedAttempt&, int column, int role) const
{
    return role == Qt::TextAlignmentRole && column != At
               ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
               : QVariant();
}

}  // namespace restante::gui
