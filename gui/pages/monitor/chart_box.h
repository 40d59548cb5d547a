#pragma once

#include "gui/pages/monitor/chart.h"
#include "gui/pages/monitor/monitor_series.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QLabel;

namespace restante::gui {

/// A chart under its title and legend. The legend shows the value of each line at the cursor, or at
/// the newest step, and hides or shows lines. *Thread of the window.*
class ChartBox : public QWidget {
    Q_OBJECT

public:
    struct LegendEntry {
        Line line;
        QColor light;
        QColor dark;
        Qt::PenStyle pen;
    };
    ChartBox(Chart::Unit unit, Chart::Form form, std::vector<LegendEntry> entries, QWidget* parent);

    void setTitle(const QString& title);
    void setContent(const std::vector<MonitorPoint>& points, Millis stepLength);
    QString title() const;
    Chart& chart() noexcept { return *chart_; }
    const Chart& chart() const noexcept { return *chart_; }
    const std::vector<LegendEntry>& entries() const noexcept { return entries_; }
    QCheckBox* toggleOf(std::size_t entry) const { return toggles_[entry]; }
    /// Updates the values of the legend.
    void updateValues();

protected:
    void changeEvent(QEvent* event) override;

private:
    QColor color(const LegendEntry& entry) const;
    void paintSwatches();

    std::vector<LegendEntry> entries_;
    QLabel* title_;
    Chart* chart_;
    std::vector<QCheckBox*> toggles_;
};

}  // namespace restante::gui
