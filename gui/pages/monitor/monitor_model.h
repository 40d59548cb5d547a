#pragma once

#include "gui/pages/monitor/monitor_series.h"

#include <QAbstractTableModel>
#include <QString>

#include <functional>
#include <vector>

namespace restante::gui {

class Preferences;

/// The numbers of the charts as a table, newest first: from the first step that was watched on.
/// *Thread of the window.*
class MonitorModel : public QAbstractTableModel {
    Q_OBJECT

public:
    /// The number as the chart has it; invalid for a gap.
    static constexpr int kRawRole = Qt::UserRole;
    /// How a value of this line is written.
    using Write = std::function<QString(Line, std::optional<double>)>;

    MonitorModel(const Preferences& preferences, Write write, QObject* parent = nullptr);

    void setContent(const std::vector<Step>& steps);
    const Step& step(int row) const { return steps_[static_cast<std::size_t>(row)]; }
    void retranslate();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Preferences& preferences_;
    Write write_;
    std::vector<Step> steps_;
};

/// "Pushed", "p95", in the language of the console.
QString lineName(Line line);

/// All of it as RFC 4180 text: times in UTC, numbers as a program reads them, gaps empty.
QString csvOf(const std::vector<Step>& steps);

}  // namespace restante::gui
