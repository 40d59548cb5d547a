#pragma once

#include "gui/actions/context.h"
#include "gui/pages/page.h"

#include <QStackedWidget>
#include <QTimer>

class QBoxLayout;

namespace restante::gui {

class EmptyPane;
class MessageBar;

/// A page with a table of what a store answers: a notice on top, a bar, and the table, or a
/// sentence in its place. It follows the store while it is shown and Live Update is on. *Thread of
/// the window.*
class StorePage : public Page {
    Q_OBJECT

public:
    StorePage(Context context, QWidget* parent);

    void open(StoreSession* session) final;
    bool isLoaded() const override { return !needsFirstLoad() && !isAsking(); }

protected:
    /// Puts the parts together.
    void setupLayout(const char* noticeName, QBoxLayout* bar, QWidget* table);
    /// Makes the table's place a sentence while there is nothing to show.
    void showTable(bool shown);
    bool isTableShown() const { return stack_->currentWidget() == table_; }
    bool isReady() const;

    /// Questions on their way are not wanted any more.
    virtual void cancelRequests() = 0;
    /// Nothing is known of the store.
    virtual void clear() = 0;
    /// Whether the first answer is still to be asked for.
    virtual bool needsFirstLoad() const = 0;
    /// An answer is on its way.
    virtual bool isAsking() const = 0;
    virtual void retranslate() = 0;
    /// Times or numbers are written in another way now.
    virtual void reformat() = 0;
    virtual void updateStatus() = 0;

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
