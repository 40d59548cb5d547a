#pragma once

#include "gui/session/job_source.h"

#include <QObject>

#include <map>
#include <optional>
#include <string>

namespace restante::gui {

/// Counts what a view matches, by state, after its rows have come: at once where the store keeps
/// count, else part by part. *Thread of the window.*
class JobsCounter : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Null: counts nothing any more. Borrowed until the next call.
    void setSource(JobSource* source);
    /// Another view is shown: what is known of the old one goes.
    void expect(const JobsView& view);
    /// Begins anew; what is known stays until the first answer unless the view is another one.
    void start(const JobsView& view);
    /// Ends a count on its way; what it has found so far stays.
    void stop();

    /// Jobs in a state, whatever tab is in front; none while nobody knows anything.
    std::optional<std::uint64_t> of(JobState state) const;
    /// Of these states together (none named: of all).
    std::optional<std::uint64_t> of(const std::vector<JobState>& states) const;
    /// The numbers are not what they will be: at least so many.
    bool counting() const noexcept { return ticket_ != 0; }
    bool exact() const noexcept { return known_ && !counting() && !stopped_; }
    std::uint64_t examined() const noexcept { return examined_; }

signals:
    void changed();

private:
    void ask();
    void take(Result<Counted> answer);
    void end();

    JobSource* source_ = nullptr;
    JobsView view_;  ///< without its states: the tabs show them all
    Epoch epoch_ = 0;
    Ticket ticket_ = 0;
    bool known_ = false;
    bool stopped_ = false;
    std::string cursor_;
    std::uint64_t examined_ = 0;
    std::map<JobState, std::uint64_t> states_;
    std::map<JobState, std::uint64_t> fresh_;
};

}  // namespace restante::gui
