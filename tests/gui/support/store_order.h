#pragma once

#include "core/job/job.h"

#include <algorithm>

namespace restante::gui::test {

/// How the store has its jobs: state by state, by moment, then id.
inline bool inStoreOrder(const JobView& a, const JobView& b)
{
    if (a.state != b.state) {
        return std::find(kJobStates.begin(), kJobStates.end(), a.state) <
               std::find(kJobStates.begin(), kJobStates.end(), b.state);
    }
    const auto momentOf = [](const JobView& view) {
        return view.state == JobState::Held ? view.job.expires.value_or(TimePoint::max())
                                            : view.due;
    };
    const auto one = momentOf(a);
    const auto other = momentOf(b);
    return one != other ? one < other : a.job.id < b.job.id;
}

}  // namespace restante::gui::test
