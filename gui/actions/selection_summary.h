#pragma once

#include "core/job/job_state.h"

#include <QString>

#include <cstdint>
#include <map>

namespace restante::gui {

/// The properties of the selection that decide which actions are enabled. *Value.*
struct SelectionSummary {
    std::uint64_t count = 0;
    bool all = false;  ///< everything that matches, its states unknown
    /// Selected jobs by the state last known of them; empty when `all`.
    std::map<JobState, std::uint64_t> states = {};
    bool topicChosen = false;  ///< a topic is selected on the page of topics or in the sidebar
    bool topicPaused = false;
    QString topicName = {};

    /// Whether the Hold action releases: only held jobs are selected.
    bool heldOnly() const
    {
        return !all && states.size() == 1 && states.count(JobState::Held) != 0;
    }
};

}  // namespace restante::gui
