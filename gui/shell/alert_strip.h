#pragma once

#include "gui/operations/alert_texts.h"

#include <QFrame>

#include <optional>

class QLabel;

namespace restante::gui {

class LinkButton;
class SeverityMark;

/// A strip above the page that shows the most severe firing alert when the desktop has no tray and
/// alerts are not muted. *Thread of the window.*
class AlertStrip : public QFrame {
    Q_OBJECT

public:
    explicit AlertStrip(QWidget* parent);

    /// The alert that is shown, and how many more there are; none = hidden.
    void setAlert(const std::optional<AlertEpisode>& alert, int others);

signals:
    void targetRequested(restante::gui::AlertTarget target);
    void acknowledged(restante::AlertId rule);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    std::optional<AlertEpisode> alert_;
    int others_ = 0;
    SeverityMark* mark_;
    QLabel* text_;
    LinkButton* show_;
    LinkButton* acknowledge_;
};

}  // namespace restante::gui
