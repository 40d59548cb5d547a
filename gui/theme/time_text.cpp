#include "gui/theme/time_text.h"

#include "gui/base/preferences.h"

#include <QComboBox>
#include <QCompleter>
#include <QCoreApplication>

namespace restante::gui {

namespace {

struct Unit {
    std::int64_t ms;
    const char* format;
};

// From the largest; "%1 d" is a number with its unit, as short as a table wants it.
constexpr Unit kUnits[] = {
    {86'400'000, QT_TRANSLATE_NOOP("TimeText", "%1 d")},
    {3'600'000, QT_TRANSLATE_NOOP("TimeText", "%1 h")},
    {60'000, QT_TRANSLATE_NOOP("TimeText", "%1 min")},
    {1'000, QT_TRANSLATE_NOOP("TimeText", "%1 s")},
};

QString unitText(const Unit& unit, std::int64_t count)
{
    return QCoreApplication::translate("TimeText", unit.format).arg(count);
}

/// Year first, so that it means the same everywhere.
QString dateTimeFormat(const Preferences& preferences, const QString& seconds)
{
    const auto hours = preferences.clock24() ? QStringLiteral("HH") : QStringLiteral("hh");
    const auto amPm = preferences.clock24() ? QString() : QStringLiteral(" AP");
    return QStringLiteral("yyyy-MM-dd ") + hours + QStringLiteral(":mm:") + seconds + amPm;
}

QDateTime localTime(TimePoint at, const Preferences& preferences)
{
    return QDateTime::fromMSecsSinceEpoch(at.time_since_epoch().count(), zoneOf(preferences));
}

}  // namespace

QString TimeText::text(TimePoint at, TimePoint now) const
{
    return preferences_.relativeTimes() ? relative(at, now) : absolute(at);
}

QString TimeText::absolute(TimePoint at) const
{
    return localTime(at, preferences_).toString(dateTimeFormat(preferences_, QStringLiteral("ss")));
}

QString TimeText::exact(TimePoint at) const
{
    const auto local = localTime(at, preferences_);
    const auto minutes = local.offsetFromUtc() / 60;
    const auto offset = QStringLiteral("%1%2:%3")
                            .arg(minutes < 0 ? QLatin1Char('-') : QLatin1Char('+'))
                            .arg(std::abs(minutes) / 60, 2, 10, QLatin1Char('0'))
                            .arg(std::abs(minutes) % 60, 2, 10, QLatin1Char('0'));
    return local.toString(dateTimeFormat(preferences_, QStringLiteral("ss.zzz"))) + u' ' + offset;
}

QString TimeText::brief(TimePoint at, TimePoint now) const
{
    const auto local = localTime(at, preferences_);
    const auto clock = local.toString(preferences_.clock24() ? QStringLiteral("HH:mm")
                                                             : QStringLiteral("hh:mm AP"));
    return local.date() == localTime(now, preferences_).date()
               ? clock
               : local.toString(QStringLiteral("yyyy-MM-dd ")) + clock;
}

QString TimeText::relative(TimePoint at, TimePoint now)
{
    const auto offset = (at - now).count();
    if (std::abs(offset) < 1'000) {
        return QCoreApplication::translate("TimeText", "now");
    }
    for (const auto& unit : kUnits) {
        if (std::abs(offset) >= unit.ms) {
            const auto length = unitText(unit, std::abs(offset) / unit.ms);
            return offset > 0 ? QCoreApplication::translate("TimeText", "in %1").arg(length)
                              : QCoreApplication::translate("TimeText", "%1 ago").arg(length);
        }
    }
    return {};
}

QString TimeText::duration(Millis length)
{
    const auto ms = length.count();
    if (ms < 1'000) {
        return QCoreApplication::translate("TimeText", "%1 ms").arg(ms);
    }
    QString text;
    auto remainingMs = ms;
    int parts = 0;
    for (const auto& unit : kUnits) {
        if (remainingMs >= unit.ms && parts < 2) {
            text += (text.isEmpty() ? QString() : QStringLiteral(" ")) +
                    unitText(unit, remainingMs / unit.ms);
            remainingMs %= unit.ms;
            ++parts;
        } else if (parts == 1) {
            break;
        }
    }
    return text;
}

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

QComboBox* newZoneBox(QWidget* parent, const Preferences& preferences)
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
    const auto separatorIndex = box->count();
    QStringList names;
    for (const auto& id : QTimeZone::availableTimeZoneIds()) {
        names.append(QString::fromUtf8(id));
    }
    box->insertSeparator(separatorIndex);
    box->addItems(names);
    box->completer()->setFilterMode(Qt::MatchContains);
    box->completer()->setCompletionMode(QCompleter::PopupCompletion);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    constexpr int kMinCharacters = 20;
    box->setMinimumContentsLength(kMinCharacters);
    return box;
}

QTimeZone selectedZone(const QComboBox* box)
{
    const auto id = box->currentText().trimmed().toUtf8();
    return id.isEmpty() ? QTimeZone() : QTimeZone(id);
}

}  // namespace restante::gui
