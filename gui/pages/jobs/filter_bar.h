#pragma once

#include "gui/pages/jobs/filter_edit.h"
#include "gui/pages/jobs/saved_views.h"

#include <QLabel>

class QToolButton;

namespace restante::gui {

/// The filter with what belongs to it: a star that keeps the view, a menu of fields, and under it
/// what is wrong or costly, with what was probably meant, and what narrows the view. *Thread of the
/// window.*
class FilterBar : public QWidget {
    Q_OBJECT

public:
    FilterBar(Preferences& preferences, SavedViews& views, QWidget* parent = nullptr);

    FilterEdit& edit() noexcept { return *edit_; }
    /// What the table shows now; the star is filled when it has a name.
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
    void left();

private:
    void apply();
    void showVerdict();
    void showChips();
    void addChip(const QString& text, const JobsView& without);
    void fillSavedMenu();
    void fillFieldMenu();

    Preferences& preferences_;
    SavedViews& views_;
    JobsView view_;
    FilterEdit* edit_;
    QToolButton* star_;
    QToolButton* fields_;
    QLabel* verdict_;
    QLabel* message_;
    QToolButton* meant_;  ///< puts in the filter that was probably meant
    QWidget* chips_;      ///< what narrows the view, each with a click to let it go
};

}  // namespace restante::gui
