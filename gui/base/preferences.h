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
    QString language() const;
    void setLanguage(const QString& language);
    /// Between two looks at the store while live, ms: 250 - 60,000.
    int liveIntervalMs() const;
    void setLiveIntervalMs(int interval);
    /// From how many jobs on the count must be typed.
    int typedCountFrom() const;
    void setTypedCountFrom(int count);
    /// Of shown times, an IANA name; empty = the machine's.
    QByteArray timeZone() const;
    void setTimeZone(const QByteArray& zone);
    /// "3 h ago" instead of date and time.
    bool relativeTimes() const;
    void setRelativeTimes(bool relative);
    /// "20:41" instead of "08:41 PM".
    bool clock24() const;
    void setClock24(bool full);
    /// "1,204" instead of "1204".
    bool groupedNumbers() const;
    void setGroupedNumbers(bool grouped);
    /// In a connection marked Production, from how many jobs on the count must be typed.
    int productionCountFrom() const;
    void setProductionCountFrom(int count);
    /// The console begins with the connection that it had last.
    bool reopensLast() const;
    void setReopensLast(bool reopens);

    /// How a window, splitter or table was left; `key` like "jobs/header". Empty = never.
    QByteArray layout(const QString& key) const;
    void setLayout(const QString& key, const QByteArray& state);
    void forgetLayouts();
    /// Anything else of a page: "jobs/savedViews".
    QVariant value(const QString& key, const QVariant& fallback = {}) const;
    void setValue(const QString& key, const QVariant& value);

signals:
    void changed();
    void layoutsForgotten();

private:
    QSettings settings_;
};

}  // namespace restante::gui
