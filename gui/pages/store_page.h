#pragma once

#include "gui/actions/context.h"
#include "gui/pages/page.h"

#include <QStackedWidget>
#include <QTimer>

class QBoxLayout;

namespace restante::gui {

class EmptyPane;
class MessageBar;

/// A page with a notice, a bar, and a table of data from the store or an empty pane. It reloads
/// periodically while it is visible and Live Update is on. *Thread of the window.*
class StorePage : public Page {
    Q_OBJECT

public:
    StorePage(Context context, QWidget* parent);

    void open(StoreSession* session) final;
    bool isLoaded() const override { return !needsFirstLoad() && !hasPendingRequest(); }

protected:
    /// Lays out notice, bar and table; called once by the constructor of the derived class.
    void setupLayout(const char* noticeName, QBoxLayout* bar, QWidget* table);
    /// Shows the table, or else the empty pane in its place.
    void showTable(bool shown);
    bool isTableShown() const { return stack_->currentWidget() == table_; }
    bool isReady() const;

    /// Cancels all pending requests to the store.
    virtual void cancelRequests() = 0;
    /// Removes all content; called when another store is opened.
    virtual void clear() = 0;
    /// Whether there is no content yet, so that it is loaded as soon as the store is ready.
    virtual bool needsFirstLoad() const = 0;
    /// Whether a request to the store is pending.
    virtual bool hasPendingRequest() const = 0;
    virtual void retranslate() = 0;
    /// The formats of times or numbers have changed.
    virtual void reformat() = 0;
    /// Shows the table or the empty pane, and the buttons and status text, as content and session
    /// are now.
    virtual void updateDisplay() = 0;

    void showEvent(QShowEvent* event) override;

    Context context_;
    StoreSession* session_ = nullptr;
    MessageBar* notice_ = nullptr;
    EmptyPane* emptyPane_ = nullptr;

private:
    QStackedWidget* stack_ = nullptr;
    QWidget* table_ = nullptr;
    QTimer liveTimer_;
    QTimer writeRefreshTimer_;
};

}  // namespace restante::gui
