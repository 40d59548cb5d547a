#pragma once

#include "core/base/clock.h"
#include "gui/theme/row_model.h"

#include <QTableView>

#include <functional>
#include <utility>
#include <vector>

namespace restante::gui {

/// Rows with times, which the caller's `formatTime` turns into text.
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

/// A read-only table of a few hundred rows: selects whole rows, has no grid, shows plain texts, and
/// Ctrl+C copies the selected rows, columns separated by tabs. The tool tip is the model's, or
/// shows a text that does not fit. *Thread of the window.*
class DetailTable : public QTableView {
    Q_OBJECT

public:
    explicit DetailTable(QWidget* parent = nullptr);

    /// The selected rows, in the order of the table; columns separated by tabs.
    QString selectedText() const;
    /// Makes all columns but the last as wide as their text, at most `maxChars` average characters.
    void fitColumns(int maxChars);
    /// Calls `fill`, which refills the model, and keeps the selected rows and the scroll position.
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
