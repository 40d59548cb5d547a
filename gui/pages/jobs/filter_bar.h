#pragma once

#include "gui/pages/jobs/filter_edit.h"
#include "gui/pages/jobs/saved_views.h"

#include <QLabel>

class QToolButton;

namespace restante::gui {

/// The filter with what belongs to it: a star that keeps the view, a menu of fields, and under it
/// what is wrong or costly. *Thread of the window.*
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
    void filterWanted(const restante::JobFilter& filter);
    void saveWanted();
    void savedViewWanted(const QString& name);
    void left();

private:
    void apply();
    void showVerdict();
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
};

}  // namespace restante::gui
