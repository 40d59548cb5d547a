#pragma once

#include <QProxyStyle>

namespace restante::gui {

/// Fusion, but for boxes and frames: it derives their outlines from the window's colour, which in a
/// dark palette leaves them invisible. Ours keep a contrast of 3:1 to what they stand on. The icon
/// of the menu's chosen line has the colour of its text, and cells keep their texts off each other.
class ConsoleStyle : public QProxyStyle {
    Q_OBJECT

public:
    ConsoleStyle();

    void drawPrimitive(PrimitiveElement element,
                       const QStyleOption* option,
                       QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element,
                     const QStyleOption* option,
                     QPainter* painter,
                     const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric,
                    const QStyleOption* option,
                    const QWidget* widget) const override;
};

}  // namespace restante::gui
