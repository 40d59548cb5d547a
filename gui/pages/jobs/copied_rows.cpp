#include "gui/pages/jobs/copied_rows.h"

#include "core/base/timestamp.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>

namespace restante::gui {

namespace {

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
    if (row.expires != TimePoint{}) {
        add(QStringLiteral("expires"), QString::fromStdString(printRfc3339(row.expires)));
    }
    return object;
}

}  // namespace

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
