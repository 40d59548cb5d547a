#include "core/delivery/left_leases.h"

#include "core/base/log.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace restante::delivery {

namespace {

/// Jobs looked at in one call.
constexpr std::uint32_t kBatch = 100;

struct Batch {
    std::size_t missing = 0;
    bool isStuck = false;
};

}  // namespace

void giveBackLeases(DelayQueue& queue,
                    JobInspector& inspector,
                    Channel channel,
                    std::function<void()> done)
{
    JobQuery query;
    query.state = JobState::Leased;
    query.channel = channel;
    query.limit = kBatch;
    inspector.list(
        query, [&queue, &inspector, channel, done = std::move(done)](const Result<JobPage>& page) {
            if (!page || page->jobs.empty()) {
                return done();
            }
            log::info("delivery", "{} {} jobs were on their way when the daemon ended: again",
                      page->jobs.size(), name(channel));
            const auto batch = std::make_shared<Batch>(Batch{page->jobs.size()});
            for (const auto& view : page->jobs) {
                queue.store().retry({.lease = {.id = view.job.id, .attempt = view.attempt},
                                     .due = queue.clock().now(),
                                     .counted = false},
                                    [&queue, &inspector, channel, done, batch](const auto& given) {
                                        batch->isStuck = batch->isStuck || !given;
                                        if (--batch->missing == 0) {
                                            // What cannot be given back lapses; do not ask for
                                            // ever.
                                            batch->isStuck
                                                ? done()
                                                : giveBackLeases(queue, inspector, channel, done);
                                        }
                                    });
            }
        });
}

}  // namespace restante::delivery
