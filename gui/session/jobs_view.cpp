#include "gui/session/jobs_view.h"

#include "core/queue/attempt_forecast.h"
#include "core/queue/job_search.h"
#include "core/reminder/reminder_plan.h"
#include "core/reminder/series.h"
#include "gui/session/job_preview.h"

namespace restante::gui {

namespace {

QString text(const std::string& bytes)
{
    return QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
}

}  // namespace

JobRow rowOf(const JobView& view)
{
    return rowOf(view, view.job.body.size());
}

JobRow rowOf(const JobView& view, std::uint64_t bodySize)
{
    const auto& job = view.job;
    JobRow row;
    row.id = job.id;
    row.state = view.state;
    row.channel = job.channel;
    row.topic = text(job.topic);
    row.sender = text(job.sender);
    row.recipient = text(job.recipient);
    row.bizKey = text(job.bizKey);
    row.contentType = text(job.contentType);
    row.lastError = text(view.lastError);
    row.due = view.due;
    row.created = job.created;
    row.expires = job.expires.value_or(TimePoint{});
    row.countedAttempts = view.countedAttempts();
    row.maxAttempts = attemptCountOf(job.retry);
    row.priority = job.priority;
    row.size = bodySize;
    row.text = previewOf(job, bodySize);
    if (job.topic == reminder::kSeriesTopic) {
        row.isSeries = true;
        const auto series = reminder::Series::parse(job.body);
        row.text =
            series ? previewOf(series->job, bodySize - job.body.size() + series->job.body.size())
                   : QString();
    }
    return row;
}

JobFilter JobsView::combinedFilter() const
{
    std::string text = filter.text();
    const auto addTerm = [&text](const std::string& term) {
        text = text.empty() ? term : "(" + text + ") " + term;
    };
    if (channel) {
        addTerm(filterFor("channel", name(*channel)));
    }
    if (!topic.empty()) {
        addTerm(filterFor("topic", topic));
    }
    if (!error.empty()) {
        addTerm(filterFor("err", error));
    }
    if (retrying) {
        addTerm("attempts>0");
    }
    // Both parts have been read before; only together they may be too long or too deep. Then
    // nothing matches: a part alone would be more than what was asked for.
    return JobFilter::parse(text).value_or(JobFilter::parse("state:ready state:dead").value());
}

bool JobsView::ranked() const
{
    JobSearch search;
    search.filter = combinedFilter();
    search.states = states;
    return rankQueryOf(search).has_value();
}

bool JobsView::operator==(const JobsView& other) const
{
    return filter.text() == other.filter.text() && states == other.states &&
           channel == other.channel && topic == other.topic && error == other.error &&
           retrying == other.retrying && descending == other.descending;
}

}  // namespace restante::gui
