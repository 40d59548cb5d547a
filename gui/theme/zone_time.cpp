#include "gui/theme/zone_time.h"

#include "gui/base/preferences.h"

#include <QComboBox>
#include <QCompleter>

namespace restante::gui {

QTimeZone zoneOf(const Preferences& preferences)
{
    const QTimeZone chosen(preferences.timeZone());
    return chosen.isValid() ? chosen : QTimeZone::systemTimeZone();
}

QString timeIn(const QTimeZone& zone, TimePoint at)
{
    const auto time = QDateTime::fromMSecsSinceEpoch(toEpochMs(at), zone);
    return QStringLiteral("%1 %2").arg(time.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")),
                                       time.timeZoneAbbreviation());
}

TimePoint timeOf(const QDate& date, const QTime& time, const QTimeZone& zone)
{
    return fromEpochMs(QDateTime(date, time, zone).toMSecsSinceEpoch());
}

QComboBox* zonesIn(QWidget* parent, const Preferences& preferences)
{
    auto* box = new QComboBox(parent);
    box->setObjectName(QStringLiteral("zone"));
    box->setEditable(true);
    box->setInsertPolicy(QComboBox::NoInsert);
    const auto add = [box](const QByteArray& id) {
        const auto name = QString::fromUtf8(id);
        if (!id.isEmpty() && box->findText(name) < 0) {
            box->addItem(name);
        }
    };
    add(zoneOf(preferences).id());
    add(QTimeZone::systemTimeZoneId());
    add(QByteArrayLiteral("UTC"));
    const auto first = box->count();
    QStringList names;
    for (const auto& id : QTimeZone::availableTimeZoneIds()) {
        names.append(QString::fromUtf8(id));
    }
    box->insertSeparator(first);
    box->addItems(names);
    box->completer()->setFilterMode(Qt::MatchContains);
    box->completer()->setCompletionMode(QCompleter::PopupCompletion);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    constexpr int kLetters = 20;
    box->setMinimumContentsLength(kLetters);
    return box;
}

QTimeZone zoneIn(const QComboBox* box)
{
    const auto id = box->currentText().trimmed().toUtf8();
    return id.isEmpty() ? QTimeZone() : QTimeZone(id);
}

}  // namespace restante::gui
