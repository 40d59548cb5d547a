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

/// Jobs come with their bodies.
constexpr std::uint32_t kSeriesPage = 200;
constexpr Millis kSeriesInstant{1};  // next() answers what comes after a moment

bool isInLane(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready;
}

/// Up to when its occurrences have been dealt with, exclusive.
TimePoint doneUntil(const JobView& job, TimePoint now)
{
    const bool knowsNext = isInLane(job.state) || job.state == JobState::Held;
    return knowsNext ? std::min(job.due, now + kSeriesInstant) : now + kSeriesInstant;
}

/// The first time that is still to come, as the scheduler would find it.
std::optional<TimePoint> firstNext(const Recurrence& recurrence, const JobView& job, TimePoint now)
{
    if (job.state == JobState::Leased || job.state == JobState::Dead) {
        return recurrence.next(now - kSeriesInstant);
    }
    if (job.state == JobState::Held && job.due != TimePoint::max()) {
        return recurrence.next(std::max(job.due, now) - kSeriesInstant);
    }
    if (isInLane(job.state) && job.due <= now) {
        // Of several that nobody has sent the last is the one that is still worth something.
        if (const auto late = recurrence.last(job.due, now + kSeriesInstant)) {
            return late;
        }
    }
    return recurrence.next((isInLane(job.state) ? job.due : now) - kSeriesInstant);
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

    void look()
    {
        inspector_.search(search_, onSuccess(done_, [self = shared_from_this()](SearchPage page) {
                              self->take(std::move(page));
                          }));
    }

private:
    void take(SearchPage page)
    {
        looked_ += std::max<std::uint64_t>(page.examined, page.jobs.size());
        for (auto& job : page.jobs) {
            // It may have moved on between two pages, into a state that comes later.
            const bool isKnown = std::ranges::any_of(
                list_.series, [&](const auto& one) { return one.job.job.id == job.job.id; });
            if (!isKnown && list_.series.size() < query_.most) {
                list_.series.push_back(
                    seriesViewOf(std::move(job), clock_.now(), query_.next, shards_));
            }
        }
        search_.cursor = std::move(page.cursor);
        const bool isFull = list_.series.size() >= query_.most || looked_ >= query_.budget;
        if (!search_.cursor.empty() && !isFull) {
            return look();
        }
        list_.complete = search_.cursor.empty();
        askLast();
    }

    void askLast()
    {
        const auto asked = static_cast<std::size_t>(std::ranges::count_if(
            list_.series, [](const SeriesView& one) { return one.last.has_value(); }));
        if (asked == 0) {
            return done_(std::move(list_));
        }
        const auto answered = countDown(asked, [self = shared_from_this()] {
            self->failed_ ? self->done_(tl::unexpected(*self->failed_))
                          : self->done_(std::move(self->list_));
        });
        for (std::size_t at = 0; at < list_.series.size(); ++at) {
            if (const auto& last = list_.series[at].last) {
                inspector_.show(last->id,
                                [self = shared_from_this(), at, answered](Result<JobView> job) {
                                    if (job) {
                                        self->list_.series[at].last->job = std::move(*job);
                                    } else if (job.error().code != ErrorCode::NotFound) {
                                        self->failed_ = job.error();
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
    std::uint64_t looked_ = 0;
    std::optional<Error> failed_;
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
    auto at = firstNext(*recurrence, view.job, now);
    while (at && view.next.size() < count && (!ends || *at <= *ends)) {
        view.next.push_back(*at);
        at = recurrence->next(std::max(*at, now));
    }
    if (const auto last = recurrence->last(view.job.job.created, doneUntil(view.job, now))) {
        view.last =
            LastRun{*last, occurrenceOf(*view.series, view.job.job.id, *last, shards).job.id, {}};
    }
    return view;
}

std::optional<std::string> seriesOf(const Job& job)
{
    // "<series>.<ms since epoch>", of a message with "-<n>" behind it: occurrenceOf().
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
    std::make_shared<SeriesLister>(inspector, clock, shards, query, std::move(done))->look();
}

}  // namespace restante::reminder
