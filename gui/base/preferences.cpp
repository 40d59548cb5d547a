#include "gui/base/preferences.h"

#include <QStandardPaths>

#include <algorithm>

namespace restante::gui {

namespace {

QString settingsFile(const QString& file)
{
    return file.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::ConfigLocation) +
                                QStringLiteral("/restante/admin.ini")
                          : file;
}

const QString kShortcutKeyPrefix = QStringLiteral("shortcuts/");
const QString kLayoutGroup = QStringLiteral("layout");

}  // namespace

Preferences::Preferences(const QString& file, QObject* parent)
    : QObject(parent),
      settings_(settingsFile(file), QSettings::IniFormat)
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

int Preferences::liveIntervalMs() const
{
    return std::clamp(value(kLiveInterval, 2'000).toInt(), 250, 60'000);
}

int Preferences::typedCountFrom() const
{
    return std::max(1, value(kTypedCount, 1'000).toInt());
}

int Preferences::productionCountFrom() const
{
    return std::max(1, value(kProductionCount, 1).toInt());
}

QByteArray Preferences::layout(const QString& key) const
{
    return settings_.value(kLayoutGroup + u'/' + key).toByteArray();
}

void Preferences::setLayout(const QString& key, const QByteArray& state)
{
    if (layout(key) != state) {
        settings_.setValue(kLayoutGroup + u'/' + key, state);
        emit layoutChanged(key);
    }
}

void Preferences::forgetLayouts()
{
    settings_.remove(kLayoutGroup);
    emit layoutsForgotten();
}

/// An invalid value removes the key.
void Preferences::setValue(const QString& key, const QVariant& value)
{
    if (settings_.value(key) != value) {
        if (value.isValid()) {
            settings_.setValue(key, value);
        } else {
            settings_.remove(key);
        }
        emit changed();
        if (key.startsWith(kShortcutKeyPrefix)) {
            emit shortcutsChanged();
        }
    }
}

const QString& PayloadLimits::chunkSizeKey()
{
    static const QString kKey = QStringLiteral("payload/partKiB");
    return kKey;
}

PayloadLimits PayloadLimits::of(const Preferences& preferences)
{
    PayloadLimits limits;
    const auto defaultKiB = static_cast<int>(limits.chunkSize / 1'024);
    const auto wantedKiB = preferences.value(chunkSizeKey(), defaultKiB).toInt();
    limits.chunkSize = std::clamp(wantedKiB, kMinChunkKiB, kMaxChunkKiB) * qsizetype{1'024};
    return limits;
}

}  // namespace restante::gui
