#pragma once

#include "gui/operations/alert_texts.h"

#include <QObject>
#include <QString>

#include <memory>

class QAction;

namespace restante::gui {

/// Tells people of alerts outside of the window. *Thread of the window.*
class Notifier : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Whether the desktop has a place for it; it may come and go.
    virtual bool isThere() const = 0;
    /// Nothing happens where there is none.
    virtual void
    tell(Theme::Meaning meaning, const QString& title, const QString& text, AlertPlace place) = 0;
    /// What the tool tip of the place says, as the bell does.
    virtual void setSummary(const QString& summary) = 0;

signals:
    /// Somebody wants to see the window.
    void windowRequested();
    /// Somebody has clicked on what was told last.
    void placeRequested(restante::gui::AlertPlace place);
};

/// The desktop's tray, with a menu: the window, `mute` and `quit`.
std::unique_ptr<Notifier> trayNotifier(QAction* mute, QAction* quit);

}  // namespace restante::gui
