#include "gui/pages/audit/audit_model.h"

#include "gui/operations/audit_texts.h"
#include "gui/operations/reason_text.h"
#include "gui/theme/icons.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// The verbs of the audit and their displayed names.
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

/// Two writes of a bulk request are at most this many lines of other writes apart.
constexpr std::size_t kMaxLinesBetween = 100;

const AuditRow& oldestOf(const AuditLine& line)
{
    return line.isBulk() ? line.members.back() : line.newest;
}

/// Whether the write belongs to the bulk request of the line, wherever in it.
bool isOfRequest(const AuditRow& row, const AuditLine& line)
{
    return row.at > line.newest.at ? areOneRequest(row, line.newest)
                                   : areOneRequest(oldestOf(line), row);
}

AuditLine memberLine(const AuditRow& row)
{
    AuditLine line{row};
    line.isMember = true;
    return line;
}

/// How many lines back the line of a write's bulk request may be.
std::size_t maxDistanceOf(const AuditRow& row)
{
    return row.bulkActionId.isEmpty() ? std::size_t{1} : kMaxLinesBetween;
}

void addToBulkLine(AuditLine& line, const AuditRow& older)
{
    if (!line.isBulk()) {
        line.members.push_back(line.newest);
    }
    line.members.push_back(older);
}

/// Adds the write to the line of its bulk request, or as a separate line.
void addOlder(std::vector<AuditLine>& lines, AuditRow row)
{
    const auto end =
        lines.rbegin() + static_cast<std::ptrdiff_t>(std::min(maxDistanceOf(row), lines.size()));
    const auto found = std::find_if(lines.rbegin(), end, [&](const AuditLine& line) {
        return areOneRequest(oldestOf(line), row);
    });
    if (found != end) {
        addToBulkLine(*found, row);
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

AuditModel::WriteKey AuditModel::keyOf(const AuditRow& row)
{
    return {row.at, row.object, row.verb, row.actor};
}

void AuditModel::append(std::vector<AuditRow> rows, TimePoint now)
{
    now_ = now;
    if (!lateWrites_.empty()) {
        std::erase_if(rows,
                      [this](const AuditRow& row) { return lateWrites_.contains(keyOf(row)); });
    }
    writeCount_ += rows.size();
    if (rows_.empty() && !rows.empty()) {
        newest_ = rows.front();
    }
    std::vector<AuditLine> lines;
    for (auto& row : rows) {
        // Without an id only a write right before the last line can belong to it.
        const bool mayBelong = lines.empty() || !row.bulkActionId.isEmpty();
        if (!mayBelong || !appendToKnownLine(row)) {
            addOlder(lines, std::move(row));
        }
    }
    insertAt(rows_.size(), std::move(lines));
}

/// Adds the write to the line of its bulk request, one of the last ones. False = there is none.
bool AuditModel::appendToKnownLine(const AuditRow& row)
{
    std::size_t lines = 0;
    for (auto at = rows_.size(); at > 0 && lines < maxDistanceOf(row); --at) {
        auto& line = rows_[at - 1];
        if (line.isMember) {
            continue;
        }
        ++lines;
        if (!areOneRequest(oldestOf(line), row)) {
            continue;
        }
        addToBulkLine(line, row);
        emit dataChanged(index(static_cast<int>(at) - 1, Time),
                         index(static_cast<int>(at) - 1, Reason));
        if (line.isExpanded) {
            insertAt(at - 1 + line.members.size(), {memberLine(row)});
        }
        return true;
    }
    return false;
}

/// Adds the write to the line of its bulk request, one of the first ones, which stays where it is.
/// False = there is none.
bool AuditModel::prependToKnownLine(const AuditRow& row)
{
    std::size_t lines = 0;
    for (std::size_t at = 0; at < rows_.size() && lines < maxDistanceOf(row); ++at) {
        auto& line = rows_[at];
        if (line.isMember) {
            continue;
        }
        ++lines;
        if (!areOneRequest(row, line.newest)) {
            continue;
        }
        if (!line.isBulk()) {
            line.members.push_back(line.newest);
        }
        line.newest = row;
        line.members.insert(line.members.begin(), row);
        if (line.isExpanded) {
            insertAt(at + 1, {memberLine(row)});
        }
        return true;
    }
    return false;
}

/// Extends the lines of bulk requests that go on; puts other writes above them.
void AuditModel::prependNewer(std::vector<AuditRow> newer)
{
    std::vector<AuditRow> others;
    std::for_each(newer.rbegin(), newer.rend(), [&](AuditRow& row) {
        // Without an id only a write right after the first line can belong to it.
        const bool mayBelong = others.empty() || !row.bulkActionId.isEmpty();
        if (!mayBelong || !prependToKnownLine(row)) {
            others.push_back(std::move(row));
        }
    });
    std::vector<AuditLine> lines;
    std::for_each(others.rbegin(), others.rend(),
                  [&](AuditRow& row) { addOlder(lines, std::move(row)); });
    insertAt(0, std::move(lines));
}

/// The writes that it has of that time and later.
std::set<AuditModel::WriteKey> AuditModel::writesSince(TimePoint time) const
{
    std::set<WriteKey> writes;
    const auto add = [&](const AuditRow& row) {
        if (row.at >= time) {
            writes.insert(keyOf(row));
        }
    };
    for (const auto& line : rows_) {
        add(line.newest);
        std::ranges::for_each(line.members, add);
    }
    return writes;
}

/// The line of the write's bulk request near `place`, where its own line would be.
std::optional<std::size_t> AuditModel::lineOfRequest(const AuditRow& row, std::size_t place) const
{
    std::size_t lines = 0;
    for (auto at = place; at > 0 && lines < maxDistanceOf(row); --at) {
        if (rows_[at - 1].isMember) {
            continue;
        }
        if (isOfRequest(row, rows_[at - 1])) {
            return at - 1;
        }
        ++lines;
    }
    lines = 0;
    for (auto at = place; at < rows_.size() && lines < maxDistanceOf(row); ++at) {
        if (rows_[at].isMember) {
            continue;
        }
        if (isOfRequest(row, rows_[at])) {
            return at;
        }
        ++lines;
    }
    return std::nullopt;
}

void AuditModel::addToLine(std::size_t at, const AuditRow& row)
{
    auto& line = rows_[at];
    if (!line.isBulk()) {
        line.members.push_back(line.newest);
    }
    const auto place = std::ranges::find_if(
        line.members, [&row](const AuditRow& member) { return member.at < row.at; });
    const auto distance = static_cast<std::size_t>(place - line.members.begin());
    line.members.insert(place, row);
    line.newest = line.members.front();
    if (line.isExpanded) {
        insertAt(at + 1 + distance, {memberLine(row)});
    }
}

/// Adds a write that was recorded after newer ones.
void AuditModel::insertLate(const AuditRow& row)
{
    lateWrites_.insert(keyOf(row));
    std::size_t place = 0;
    while (place < rows_.size() && (rows_[place].isMember || rows_[place].newest.at >= row.at)) {
        ++place;
    }
    if (const auto line = lineOfRequest(row, place)) {
        addToLine(*line, row);
    } else {
        insertAt(place, {AuditLine{row}});
    }
}

bool AuditModel::mergeNewest(std::vector<AuditRow> rows, TimePoint now)
{
    now_ = now;
    if (!isReachedBy(rows)) {
        clear();
        append(std::move(rows), now);
        return false;
    }
    const auto known = writesSince(std::ranges::min_element(rows, {}, &AuditRow::at)->at);
    const auto newestKnown = keyOf(newest_);
    newest_ = rows.front();
    std::vector<AuditRow> newer;
    std::vector<AuditRow> late;
    bool isPastNewest = false;
    for (auto& row : rows) {
        const auto key = keyOf(row);
        isPastNewest = isPastNewest || key == newestKnown;
        if (!known.contains(key)) {
            (isPastNewest ? late : newer).push_back(std::move(row));
        }
    }
    writeCount_ += newer.size() + late.size();
    prependNewer(std::move(newer));
    for (const auto& row : late) {
        insertLate(row);
    }
    emitAllChanged();
    return true;
}

bool AuditModel::isReachedBy(const std::vector<AuditRow>& rows) const
{
    return !rows_.empty() && std::ranges::any_of(rows, [this](const AuditRow& row) {
        return keyOf(row) == keyOf(newest_);
    });
}

std::optional<TimePoint> AuditModel::newestTime() const
{
    return rows_.empty() ? std::nullopt : std::optional(newest_.at);
}

std::optional<TimePoint> AuditModel::oldestTime() const
{
    const auto last =
        std::find_if(rows_.rbegin(), rows_.rend(), [](const auto& line) { return !line.isMember; });
    return last == rows_.rend() ? std::nullopt : std::optional(oldestOf(*last).at);
}

void AuditModel::clear()
{
    writeCount_ = 0;
    lateWrites_.clear();
    RowModel::clear();
}

void AuditModel::toggle(int line)
{
    const auto position = static_cast<std::size_t>(line);
    if (position >= rows_.size() || !rows_[position].isBulk()) {
        return;
    }
    rows_[position].isExpanded = !rows_[position].isExpanded;
    if (rows_[position].isExpanded) {
        std::vector<AuditLine> lines;
        for (const auto& row : rows_[position].members) {
            lines.push_back(memberLine(row));
        }
        insertAt(position + 1, std::move(lines));
    } else {
        removeAt(position + 1, rows_[position].members.size());
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
    const auto& row = line.newest;
    switch (column) {
    case Time: return TimeText(preferences_).text(row.at, now_);
    case What:
        return line.isBulk() ? auditSentenceOfMany(line.members, TimeText(preferences_))
                             : auditSentence(row, TimeText(preferences_));
    case Reason: return reasonText(row.reason);
    default: return {};
    }
}

/// The sentence, and what it does not say.
QString AuditModel::tip(const AuditLine& line) const
{
    auto text = this->text(line, What);
    const auto from = stateText(line.newest.from);
    const auto to = stateText(line.newest.to);
    if (line.isBulk()) {
        text += u'\n' + (line.isExpanded ? tr("Enter hides each of them again")
                                         : tr("Enter shows each of them"));
    } else if (isAboutJobs(line.newest.verb) && !from.isEmpty() && !to.isEmpty() && from != to) {
        text += u'\n' + tr("%1 before, %2 since", "states").arg(from, to);
    }
    return literalTip(text);
}

QVariant AuditModel::attribute(const AuditLine& line, int column, int role) const
{
    switch (role) {
    case Qt::ToolTipRole:
        return column == Time   ? TimeText(preferences_).exact(line.newest.at)
               : column == What ? tip(line)
                                : literalTip(text(line, column));
    case Qt::DecorationRole: {
        if (column != What) {
            return {};
        }
        if (line.isBulk()) {
            return icon(line.isExpanded ? QStringLiteral("go-down") : QStringLiteral("go-next"));
        }
        const auto state = jobStateNamed(line.newest.to.toStdString());
        return state ? QVariant(icon(Theme::style(*state).icon)) : QVariant();
    }
    default: return {};
    }
}

}  // namespace restante::gui
