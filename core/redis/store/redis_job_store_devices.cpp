#include "core/base/text.h"
#include "core/job/job_id.h"
#include "core/redis/store/attempt_note.h"
#include "core/redis/store/redis_job_store.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <array>

/// The part of RedisJobStore where messages go to every device of their recipient.
namespace restante::redis {

namespace {

std::string_view wordOf(DeviceMark::Fate fate)
{
    static constexpr std::array<std::string_view, 4> kWords{"taken", "refused", "waits", "left"};
    return kWords[static_cast<std::size_t>(fate)];
}

std::string printMs(const std::optional<TimePoint>& at)
{
    return at ? std::to_string(toEpochMs(*at)) : std::string();
}

/// The token and the messages; nothing when there are none.
DeviceBatch batchOf(const Reply& reply, Millis lease, std::vector<DamagedJob>& damaged)
{
    DeviceBatch batch;
    const auto* elements = reply.array();
    if (elements == nullptr || elements->size() != 2 || elements->front().text() == nullptr) {
        return batch;
    }
    batch.token = leadingNumber<std::uint64_t>(*elements->front().text());
    batch.messages = claimedJobsOf(elements->back(), damaged);
    for (auto& claimed : batch.messages) {
        claimed.leaseEnds += lease - claimed.job.ttr;  // the device's, not the job's
    }
    return batch;
}

}  // namespace

void RedisJobStore::lackingDevices(DeviceLook look, Done<std::vector<std::string>> done)
{
    const auto absent = printMs(look.absent);
    const auto count = std::to_string(look.devices.size());
    std::vector<std::string_view> arguments{look.recipient, absent, count};
    arguments.insert(arguments.end(), look.devices.begin(), look.devices.end());
    shardOfBox(look.recipient)
        .add(script("lacking_devices"), {}, arguments,
             [done = std::move(done)](const Result<Reply>& reply) { done(reply.map(textsOf)); });
}

void RedisJobStore::claimForDevice(DeviceClaim claim, Done<DeviceBatch> done)
{
    claimCopies(std::move(claim), 0, std::move(done));
}

void RedisJobStore::claimCopies(DeviceClaim claim, int tries, Done<DeviceBatch> done)
{
    const std::vector<std::string> arguments{
        claim.recipient,
        claim.device,
        std::to_string(claim.token),
        std::to_string(bounded(claim.max)),
        std::to_string(claim.maxBytes),
        std::to_string(claim.lease.count()),
        std::to_string(claim.keep.count()),
    };
    const std::vector<std::string_view> views(arguments.begin(), arguments.end());
    shardOfBox(claim.recipient)
        .add(script("claim_for_device"), {}, views,
             [this, claim = std::move(claim), tries,
              done = std::move(done)](const Result<Reply>& reply) mutable {
                 if (!reply) {
                     return done(tl::unexpected(reply.error()));
                 }
                 std::vector<DamagedJob> damaged;
                 auto batch = batchOf(*reply, claim.lease, damaged);
                 bury(damaged);
                 const auto shard = shardOfMailbox(claim.recipient, settings_.shards);
                 fetchSlots(reply, shard, tries,
                            [this, claim = std::move(claim), tries, batch = std::move(batch),
                             done = std::move(done)](bool again) mutable {
                                again ? claimCopies(std::move(claim), tries + 1, std::move(done))
                                      : done(std::move(batch));
                            });
             });
}

void RedisJobStore::mark(DeviceMark mark, Done<TimePoint> done)
{
    // About no job in particular: it must not pass a claim of the same device.
    shardOfBox(mark.recipient)
        .add(script("mark"), {},
             {mark.id, mark.recipient, mark.device, std::to_string(mark.token), wordOf(mark.fate),
              mark.error, printMs(mark.next), std::to_string(mark.lease.count()),
              std::to_string(mark.keep.count()), shortNote(mark.note)},
             [done = std::move(done), id = mark.id](const Result<Reply>& reply) {
                 done(deadlineOf(reply, id));
             });
}

}  // namespace restante::redis
