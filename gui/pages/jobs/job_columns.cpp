#include "gui/pages/jobs/job_columns.h"

#include "core/base/timestamp.h"
#include "core/job/job_filter.h"
#include "gui/base/text_piece.h"
#include "gui/operations/verb_texts.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>
#include <QStringList>

#include <array>
#include <cstddef>

namespace restante::gui {

namespace {

/// The translation context of these texts.
struct JobColumns {
    Q_DECLARE_TR_FUNCTIONS(JobColumns)
};

/// More than a cell can show; a table must not lay out a megabyte.
constexpr qsizetype kMaxCellText = 300;

/// The text in one line, cut after kMaxCellText characters.
QString cellLine(const QString& text)
{
    auto line = beginningOf(text, kMaxCellText);
    for (auto& character : line) {
        if (!character.isPrint() && !character.isSurrogate()) {
            character = QLatin1Char(' ');
        }
    }
    return line.size() < text.size() ? line + QChar(0x2026) : line;
}

bool isSetTime(TimePoint at)
{
    return at != TimePoint{} && at != TimePoint::max();
}

QString dayTerm(const char* field, TimePoint at)
{
    if (!isSetTime(at)) {
        return {};
    }
    // The filter grammar reads dates as local days.
    const auto text = QString::fromStdString(formatLocalTime(at)).left(10);
    return QStringLiteral("%1:%2").arg(QLatin1String(field), text);
}

/// A column's title, width and filter field, and for most the member of a row that it shows.
struct ColumnInfo {
    const char* title;
    int width;                   ///< in digits "0"
    const char* field = "";      ///< of a filter; empty = there is none
    QString JobRow::*text = {};  ///< untrusted
    TimePoint JobRow::*moment = {};
};

/// In the order of JobColumn.
constexpr std::array<ColumnInfo, kJobColumns> kColumnInfos{{
    {"", 4},
    {QT_TRANSLATE_NOOP("JobColumns", "State"), 14, "state"},
    {QT_TRANSLATE_NOOP("JobColumns", "Channel"), 10, "kind"},
    {QT_TRANSLATE_NOOP("JobColumns", "Topic"), 11, "topic", &JobRow::topic},
    {QT_TRANSLATE_NOOP("JobColumns", "From"), 20, "from", &JobRow::sender},
    {QT_TRANSLATE_NOOP("JobColumns", "To"), 21, "to", &JobRow::recipient},
    {QT_TRANSLATE_NOOP("JobColumns", "Attempts"), 9, "attempts"},
    {QT_TRANSLATE_NOOP("JobColumns", "Due"), 13, "due", {}, &JobRow::due},
    {QT_TRANSLATE_NOOP("JobColumns", "Last error"), 16, "err", &JobRow::lastError},
    {QT_TRANSLATE_NOOP("JobColumns", "Key"), 26, "biz_key", &JobRow::bizKey},
    {QT_TRANSLATE_NOOP("JobColumns", "Id"), 14, "id"},
    {QT_TRANSLATE_NOOP("JobColumns", "Priority"), 8, "priority"},
    {QT_TRANSLATE_NOOP("JobColumns", "Size"), 10, "size"},
    {QT_TRANSLATE_NOOP("JobColumns", "Content type"), 20, "type", &JobRow::contentType},
    {QT_TRANSLATE_NOOP("JobColumns", "Created"), 13, "created", {}, &JobRow::created},
    {QT_TRANSLATE_NOOP("JobColumns", "Expires"), 13, "expires", {}, &JobRow::expires},
    {QT_TRANSLATE_NOOP("JobColumns", "Text"), 34, "", &JobRow::text},
}};

/// From left to right as a job is read; those that are hidden by default stand where they belong
/// when they are shown.
constexpr std::array<JobColumn, kJobColumns> kDefaultOrder{
    JobColumn::CheckBox, JobColumn::State,    JobColumn::Id,    JobColumn::Channel,
    JobColumn::Topic,    JobColumn::From,     JobColumn::To,    JobColumn::Text,
    JobColumn::Due,      JobColumn::Attempts, JobColumn::Error, JobColumn::Key,
    JobColumn::Priority, JobColumn::Size,     JobColumn::Type,  JobColumn::Created,
    JobColumn::Expires};

const ColumnInfo& infoOf(JobColumn column)
{
    return kColumnInfos[static_cast<std::size_t>(column)];
}

QJsonObject toJsonObject(const JobRow& row)
{
    QJsonObject object{
        {QStringLiteral("id"), QString::fromStdString(row.id)},
        {QStringLiteral("state"), QString::fromLatin1(name(row.state))},
        {QStringLiteral("channel"), QString::fromLatin1(name(row.channel))},
        {QStringLiteral("topic"), row.topic},
        {QStringLiteral("attempt"), static_cast<qint64>(row.countedAttempts)},
        {QStringLiteral("priority"), row.priority},
        {QStringLiteral("size"), static_cast<qint64>(row.size)},
    };
    const auto add = [&](const QString& key, const QString& value) {
        if (!value.isEmpty()) {
            object.insert(key, value);
        }
    };
    add(QStringLiteral("sender"), row.sender);
    add(QStringLiteral("recipient"), row.recipient);
    add(QStringLiteral("biz_key"), row.bizKey);
    add(QStringLiteral("content_type"), row.contentType);
    add(QStringLiteral("last_error"), row.lastError);
    add(QStringLiteral("text"), row.text);
    const auto addTime = [&](const QString& key, TimePoint at) {
        if (isSetTime(at)) {
            add(key, QString::fromStdString(formatRfc3339(at)));
        }
    };
    addTime(QStringLiteral("due"), row.due);
    addTime(QStringLiteral("created"), row.created);
    addTime(QStringLiteral("expires"), row.expires);
    return object;
}

}  // namespace

QString titleOf(JobColumn column)
{
    const auto* title = infoOf(column).title;
    return *title == '\0' ? QString() : QCoreApplication::translate("JobColumns", title);
}

QString titleIn(const JobsView& view, JobColumn column)
{
    if (column != JobColumn::Due || view.states.size() != 1) {
        return titleOf(column);
    }
    switch (view.states.front()) {
    case JobState::Leased: return JobColumns::tr("Lease ends");
    case JobState::Held: return JobColumns::tr("Next attempt");
    case JobState::Dead: return JobColumns::tr("Died");
    case JobState::Trashed: return JobColumns::tr("Trashed");
    case JobState::Done: return JobColumns::tr("Finished");
    case JobState::Scheduled:
    case JobState::Ready: break;
    }
    return titleOf(column);
}

QString tipOf(JobColumn column)
{
    switch (column) {
    case JobColumn::CheckBox: return JobColumns::tr("Select jobs one by one");
    case JobColumn::Attempts:
        return JobColumns::tr("Attempts that its schedule has used up, and how many it allows");
    case JobColumn::Due:
        return JobColumns::tr(
            "The next moment: due, end of the lease, next attempt of the mailbox; of an "
            "ended job when it ended. Jobs are in its order, state by state. Click to turn "
            "the order round.");
    case JobColumn::Key:
        return JobColumns::tr("The caller's own key; of a SIP message its Call-ID");
    case JobColumn::Size: return JobColumns::tr("Bytes of the body");
    case JobColumn::Text:
        return JobColumns::tr("What the body says, in a line; all of it is in the detail");
    default:
        return JobColumns::tr(
            "Not a column to sort by: the store keeps jobs in the order of their next moment "
            "only");
    }
}

const std::array<JobColumn, kJobColumns>& defaultOrder() noexcept
{
    return kDefaultOrder;
}

bool shownByDefault(JobColumn column)
{
    switch (column) {
    case JobColumn::CheckBox:
    case JobColumn::State:
    case JobColumn::Id:
    case JobColumn::Topic:
    case JobColumn::To:
    case JobColumn::Text:
    case JobColumn::Due:
    case JobColumn::Attempts:
    case JobColumn::Error: return true;
    default: return false;
    }
}

bool impliedByView(JobColumn column, const JobsView& view)
{
    return (column == JobColumn::State && view.states.size() == 1) ||
           (column == JobColumn::Channel && view.channel) ||
           (column == JobColumn::Topic && !view.topic.empty());
}

bool isEmptyIn(const JobRow& row, JobColumn column)
{
    const auto& info = infoOf(column);
    return info.text != nullptr     ? (row.*info.text).isEmpty()
           : info.moment != nullptr ? !isSetTime(row.*info.moment)
                                    : false;
}

bool isRightAligned(JobColumn column)
{
    return column == JobColumn::Size;
}

int widthOf(JobColumn column)
{
    return infoOf(column).width;
}

QString textOf(const JobRow& row, JobColumn column, const TimeText& times, TimePoint now)
{
    const auto& info = infoOf(column);
    if (row.isSeries && (column == JobColumn::Topic || column == JobColumn::Channel)) {
        return JobColumns::tr("recurring reminder");  // topic and channel of its job are internal
    }
    if (info.text != nullptr) {
        return cellLine(row.*info.text);
    }
    if (info.moment != nullptr) {
        return isSetTime(row.*info.moment) ? times.text(row.*info.moment, now) : QString();
    }
    switch (column) {
    case JobColumn::State: return Theme::stateName(row.state);
    case JobColumn::Channel: return Theme::channelName(row.channel);
    case JobColumn::Attempts: return attemptsText(row.countedAttempts, row.maxAttempts);
    case JobColumn::Id: return cellLine(QString::fromStdString(row.id));
    case JobColumn::Priority: return QLocale().toString(row.priority);
    case JobColumn::Size: return QLocale().formattedDataSize(static_cast<qint64>(row.size));
    default: return {};
    }
}

QString fullTextOf(const JobRow& row, JobColumn column, const TimeText& times)
{
    const auto& info = infoOf(column);
    if (info.text != nullptr) {
        return row.*info.text;
    }
    if (info.moment != nullptr) {
        return isSetTime(row.*info.moment) ? times.exact(row.*info.moment) : QString();
    }
    switch (column) {
    case JobColumn::Id: return QString::fromStdString(row.id);
    case JobColumn::Size: return QString::number(row.size);
    default: return textOf(row, column, times, {});
    }
}

QString termFor(const JobRow& row, JobColumn column)
{
    const auto& info = infoOf(column);
    const auto term = [&](const QString& value, const char* field) {
        return value.isEmpty() ? QString()
                               : QString::fromStdString(filterFor(field, value.toStdString()));
    };
    if (info.moment != nullptr) {
        return dayTerm(info.field, row.*info.moment);
    }
    switch (column) {
    case JobColumn::State: return term(QString::fromLatin1(name(row.state)), info.field);
    case JobColumn::Channel: return term(QString::fromLatin1(name(row.channel)), info.field);
    case JobColumn::Error: return term(beginningOf(row.lastError, 200), info.field);
    case JobColumn::Key:
        return term(row.bizKey, row.channel == Channel::Sip ? "callid" : info.field);
    case JobColumn::Id: return term(QString::fromStdString(row.id), info.field);
    case JobColumn::Priority: return term(QString::number(row.priority), info.field);
    case JobColumn::Attempts: return term(QString::number(row.countedAttempts), info.field);
    case JobColumn::Size: return term(QString::number(row.size), info.field);
    default:
        return info.text == nullptr || *info.field == '\0' ? QString()
                                                           : term(row.*info.text, info.field);
    }
}

QString asTable(const std::vector<JobRow>& rows,
                const std::vector<JobColumn>& columns,
                const TimeText& times)
{
    QStringList lines;
    QStringList cells;
    for (const auto column : columns) {
        cells.append(titleOf(column));
    }
    lines.append(cells.join(u'\t'));
    for (const auto& row : rows) {
        cells.clear();
        for (const auto column : columns) {
            auto text = fullTextOf(row, column, times);
            for (auto& character : text) {
                if (character == u'\t' || character == u'\n' || character == u'\r') {
                    character = QLatin1Char(' ');
                }
            }
            cells.append(text);
        }
        lines.append(cells.join(u'\t'));
    }
    return lines.join(u'\n') + u'\n';
}

QString asJson(const std::vector<JobRow>& rows)
{
    if (rows.size() == 1) {
        return QString::fromUtf8(QJsonDocument(toJsonObject(rows.front())).toJson());
    }
    QJsonArray array;
    for (const auto& row : rows) {
        array.append(toJsonObject(row));
    }
    return QString::fromUtf8(QJsonDocument(array).toJson());
}

QString asIds(const std::vector<JobRow>& rows)
{
    QStringList ids;
    for (const auto& row : rows) {
        ids.append(QString::fromStdString(row.id));
    }
    return ids.join(u'\n');
}

}  // namespace restante::gui
