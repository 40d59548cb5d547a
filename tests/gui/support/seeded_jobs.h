#pragma once

#include "core/job/job.h"

#include <chrono>
#include <string>
#include <vector>

namespace restante::gui::test {

/// A scheduled job that is due so many seconds after the fake store's time.
inline JobView seededJob(const std::string& id, int dueSeconds)
{
    JobView view;
    view.job.id = id;
    view.job.topic = "order";
    view.job.recipient = "sip:bob@example.org";
    view.job.created = TimePoint{Millis{1'792'000'000'000}};
    view.due = TimePoint{Millis{1'793'000'000'000}} + std::chrono::seconds{dueSeconds};
    return view;
}

/// `count` of them that are due one after the other, "job-0" first, an hour after the store's time.
inline std::vector<JobView> seededJobs(int count)
{
    std::vector<JobView> jobs;
    jobs.reserve(static_cast<std::size_t>(count));
    for (int at = 0; at < count; ++at) {
        jobs.push_back(seededJob("job-" + std::to_string(at), 3'600 + at));
    }
    return jobs;
}

}  // namespace restante::gui::test
