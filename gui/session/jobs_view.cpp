#include "gui/session/jobs_view.h"

#include "core/queue/job_search.h"

namespace restante::gui {

JobFilter JobsView::whole() const
{
    std::string text = filter.text();
    const auto also = [&text](const std::string& term) {
        text = text.empty() ? term : "(" + text + ") " + term;
    };
    if (channel) {
        also(filterFor("channel", name(*channel)));
    }
    if (!topic.empty()) {
        also(filterFor("topic", topic));
    }
    // Both parts have been read before; only together they may be too long or too deep. Then
    // nothing matches: a part alone would be more than what was asked for.
    return JobFilter::parse(text).value_or(JobFilter::parse("state:ready state:dead").value());
}

bool JobsView::ranked() const
{
    JobSearch search;
    search.filter = whole();
    search.states = states;
    return rankQueryOf(search).has_value();
}

bool JobsView::operator==(const JobsView& other) const
{
    return filter.text() == other.filter.text() && states == other.states &&
           channel == other.channel && topic == other.topic && descending == other.descending;
}

}  // namespace restante::gui
