#pragma once

#include "gui/actions/context.h"
#include "gui/session/alert_watch.h"
#include "gui/shell/notifier.h"

#include <QObject>

#include <functional>
#include <memory>

class QWidget;

namespace restante::gui {

class AlertButton;
class AlertPanel;
class AlertStrip;

/// The alerts of a window: AlertWatch, the bell with its panel, the strip above the page, and the
/// tray. Begin and end of each alert are notified once, unless alerts are muted. *Thread of the
/// window.*
class AlertCenter : public QObject {
    Q_OBJECT

public:
    AlertCenter(Context context, QWidget* window);
    ~AlertCenter() override;

    AlertWatch& watch() noexcept { return watch_; }
    AlertButton* button() const noexcept { return button_; }
    AlertStrip* strip() const noexcept { return strip_; }
    AlertPanel* panel() const noexcept { return panel_; }
    /// Instead of the desktop's tray (tests).
    void setNotifier(std::unique_ptr<Notifier> notifier);
    /// Instead of QApplication::beep (tests).
    void setBeep(std::function<void()> beep) { beep_ = std::move(beep); }
    /// Opens the panel below the bell.
    void showPanel();

signals:
    void targetRequested(restante::gui::AlertTarget target);
    void windowRequested();

private:
    void notifyBegun(const AlertEpisode& alert);
    void notifyEnded(const AlertEpisode& alert);
    void refresh();

    Context context_;
    AlertWatch watch_;
    std::unique_ptr<Notifier> notifier_;
    std::function<void()> beep_;
    AlertButton* button_;
    AlertPanel* panel_;
    AlertStrip* strip_;
};

}  // namespace restante::gui
