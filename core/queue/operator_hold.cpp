#include "core/queue/operator_hold.h"

#include <fmt/format.h>
#include <utility>

namespace restante {

void holdWaiting(JobInspector& inspector, DelayQueue& queue, OperatorAction action, Done<void> done)
{
    const auto id = action.id;
    inspector.show(id, [&queue, action = std::move(action),
                        done = std::move(done)](const Result<JobView>& view) {
        if (!view) {
            return done(tl::unexpected(view.error()));
        }
        if (view->state != JobState::Scheduled && view->state != JobState::Ready) {
            return done(failure(
                ErrorCode::Conflict,
                fmt::format("job {}: it is {}; an operator holds jobs that are scheduled or ready",
                            action.id, name(view->state))));
        }
        Lease lease{.id = action.id};
        lease.ends = view->due;
        lease.actor = action.actor;
        lease.reason = action.reason;
        queue.hold(std::move(lease), done);
    });
}

}  // namespace restante
