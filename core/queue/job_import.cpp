#include "core/queue/job_import.h"

#include "core/base/async_task.h"
#include "core/queue/topic_view.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace restante {

namespace {

/// More than any of our own, which are digests and Call-IDs.
constexpr std::size_t kLongestOnceKey = 65'536;
constexpr Millis kLongestOnceFor{std::chrono::hours{24 * 366}};

Result<void> checkPosition(const JobView& view)
{
    if (!view.position) {
        return {};
    }
    const auto& position = *view.position;
    const bool mayBeInMailbox = view.state == JobState::Held || view.state == JobState::Leased;
    if (position.arrival > 0 && (!mayBeInMailbox || !hasMailbox(view.job))) {
        return invalid("place.arrival: only of a message that is held or leased");
    }
    if (!isOrigin(position.origin)) {
        return invalid("place.origin: is state, moment, number and mailbox's next attempt, such as "
                       "\"scheduled 1763745600000 - -\"");
    }
    return {};
}

bool isSame(const TopicPause& a, const TopicPause& b)
{
    return a.since == b.since && a.actor == b.actor && a.reason == b.reason;
}

}  // namespace

Result<void> checkImport(const JobView& view, const DelayQueue::Settings& settings)
{
    const auto& job = view.job;
    if (hasMailbox(job) &&
        shardOfId(job.id, settings.shards) != shardOfMailbox(job.recipient, settings.shards)) {
        return invalidField("id",
                            "belongs to another shard than the mailbox of {}; import it into a "
                            "store with as many shards as the one it came from",
                            job.recipient);
    }
    return validate(job, settings.limits).and_then([&] { return checkPosition(view); });
}

Result<void> checkImport(const TopicSetting& setting, const DelayQueue::Settings& /*settings*/)
{
    TopicAction action{setting.topic};
    if (setting.pause) {
        action.actor = setting.pause->actor;
        action.reason = setting.pause->reason;
    }
    return validate(action).and_then([&] { return validate(setting.limits); });
}

Result<void> checkImport(const OnceKey& once, const DelayQueue::Settings& /*settings*/)
{
    if (once.key.empty() || once.key.size() > kLongestOnceKey) {
        return invalidField("once_key", "is 1 to {} bytes", kLongestOnceKey);
    }
    if (once.onceFor < Millis{1} || once.onceFor > kLongestOnceFor) {
        return invalidField("once_for", "is 1ms to 366d");
    }
    return checkedJobId(once.id).map([](const auto&) {});
}

Result<void> checkImport(const StoreShape& /*shape*/, const DelayQueue::Settings& /*settings*/)
{
    return {};
}

bool isForStore(const JobView& view)
{
    return view.state != JobState::Done || view.position.has_value();
}

void importJob(
    JobStore& store, JobView view, ImportMode mode, OperatorAction who, Done<PushOutcome> done)
{
    assert(isForStore(view));
    using Existing = ImportRequest::Existing;
    store.importJob(
        {.view = std::move(view),
         .existing = mode == ImportMode::ReplaceExisting ? Existing::Replace : Existing::Keep,
         .actor = std::move(who.actor),
         .reason = std::move(who.reason)},
        std::move(done));
}

void importTopic(JobStore& store,
                 JobInspector& inspector,
                 TopicSetting setting,
                 ImportMode mode,
                 const OperatorAction& who,
                 Done<PushOutcome> done)
{
    inspector.topics(onSuccess(done, [&store, setting = std::move(setting), mode, who,
                                      done](const std::vector<TopicView>& topics) {
        importTopic(store, topics, setting, mode, who, done);
    }));
}

void importTopic(JobStore& store,
                 const std::vector<TopicView>& topics,
                 const TopicSetting& setting,
                 ImportMode mode,
                 const OperatorAction& who,
                 Done<PushOutcome> done)
{
    const auto found = std::ranges::find(topics, setting.topic, &TopicView::topic);
    const auto current = found == topics.end() ? TopicView{} : *found;
    const auto& pause = setting.pause;
    const bool replaces = mode == ImportMode::ReplaceExisting;
    const bool setsPause =
        pause && (!current.pause || (replaces && !isSame(*current.pause, *pause)));
    const bool setsLimits = setting.limits != current.limits && setting.limits != TopicLimits{} &&
                            (current.limits == TopicLimits{} || replaces);
    if (!setsPause && !setsLimits) {
        return done(PushOutcome{PushStatus::AlreadyThere, setting.topic});
    }
    const auto onStored = onSuccess(done, [done, topic = setting.topic] {
        done(PushOutcome{PushStatus::Stored, topic});
    });
    const auto setLimitsIfNeeded = [&store, onStored, setsLimits, limits = setting.limits,
                                    action = TopicAction{setting.topic, who.actor, who.reason}] {
        setsLimits ? store.limitTopic(action, limits, onStored) : onStored(Result<void>{});
    };
    if (!setsPause) {
        return setLimitsIfNeeded();
    }
    // The operator who paused it, not the one who imports it.
    store.pauseTopic({setting.topic, pause->actor, pause->reason, pause->since},
                     onSuccess(done, setLimitsIfNeeded));
}

}  // namespace restante
