#include "core/queue/bulk_action.h"

#include "core/base/async_task.h"
#include "core/base/clock.h"
#include "core/base/crypto.h"
#include "core/queue/bulk_actor.h"
#include "core/queue/job_search.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <deque>
#include <iterator>

namespace restante {

namespace {

using Verb = BulkAction::Verb;

/// In the order of the enumeration.
constexpr std::array kTransitions{Transition::RunNow, Transition::Reschedule, Transition::Release,
                                  Transition::Hold,   Transition::Finish,     Transition::Bury,
                                  Transition::Trash,  Transition::Restore,    Transition::Purge};

Transition transitionOf(Verb verb)
{
    return kTransitions[static_cast<std::size_t>(verb)];
}

/// When it entered its state, as far as the store can tell: only jobs that have ended keep that
/// time; of the others it is their creation.
TimePoint enteredStateAt(const JobView& view)
{
    const bool ended = view.state == JobState::Dead || view.state == JobState::Done ||
                       view.state == JobState::Trashed;
    return ended ? std::max(view.job.created, view.due) : view.job.created;
}

std::vector<JobState> wantedStates(const BulkAction& action)
{
    auto states = statesFor(action.verb);
    std::erase_if(states, [&](JobState state) { return !isWanted(action.states, state); });
    return states;
}

/// The states in which the store may find a job that was found in one of `search`; empty = every
/// state that the verb may start from. A scheduled job becomes ready by itself: nobody moves it.
std::vector<JobState> statesForWrite(const BulkAction& action, const JobSearch& search)
{
    const auto plan = action.filter.plan();
    std::vector<JobState> states;
    if (action.states.empty() && !plan.states) {
        return states;
    }
    std::ranges::copy_if(kJobStates, std::back_inserter(states), [&](JobState state) {
        return includesState(search, plan, state) ||
               (state == JobState::Ready && includesState(search, plan, JobState::Scheduled));
    });
    return states;
}

}  // namespace

std::string_view name(BulkAction::Verb verb) noexcept
{
    return name(transitionOf(verb));
}

std::vector<JobState> statesFor(BulkAction::Verb verb)
{
    std::vector<JobState> states(kJobStates.begin(), kJobStates.end());
    const auto transition = transitionOf(verb);
    std::erase_if(states, [&](JobState state) { return !isLegal(transition, state); });
    // An operator does not hold a leased job: its courier would lose the attempt.
    if (verb == Verb::Hold) {
        std::erase(states, JobState::Leased);
    }
    return states;
}

std::uint64_t BulkReport::total() const
{
    std::uint64_t sum = 0;
    for (const auto& [state, count] : matched) {
        sum += count;
    }
    return sum;
}

class BulkRun::Impl : public AsyncTask<BulkRun::Impl, BulkReport> {
public:
    Impl(JobInspector& inspector, JobStore& store, const Clock& clock, BulkAction action)
        : inspector_(&inspector),
          store_(&store),
          action_(std::move(action)),
          startedAt_(latestOf(clock))
    {
        action_.concurrency = std::clamp(action_.concurrency, 1U, 1'000U);
        search_.filter = action_.filter;
        search_.states = wantedStates(action_);
        search_.limit = action_.concurrency;
        statesForWrite_ = statesForWrite(action_, search_);
        if (action_.mode == BulkAction::Mode::Apply && action_.ids.size() != 1) {
            constexpr std::size_t kBulkIdBytes = 8;  // no collision within one journal
            action_.actor = actorWithBulkId(action_.actor, randomHex(kBulkIdBytes));
        }
    }

    void start(Done<BulkReport> done, Progress progress)
    {
        begin(std::move(done));
        progress_ = std::move(progress);
        // The first page is asked for even when no state is left: the answer must not come from
        // inside the call.
        searchNextPage();
    }

    void stop() { report_.stopped = true; }
    BulkReport giveUp()
    {
        report_.stopped = true;
        for (const auto& id : std::exchange(inFlight_, {})) {
            recordFailure(id, {ErrorCode::Unavailable, "the store went away before it answered"});
        }
        abandon();
        return report_;
    }
    void abandon()
    {
        AsyncTask::abandon();
        progress_ = {};
        report_.stopped = true;
    }

private:
    void searchNextPage()
    {
        if (!action_.ids.empty()) {
            return lookUpNextIds();
        }
        const bool hasNoStates = search_.states.empty();
        auto search = search_;
        if (hasNoStates) {
            search.states = {JobState::Done};
            search.limit = 1;
        }
        inspector_->search(std::move(search),
                           [self = shared_from_this(), hasNoStates](Result<SearchPage> page) {
                               if (!page) {
                                   return self->endWithSearchError(std::move(page.error()));
                               }
                               if (hasNoStates) {
                                   return self->end(self->report_);
                               }
                               self->handle(std::move(*page));
                           });
    }

    /// What has been done must be known; the numbers of a dry run are of no use in part.
    void endWithSearchError(Error error)
    {
        const bool isDryRun = action_.mode == BulkAction::Mode::DryRun;
        if (isDryRun || report_.done + report_.failed + report_.skipped == 0) {
            return end(tl::unexpected(std::move(error)));
        }
        report_.stopped = true;
        report_.searchError = std::move(error);
        end(report_);
    }

    /// Looks up the next ids, all at once; handle() gets them when the last one is answered.
    void lookUpNextIds()
    {
        viewsByIndex_.clear();
        const auto first = nextIdIndex_;
        nextIdIndex_ = std::min(action_.ids.size(), nextIdIndex_ + action_.concurrency);
        pendingAnswers_ = nextIdIndex_ - first;
        for (auto at = first; at < nextIdIndex_; ++at) {
            inspector_->show(action_.ids[at],
                             [self = shared_from_this(), at](Result<JobView> view) {
                                 self->handleShown(at, std::move(view));
                             });
        }
    }

    void handleShown(std::size_t at, Result<JobView> view)
    {
        if (view) {
            viewsByIndex_.emplace(at, std::move(*view));
        } else {
            recordFailure(action_.ids[at], view.error());
        }
        if (--pendingAnswers_ > 0) {
            return;
        }
        SearchPage page;
        page.examined = viewsByIndex_.size();
        for (auto& [index, foundView] : viewsByIndex_) {
            const auto& states = search_.states;
            if (action_.except.contains(foundView.job.id)) {
                continue;
            }
            const bool moved = index < action_.expectedDues.size() &&
                               action_.expectedDues[index] != TimePoint{} &&
                               action_.expectedDues[index] != foundView.due;
            if (moved || std::ranges::find(states, foundView.state) == states.end() ||
                !action_.filter.matches(foundView, startedAt_)) {
                ++report_.skipped;
                continue;
            }
            page.jobs.push_back(std::move(foundView));
            newTimes_.push_back(newTimeFor(index));
        }
        // Anything but empty means that there is more; the value is not read.
        page.cursor = nextIdIndex_ < action_.ids.size() ? "ids" : "";
        handle(std::move(page));
    }

    void handle(SearchPage page)
    {
        if (report_.stopped && isOver()) {
            return;
        }
        report_.examined += page.examined;
        search_.cursor = std::move(page.cursor);
        auto wanted = std::make_shared<std::vector<JobView>>();
        for (auto& view : page.jobs) {
            if (select(view)) {
                countMatch(view);
                wanted->push_back(std::move(view));
            }
        }
        if (action_.mode == BulkAction::Mode::DryRun || wanted->empty() || report_.stopped) {
            newTimes_.clear();
            pageWasSkipped_ = pageWasSkipped_ || !wanted->empty();
            report_.idsProcessed = pageWasSkipped_ ? report_.idsProcessed : nextIdIndex_;
            return finishPage();
        }
        report_.idsProcessed = nextIdIndex_;
        pendingAnswers_ = wanted->size();
        for (const auto& view : *wanted) {
            inFlight_.insert(view.job.id);
        }
        // Copies of the list live until each job has its answer.
        for (std::size_t at = 0; at < wanted->size(); ++at) {
            auto time = takeNewTime();
            if (action_.verb == Verb::Hold && !time.onlyIfDue) {
                time.onlyIfDue = (*wanted)[at].due;  // a worker that claims it meanwhile keeps it
            }
            apply((*wanted)[at], time,
                  [self = shared_from_this(), wanted, at, due = time.due](const auto& outcome) {
                      self->handleOutcome((*wanted)[at], due, outcome);
                  });
        }
        newTimes_.clear();
    }

    void countMatch(const JobView& view)
    {
        ++report_.matched[view.state];
        if (report_.firstIds.size() < action_.maxReported) {
            report_.firstIds.push_back(view.job.id);
        }
        if (report_.topics.size() < BulkAction::kMaxReportedTopics ||
            report_.topics.count(view.job.topic) != 0) {
            ++report_.topics[view.job.topic];
        }
    }

    /// Whether the job is acted on. Counts what is skipped, and remembers what may come again.
    bool select(const JobView& view)
    {
        if (!action_.ids.empty()) {
            return true;
        }
        if (skipIfNewer(view) || action_.except.contains(view.job.id)) {
            return false;
        }
        // Jobs that these make due may come ahead of the search again, or match again after another
        // failed attempt.
        const bool comesBack = action_.verb == Verb::Reschedule || action_.verb == Verb::RunNow ||
                               action_.verb == Verb::Release || action_.verb == Verb::Restore;
        return !comesBack || actedOn_.insert(view.job.id).second;
    }

    bool skipIfNewer(const JobView& view)
    {
        const auto since = enteredStateAt(view);
        if (view.job.created > startedAt_ || (hasAsOf() && since > startedAt_)) {
            return true;  // not counted as skipped: they were not there when it began
        }
        if (!hasAsOf() || since <= action_.asOf) {
            return false;
        }
        ++report_.skipped;
        ++report_.skippedAsNewer;
        return true;
    }

    bool hasAsOf() const { return action_.asOf != TimePoint{}; }

    void apply(const JobView& view, const NewTime& time, Done<void> done)
    {
        const auto& job = view.job;
        OperatorAction operation{job.id, action_.actor, action_.reason, statesForWrite_};
        Lease lease{job.id, 0, job.channel == Channel::Sip ? job.recipient : std::string{}};
        lease.actor = action_.actor;
        lease.reason = action_.reason;
        switch (action_.verb) {
        case Verb::RunNow: return store_->runNow(std::move(operation), std::move(done));
        case Verb::Reschedule:
            return store_->reschedule(std::move(operation), time, std::move(done));
        case Verb::Release: return store_->release(std::move(operation), std::move(done));
        case Verb::Hold:
            lease.ends = time.onlyIfDue;
            if (action_.holdPlace == BulkAction::HoldPlace::OutsideMailbox) {
                lease.recipient.clear();
            }
            return store_->hold({lease}, std::move(done));
        case Verb::Finish:
            lease.attempt = view.attempt;  // a worker that claims it meanwhile keeps it
            return store_->finish(lease, [done = std::move(done)](const auto& left) {
                done(left.map([](std::uint64_t) {}));
            });
        case Verb::Bury:
            lease.onlyIn = statesForWrite_;
            return store_->bury(lease, action_.reason.empty() ? "given up" : action_.reason,
                                std::move(done));
        case Verb::Trash: return store_->trash(std::move(operation), std::move(done));
        case Verb::Restore: return store_->restore(std::move(operation), std::move(done));
        case Verb::Purge: return store_->purge(std::move(operation), std::move(done));
        }
    }

    /// The new time of the id at this index; due at the epoch = the same as all others.
    NewTime newTimeFor(std::size_t at) const
    {
        NewTime time;
        time.due = at < action_.dues.size() ? action_.dues[at] : TimePoint{};
        if (at < action_.attemptOffsets.size()) {
            time.attemptOffset = action_.attemptOffsets[at];
        }
        if (at < action_.expectedDues.size() && action_.expectedDues[at] != TimePoint{}) {
            time.onlyIfDue = action_.expectedDues[at];
        }
        return time;
    }

    NewTime takeNewTime()
    {
        NewTime time;
        if (!newTimes_.empty()) {
            time = newTimes_.front();
            newTimes_.pop_front();
        }
        if (action_.verb != Verb::Reschedule) {
            time.due = TimePoint{};
            return time;
        }
        if (action_.dues.empty()) {
            time.due = nextSpreadDue();
        }
        if (action_.attempts == BulkAction::Attempts::Reset && !time.attemptOffset) {
            time.attemptOffset = NewTime::kEveryAttempt;
        }
        return time;
    }

    /// How many there will be is not known beforehand, so the steps go round: a golden-ratio
    /// sequence fills the span evenly whenever it ends (Weyl's equidistribution theorem).
    TimePoint nextSpreadDue()
    {
        constexpr double kGoldenRatioFraction = 0.618'033'988'749'895;
        const double whole = static_cast<double>(spreadIndex_++) * kGoldenRatioFraction;
        const double part = whole - static_cast<double>(static_cast<std::uint64_t>(whole));
        return action_.due + Millis{static_cast<std::int64_t>(
                                 part * static_cast<double>(action_.spread.count()))};
    }

    void handleOutcome(const JobView& before, TimePoint newDue, const Result<void>& outcome)
    {
        const auto sent = inFlight_.find(before.job.id);
        if (sent == inFlight_.end()) {
            return;  // giveUp() has counted it as a failure
        }
        inFlight_.erase(sent);
        if (outcome) {
            ++report_.done;
            if (action_.onApplied && !isOver()) {
                action_.onApplied(before, newDue);
            }
        } else {
            recordFailure(before.job.id, outcome.error());
        }
        if (--pendingAnswers_ == 0) {
            finishPage();
        }
    }

    void recordFailure(const std::string& id, const Error& error)
    {
        if (hasMovedOn(error.code)) {
            ++report_.skipped;
            return;
        }
        ++report_.failed;
        if (report_.failures.size() < action_.maxReported) {
            report_.failures.emplace_back(id, error);
        }
        report_.stopped = report_.stopped || isTemporary(error.code);
    }

    void finishPage()
    {
        if (progress_) {
            progress_(report_);
        }
        if (search_.cursor.empty() || report_.stopped) {
            // A stop that came when everything had been done has stopped nothing.
            report_.stopped = report_.stopped &&
                              !(search_.cursor.empty() && report_.failed == 0 && !pageWasSkipped_);
            return end(report_);
        }
        searchNextPage();
    }

    JobInspector* inspector_;
    JobStore* store_;
    BulkAction action_;
    TimePoint startedAt_;  ///< no job that existed then was created later
    JobSearch search_;
    std::vector<JobState> statesForWrite_;  ///< OperatorAction::onlyIn
    Progress progress_;
    BulkReport report_;
    std::set<std::string> actedOn_;                ///< by verbs after which a job may match again
    std::size_t nextIdIndex_ = 0;                  ///< of action_.ids
    std::map<std::size_t, JobView> viewsByIndex_;  ///< of the ids that are looked up, by index
    std::deque<NewTime> newTimes_;         ///< of the page's jobs, when they are named by ids
    bool pageWasSkipped_ = false;          ///< a page was found and not acted on
    std::multiset<std::string> inFlight_;  ///< sent and not answered yet; an id may be twice
    std::size_t pendingAnswers_ = 0;
    std::uint64_t spreadIndex_ = 0;
};

BulkRun::BulkRun(JobInspector& inspector, JobStore& store, const Clock& clock, BulkAction action)
    : impl_(std::make_shared<Impl>(inspector, store, clock, std::move(action)))
{
}

BulkRun::~BulkRun()
{
    impl_->abandon();
}

void BulkRun::start(Done<BulkReport> done, Progress progress)
{
    impl_->start(std::move(done), std::move(progress));
}

void BulkRun::stop()
{
    impl_->stop();
}

BulkReport BulkRun::giveUp()
{
    return impl_->giveUp();
}

void holdWaiting(JobInspector& inspector, JobStore& store, OperatorAction action, Done<void> done)
{
    const auto id = action.id;
    inspector.show(
        id, onSuccess(done, [&store, action = std::move(action), done](const JobView& view) {
            if (view.state != JobState::Scheduled && view.state != JobState::Ready) {
                return done(
                    failure(ErrorCode::Conflict,
                            "job {}: it is {}; an operator holds jobs that are scheduled or ready",
                            action.id, name(view.state)));
            }
            store.hold({.lease = {.id = action.id,
                                  .ends = view.due,
                                  .actor = action.actor,
                                  .reason = action.reason}},
                       done);
        }));
}

}  // namespace restante
