#include "core/schedule/long_poll_queue.h"

#include "core/base/log.h"
#include "core/base/metrics.h"
#include "core/base/while_alive.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <unordered_map>
#include <utility>

namespace restante {

namespace {

/// Jobs of one claim: enough to be worth its round trip, few enough not to hold up the store.
constexpr std::uint32_t kMostJobsPerClaim = 256;

/// A request whose topics have no queue claims for itself; if it gets nothing, it is parked in the
/// queue of each of its topics, and each topic with a queue is watched. When a topic is due, one
/// claim serves its whole queue.
class LongPollQueueImpl final : public LongPollQueue,
                                public std::enable_shared_from_this<LongPollQueueImpl> {
public:
    LongPollQueueImpl(EventLoop& loop, DueWatcher& dueWatcher, JobStore& store, Settings settings)
        : loop_(loop),
          dueWatcher_(dueWatcher),
          store_(store),
          settings_(std::move(settings))
    {
    }

    ~LongPollQueueImpl() override
    {
        for (auto& [topic, queue] : topics_) {
            dueWatcher_.unwatch(queue.watch);
        }
        for (auto& [id, waiter] : waiters_) {
            loop_.cancelTimer(waiter.timer);
        }
        *settings_.parked -= parked_;
        parkedGauge_.add(-static_cast<double>(parked_));
    }

    RequestId pop(Request request, Done<Jobs> done) override
    {
        assert(!request.topics.empty());
        const auto id = ++lastId_;
        auto& waiter =
            waiters_.emplace(id, Waiter{std::move(request), std::move(done)}).first->second;
        auto& topics = waiter.request.topics;
        std::ranges::sort(topics);
        topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
        waiter.request.max = std::clamp(waiter.request.max, 1U, kMostJobsPerClaim);
        const bool nobodyWaits = std::ranges::none_of(
            topics, [this](const auto& topic) { return topics_.contains(topic); });
        if (!nobodyWaits && waiter.request.wait > Millis{0} && !isStopped_) {
            // It queues behind those that wait already; a claim of its own could overtake them.
            park(id);
            return id;
        }
        store_.claim({Channel::Pull, topics, waiter.request.max},
                     whileAlive(*this, &LongPollQueueImpl::handleClaim, id));
        return id;
    }

    void cancel(RequestId id) override
    {
        unpark(id);
        // Destroyed behind the removal: with the call that waited ends its request, and the next
        // one of the connection may wait here, too.
        const auto cancelled = waiters_.extract(id);
    }

    void requeue(const Jobs& jobs) override
    {
        for (const auto& job : jobs) {
            store_.retry(
                {leaseOf(job), job.due, {}, false}, [id = job.job.id](Result<void> result) {
                    // After no answer it may have been given back all the same.
                    if (!result && !hasMovedOn(result.error().code)) {
                        log::warning("http", "job {} may stay leased until its ttr is over: {}", id,
                                     result.error().message);
                    }
                });
        }
    }

    void stop() override
    {
        isStopped_ = true;
        std::vector<RequestId> ids;
        for (const auto& [id, waiter] : waiters_) {
            if (waiter.isParked) {
                ids.push_back(id);
            }
        }
        for (const auto id : ids) {
            postAnswer(id, Jobs{});
        }
    }

    std::size_t parked() const noexcept override { return parked_; }

private:
    struct Waiter {
        Request request;
        Done<Jobs> done;
        bool isParked = false;
        EventLoop::TimerId timer = 0;
    };
    /// The requests that wait for a topic, in order of arrival.
    struct TopicQueue {
        DueWatcher::WatchId watch = 0;
        std::map<RequestId, Waiter*> waiters;
    };

    /// The result of the claim that a request made for itself.
    void handleClaim(RequestId id, Result<Jobs> jobs)
    {
        const auto found = waiters_.find(id);
        if (found == waiters_.end()) {
            if (jobs) {
                requeue(*jobs);
            }
            return;
        }
        const bool mayPark = found->second.request.wait > Millis{0} && !isStopped_;
        if (jobs && jobs->empty() && mayPark) {
            return park(id);
        }
        answerNow(id, std::move(jobs));
    }

    void park(RequestId id)
    {
        auto& waiter = waiters_.at(id);
        const auto parkedBefore = settings_.parked->fetch_add(1);
        if (parkedBefore >= settings_.maxParked) {
            --*settings_.parked;
            return postAnswer(
                id,
                failure(
                    ErrorCode::Busy,
                    "{} clients are waiting for jobs already; ask again later, or without waiting",
                    parkedBefore));
        }
        ++parked_;
        parkedGauge_.add(1);
        waiter.isParked = true;
        waiter.timer = loop_.armTimer(waiter.request.wait, [this, id] { answerNow(id, Jobs{}); });
        for (const auto& topic : waiter.request.topics) {
            auto& queue = topics_[topic];
            queue.waiters.emplace(id, &waiter);
            if (queue.watch == 0) {
                queue.watch =
                    dueWatcher_.watch({DueSource::Kind::Lanes, Channel::Pull, {topic}},
                                      whileAlive(*this, &LongPollQueueImpl::claimForTopic, topic));
            }
        }
    }

    /// Removes a request from the queues of its topics.
    void unpark(RequestId id)
    {
        const auto found = waiters_.find(id);
        if (found == waiters_.end() || !std::exchange(found->second.isParked, false)) {
            return;
        }
        --parked_;
        --*settings_.parked;
        parkedGauge_.add(-1);
        loop_.cancelTimer(found->second.timer);
        for (const auto& topic : found->second.request.topics) {
            const auto queue = topics_.find(topic);
            queue->second.waiters.erase(id);
            if (queue->second.waiters.empty()) {
                dueWatcher_.unwatch(queue->second.watch);
                topics_.erase(queue);
            }
        }
    }

    void answerNow(RequestId id, Result<Jobs> jobs)
    {
        unpark(id);
        auto waiter = waiters_.extract(id);
        waiter.mapped().done(std::move(jobs));
    }

    /// As answerNow(), but from a later turn of the loop.
    void postAnswer(RequestId id, Result<Jobs> jobs)
    {
        unpark(id);
        loop_.post(whileAlive(*this, [id, jobs = std::move(jobs)](LongPollQueueImpl& self) {
            if (self.waiters_.contains(id)) {
                self.answerNow(id, jobs);
            }
        }));
    }

    /// The topic has something due: claims for its queue until no job or no waiter is left.
    void claimForTopic(const std::string& topic, std::function<void()> onSettled)
    {
        const auto queue = topics_.find(topic);
        if (queue == topics_.end()) {
            return onSettled();
        }
        std::uint32_t wanted = 0;
        for (const auto& [id, waiter] : queue->second.waiters) {
            wanted += waiter->request.max;
            if (wanted >= kMostJobsPerClaim) {
                wanted = kMostJobsPerClaim;
                break;
            }
        }
        store_.claim({Channel::Pull, {topic}, wanted},
                     [weak = weak_from_this(), topic, wanted,
                      onSettled = std::move(onSettled)](Result<Jobs> jobs) {
                         const auto self = weak.lock();
                         if (!self) {
                             return;
                         }
                         const bool mayHaveMore = jobs && jobs->size() == wanted;
                         auto shares = jobs ? self->distribute(topic, std::move(*jobs)) : Shares{};
                         // The next claim is sent before these are answered. Without jobs the
                         // watcher asks the store again, and backs off while it is away.
                         mayHaveMore ? self->claimForTopic(topic, onSettled) : onSettled();
                         for (auto& [waiter, share] : shares) {
                             waiter.done(std::move(share));
                         }
                     });
    }

    using Shares = std::vector<std::pair<Waiter, Jobs>>;

    /// Distributes the jobs among the waiters of the topic and unparks each that gets some.
    Shares distribute(const std::string& topic, Jobs jobs)
    {
        Shares shares;
        auto next = std::make_move_iterator(jobs.begin());
        const auto end = std::make_move_iterator(jobs.end());
        while (next != end) {
            const auto queue = topics_.find(topic);
            if (queue == topics_.end()) {
                requeue(Jobs(next, end));
                break;
            }
            const auto [id, waiter] = *queue->second.waiters.begin();
            const auto count = std::min<std::ptrdiff_t>(waiter->request.max, end - next);
            Jobs share(next, next + count);
            next += count;
            unpark(id);
            shares.emplace_back(std::move(waiters_.extract(id).mapped()), std::move(share));
        }
        return shares;
    }

    EventLoop& loop_;
    DueWatcher& dueWatcher_;
    JobStore& store_;
    Settings settings_;
    RequestId lastId_ = 0;
    std::unordered_map<RequestId, Waiter> waiters_;
    std::unordered_map<std::string, TopicQueue> topics_;
    std::size_t parked_ = 0;  ///< here
    metrics::Gauge& parkedGauge_ = metrics::gauge("restante_http_parked_pops");
    bool isStopped_ = false;
};

}  // namespace

std::shared_ptr<LongPollQueue>
LongPollQueue::make(EventLoop& loop, DueWatcher& dueWatcher, JobStore& store, Settings settings)
{
    return std::make_shared<LongPollQueueImpl>(loop, dueWatcher, store, settings);
}

}  // namespace restante
