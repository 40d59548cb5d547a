#pragma once

#include "gui/operations/series_text.h"
#include "gui/theme/row_model.h"

#include <map>
#include <string>

namespace restante::gui {

class Preferences;

/// A recurring reminder as its page shows it. *Value.*
struct SeriesRow {
    reminder::SeriesView view;
    /// What became of the last occurrence if it is not in the store.
    SeriesText::RunOutcome runOutcome = SeriesText::RunOutcome::Unknown;

    const std::string& id() const noexcept { return view.job.job.id; }
};

/// Recurring reminders. New content changes rows in place, so that selection and scroll position
/// stay. *Thread of the window.*
class SeriesModel : public RowModel<SeriesRow> {
    Q_OBJECT

public:
    enum Column { To, Rule, Text, Next, Last, Status };
    /// The role for sorting, in which times are numbers.
    static constexpr int kSortRole = Qt::UserRole;

    explicit SeriesModel(const Preferences& preferences, QObject* parent = nullptr);

    /// `now` is the store's time.
    void setContent(std::vector<SeriesRow> rows, TimePoint now);
    void setRunOutcome(const std::string& id, SeriesText::RunOutcome runOutcome);
    /// -1 = there is none.
    int rowOf(const std::string& id) const;

private:
    const std::vector<TableColumn>& columns() const override;
    QString text(const SeriesRow& row, int column) const override;
    QVariant attribute(const SeriesRow& row, int column, int role) const override;
    QString tip(const SeriesRow& row, int column) const;
    QString lastText(const SeriesRow& row) const;
    QVariant sortValue(const SeriesRow& row, int column) const;

    const Preferences& preferences_;
    TimePoint now_{};
};

}  // namespace restante::gui
