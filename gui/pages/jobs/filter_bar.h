#pragma once

#include "gui/pages/jobs/filter_edit.h"
#include "gui/pages/jobs/saved_views.h"

#include <QLabel>

class QToolButton;

namespace restante::gui {

/// The filter box with a menu of saved views and a menu of fields. Below it: what is wrong or slow
/// about the filter, a suggested correction, and a chip for each condition of the view but its
/// states. *Thread of the window.*
class FilterBar : public QWidget {
    Q_OBJECT

public:
    FilterBar(Preferences& preferences, SavedViews& views, QWidget* parent = nullptr);

    FilterEdit& edit() noexcept { return *edit_; }
    /// The view that the table shows; the star is filled when it is a saved one.
    void setView(const JobsView& view);
    /// The sentence under the box; empty = none.
    QString message() const { return message_->text(); }
    void retranslate();

signals:
    void filterRequested(const restante::JobFilter& filter);
    /// The view without one of its chips.
    void viewRequested(const restante::gui::JobsView& view);
    void saveRequested();
    void savedViewRequested(const QString& name);
    void leaveRequested();

private:
    void apply();
    void showParseResult();
    void showChips();
    /// `viewWithout`: what a click on the chip shows.
    void addChip(const QString& text, const JobsView& viewWithout);
    void fillSavedMenu();
    void fillFieldMenu();

    Preferences& preferences_;
    SavedViews& views_;
    JobsView view_;
    FilterEdit* edit_;
    QToolButton* savedViewsButton_;
    QToolButton* addTermButton_;
    QLabel* parseResultLabel_;
    QLabel* message_;
    QToolButton* suggestionButton_;  ///< applies the suggested filter
    QWidget* chips_;                 ///< one for each condition; a click removes it
};

}  // namespace restante::gui
