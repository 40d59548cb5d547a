#pragma once

#include "core/job/job_filter.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace restante {

/// Whether a list that is empty for "any" has the value.
template <class T>
bool isWanted(const std::vector<T>& wanted, const T& value)
{
    return wanted.empty() || std::ranges::find(wanted, value) != wanted.end();
}

/// Every byte of every body.
inline constexpr std::uint32_t kWholeBody = 0xffff'ffff;

/// The whole length of each body of which a page has only the beginning, by the job's id.
using CutBodies = std::map<std::string, std::uint64_t>;

/// Shortens the body to at most `most` bytes; if that cuts it, `cut` gets its whole length.
void cutBody(Job& job, std::uint32_t most, CutBodies& cut);

/// The query of JobInspector::search() and count(). *Value.*
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
    std::string cursor = {};               ///< of the page before, or empty
    std::uint32_t limit = 100;             ///< jobs a page, 1 - 1000
    std::uint32_t budget = 10'000;         ///< jobs looked at before it answers with what it has
    std::uint32_t bodyBytes = kWholeBody;  ///< of each body at most, so that a table stays light
};

/// Whether the search has to examine jobs of this state: it is asked for, and `plan`, which is that
/// of the search's filter, does not rule it out.
bool includesState(const JobSearch& search, const FilterPlan& plan, JobState state);

struct SearchPage {
    std::vector<JobView> jobs;
    std::string cursor;          ///< where to go on; empty at the end
    std::uint64_t examined = 0;  ///< jobs looked at for this page
    CutBodies cut = {};
    bool hasMore() const noexcept { return !cursor.empty(); }
};

/// Some or all of a count; the caller adds up what several calls answer.
struct JobCount {
    std::map<JobState, std::uint64_t> states;  ///< only states that were searched
    std::string cursor;                        ///< where to go on; empty at the end
    std::uint64_t examined = 0;                ///< 0 when nothing had to be looked at
};

/// The query of JobInspector::ranked(): a page that begins at any rank, which the store finds
/// without reading the jobs before it. *Value.*
///
/// The order is that of JobSearch, so pages of any size, side by side, are what search() lists.
struct RankQuery {
    std::vector<JobState> states = {};     ///< empty = all; they stand in the order of kJobStates
    std::vector<Channel> channels = {};    ///< empty = any; else only scheduled and ready jobs
    std::vector<std::string> topics = {};  ///< the same
    JobSearch::Order order = JobSearch::Order::Ascending;
    std::uint64_t offset = 0;   ///< rank of the first job, from 0; behind the end = an empty page
    std::uint32_t limit = 200;  ///< 1 - 1000; 0 = only the counts
    std::uint32_t bodyBytes = kWholeBody;  ///< as JobSearch
};

struct RankPage {
    /// The jobs of ranks `offset` and following. One whose record cannot be read keeps its place,
    /// with only id, state and moment known. While the store changes under the query a page may
    /// lack jobs, but it names none twice.
    std::vector<JobView> jobs;
    std::uint64_t offset = 0;
    std::uint64_t total = 0;                   ///< jobs in all pages together
    std::map<JobState, std::uint64_t> states;  ///< the same by state, of those that were asked for
    CutBodies cut = {};
};

/// The states of a query, each once, in the order in which its pages go through them.
std::vector<JobState> statesOf(const RankQuery& query);

/// Invalid: a limit out of range; or topics or channels together with a state whose jobs the store
/// does not keep by topic (all but scheduled and ready).
Result<void> check(const RankQuery& query);

/// The query whose pages are what `search` finds, with the search's order and limit; none when
/// nothing can match, and when jobs must be looked at one by one, or an index leads to them, so
/// that only search() can.
std::optional<RankQuery> rankQueryOf(const JobSearch& search);

}  // namespace restante
