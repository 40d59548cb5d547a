#pragma once

#include "core/job/job_state.h"

#include <QString>

#include <cstdint>
#include <map>

namespace restante::gui {

/// What is selected, as far as it decides what can be done with it. *Value.*
struct SelectionSummary {
    std::uint64_t count = 0;
    bool all = false;  ///< everything that matches, whatever states that are
    /// Of the rows that are known; empty when `all`.
    std::map<JobState, std::uint64_t> states = {};
    bool topicChosen = false;  ///< a topic is selected on the page of topics or in the sidebar
    bool topicPaused = false;
    QString topicName = {};

    /// Such jobs are released; anything else is held.
    bool heldOnly() const
    {
        return !all && states.size() == 1 && states.count(JobState::Held) != 0;
    }
};

}  // namespace restante::gui
