#pragma once

#include "gui/pages/monitor/monitor_series.h"
#include "gui/theme/row_model.h"

#include <functional>

namespace restante::gui {

class Preferences;

/// The values of the charts as a table, newest first, without the empty steps before the first
/// value. *Thread of the window.*
class MonitorModel : public RowModel<MonitorPoint> {
    Q_OBJECT

public:
    /// The unformatted number; invalid for a gap.
    static constexpr int kRawRole = Qt::UserRole;
    /// Formats a value of the line.
    using FormatValue = std::function<QString(Line, std::optional<double>)>;

    MonitorModel(const Preferences& preferences, FormatValue format, QObject* parent = nullptr);

    void setContent(const std::vector<MonitorPoint>& points);

private:
    const std::vector<TableColumn>& columns() const override;
    QString title(int column) const override;
    QString text(const MonitorPoint& point, int column) const override;
    QVariant attribute(const MonitorPoint& point, int column, int role) const override;

    const Preferences& preferences_;
    FormatValue format_;
};

/// "Pushed", "Late p95", in the language of the console.
QString lineName(Line line);

/// The points as CSV (RFC 4180): times in UTC, numbers not localised, gaps empty.
QString csvOf(const std::vector<MonitorPoint>& points);

}  // namespace restante::gui
