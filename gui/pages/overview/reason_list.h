#pragma once

#include "gui/pages/overview/section.h"
#include "gui/session/job_source.h"

#include <string>
#include <vector>

class QToolButton;

namespace restante::gui {

class ElidedLabel;

/// Why jobs are dead, the most common reason first, each with buttons to retry and to show the
/// jobs. *Thread of the window.*
class ReasonList : public Section {
    Q_OBJECT

public:
    explicit ReasonList(QWidget* parent = nullptr);

    /// A reason with the filter that finds its jobs, and no others as far as a filter can tell them
    /// apart. *Value.*
    struct Reason {
        std::string error;
        std::uint64_t jobs = 0;
        QString filter = {};
        bool canRetry = true;  ///< a retry may succeed
    };
    /// The most common reasons, at most kRows.
    static std::vector<Reason> mostCommon(const DeadReasons& reasons);
    static constexpr std::size_t kRows = 6;

    /// `dead`: how many there are. `refusal`: why nothing can be written; empty = it can.
    void setContent(const DeadReasons& reasons, std::uint64_t dead, const QString& refusal);
    const std::vector<Reason>& reasons() const noexcept { return reasons_; }

signals:
    void filterRequested(const QString& filter);
    void retryRequested(const restante::gui::ReasonList::Reason& reason);

private:
    struct Row {
        QLabel* count;
        ElidedLabel* error;
        QToolButton* retry;
        LinkButton* showJobs;
    };

    std::vector<Row> rows_;
    std::vector<Reason> reasons_;
};

}  // namespace restante::gui
