#include "gui/pages/audit/audit_model.h"

#include "gui/theme/icons.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace restante::gui {

namespace {

struct VerbEntry {
    const char* word;
    const char* text;
};

constexpr std::array kVerbs{
    VerbEntry{"push", QT_TRANSLATE_NOOP("Verb", "Push")},
    VerbEntry{"claim", QT_TRANSLATE_NOOP("Verb", "Take")},
    VerbEntry{"run_now", QT_TRANSLATE_NOOP("Verb", "Run now")},
    VerbEntry{"reschedule", QT_TRANSLATE_NOOP("Verb", "Reschedule")},
    VerbEntry{"hold", QT_TRANSLATE_NOOP("Verb", "Hold")},
    VerbEntry{"release", QT_TRANSLATE_NOOP("Verb", "Release")},
    VerbEntry{"finish", QT_TRANSLATE_NOOP("Verb", "Finish")},
    VerbEntry{"bury", QT_TRANSLATE_NOOP("Verb", "Bury")},
    VerbEntry{"trash", QT_TRANSLATE_NOOP("Verb", "Move to trash")},
    VerbEntry{"restore", QT_TRANSLATE_NOOP("Verb", "Restore")},
    VerbEntry{"purge", QT_TRANSLATE_NOOP("Verb", "Delete for good")},
    VerbEntry{"recover", QT_TRANSLATE_NOOP("Verb", "Bring back")},
    VerbEntry{"repair", QT_TRANSLATE_NOOP("Verb", "Repair")},
    VerbEntry{"pause", QT_TRANSLATE_NOOP("Verb", "Pause topic")},
    VerbEntry{"resume", QT_TRANSLATE_NOOP("Verb", "Resume topic")},
    VerbEntry{"limit", QT_TRANSLATE_NOOP("Verb", "Limit topic")},
    VerbEntry{"trace", QT_TRANSLATE_NOOP("Verb", "Trace")},
    VerbEntry{"untrace", QT_TRANSLATE_NOOP("Verb", "Stop tracing")},
};

bool same(const AuditRow& a, const AuditRow& b)
{
    return a.at == b.at && a.object == b.object && a.verb == b.verb && a.actor == b.actor;
}

}  // namespace

QString verbText(const QString& verb)
{
    for (const auto& entry : kVerbs) {
        if (verb == QLatin1String(entry.word)) {
            return QCoreApplication::translate("Verb", entry.text);
        }
    }
    return verb;
}

std::vector<QString> auditVerbs()
{
    std::vector<QString> words;
    words.reserve(kVerbs.size());
    for (const auto& entry : kVerbs) {
        words.push_back(QString::fromLatin1(entry.word));
    }
    return words;
}

QString stateText(const QString& state)
{
    const auto known = jobStateNamed(state.toStdString());
    return known ? Theme::stateName(*known) : state;
}

AuditModel::AuditModel(const Preferences& preferences, QObject* parent)
    : QAbstractTableModel(parent),
      preferences_(preferences)
{
}

void AuditModel::append(std::vector<AuditRow> rows, TimePoint now)
{
    now_ = now;
    if (rows.empty()) {
        return;
    }
    const auto first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
    std::move(rows.begin(), rows.end(), std::back_inserter(rows_));
    endInsertRows();
}

bool AuditModel::renew(std::vector<AuditRow> rows, TimePoint now)
{
    now_ = now;
    const auto known = rows_.empty()
                           ? rows.end()
                           : std::find_if(rows.begin(), rows.end(), [this](const AuditRow& row) {
                                 return same(row, rows_.front());
                             });
    if (known == rows.end()) {
        beginResetModel();
        rows_ = std::move(rows);
        endResetModel();
        return false;
    }
    if (const auto added = static_cast<int>(known - rows.begin()); added > 0) {
        beginInsertRows({}, 0, added - 1);
        rows_.insert(rows_.begin(), std::make_move_iterator(rows.begin()),
                     std::make_move_iterator(known));
        endInsertRows();
    }
    emit dataChanged(index(0, Time), index(rowCount() - 1, Time));
    return true;
}

void AuditModel::clear()
{
    beginResetModel();
    rows_.clear();
    endResetModel();
}

void AuditModel::retranslate()
{
    emit headerDataChanged(Qt::Horizontal, 0, ColumnCount_ - 1);
    if (!rows_.empty()) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount_ - 1));
    }
}

int AuditModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int AuditModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount_;
}

QString AuditModel::text(const AuditRow& row, int column) const
{
    switch (column) {
    case Time: return TimeText(preferences_).text(row.at, now_);
    case Actor: return row.actor;
    case Verb: return verbText(row.verb);
    case Object: return row.object;
    case From: return stateText(row.from);
    case To: return stateText(row.to);
    case Reason: return row.reason;
    default: return {};
    }
}

QVariant AuditModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const auto& row = rows_[static_cast<std::size_t>(index.row())];
    const auto column = index.column();
    if (role == Qt::DisplayRole) {
        return text(row, column);
    }
    if (role == Qt::ToolTipRole) {
        return column == Time ? TimeText(preferences_).exact(row.at)
                              : literalTip(text(row, column));
    }
    if (column == From || column == To) {
        const auto state = jobStateNamed((column == From ? row.from : row.to).toStdString());
        if (state && role == Qt::DecorationRole) {
            return icon(Theme::style(*state).icon);
        }
        if (state && role == Qt::ForegroundRole) {
            return Theme::style(*state).ink;
        }
    }
    return {};
}

QVariant AuditModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Time: return tr("Time");
    case Actor: return tr("Who");
    case Verb: return tr("Did");
    case Object: return tr("To what");
    case From: return tr("Before");
    case To: return tr("After");
    case Reason: return tr("Reason");
    default: return {};
    }
}

}  // namespace restante::gui
