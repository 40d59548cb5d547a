#include "gui/session/jobs_view.h"

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
    // Both parts have been read before; only together they may be too long or too deep.
    return JobFilter::parse(text).value_or(filter);
}

bool JobsView::ranked() const
{
    const auto plan = whole().plan();
    const auto atMostOne = [](const auto& list) { return !list || list->size() == 1; };
    return plan.exact && !plan.ids && !plan.bizKeys && !plan.recipients &&
           atMostOne(plan.channels) && atMostOne(plan.topics);
}

bool JobsView::operator==(const JobsView& other) const
{
    return filter.text() == other.filter.text() && states == other.states &&
           channel == other.channel && topic == other.topic && descending == other.descending;
}

}  // namespace restante::gui
