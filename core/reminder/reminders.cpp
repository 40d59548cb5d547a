#include "core/reminder/reminders.h"

#include "core/base/async_task.h"
#include "core/base/clock.h"
#include "core/base/duration.h"
#include "core/base/log.h"
#include "core/job/job_id.h"
#include "core/queue/job_search.h"
#include "core/reminder/series.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace restante::reminder {

namespace {

/// Small, because jobs come with their bodies.
constexpr std::uint32_t kJobsPerPage = 200;
/// Series that are being advanced may push one more occurrence during the search.
constexpr int kMostRounds = 5;

/// The states in which a series that was seen in `seen` may be replaced: those in which it goes on
/// by itself, or the one in which somebody or something has stopped it.
std::vector<JobState> replaceableStates(JobState seen)
{
    if (seen == JobState::Held || seen == JobState::Dead) {
        return {seen};
    }
    return {JobState::Scheduled, JobState::Ready, JobState::Leased};
}

bool hasDueTime(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready;
}

bool isReminder(const Job& job)
{
    return job.topic == kTopic || job.topic == kSeriesTopic;
}

class RemindersImpl final : public Reminders, public std::enable_shared_from_this<RemindersImpl> {
public:
    RemindersImpl(DelayQueue& queue, JobInspector& inspector, Settings settings)
        : queue_(queue),
          inspector_(inspector),
          settings_(std::move(settings)),
          ids_(queue.clock())
    {
    }

    void create(ReminderRequest request, InlineDone<CreatedReminder> done) override
    {
        const bool usesToken = request.id.empty() && !request.token.empty();
        auto effectiveRequest = request;
        effectiveRequest.id = usesToken ? request.token : request.id;
        // The latest possible time of now, so that "in 15 min" is never early.
        auto planned = plan(effectiveRequest, settings_,
                            usesToken ? effectiveRequest.id : "reminder-" + ids_.generate(0),
                            latestOf(queue_.clock()));
        if (!planned) {
            return done(tl::unexpected(std::move(planned.error())));
        }
        if (usesToken) {
            makeRepeatable(*planned);
        } else if (!request.id.empty() && !request.in.empty() && !planned->recurring) {
            // The answer may be lost, and the reminder sent, before the request is repeated. One
            // with a time of its own is refused then: its time has passed.
            for (auto& push : planned->pushes) {
                push.job.rememberId = true;
            }
        }
        if (auto valid = checkOccurrence(*planned); !valid) {
            return done(tl::unexpected(std::move(valid.error())));
        }
        if (settings_.perSender == 0 || request.sender.empty()) {
            return push(std::move(*planned), std::move(done));
        }
        auto sharedPlan = std::make_shared<const Plan>(std::move(*planned));
        checkSenderLimit(request.sender, sharedPlan,
                         onSuccess(done, [self = shared_from_this(), sharedPlan, done] {
                             self->push(*sharedPlan, done);
                         }));
    }

    void replace(SeriesChange change, Done<CreatedReminder> done) override
    {
        auto id = change.id;
        inspector_.show(std::move(id), [self = shared_from_this(), change = std::move(change),
                                        done = std::move(done)](const Result<JobView>& view) {
            if (!view) {
                return done(tl::unexpected(view.error()));
            }
            self->replace(*view, change, done);
        });
    }

    void cancel(std::string bizKey,
                std::string actor,
                InlineDone<std::uint64_t> done,
                std::string reason) override
    {
        if (bizKey.empty()) {
            return done(invalidField("biz_key", "is missing: which reminders"));
        }
        auto cancellation = std::make_shared<Cancellation>();
        cancellation->bizKey = std::move(bizKey);
        cancellation->actor = std::move(actor);
        cancellation->reason =
            reason.empty() ? "cancelled by its biz_key" : "cancelled by its biz_key: " + reason;
        cancellation->done = std::move(done);
        trashPending(cancellation);
    }

private:
    void replace(const JobView& old, const SeriesChange& change, const Done<CreatedReminder>& done)
    {
        if (old.job.topic != kSeriesTopic) {
            return done(failure(ErrorCode::NotFound, "{} is no recurring reminder", change.id));
        }
        if (!isLive(old.state) && old.state != JobState::Dead) {
            return done(
                failure(ErrorCode::Conflict, "{} has ended: it is {}", change.id, name(old.state)));
        }
        if (old.job.body != change.expectedBody) {
            return done(failure(ErrorCode::Conflict, "{} has been changed since; look at it again",
                                change.id));
        }
        auto effectiveRequest = change.request;
        effectiveRequest.id = change.id;
        // Its occurrences that are already pushed have this key, too.
        effectiveRequest.bizKey =
            effectiveRequest.bizKey.empty() ? old.job.bizKey : effectiveRequest.bizKey;
        auto planned = plan(effectiveRequest, settings_, change.id, latestOf(queue_.clock()));
        if (!planned) {
            return done(tl::unexpected(std::move(planned.error())));
        }
        if (!planned->recurring) {
            return done(invalidField("every", "is missing: how often"));
        }
        if (auto valid = checkOccurrence(*planned); !valid) {
            return done(tl::unexpected(std::move(valid.error())));
        }
        importSeries(old, std::move(*planned), done);
    }

    void importSeries(const JobView& old, Plan planned, const Done<CreatedReminder>& done)
    {
        auto& push = planned.pushes.front();
        CreatedReminder created;
        created.bizKey = push.job.bizKey;
        created.channel = planned.channel;
        created.recurring = true;
        created.notes = std::move(planned.notes);
        created.jobs.push_back({push.job.id, *push.at});
        ImportRequest request;
        request.view.job = std::move(push.job);
        // Never that of the old one, by which a change that is based on it is told from this one.
        request.view.job.created = std::max(queue_.clock().now(), old.job.created + Millis{1});
        request.view.due = *push.at;
        // A daemon that is advancing the series at this moment is refused, because its attempt
        // ends.
        request.view.state = JobState::Scheduled;
        request.view.attempt = old.attempt;
        request.view.attemptOffset = old.attemptOffset;
        if (old.state == JobState::Held) {
            request.view.state = JobState::Held;
            request.view.heldOutsideMailbox = true;
        }
        request.existing = ImportRequest::Existing::Replace;
        // Somebody may have cancelled, paused or resumed it since it was read.
        request.onlyIn = replaceableStates(old.state);
        // Or changed: of two who do so at one moment, the later one has not seen what they replace.
        request.onlyIfCreated = old.job.created;
        request.actor = std::move(push.actor);
        request.reason = std::move(push.reason);
        if (auto valid = validate(request.view.job, queue_.settings().limits); !valid) {
            return done(tl::unexpected(std::move(valid.error())));
        }
        queue_.store().importJob(std::move(request), [created = std::move(created),
                                                      done](const Result<PushOutcome>& outcome) {
            if (!outcome && outcome.error().code == ErrorCode::Conflict) {
                return done(failure(ErrorCode::Conflict,
                                    "{} has been changed meanwhile and stays as it is; look at "
                                    "it again: {}",
                                    created.jobs.front().id, outcome.error().message));
            }
            if (!outcome) {
                return done(tl::unexpected(outcome.error()));
            }
            auto answer = created;
            answer.status = outcome->status;
            done(std::move(answer));
        });
    }

    /// The mailbox of a message determines its shard, and an id that nobody has chosen can be
    /// adapted to it. A single push gets a once key, which outlives the job. Those of a set get
    /// none: they are purged when others fail, and must be free to be stored again.
    void makeRepeatable(Plan& planned) const
    {
        const bool isSingle = planned.pushes.size() == 1;
        for (auto& push : planned.pushes) {
            if (push.job.channel == Channel::Sip) {
                push.job.id =
                    idForMailbox(push.job.id, push.job.recipient, queue_.settings().shards);
            }
            if (isSingle) {
                push.onceKey = push.job.id;
                push.onceFor = kOccurrenceOnceFor;
            }
        }
    }

    /// Validates what a series will push by its first occurrence, because nobody would see a later
    /// failure.
    Result<void> checkOccurrence(const Plan& planned) const
    {
        if (!planned.recurring) {
            return {};
        }
        const auto& first = planned.pushes.front();
        return Series::parse(first.job.body).and_then([&](const Series& series) {
            const auto& settings = queue_.settings();
            const auto id = first.job.id.empty() ? std::string{"series"} : first.job.id;
            auto job = occurrenceOf(series, id, *first.at, settings.shards).job;
            job.created = queue_.clock().now();
            const auto wait = queue_.firstWait(job);
            if (job.expires && *job.expires <= *first.at + wait) {
                return Result<void>(invalidField(
                    "expires",
                    "is more than {} after the time of an occurrence, which is tried no earlier "
                    "(retry)",
                    formatDuration(wait)));
            }
            return validate(job, settings.limits).and_then([&] {
                return settings.checkJob ? settings.checkJob(job) : Result<void>{};
            });
        });
    }

    using Visit = std::function<void(const JobView&)>;
    /// Calls `visit` for each pending reminder of an index, then `done`.
    void forEachPending(IndexQuery query, Visit visit, Done<void> done)
    {
        query.limit = kJobsPerPage;
        inspector_.indexed(query,
                           onSuccess(done, [self = shared_from_this(), query,
                                            visit = std::move(visit), done](const JobPage& page) {
                               for (const auto& view : page.jobs) {
                                   if (isReminder(view.job) && isLive(view.state)) {
                                       visit(view);
                                   }
                               }
                               if (page.cursor.empty()) {
                                   return done({});
                               }
                               auto nextQuery = query;
                               nextQuery.cursor = page.cursor;
                               self->forEachPending(std::move(nextQuery), visit, done);
                           }));
    }

    void checkSenderLimit(const std::string& sender,
                          const std::shared_ptr<const Plan>& plan,
                          Done<void> done)
    {
        const auto isWithinLimit = [most = settings_.perSender, plan](std::uint64_t pending) {
            return pending + plan->pushes.size() <= most;
        };
        inspector_.countIndexed(IndexQuery::Kind::Sender, sender,
                                onSuccess(done, [self = shared_from_this(), sender, plan,
                                                 isWithinLimit, done](auto indexed) {
                                    // The index has ended jobs, too: pending ones are counted only
                                    // when it exceeds the limit.
                                    isWithinLimit(indexed) ? done({})
                                                           : self->checkPendingCount(
                                                                 sender, plan, isWithinLimit, done);
                                }));
    }
    void checkPendingCount(const std::string& sender,
                           const std::shared_ptr<const Plan>& plan,
                           const std::function<bool(std::uint64_t)>& isWithinLimit,
                           const Done<void>& done)
    {
        auto pending = std::make_shared<std::uint64_t>(0);
        const auto visit = [pending, plan](const JobView& view) {
            // A repeated request adds no reminder.
            const bool isInPlan = std::ranges::any_of(
                plan->pushes, [&](const PushOptions& push) { return push.job.id == view.job.id; });
            *pending += isInPlan ? 0 : 1;
        };
        forEachPending(
            {.kind = IndexQuery::Kind::Sender, .value = sender}, visit,
            onSuccess(done, [pending, sender, isWithinLimit, done, most = settings_.perSender] {
                if (!isWithinLimit(*pending)) {
                    return done(failure(
                        ErrorCode::Conflict,
                        "sender: {} has {} reminders pending; at most {} (reminder.per_sender)",
                        sender, *pending, most));
                }
                done({});
            }));
    }

    struct PushProgress {
        CreatedReminder created;
        std::optional<Error> error;
        std::vector<std::string> storedIds;
    };

    void push(Plan planned, Done<CreatedReminder> done)
    {
        auto progress = std::make_shared<PushProgress>();
        auto& created = progress->created;
        created.status = PushStatus::AlreadyThere;
        created.bizKey = planned.pushes.front().job.bizKey;
        created.channel = planned.channel;
        created.recurring = planned.recurring;
        created.notes = std::move(planned.notes);
        for (const auto& push : planned.pushes) {
            created.jobs.push_back({push.job.id, *push.at + queue_.firstWait(push.job)});
        }
        const auto answered =
            countDown(planned.pushes.size(), [self = shared_from_this(), progress, done] {
                self->finishPush(progress, done);
            });
        for (std::size_t i = 0; i < planned.pushes.size(); ++i) {
            // A series whose start depends on the time of its request has another body each time,
            // which the store refuses. The request counts as repeated when all but the start is the
            // same.
            const auto& job = planned.pushes[i].job;
            auto repeatedBody =
                planned.startDependsOnNow && !job.id.empty() ? job.body : std::string{};
            queue_.push(
                std::move(planned.pushes[i]),
                [self = shared_from_this(), progress, i, repeatedBody = std::move(repeatedBody),
                 answered](const Result<PushOutcome>& outcome) {
                    const bool isConflict = !outcome && outcome.error().code == ErrorCode::Conflict;
                    if (isConflict && !repeatedBody.empty()) {
                        return self->compareWithStored(repeatedBody, outcome.error(), progress,
                                                       answered);
                    }
                    recordOutcome(*progress, i, outcome);
                    if (outcome && outcome->status == PushStatus::AlreadyThere) {
                        return self->takeStoredDue(progress, i, answered);
                    }
                    answered();
                });
        }
    }

    /// A repetition changes nothing: the answer has the time that was asked for first, while that
    /// is to come and the store can be asked.
    void takeStoredDue(const std::shared_ptr<PushProgress>& progress,
                       std::size_t index,
                       const std::function<void()>& answered)
    {
        auto& job = progress->created.jobs[index];
        inspector_.show(job.id, [progress, &job, answered](const Result<JobView>& view) {
            if (view && hasDueTime(view->state)) {
                job.due = view->due;
            }
            answered();
        });
    }

    void compareWithStored(const std::string& repeatedBody,
                           const Error& conflict,
                           const std::shared_ptr<PushProgress>& progress,
                           const std::function<void()>& answered)
    {
        auto& job = progress->created.jobs.front();
        inspector_.show(job.id, [repeatedBody, conflict, progress, &job,
                                 answered](const Result<JobView>& view) {
            const bool same = view && view->job.topic == kSeriesTopic &&
                              isSameButForStart(view->job.body, repeatedBody);
            if (!same) {
                progress->error =
                    view || view.error().code == ErrorCode::NotFound ? conflict : view.error();
            } else if (hasDueTime(view->state)) {
                job.due = view->due;
            }
            answered();
        });
    }
    static bool isSameButForStart(std::string_view storedBody, std::string_view requestedBody)
    {
        const auto storedSeries = Series::parse(storedBody);
        auto requestedSeries = Series::parse(requestedBody);
        if (!storedSeries || !requestedSeries) {
            return false;
        }
        requestedSeries->start = storedSeries->start;
        requestedSeries->startInstant = storedSeries->startInstant;
        return storedSeries->toString() == requestedSeries->toString();
    }

    static void
    recordOutcome(PushProgress& progress, std::size_t index, const Result<PushOutcome>& outcome)
    {
        if (!outcome) {
            progress.error = outcome.error();
            return;
        }
        progress.created.jobs[index].id = outcome->id;
        if (outcome->status == PushStatus::Stored) {
            progress.created.status = PushStatus::Stored;
            progress.storedIds.push_back(outcome->id);
        }
    }

    /// Answers; if a push has failed, first purges those that were stored.
    void finishPush(const std::shared_ptr<PushProgress>& progress,
                    const Done<CreatedReminder>& done)
    {
        if (!progress->error || progress->storedIds.empty()) {
            return progress->error ? done(tl::unexpected(*progress->error))
                                   : done(std::move(progress->created));
        }
        const auto undone = countDown(progress->storedIds.size(),
                                      [progress, done] { done(tl::unexpected(*progress->error)); });
        for (const auto& id : progress->storedIds) {
            queue_.store().purge({id, "restante", "the others of its set could not be stored"},
                                 [id, undone](const Result<void>& purged) {
                                     if (!purged) {
                                         log::warning("reminder", "{} is left of a set: {}", id,
                                                      purged.error().message);
                                     }
                                     undone();
                                 });
        }
    }

    struct Cancellation {
        std::string bizKey;
        std::string actor;
        std::string reason;
        Done<std::uint64_t> done;
        std::uint64_t cancelled = 0;
        std::optional<Error> error;  ///< why one that is pending was not cancelled
        int rounds = 0;
    };

    using Ids = std::vector<std::string>;

    void trashPending(const std::shared_ptr<Cancellation>& cancellation)
    {
        auto ids = std::make_shared<Ids>();
        forEachPending(
            {.kind = IndexQuery::Kind::BizKey, .value = cancellation->bizKey},
            [ids](const JobView& view) { ids->push_back(view.job.id); },
            onSuccess(cancellation->done, [self = shared_from_this(), cancellation, ids] {
                if (cancellation->error) {
                    return cancellation->done(tl::unexpected(*cancellation->error));
                }
                if (ids->empty() || cancellation->rounds == kMostRounds) {
                    return answerCancel(*cancellation);
                }
                ++cancellation->rounds;
                self->trash(*ids, cancellation);
            }));
    }
    static void answerCancel(const Cancellation& cancellation)
    {
        if (cancellation.cancelled > 0) {
            return cancellation.done(cancellation.cancelled);
        }
        cancellation.done(failure(ErrorCode::NotFound, "no reminder with the biz_key {} is pending",
                                  cancellation.bizKey));
    }

    void trash(const Ids& ids, const std::shared_ptr<Cancellation>& cancellation)
    {
        const auto answered = countDown(ids.size(), [self = shared_from_this(), cancellation] {
            self->trashPending(cancellation);
        });
        // One that ends meanwhile was not cancelled.
        std::vector<JobState> live(kJobStates.begin(), kJobStates.end());
        std::erase_if(live, [](JobState state) { return !isLive(state); });
        for (const auto& id : ids) {
            queue_.store().trash({id, cancellation->actor, cancellation->reason, live},
                                 [cancellation, answered](const Result<void>& trashed) {
                                     cancellation->cancelled += trashed ? 1 : 0;
                                     if (!trashed && !hasMovedOn(trashed.error().code)) {
                                         cancellation->error = trashed.error();
                                     }
                                     answered();
                                 });
        }
    }

    DelayQueue& queue_;
    JobInspector& inspector_;
    Settings settings_;
    JobIdGenerator ids_;
};

}  // namespace

std::shared_ptr<Reminders>
Reminders::make(DelayQueue& queue, JobInspector& inspector, Settings settings)
{
    return std::make_shared<RemindersImpl>(queue, inspector, std::move(settings));
}

}  // namespace restante::reminder
