#pragma once

#include "gui/actions/selection_summary.h"

#include <QWidget>

#include <cstdint>
#include <optional>
#include <string>

namespace restante::gui {

class StoreSession;

/// One of the pages of the main window. *Thread of the window.*
class Page : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;

    /// Shows this store, or that there is none (null), and cancels all pending requests. `session`
    /// must stay valid until the next call.
    virtual void open(StoreSession* session) = 0;
    /// Loads from the store again: after a write, by Live Update, and when the page is shown.
    virtual void refresh() = 0;
    /// The same because somebody wants it, by F5 or "Retry": a page that pauses between its
    /// requests waits no longer.
    virtual void refreshNow() { refresh(); }
    /// The selection on which actions are enabled.
    virtual SelectionSummary selection() const { return {}; }
    /// Where the focus goes when the page is shown.
    virtual QWidget* firstFocus() { return this; }
    /// Whether all that the page shows of the store has arrived; screenshots wait for it.
    virtual bool isLoaded() const { return true; }

signals:
    void selectionChanged();
    /// Text for the left of the status bar: "3,004 matching (exact) · 200 selected".
    void statusTextChanged(const QString& text);
    /// Show the jobs that this filter finds.
    void filterRequested(const QString& filter);
    /// Show the job with this id.
    void jobRequested(const std::string& id);
    /// The number beside the page in the rail; nullopt = unknown.
    void countChanged(std::optional<std::uint64_t> count);
};

}  // namespace restante::gui
