#include "gui/session/demo_life.h"

namespace restante::gui {

namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr Millis kBeat{700};
constexpr std::uint64_t kRegistrationEvery = 11;  ///< beats
constexpr std::uint64_t kTidyEvery = 60;
constexpr Millis kDoneKept = hours{24 * 7};

}  // namespace

DemoLife::DemoLife(EventLoop& loop, const Clock& clock, DemoStore& store, DemoJobs& jobs)
    : clock_(clock),
      store_(store),
      jobs_(jobs),
      pace_(loop)
{
}

void DemoLife::begin()
{
    pace_.arm(kBeat, [this] { beat(); });
}

void DemoLife::beat()
{
    ++beats_;
    newJobs();
    claimDue();
    endSome();
    if (beats_ % kRegistrationEvery == 0) {
        somebodyRegisters();
    }
    if (beats_ % kTidyEvery == 0) {
        tidyUp();
    }
    begin();
}

void DemoLife::newJobs()
{
    for (auto count = jobs_.below(3); count > 0; --count) {
        PushRequest request;
        request.job = jobs_.any(clock_.now());
        const bool away = request.job.channel == Channel::Sip && jobs_.below(3) == 0;
        request.placement = away ? Placement::Mailbox : Placement::Lane;
        request.due = clock_.now() + jobs_.between(Millis{0}, seconds{away ? 900 : 90});
        store_.push(std::move(request), nobody<PushOutcome>());
    }
}

void DemoLife::claimDue()
{
    for (const auto channel : {Channel::Sip, Channel::Sms, Channel::Webhook, Channel::Pull}) {
        store_.claim({channel, {}, 2}, [this](const auto& claimed) { take(claimed, "ready"); });
    }
}

void DemoLife::take(const Result<std::vector<ClaimedJob>>& claimed, const char* from)
{
    if (!claimed) {
        return;
    }
    for (const auto& one : *claimed) {
        store_.record({one.job.id, "claim", from, "leased", {}, {}, {}});
        running_.push_back({one, clock_.now() + jobs_.between(Millis{300}, seconds{6})});
    }
}

void DemoLife::endSome()
{
    const auto now = clock_.now();
    for (std::size_t left = running_.size(); left > 0; --left) {
        auto one = std::move(running_.front());
        running_.pop_front();
        if (one.ends <= now) {
            end(one.claimed);
        } else {
            running_.push_back(std::move(one));
        }
    }
}

void DemoLife::end(const ClaimedJob& claimed)
{
    const auto& job = claimed.job;
    const auto lease = leaseOf(claimed);
    const auto tell = [this, id = job.id](const char* verb, const char* to, std::string why,
                                          std::string note) {
        return [=, this](const Result<void>& result) {
            if (result) {
                store_.record({id, verb, "leased", to, {}, why, note});
            }
        };
    };
    const auto dice = jobs_.below(100);
    if (dice < 86) {
        const auto note =
            jobs_.noteOf(job, claimed.attempt, clock_.now(), DemoJobs::successOf(job));
        return store_.MemoryJobStore::finish(lease, tell("finish", "done", {}, note));
    }
    const auto next = job.retry.waitBefore(claimed.counted() + 1);
    if (dice < 96 && next) {
        const auto why = jobs_.failureOf(job);
        const auto note = jobs_.noteOf(job, claimed.attempt, clock_.now(), why);
        return store_.retry({lease, clock_.now() + *next, why, true},
                            tell("retry", "scheduled", why, note));
    }
    const auto why = jobs_.refusalOf(job);
    const auto note = jobs_.noteOf(job, claimed.attempt, clock_.now(), why);
    store_.MemoryJobStore::bury(lease, why, tell("bury", "dead", why, note));
}

void DemoLife::somebodyRegisters()
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
        store_.claimMailbox(claim, [this](const auto& claimed) { take(claimed, "held"); });
    });
}

void DemoLife::tidyUp()
{
    store_.expire(50, [this](const Result<std::vector<std::string>>& ids) {
        for (const auto& id : ids.value_or(std::vector<std::string>{})) {
            store_.record({id, "expire", "held", "dead", {}, "expired", {}});
        }
    });
    store_.lapsed(50, [this](const Result<std::vector<LapsedLease>>& lapsed) {
        for (const auto& one : lapsed.value_or(std::vector<LapsedLease>{})) {
            const Lease lease{one.job.id, one.attempt, {}, {}, {}};
            store_.reap({lease, ReapVerdict::Fate::Retry, clock_.now(), "the lease lapsed"},
                        nobody<void>());
            store_.record({one.job.id, "reap", "leased", "ready", {}, "the lease lapsed", {}});
        }
    });
    JobSearch old;
    old.states = {JobState::Done};
    old.limit = 100;
    store_.search(old, [this](const Result<SearchPage>& page) {
        for (const auto& view : page ? page->jobs : std::vector<JobView>{}) {
            if (view.due + kDoneKept < clock_.now()) {
                store_.MemoryJobStore::purge({view.job.id, {}, {}}, nobody<void>());
                store_.forget(view.job.id);
            }
        }
    });
}

}  // namespace restante::gui
