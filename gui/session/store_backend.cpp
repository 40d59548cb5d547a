#include "gui/session/store_backend.h"

#include "core/reminder/reminder_plan.h"
#include "gui/session/link_text.h"
#include "gui/session/store_client.h"
#include "gui/session/store_requests.h"

#include <QCoreApplication>
#include <QEvent>

#include <utility>

namespace restante::gui {

using Store = StoreClient::Store;

class StoreBackend::Source final : public JobSource {
public:
    explicit Source(StoreClient& client) : client_(client) {}

    Ticket page(PageRequest request, Reply<JobRows> reply) override
    {
        return asking(std::move(reply), std::move(request), &requests::page);
    }
    Ticket scan(ScanRequest request, Reply<ScanBatch> reply) override
    {
        return asking(std::move(reply), std::move(request), &requests::scan);
    }
    Ticket whole(ScanRequest request, Reply<WholeBatch> reply) override
    {
        return asking(std::move(reply), std::move(request), &requests::whole);
    }
    Ticket count(CountRequest request, Reply<Counted> reply) override
    {
        return asking(std::move(reply), std::move(request), &requests::count);
    }
    Ticket related(RelatedRequest request, Reply<std::vector<JobRow>> reply) override
    {
        return asking(std::move(reply), std::move(request), &requests::related);
    }
    Ticket sample(JobShare share, Reply<Sample> reply) override
    {
        return asking(std::move(reply), std::move(share), &requests::sample);
    }
    Ticket counts(Reply<StoreCounts> reply) override
    {
        return askingOf(&inspectorOf, std::move(reply), &JobInspector::counts);
    }
    Ticket show(std::string id, Reply<JobView> reply) override
    {
        return askingOf(&inspectorOf, std::move(reply), &JobInspector::show, std::move(id));
    }
    Ticket topics(Reply<std::vector<TopicView>> reply) override
    {
        return askingOf(&inspectorOf, std::move(reply), &JobInspector::topics);
    }
    Ticket history(std::string id, Reply<std::vector<HistoryRow>> reply) override
    {
        return askingOf(&storeOf, std::move(reply), &OpenStore::history, std::move(id));
    }
    Ticket activity(Reply<TopicActivity> reply) override
    {
        return askingOf(&storeOf, std::move(reply), &OpenStore::activity);
    }
    Ticket audit(AuditRequest request, Reply<AuditBatch> reply) override
    {
        return askingOf(&storeOf, std::move(reply), &OpenStore::audit, std::move(request));
    }
    Ticket past(PastRequest request, Reply<Past> reply) override
    {
        return askingOf(&storeOf, std::move(reply), &OpenStore::past, std::move(request));
    }
    void cancel(Ticket ticket) override { client_.cancel(ticket); }
    TimePoint now() const override
    {
        using namespace std::chrono;
        if (storeTime_ == TimePoint{}) {
            return time_point_cast<Millis>(system_clock::now());  // it has not been asked yet
        }
        // Somebody may set this machine's clock meanwhile.
        return storeTime_ + duration_cast<Millis>(steady_clock::now() - measured_);
    }

    void setTime(TimePoint storeTime, std::chrono::steady_clock::time_point measured)
    {
        storeTime_ = storeTime;
        measured_ = measured;
    }

private:
    static JobInspector& inspectorOf(const Store& store) { return store->inspector(); }
    static OpenStore& storeOf(const Store& store) { return *store; }

    /// Asks what `part` of the store has a member function for.
    template <class T, class Part, class How, class... Request>
    Ticket askingOf(Part& (*part)(const Store&), Reply<T> reply, How how, Request... request)
    {
        return client_.ask<T>(std::move(reply), [part, how, ... request = std::move(request)](
                                                    const Store& store, Done<T> done) {
            (part(store).*how)(request..., std::move(done));
        });
    }
    template <class T, class Request>
    Ticket asking(Reply<T> reply, Request request, void (*how)(const Store&, Request, Done<T>))
    {
        return client_.ask<T>(std::move(reply), [how, request = std::move(request)](
                                                    const Store& store, Done<T> done) {
            how(store, request, std::move(done));
        });
    }

    StoreClient& client_;
    TimePoint storeTime_{};
    std::chrono::steady_clock::time_point measured_{};
};

class StoreBackend::Writer final : public JobWriter {
public:
    explicit Writer(StoreClient& client) : client_(client) {}

    Ticket act(BulkRequest request,
               std::string actor,
               std::function<void(const Progress&)> progress,
               Reply<BulkReport> reply) override
    {
        return client_.act(std::move(request), std::move(actor), std::move(progress),
                           std::move(reply));
    }
    Ticket push(PushOrder order, Reply<Pushed> reply) override
    {
        return writing(std::move(reply), std::move(order), &requests::push);
    }
    Ticket remind(reminder::ReminderRequest request, Reply<Pushed> reply) override
    {
        return writing(std::move(reply), std::move(request), &requests::remind);
    }
    Ticket preview(reminder::ReminderRequest request,
                   std::uint32_t count,
                   Reply<std::vector<TimePoint>> reply) override
    {
        return client_.ask<std::vector<TimePoint>>(
            std::move(reply), [request = std::move(request), count](const Store& store, auto done) {
                done(reminder::preview(request, reminder::settingsOf(store->config()),
                                       store->queue().clock().now(), count));
            });
    }
    Ticket topic(TopicVerb verb, TopicAction action, Reply<void> reply) override
    {
        return client_.write<void>(std::move(reply), [verb, action = std::move(action)](
                                                         const Store& store, Done<void> done) {
            if (auto sound = validate(action); !sound) {
                return done(tl::unexpected<Error>(sound.error()));
            }
            auto& jobs = store->queue().store();
            return verb == TopicVerb::Pause ? jobs.pauseTopic(action, std::move(done))
                                            : jobs.resumeTopic(action, std::move(done));
        });
    }
    Ticket import(JobView view, bool replace, std::string actor, Reply<PushOutcome> reply) override
    {
        return importSetting(std::move(view), replace, std::move(actor), std::move(reply));
    }
    Ticket importSetting(Exported setting,
                         bool replace,
                         std::string actor,
                         Reply<PushOutcome> reply) override
    {
        return writing(std::move(reply),
                       requests::Imported{std::move(setting), replace, std::move(actor)},
                       &requests::import);
    }
    void stop(Ticket ticket) override { client_.stop(ticket); }

private:
    template <class T, class Request>
    Ticket writing(Reply<T> reply, Request request, void (*how)(const Store&, Request, Done<T>))
    {
        return client_.write<T>(std::move(reply), [how, request = std::move(request)](
                                                      const Store& store, Done<T> done) {
            how(store, request, std::move(done));
        });
    }

    StoreClient& client_;
};

namespace {

LinkState stateOf(const LinkReport& report)
{
    using Phase = LinkState::Phase;
    LinkState link;
    link.phase = report.phase;
    link.step = linkStepDoing(report.step);
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
    if (report.restoring) {
        link.notServed = restoringSentence(*report.restoring);
    }
    return link;
}

}  // namespace

StoreBackend::StoreBackend(std::unique_ptr<StoreOpener> opener)
{
    StoreClient::Callbacks callbacks;
    callbacks.link = [this](const LinkReport& report) {
        source_->setTime(report.storeTime, report.measured);
        report_ = std::make_unique<LinkReport>(report);
        sayLink();
    };
    callbacks.changed = [this](const ChangeBatch& batch) { emit source_->changed(batch); };
    report_ = std::make_unique<LinkReport>();
    link_ = stateOf(*report_);
    client_ = std::make_unique<StoreClient>(*this, std::move(opener), std::move(callbacks));
    source_ = std::make_unique<Source>(*client_);
    writer_ = std::make_unique<Writer>(*client_);
    // To be told of another language, as windows are.
    QCoreApplication::instance()->installEventFilter(this);
}

void StoreBackend::sayLink()
{
    auto link = stateOf(*report_);
    if (link != link_) {
        link_ = std::move(link);
        emit linkChanged();
    }
}

bool StoreBackend::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == QCoreApplication::instance() && event->type() == QEvent::LanguageChange) {
        sayLink();
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
    return *writer_;
}

void StoreBackend::reconnect()
{
    client_->reopen();
}

}  // namespace restante::gui
