#pragma once

#include "core/job/job.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace restante::gui {

/// Generates jobs like those of a busy week: messages between people, text messages, webhooks, and
/// jobs that workers fetch. The same seed gives the same jobs. *Value.*
class DemoJobs {
public:
    explicit DemoJobs(std::uint32_t seed) : random_(seed) {}

    /// Jobs without a due time, created at `at`, with an id of that time.
    Job message(TimePoint at);
    Job textMessage(TimePoint at);
    Job webhook(TimePoint at);
    Job fetchedJob(TimePoint at);
    Job randomJob(TimePoint at);

    /// The topics of fetchedJob().
    static std::vector<std::string> fetchedTopics();

    /// Why such a job fails: "480 Temporarily Unavailable".
    std::string failureOf(const Job& job);
    /// Why it will never be delivered.
    std::string refusalOf(const Job& job);
    /// The attempt record of one attempt.
    std::string
    noteOf(const Job& job, std::uint32_t attempt, TimePoint at, std::string_view answer);
    static std::string successOf(const Job& job);

    /// 0 ... limit - 1.
    std::uint32_t randomBelow(std::uint32_t limit) { return random_() % limit; }
    Millis randomBetween(Millis least, Millis most);

private:
    std::string newId(TimePoint at);
    template <class List>
    const auto& randomElement(const List& list)
    {
        return list[randomBelow(static_cast<std::uint32_t>(std::size(list)))];
    }

    std::mt19937 random_;
};

}  // namespace restante::gui
