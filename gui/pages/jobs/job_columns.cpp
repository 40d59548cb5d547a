#include "gui/pages/jobs/job_columns.h"

#include "core/base/timestamp.h"
#include "core/job/job_filter.h"
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

/// Where the translations find these texts.
struct JobColumns {
    Q_DECLARE_TR_FUNCTIONS(JobColumns)
};

/// More than a cell can show; a table must not lay out a megabyte.
constexpr qsizetype kLongestCell = 300;

QString oneLine(const QString& text)
{
    auto line = text.left(kLongestCell);
    for (auto& letter : line) {
        if (!letter.isPrint() && !letter.isSurrogate()) {
            letter = QLatin1Char(' ');
        }
    }
    return line.size() < text.size() ? line + QChar(0x2026) : line;
}

QString tries(const JobRow& row)
{
    const QLocale locale;
    return row.attempts == 0 ? locale.toString(row.attempt)
                             : QStringLiteral("%1/%2").arg(locale.toString(row.attempt),
                                                           locale.toString(row.attempts));
}

bool isMoment(TimePoint at)
{
    return at != TimePoint{} && at != TimePoint::max();
}

QString day(const char* field, TimePoint at)
{
    if (!isMoment(at)) {
        return {};
    }
    // The local day, as the grammar reads it.
    const auto text = QString::fromStdString(printLocalTime(at)).left(10);
    return QStringLiteral("%1:%2").arg(QLatin1String(field), text);
}

/// What a column is called, and for most of them the part of a row that it shows.
struct ColumnFace {
    const char* title;
    int width;                   ///< in letters "0"
    const char* field = "";      ///< of a filter; empty = there is none
    QString JobRow::*text = {};  ///< from strangers
    TimePoint JobRow::*moment = {};
};

/// In the order of JobColumn.
constexpr std::array<ColumnFace, kJobColumns> kFaces{{
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

/// Which job, for whom, what it says, when, and what went wrong; the others when they are wanted.
constexpr std::array<JobColumn, kJobColumns> kFirstOrder{
    JobColumn::CheckBox, JobColumn::State,  JobColumn::Id,       JobColumn::Kind, JobColumn::Topic,
    JobColumn::From,     JobColumn::To,     JobColumn::Text,     JobColumn::Due,  JobColumn::Tries,
    JobColumn::Error,    JobColumn::Key,    JobColumn::Priority, JobColumn::Size, JobColumn::Type,
    JobColumn::Created,  JobColumn::Expires};

const ColumnFace& faceOf(JobColumn column)
{
    return kFaces[static_cast<std::size_t>(column)];
}

QJsonObject objectOf(const JobRow& row)
{
    QJsonObject object{
        {QStringLiteral("id"), QString::fromStdString(row.id)},
        {QStringLiteral("state"), QString::fromLatin1(name(row.state))},
        {QStringLiteral("channel"), QString::fromLatin1(name(row.channel))},
        {QStringLiteral("topic"), row.topic},
        {QStringLiteral("due"), QString::fromStdString(printRfc3339(row.due))},
        {QStringLiteral("created"), QString::fromStdString(printRfc3339(row.created))},
        {QStringLiteral("attempt"), static_cast<qint64>(row.attempt)},
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
    if (row.expires != TimePoint{}) {
        add(QStringLiteral("expires"), QString::fromStdString(printRfc3339(row.expires)));
    }
    return object;
}

}  // namespace

QString titleOf(JobColumn column)
{
    const auto* title = faceOf(column).title;
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
    case JobColumn::Tries:
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

const std::array<JobColumn, kJobColumns>& firstOrder() noexcept
{
    return kFirstOrder;
}

bool shownAtFirst(JobColumn column)
{
    switch (column) {
    case JobColumn::CheckBox:
    case JobColumn::State:
    case JobColumn::Id:
    case JobColumn::Topic:
    case JobColumn::To:
    case JobColumn::Text:
    case JobColumn::Due:
    case JobColumn::Tries:
    case JobColumn::Error: return true;
    default: return false;
    }
}

bool saidByView(JobColumn column, const JobsView& view)
{
    return (column == JobColumn::State && view.states.size() == 1) ||
           (column == JobColumn::Kind && view.channel) ||
           (column == JobColumn::Topic && !view.topic.empty());
}

bool isEmptyIn(const JobRow& row, JobColumn column)
{
    const auto& face = faceOf(column);
    return face.text != nullptr     ? (row.*face.text).isEmpty()
           : face.moment != nullptr ? !isMoment(row.*face.moment)
                                    : false;
}

bool alignedRight(JobColumn column)
{
    return column == JobColumn::Size;
}

int widthOf(JobColumn column)
{
    return faceOf(column).width;
}

QString textOf(const JobRow& row, JobColumn column, const TimeText& times, TimePoint now)
{
    const auto& face = faceOf(column);
    if (row.isSeries && (column == JobColumn::Topic || column == JobColumn::Kind)) {
        return JobColumns::tr("recurring reminder");  // how its job is kept is no news
    }
    if (face.text != nullptr) {
        return oneLine(row.*face.text);
    }
    if (face.moment != nullptr) {
        return isMoment(row.*face.moment) ? times.text(row.*face.moment, now) : QString();
    }
    switch (column) {
    case JobColumn::State: return Theme::stateName(row.state);
    case JobColumn::Kind: return Theme::channelName(row.channel);
    case JobColumn::Tries: return tries(row);
    case JobColumn::Id: return oneLine(QString::fromStdString(row.id));
    case JobColumn::Priority: return QLocale().toString(row.priority);
    case JobColumn::Size: return QLocale().formattedDataSize(static_cast<qint64>(row.size));
    default: return {};
    }
}

QString wholeTextOf(const JobRow& row, JobColumn column, const TimeText& times)
{
    const auto& face = faceOf(column);
    if (face.text != nullptr) {
        return row.*face.text;
    }
    if (face.moment != nullptr) {
        return isMoment(row.*face.moment) ? times.exact(row.*face.moment) : QString();
    }
    switch (column) {
    case JobColumn::Id: return QString::fromStdString(row.id);
    case JobColumn::Size: return QString::number(row.size);
    default: return textOf(row, column, times, {});
    }
}

QString termFor(const JobRow& row, JobColumn column)
{
    const auto& face = faceOf(column);
    const auto term = [&](const QString& value, const char* field) {
        return value.isEmpty() ? QString()
                               : QString::fromStdString(filterFor(field, value.toStdString()));
    };
    if (face.moment != nullptr) {
        return day(face.field, row.*face.moment);
    }
    switch (column) {
    case JobColumn::State: return term(QString::fromLatin1(name(row.state)), face.field);
    case JobColumn::Kind: return term(QString::fromLatin1(name(row.channel)), face.field);
    case JobColumn::Error: return term(row.lastError.left(200), face.field);
    case JobColumn::Key:
        return term(row.bizKey, row.channel == Channel::Sip ? "callid" : face.field);
    case JobColumn::Id: return term(QString::fromStdString(row.id), face.field);
    case JobColumn::Priority: return term(QString::number(row.priority), face.field);
    case JobColumn::Tries: return term(QString::number(row.attempt), face.field);
    case JobColumn::Size: return term(QString::number(row.size), face.field);
    default:
        return face.text == nullptr || *face.field == '\0' ? QString()
                                                           : term(row.*face.text, face.field);
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
            auto text = wholeTextOf(row, column, times);
            for (auto& letter : text) {
                if (letter == u'\t' || letter == u'\n' || letter == u'\r') {
                    letter = QLatin1Char(' ');
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
        return QString::fromUtf8(QJsonDocument(objectOf(rows.front())).toJson());
    }
    QJsonArray array;
    for (const auto& row : rows) {
        array.append(objectOf(row));
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
