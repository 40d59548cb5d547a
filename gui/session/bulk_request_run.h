#pragma once

#include "core/queue/bulk_action.h"
#include "gui/session/job_writer.h"
#include "gui/session/open_store.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::gui {

/// One bulk request that is under way. Destroying it stops it without an answer. *One loop.*
class BulkRequestRun {
public:
    using Tell = std::function<void(const Progress&)>;

    BulkRequestRun(std::shared_ptr<OpenStore> store, BulkRequest request, std::string actor);

    /// Once. `progress` is told at most ten times a second, and once more before `done`.
    void start(Done<BulkReport> done, Tell progress);
    /// Ends after the acts on their way, with the report so far.
    void stop();
    /// Ends at once: tells how far it has come, and calls `done` no more. What was on its way is
    /// among the failures.
    void giveUp();

private:
    void tell(const BulkReport& report);

    std::shared_ptr<OpenStore> store_;
    std::uint64_t expected_;
    const bool resets_;  ///< the attempts of its jobs
    Tell progress_;
    std::chrono::steady_clock::time_point lastTold_{};
    BulkReport last_;
    std::vector<Changed> changed_;  ///< since it was last told
    BulkRun run_;
};

}  // namespace restante::gui
