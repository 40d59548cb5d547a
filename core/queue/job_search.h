#pragma once

#include "core/job/job_filter.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace restante {

/// What JobInspector::search() and count() are asked for. *Value.*
///
/// Order: state by state, as kJobStates lists them, and within a state by its moment (JobView::due;
/// of held ones when they expire), then id; `Descending` turns all of that round. Jobs that an id
/// or a biz_key leads to come key by key and by id instead, in either order. There is no other
/// order, because the store keeps none.
struct JobSearch {
    JobFilter filter = {};
    std::vector<JobState> states = {};  ///< empty = those that the filter allows
    enum class Order { Ascending, Descending };
    Order order = Order::Ascending;
    std::string cursor = {};        ///< of the page before, or empty
    std::uint32_t limit = 100;      ///< jobs a page, 1 - 1000
    std::uint32_t budget = 10'000;  ///< jobs looked at before it answers with what it has
};

struct SearchPage {
    std::vector<JobView> jobs;
    std::string cursor;          ///< where to go on; empty at the end
    std::uint64_t examined = 0;  ///< jobs looked at for this page
    bool more() const noexcept { return !cursor.empty(); }
};

/// Some or all of a count; the caller adds up what several calls answer.
struct JobCount {
    std::map<JobState, std::uint64_t> states;  ///< only states that were searched
    std::string cursor;                        ///< where to go on; empty at the end
    std::uint64_t examined = 0;                ///< 0 when nothing had to be looked at
};

/// The secondary indexes: every job with a biz_key is in the first, every job pushed with
/// `Job::findBySender` in the second, in whatever state, until its record is forgotten.
struct IndexQuery {
    enum class Kind { BizKey, Sender };
    Kind kind = Kind::BizKey;
    std::string value = {};
    std::string cursor = {};
    std::uint32_t limit = 100;  ///< 1 - 1000
};

}  // namespace restante
