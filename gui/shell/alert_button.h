#pragma once

#include "gui/theme/theme.h"

#include <QToolButton>

namespace restante::gui {

class AlertWatch;

/// The bell in the menu bar: shows how many firing alerts are not acknowledged, and the severity of
/// the worst. *Thread of the window.*
class AlertButton : public QToolButton {
    Q_OBJECT

public:
    /// Triggers `show` when it is clicked.
    AlertButton(const AlertWatch& alerts, QAction* show, QWidget* parent);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    const AlertWatch& alerts_;
    Theme::Severity severity_ = Theme::Severity::Good;
    int unacknowledgedCount_ = 0;  ///< alerts that are not acknowledged
};

}  // namespace restante::gui
