#pragma once

#include "core/base/clock.h"
#include "gui/theme/row_model.h"

#include <QTableView>

#include <functional>
#include <utility>
#include <vector>

namespace restante::gui {

/// Rows with times, which are written as whoever fills the table wants them.
template <class Row>
class TimedRowModel : public RowModel<Row> {
public:
    using RowModel<Row>::RowModel;

    void setContent(std::vector<Row> rows, std::function<QString(TimePoint)> formatTime)
    {
        formatTime_ = std::move(formatTime);
        this->setRows(std::move(rows));
    }

protected:
    std::function<QString(TimePoint)> formatTime_;
};

/// A table of a few hundred rows, read and copied from: whole rows, no grid, Ctrl+C takes the
/// selected rows separated by tabs, texts are plain. Says by a tool tip what does not fit.
/// *Thread of the window.*
class DetailTable : public QTableView {
    Q_OBJECT

public:
    explicit DetailTable(QWidget* parent = nullptr);

    /// The selected rows, in the order of the table; columns separated by tabs.
    QString selectedText() const;
    /// Columns as wide as their text, but none wider than so many letters and the last one as it
    /// is.
    void fitColumns(int maxChars);
    /// Keeps rows that are selected and what is at the top, while the model is filled anew.
    template <class Fill>
    void keepSelectionAndScroll(Fill fill)
    {
        const auto state = viewState();
        fill();
        restoreViewState(state);
    }

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct ViewState {
        QList<int> selectedRows;
        int currentRow = -1;
        int scrollValue = 0;
    };
    ViewState viewState() const;
    void restoreViewState(const ViewState& state);
};

}  // namespace restante::gui
