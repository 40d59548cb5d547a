#pragma once

#include "gui/session/job_source.h"

#include <QObject>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace restante::gui {

/// Asks the store whether jobs still match a view, when they are too far from the screen to be
/// seen there: some at a time, one question after the other. *Thread of the window.*
class PicksCheck : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Null: asks nothing any more. Borrowed until the next call.
    void setSource(JobSource* source);
    /// Which jobs it is about, whenever a round begins.
    void setJobs(std::function<std::vector<std::string>()> ids) { jobs_ = std::move(ids); }
    /// Another view: a round that is under way ends.
    void setView(const JobsView& view);
    /// Begins a round; after the one that is under way, if there is one.
    void want();
    bool running() const noexcept { return ticket_ != 0; }

signals:
    /// Of the jobs `asked`, those that match and the states they are in.
    void checked(const std::vector<std::string>& asked,
                 const std::map<std::string, restante::JobState>& matching);

private:
    void end();
    void ask();
    void askOn();
    void take(Result<ScanBatch> answer);

    JobSource* source_ = nullptr;
    std::function<std::vector<std::string>()> jobs_;
    JobsView view_;
    Epoch epoch_ = 0;
    Ticket ticket_ = 0;
    bool again_ = false;
    std::vector<std::string> left_;   ///< to be asked about in this round
    std::vector<std::string> asked_;  ///< now
    ScanRequest request_;
    std::map<std::string, JobState> matching_;
};

}  // namespace restante::gui
