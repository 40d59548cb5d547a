#pragma once

#include "core/job/job_filter.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace restante::gui {

/// Rises with every change of what a table shows. An answer that carries an older one is dropped.
using Epoch = std::uint64_t;

/// Which jobs are looked at, and in what order. *Value.*
struct JobsView {
    JobFilter filter = {};                ///< what is in the filter box
    std::vector<JobState> states = {};    ///< of the tab; empty = all
    std::optional<Channel> channel = {};  ///< of the sidebar
    std::string topic = {};               ///< of the sidebar; empty = all
    bool descending = false;              ///< by the next moment, latest first

    /// Filter and sidebar together, as the store is asked.
    JobFilter whole() const;
    /// The store keeps these jobs in order, so that any row can be asked for by its rank. The
    /// others are found by looking at each job: they come by cursor.
    bool ranked() const;

    bool operator==(const JobsView& other) const;
};

/// What an action applies to. *Value*: it stays what it is while the table goes on, and says "all
/// that match" without naming them.
struct Selection {
    std::vector<std::string> ids = {};  ///< unless `all`
    bool all = false;                   ///< everything in `view` but `except`
    JobsView view = {};
    std::set<std::string> except = {};
    std::uint64_t count = 0;  ///< ids.size(), or how many matched when it was made
    bool exact = true;        ///< false: at least `count`
    /// Of `all`: which look at the view it is about, and the store's time of that look. What has
    /// come in since is not meant.
    Epoch epoch = 0;
    TimePoint asOf{};

    bool empty() const noexcept { return count == 0; }
};

}  // namespace restante::gui
