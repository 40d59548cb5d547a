#pragma once

#include "gui/pages/detail/detail_tab.h"
#include "gui/pages/detail/detail_table.h"
#include "gui/session/job_source.h"

#include <map>

class QButtonGroup;
class QLabel;
class QToolButton;

namespace restante::gui {

/// A few jobs as a table. *Thread of the window.*
class RelatedJobsModel : public TimedRowModel<JobRow> {
    Q_OBJECT

public:
    using TimedRowModel::TimedRowModel;

protected:
    enum Column { State, Due, Id, Topic, From, To, Attempts, LastError };

    const std::vector<TableColumn>& columns() const override;
    QString text(const JobRow& row, int column) const override;
    QVariant attribute(const JobRow& row, int column, int role) const override;
};

/// Other jobs of the same recipient, the same key (of a SIP message its Call-ID) or the same
/// sender; activating one shows it. *Thread of the window.*
class RelatedTab : public DetailTab {
    Q_OBJECT

public:
    RelatedTab(Context context, JobWatch& watch, QWidget* parent = nullptr);

    QString title() const override { return tr("&Related"); }
    void reset() override;
    void refresh() override;

    void showBy(RelatedRequest::By by);

private:
    void retranslate() override;
    void requestJobs();
    void showAnswer(Result<RelatedJobs> answer);
    std::string sharedValue() const;
    QString filterTerm() const;

    RelatedRequest::By by_ = RelatedRequest::By::Recipient;
    std::string requestedValue_;  ///< the last requested value; empty = none yet
    RequestId request_ = 0;
    std::map<RelatedRequest::By, QToolButton*> buttons_;
    QButtonGroup* group_ = nullptr;
    QToolButton* filterButton_ = nullptr;
    QLabel* statusLabel_ = nullptr;
    DetailTable* table_ = nullptr;
    RelatedJobsModel* jobs_ = nullptr;
};

}  // namespace restante::gui
