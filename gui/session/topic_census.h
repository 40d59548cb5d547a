#pragma once

#include "core/base/clock.h"
#include "core/redis/store/store_activity.h"
#include "gui/session/job_source.h"

#include <functional>
#include <memory>
#include <optional>

namespace restante::gui {

/// How many jobs of each topic are held, are dead, or wait for another attempt: by these states the
/// store keeps no numbers. As long as there are few, each answer counts them anew; of more it says
/// what it has counted last in the background, where it counts again while somebody asks.
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
    /// One of the three.
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
