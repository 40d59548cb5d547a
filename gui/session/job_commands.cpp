#include "gui/session/job_commands.h"

#include "gui/session/backend.h"

#include <QPointer>
#include <QSysInfo>

#include <memory>
#include <type_traits>
#include <utility>

namespace restante::gui {

namespace {

std::string userAtHost()
{
    const auto user = qEnvironmentVariable("USER", QStringLiteral("unknown"));
    return (user + u'@' + QSysInfo::machineHostName()).toStdString();
}

}  // namespace

JobCommands::JobCommands(Backend& backend, const ConnectionProfile& profile)
    : backend_(backend),
      mode_(profile.mode),
      actor_(userAtHost())
{
    writtenTimer_.setSingleShot(true);
    writtenTimer_.setInterval(kWrittenInterval);
    connect(&writtenTimer_, &QTimer::timeout, this, [this] {
        if (std::exchange(hasUnreportedWrite_, false)) {
            reportWrite();
        }
    });
}

QString JobCommands::refusal() const
{
    const auto& link = backend_.link();
    if (mode_ == AccessMode::ReadOnly) {
        return tr("This connection is read-only: change its mode to write.");
    }
    if (link.phase != LinkState::Phase::Ready) {
        return tr("There is no connection at the moment.");
    }
    if (!link.writable) {
        return link.whyNotWritable;
    }
    return {};
}

template <class T>
bool JobCommands::refuseUnlessAllowed(const Reply<T>& reply)
{
    const auto reason = refusal();
    if (reason.isEmpty()) {
        return false;
    }
    QTimer::singleShot(
        0, this, [reply, reason] { reply(failure(ErrorCode::Denied, reason.toStdString())); });
    return true;
}

template <class T>
Reply<T> JobCommands::reportingWrite(Reply<T> reply)
{
    // The write is reported even when the receiver of the reply is gone.
    return {this, [this, reply = std::move(reply)](Result<T> result) {
                // A failed bulk request may have changed some jobs.
                const bool mayHaveWritten = result.has_value() || std::is_same_v<T, BulkReport>;
                reply(std::move(result));
                if (mayHaveWritten) {
                    reportWrite();
                }
            }};
}

void JobCommands::reportWrite()
{
    if (writtenTimer_.isActive()) {
        hasUnreportedWrite_ = true;
        return;
    }
    writtenTimer_.start();
    emit written();
}

RequestId JobCommands::runBulk(BulkRequest request,
                               std::function<void(const Progress&)> progress,
                               Reply<BulkReport> reply)
{
    if (request.mode == BulkRequest::Mode::DryRun) {
        return backend_.writer().runBulk(std::move(request), actor_, std::move(progress),
                                         std::move(reply));
    }
    if (refuseUnlessAllowed(reply)) {
        return 0;
    }
    // Passes the selection of this request: the page may have another one by then.
    // Shared by the copies of a closure, because it may name 200,000 jobs.
    const auto reportProgress = [self = QPointer(this),
                                 selection = std::make_shared<const Selection>(request.selection),
                                 progress = std::move(progress)](const Progress& latest) {
        if (self && !latest.changed.empty()) {
            emit self->jobsChanged(*selection, latest.changed);
        }
        if (progress) {
            progress(latest);
        }
    };
    return backend_.writer().runBulk(std::move(request), actor_, reportProgress,
                                     reportingWrite(std::move(reply)));
}

RequestId JobCommands::push(PushOptions request, Reply<Pushed> reply)
{
    request.actor = actor_;
    return refuseUnlessAllowed(reply)
               ? 0
               : backend_.writer().push(std::move(request), reportingWrite(std::move(reply)));
}

RequestId JobCommands::createReminder(reminder::ReminderRequest request, Reply<Pushed> reply)
{
    request.actor = actor_;
    return refuseUnlessAllowed(reply) ? 0
                                      : backend_.writer().createReminder(
                                            std::move(request), reportingWrite(std::move(reply)));
}

RequestId JobCommands::changeSeries(reminder::SeriesChange change, Reply<Pushed> reply)
{
    change.request.actor = actor_;
    return refuseUnlessAllowed(reply) ? 0
                                      : backend_.writer().changeSeries(
                                            std::move(change), reportingWrite(std::move(reply)));
}

RequestId JobCommands::preview(reminder::ReminderRequest request,
                               std::uint32_t count,
                               Reply<std::vector<TimePoint>> reply)
{
    return backend_.writer().preview(std::move(request), count, std::move(reply));
}

RequestId JobCommands::changeTopic(JobWriter::TopicVerb verb, TopicAction action, Reply<void> reply)
{
    action.actor = actor_;
    return refuseUnlessAllowed(reply)
               ? 0
               : backend_.writer().changeTopic(verb, std::move(action),
                                               reportingWrite(std::move(reply)));
}

RequestId JobCommands::setTopicLimits(TopicAction action, TopicLimits limits, Reply<void> reply)
{
    action.actor = actor_;
    return refuseUnlessAllowed(reply)
               ? 0
               : backend_.writer().setTopicLimits(std::move(action), limits,
                                                  reportingWrite(std::move(reply)));
}

RequestId JobCommands::import(Exported value, bool replace, Reply<PushOutcome> reply)
{
    return refuseUnlessAllowed(reply) ? 0
                                      : backend_.writer().import(std::move(value), replace, actor_,
                                                                 reportingWrite(std::move(reply)));
}

void JobCommands::stop(RequestId requestId)
{
    backend_.writer().stop(requestId);
}

}  // namespace restante::gui
