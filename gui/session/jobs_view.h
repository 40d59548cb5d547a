#pragma once

#include "core/job/job.h"
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

/// Which jobs are shown, and in what order. *Value.*
struct JobsView {
    JobFilter filter = {};                ///< what is in the filter box
    std::vector<JobState> states = {};    ///< of the tab; empty = all
    std::optional<Channel> channel = {};  ///< of the sidebar
    std::string topic = {};               ///< of the sidebar; empty = all
    std::string error = {};   ///< of the sidebar: the reason of the last failure; empty = any
    bool retrying = false;    ///< of the tab: only those of which an attempt has failed
    bool descending = false;  ///< by the next moment, latest first

    /// Filter and sidebar together, as the store is asked.
    JobFilter combinedFilter() const;
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

/// A job as a table shows it: without its body, its texts ready for the screen. *Value.*
/// Texts come from strangers: they may hold anything but what is not Unicode, and are shown as
/// plain text only.
struct JobRow {
    std::string id;  ///< as the store knows it
    JobState state = JobState::Scheduled;
    Channel channel = Channel::Pull;
    QString topic;
    QString sender;
    QString recipient;
    QString bizKey;
    QString contentType;
    QString lastError;
    TimePoint due{};  ///< its next moment: JobView::due
    TimePoint created{};
    TimePoint expires{};         ///< epoch 0 = never
    std::uint32_t attempt = 0;   ///< begun so far, as its schedule counts them
    std::uint32_t attempts = 0;  ///< that its schedule allows, 0 = not bounded
    int priority = 5;
    std::uint64_t size = 0;  ///< bytes of the body
    QString text;            ///< what its body says, in a line; of a series what it will send
    bool isSeries = false;   ///< stands for a recurring reminder
};

/// Of how much of a body a line of text is made.
inline constexpr std::uint32_t kPreviewBytes = 1'024;

JobRow rowOf(const JobView& view);
/// Of one whose body has `wholeBody` bytes, of which the view has the beginning.
JobRow rowOf(const JobView& view, std::uint64_t wholeBody);

}  // namespace restante::gui
