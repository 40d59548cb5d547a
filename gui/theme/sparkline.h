#pragma once

#include <QColor>
#include <QRectF>
#include <QWidget>

#include <optional>
#include <vector>

class QPainter;

namespace restante::gui {

/// Draws the line, and the area under it, into `box` without anything around it, so that `maximum`
/// is at its top; what is not known is a gap.
void drawSparkline(QPainter& painter,
                   const QRectF& box,
                   const std::vector<std::optional<double>>& values,
                   double maximum,
                   const QColor& color);

/// A small line chart without axes, from 0 up, with gaps where values are unknown. The owner shows
/// the numbers beside it. *Thread of the window.*
class Sparkline : public QWidget {
    Q_OBJECT

public:
    using Values = std::vector<std::optional<double>>;

    explicit Sparkline(QWidget* parent = nullptr);

    /// Oldest first.
    void setValues(Values values);
    const Values& values() const noexcept { return values_; }

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Values values_;
};

}  // namespace restante::gui
