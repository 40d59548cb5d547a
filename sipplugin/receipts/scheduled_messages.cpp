#include "sipplugin/receipts/scheduled_messages.h"

#include <fmt/format.h>
#include <utility>

namespace restante::sip {

namespace {

/// Jobs looked at in one call.
constexpr std::uint32_t kPage = 1'000;

bool isPending(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready || state == JobState::Leased ||
           state == JobState::Held;
}

}  // namespace

/// One order whose sender may have too many.
struct ScheduledMessages::Counting {
    PushOrder order;
    Done<PushOutcome> done;
    std::uint64_t pending = 0;
};

ScheduledMessages::ScheduledMessages(DelayQueue& queue,
                                     JobInspector& inspector,
                                     std::uint32_t perSender)
    : queue_(queue),
      inspector_(inspector),
      perSender_(perSender)
{
}

void ScheduledMessages::store(PushOrder order, Done<PushOutcome> done)
{
    order.placement = Placement::Lane;
    order.forwarded = true;
    if (perSender_ == 0) {
        return queue_.push(std::move(order), std::move(done));
    }
    order.job.findBySender = true;
    const auto sender = order.job.sender;
    auto counting = std::make_shared<Counting>();
    counting->order = std::move(order);
    counting->done = std::move(done);
    inspector_.countIndexed(
        IndexQuery::Kind::Sender, sender,
        [this, counting, alive = std::weak_ptr<int>{alive_}](const Result<std::uint64_t>& indexed) {
            if (alive.expired()) {
                return;
            }
            if (!indexed) {
                return counting->done(tl::unexpected(indexed.error()));
            }
            // The index has those that are over, too: only who is near the limit is counted.
            if (*indexed >= perSender_) {
                return countPending(counting, {});
            }
            queue_.push(std::move(counting->order), std::move(counting->done));
        });
}

void ScheduledMessages::countPending(const std::shared_ptr<Counting>& counting,
                                     const std::string& cursor)
{
    const auto take = [this, counting,
                       alive = std::weak_ptr<int>{alive_}](const Result<JobPage>& page) {
        if (alive.expired()) {
            return;
        }
        if (!page) {
            return counting->done(tl::unexpected(page.error()));
        }
        const auto& job = counting->order.job;
        for (const auto& view : page->jobs) {
            // The store knows a repetition by its once key and answers it as the first.
            const bool isOther =
                view.job.bizKey != job.bizKey || view.job.recipient != job.recipient;
            counting->pending += isPending(view.state) && isOther ? 1 : 0;
        }
        if (!page->cursor.empty() && counting->pending < perSender_) {
            return countPending(counting, page->cursor);
        }
        if (counting->pending >= perSender_) {
            return counting->done(failure(
                ErrorCode::Conflict,
                fmt::format("the sender has {} scheduled messages pending", counting->pending)));
        }
        queue_.push(std::move(counting->order), std::move(counting->done));
    };
    inspector_.indexed({IndexQuery::Kind::Sender, counting->order.job.sender, cursor, kPage}, take);
}

}  // namespace restante::sip
