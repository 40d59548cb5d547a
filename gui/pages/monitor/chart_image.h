#pragma once

#include <QByteArray>
#include <QString>
#include <QTimeZone>

#include <vector>

namespace restante::gui {

class ChartBox;

/// How charts are written to a file. *Value.*
struct ChartImage {
    enum class Format { Png, Svg };

    QString title;  ///< which store, and of which of its jobs
    QString range;  ///< from when to when
    QTimeZone zone;
    std::vector<const ChartBox*> charts;
};

/// One below the other with title, range, legend and axis, in the light look whatever the window
/// wears: what is printed or pasted is on white.
QByteArray drawn(const ChartImage& image, ChartImage::Format format);

}  // namespace restante::gui
