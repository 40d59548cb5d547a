#include "gui/pages/detail/next_attempts_model.h"

#include "gui/theme/time_text.h"

#include <QLocale>

namespace restante::gui {

void NextAttemptsModel::setContent(AttemptPreview preview, std::function<QString(TimePoint)> moment)
{
    beginResetModel();
    preview_ = std::move(preview);
    moment_ = std::move(moment);
    endResetModel();
}

QString NextAttemptsModel::note() const
{
    using After = AttemptPreview::After;
    QString note;
    switch (preview_.after) {
    case After::Ended: return tr("None: it has ended. Restore or run it, and it is tried again.");
    case After::Dead: note = tr("If the last one fails, too, the job is dead."); break;
    case After::Expires: note = tr("Then it expires."); break;
    case After::GoesOn: note = tr("And so on."); break;
    case After::WhenAsked:
        return tr("A consumer takes it once it is due; whenever a lease ends without an answer, it "
                  "is ready again.");
    case After::WhenThere: return tr("As soon as the recipient registers.");
    }
    if (preview_.standard) {
        note += u' ' + tr("It has no schedule of its own: this is the standard one of its channel, "
                          "unless the daemon is configured otherwise.");
    }
    return note;
}

int NextAttemptsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(preview_.attempts.size());
}

int NextAttemptsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 3;
}

QVariant NextAttemptsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    if (role == Qt::TextAlignmentRole && index.column() != 2) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    const auto& attempt = preview_.attempts[static_cast<std::size_t>(index.row())];
    switch (index.column()) {
    case 0: return QLocale().toString(attempt.number);
    case 1: {
        const auto wait =
            attempt.wait == Millis{0} ? tr("at once") : TimeText::duration(attempt.wait);
        return attempt.rough ? tr("about %1").arg(wait) : wait;
    }
    default: return moment_(attempt.at);
    }
}

QVariant NextAttemptsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case 0: return tr("Attempt");
    case 1: return tr("After");
    default: return tr("At the earliest");
    }
}

}  // namespace restante::gui
