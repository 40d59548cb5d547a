#include "gui/session/store_backend.h"

#include "core/reminder/reminder_plan.h"
#include "gui/session/link_problem.h"
#include "gui/session/store_requests.h"
#include "gui/session/store_thread.h"
#include "gui/session/store_worker.h"

#include <QCoreApplication>
#include <QEvent>

#include <functional>
#include <unordered_map>
#include <utility>

namespace restante::gui {

using requests::Store;

namespace {

/// A request that the store's inspector answers by this member function.
template <class Member>
auto viaInspector(Member member)
{
    return [member](const Store& store, auto... request) {
        (store->inspector().*member)(std::move(request)...);
    };
}

}  // namespace

/// Sends requests to the thread of the store, each with an id, and passes the results to the
/// pending replies. Replies never leave the window's thread. *Thread of the window.*
class StoreBackend::Client final : public JobWriter {
public:
    /// `callbacks` is called on the thread of `receiver`, which lives at least as long.
    Client(QObject& receiver,
           std::unique_ptr<StoreOpener> opener,
           const StoreWorker::Callbacks& callbacks)
        : thread_(receiver)
    {
        const StoreWorker::Callbacks threadCallbacks{
            thread_.inWindow<LinkReport>(callbacks.link),
            thread_.inWindow<ChangeBatch>(callbacks.changed)};
        thread_.start([threadCallbacks, opener = std::make_shared<std::unique_ptr<StoreOpener>>(
                                            std::move(opener))](EventLoop& loop) {
            return std::make_unique<StoreWorker>(loop, std::move(*opener), threadCallbacks);
        });
        reopen();
    }

    void reopen()
    {
        thread_.post([](StoreWorker& worker) { worker.open(); });
    }
    /// `call(store, request..., done)` runs on the thread of the store.
    template <class T, class Call, class... Request>
    RequestId ask(Reply<T> reply, Call call, Request... request)
    {
        const auto requestId = addPending(std::move(reply));
        auto storeRequest = storeRequestOf<T>(requestId, std::move(call), std::move(request)...);
        storeRequest.cancelled = pending_[requestId].cancelled;
        thread_.post([storeRequest = std::move(storeRequest)](StoreWorker& worker) {
            worker.ask(storeRequest);
        });
        return requestId;
    }
    void cancel(RequestId requestId)
    {
        if (const auto found = pending_.find(requestId); found != pending_.end()) {
            *found->second.cancelled = true;
            pending_.erase(found);
        }
    }

    RequestId runBulk(BulkRequest request,
                      std::string actor,
                      std::function<void(const Progress&)> progress,
                      Reply<BulkReport> reply) override
    {
        const auto receiver = reply.receiver;
        const auto requestId = addPending(std::move(reply));
        pending_[requestId].progress = [receiver,
                                        progress = std::move(progress)](const Progress& latest) {
            if (receiver != nullptr && progress) {
                progress(latest);
            }
        };
        const auto reportProgress =
            thread_.inWindow<Progress>([this, requestId](const Progress& latest) {
                if (const auto found = pending_.find(requestId); found != pending_.end()) {
                    // A copy: it may cancel itself.
                    const auto callProgress = found->second.progress;
                    callProgress(latest);
                }
            });
        thread_.post([requestId, request = std::move(request), actor = std::move(actor),
                      reportProgress,
                      answer = resultCallback<BulkReport>(requestId)](StoreWorker& worker) {
            worker.runBulk(requestId, request, actor, reportProgress, answer);
        });
        return requestId;
    }
    RequestId push(PushOptions push, Reply<Pushed> reply) override
    {
        return write(std::move(reply), &requests::push, std::move(push));
    }
    RequestId createReminder(reminder::ReminderRequest request, Reply<Pushed> reply) override
    {
        return write(std::move(reply), &requests::createReminder, std::move(request));
    }
    RequestId changeSeries(reminder::SeriesChange change, Reply<Pushed> reply) override
    {
        return write(std::move(reply), &requests::changeSeries, std::move(change));
    }
    RequestId preview(reminder::ReminderRequest request,
                      std::uint32_t count,
                      Reply<std::vector<TimePoint>> reply) override
    {
        return ask(
            std::move(reply),
            [count](const Store& store, const reminder::ReminderRequest& reminderRequest,
                    auto done) {
                done(reminder::preview(reminderRequest, reminder::settingsOf(store->config()),
                                       store->queue().clock().now(), count));
            },
            std::move(request));
    }
    RequestId changeTopic(TopicVerb verb, TopicAction action, Reply<void> reply) override
    {
        return write(
            std::move(reply),
            [verb](const Store& store, TopicAction topicAction, Done<void> done) {
                if (auto sound = validate(topicAction); !sound) {
                    return done(tl::unexpected<Error>(sound.error()));
                }
                auto& jobStore = store->queue().store();
                return verb == TopicVerb::Pause
                           ? jobStore.pauseTopic(std::move(topicAction), std::move(done))
                           : jobStore.resumeTopic(std::move(topicAction), std::move(done));
            },
            std::move(action));
    }
    RequestId setTopicLimits(TopicAction action, TopicLimits limits, Reply<void> reply) override
    {
        return write(
            std::move(reply),
            [limits](const Store& store, TopicAction topicAction, Done<void> done) {
                auto sound = validate(topicAction).and_then([&] { return validate(limits); });
                if (!sound) {
                    return done(tl::unexpected<Error>(sound.error()));
                }
                store->queue().store().limitTopic(std::move(topicAction), limits, std::move(done));
            },
            std::move(action));
    }
    RequestId
    import(Exported value, bool replace, std::string actor, Reply<PushOutcome> reply) override
    {
        return write(std::move(reply), &requests::import, std::move(value), replace,
                     std::move(actor));
    }
    void stop(RequestId requestId) override
    {
        thread_.post([requestId](StoreWorker& worker) { worker.stop(requestId); });
    }

private:
    struct PendingReply {
        CancelFlag cancelled;
        std::function<void(void* result)> handleResult;  ///< a Result<T>
        std::function<void(const Progress&)> progress;
    };

    /// A write goes ahead of the reads, and is not cancelled.
    template <class T, class Call, class... Request>
    RequestId write(Reply<T> reply, Call call, Request... request)
    {
        const auto requestId = addPending(std::move(reply));
        thread_.post(
            [storeRequest = storeRequestOf<T>(requestId, std::move(call), std::move(request)...)](
                StoreWorker& worker) { worker.write(storeRequest); });
        return requestId;
    }

    template <class T>
    RequestId addPending(Reply<T> reply)
    {
        const auto requestId = ++lastRequestId_;
        pending_.emplace(requestId, PendingReply{std::make_shared<std::atomic<bool>>(false),
                                                 [reply = std::move(reply)](void* result) {
                                                     auto& answer =
                                                         *static_cast<Result<T>*>(result);
                                                     if (!answer) {
                                                         translate(answer.error());
                                                     }
                                                     reply(std::move(answer));
                                                 },
                                                 {}});
        return requestId;
    }

    template <class T, class Call, class... Request>
    StoreRequest storeRequestOf(RequestId requestId, Call call, Request... request)
    {
        const auto answer = resultCallback<T>(requestId);
        return {requestId, nullptr,
                [call, answer, ... request = std::move(request)](const Store& store,
                                                                 std::function<void()> onAnswered) {
                    std::invoke(call, store, request...,
                                [answer, onAnswered = std::move(onAnswered)](Result<T> result) {
                                    answer(std::move(result));
                                    onAnswered();
                                });
                },
                [answer](const Error& why) { answer(tl::unexpected<Error>(why)); }};
    }

    /// Passes a result to the window; to be called on the store's thread.
    template <class T>
    Done<T> resultCallback(RequestId requestId)
    {
        // Shared, because a closure must be copyable and a result may be large.
        using Boxed = std::shared_ptr<Result<T>>;
        auto deliverInWindow = thread_.inWindow<Boxed>(
            [this, requestId](const Boxed& result) { deliver(requestId, result.get()); });
        return [deliverInWindow = std::move(deliverInWindow)](Result<T> result) {
            deliverInWindow(std::make_shared<Result<T>>(std::move(result)));
        };
    }

    void deliver(RequestId requestId, void* result)
    {
        const auto found = pending_.find(requestId);
        if (found == pending_.end()) {
            return;  // cancelled
        }
        const auto handleResult = std::move(found->second.handleResult);
        pending_.erase(found);
        handleResult(result);
    }

    /// The store's thread words its errors without knowing the language of the window.
    static void translate(Error& error)
    {
        // What comes from the store itself is no source text of ours, and stays as it is.
        error.message =
            QCoreApplication::translate("StoreProblem", error.message.c_str()).toStdString();
    }

    RequestId lastRequestId_ = 0;
    std::unordered_map<RequestId, PendingReply> pending_;
    WorkerThread<StoreWorker> thread_;
};

class StoreBackend::Source final : public JobSource {
public:
    explicit Source(Client& client) : client_(client) {}

    RequestId page(PageRequest request, Reply<JobRows> reply) override
    {
        return client_.ask(std::move(reply), &requests::page, std::move(request));
    }
    RequestId scan(ScanRequest request, Reply<ScanBatch> reply) override
    {
        return client_.ask(std::move(reply), &requests::scan, std::move(request));
    }
    RequestId scanWithBodies(ScanRequest request, Reply<BatchWithBodies> reply) override
    {
        return client_.ask(std::move(reply), &requests::scanWithBodies, std::move(request));
    }
    RequestId count(CountRequest request, Reply<CountBatch> reply) override
    {
        return client_.ask(std::move(reply), &requests::count, std::move(request));
    }
    RequestId related(RelatedRequest request, Reply<RelatedJobs> reply) override
    {
        return client_.ask(std::move(reply), &requests::related, std::move(request));
    }
    RequestId sample(JobScope scope, Reply<Sample> reply) override
    {
        return client_.ask(std::move(reply), &requests::sample, std::move(scope));
    }
    RequestId counts(Reply<StoreCounts> reply) override
    {
        return client_.ask(std::move(reply), viaInspector(&JobInspector::counts));
    }
    RequestId show(std::string id, Reply<JobView> reply) override
    {
        return client_.ask(std::move(reply), viaInspector(&JobInspector::show), std::move(id));
    }
    RequestId outlook(JobView view, Reply<JobOutlook> reply) override
    {
        return client_.ask(std::move(reply), &requests::outlook, std::move(view));
    }
    RequestId topics(Reply<std::vector<TopicView>> reply) override
    {
        return client_.ask(std::move(reply), viaInspector(&JobInspector::topics));
    }
    RequestId history(std::string id, Reply<std::vector<HistoryRow>> reply) override
    {
        return client_.ask(std::move(reply), &OpenStore::history, std::move(id));
    }
    RequestId activity(Reply<TopicActivity> reply) override
    {
        return client_.ask(std::move(reply), &OpenStore::topicActivity);
    }
    RequestId deadReasons(Reply<DeadReasons> reply) override
    {
        return client_.ask(std::move(reply), &OpenStore::deadReasons);
    }
    RequestId daemons(Reply<std::vector<DaemonView>> reply) override
    {
        return client_.ask(std::move(reply), &OpenStore::daemons);
    }
    RequestId mailboxes(MailboxQuery query, Reply<MailboxPage> reply) override
    {
        return client_.ask(std::move(reply), viaInspector(&JobInspector::mailboxes),
                           std::move(query));
    }
    RequestId mailbox(MailboxRequest request, Reply<MailboxContent> reply) override
    {
        return client_.ask(std::move(reply), viaInspector(&JobInspector::mailbox),
                           std::move(request));
    }
    RequestId series(reminder::SeriesQuery query, Reply<reminder::SeriesList> reply) override
    {
        return client_.ask(std::move(reply), &requests::series, query);
    }
    RequestId audit(AuditRequest request, Reply<AuditBatch> reply) override
    {
        return client_.ask(std::move(reply), &OpenStore::audit, std::move(request));
    }
    RequestId past(PastRequest request, Reply<Past> reply) override
    {
        return client_.ask(std::move(reply), &OpenStore::past, std::move(request));
    }
    void cancel(RequestId requestId) override { client_.cancel(requestId); }
    TimePoint now() const override
    {
        using namespace std::chrono;
        if (storeTime_ == TimePoint{}) {
            return time_point_cast<Millis>(system_clock::now());  // it has not been asked yet
        }
        // Somebody may set this machine's clock meanwhile.
        return storeTime_ + duration_cast<Millis>(steady_clock::now() - measuredAt_);
    }

    void setTime(TimePoint storeTime, std::chrono::steady_clock::time_point measuredAt)
    {
        storeTime_ = storeTime;
        measuredAt_ = measuredAt;
    }

private:
    Client& client_;
    TimePoint storeTime_{};
    std::chrono::steady_clock::time_point measuredAt_{};
};

namespace {

LinkState linkStateOf(const LinkReport& report)
{
    using Phase = LinkState::Phase;
    LinkState link;
    link.phase = report.phase;
    link.step = linkStepActivity(report.step);
    if (report.phase == Phase::Lost || report.phase == Phase::Failed) {
        link.problem = linkSentence(report.problem);
    }
    link.retryInMs = report.retryInMs;
    // A server tells its own name; the demonstration has ours.
    if (!report.facts.server.empty()) {
        link.server = QCoreApplication::translate("StoreProblem", report.facts.server.c_str());
    }
    link.latencyMs = report.latencyMs;
    link.writable = report.facts.whyNotWritable.isNone();
    link.whyNotWritable = linkSentence(report.facts.whyNotWritable);
    link.journalProblem = linkSentence(report.facts.whyNoJournal);
    link.skew = std::chrono::duration_cast<std::chrono::seconds>(report.skew);
    link.whyNotServed = report.notServed ? notServedSentence(*report.notServed)
                                         : linkSentence(report.facts.whyNoColdJobs);
    return link;
}

}  // namespace

StoreBackend::StoreBackend(std::unique_ptr<StoreOpener> opener)
{
    StoreWorker::Callbacks callbacks;
    callbacks.link = [this](const LinkReport& report) {
        source_->setTime(report.storeTime, report.measuredAt);
        report_ = std::make_unique<LinkReport>(report);
        updateLink();
    };
    callbacks.changed = [this](const ChangeBatch& batch) { emit source_->changed(batch); };
    report_ = std::make_unique<LinkReport>();
    link_ = linkStateOf(*report_);
    client_ = std::make_unique<Client>(*this, std::move(opener), callbacks);
    source_ = std::make_unique<Source>(*client_);
    // To receive LanguageChange, as windows do.
    QCoreApplication::instance()->installEventFilter(this);
}

void StoreBackend::updateLink()
{
    auto link = linkStateOf(*report_);
    if (link != link_) {
        link_ = std::move(link);
        emit linkChanged();
    }
}

bool StoreBackend::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == QCoreApplication::instance() && event->type() == QEvent::LanguageChange) {
        updateLink();
    }
    return Backend::eventFilter(watched, event);
}

StoreBackend::~StoreBackend() = default;

JobSource& StoreBackend::source()
{
    return *source_;
}

JobWriter& StoreBackend::writer()
{
    return *client_;
}

void StoreBackend::reconnect()
{
    client_->reopen();
}

}  // namespace restante::gui
