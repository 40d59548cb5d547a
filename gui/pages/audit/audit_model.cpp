#include "gui/pages/audit/audit_model.h"

#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>
#include <utility>

namespace restante::gui {

namespace {

/// The words of writes, and how they read.
constexpr std::pair<const char*, const char*> kVerbs[] = {
    {"push", QT_TRANSLATE_NOOP("Verb", "Push")},
    {"claim", QT_TRANSLATE_NOOP("Verb", "Take")},
    {"run_now", QT_TRANSLATE_NOOP("Verb", "Run now")},
    {"reschedule", QT_TRANSLATE_NOOP("Verb", "Reschedule")},
    {"hold", QT_TRANSLATE_NOOP("Verb", "Hold")},
    {"release", QT_TRANSLATE_NOOP("Verb", "Release")},
    {"finish", QT_TRANSLATE_NOOP("Verb", "Finish")},
    {"bury", QT_TRANSLATE_NOOP("Verb", "Bury")},
    {"trash", QT_TRANSLATE_NOOP("Verb", "Move to trash")},
    {"restore", QT_TRANSLATE_NOOP("Verb", "Restore")},
    {"purge", QT_TRANSLATE_NOOP("Verb", "Delete for good")},
    {"recover", QT_TRANSLATE_NOOP("Verb", "Bring back")},
    {"repair", QT_TRANSLATE_NOOP("Verb", "Repair")},
    {"pause", QT_TRANSLATE_NOOP("Verb", "Pause topic")},
    {"resume", QT_TRANSLATE_NOOP("Verb", "Resume topic")},
    {"limit", QT_TRANSLATE_NOOP("Verb", "Limit topic")},
    {"trace", QT_TRANSLATE_NOOP("Verb", "Trace")},
    {"untrace", QT_TRANSLATE_NOOP("Verb", "Stop tracing")},
};

bool same(const AuditRow& a, const AuditRow& b)
{
    return a.at == b.at && a.object == b.object && a.verb == b.verb && a.actor == b.actor;
}

}  // namespace

QString verbText(const QString& verb)
{
    for (const auto& [word, text] : kVerbs) {
        if (verb == QLatin1String(word)) {
            return QCoreApplication::translate("Verb", text);
        }
    }
    return verb;
}

std::vector<QString> auditVerbs()
{
    std::vector<QString> words;
    for (const auto& [word, text] : kVerbs) {
        words.push_back(QString::fromLatin1(word));
    }
    return words;
}

QString stateText(const QString& state)
{
    const auto known = jobStateNamed(state.toStdString());
    return known ? Theme::stateName(*known) : state;
}

AuditModel::AuditModel(const Preferences& preferences, QObject* parent)
    : RowModel(parent),
      preferences_(preferences)
{
}

void AuditModel::append(std::vector<AuditRow> rows, TimePoint now)
{
    now_ = now;
    insertAt(rows_.size(), std::move(rows));
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
        setRows(std::move(rows));
        return false;
    }
    insertAt(0, {std::make_move_iterator(rows.begin()), std::make_move_iterator(known)});
    emit dataChanged(index(0, Time), index(rowCount() - 1, Time));
    return true;
}

const std::vector<TableColumn>& AuditModel::columns() const
{
    static const std::vector<TableColumn> kColumns{{QT_TR_NOOP("Time")},   {QT_TR_NOOP("Who")},
                                                   {QT_TR_NOOP("Did")},    {QT_TR_NOOP("To what")},
                                                   {QT_TR_NOOP("Before")}, {QT_TR_NOOP("After")},
                                                   {QT_TR_NOOP("Reason")}};
    return kColumns;
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

QVariant AuditModel::attribute(const AuditRow& row, int column, int role) const
{
    if (role == Qt::ToolTipRole) {
        return column == Time ? TimeText(preferences_).exact(row.at)
                              : literalTip(text(row, column));
    }
    if (column == From || column == To) {
        if (const auto state = jobStateNamed((column == From ? row.from : row.to).toStdString())) {
            return iconOrInk(Theme::style(*state).icon, Theme::style(*state).ink, role);
        }
    }
    return {};
}

}  // namespace restante::gui
