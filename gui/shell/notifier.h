#pragma once

#include "gui/operations/alert_texts.h"

#include <QObject>
#include <QString>

#include <memory>

class QAction;

namespace restante::gui {

/// Notifies of alerts outside the window. *Thread of the window.*
class Notifier : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Whether the desktop can show notifications; may change at any time.
    virtual bool isAvailable() const = 0;
    /// Does nothing when isAvailable() is false.
    virtual void notify(Theme::Severity severity,
                        const QString& title,
                        const QString& text,
                        AlertTarget target) = 0;
    /// Sets the tool tip of the tray icon.
    virtual void setSummary(const QString& summary) = 0;

signals:
    /// Somebody wants to see the window.
    void windowRequested();
    /// Somebody has clicked on the last notification.
    void targetRequested(restante::gui::AlertTarget target);
};

/// The desktop's tray, with a menu: the window, `mute` and `quit`.
std::unique_ptr<Notifier> trayNotifier(QAction* mute, QAction* quit);

}  // namespace restante::gui
