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

    QString title;  ///< the store, and the topic or channel if chosen
    QString range;  ///< from when to when
    QTimeZone zone;
    std::vector<const ChartBox*> charts;
};

/// Draws the charts one below the other with title, range, legend and axis, always in the light
/// scheme, for white paper.
QByteArray renderCharts(const ChartImage& image, ChartImage::Format format);

}  // namespace restante::gui
