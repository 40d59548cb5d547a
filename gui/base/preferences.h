#pragma once

#include "gui/base/scheme.h"

#include <QByteArray>
#include <QObject>
#include <QSettings>
#include <QString>
#include <QVariant>

namespace restante::gui {

/// What the user has set and how the windows were left, in an ini file under the XDG configuration
/// directory. Written at once when it changes; never a secret. *Thread of the window.*
class Preferences : public QObject {
    Q_OBJECT

public:
    /// In the user's directory, or in the file that is named (tests).
    explicit Preferences(const QString& file = {}, QObject* parent = nullptr);

    Scheme scheme() const;
    void setScheme(Scheme scheme);
    /// "en", "zh_CN", or empty = what the desktop says.
    QString language() const { return value(kLanguage).toString(); }
    void setLanguage(const QString& language) { setValue(kLanguage, language); }
    /// Between two looks at the store while live, ms: 250 - 60,000.
    int liveIntervalMs() const;
    void setLiveIntervalMs(int interval) { setValue(kLive, interval); }
    /// From how many jobs on the count must be typed.
    int typedCountFrom() const;
    void setTypedCountFrom(int count) { setValue(kTyped, count); }
    /// Of shown times, an IANA name; empty = the machine's.
    QByteArray timeZone() const { return value(kZone).toByteArray(); }
    void setTimeZone(const QByteArray& zone) { setValue(kZone, zone); }
    /// "3 h ago" instead of date and time.
    bool relativeTimes() const { return value(kRelative, true).toBool(); }
    void setRelativeTimes(bool relative) { setValue(kRelative, relative); }
    /// "20:41" instead of "08:41 PM".
    bool clock24() const { return value(kClock24, true).toBool(); }
    void setClock24(bool full) { setValue(kClock24, full); }
    /// "1,204" instead of "1204".
    bool groupedNumbers() const { return value(kGrouped, true).toBool(); }
    void setGroupedNumbers(bool grouped) { setValue(kGrouped, grouped); }
    /// In a connection marked Production, from how many jobs on the count must be typed.
    int productionCountFrom() const;
    void setProductionCountFrom(int count) { setValue(kProduction, count); }
    /// The console begins with the windows and connections that it had last.
    bool reopensLast() const { return value(kReopens, true).toBool(); }
    void setReopensLast(bool reopens) { setValue(kReopens, reopens); }

    /// How a window, splitter or table was left; `key` like "jobs/header". Empty = never.
    QByteArray layout(const QString& key) const;
    void setLayout(const QString& key, const QByteArray& state);
    void forgetLayouts();
    /// Anything else of a page: "jobs/savedViews".
    QVariant value(const QString& key, const QVariant& fallback = {}) const
    {
        return settings_.value(key, fallback);
    }
    void setValue(const QString& key, const QVariant& value);

signals:
    void changed();
    /// By whatever window: another one that shows the same follows.
    void layoutChanged(const QString& key);
    void shortcutsChanged();
    void layoutsForgotten();

private:
    inline static const auto kScheme = QStringLiteral("appearance/scheme");
    inline static const auto kLanguage = QStringLiteral("appearance/language");
    inline static const auto kLive = QStringLiteral("live/intervalMs");
    inline static const auto kTyped = QStringLiteral("confirm/typedCountFrom");
    inline static const auto kProduction = QStringLiteral("confirm/productionCountFrom");
    inline static const auto kZone = QStringLiteral("time/zone");
    inline static const auto kRelative = QStringLiteral("time/relative");
    inline static const auto kClock24 = QStringLiteral("time/clock24");
    inline static const auto kGrouped = QStringLiteral("numbers/grouped");
    inline static const auto kReopens = QStringLiteral("connections/reopenLast");

    QSettings settings_;
};

/// How much of a body a text field is given at once. A field lays out a single line in a time that
/// grows with the square of its length.
struct PayloadLimits {
    qsizetype part = 256 * 1'024;  ///< characters, or bytes in four of them for Hex
    qsizetype line = 2'000;        ///< characters

    static constexpr int kLeastKiB = 16;
    static constexpr int kMostKiB = 1'024;
    static const QString& partKey();  ///< in the preferences, KiB
    static PayloadLimits of(const Preferences& preferences);
};

}  // namespace restante::gui
