// Pauses and limits of topics in MemoryJobStore.

#include "core/queue/memory_job_store.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace restante {

namespace {

constexpr double kMicrosPerMs = 1'000;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
/// A lapsed lease keeps its slot until it is reaped: when to check again (kReaperTurn of
/// lib/topic_limits.lua).
constexpr Millis kReaperTurn{1'000};
/// A mailbox that waits for a topic is tried at least this often.
constexpr Millis kParkedRetry{60'000};

/// Microseconds between two jobs.
double intervalOf(const Rate& rate)
{
    return static_cast<double>(rate.per.count()) * kMicrosPerMs / rate.count;
}

double microsOf(TimePoint at)
{
    return static_cast<double>(toEpochMs(at)) * kMicrosPerMs;
}

}  // namespace

void MemoryJobStore::pauseTopic(TopicAction action, Done<void> done)
{
    answer(std::move(done), validate(action).map([&] {
        auto& pause =
            pauses_.try_emplace(action.topic, TopicPause{clock_.now(), {}, {}}).first->second;
        pause.since = action.since.value_or(pause.since);
        pause.actor = action.actor;
        pause.reason = action.reason;
    }));
}

void MemoryJobStore::resumeTopic(TopicAction action, Done<void> done)
{
    answer(std::move(done), validate(action).map([&] {
        if (pauses_.erase(action.topic) > 0) {
            wakeTopic(action.topic);
        }
        unparkMailboxes(action.topic, kNoLimit);
    }));
}

void MemoryJobStore::limitTopic(TopicAction action, TopicLimits limits, Done<void> done)
{
    auto valid = validate(action).and_then([&] { return validate(limits); });
    answer(std::move(done), valid.map([&] {
        auto& limitedTopic = limits_[action.topic];
        if (limitedTopic.limits.rate != limits.rate) {
            limitedTopic.busyUntilMicros = 0;
        }
        limitedTopic.limits = limits;
        if (limits.concurrency == 0 && limits.rate.count == 0) {
            limits_.erase(action.topic);
        }
        wakeTopic(action.topic);
        unparkMailboxes(action.topic, kNoLimit);
    }));
}

MemoryJobStore::TopicQuota MemoryJobStore::quotaOf(const std::string& topic) const
{
    if (pauses_.contains(topic)) {
        return {};
    }
    const auto found = limits_.find(topic);
    if (found == limits_.end()) {
        return {kNoLimit};
    }
    const auto& [limits, busyUntilMicros] = found->second;
    TopicQuota quota{kNoLimit};
    if (limits.concurrency > 0) {
        quota = concurrencyQuota(topic, limits);
    }
    if (limits.rate.count > 0 && quota.available > 0) {
        // GCRA (ITU-T I.371): tokens come at an even interval, and a late claim catches up.
        const auto now = microsOf(clock_.now());
        const auto opensAt =
            std::max(busyUntilMicros, now) - static_cast<double>(kRateSlack.count()) * kMicrosPerMs;
        const auto interval = intervalOf(limits.rate);
        if (opensAt > now) {
            return {0, fromEpochMs(static_cast<std::int64_t>(std::ceil(opensAt / kMicrosPerMs)))};
        }
        const auto tokens = static_cast<std::size_t>((now - opensAt) / interval) + 1;
        quota.available = std::min(quota.available, tokens);
    }
    return quota;
}

MemoryJobStore::TopicQuota MemoryJobStore::concurrencyQuota(const std::string& topic,
                                                            const TopicLimits& limits) const
{
    std::size_t leasedCount = 0;
    std::optional<TimePoint> opensAt;
    for (const auto& [deadline, order, id] : leases_) {
        if (jobs_.at(id).job.topic == topic) {
            opensAt = opensAt.value_or(deadline);
            ++leasedCount;
        }
    }
    if (leasedCount < limits.concurrency) {
        return {limits.concurrency - leasedCount};
    }
    return {0, *opensAt > clock_.now() ? *opensAt : clock_.now() + kReaperTurn};
}

void MemoryJobStore::spendToken(const std::string& topic)
{
    const auto found = limits_.find(topic);
    if (found != limits_.end() && found->second.limits.rate.count > 0) {
        auto& [limits, busyUntilMicros] = found->second;
        busyUntilMicros =
            std::max(busyUntilMicros, microsOf(clock_.now())) + intervalOf(limits.rate);
    }
}

std::vector<std::string> MemoryJobStore::withinQuotas(const std::vector<std::string>& ids,
                                                      std::size_t max) const
{
    std::map<std::string, std::size_t> availableByTopic;
    std::vector<std::string> admittedIds;
    for (const auto& id : ids) {
        const auto& topic = jobs_.at(id).job.topic;
        const auto [available, isNew] = availableByTopic.try_emplace(topic);
        if (isNew) {
            available->second = quotaOf(topic).available;
        }
        if (admittedIds.size() < max && available->second > 0) {
            admittedIds.push_back(id);
            --available->second;
        }
    }
    return admittedIds;
}

TimePoint MemoryJobStore::parkMailbox(const std::string& recipient,
                                      const std::vector<std::string>& ids)
{
    auto until = clock_.now() + kParkedRetry;
    for (const auto& id : ids) {
        const auto& topic = jobs_.at(id).job.topic;
        parkedMailboxes_[topic].insert(recipient);
        until = std::min(until, quotaOf(topic).opensAt.value_or(until));
    }
    return until;
}

std::optional<TimePoint> MemoryJobStore::nextClaimTime(const std::string& topic,
                                                       const SortedSet& lane) const
{
    const auto quota = quotaOf(topic);
    if (quota.available == 0 && !quota.opensAt) {
        return std::nullopt;
    }
    for (const auto& [due, order, id] : lane) {
        if (!hasExpired(jobs_.at(id).job)) {
            return quota.available > 0 ? due : std::max(due, *quota.opensAt);
        }
    }
    return std::nullopt;
}

void MemoryJobStore::wakeTopic(const std::string& topic)
{
    for (const auto& [lane, sortedIds] : lanes_) {
        if (std::get<std::string>(lane) == topic && !sortedIds.empty()) {
            wake({DueSource::Kind::Lanes, std::get<Channel>(lane), topic,
                  std::get<TimePoint>(*sortedIds.begin())});
        }
    }
}

void MemoryJobStore::unparkMailboxes(const std::string& topic, std::size_t max)
{
    auto& recipients = parkedMailboxes_[topic];
    while (max > 0 && !recipients.empty()) {
        const auto recipient = *recipients.begin();
        recipients.erase(recipients.begin());
        if (mailboxes_.contains(recipient)) {  // one that has been emptied waits no more
            setNextAttempt(recipient, clock_.now());
            --max;
        }
    }
}

/// Wakes those who wait for the slot of a limited topic that `job` had.
void MemoryJobStore::wakeForFreedSlot(const Job& job)
{
    const auto limitedTopic = limits_.find(job.topic);
    if (limitedTopic != limits_.end() && limitedTopic->second.limits.concurrency > 0) {
        wakeTopic(job.topic);
        unparkMailboxes(job.topic, 1);
    }
}

void MemoryJobStore::topics(Done<std::vector<TopicView>> done)
{
    std::map<std::string, TopicView> views;
    const auto viewFor = [&](const std::string& topic) -> TopicView& {
        auto& view = views[topic];
        view.topic = topic;
        return view;
    };
    for (auto& counts : topicCounts()) {
        viewFor(counts.topic).channels.push_back(counts);
    }
    for (const auto& [topic, pause] : pauses_) {
        viewFor(topic).pause = pause;
    }
    for (const auto& [topic, limitedTopic] : limits_) {
        auto& view = viewFor(topic);
        view.limits = limitedTopic.limits;
        const auto isOfTopic = [&, &topic = topic](const auto& lease) {
            return jobs_.at(std::get<std::string>(lease)).job.topic == topic;
        };
        if (limitedTopic.limits.concurrency > 0) {
            view.leased = std::ranges::count_if(leases_, isOfTopic);
        }
    }
    std::vector<TopicView> topicViews;
    for (auto& [topic, view] : views) {
        topicViews.push_back(std::move(view));
    }
    answer(std::move(done), std::move(topicViews));
}

}  // namespace restante
