#include "sipplugin/inbound/scheduled_messages.h"

#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace restante::sip {

namespace {

/// Jobs looked at in one call.
constexpr std::uint32_t kPage = 1'000;
/// A place that was taken longer ago, and that nobody has said of that its message is stored, is
/// that of a daemon that crashed, or of a store that could not be reached.
constexpr std::chrono::seconds kPushed{60};

bool isPending(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready || state == JobState::Leased ||
           state == JobState::Held;
}

}  // namespace

/// One order of a sender who may have no more than so many.
struct ScheduledMessages::Wish {
    PushOrder order;
    Done<PushOutcome> done;
    /// Set once the sender's messages have been looked at, to when that began.
    std::optional<TimePoint> looked = {};
    std::vector<std::string> pending = {};  ///< their ids
    std::size_t others = 0;                 ///< of these, those that are no repetition of this one
};

ScheduledMessages::ScheduledMessages(Parts parts, Settings settings)
    : parts_(parts),
      settings_(settings),
      ids_(parts.queue.clock())
{
}

void ScheduledMessages::store(PushOrder order, Done<PushOutcome> done)
{
    order.placement = Placement::Lane;
    order.forwarded = true;
    if (settings_.perSender == 0) {
        return parts_.queue.push(std::move(order), std::move(done));
    }
    order.job.findBySender = true;
    order.job.id =
        ids_.generate(shardOfMailbox(order.job.recipient, parts_.queue.settings().shards));
    const auto wish = std::make_shared<Wish>(Wish{std::move(order), std::move(done)});
    parts_.shares != nullptr ? take(wish) : look(wish, {});
}

/// It may wait in its mailbox, too, once its time has come.
Millis ScheduledMessages::longest(const PushOrder& order) const
{
    const auto now = parts_.queue.clock().now();
    auto end = std::max(order.at.value_or(now), now) + settings_.lifetime;
    if (order.job.expires) {
        end = std::max(end, *order.job.expires);
    }
    return std::chrono::ceil<Millis>(end - now);
}

void ScheduledMessages::take(const WishPtr& wish)
{
    SenderShares::Wish place;
    place.sender = wish->order.job.sender;
    place.id = wish->order.job.id;
    place.most = settings_.perSender;
    place.keep = longest(wish->order);
    place.pending = std::move(wish->pending);
    if (wish->looked) {
        place.before = *wish->looked - kPushed;
    }
    parts_.shares->take(std::move(place), [this, wish, alive = std::weak_ptr<int>{alive_}](
                                              const Result<bool>& taken) {
        if (alive.expired()) {
            return;
        }
        if (!taken) {
            return wish->done(tl::unexpected(taken.error()));
        }
        if (*taken) {
            return push(wish, Place::Taken);
        }
        if (wish->looked) {
            return wish->done(failure(ErrorCode::Conflict,
                                      "the sender has as many scheduled messages as may be"));
        }
        look(wish, {});
    });
}

/// Which of the sender's messages are still pending: the places know those that have ended, too.
void ScheduledMessages::look(const WishPtr& wish, const std::string& cursor)
{
    if (!wish->looked) {
        wish->looked = parts_.queue.clock().now();
    }
    parts_.inspector.indexed(
        {IndexQuery::Kind::Sender, wish->order.job.sender, cursor, kPage},
        [this, wish, alive = std::weak_ptr<int>{alive_}](const Result<JobPage>& page) {
            if (alive.expired()) {
                return;
            }
            if (!page) {
                return wish->done(tl::unexpected(page.error()));
            }
            const auto& job = wish->order.job;
            for (const auto& view : page->jobs) {
                if (!isPending(view.state)) {
                    continue;
                }
                wish->pending.push_back(view.job.id);
                // The store knows a repetition by its once key and answers it as the first.
                const bool isOther =
                    view.job.bizKey != job.bizKey || view.job.recipient != job.recipient;
                wish->others += isOther ? 1 : 0;
            }
            if (!page->cursor.empty() && wish->others < settings_.perSender) {
                return look(wish, page->cursor);
            }
            decide(wish);
        });
}

void ScheduledMessages::decide(const WishPtr& wish)
{
    if (wish->others >= settings_.perSender) {
        return wish->done(
            failure(ErrorCode::Conflict,
                    fmt::format("the sender has {} scheduled messages pending", wish->others)));
    }
    const bool isRepetition = wish->pending.size() > wish->others;
    isRepetition || parts_.shares == nullptr ? push(wish, Place::None) : take(wish);
}

void ScheduledMessages::push(const WishPtr& wish, Place place)
{
    const auto id = wish->order.job.id;
    const auto sender = wish->order.job.sender;
    parts_.queue.push(std::move(wish->order),
                      [this, wish, place, id, sender,
                       alive = std::weak_ptr<int>{alive_}](const Result<PushOutcome>& stored) {
                          if (place == Place::Taken && !alive.expired()) {
                              settle(sender, id, stored);
                          }
                          wish->done(stored);
                      });
}

/// What has become of the message that has taken a place.
void ScheduledMessages::settle(const std::string& sender,
                               const std::string& id,
                               const Result<PushOutcome>& stored)
{
    if (stored && stored->id == id) {
        parts_.shares->stored(sender, id);
    } else if (stored || stored.error().code != ErrorCode::Unavailable) {
        parts_.shares->giveBack(sender, id);
    }
    // Else nobody knows whether it is stored.
}

}  // namespace restante::sip
