#pragma once

#include "gui/theme/theme.h"

#include <QToolButton>

namespace restante::gui {

class AlertWatch;

/// The bell at the head of the window: says in words, colour and shape how many alerts fire that
/// nobody has acknowledged, and how bad the worst is. *Thread of the window.*
class AlertButton : public QToolButton {
    Q_OBJECT

public:
    /// Gives the command when it is pressed.
    AlertButton(const AlertWatch& alerts, QAction* show, QWidget* parent);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    const AlertWatch& alerts_;
    Theme::Meaning meaning_ = Theme::Meaning::Good;
    int count_ = 0;  ///< that nobody has acknowledged
};

}  // namespace restante::gui
