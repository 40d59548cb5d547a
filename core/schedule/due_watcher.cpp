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
/// A head that stays where it is although its source was handled (its jobs have expired and nobody
/// takes them away) is looked at ever more rarely, so that nothing spins.
constexpr Millis kFirstStall{1};
constexpr Millis kLongestStall{1'000};
/// The longest sleep: the loop's timer counts elapsed time, and the clock may be set against it.
constexpr Millis kLongestSleep{60'000};

/// The due time of a Wake{}: some wake-ups may have been missed.
constexpr TimePoint kUnknown{};

bool concerns(const Wake& wake, const DueSource& source)
{
    if (wake.kind != source.kind || source.kind != DueSource::Kind::Lanes || wake.due == kUnknown) {
        return wake.kind == source.kind;
    }
    return wake.channel == source.channel && isWanted(source.topics, wake.topic);
}

}  // namespace

/// Each source is in one phase: asked (the store looks for its next moment), asleep (a timer of
/// the wheel, or none when it is empty) or at work (its handler has not settled). A wake-up while
/// asked or at work is remembered, because the answer may be older than it.
class DueWatcher::Impl : public std::enable_shared_from_this<DueWatcher::Impl> {
public:
    Impl(EventLoop& loop, const Clock& clock, JobStore& store)
        : clock_(clock),
          store_(store),
          alarm_(loop),
          wheel_(clock.now())
    {
    }

    void listen() { store_.onWake(whileAlive(*this, &Impl::wake)); }

    WatchId watch(DueSource what, Handler handler)
    {
        const auto id = ++lastId_;
        auto& source =
            sources_.emplace(id, Source{std::move(what), std::move(handler)}).first->second;
        for (const auto& topic : source.what.topics) {
            byTopic_[topic].push_back(id);
        }
        if (source.what.topics.empty()) {
            ofAnyTopic_.push_back(id);
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
        std::erase(ofAnyTopic_, id);
        for (const auto& topic : found->second.what.topics) {
            const auto watched = byTopic_.find(topic);
            std::erase(watched->second, id);
            if (watched->second.empty()) {
                byTopic_.erase(watched);
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
        alarm_.cancel();
    }

private:
    enum class Phase { Asked, Asleep, AtWork };

    struct Source {
        DueSource what;
        Handler handler;
        Phase phase = Phase::Asleep;
        std::optional<TimePoint> wokenFor = {};  ///< told while asked; kUnknown = ask again
        TimingWheel::TimerId timer = 0;
        std::optional<TimePoint> sleepsUntil = {};
        std::optional<TimePoint> handledHead = {};  ///< the moment for which it was last handled
        Millis stall{0};
        Millis backOff{0};
    };

    void ask(WatchId id)
    {
        auto& source = sources_.at(id);
        source.phase = Phase::Asked;
        source.wokenFor.reset();
        store_.earliest(source.what, whileAlive(*this, &Impl::answered, id));
    }

    void answered(WatchId id, const Result<std::optional<TimePoint>>& earliest)
    {
        if (!watches(id)) {
            return;
        }
        auto& source = sources_.at(id);
        if (source.wokenFor == kUnknown) {
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
        if (source.wokenFor && (!next || *source.wokenFor < *next)) {
            next = source.wokenFor;
        }
        source.wokenFor.reset();
        sleepFor(id, next);
    }

    /// Sleeps until the source's head is due, and a little longer when that head was handled before
    /// and has not moved.
    void sleepFor(WatchId id, std::optional<TimePoint> head)
    {
        auto& source = sources_.at(id);
        const bool hasStalled = head && head == source.handledHead;
        source.stall =
            hasStalled ? std::clamp(source.stall * 2, kFirstStall, kLongestStall) : Millis{0};
        if (!head) {
            source.phase = Phase::Asleep;
            source.sleepsUntil.reset();
            return;
        }
        workAt(id, *head, hasStalled ? std::max(*head, clock_.now() + source.stall) : *head);
    }

    void workAt(WatchId id, TimePoint head, TimePoint at)
    {
        if (at <= clock_.now()) {
            return work(id, head);
        }
        sleepUntil(id, at, [this, id, head] { work(id, head); });
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

    void work(WatchId id, TimePoint head)
    {
        if (isStopped_) {
            return;
        }
        auto& source = sources_.at(id);
        wheel_.cancel(source.timer);
        source.phase = Phase::AtWork;
        source.sleepsUntil.reset();
        source.handledHead = head;
        // A copy, because the handler may end this very watch.
        const auto handler = source.handler;
        handler(whileAlive(*this, [id](Impl& self) {
            if (self.watches(id) && self.sources_.at(id).phase == Phase::AtWork) {
                self.ask(id);
            }
        }));
    }

    void wake(const Wake& wake)
    {
        if (wake.due == kUnknown) {
            alarm_.cancel();  // the clock may have been set anew with the connection
        }
        for (const auto id : candidates(wake)) {
            // The handler of one may have ended the watch of another.
            if (watches(id) && concerns(wake, sources_.at(id).what)) {
                wakeOne(id, wake.due);
            }
        }
        setAlarm();
    }

    bool watches(WatchId id) const { return !isStopped_ && sources_.contains(id); }

    /// Whom it may concern: thousands wait each for a topic of its own, and few for any.
    std::vector<WatchId> candidates(const Wake& wake) const
    {
        std::vector<WatchId> ids;
        const bool named = wake.kind == DueSource::Kind::Lanes && wake.due != kUnknown;
        if (!named) {
            for (const auto& [id, source] : sources_) {
                ids.push_back(id);
            }
            return ids;
        }
        if (const auto found = byTopic_.find(wake.topic); found != byTopic_.end()) {
            ids = found->second;
        }
        ids.insert(ids.end(), ofAnyTopic_.begin(), ofAnyTopic_.end());
        return ids;
    }

    void wakeOne(WatchId id, TimePoint due)
    {
        auto& source = sources_.at(id);
        if (source.phase == Phase::AtWork) {
            return;  // it asks when it has settled
        }
        if (source.phase == Phase::Asked) {
            source.wokenFor = std::min(source.wokenFor.value_or(due), due);
            return;
        }
        if (due == kUnknown) {
            wheel_.cancel(source.timer);
            return ask(id);
        }
        if (!source.sleepsUntil || due < *source.sleepsUntil) {
            workAt(id, due, due);
        }
    }

    /// One timer of the loop for the whole wheel. It is left alone while it rings early enough:
    /// ringing once for nothing is cheaper than arming it at every push.
    void setAlarm()
    {
        const auto next = wheel_.next();
        if (isTurning_ || isStopped_ || !next || (alarm_.armed() && alarmAt_ <= *next)) {
            return;
        }
        const auto now = clock_.now();
        const auto wait = std::clamp(*next - now, Millis{0}, kLongestSleep);
        alarmAt_ = now + wait;
        alarm_.arm(wait, [this] { turn(); });
    }

    /// The loop may ring before the clock says so: then the wheel fires nothing and the alarm is
    /// set again for the rest.
    void turn()
    {
        const auto self = shared_from_this();  // a handler may destroy the watcher
        isTurning_ = true;
        wheel_.advance(clock_.now());
        isTurning_ = false;
        setAlarm();
    }

    const Clock& clock_;
    JobStore& store_;
    Timer alarm_;
    TimePoint alarmAt_{};
    TimingWheel wheel_;
    WatchId lastId_ = 0;
    std::map<WatchId, Source> sources_;
    std::unordered_map<std::string, std::vector<WatchId>> byTopic_;  ///< of those that name topics
    std::vector<WatchId> ofAnyTopic_;
    bool isTurning_ = false;
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
