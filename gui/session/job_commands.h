#pragma once

#include "gui/session/connection_profile.h"
#include "gui/session/job_writer.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace restante::gui {

class Backend;

/// All writes of the windows go through it. It refuses what the mode or state of the connection or
/// the store does not allow, adds the actor to every write, and reports writes to the pages.
/// *Thread of the window.*
class JobCommands : public QObject {
    Q_OBJECT

public:
    static constexpr std::chrono::milliseconds kWrittenInterval{250};

    JobCommands(Backend& backend, const ConnectionProfile& profile);

    /// Why writes are refused now, as a sentence; empty = allowed.
    QString refusal() const;

    /// Returns 0 when it is refused; the reply then gets Denied.
    RequestId runBulk(BulkRequest request,
                      std::function<void(const Progress&)> progress,
                      Reply<BulkReport> reply);
    RequestId push(PushOptions request, Reply<Pushed> reply);
    RequestId createReminder(reminder::ReminderRequest request, Reply<Pushed> reply);
    RequestId changeSeries(reminder::SeriesChange change, Reply<Pushed> reply);
    RequestId preview(reminder::ReminderRequest request,
                      std::uint32_t count,
                      Reply<std::vector<TimePoint>> reply);
    RequestId changeTopic(JobWriter::TopicVerb verb, TopicAction action, Reply<void> reply);
    RequestId setTopicLimits(TopicAction action, TopicLimits limits, Reply<void> reply);
    RequestId import(Exported value, bool replace, Reply<PushOutcome> reply);
    void stop(RequestId requestId);

    /// "user@host", as the event stream names who did it.
    const std::string& actor() const noexcept { return actor_; }

signals:
    /// Something was written: tables and counts refresh. Emitted at most four times a second, as
    /// an import writes thousands of jobs.
    void written();
    /// A bulk request has changed these jobs; emitted while it runs, before `written`.
    void jobsChanged(const restante::gui::Selection& selection,
                     const std::vector<restante::gui::JobBefore>& changed);

private:
    template <class T>
    bool refuseUnlessAllowed(const Reply<T>& reply);
    template <class T>
    Reply<T> reportingWrite(Reply<T> reply);
    void reportWrite();

    Backend& backend_;
    AccessMode mode_;
    std::string actor_;
    QTimer writtenTimer_;  ///< runs after each written()
    bool hasUnreportedWrite_ = false;
};

}  // namespace restante::gui
