#include "gui/session/demo_history.h"

#include "core/reminder/reminder_plan.h"
#include "core/reminder/series_list.h"
#include "gui/session/demo_series.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace restante::gui {

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr auto kWeek = hours{24 * 7};
constexpr std::array kOperators{"anna@ops-1", "ben@ops-2", "chiara@ops-1"};

/// Generates the histories of jobs one after the other. Each is alone in its lane or mailbox while
/// it is claimed, so that every step is known without its answer; jobs that stay waiting come last.
class HistoryGenerator {
public:
    HistoryGenerator(DemoStore& store, DemoClock& clock, DemoJobs& jobs)
        : store_(store),
          clock_(clock),
          jobs_(jobs),
          present_(clock.now()),
          lastMessageAt_(present_ - hours{60})
    {
    }

    /// Delivered, sometimes after failed attempts.
    void addDone()
    {
        push(jobs_.randomJob(randomTime(kWeek)));
        failAttempts(jobs_.randomBelow(6) == 0 ? 1 + jobs_.randomBelow(2) : 0);
        claim();
        store_.MemoryJobStore::finish({job_.id, 0, {}, {}, {}}, ignoreResult<std::uint64_t>());
        record("finish", "leased", "done", {}, {},
               jobs_.noteOf(job_, ++attempt_, clock_.now(), DemoJobs::successOf(job_)));
    }

    void addDead()
    {
        push(jobs_.randomJob(randomTime(kWeek)));
        failAttempts(jobs_.randomBelow(5));
        claim();
        const auto error = jobs_.refusalOf(job_);
        store_.MemoryJobStore::bury({job_.id, 0, {}, {}, {}}, error, ignoreResult<void>());
        record("bury", "leased", "dead", {}, error,
               jobs_.noteOf(job_, ++attempt_, clock_.now(), error));
    }

    void addTrashed()
    {
        push(jobs_.randomJob(randomTime(hours{48})), minutes{90});
        advanceTime(seconds{30}, minutes{60});
        const std::string actor = kOperators[jobs_.randomBelow(kOperators.size())];
        const std::string reason = jobs_.randomBelow(2) == 0 ? "sent twice by mistake" : "";
        store_.MemoryJobStore::trash({job_.id, actor, reason}, ignoreResult<void>());
        record("trash", "scheduled", "trashed", actor, reason, {});
    }

    /// Waiting in the mailbox of somebody who is away; messages arrive in the order of time.
    void addHeld()
    {
        constexpr int kRemainingSteps =
            60;  // divides the remaining time; the mean step is half of it
        lastMessageAt_ += jobs_.randomBetween(Millis{0}, (present_ - minutes{2} - lastMessageAt_) /
                                                             kRemainingSteps);
        push(jobs_.message(lastMessageAt_), {}, Placement::Mailbox);
    }

    void addScheduled()
    {
        const auto span = jobs_.randomBelow(3) == 0   ? Millis{hours{24 * 30}}
                          : jobs_.randomBelow(2) == 0 ? Millis{hours{24}}
                                                      : Millis{hours{1}};
        auto job = jobs_.randomBelow(3) == 0 ? jobs_.textMessage(randomTime(kWeek))
                                             : jobs_.randomJob(randomTime(kWeek));
        const auto due = present_ + jobs_.randomBetween(seconds{20}, span);
        const auto delay = due - job.created;
        const bool isMoved = jobs_.randomBelow(12) == 0;
        push(std::move(job), isMoved ? delay + minutes{90} : delay);
        if (isMoved) {
            advanceTime(minutes{1}, minutes{20});
            const std::string actor = kOperators[jobs_.randomBelow(kOperators.size())];
            store_.MemoryJobStore::reschedule({job_.id, actor, "customer asked"}, {due},
                                              ignoreResult<void>());
            store_.record({.id = job_.id,
                           .transition = "reschedule",
                           .from = "scheduled",
                           .to = "scheduled",
                           .actor = actor,
                           .reason = "customer asked",
                           .dueBefore = due + minutes{90},
                           .dueAfter = due});
        }
    }

    /// Scheduled for its next attempt.
    void addRetrying()
    {
        auto job = jobs_.randomBelow(2) == 0 ? jobs_.webhook(randomTime(hours{8}))
                                             : jobs_.textMessage(randomTime(hours{8}));
        push(std::move(job));
        failAttempts(1 + jobs_.randomBelow(4));
        claim();
        const auto error = jobs_.failureOf(job_);
        retry(error, present_ + jobs_.randomBetween(seconds{30}, hours{6}));
    }

    /// Due, but its topic is paused.
    void addReady()
    {
        auto job = jobs_.textMessage(randomTime(hours{3}));
        job.topic = "newsletter";
        push(std::move(job));
    }

    void addLeased()
    {
        auto job = jobs_.fetchedJob(present_ - jobs_.randomBetween(seconds{1}, seconds{40}));
        job.ttr = minutes{10};
        push(std::move(job));
        claim();
    }

    void limitTopic(const char* topic, const TopicLimits& limits, Millis ago)
    {
        clock_.setTime(present_ - ago);
        store_.limitTopic({topic, kOperators[2], ""}, limits, ignoreResult<void>());
    }

    /// A recurring reminder with its last occurrence.
    void addSeries(const DemoSeries& demo)
    {
        const auto createdAt = present_ - hours{24 * 21};
        auto planned = reminder::plan(demo.request, {}, demo.request.id, createdAt);
        if (!planned) {
            return;  // the machine does not know its time zone
        }
        auto job = std::move(planned->pushes.front().job);
        job.created = createdAt;
        JobView jobView;
        jobView.job = job;
        jobView.due = present_;
        const auto view = reminder::seriesViewOf(std::move(jobView), present_, 1, 1);
        if (view.last) {
            auto occurrence = reminder::occurrenceOf(*view.series, job.id, view.last->at, 1).job;
            occurrence.created = view.last->at;
            push(std::move(occurrence));
            claim();
            endOccurrence(demo.last);
        }
        const auto next = view.series->recurrence().value().next(present_);
        push(job, next.value_or(present_) - createdAt);
        if (demo.paused) {
            clock_.setTime(present_ - hours{5});
            HoldRequest hold;
            hold.lease.id = job.id;
            hold.nextAttempt = next;
            store_.MemoryJobStore::hold(hold, ignoreResult<void>());
            record("hold", "scheduled", "held", kOperators[1], "she is on holiday", {});
        }
    }

    void pauseTopic(const char* topic, const char* reason)
    {
        clock_.setTime(present_ - hours{2});
        store_.pauseTopic({topic, kOperators[0], reason}, ignoreResult<void>());
    }

private:
    void endOccurrence(DemoSeries::Ending ending)
    {
        const Lease lease{job_.id, 0, {}, {}, {}};
        if (ending == DemoSeries::Ending::Delivered) {
            store_.MemoryJobStore::finish(lease, ignoreResult<std::uint64_t>());
            return record("finish", "leased", "done", {}, {},
                          jobs_.noteOf(job_, ++attempt_, clock_.now(), DemoJobs::successOf(job_)));
        }
        const std::string error = "603 Decline";
        store_.MemoryJobStore::bury(lease, error, ignoreResult<void>());
        record("bury", "leased", "dead", {}, error,
               jobs_.noteOf(job_, ++attempt_, clock_.now(), error));
    }

    TimePoint randomTime(Millis span) { return present_ - jobs_.randomBetween(minutes{10}, span); }

    void push(Job job, Millis delay = {}, Placement placement = Placement::Lane)
    {
        job_ = std::move(job);
        attempt_ = 0;
        clock_.setTime(job_.created);
        PushRequest request{job_, job_.created + delay, placement};
        if (placement == Placement::Mailbox) {
            request.due = present_ + jobs_.randomBetween(minutes{1}, minutes{15});
        }
        store_.remember(job_);
        store_.MemoryJobStore::push(std::move(request), ignoreResult<PushOutcome>());
        const auto* state = placement == Placement::Mailbox ? "held"
                            : delay > Millis{0}             ? "scheduled"
                                                            : "ready";
        record("push", {}, state, {}, {}, {});
    }

    void advanceTime(Millis least, Millis most)
    {
        const auto later = clock_.now() + jobs_.randomBetween(least, most);
        clock_.setTime(std::min(later, present_ - Millis{500}));
    }

    void claim()
    {
        store_.MemoryJobStore::claim({job_.channel, {job_.topic}, 1},
                                     ignoreResult<std::vector<ClaimedJob>>());
        record("claim", "ready", "leased", {}, {}, {});
        clock_.setTime(clock_.now() + jobs_.randomBetween(Millis{4}, Millis{90}));
    }

    void retry(const std::string& error, TimePoint due)
    {
        store_.MemoryJobStore::retry({{job_.id, 0, {}, {}, {}}, due, error, true},
                                     ignoreResult<void>());
        record("retry", "leased", "scheduled", {}, error,
               jobs_.noteOf(job_, ++attempt_, clock_.now(), error));
    }

    void failAttempts(std::uint32_t count)
    {
        for (; count > 0; --count) {
            claim();
            retry(jobs_.failureOf(job_), clock_.now());
            advanceTime(minutes{1}, minutes{9});
        }
    }

    void record(const char* transition,
                std::string from,
                std::string to,
                std::string actor,
                std::string reason,
                std::string note)
    {
        store_.record({job_.id, transition, std::move(from), std::move(to), std::move(actor),
                       std::move(reason), std::move(note)});
    }

    DemoStore& store_;
    DemoClock& clock_;
    DemoJobs& jobs_;
    TimePoint present_;
    TimePoint lastMessageAt_;  ///< when the last message came into a mailbox
    Job job_;
    std::uint32_t attempt_ = 0;
};

}  // namespace

void generateHistory(DemoStore& store, DemoClock& clock, DemoJobs& jobs, std::uint32_t count)
{
    struct Share {
        void (HistoryGenerator::*add)();
        std::uint32_t percent;
    };
    constexpr std::array kShares{
        Share{&HistoryGenerator::addDone, 30},    Share{&HistoryGenerator::addDead, 12},
        Share{&HistoryGenerator::addRetrying, 6}, Share{&HistoryGenerator::addTrashed, 3},
        Share{&HistoryGenerator::addLeased, 1},   Share{&HistoryGenerator::addHeld, 15},
        Share{&HistoryGenerator::addReady, 3},    Share{&HistoryGenerator::addScheduled, 30}};
    HistoryGenerator generator(store, clock, jobs);
    for (const auto& series : demoSeries(clock.now())) {
        generator.addSeries(series);
    }
    for (const auto& share : kShares) {
        for (std::uint32_t n = 0; n < std::max(1U, count * share.percent / 100); ++n) {
            (generator.*share.add)();
        }
    }
    generator.limitTopic("sms", {4, {10, seconds{1}}}, hours{5});
    generator.limitTopic("sms", {8, {10, seconds{1}}}, hours{3});
    generator.pauseTopic("newsletter", "the provider has maintenance until 22:00");
    store.sortAudit();
    clock.followSystemClock();
}

}  // namespace restante::gui
