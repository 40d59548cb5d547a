#pragma once

#include "core/base/clock.h"
#include "core/redis/store/store_activity.h"
#include "gui/session/job_source.h"

#include <functional>
#include <memory>
#include <optional>

namespace restante::gui {

/// Counts the held, dead and retrying jobs of each topic, for which the store keeps no counters. A
/// few jobs are counted for each answer; for many it returns the last count of the background,
/// which is repeated while requests come.
///
/// Borrows everything. *One loop.*
class TopicCensus {
public:
    /// *Value.*
    struct Counts {
        TopicJobs held;
        TopicJobs dead;
        TopicJobs retrying;
    };

    TopicCensus(redis::StoreActivityReader& reader, const Clock& clock);

    void count(Done<Counts> done);

private:
    using CountFunction = std::function<void(std::uint64_t limit, Done<redis::PartlyCounted>)>;
    /// The count of one state.
    struct StateCount {
        CountFunction count;
        bool running = false;
        TimePoint startedAt{};
        TimePoint endedAt{};
        std::optional<TopicJobs> last = {};  ///< counted in the background
    };
    void requestState(const std::shared_ptr<StateCount>& stateCount, Done<TopicJobs> done);
    void countInBackground(const std::shared_ptr<StateCount>& stateCount);

    const Clock& clock_;
    std::shared_ptr<StateCount> held_;  ///< shared with the answers that are on their way
    std::shared_ptr<StateCount> dead_;
    std::shared_ptr<StateCount> retrying_;
};

}  // namespace restante::gui
