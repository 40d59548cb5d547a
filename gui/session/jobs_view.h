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

/// Incremented with every change of the view of a table; answers of an older epoch are dropped.
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

    /// The conditions of filter box, sidebar and `retrying` in one filter, as in the requests to
    /// the store.
    JobFilter combinedFilter() const;
    /// Whether the store has an index in the order of the view, so that rows can be requested by
    /// rank. The jobs of other views are found by a scan, and come by cursor.
    bool ranked() const;

    bool operator==(const JobsView& other) const;
};

/// The jobs that an action applies to: a list of ids, or all jobs of a view but some. A copy, which
/// does not change with the table. *Value.*
struct Selection {
    std::vector<std::string> ids = {};  ///< unless `all`
    bool all = false;                   ///< everything in `view` but `except`
    JobsView view = {};
    std::set<std::string> except = {};
    std::uint64_t count = 0;  ///< ids.size(), or how many matched when it was made
    bool exact = true;        ///< false: at least `count`
    /// Of `all`: the epoch of the view and the store's time when its rows were counted. Later jobs
    /// are not part of the selection.
    Epoch epoch = 0;
    TimePoint asOf{};

    bool empty() const noexcept { return count == 0; }
};

/// A job as a table shows it, without its body. Its texts are untrusted: any valid Unicode, to be
/// shown as plain text only. *Value.*
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
    TimePoint expires{};                ///< epoch 0 = never
    std::uint32_t countedAttempts = 0;  ///< begun so far, as its schedule counts them
    std::uint32_t maxAttempts = 0;      ///< that its schedule allows, 0 = no maximum
    int priority = 5;
    std::uint64_t size = 0;  ///< bytes of the body
    QString text;            ///< a preview of its body in one line; of a series of the next message
    bool isSeries = false;   ///< stands for a recurring reminder
};

/// The bytes of a body from which its preview is made.
inline constexpr std::uint32_t kPreviewBytes = 1'024;

JobRow rowOf(const JobView& view);
/// `bodySize`: the size of the body in bytes; the view has only its beginning.
JobRow rowOf(const JobView& view, std::uint64_t bodySize);

}  // namespace restante::gui
