#include "tests/gui/support/fake_backend.h"

#include "gui/session/event_audit.h"
#include "tests/gui/support/store_order.h"

#include <algorithm>
#include <cstdlib>

namespace restante::gui::test {

struct FakeBackend::Running {
    Order order;
    std::vector<std::string> ids;
    std::size_t at = 0;
    Progress progress;
    std::function<void(const Progress&)> tell;
    Reply<BulkReport> reply;
    bool stopping = false;
};

class FakeBackend::Source : public JobSource {
public:
    explicit Source(FakeBackend& fake) : fake_(fake) {}

    Ticket page(PageRequest request, Reply<JobRows> reply) override
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
    Ticket scan(ScanRequest request, Reply<ScanBatch> reply) override
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
                 request.view.whole().plan().ids.value_or(std::vector<std::string>{})) {
                if (const auto row = fake_.rowNamed(id)) {
                    batch.rows.push_back(*row);
                }
            }
            return batch;
        });
    }
    Ticket whole(ScanRequest request, Reply<WholeBatch> reply) override
    {
        fake_.scans.push_back(request);
        return fake_.answer<WholeBatch>(std::move(reply), [this, request]() -> Result<WholeBatch> {
            return fake_.wholeBatch(request);
        });
    }
    Ticket count(CountRequest request, Reply<Counted> reply) override
    {
        fake_.countRequests.push_back(request);
        return fake_.answer<Counted>(std::move(reply), [this, request]() -> Result<Counted> {
            Counted counted{request.epoch, {}, {}, 0};
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
    Ticket counts(Reply<StoreCounts> reply) override
    {
        fake_.noteFacet();
        return fake_.answer<StoreCounts>(std::move(reply), [this] {
            --fake_.facetsNow;
            return Result<StoreCounts>(fake_.storeCounts);
        });
    }
    Ticket show(std::string id, Reply<JobView> reply) override
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
    Ticket history(std::string id, Reply<std::vector<HistoryRow>> reply) override
    {
        using Rows = std::vector<HistoryRow>;
        return fake_.answer<Rows>(std::move(reply), [this, id] {
            const auto& why = fake_.historyError;
            return why ? Result<Rows>(tl::unexpected<Error>(*why)) : fake_.histories[id];
        });
    }
    Ticket related(RelatedRequest request, Reply<std::vector<JobRow>> reply) override
    {
        return fake_.answer<std::vector<JobRow>>(
            std::move(reply), [this, request]() -> Result<std::vector<JobRow>> {
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
                return rows;
            });
    }
    Ticket topics(Reply<std::vector<TopicView>> reply) override
    {
        fake_.noteFacet();
        return fake_.answer<std::vector<TopicView>>(std::move(reply), [this] {
            --fake_.facetsNow;
            return Result<std::vector<TopicView>>(fake_.topicList);
        });
    }
    Ticket audit(AuditRequest request, Reply<AuditPage> reply) override
    {
        ++fake_.auditQuestions;
        return fake_.answer<AuditPage>(std::move(reply), [this, request]() -> Result<AuditPage> {
            AuditPage page;
            auto at = request.cursor.empty() ? std::size_t{0} : std::stoul(request.cursor);
            for (; at < fake_.auditRows.size() && page.rows.size() < request.limit; ++at) {
                if (isWanted(fake_.auditRows[at], request)) {
                    page.rows.push_back(fake_.auditRows[at]);
                }
            }
            page.cursor = at < fake_.auditRows.size() ? std::to_string(at) : "";
            return page;
        });
    }
    Ticket past(PastRequest request, Reply<Past> reply) override
    {
        fake_.pasts.push_back(request);
        return fake_.answer<Past>(std::move(reply), [this] {
            const Result<Past> none = failure(ErrorCode::Unavailable, "no journal is known");
            return fake_.journalPast ? Result<Past>(*fake_.journalPast) : none;
        });
    }
    Ticket sample(JobShare share, Reply<Sample> reply) override
    {
        fake_.sampled.push_back(share);
        return fake_.answer<Sample>(reply, [this] { return Result<Sample>(fake_.nextSample); });
    }
    void cancel(Ticket ticket) override { fake_.cancelled.push_back(ticket); }
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
}

FakeBackend::~FakeBackend() = default;

JobSource& FakeBackend::source()
{
    return *source_;
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
Ticket FakeBackend::answer(Reply<T> reply, std::function<Result<T>()> make)
{
    const auto ticket = ++lastTicket_;
    const auto wrong = std::exchange(nextError, std::nullopt);
    QTimer::singleShot(
        latencyMs, this, [this, ticket, wrong, reply = std::move(reply), make = std::move(make)] {
            if (std::find(cancelled.begin(), cancelled.end(), ticket) != cancelled.end()) {
                return;
            }
            reply(wrong ? Result<T>(tl::unexpected<Error>(*wrong)) : make());
        });
    return ticket;
}

WholeBatch FakeBackend::wholeBatch(const ScanRequest& request) const
{
    WholeBatch batch;
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
    const auto filter = view.whole();
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

bool FakeBackend::isMeant(const Order& order, std::size_t at, const JobView& job) const
{
    const auto among = [&job](const std::vector<JobState>& states) {
        return states.empty() || std::find(states.begin(), states.end(), job.state) != states.end();
    };
    const auto& view = order.selection.view;
    const auto due = at < order.duesNow.size() ? order.duesNow[at] : TimePoint{};
    return view.whole().matches(job, time) && among(view.states) && among(order.from) &&
           (due == TimePoint{} || due == job.due);
}

std::vector<std::string> FakeBackend::idsOf(const Order& order) const
{
    if (!order.selection.all) {
        return order.selection.ids;
    }
    std::vector<std::string> ids;
    for (std::uint64_t at = 0; at < rows_; ++at) {
        ids.push_back("job-" + std::to_string(at));
    }
    for (const auto* view :
         rows_ == 0 ? matching(order.selection.view) : std::vector<const JobView*>{}) {
        const auto& asOf = order.selection.asOf;
        if (asOf == TimePoint{} || view->job.created <= asOf) {
            ids.push_back(view->job.id);
        }
    }
    std::erase_if(ids,
                  [&](const std::string& id) { return order.selection.except.count(id) != 0; });
    return ids;
}

Ticket FakeBackend::act(Order order,
                        std::string actor,
                        std::function<void(const Progress&)> progress,
                        Reply<BulkReport> reply)
{
    const auto ticket = ++lastTicket_;
    auto ids = idsOf(order);
    orders.push_back(order);
    actors.push_back(std::move(actor));
    auto running = std::make_unique<Running>(
        Running{std::move(order), std::move(ids), 0, {}, std::move(progress), std::move(reply)});
    running->progress.expected = running->ids.size();
    running_.emplace(ticket, std::move(running));
    QTimer::singleShot(latencyMs, this, [this, ticket] { step(ticket); });
    return ticket;
}

TimePoint FakeBackend::dueOf(const Order& order, std::size_t at)
{
    return at < order.dues.size() ? order.dues[at] : order.due;
}

void FakeBackend::note(const Order& order, const std::string& id)
{
    HistoryRow row;
    row.at = time;
    row.transition = name(order.verb);
    row.worker = "console/1";
    row.actor = actors.back();
    row.reason = order.reason;
    histories[id].push_back(row);
    AuditRow audit;
    audit.at = time;
    audit.actor = QString::fromStdString(row.actor);
    audit.verb = QString::fromStdString(row.transition);
    audit.object = QString::fromStdString(id);
    audit.reason = QString::fromStdString(row.reason);
    auditRows.insert(auditRows.begin(), audit);
}

void FakeBackend::apply(const Order& order, std::size_t at, JobView& view)
{
    using Verb = BulkAction::Verb;
    switch (order.verb) {
    case Verb::Trash:
        wasBefore_[view.job.id] = view.state;
        view.state = JobState::Trashed;
        break;
    case Verb::Restore: {
        const auto before = wasBefore_.find(view.job.id);
        view.state = before == wasBefore_.end() ? JobState::Scheduled : before->second;
        break;
    }
    case Verb::Reschedule:
        view.state = JobState::Scheduled;
        view.due = dueOf(order, at);
        break;
    case Verb::Hold: view.state = JobState::Held; break;
    case Verb::Release:
    case Verb::RunNow: view.state = JobState::Ready; break;
    default: break;
    }
    note(order, view.job.id);
}

void FakeBackend::step(Ticket ticket)
{
    auto& running = *running_.at(ticket);
    auto& report = running.progress.report;
    const auto until =
        running.stopping ? running.at : std::min(running.ids.size(), running.at + actStep);
    running.progress.changed.clear();
    for (; running.at < until; ++running.at) {
        if (gone) {
            break;
        }
        const auto& id = running.ids[running.at];
        const auto found = std::find_if(jobs.begin(), jobs.end(),
                                        [&](const JobView& view) { return view.job.id == id; });
        const auto state = found == jobs.end() ? JobState::Scheduled : found->state;
        const auto due = found == jobs.end() ? TimePoint{} : found->due;
        ++report.examined;
        if (found != jobs.end() && !isMeant(running.order, running.at, *found)) {
            ++report.skipped;
            continue;
        }
        ++report.matched[state];
        ++report.topics[found == jobs.end() ? "order" : found->job.topic];
        if (running.order.mode == Order::Mode::DryRun) {
            continue;
        }
        if (failing.count(id) != 0) {
            ++report.failed;
            report.failures.emplace_back(id, Error{ErrorCode::Unavailable, "no answer in time"});
        } else if (skipped.count(id) != 0) {
            ++report.skipped;
        } else {
            ++report.done;
            const bool given = running.order.verb == BulkAction::Verb::Reschedule;
            running.progress.changed.push_back(
                {id, state, due, given ? dueOf(running.order, running.at) : TimePoint{}});
            if (found != jobs.end()) {
                apply(running.order, running.at, *found);
            }
        }
    }
    report.reached = running.at;
    report.stopped = running.stopping;
    if (running.tell) {
        running.tell(running.progress);
    }
    if (gone) {
        auto finished = std::move(running_.at(ticket));
        running_.erase(ticket);
        return finished->reply(failure(ErrorCode::Unavailable, "not connected to the store"));
    }
    if (running.stopping || running.at == running.ids.size()) {
        auto finished = std::move(running_.at(ticket));
        running_.erase(ticket);
        finished->reply(finished->progress.report);
        return;
    }
    QTimer::singleShot(latencyMs, this, [this, ticket] { step(ticket); });
}

Ticket FakeBackend::push(PushOrder order, Reply<Pushed> reply)
{
    pushes.push_back(order);
    const auto due = order.at.value_or(time + order.delay);
    auto id = order.job.id.empty() ? "new-" + std::to_string(pushes.size()) : order.job.id;
    return answer<Pushed>(std::move(reply), [id, due] {
        return Result<Pushed>(Pushed{{id}, {due}, false});
    });
}

Ticket FakeBackend::remind(reminder::ReminderRequest request, Reply<Pushed> reply)
{
    reminders.push_back(request);
    const auto due = time + Millis{60'000};
    return answer<Pushed>(std::move(reply), [due] {
        return Result<Pushed>(Pushed{{"reminder-1"}, {due}, false});
    });
}

Ticket FakeBackend::preview(reminder::ReminderRequest,
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

Ticket FakeBackend::topic(TopicVerb verb, TopicAction action, Reply<void> reply)
{
    topicActions.emplace_back(verb, action);
    return answer<void>(std::move(reply), [] { return Result<void>{}; });
}

Ticket FakeBackend::import(JobView view, bool, std::string, Reply<PushOutcome> reply)
{
    imports.push_back(view);
    const auto id = view.job.id;
    return answer<PushOutcome>(std::move(reply), [id] {
        return Result<PushOutcome>(PushOutcome{PushStatus::Stored, id});
    });
}

void FakeBackend::stop(Ticket ticket)
{
    if (const auto found = running_.find(ticket); found != running_.end()) {
        found->second->stopping = true;
    }
}

}  // namespace restante::gui::test
