#include "tests/contract/store_contract.h"

#include <utility>

namespace restante::test {

JobIdGenerator& StoreContract::ids()
{
    if (!ids_) {
        ids_ = std::make_unique<JobIdGenerator>(clock());
    }
    return *ids_;
}

Job StoreContract::newJob(int priority, const std::string& topic)
{
    Job job;
    job.id = newId(0);
    job.topic = topic;
    job.body = "close " + job.id;
    job.priority = priority;
    job.created = now();
    return job;
}

Job StoreContract::messageTo(const std::string& recipient)
{
    Job job;
    job.id = newId(shardOfMailbox(recipient, shards()));
    job.topic = "sip";
    job.channel = Channel::Sip;
    job.recipient = recipient;
    job.sender = "sip:alice@example.org";
    job.body = "hello " + job.id;
    job.created = now();
    return job;
}

Job StoreContract::storeJob(Job job, Millis delay)
{
    EXPECT_DONE(push(job, delay));
    return job;
}

Job StoreContract::storeHeldJob(Job job, Millis nextAttempt)
{
    EXPECT_DONE(push({.job = job, .due = now() + nextAttempt, .placement = Placement::Mailbox}));
    return job;
}

ClaimedJob StoreContract::leaseJob(Job job)
{
    const auto topic = storeJob(std::move(job)).topic;
    auto claimed = claim(1, {topic});
    EXPECT_EQ(claimed.size(), 1U);
    return claimed.at(0);
}

ClaimedJob StoreContract::leaseFromMailbox(Job job)
{
    auto claimed = claimMailbox(storeHeldJob(std::move(job)).recipient);
    EXPECT_EQ(claimed.size(), 1U);
    return claimed.at(0);
}

std::string StoreContract::makeJobIn(JobState state)
{
    // A topic of its own keeps several of them apart.
    auto job = newJob();
    job.topic = "in-" + job.id;
    switch (state) {
    case JobState::Scheduled: return storeJob(job, 1h).id;
    case JobState::Ready: return storeJob(job).id;
    case JobState::Leased: return leaseJob(job).job.id;
    case JobState::Held: EXPECT_DONE(hold({.lease = leaseOf(leaseJob(job))})); return job.id;
    case JobState::Dead: EXPECT_DONE(bury(leaseOf(leaseJob(job)), "no")); return job.id;
    case JobState::Trashed: EXPECT_DONE(trash(storeJob(job, 1h).id)); return job.id;
    case JobState::Done: EXPECT_DONE(finish(leaseOf(leaseJob(job)))); return job.id;
    }
    return {};
}

Result<PushOutcome> StoreContract::push(PushRequest request)
{
    return await<PushOutcome>([&](auto done) { store().push(std::move(request), done); });
}

Result<PushOutcome> StoreContract::push(const Job& job, Millis delay)
{
    return push({.job = job, .due = now() + delay});
}

std::vector<ClaimedJob> StoreContract::claim(std::uint32_t max, std::vector<std::string> topics)
{
    auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store().claim({Channel::Pull, std::move(topics), max}, done);
    });
    EXPECT_DONE(claimed);
    return claimed.value_or(std::vector<ClaimedJob>{});
}

std::vector<std::string> idsOf(const std::vector<ClaimedJob>& claimed)
{
    std::vector<std::string> ids;
    for (const auto& one : claimed) {
        ids.push_back(one.job.id);
    }
    return ids;
}

std::vector<std::string> StoreContract::claimIds(std::uint32_t max, std::vector<std::string> topics)
{
    return idsOf(claim(max, std::move(topics)));
}

std::vector<ClaimedJob> StoreContract::claimMailbox(const std::string& recipient, std::uint32_t max)
{
    auto claimed = await<std::vector<ClaimedJob>>([&](auto done) {
        store().claimMailbox({recipient, max}, done);
    });
    EXPECT_DONE(claimed);
    return claimed.value_or(std::vector<ClaimedJob>{});
}

Result<void> StoreContract::finish(Lease lease)
{
    return await<std::uint64_t>([&](auto done) { store().finish(lease, done); })
        .map([](std::uint64_t) {});
}

Result<void> StoreContract::finishLate(Lease lease)
{
    return await<void>([&](auto done) { store().finishLate(lease, done); });
}

Result<void> StoreContract::retry(Lease lease, Millis wait, std::string error)
{
    return await<void>([&](auto done) { store().retry({lease, now() + wait, error}, done); });
}

Result<void> StoreContract::hold(HoldRequest request)
{
    return await<void>([&](auto done) { store().hold(request, done); });
}

Result<void> StoreContract::bury(Lease lease, std::string reason)
{
    return await<void>([&](auto done) { store().bury(lease, reason, done); });
}

Result<TimePoint> StoreContract::touch(Lease lease, Millis ttr)
{
    return await<TimePoint>([&](auto done) { store().touch(lease, ttr, done); });
}

Result<void> StoreContract::reap(ReapVerdict verdict)
{
    return await<void>([&](auto done) { store().reap(verdict, done); });
}

Result<void> StoreContract::runNow(const std::string& id)
{
    return await<void>([&](auto done) { store().runNow(by(id), done); });
}

Result<void> StoreContract::reschedule(const std::string& id, Millis delay)
{
    return reschedule(id, NewTime{now() + delay});
}

Result<void> StoreContract::reschedule(const std::string& id, NewTime time)
{
    return await<void>([&](auto done) { store().reschedule(by(id), time, done); });
}

Result<void> StoreContract::release(const std::string& id)
{
    return await<void>([&](auto done) { store().release(by(id), done); });
}

Result<void> StoreContract::trash(const std::string& id)
{
    return await<void>([&](auto done) { store().trash(by(id), done); });
}

Result<void> StoreContract::restore(const std::string& id)
{
    return await<void>([&](auto done) { store().restore(by(id), done); });
}

Result<void> StoreContract::purge(const std::string& id)
{
    return await<void>([&](auto done) { store().purge(by(id), done); });
}

std::vector<std::string> StoreContract::expire(std::uint32_t max)
{
    auto ids = await<std::vector<std::string>>([&](auto done) { store().expire(max, done); });
    EXPECT_DONE(ids);
    return ids.value_or(std::vector<std::string>{});
}

std::vector<ClaimedJob> StoreContract::lapsed(std::uint32_t max)
{
    auto leases = await<std::vector<ClaimedJob>>([&](auto done) { store().lapsed(max, done); });
    EXPECT_DONE(leases);
    return leases.value_or(std::vector<ClaimedJob>{});
}

std::vector<std::string> StoreContract::dueMailboxes(std::uint32_t max)
{
    auto due = await<std::vector<std::string>>([&](auto done) { store().dueMailboxes(max, done); });
    EXPECT_DONE(due);
    return due.value_or(std::vector<std::string>{});
}

std::optional<TimePoint> StoreContract::earliest(DueSource source)
{
    auto first = await<std::optional<TimePoint>>(
        [&](auto done) { store().earliest(std::move(source), done); });
    EXPECT_DONE(first);
    return first.value_or(std::nullopt);
}

JobView StoreContract::view(const std::string& id)
{
    auto seen = await<JobView>([&](auto done) { storeUnderTest_->inspector().show(id, done); });
    EXPECT_DONE(seen);
    return seen.value_or(JobView{});
}

bool StoreContract::isGone(const std::string& id)
{
    const auto seen =
        await<JobView>([&](auto done) { storeUnderTest_->inspector().show(id, done); });
    return !seen && seen.error().code == ErrorCode::NotFound;
}

}  // namespace restante::test
