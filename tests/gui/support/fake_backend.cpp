#include "tests/gui/support/fake_backend.h"

#include "core/reminder/reminder_plan.h"
#include "gui/session/event_audit.h"
#include "tests/gui/support/store_order.h"

#include <QScopedValueRollback>

#include <algorithm>
#include <cstdlib>

namespace restante::gui::test {

class FakeBackend::Source : public JobSource {
public:
    explicit Source(FakeBackend& fake) : fake_(fake) {}

    RequestId page(PageRequest request, Reply<JobRows> reply) override
    {
        fake_.pages.push_back(request);
        return fake_.answer<JobRows>(std::move(reply), [this, request]() -> Result<JobRows> {
            JobRows page{request.epoch, request.offset, fake_.rows_, {}};
            if (fake_.rows_ == 0) {
                const auto found = fake_.matching(request.view);
                page.total = found.size();
                for (auto at = request.offset;
                     at < std::min<std::uint64_t>(found.size(), request.offset + request.limit);
                     ++at) {
                    page.rows.push_back(rowOf(*found[at]));
                }
                return page;
            }
            for (auto at = request.offset;
                 at < std::min(fake_.rows_, request.offset + request.limit); ++at) {
                page.rows.push_back(row(at));
            }
            return page;
        });
    }
    RequestId scan(ScanRequest request, Reply<ScanBatch> reply) override
    {
        fake_.scans.push_back(request);
        return fake_.answer<ScanBatch>(std::move(reply), [this, request]() -> Result<ScanBatch> {
            ScanBatch batch{request.epoch, {}, {}, 0};
            const auto found = fake_.matching(request.view);
            auto at = request.cursor.empty() ? std::size_t{0} : std::stoul(request.cursor);
            for (; at < found.size() && batch.rows.size() < request.limit; ++at) {
                batch.rows.push_back(rowOf(*found[at]));
            }
            batch.examined = fake_.jobs.size();
            batch.cursor = at < found.size() ? std::to_string(at) : std::string{};
            for (const auto& id :
                 request.view.combinedFilter().plan().ids.value_or(std::vector<std::string>{})) {
                if (const auto row = fake_.rowNamed(id)) {
                    batch.rows.push_back(*row);
                }
            }
            return batch;
        });
    }
    RequestId scanWithBodies(ScanRequest request, Reply<BatchWithBodies> reply) override
    {
        fake_.scans.push_back(request);
        return fake_.answer<BatchWithBodies>(
            std::move(reply),
            [this, request]() -> Result<BatchWithBodies> { return fake_.wholeBatch(request); });
    }
    RequestId count(CountRequest request, Reply<CountBatch> reply) override
    {
        fake_.countRequests.push_back(request);
        return fake_.answer<CountBatch>(std::move(reply), [this, request]() -> Result<CountBatch> {
            CountBatch counted{request.epoch, {}, {}, 0};
            if (fake_.rows_ != 0) {
                counted.states[JobState::Scheduled] = fake_.rows_;
                return counted;
            }
            for (const auto* view : fake_.matching(request.view)) {
                ++counted.states[view->state];
            }
            return counted;
        });
    }
    RequestId counts(Reply<StoreCounts> reply) override
    {
        fake_.noteFacet();
        return fake_.answer<StoreCounts>(std::move(reply), [this] {
            --fake_.facetsNow;
            return Result<StoreCounts>(fake_.storeCounts);
        });
    }
    RequestId show(std::string id, Reply<JobView> reply) override
    {
        return fake_.answer<JobView>(std::move(reply), [this, id]() -> Result<JobView> {
            const auto found = std::find_if(fake_.jobs.begin(), fake_.jobs.end(),
                                            [&](const JobView& view) { return view.job.id == id; });
            if (found == fake_.jobs.end()) {
                return failure(ErrorCode::NotFound, "no such job");
            }
            return *found;
        });
    }
    RequestId outlook(JobView view, Reply<JobOutlook> reply) override
    {
        ++fake_.standingQuestions;
        const QScopedValueRollback latency(fake_.latencyMs,
                                           fake_.latencyMs + fake_.journalLatencyMs);
        return fake_.answer<JobOutlook>(
            std::move(reply), [this, view = std::move(view)]() -> Result<JobOutlook> {
                const auto& facts = fake_.waitingFacts;
                return JobOutlook{whyItWaits(view, facts, fake_.time),
                                  forecastAttempts({}, view, facts.recipient, fake_.time, 10)};
            });
    }
    RequestId history(std::string id, Reply<std::vector<HistoryRow>> reply) override
    {
        using Rows = std::vector<HistoryRow>;
        const QScopedValueRollback latency(fake_.latencyMs,
                                           fake_.latencyMs + fake_.journalLatencyMs);
        return fake_.answer<Rows>(std::move(reply), [this, id] {
            const auto& why = fake_.historyError;
            return why ? Result<Rows>(tl::unexpected<Error>(*why)) : fake_.histories[id];
        });
    }
    RequestId related(RelatedRequest request, Reply<RelatedJobs> reply) override
    {
        return fake_.answer<RelatedJobs>(
            std::move(reply), [this, request]() -> Result<RelatedJobs> {
                std::vector<JobRow> rows;
                for (const auto& view : fake_.jobs) {
                    const auto& value =
                        request.by == RelatedRequest::By::Recipient ? view.job.recipient
                        : request.by == RelatedRequest::By::BizKey  ? view.job.bizKey
                                                                    : view.job.sender;
                    if (value == request.value && rows.size() < request.limit) {
                        rows.push_back(rowOf(view));
                    }
                }
                if (request.mustBeComplete && rows.size() >= request.limit) {
                    return failure(ErrorCode::Unavailable, "there are too many of them");
                }
                return RelatedJobs{std::move(rows), fake_.relatedIsComplete};
            });
    }
    RequestId topics(Reply<std::vector<TopicView>> reply) override
    {
        fake_.noteFacet();
        return fake_.answer<std::vector<TopicView>>(std::move(reply), [this] {
            --fake_.facetsNow;
            return Result<std::vector<TopicView>>(fake_.topicList);
        });
    }
    RequestId audit(AuditRequest request, Reply<AuditBatch> reply) override
    {
        ++fake_.auditQuestions;
        fake_.auditRequests.push_back(request);
        return fake_.answer<AuditBatch>(std::move(reply), [this, request]() -> Result<AuditBatch> {
            AuditBatch page;
            auto at = request.cursor.empty() ? std::size_t{0} : std::stoul(request.cursor);
            const auto most = fake_.auditRowsLookedAt;
            const auto end =
                most == 0 ? fake_.auditRows.size() : std::min(at + most, fake_.auditRows.size());
            for (; at < end && page.rows.size() < request.limit; ++at) {
                if (matches(fake_.auditRows[at], request)) {
                    page.rows.push_back(fake_.auditRows[at]);
                }
            }
            page.cursor = at < fake_.auditRows.size() ? std::to_string(at) : "";
            return page;
        });
    }
    RequestId past(PastRequest request, Reply<Past> reply) override
    {
        fake_.pasts.push_back(request);
        return fake_.answer<Past>(std::move(reply), [this] {
            const Result<Past> none = failure(ErrorCode::Unavailable, "no journal is known");
            return fake_.journalPast ? Result<Past>(*fake_.journalPast) : none;
        });
    }
    RequestId activity(Reply<TopicActivity> reply) override
    {
        return fake_.answer<TopicActivity>(
            reply, [this] { return Result<TopicActivity>(fake_.topicActivity); });
    }
    RequestId deadReasons(Reply<DeadReasons> reply) override
    {
        return fake_.answer<DeadReasons>(reply,
                                         [this] { return Result<DeadReasons>(fake_.reasons); });
    }
    /// Asked every few seconds by itself, so `nextError` is not about it.
    RequestId daemons(Reply<std::vector<DaemonView>> reply) override
    {
        ++fake_.daemonQuestions;
        const auto error = std::exchange(fake_.nextError, std::nullopt);
        const auto requestId = fake_.answer<std::vector<DaemonView>>(
            std::move(reply), [this]() -> Result<std::vector<DaemonView>> {
                if (fake_.gone) {
                    return failure(ErrorCode::Unavailable, "the store is away");
                }
                return fake_.daemonList;
            });
        fake_.nextError = error;
        return requestId;
    }
    RequestId mailboxes(MailboxQuery query, Reply<MailboxPage> reply) override
    {
        fake_.mailboxQueries.push_back(query);
        return fake_.answer<MailboxPage>(
            std::move(reply), [this, query] { return Result<MailboxPage>(fake_.pageOf(query)); });
    }
    RequestId mailbox(MailboxRequest request, Reply<MailboxContent> reply) override
    {
        fake_.mailboxRequests.push_back(request);
        return fake_.answer<MailboxContent>(std::move(reply), [this, request] {
            return Result<MailboxContent>(fake_.contentOf(request.recipient));
        });
    }
    RequestId series(reminder::SeriesQuery query, Reply<reminder::SeriesList> reply) override
    {
        fake_.seriesQueries.push_back(query);
        return fake_.answer<reminder::SeriesList>(std::move(reply), [this, query] {
            return Result<reminder::SeriesList>(fake_.seriesOf(query));
        });
    }
    RequestId sample(JobScope scope, Reply<Sample> reply) override
    {
        fake_.sampled.push_back(scope);
        return fake_.answer<Sample>(reply, [this] {
            auto sample = fake_.nextSample;
            if (sample.counts.states == noJobs()) {
                sample.counts = fake_.storeCounts;
            }
            return Result<Sample>(sample);
        });
    }
    void cancel(RequestId requestId) override { fake_.cancelled.push_back(requestId); }
    TimePoint now() const override { return fake_.time; }

private:
    FakeBackend& fake_;
};

void FakeBackend::noteFacet()
{
    ++facetQuestions;
    mostFacetsAtOnce = std::max(mostFacetsAtOnce, ++facetsNow);
}

FakeBackend::FakeBackend() : source_(std::make_unique<Source>(*this))
{
    link_.phase = LinkState::Phase::Ready;
    link_.server = QStringLiteral("fake store");
    daemonList = {aDaemon("vm/28350", time)};
}

FakeBackend::~FakeBackend() = default;

DaemonView FakeBackend::aDaemon(std::string name, TimePoint seen)
{
    DaemonView daemon;
    daemon.name = std::move(name);
    daemon.version = "0.1.0";
    daemon.duties = {"sip", "http", "webhook", "scheduler", "upkeep"};
    daemon.since = seen - std::chrono::hours{3};
    daemon.seen = seen;
    return daemon;
}

JobSource& FakeBackend::source()
{
    return *source_;
}

MailboxContent FakeBackend::contentOf(const std::string& recipient) const
{
    MailboxContent content;
    if (const auto known = mailboxViews.find(recipient); known != mailboxViews.end()) {
        content.mailbox = known->second;
    }
    content.mailbox.recipient = recipient;
    for (const auto& view : jobs) {
        const bool waits = view.state == JobState::Held || view.state == JobState::Leased;
        if (waits && view.job.channel == Channel::Sip && view.job.recipient == recipient) {
            content.messages.push_back(view);
        }
    }
    if (!content.messages.empty()) {
        content.mailbox.waiting = content.messages.size();
        content.mailbox.oldest = content.messages.front().job.created;
        content.mailbox.newest = content.messages.back().job.created;
    }
    return content;
}

MailboxPage FakeBackend::pageOf(const MailboxQuery& query) const
{
    std::map<MailboxRank, MailboxView> found;
    for (const auto& view : jobs) {
        auto mailbox = contentOf(view.job.recipient).mailbox;
        if (mailbox.waiting > 0 && matchesName(mailbox.recipient, query.name)) {
            found[{mailbox.waiting, mailbox.recipient}] = std::move(mailbox);
        }
    }
    for (const auto& [recipient, view] : mailboxViews) {
        if (view.waiting > 0 && matchesName(recipient, query.name)) {
            const auto mailbox = contentOf(recipient).mailbox;
            found[{mailbox.waiting, recipient}] = mailbox;
        }
    }
    MailboxPage page;
    page.complete = mailboxesComplete;
    const auto behind = MailboxRank::parse(query.cursor);
    for (const auto& [rank, view] : found) {
        ++page.total;
        page.messages += view.waiting;
        if (behind && !(*behind < rank)) {
            continue;
        }
        if (page.mailboxes.size() < query.limit) {
            page.mailboxes.push_back(view);
        } else if (page.cursor.empty()) {
            const auto& last = page.mailboxes.back();
            page.cursor = MailboxRank{last.waiting, last.recipient}.toString();
        }
    }
    return page;
}

void FakeBackend::haveRows(std::uint64_t count)
{
    rows_ = count;
    storeCounts.states[JobState::Scheduled] = count;
}

JobRow FakeBackend::row(std::uint64_t index)
{
    JobRow row;
    row.id = "job-" + std::to_string(index);
    row.state = JobState::Scheduled;
    row.channel = Channel::Webhook;
    row.topic = QStringLiteral("order");
    row.recipient = QStringLiteral("https://example.org/hook/%1").arg(index % 1'000);
    row.due = TimePoint{Millis{1'793'000'000'000 + static_cast<std::int64_t>(index)}};
    row.created = TimePoint{Millis{1'792'000'000'000}};
    row.size = index % 4'096;
    return row;
}

void FakeBackend::setLink(const LinkState& link)
{
    link_ = link;
    emit linkChanged();
}

template <class T>
RequestId FakeBackend::answer(Reply<T> reply, std::function<Result<T>()> make)
{
    const auto requestId = ++lastRequestId_;
    const auto wrong = std::exchange(nextError, std::nullopt);
    QTimer::singleShot(latencyMs, this,
                       [this, requestId, wrong, reply = std::move(reply), make = std::move(make)] {
                           if (std::find(cancelled.begin(), cancelled.end(), requestId) !=
                               cancelled.end()) {
                               return;
                           }
                           reply(wrong ? Result<T>(tl::unexpected<Error>(*wrong)) : make());
                       });
    return requestId;
}

BatchWithBodies FakeBackend::wholeBatch(const ScanRequest& request) const
{
    BatchWithBodies batch;
    std::uint64_t at = request.cursor.empty() ? 0 : std::stoull(request.cursor);
    const auto found = rows_ == 0 ? matching(request.view) : std::vector<const JobView*>{};
    const auto total = rows_ == 0 ? found.size() : rows_;
    for (; at < total && batch.jobs.size() < request.limit; ++at) {
        if (rows_ == 0) {
            batch.jobs.push_back(*found[at]);
            continue;
        }
        const auto row = FakeBackend::row(at);
        JobView view;
        view.job.id = row.id;
        view.job.topic = row.topic.toStdString();
        view.job.channel = row.channel;
        view.job.recipient = row.recipient.toStdString();
        view.job.body = "body of " + row.id;
        view.due = row.due;
        view.job.created = row.created;
        batch.jobs.push_back(std::move(view));
    }
    batch.examined = batch.jobs.size();
    batch.cursor = at < total ? std::to_string(at) : std::string{};
    return batch;
}

std::vector<const JobView*> FakeBackend::matching(const JobsView& view) const
{
    std::vector<const JobView*> found;
    const auto filter = view.combinedFilter();
    for (const auto& job : jobs) {
        const bool inState =
            view.states.empty() ||
            std::find(view.states.begin(), view.states.end(), job.state) != view.states.end();
        if (inState && filter.matches(job, time)) {
            found.push_back(&job);
        }
    }
    std::sort(found.begin(), found.end(), [&](const auto* a, const auto* b) {
        return view.descending ? inStoreOrder(*b, *a) : inStoreOrder(*a, *b);
    });
    return found;
}

/// One of those that haveRows() has made up.
std::optional<JobRow> FakeBackend::rowNamed(const std::string& id) const
{
    const auto at = id.starts_with("job-") ? std::strtoull(id.c_str() + 4, nullptr, 10) : rows_;
    return at < rows_ ? std::optional(row(at)) : std::nullopt;
}

RequestId FakeBackend::push(PushOptions push, Reply<Pushed> reply)
{
    pushes.push_back(push);
    const auto due = push.at.value_or(time + push.delay);
    auto id = push.job.id.empty() ? "new-" + std::to_string(pushes.size()) : push.job.id;
    return answer<Pushed>(std::move(reply), [id, due] {
        return Result<Pushed>(Pushed{{id}, {due}, false});
    });
}

RequestId FakeBackend::createReminder(reminder::ReminderRequest request, Reply<Pushed> reply)
{
    reminders.push_back(request);
    const auto due = time + Millis{60'000};
    return answer<Pushed>(std::move(reply), [due] {
        return Result<Pushed>(Pushed{{"reminder-1"}, {due}, false});
    });
}

RequestId FakeBackend::changeSeries(reminder::SeriesChange change, Reply<Pushed> reply)
{
    seriesChanges.push_back(change);
    return answer<Pushed>(std::move(reply), [this, id = change.id]() -> Result<Pushed> {
        if (auto error = std::exchange(seriesError, std::nullopt)) {
            return tl::unexpected(*error);
        }
        return Pushed{{id}, {time + std::chrono::hours{1}}, false};
    });
}

reminder::SeriesList FakeBackend::seriesOf(const reminder::SeriesQuery& query) const
{
    reminder::SeriesList list;
    list.complete = seriesComplete;
    for (const auto& job : jobs) {
        const bool hasEnded = job.state == JobState::Trashed || job.state == JobState::Done;
        if (job.job.topic != reminder::kSeriesTopic || hasEnded) {
            continue;
        }
        auto view = reminder::seriesViewOf(job, time, query.times, 1);
        for (const auto& one : jobs) {
            if (view.last && one.job.id == view.last->id) {
                view.last->job = one;
            }
        }
        list.series.push_back(std::move(view));
    }
    return list;
}

RequestId FakeBackend::preview(reminder::ReminderRequest,
                               std::uint32_t count,
                               Reply<std::vector<TimePoint>> reply)
{
    return answer<std::vector<TimePoint>>(std::move(reply), [this, count] {
        std::vector<TimePoint> times;
        for (std::uint32_t at = 1; at <= count; ++at) {
            times.push_back(time + Millis{86'400'000} * at);
        }
        return Result<std::vector<TimePoint>>(times);
    });
}

RequestId FakeBackend::changeTopic(TopicVerb verb, TopicAction action, Reply<void> reply)
{
    topicActions.emplace_back(verb, action);
    return answer<void>(std::move(reply), [] { return Result<void>{}; });
}

RequestId FakeBackend::setTopicLimits(TopicAction action, TopicLimits limits, Reply<void> reply)
{
    limitActions.emplace_back(action, limits);
    if (limitError) {
        return answer<void>(std::move(reply),
                            [error = *std::exchange(limitError, std::nullopt)]() -> Result<void> {
                                return tl::unexpected<Error>(error);
                            });
    }
    for (auto& view : topicList) {
        if (view.topic == action.topic) {
            view.limits = limits;
        }
    }
    return answer<void>(std::move(reply), [] { return Result<void>{}; });
}

RequestId FakeBackend::import(Exported value, bool, std::string, Reply<PushOutcome> reply)
{
    const auto* view = std::get_if<JobView>(&value);
    if (view == nullptr) {
        return answer<PushOutcome>(std::move(reply), [] {
            return Result<PushOutcome>(
                failure(ErrorCode::Invalid, "this store takes jobs alone back from a file"));
        });
    }
    imports.push_back(*view);
    const auto id = view->job.id;
    return answer<PushOutcome>(std::move(reply), [id] {
        return Result<PushOutcome>(PushOutcome{PushStatus::Stored, id});
    });
}

}  // namespace restante::gui::test
