#include "gui/pages/jobs/topic_facets.h"

#include <algorithm>

namespace restante::gui {

namespace {

bool among(const std::vector<JobState>& states, JobState state)
{
    return std::ranges::find(states, state) != states.end();
}

/// The states that a view shows; none when its filter says more than which states.
std::optional<std::vector<JobState>> statesOf(const JobsView& view)
{
    const auto plan = view.filter.plan();
    const bool statesOnly = plan.exact && !plan.channels && !plan.topics;
    if (!view.filter.empty() && !statesOnly) {
        return {};
    }
    std::vector<JobState> states;
    for (const auto state : kJobStates) {
        if ((view.states.empty() || among(view.states, state)) &&
            (!plan.states || among(*plan.states, state))) {
            states.push_back(state);
        }
    }
    return states;
}

}  // namespace

TopicFacets::TopicFacets(const JobsView& view) : channel_(view.channel), topic_(view.topic)
{
    const auto states = statesOf(view);
    if (!states) {
        why_ = Why::Filtered;
        return;
    }
    scheduled_ = among(*states, JobState::Scheduled);
    ready_ = among(*states, JobState::Ready);
    leased_ = *states == std::vector{JobState::Leased};
    const auto kept = static_cast<std::size_t>(scheduled_ ? 1 : 0) + (ready_ ? 1U : 0U);
    why_ = kept == 0 ? Why::State : kept < states->size() ? Why::Partly : Why::Known;
}

std::uint64_t TopicFacets::sum(const TopicCounts& counts) const
{
    return (scheduled_ ? counts.scheduled : 0) + (ready_ ? counts.ready : 0);
}

std::optional<std::uint64_t> TopicFacets::of(const TopicView& topic) const
{
    if (leased_ && !channel_) {
        return topic.leased;
    }
    if (why_ == Why::State || why_ == Why::Filtered) {
        return {};
    }
    std::uint64_t all = 0;
    for (const auto& counts : topic.channels) {
        all += !channel_ || *channel_ == counts.channel ? sum(counts) : 0;
    }
    return all;
}

std::optional<std::uint64_t> TopicFacets::of(Channel channel,
                                             const std::vector<TopicView>& topics) const
{
    if (why_ == Why::State || why_ == Why::Filtered) {
        return {};
    }
    std::uint64_t all = 0;
    for (const auto& topic : topics) {
        for (const auto& counts : topic.channels) {
            const bool meant =
                counts.channel == channel && (topic_.empty() || topic_ == topic.topic);
            all += meant ? sum(counts) : 0;
        }
    }
    return all;
}

}  // namespace restante::gui
