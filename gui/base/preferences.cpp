#include "gui/base/preferences.h"

#include <QStandardPaths>

#include <algorithm>

namespace restante::gui {

namespace {

QString fileOf(const QString& file)
{
    return file.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::ConfigLocation) +
                                QStringLiteral("/restante/admin.ini")
                          : file;
}

const QString kScheme = QStringLiteral("appearance/scheme");
const QString kLanguage = QStringLiteral("appearance/language");
const QString kLive = QStringLiteral("live/intervalMs");
const QString kTyped = QStringLiteral("confirm/typedCountFrom");
const QString kZone = QStringLiteral("time/zone");
const QString kRelative = QStringLiteral("time/relative");
const QString kClock24 = QStringLiteral("time/clock24");
const QString kGrouped = QStringLiteral("numbers/grouped");
const QString kProduction = QStringLiteral("confirm/productionCountFrom");
const QString kReopens = QStringLiteral("connections/reopenLast");
const QString kLayouts = QStringLiteral("layout");

}  // namespace

Preferences::Preferences(const QString& file, QObject* parent)
    : QObject(parent),
      settings_(fileOf(file), QSettings::IniFormat)
{
}

Scheme Preferences::scheme() const
{
    const auto word = settings_.value(kScheme).toString();
    if (word == QLatin1String("light")) {
        return Scheme::Light;
    }
    return word == QLatin1String("dark") ? Scheme::Dark : Scheme::System;
}

void Preferences::setScheme(Scheme scheme)
{
    const auto word = scheme == Scheme::Light  ? QStringLiteral("light")
                      : scheme == Scheme::Dark ? QStringLiteral("dark")
                                               : QStringLiteral("system");
    setValue(kScheme, word);
}

QString Preferences::language() const
{
    return settings_.value(kLanguage).toString();
}

void Preferences::setLanguage(const QString& language)
{
    setValue(kLanguage, language);
}

int Preferences::liveIntervalMs() const
{
    return std::clamp(settings_.value(kLive, 2'000).toInt(), 250, 60'000);
}

void Preferences::setLiveIntervalMs(int interval)
{
    setValue(kLive, interval);
}

int Preferences::typedCountFrom() const
{
    return std::max(1, settings_.value(kTyped, 1'000).toInt());
}

void Preferences::setTypedCountFrom(int count)
{
    setValue(kTyped, count);
}

QByteArray Preferences::timeZone() const
{
    return settings_.value(kZone).toByteArray();
}

void Preferences::setTimeZone(const QByteArray& zone)
{
    setValue(kZone, zone);
}

bool Preferences::relativeTimes() const
{
    return settings_.value(kRelative, true).toBool();
}

void Preferences::setRelativeTimes(bool relative)
{
    setValue(kRelative, relative);
}

bool Preferences::clock24() const
{
    return settings_.value(kClock24, true).toBool();
}

void Preferences::setClock24(bool full)
{
    setValue(kClock24, full);
}

bool Preferences::groupedNumbers() const
{
    return settings_.value(kGrouped, true).toBool();
}

void Preferences::setGroupedNumbers(bool grouped)
{
    setValue(kGrouped, grouped);
}

int Preferences::productionCountFrom() const
{
    return std::max(1, settings_.value(kProduction, 1).toInt());
}

void Preferences::setProductionCountFrom(int count)
{
    setValue(kProduction, count);
}

bool Preferences::reopensLast() const
{
    return settings_.value(kReopens, true).toBool();
}

void Preferences::setReopensLast(bool reopens)
{
    setValue(kReopens, reopens);
}

QByteArray Preferences::layout(const QString& key) const
{
    return settings_.value(kLayouts + u'/' + key).toByteArray();
}

void Preferences::setLayout(const QString& key, const QByteArray& state)
{
    settings_.setValue(kLayouts + u'/' + key, state);
}

void Preferences::forgetLayouts()
{
    settings_.remove(kLayouts);
    emit layoutsForgotten();
}

QVariant Preferences::value(const QString& key, const QVariant& fallback) const
{
    return settings_.value(key, fallback);
}

void Preferences::setValue(const QString& key, const QVariant& value)
{
    if (settings_.value(key) != value) {
        settings_.setValue(key, value);
        emit changed();
    }
}

}  // namespace restante::gui
