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

    void ask(Done<Counts> done);

private:
    using Count = std::function<void(std::uint64_t most, Done<redis::PartlyCounted>)>;
    /// The count of one state.
    struct Part {
        Count count;
        bool running = false;
        TimePoint began{};
        TimePoint ended{};
        std::optional<TopicJobs> last = {};  ///< counted in the background
    };
    void askPart(const std::shared_ptr<Part>& part, Done<TopicJobs> done);
    void countInBackground(const std::shared_ptr<Part>& part);

    const Clock& clock_;
    std::shared_ptr<Part> held_;  ///< shared with the answers that are on their way
    std::shared_ptr<Part> dead_;
    std::shared_ptr<Part> retrying_;
};

}  // namespace restante::gui
