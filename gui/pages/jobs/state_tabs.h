#pragma once

#include "gui/pages/jobs/jobs_counter.h"

#include <QTabBar>

#include <vector>

namespace restante::gui {

/// The tabs of states above the table, each with how many match. *Thread of the window.*
class StateTabs : public QTabBar {
    Q_OBJECT

public:
    explicit StateTabs(QWidget* parent = nullptr);

    /// None when these states have no tab of their own.
    void setStates(const std::vector<JobState>& states);
    void setCounts(const JobsCounter& counter);

signals:
    void statesWanted(const std::vector<restante::JobState>& states);

protected:
    void changeEvent(QEvent* event) override;
    /// As narrow as needed: eight tabs are a long row.
    QSize minimumTabSizeHint(int index) const override;

private:
    void retranslate();

    std::vector<QString> counts_;
    bool setting_ = false;
};

/// "812k", "1.2M": as exact as a tab has room for; all of it stands in the tool tip.
QString shortNumber(std::uint64_t number);

}  // namespace restante::gui
