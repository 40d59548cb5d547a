#include "core/reminder/series_list.h"

#include "core/base/async_task.h"
#include "core/base/text.h"
#include "core/job/job_filter.h"
#include "core/queue/job_search.h"
#include "core/reminder/reminder_plan.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace restante::reminder {

namespace {

/// Small, because jobs come with their bodies.
constexpr std::uint32_t kSeriesPage = 200;

bool isInLane(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready;
}

/// The end, exclusive, of the time whose occurrences have been handled.
TimePoint doneUntil(const JobView& job, TimePoint now)
{
    const bool knowsNext = isInLane(job.state) || job.state == JobState::Held;
    return knowsNext ? std::min(job.due, now + Recurrence::kSmallestStep)
                     : now + Recurrence::kSmallestStep;
}

/// The first time that is still to come, as the scheduler would find it.
std::optional<TimePoint>
firstUpcoming(const Recurrence& recurrence, const JobView& job, TimePoint now)
{
    if (job.state == JobState::Leased || job.state == JobState::Dead) {
        return recurrence.next(now - Recurrence::kSmallestStep);
    }
    if (job.state == JobState::Held && job.due != TimePoint::max()) {
        return recurrence.next(std::max(job.due, now) - Recurrence::kSmallestStep);
    }
    if (isInLane(job.state) && job.due <= now) {
        // Of several missed occurrences only the last one may still be sent.
        if (const auto lastMissed = recurrence.last(job.due, now + Recurrence::kSmallestStep)) {
            return lastMissed;
        }
    }
    return recurrence.next((isInLane(job.state) ? job.due : now) - Recurrence::kSmallestStep);
}

class SeriesLister final : public std::enable_shared_from_this<SeriesLister> {
public:
    SeriesLister(JobInspector& inspector,
                 const Clock& clock,
                 std::uint32_t shards,
                 SeriesQuery query,
                 Done<SeriesList> done)
        : inspector_(inspector),
          clock_(clock),
          shards_(shards),
          query_(query),
          done_(std::move(done))
    {
        search_.filter = *JobFilter::parse(filterFor("topic", kSeriesTopic));
        search_.states = {JobState::Scheduled, JobState::Ready, JobState::Leased, JobState::Held,
                          JobState::Dead};
        search_.limit = kSeriesPage;
    }

    void searchPage()
    {
        inspector_.search(search_, onSuccess(done_, [self = shared_from_this()](SearchPage page) {
                              self->addPage(std::move(page));
                          }));
    }

private:
    void addPage(SearchPage page)
    {
        examined_ += std::max<std::uint64_t>(page.examined, page.jobs.size());
        for (auto& job : page.jobs) {
            // Between two pages a job may have moved into a state that is listed later.
            const bool isKnown = std::ranges::any_of(
                list_.series, [&](const auto& known) { return known.job.job.id == job.job.id; });
            if (isKnown) {
                continue;
            }
            if (list_.series.size() >= query_.maxSeries) {
                list_.complete = false;
                break;
            }
            list_.series.push_back(
                seriesViewOf(std::move(job), clock_.now(), query_.times, shards_));
        }
        search_.cursor = std::move(page.cursor);
        const bool isFull =
            list_.series.size() >= query_.maxSeries || examined_ >= query_.scanBudget;
        if (!search_.cursor.empty() && !isFull) {
            return searchPage();
        }
        list_.complete = list_.complete && search_.cursor.empty();
        loadLastOccurrences();
    }

    void loadLastOccurrences()
    {
        const auto count = static_cast<std::size_t>(std::ranges::count_if(
            list_.series, [](const SeriesView& view) { return view.last.has_value(); }));
        if (count == 0) {
            return done_(std::move(list_));
        }
        const auto answered = countDown(count, [self = shared_from_this()] {
            self->error_ ? self->done_(tl::unexpected(*self->error_))
                         : self->done_(std::move(self->list_));
        });
        for (std::size_t i = 0; i < list_.series.size(); ++i) {
            if (const auto& last = list_.series[i].last) {
                inspector_.show(last->id,
                                [self = shared_from_this(), i, answered](Result<JobView> job) {
                                    if (job) {
                                        self->list_.series[i].last->job = std::move(*job);
                                    } else if (job.error().code != ErrorCode::NotFound) {
                                        self->error_ = job.error();
                                    }
                                    answered();
                                });
            }
        }
    }

    JobInspector& inspector_;
    const Clock& clock_;
    std::uint32_t shards_;
    SeriesQuery query_;
    Done<SeriesList> done_;
    JobSearch search_;
    SeriesList list_;
    std::uint64_t examined_ = 0;
    std::optional<Error> error_;
};

}  // namespace

SeriesView seriesViewOf(JobView job, TimePoint now, std::size_t count, std::uint32_t shards)
{
    SeriesView view;
    view.job = std::move(job);
    auto series = Series::parse(view.job.job.body);
    if (!series) {
        view.problem = series.error().message;
        return view;
    }
    view.series = std::move(*series);
    const auto recurrence = view.series->recurrence();
    if (!recurrence) {
        view.problem = recurrence.error().message;
        return view;
    }
    const auto& ends = view.series->ends;
    auto at = firstUpcoming(*recurrence, view.job, now);
    while (at && view.next.size() < count && (!ends || *at < *ends)) {
        view.next.push_back(*at);
        at = recurrence->next(std::max(*at, now));
    }
    if (const auto last = recurrence->last(view.job.job.created, doneUntil(view.job, now))) {
        view.last = LastOccurrence{
            *last, occurrenceOf(*view.series, view.job.job.id, *last, shards).job.id, {}};
    }
    return view;
}

std::optional<std::string> seriesOf(const Job& job)
{
    // "<series>.<ms since epoch>", of a SIP message maybe with a suffix "-<n>": occurrenceOf().
    const auto dot = job.id.rfind('.');
    if (job.topic != kTopic || dot == std::string::npos || dot == 0) {
        return std::nullopt;
    }
    auto moment = std::string_view(job.id).substr(dot + 1);
    moment = moment.substr(0, moment.find('-'));
    constexpr std::size_t kLeastDigits = 12;  // from 1973 on
    const bool isMoment = moment.size() >= kLeastDigits && isDigits(moment);
    return isMoment ? std::optional(job.id.substr(0, dot)) : std::nullopt;
}

void listSeries(JobInspector& inspector,
                const Clock& clock,
                std::uint32_t shards,
                SeriesQuery query,
                Done<SeriesList> done)
{
    std::make_shared<SeriesLister>(inspector, clock, shards, query, std::move(done))->searchPage();
}

}  // namespace restante::reminder
