#include "core/delivery/orphaned_leases.h"

#include "core/base/clock.h"
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

/// Not at a whole second: to a job that is due at such moments, a series of reminders, this one
/// must not look like a time of its own.
TimePoint atOnce(TimePoint now)
{
    return toEpochMs(now) % 1'000 == 0 ? now - Millis{1} : now;
}

}  // namespace

void requeueLeases(DelayQueue& queue,
                   JobInspector& inspector,
                   OrphanedLeases whose,
                   std::function<void()> done)
{
    JobQuery query;
    query.state = JobState::Leased;
    query.channel = whose.channel;
    query.topic = whose.topic;
    query.limit = kBatch;
    inspector.list(std::move(query), [&queue, &inspector, whose = std::move(whose),
                                      done = std::move(done)](const Result<JobPage>& page) {
        if (!page || page->jobs.empty()) {
            return done();
        }
        log::info("delivery", "{} {} jobs were on their way when the daemon ended: again",
                  page->jobs.size(), whose.topic.empty() ? name(whose.channel) : whose.topic);
        const auto batch = std::make_shared<Batch>(Batch{page->jobs.size()});
        for (const auto& view : page->jobs) {
            queue.store().retry({.lease = {.id = view.job.id, .attempt = view.attempt},
                                 .due = atOnce(queue.clock().now()),
                                 .counted = false},
                                [&queue, &inspector, whose, done, batch](const auto& given) {
                                    batch->isStuck = batch->isStuck || !given;
                                    if (--batch->missing > 0) {
                                        return;
                                    }
                                    // What cannot be given back lapses; do not ask for ever.
                                    batch->isStuck ? done()
                                                   : requeueLeases(queue, inspector, whose, done);
                                });
        }
    });
}

}  // namespace restante::delivery
