#pragma once

#include "core/queue/attempt_forecast.h"
#include "gui/pages/detail/detail_table.h"

#include <functional>
#include <vector>

namespace restante::gui {

/// The next attempts as a table. *Thread of the window.*
class NextAttemptsModel : public TimedRowModel<PlannedAttempt> {
    Q_OBJECT

public:
    using TimedRowModel::TimedRowModel;

    void setContent(AttemptForecast forecast, std::function<QString(TimePoint)> formatTime);
    /// A sentence about what follows the last row.
    QString note() const;
    /// Whose schedule applies if the job has none of its own; otherwise empty.
    QString scheduleHint() const;

protected:
    enum Column { Number, Wait, At };

    const std::vector<TableColumn>& columns() const override;
    QString text(const PlannedAttempt& attempt, int column) const override;
    QVariant attribute(const PlannedAttempt& attempt, int column, int role) const override;

private:
    AttemptForecast forecast_;  ///< its attempts are the rows of the model
};

}  // namespace restante::gui
