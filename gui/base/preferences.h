#pragma once

#include "gui/base/scheme.h"

#include <QByteArray>
#include <QObject>
#include <QSettings>
#include <QString>
#include <QVariant>

namespace restante::gui {

/// The user's settings and the layouts of the windows, in an ini file under the XDG configuration
/// directory. Every change is saved at once; secrets are never stored here. *Thread of the window.*
class Preferences : public QObject {
    Q_OBJECT

public:
    /// Empty = the file in the user's directory; tests name another one.
    explicit Preferences(const QString& file = {}, QObject* parent = nullptr);

    Scheme scheme() const;
    void setScheme(Scheme scheme);
    /// "en", "zh_CN", or empty = what the desktop says.
    QString language() const { return value(kLanguage).toString(); }
    void setLanguage(const QString& language) { setValue(kLanguage, language); }
    /// Time between two refreshes with Live Update on, ms: 250 - 60,000.
    int liveIntervalMs() const;
    void setLiveIntervalMs(int interval) { setValue(kLiveInterval, interval); }
    /// From how many jobs on the count must be typed.
    int typedCountFrom() const;
    void setTypedCountFrom(int count) { setValue(kTypedCount, count); }
    /// The zone in which times are shown, an IANA name; empty = the machine's.
    QByteArray timeZone() const { return value(kTimeZone).toByteArray(); }
    void setTimeZone(const QByteArray& zone) { setValue(kTimeZone, zone); }
    /// "3 h ago" instead of date and time.
    bool relativeTimes() const { return value(kRelativeTimes, true).toBool(); }
    void setRelativeTimes(bool relative) { setValue(kRelativeTimes, relative); }
    /// "20:41" instead of "08:41 PM".
    bool clock24() const { return value(kClock24, true).toBool(); }
    void setClock24(bool full) { setValue(kClock24, full); }
    /// "1,204" instead of "1204".
    bool groupedNumbers() const { return value(kGroupedNumbers, true).toBool(); }
    void setGroupedNumbers(bool grouped) { setValue(kGroupedNumbers, grouped); }
    /// In a connection marked Production, from how many jobs on the count must be typed.
    int productionCountFrom() const;
    void setProductionCountFrom(int count) { setValue(kProductionCount, count); }
    /// Whether the console starts with the windows and connections of its last run.
    bool reopensLast() const { return value(kReopenLast, true).toBool(); }
    void setReopensLast(bool reopens) { setValue(kReopenLast, reopens); }

    /// The saved state of a window, splitter or table; `key` like "jobs/header". Empty = none.
    QByteArray layout(const QString& key) const;
    void setLayout(const QString& key, const QByteArray& state);
    void forgetLayouts();
    /// Any other setting of a page: "jobs/savedViews".
    QVariant value(const QString& key, const QVariant& fallback = {}) const
    {
        return settings_.value(key, fallback);
    }
    void setValue(const QString& key, const QVariant& value);

signals:
    void changed();
    /// Any window has saved it; others that show the same follow.
    void layoutChanged(const QString& key);
    void shortcutsChanged();
    void layoutsForgotten();

private:
    inline static const auto kScheme = QStringLiteral("appearance/scheme");
    inline static const auto kLanguage = QStringLiteral("appearance/language");
    inline static const auto kLiveInterval = QStringLiteral("live/intervalMs");
    inline static const auto kTypedCount = QStringLiteral("confirm/typedCountFrom");
    inline static const auto kProductionCount = QStringLiteral("confirm/productionCountFrom");
    inline static const auto kTimeZone = QStringLiteral("time/zone");
    inline static const auto kRelativeTimes = QStringLiteral("time/relative");
    inline static const auto kClock24 = QStringLiteral("time/clock24");
    inline static const auto kGroupedNumbers = QStringLiteral("numbers/grouped");
    inline static const auto kReopenLast = QStringLiteral("connections/reopenLast");

    QSettings settings_;
};

/// How much of a body a text field shows at once. The time to lay out one line grows with the
/// square of its length.
struct PayloadLimits {
    qsizetype chunkSize = 256 * 1'024;  ///< characters; Hex shows a quarter as many bytes
    qsizetype line = 2'000;             ///< characters

    static constexpr int kMinChunkKiB = 16;
    static constexpr int kMaxChunkKiB = 1'024;
    static const QString& chunkSizeKey();  ///< in the preferences, KiB
    static PayloadLimits of(const Preferences& preferences);
};

}  // namespace restante::gui
