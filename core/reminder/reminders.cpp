#include "core/reminder/reminders.h"

#include "core/base/async_task.h"
#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/job/job_id.h"
#include "core/queue/job_search.h"
#include "core/reminder/series.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace restante::reminder {

namespace {

/// Jobs come with their bodies.
constexpr std::uint32_t kPage = 200;
/// Series that are being advanced may push one more occurrence while we look.
constexpr int kMostRounds = 5;

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

    void create(ReminderRequest request, InlineDone<Created> done) override
    {
        const bool named = request.id.empty() && !request.token.empty();
        auto wish = request;
        wish.id = named ? request.token : request.id;
        // "in 15 min" is never over early: the latest that it can be now.
        auto planned = plan(wish, settings_, named ? wish.id : "reminder-" + ids_.generate(0),
                            latestOf(queue_.clock()));
        if (!planned) {
            return done(tl::unexpected(std::move(planned.error())));
        }
        if (named) {
            makeRepeatable(*planned);
        }
        if (auto sound = checkOccurrence(*planned); !sound) {
            return done(tl::unexpected(std::move(sound.error())));
        }
        if (settings_.perSender == 0 || request.sender.empty()) {
            return push(std::move(*planned), std::move(done));
        }
        auto planning = std::make_shared<const Plan>(std::move(*planned));
        checkSender(request.sender, planning,
                    onSuccess(done, [self = shared_from_this(), planning, done] {
                        self->push(*planning, done);
                    }));
    }

    void replace(SeriesChange change, Done<Created> done) override
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
        auto cancelling = std::make_shared<Cancelling>();
        cancelling->bizKey = std::move(bizKey);
        cancelling->actor = std::move(actor);
        cancelling->reason =
            reason.empty() ? "cancelled by its biz_key" : "cancelled by its biz_key: " + reason;
        cancelling->done = std::move(done);
        look(cancelling);
    }

private:
    void replace(const JobView& old, const SeriesChange& change, const Done<Created>& done)
    {
        if (old.job.topic != kSeriesTopic) {
            return done(failure(ErrorCode::NotFound, "{} is no recurring reminder", change.id));
        }
        if (!isLive(old.state) && old.state != JobState::Dead) {
            return done(
                failure(ErrorCode::Conflict, "{} has ended: it is {}", change.id, name(old.state)));
        }
        if (old.job.body != change.seen) {
            return done(failure(ErrorCode::Conflict, "{} has been changed since; look at it again",
                                change.id));
        }
        auto wish = change.request;
        wish.id = change.id;
        // Its occurrences that are on their way have the key, too.
        wish.bizKey = wish.bizKey.empty() ? old.job.bizKey : wish.bizKey;
        auto planned = plan(wish, settings_, change.id, latestOf(queue_.clock()));
        if (!planned) {
            return done(tl::unexpected(std::move(planned.error())));
        }
        if (!planned->recurring) {
            return done(invalidField("every", "is missing: how often"));
        }
        if (auto sound = checkOccurrence(*planned); !sound) {
            return done(tl::unexpected(std::move(sound.error())));
        }
        importSeries(old, std::move(*planned), done);
    }

    void importSeries(const JobView& old, Plan planned, const Done<Created>& done)
    {
        auto& push = planned.pushes.front();
        Created created;
        created.bizKey = push.job.bizKey;
        created.channel = planned.channel;
        created.recurring = true;
        created.notes = std::move(planned.notes);
        created.runs.push_back({push.job.id, *push.at});
        ImportRequest request;
        request.view.job = std::move(push.job);
        request.view.job.created = queue_.clock().now();
        request.view.due = *push.at;
        // Whoever is advancing it at this moment is refused, because its attempt is over.
        request.view.state = JobState::Scheduled;
        request.view.attempt = old.attempt;
        request.view.attemptOffset = old.attemptOffset;
        if (old.state == JobState::Held) {
            request.view.state = JobState::Held;
            request.view.byItself = true;
        }
        request.existing = ImportRequest::Existing::Replace;
        request.actor = std::move(push.actor);
        request.reason = std::move(push.reason);
        if (auto sound = validate(request.view.job, queue_.settings().limits); !sound) {
            return done(tl::unexpected(std::move(sound.error())));
        }
        queue_.store().importJob(
            std::move(request),
            onSuccess(done, [created = std::move(created), done](const PushOutcome& outcome) {
                auto told = created;
                told.status = outcome.status;
                done(std::move(told));
            }));
    }

    /// The mailbox of a message decides on its shard; a name that nobody has chosen can follow.
    /// What is alone is remembered even when it has been sent by then; of a set those that were
    /// stored are purged when others fail, and must be free to come again.
    void makeRepeatable(Plan& planned) const
    {
        const bool alone = planned.pushes.size() == 1;
        for (auto& push : planned.pushes) {
            if (push.job.channel == Channel::Sip) {
                push.job.id =
                    idForMailbox(push.job.id, push.job.recipient, queue_.settings().shards);
            }
            if (alone) {
                push.onceKey = push.job.id;
                push.onceFor = kRemembered;
            }
        }
    }

    /// What a series will push is judged by its first occurrence now: later, nobody would be told.
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
            return validate(job, settings.limits).and_then([&] {
                return settings.checkJob ? settings.checkJob(job) : Result<void>{};
            });
        });
    }

    /// Shows each pending reminder that an index has; `done` at the end.
    using Look = std::function<void(const JobView&)>;
    void eachPending(IndexQuery query, Look look, Done<void> done)
    {
        query.limit = kPage;
        inspector_.indexed(query,
                           onSuccess(done, [self = shared_from_this(), query,
                                            look = std::move(look), done](const JobPage& page) {
                               for (const auto& view : page.jobs) {
                                   if (isReminder(view.job) && isLive(view.state)) {
                                       look(view);
                                   }
                               }
                               if (page.cursor.empty()) {
                                   return done({});
                               }
                               auto rest = query;
                               rest.cursor = page.cursor;
                               self->eachPending(std::move(rest), look, done);
                           }));
    }

    void
    checkSender(const std::string& sender, const std::shared_ptr<const Plan>& plan, Done<void> done)
    {
        const auto room = [most = settings_.perSender, plan](std::uint64_t pending) {
            return pending + plan->pushes.size() <= most;
        };
        inspector_.countIndexed(
            IndexQuery::Kind::Sender, sender,
            onSuccess(done, [self = shared_from_this(), sender, plan, room, done](auto indexed) {
                // The index has those that are over, too: only who is near the cap is counted.
                room(indexed) ? done({}) : self->countPending(sender, plan, room, done);
            }));
    }
    void countPending(const std::string& sender,
                      const std::shared_ptr<const Plan>& plan,
                      const std::function<bool(std::uint64_t)>& room,
                      const Done<void>& done)
    {
        auto pending = std::make_shared<std::uint64_t>(0);
        const auto look = [pending, plan](const JobView& view) {
            // A repetition of a request is no reminder more.
            const bool isOurs = std::ranges::any_of(
                plan->pushes, [&](const PushOptions& push) { return push.job.id == view.job.id; });
            *pending += isOurs ? 0 : 1;
        };
        eachPending(
            {.kind = IndexQuery::Kind::Sender, .value = sender}, look,
            onSuccess(done, [pending, sender, room, done, most = settings_.perSender] {
                if (!room(*pending)) {
                    return done(failure(
                        ErrorCode::Conflict,
                        "sender: {} has {} reminders pending; at most {} (reminder.per_sender)",
                        sender, *pending, most));
                }
                done({});
            }));
    }

    struct Pushing {
        Created created;
        std::optional<Error> failed;
        std::vector<std::string> stored;
    };

    void push(Plan planned, Done<Created> done)
    {
        auto pushing = std::make_shared<Pushing>();
        auto& created = pushing->created;
        created.status = PushStatus::AlreadyThere;
        created.bizKey = planned.pushes.front().job.bizKey;
        created.channel = planned.channel;
        created.recurring = planned.recurring;
        created.notes = std::move(planned.notes);
        for (const auto& push : planned.pushes) {
            created.runs.push_back({push.job.id, *push.at});
        }
        const auto answered =
            countDown(planned.pushes.size(),
                      [self = shared_from_this(), pushing, done] { self->settle(pushing, done); });
        for (std::size_t i = 0; i < planned.pushes.size(); ++i) {
            // A series that begins when it is asked for is another one, to the store, each time. To
            // whom asks again it is the same, if all but its beginning is.
            const auto& job = planned.pushes[i].job;
            auto again = planned.startsNow && !job.id.empty() ? job.body : std::string{};
            queue_.push(std::move(planned.pushes[i]),
                        [self = shared_from_this(), pushing, i, again = std::move(again),
                         answered](const Result<PushOutcome>& outcome) {
                            const bool isOther =
                                !outcome && outcome.error().code == ErrorCode::Conflict;
                            if (isOther && !again.empty()) {
                                return self->compare(again, outcome.error(), pushing, answered);
                            }
                            note(*pushing, i, outcome);
                            answered();
                        });
        }
    }

    void compare(const std::string& again,
                 const Error& conflict,
                 const std::shared_ptr<Pushing>& pushing,
                 const std::function<void()>& answered)
    {
        auto& run = pushing->created.runs.front();
        inspector_.show(run.id, [again, conflict, pushing, &run,
                                 answered](const Result<JobView>& view) {
            const bool same =
                view && view->job.topic == kSeriesTopic && isSameButForStart(view->job.body, again);
            if (!same) {
                pushing->failed =
                    view || view.error().code == ErrorCode::NotFound ? conflict : view.error();
            } else if (view->state == JobState::Scheduled || view->state == JobState::Ready) {
                run.due = view->due;
            }
            answered();
        });
    }
    static bool isSameButForStart(std::string_view stored, std::string_view asked)
    {
        const auto one = Series::parse(stored);
        auto other = Series::parse(asked);
        if (!one || !other) {
            return false;
        }
        other->start = one->start;
        other->begin = one->begin;
        return one->print() == other->print();
    }

    static void note(Pushing& pushing, std::size_t run, const Result<PushOutcome>& outcome)
    {
        if (!outcome) {
            pushing.failed = outcome.error();
            return;
        }
        pushing.created.runs[run].id = outcome->id;
        if (outcome->status == PushStatus::Stored) {
            pushing.created.status = PushStatus::Stored;
            pushing.stored.push_back(outcome->id);
        }
    }

    /// All of them, or none.
    void settle(const std::shared_ptr<Pushing>& pushing, const Done<Created>& done)
    {
        if (!pushing->failed || pushing->stored.empty()) {
            return pushing->failed ? done(tl::unexpected(*pushing->failed))
                                   : done(std::move(pushing->created));
        }
        const auto undone = countDown(pushing->stored.size(),
                                      [pushing, done] { done(tl::unexpected(*pushing->failed)); });
        for (const auto& id : pushing->stored) {
            queue_.store().purge({id, "restante", "the others of its set could not be stored"},
                                 [id, undone](const Result<void>& gone) {
                                     if (!gone) {
                                         log::warning("reminder", "{} is left of a set: {}", id,
                                                      gone.error().message);
                                     }
                                     undone();
                                 });
        }
    }

    struct Cancelling {
        std::string bizKey;
        std::string actor;
        std::string reason;
        Done<std::uint64_t> done;
        std::uint64_t cancelled = 0;
        std::optional<Error> failed;  ///< the store could not, for now
        int rounds = 0;
    };

    using Ids = std::vector<std::string>;

    void look(const std::shared_ptr<Cancelling>& cancelling)
    {
        auto ids = std::make_shared<Ids>();
        eachPending(
            {.kind = IndexQuery::Kind::BizKey, .value = cancelling->bizKey},
            [ids](const JobView& view) { ids->push_back(view.job.id); },
            onSuccess(cancelling->done, [self = shared_from_this(), cancelling, ids] {
                if (cancelling->failed) {
                    return cancelling->done(tl::unexpected(*cancelling->failed));
                }
                if (ids->empty() || cancelling->rounds == kMostRounds) {
                    return answer(*cancelling);
                }
                ++cancelling->rounds;
                self->trash(*ids, cancelling);
            }));
    }
    static void answer(const Cancelling& cancelling)
    {
        if (cancelling.cancelled > 0) {
            return cancelling.done(cancelling.cancelled);
        }
        cancelling.done(failure(ErrorCode::NotFound, "no reminder with the biz_key {} is pending",
                                cancelling.bizKey));
    }

    void trash(const Ids& ids, const std::shared_ptr<Cancelling>& cancelling)
    {
        const auto answered = countDown(
            ids.size(), [self = shared_from_this(), cancelling] { self->look(cancelling); });
        for (const auto& id : ids) {
            queue_.store().trash({id, cancelling->actor, cancelling->reason},
                                 [cancelling, answered](const Result<void>& gone) {
                                     cancelling->cancelled += gone ? 1 : 0;
                                     if (!gone && isTemporary(gone.error().code)) {
                                         cancelling->failed = gone.error();
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
