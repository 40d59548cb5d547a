#include "core/schedule/due_watcher.h"

#include "core/base/log.h"
#include "core/base/while_alive.h"
#include "core/queue/job_search.h"
#include "core/schedule/timing_wheel.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace restante {

namespace {

constexpr Millis kFirstBackOff{100};
constexpr Millis kLongestBackOff{2'000};
/// A head that has not moved although its source was handled (its jobs have expired and nobody
/// removes them) is handled again after growing delays, so that nothing spins.
constexpr Millis kFirstStallDelay{1};
constexpr Millis kLongestStallDelay{1'000};
/// The longest sleep: the loop's timer counts elapsed time, and the clock may be set meanwhile.
constexpr Millis kLongestSleep{60'000};

/// The due time of a Wake{}: some wake-ups may have been missed.
constexpr TimePoint kUnknownDue{};

bool isAbout(const Wake& wake, const DueSource& source)
{
    if (wake.kind != source.kind || source.kind != DueSource::Kind::Lanes ||
        wake.due == kUnknownDue) {
        return wake.kind == source.kind;
    }
    return wake.channel == source.channel && isWanted(source.topics, wake.topic);
}

}  // namespace

/// Each source is in one phase: asked (the store looks for its next moment), asleep (a timer of
/// the wheel, or none when it is empty) or handling (its handler has not settled). A wake-up while
/// asked is remembered, because the answer may be older than it; one while handling need not be, as
/// the store is asked again afterwards.
class DueWatcher::Impl : public std::enable_shared_from_this<DueWatcher::Impl> {
public:
    Impl(EventLoop& loop, const Clock& clock, JobStore& store)
        : clock_(clock),
          store_(store),
          timer_(loop),
          wheel_(clock.now())
    {
    }

    void listen() { store_.onWake(whileAlive(*this, &Impl::wake)); }

    WatchId watch(DueSource dueSource, Handler handler)
    {
        const auto id = ++lastId_;
        // Each topic once, as unwatch() expects.
        auto& topics = dueSource.topics;
        std::ranges::sort(topics);
        topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
        auto& source =
            sources_.emplace(id, Source{std::move(dueSource), std::move(handler)}).first->second;
        for (const auto& topic : source.dueSource.topics) {
            watchesByTopic_[topic].push_back(id);
        }
        if (source.dueSource.topics.empty()) {
            watchesOfAnyTopic_.push_back(id);
        }
        ask(id);
        return id;
    }

    void unwatch(WatchId id) noexcept
    {
        const auto found = sources_.find(id);
        if (found == sources_.end()) {
            return;
        }
        wheel_.cancel(found->second.timer);
        std::erase(watchesOfAnyTopic_, id);
        for (const auto& topic : found->second.dueSource.topics) {
            const auto ofTopic = watchesByTopic_.find(topic);
            std::erase(ofTopic->second, id);
            if (ofTopic->second.empty()) {
                watchesByTopic_.erase(ofTopic);
            }
        }
        sources_.erase(found);
    }

    void stop() noexcept
    {
        if (std::exchange(isStopped_, true)) {
            return;
        }
        store_.onWake({});
        timer_.cancel();
    }

private:
    enum class Phase { Asked, Asleep, Handling };

    struct Source {
        DueSource dueSource;
        Handler handler;
        Phase phase = Phase::Asleep;
        std::optional<TimePoint> earliestWake =
            {};  ///< of the wake-ups while asked; kUnknownDue = ask again
        TimingWheel::TimerId timer = 0;
        std::optional<TimePoint> sleepsUntil = {};
        std::optional<TimePoint> handledHead = {};  ///< the due time for which it was last handled
        Millis stallDelay{0};
        Millis backOff{0};
    };

    void ask(WatchId id)
    {
        auto& source = sources_.at(id);
        source.phase = Phase::Asked;
        source.earliestWake.reset();
        store_.earliest(source.dueSource, whileAlive(*this, &Impl::handleEarliest, id));
    }

    void handleEarliest(WatchId id, const Result<std::optional<TimePoint>>& earliest)
    {
        if (!isWatching(id)) {
            return;
        }
        auto& source = sources_.at(id);
        if (source.earliestWake == kUnknownDue) {
            return ask(id);
        }
        if (!earliest) {
            source.backOff = std::clamp(source.backOff * 2, kFirstBackOff, kLongestBackOff);
            log::debug("schedule", "next moment unknown, asking again in {} ms: {}",
                       source.backOff.count(), earliest.error().message);
            return sleepUntil(id, clock_.now() + source.backOff, [this, id] { ask(id); });
        }
        source.backOff = Millis{0};
        auto next = *earliest;
        if (source.earliestWake && (!next || *source.earliestWake < *next)) {
            next = source.earliestWake;
        }
        source.earliestWake.reset();
        sleepUntilHead(id, next);
    }

    /// Sleeps until the source's head is due, and a little longer when that head was handled before
    /// and has not moved.
    void sleepUntilHead(WatchId id, std::optional<TimePoint> head)
    {
        auto& source = sources_.at(id);
        const bool hasStalled = head && head == source.handledHead;
        source.stallDelay =
            hasStalled ? std::clamp(source.stallDelay * 2, kFirstStallDelay, kLongestStallDelay)
                       : Millis{0};
        if (!head) {
            source.phase = Phase::Asleep;
            source.sleepsUntil.reset();
            return;
        }
        callHandlerAt(id, *head,
                      hasStalled ? std::max(*head, clock_.now() + source.stallDelay) : *head);
    }

    void callHandlerAt(WatchId id, TimePoint head, TimePoint at)
    {
        if (at <= clock_.now()) {
            return callHandler(id, head);
        }
        sleepUntil(id, at, [this, id, head] { callHandler(id, head); });
    }

    void sleepUntil(WatchId id, TimePoint until, TimingWheel::Task task)
    {
        auto& source = sources_.at(id);
        wheel_.cancel(source.timer);
        source.phase = Phase::Asleep;
        source.sleepsUntil = until;
        source.timer = wheel_.arm(until, std::move(task));
        setAlarm();
    }

    void callHandler(WatchId id, TimePoint head)
    {
        if (isStopped_) {
            return;
        }
        auto& source = sources_.at(id);
        wheel_.cancel(source.timer);
        source.phase = Phase::Handling;
        source.sleepsUntil.reset();
        source.handledHead = head;
        // A copy, because the handler may unwatch its own source.
        const auto handler = source.handler;
        handler(whileAlive(*this, [id](Impl& self) {
            if (self.isWatching(id) && self.sources_.at(id).phase == Phase::Handling) {
                self.ask(id);
            }
        }));
    }

    void wake(const Wake& wake)
    {
        if (wake.due == kUnknownDue) {
            timer_.cancel();  // the clock may have been set when the connection was made
        }
        for (const auto id : possibleWatches(wake)) {
            // The handler of one may have unwatched another.
            if (isWatching(id) && isAbout(wake, sources_.at(id).dueSource)) {
                wakeOne(id, wake.due);
            }
        }
        setAlarm();
    }

    bool isWatching(WatchId id) const { return !isStopped_ && sources_.contains(id); }

    /// The watches that a wake-up may concern. Found by topic, because thousands wait for one topic
    /// each, and few for any topic.
    std::vector<WatchId> possibleWatches(const Wake& wake) const
    {
        std::vector<WatchId> ids;
        const bool namesTopic = wake.kind == DueSource::Kind::Lanes && wake.due != kUnknownDue;
        if (!namesTopic) {
            for (const auto& [id, source] : sources_) {
                ids.push_back(id);
            }
            return ids;
        }
        if (const auto found = watchesByTopic_.find(wake.topic); found != watchesByTopic_.end()) {
            ids = found->second;
        }
        ids.insert(ids.end(), watchesOfAnyTopic_.begin(), watchesOfAnyTopic_.end());
        return ids;
    }

    void wakeOne(WatchId id, TimePoint due)
    {
        auto& source = sources_.at(id);
        if (source.phase == Phase::Handling) {
            return;  // it asks the store again when it has settled
        }
        if (source.phase == Phase::Asked) {
            source.earliestWake = std::min(source.earliestWake.value_or(due), due);
            return;
        }
        if (due == kUnknownDue) {
            wheel_.cancel(source.timer);
            return ask(id);
        }
        if (!source.sleepsUntil || due < *source.sleepsUntil) {
            callHandlerAt(id, due, due);
        }
    }

    /// One timer of the loop for the whole wheel. It is not armed again while it fires early
    /// enough: firing once for nothing is cheaper than arming it at every push.
    void setAlarm()
    {
        const auto next = wheel_.next();
        if (isAdvancing_ || isStopped_ || !next || (timer_.armed() && timerDeadline_ <= *next)) {
            return;
        }
        const auto now = clock_.now();
        const auto wait = std::clamp(*next - now, Millis{0}, kLongestSleep);
        timerDeadline_ = now + wait;
        timer_.arm(wait, [this] { onTimer(); });
    }

    /// The timer may fire before the clock reaches the time: then the wheel fires nothing and the
    /// timer is set again for the remaining time.
    void onTimer()
    {
        const auto self = shared_from_this();  // a handler may destroy the watcher
        isAdvancing_ = true;
        wheel_.advance(clock_.now());
        isAdvancing_ = false;
        setAlarm();
    }

    const Clock& clock_;
    JobStore& store_;
    Timer timer_;
    TimePoint timerDeadline_{};
    TimingWheel wheel_;
    WatchId lastId_ = 0;
    std::map<WatchId, Source> sources_;
    std::unordered_map<std::string, std::vector<WatchId>>
        watchesByTopic_;  ///< of those that name topics
    std::vector<WatchId> watchesOfAnyTopic_;
    bool isAdvancing_ = false;
    bool isStopped_ = false;
};

DueWatcher::DueWatcher(EventLoop& loop, const Clock& clock, JobStore& store)
    : impl_(std::make_shared<Impl>(loop, clock, store))
{
    impl_->listen();
}

DueWatcher::~DueWatcher()
{
    impl_->stop();
}

DueWatcher::WatchId DueWatcher::watch(DueSource source, Handler handler)
{
    return impl_->watch(std::move(source), std::move(handler));
}

void DueWatcher::unwatch(WatchId id) noexcept
{
    impl_->unwatch(id);
}

void DueWatcher::stop() noexcept
{
    impl_->stop();
}

}  // namespace restante
