#pragma once

#include "gui/pages/monitor/time_range.h"

#include <QDialog>
#include <QTimeZone>

class QDateTimeEdit;
class QLabel;
class QPushButton;

namespace restante::gui {

class Preferences;

/// From when to when the charts go, in the zone in which times are shown. *Thread of the window.*
class RangeDialog : public QDialog {
    Q_OBJECT

public:
    /// Begins with `shown`; `now` is the store's time.
    RangeDialog(const Preferences& preferences,
                const TimeSpan& shown,
                TimePoint now,
                QWidget* parent);

    void accept() override;

signals:
    void rangeRequested(const restante::gui::TimeSpan& range);

private:
    TimeSpan range() const;
    /// What is wrong with it, as a sentence; empty = nothing.
    QString problem() const;
    void check();
    QDateTimeEdit* addEdit(const char* name, TimePoint at);

    QTimeZone zone_;
    TimePoint now_;
    QDateTimeEdit* from_;
    QDateTimeEdit* to_;
    QLabel* hint_;
    QPushButton* showButton_ = nullptr;
};

}  // namespace restante::gui
