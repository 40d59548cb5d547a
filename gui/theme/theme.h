#pragma once

#include "core/job/job.h"
#include "gui/base/scheme.h"

#include <QColor>
#include <QPalette>
#include <QString>

#include <string>

class QWidget;

namespace restante::gui {

/// How a state looks everywhere: always icon and word, never colour alone. *Value.*
struct StateStyle {
    QString icon;       ///< name for icon()
    QColor foreground;  ///< readable (4.5:1) on Base and AlternateBase of the palette
    QColor chartColor;  ///< in charts: 3:1 to Base, and unlike those of the other states
};

/// Colours of banners and of the filter box: `text` on `background` is readable. *Value.*
struct Tint {
    QColor background;
    QColor text;
};
/// Sets the colours of a widget that fills its own background.
void applyTint(QWidget& widget, const Tint& tint);

/// The console's own look, on top of Qt's Fusion style. *Thread of the window.*
class Theme {
public:
    /// Sets style and palette of the application.
    static void apply(Scheme scheme);
    /// The scheme of the last apply(), never System.
    static Scheme current();
    /// `scheme` with System replaced by that of the desktop.
    static Scheme resolved(Scheme scheme);

    static QPalette palette(Scheme scheme);
    static StateStyle style(JobState state, Scheme scheme = current());
    enum class Severity { Good, Warning, Bad, Notice };
    static Tint tint(Severity severity, Scheme scheme = current());
    /// Of a sign or a word; readable (4.5:1) on Base, AlternateBase and Window of the palette.
    static QColor foreground(Severity severity, Scheme scheme = current());

    /// "Scheduled", in the language of the console.
    static QString stateName(JobState state);
    static QString channelName(Channel channel);
    /// As people call it: topics of Restante itself have a word, others their own name.
    static QString topicName(const std::string& topic);
};

}  // namespace restante::gui
