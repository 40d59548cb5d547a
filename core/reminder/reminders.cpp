#include "core/reminder/reminders.h"

#include "core/base/log.h"
#include "core/job/job_id.h"
#include "core/queue/job_search.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <utility>

namespace restante::reminder {

namespace {

constexpr std::uint32_t kPage = 500;
/// Series that are rolled just now may push one more occurrence while we look.
constexpr int kMostRounds = 5;

bool isReminder(const Job& job)
{
    return job.topic == kTopic || job.topic == kSeriesTopic;
}

bool isPending(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready || state == JobState::Leased ||
           state == JobState::Held;
}

/// Makes `count` calls at once; `done` when the last one is answered.
class Gathering {
public:
    static std::function<void()> of(std::size_t count, std::function<void()> done)
    {
        auto missing = std::make_shared<std::size_t>(count);
        return [missing, done = std::move(done)] {
            if (--*missing == 0) {
                done();
            }
        };
    }
};

}  // namespace

class Reminders::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(DelayQueue& queue, JobInspector& inspector, Settings settings)
        : queue_(queue),
          inspector_(inspector),
          settings_(std::move(settings)),
          ids_(queue.clock())
    {
    }

    void create(const ReminderRequest& request, Done<Created> done)
    {
        auto planned =
            plan(request, settings_, "reminder-" + ids_.generate(0), queue_.clock().now());
        if (!planned) {
            return done(tl::unexpected(std::move(planned.error())));
        }
        if (settings_.perSender == 0 || request.sender.empty()) {
            return push(std::move(*planned), std::move(done));
        }
        const auto more = planned->orders.size();
        checkSender(request.sender, more,
                    [self = shared_from_this(), planned = std::move(*planned),
                     done](const Result<void>& within) mutable {
                        within ? self->push(std::move(planned), std::move(done))
                               : done(tl::unexpected(within.error()));
                    });
    }

    void cancel(std::string bizKey, std::string actor, Done<std::uint64_t> done)
    {
        if (bizKey.empty()) {
            return done(failure(ErrorCode::Invalid, "biz_key: is missing: which reminders"));
        }
        auto cancelling = std::make_shared<Cancelling>();
        cancelling->bizKey = std::move(bizKey);
        cancelling->actor = std::move(actor);
        cancelling->done = std::move(done);
        look(cancelling);
    }

private:
    using Jobs = std::vector<JobView>;

    /// The pending reminders of a query, at least up to `most`.
    void pending(JobQuery query, std::size_t most, Done<Jobs> done)
    {
        query.limit = kPage;
        collect(std::move(query), most, std::make_shared<Jobs>(), std::move(done));
    }
    void
    collect(JobQuery query, std::size_t most, const std::shared_ptr<Jobs>& found, Done<Jobs> done)
    {
        inspector_.list(query, [self = shared_from_this(), query, most, found,
                                done](const Result<JobPage>& page) mutable {
            if (!page) {
                return done(tl::unexpected(page.error()));
            }
            for (const auto& view : page->jobs) {
                if (isReminder(view.job) && isPending(view.state)) {
                    found->push_back(view);
                }
            }
            if (page->cursor.empty() || found->size() >= most) {
                return done(std::move(*found));
            }
            query.cursor = page->cursor;
            self->collect(std::move(query), most, found, std::move(done));
        });
    }

    void checkSender(const std::string& sender, std::size_t more, Done<void> done)
    {
        JobQuery query;
        query.sender = sender;
        pending(query, settings_.perSender,
                [most = settings_.perSender, sender, more, done](const Result<Jobs>& jobs) {
                    if (!jobs) {
                        return done(tl::unexpected(jobs.error()));
                    }
                    if (jobs->size() + more > most) {
                        return done(
                            failure(ErrorCode::Conflict,
                                    fmt::format("sender: {} has {} reminders pending; at most {} "
                                                "(reminder.per_sender)",
                                                sender, jobs->size(), most)));
                    }
                    done({});
                });
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
        created.bizKey = planned.orders.front().job.bizKey;
        created.channel = planned.channel;
        created.recurring = planned.recurring;
        created.notes = std::move(planned.notes);
        for (const auto& order : planned.orders) {
            created.runs.push_back({order.job.id, *order.at});
        }
        const auto answered =
            Gathering::of(planned.orders.size(), [self = shared_from_this(), pushing, done] {
                self->settle(pushing, done);
            });
        for (std::size_t i = 0; i < planned.orders.size(); ++i) {
            queue_.push(std::move(planned.orders[i]),
                        [pushing, i, answered](const Result<PushOutcome>& outcome) {
                            note(*pushing, i, outcome);
                            answered();
                        });
        }
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
        const auto undone = Gathering::of(
            pushing->stored.size(), [pushing, done] { done(tl::unexpected(*pushing->failed)); });
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
        Done<std::uint64_t> done;
        std::uint64_t cancelled = 0;
        std::optional<Error> failed;  ///< the store could not, for now
        int rounds = 0;
    };

    void look(const std::shared_ptr<Cancelling>& cancelling)
    {
        JobQuery query;
        query.bizKey = cancelling->bizKey;
        constexpr auto kAll = static_cast<std::size_t>(-1);
        pending(query, kAll, [self = shared_from_this(), cancelling](const Result<Jobs>& jobs) {
            if (!jobs) {
                return cancelling->done(tl::unexpected(jobs.error()));
            }
            if (cancelling->failed) {
                return cancelling->done(tl::unexpected(*cancelling->failed));
            }
            if (jobs->empty() || cancelling->rounds == kMostRounds) {
                return answer(*cancelling);
            }
            ++cancelling->rounds;
            self->trash(*jobs, cancelling);
        });
    }
    static void answer(const Cancelling& cancelling)
    {
        if (cancelling.cancelled > 0) {
            return cancelling.done(cancelling.cancelled);
        }
        cancelling.done(
            failure(ErrorCode::NotFound,
                    fmt::format("no reminder with the biz_key {} is pending", cancelling.bizKey)));
    }

    void trash(const Jobs& jobs, const std::shared_ptr<Cancelling>& cancelling)
    {
        const auto answered = Gathering::of(
            jobs.size(), [self = shared_from_this(), cancelling] { self->look(cancelling); });
        for (const auto& view : jobs) {
            queue_.store().trash({view.job.id, cancelling->actor, "cancelled by its biz_key"},
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

Reminders::Reminders(DelayQueue& queue, JobInspector& inspector, Settings settings)
    : impl_(std::make_shared<Impl>(queue, inspector, std::move(settings)))
{
}

Reminders::~Reminders() = default;

void Reminders::create(ReminderRequest request, Done<Created> done)
{
    impl_->create(request, std::move(done));
}

void Reminders::cancel(std::string bizKey, std::string actor, Done<std::uint64_t> done)
{
    impl_->cancel(std::move(bizKey), std::move(actor), std::move(done));
}

}  // namespace restante::reminder
