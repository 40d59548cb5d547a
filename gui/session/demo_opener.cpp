#include "gui/session/demo_opener.h"

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/base/version.h"
#include "core/config/config.h"
#include "core/reminder/recurrence_scheduler.h"
#include "gui/session/demo_history.h"
#include "gui/session/demo_store.h"
#include "gui/session/scoped_event_loop.h"
#include "gui/session/store_requests.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

namespace restante::gui {

namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr std::uint32_t kJobCount = 3'600;
constexpr std::uint32_t kSeed = 20'261;  ///< fixed, so that every demo has the same past
constexpr Millis kTickInterval{700};
constexpr std::uint64_t kRegistrationTicks = 11;
constexpr std::uint64_t kUpkeepTicks = 60;
constexpr Millis kDoneRetention = hours{24 * 7};

/// The daemon of the demo: pushes new jobs, delivers or fails due ones, claims mailboxes as if
/// their recipients registered, and deletes old jobs. *One loop.*
class DemoDaemon {
public:
    DemoDaemon(EventLoop& loop, const Clock& clock, DemoStore& store, DemoJobs& jobs)
        : clock_(clock),
          store_(store),
          jobs_(jobs),
          startedAt_(clock.now()),
          timer_(loop)
    {
    }

    /// This daemon as it would appear in the registry.
    std::vector<DaemonView> daemons() const
    {
        return {{.name = "demo/1",
                 .version = std::string(version()),
                 .duties = {"sip", "http", "webhook", "sms", "scheduler", "upkeep"},
                 .since = startedAt_,
                 .seen = seenAt_}};
    }
    /// Counts as seen now, and ticks after kTickInterval: from then on it does so by itself.
    void scheduleTick()
    {
        seenAt_ = clock_.now();
        timer_.arm(kTickInterval, [this] { tick(); });
    }

private:
    struct RunningAttempt {
        ClaimedJob claimed;
        TimePoint ends;
    };

    void tick()
    {
        ++ticks_;
        pushNewJobs();
        claimDue();
        endAttempts();
        if (ticks_ % kRegistrationTicks == 0) {
            claimOneMailbox();
        }
        if (ticks_ % kUpkeepTicks == 0) {
            runUpkeep();
        }
        scheduleTick();
    }

    void pushNewJobs()
    {
        for (auto count = jobs_.randomBelow(3); count > 0; --count) {
            PushRequest request;
            request.job = jobs_.randomJob(clock_.now());
            const bool away = request.job.channel == Channel::Sip && jobs_.randomBelow(3) == 0;
            request.placement = away ? Placement::Mailbox : Placement::Lane;
            request.due = clock_.now() + jobs_.randomBetween(Millis{0}, seconds{away ? 900 : 90});
            store_.push(std::move(request), ignoreResult<PushOutcome>());
        }
    }

    void claimDue()
    {
        for (const auto channel : {Channel::Sip, Channel::Sms, Channel::Webhook}) {
            store_.claim({channel, {}, 2},
                         [this](const auto& claimed) { handleClaimed(claimed, "ready"); });
        }
        // Not the jobs of recurring reminders: the RecurrenceScheduler claims them.
        store_.claim({Channel::Pull, DemoJobs::fetchedTopics(), 2},
                     [this](const auto& claimed) { handleClaimed(claimed, "ready"); });
    }

    void handleClaimed(const Result<std::vector<ClaimedJob>>& claimed, const char* from)
    {
        if (!claimed) {
            return;
        }
        for (const auto& claimedJob : *claimed) {
            store_.record({claimedJob.job.id, "claim", from, "leased", {}, {}, {}});
            running_.push_back(
                {claimedJob, clock_.now() + jobs_.randomBetween(Millis{300}, seconds{6})});
        }
    }

    void endAttempts()
    {
        const auto now = clock_.now();
        for (std::size_t left = running_.size(); left > 0; --left) {
            auto attempt = std::move(running_.front());
            running_.pop_front();
            if (attempt.ends <= now) {
                endAttempt(attempt.claimed);
            } else {
                running_.push_back(std::move(attempt));
            }
        }
    }

    void endAttempt(const ClaimedJob& claimed)
    {
        const auto& job = claimed.job;
        const auto lease = leaseOf(claimed);
        const auto recordAs = [this, id = job.id](const char* verb, const char* to, std::string why,
                                                  std::string note) {
            return [=, this](const auto& result) {
                if (result) {
                    store_.record({id, verb, "leased", to, {}, why, note});
                }
            };
        };
        const auto dice = jobs_.randomBelow(100);
        if (dice < 86) {
            const auto note =
                jobs_.noteOf(job, claimed.attempt, clock_.now(), DemoJobs::successOf(job));
            return store_.MemoryJobStore::finish(lease, recordAs("finish", "done", {}, note));
        }
        const auto next = job.retry.waitBefore(claimed.countedAttempts() + 1);
        if (dice < 96 && next) {
            const auto why = jobs_.failureOf(job);
            const auto note = jobs_.noteOf(job, claimed.attempt, clock_.now(), why);
            return store_.retry({lease, clock_.now() + *next, why, true},
                                recordAs("retry", "scheduled", why, note));
        }
        const auto why = jobs_.refusalOf(job);
        const auto note = jobs_.noteOf(job, claimed.attempt, clock_.now(), why);
        store_.MemoryJobStore::bury(lease, why, recordAs("bury", "dead", why, note));
    }

    void claimOneMailbox()
    {
        JobQuery query;
        query.state = JobState::Held;
        query.limit = 1;
        store_.list(query, [this](const Result<JobPage>& page) {
            if (!page || page->jobs.empty()) {
                return;
            }
            MailboxClaim claim;
            claim.recipient = page->jobs.front().job.recipient;
            claim.max = 20;
            store_.claimMailbox(claim,
                                [this](const auto& claimed) { handleClaimed(claimed, "held"); });
        });
    }

    void runUpkeep()
    {
        store_.expire(50, [this](const Result<std::vector<std::string>>& ids) {
            for (const auto& id : ids.value_or(std::vector<std::string>{})) {
                store_.record({id, "expire", "held", "dead", {}, "expired", {}});
            }
        });
        store_.lapsed(50, [this](const Result<std::vector<ClaimedJob>>& lapsed) {
            for (const auto& one : lapsed.value_or(std::vector<ClaimedJob>{})) {
                const Lease lease{one.job.id, one.attempt, {}, {}, {}};
                store_.reap({lease, ReapVerdict::Action::Retry, clock_.now(), "the lease lapsed"},
                            ignoreResult<void>());
                store_.record({one.job.id, "reap", "leased", "ready", {}, "the lease lapsed", {}});
            }
        });
        JobSearch doneSearch;
        doneSearch.states = {JobState::Done};
        doneSearch.limit = 100;
        store_.search(doneSearch, [this](const Result<SearchPage>& page) {
            for (const auto& view : page ? page->jobs : std::vector<JobView>{}) {
                if (view.due + kDoneRetention < clock_.now()) {
                    store_.MemoryJobStore::purge({view.job.id, {}, {}}, ignoreResult<void>());
                    store_.forget(view.job.id);
                }
            }
        });
    }

    const Clock& clock_;
    DemoStore& store_;
    DemoJobs& jobs_;
    std::deque<RunningAttempt> running_;
    std::uint64_t ticks_ = 0;
    TimePoint startedAt_;
    TimePoint seenAt_{};
    Timer timer_;
};

class DemoOpenStore final : public OpenStore {
public:
    explicit DemoOpenStore(EventLoop& loop)
        : loop_(loop),
          jobs_(kSeed),
          store_(loop_, clock_),
          queue_(store_, clock_, {}),
          daemon_(loop_, clock_, store_, jobs_)
    {
        generateHistory(store_, clock_, jobs_, kJobCount);
        scheduler_ = std::make_unique<Scheduler>(loop_, clock_, queue_);
        daemon_.scheduleTick();
    }

    JobInspector& inspector() override { return store_; }
    DelayQueue& queue() override { return queue_; }
    const Config& config() const override { return config_; }
    void history(std::string id, Done<std::vector<HistoryRow>> done) override
    {
        answer(std::move(done), store_.history(id));
    }
    void audit(AuditRequest request, Done<AuditBatch> done) override
    {
        answer<AuditBatch>(std::move(done), store_.audit(request));
    }
    void storeActivity(Done<redis::StoreActivity> done) override
    {
        answer<redis::StoreActivity>(std::move(done), redis::StoreActivity{store_.moves(), {}, {}});
    }
    void past(PastRequest request, Done<Past> done) override
    {
        answer<Past>(std::move(done), store_.past(request));
    }
    void topicActivity(Done<TopicActivity> done) override
    {
        answer<TopicActivity>(std::move(done), store_.activity());
    }
    void deadReasons(Done<DeadReasons> done) override
    {
        requests::reasons(store_, std::move(done));
    }
    void daemons(Done<std::vector<DaemonView>> done) override
    {
        answer<std::vector<DaemonView>>(std::move(done), daemon_.daemons());
    }
    void ping(Done<void> done) override { answer<void>(std::move(done), {}); }
    void follow(std::function<void(const StoreEvent&)> handler) override
    {
        store_.onEvent(std::move(handler));
    }

private:
    /// What the daemon has for recurring reminders.
    struct Scheduler {
        Scheduler(EventLoop& loop, const Clock& clock, DelayQueue& queue)
            : dueWatcher(loop, clock, queue.store()),
              recurrences(queue, dueWatcher, {})
        {
        }
        DueWatcher dueWatcher;
        reminder::RecurrenceScheduler recurrences;
    };

    template <class T>
    void answer(Done<T> done, Result<T> result)
    {
        loop_.post([done = std::move(done), result = std::move(result)] { done(result); });
    }

    ScopedEventLoop loop_;  ///< drops what its parts have posted when they are destroyed
    Config config_;
    DemoClock clock_;
    DemoJobs jobs_;
    DemoStore store_;
    DelayQueue queue_;
    DemoDaemon daemon_;
    std::unique_ptr<Scheduler> scheduler_;  ///< created after the history was generated
};

class DemoOpener final : public StoreOpener {
public:
    void open(EventLoop& loop, Callbacks callbacks) override
    {
        loop.post(attemptGuard_.guard([&loop, callbacks = std::move(callbacks)] {
            callbacks.stepStarted(LinkStep::Schema);
            OpenedStore opened;
            opened.store = std::make_shared<DemoOpenStore>(loop);
            opened.facts.server = QT_TRANSLATE_NOOP("StoreProblem", "demo store");
            callbacks.opened(std::move(opened));
        }));
    }
    void giveUp() override { attemptGuard_.renew(); }

private:
    CallbackGuard attemptGuard_;  ///< renewed when it is given up
};

}  // namespace

std::unique_ptr<StoreOpener> demoOpener()
{
    return std::make_unique<DemoOpener>();
}

}  // namespace restante::gui
