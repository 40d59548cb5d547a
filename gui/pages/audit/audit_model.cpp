#include "gui/pages/audit/audit_model.h"

#include "gui/operations/audit_words.h"
#include "gui/operations/reason_text.h"
#include "gui/theme/icons.h"
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

/// Between two writes of an order there are at most so many lines of what else was done meanwhile.
constexpr std::size_t kLinesBetween = 100;

const AuditRow& oldestOf(const AuditLine& line)
{
    return line.isOrder() ? line.order.back() : line.write;
}

AuditLine memberLine(const AuditRow& row)
{
    AuditLine line{row};
    line.ofOrder = true;
    return line;
}

void addTo(AuditLine& line, const AuditRow& older)
{
    if (!line.isOrder()) {
        line.order.push_back(line.write);
    }
    line.order.push_back(older);
}

/// Adds it to the line of its order, or as a line of its own.
void addBelow(std::vector<AuditLine>& lines, AuditRow row)
{
    const auto most = row.order.isEmpty() ? std::size_t{1} : kLinesBetween;
    const auto end = lines.rbegin() + static_cast<std::ptrdiff_t>(std::min(most, lines.size()));
    const auto found = std::find_if(lines.rbegin(), end, [&](const AuditLine& line) {
        return areOneRequest(oldestOf(line), row);
    });
    if (found != end) {
        addTo(*found, row);
    } else {
        lines.push_back({std::move(row)});
    }
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
    writes_ += rows.size();
    std::vector<AuditLine> lines;
    for (auto& row : rows) {
        if (!lines.empty() || !joinLast(row)) {
            addBelow(lines, std::move(row));
        }
    }
    insertAt(rows_.size(), std::move(lines));
}

/// What goes on below the last line, from the page before.
bool AuditModel::joinLast(const AuditRow& row)
{
    auto head = rows_.size();
    while (head > 0 && rows_[head - 1].ofOrder) {
        --head;
    }
    if (head == 0 || !areOneRequest(oldestOf(rows_[head - 1]), row)) {
        return false;
    }
    addTo(rows_[head - 1], row);
    if (rows_[head - 1].open) {
        insertAt(rows_.size(), {memberLine(row)});
    }
    emit dataChanged(index(static_cast<int>(head) - 1, Time),
                     index(static_cast<int>(head) - 1, Reason));
    return true;
}

/// An order that goes on becomes longer; the others come above it.
void AuditModel::joinFirst(std::vector<AuditRow> newer)
{
    const auto before = [&] {
        return newer.empty() || !areOneRequest(newer.back(), rows_.front().write);
    };
    while (!before()) {
        auto& first = rows_.front();
        if (!first.isOrder()) {
            first.order.push_back(first.write);
        }
        first.write = std::move(newer.back());
        newer.pop_back();
        first.order.insert(first.order.begin(), first.write);
        if (first.open) {
            insertAt(1, {memberLine(rows_.front().write)});
        }
    }
    std::vector<AuditLine> lines;
    for (auto& row : newer) {
        addBelow(lines, std::move(row));
    }
    insertAt(0, std::move(lines));
}

bool AuditModel::renew(std::vector<AuditRow> rows, TimePoint now)
{
    now_ = now;
    const auto known = rows_.empty()
                           ? rows.end()
                           : std::find_if(rows.begin(), rows.end(), [this](const AuditRow& row) {
                                 return same(row, rows_.front().write);
                             });
    if (known == rows.end()) {
        clear();
        append(std::move(rows), now);
        return false;
    }
    writes_ += static_cast<std::size_t>(known - rows.begin());
    joinFirst({std::make_move_iterator(rows.begin()), std::make_move_iterator(known)});
    emitAllChanged();
    return true;
}

void AuditModel::clear()
{
    writes_ = 0;
    RowModel::clear();
}

void AuditModel::toggle(int line)
{
    const auto at = static_cast<std::size_t>(line);
    if (at >= rows_.size() || !rows_[at].isOrder()) {
        return;
    }
    rows_[at].open = !rows_[at].open;
    if (rows_[at].open) {
        std::vector<AuditLine> lines;
        for (const auto& row : rows_[at].order) {
            lines.push_back(memberLine(row));
        }
        insertAt(at + 1, std::move(lines));
    } else {
        removeAt(at + 1, rows_[at].order.size());
    }
    emit dataChanged(index(line, Time), index(line, Reason));
}

const std::vector<TableColumn>& AuditModel::columns() const
{
    static const std::vector<TableColumn> kColumns{
        {QT_TR_NOOP("Time")}, {QT_TR_NOOP("What happened")}, {QT_TR_NOOP("Reason")}};
    return kColumns;
}

QString AuditModel::text(const AuditLine& line, int column) const
{
    const auto& row = line.write;
    switch (column) {
    case Time: return TimeText(preferences_).text(row.at, now_);
    case What:
        return line.isOrder() ? auditSentenceOfMany(line.order, TimeText(preferences_))
                              : auditSentence(row, TimeText(preferences_));
    case Reason: return reasonText(row.reason);
    default: return {};
    }
}

/// What the sentence does not say.
QString AuditModel::tip(const AuditLine& line) const
{
    auto text = this->text(line, What);
    const auto from = stateText(line.write.from);
    const auto to = stateText(line.write.to);
    if (line.isOrder()) {
        text += u'\n' +
                (line.open ? tr("Enter hides each of them again") : tr("Enter shows each of them"));
    } else if (!isAboutTopic(line.write.verb) && !from.isEmpty() && !to.isEmpty() && from != to) {
        text += u'\n' + tr("%1 before, %2 since", "states").arg(from, to);
    }
    return literalTip(text);
}

QVariant AuditModel::attribute(const AuditLine& line, int column, int role) const
{
    switch (role) {
    case Qt::ToolTipRole:
        return column == Time   ? TimeText(preferences_).exact(line.write.at)
               : column == What ? tip(line)
                                : literalTip(text(line, column));
    case Qt::DecorationRole: {
        if (column != What) {
            return {};
        }
        if (line.isOrder()) {
            return icon(line.open ? QStringLiteral("go-down") : QStringLiteral("go-next"));
        }
        const auto state = jobStateNamed(line.write.to.toStdString());
        return state ? QVariant(icon(Theme::style(*state).icon)) : QVariant();
    }
    default: return {};
    }
}

}  // namespace restante::gui
