#include "core/queue/job_import.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <utility>

namespace restante {

namespace {

/// More than any of our own, which are digests and Call-IDs.
constexpr std::size_t kLongestOnceKey = 65'536;
constexpr Millis kLongestOnce{std::chrono::hours{24 * 366}};

Result<void> checkPosition(const JobView& view)
{
    if (!view.position) {
        return {};
    }
    const auto& position = *view.position;
    const bool mayBeBoxed = view.state == JobState::Held || view.state == JobState::Leased;
    if (position.arrival > 0 && (!mayBeBoxed || !hasMailbox(view.job))) {
        return failure(ErrorCode::Invalid,
                       "place.arrival: only of a message that is held or leased");
    }
    if (!isOrigin(position.origin)) {
        return failure(ErrorCode::Invalid,
                       "place.origin: is state, moment, number and mailbox's next attempt, such as "
                       "\"scheduled 1763745600000 - -\"");
    }
    return {};
}

/// Of a topic that an import brings back: the steps that are left.
struct TopicSteps {
    JobStore& store;
    TopicSetting setting;
    TopicAction pause = {};
    TopicAction limit = {};
    bool pauses = false;
    bool limits = false;
    Done<PushOutcome> done = {};

    void run(const std::shared_ptr<TopicSteps>& self)
    {
        const auto next = [self](Result<void> answer) {
            answer ? self->run(self) : self->done(tl::unexpected(std::move(answer.error())));
        };
        if (std::exchange(pauses, false)) {
            return store.pauseTopic(pause, next);
        }
        if (std::exchange(limits, false)) {
            return store.limitTopic(limit, setting.limits, next);
        }
        done(PushOutcome{PushStatus::Stored, setting.topic});
    }
};

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
        return failure(ErrorCode::Invalid,
                       fmt::format("id: belongs to another shard than the mailbox of {}; import it "
                                   "into a store with as many shards as the one it came from",
                                   job.recipient));
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
        return failure(ErrorCode::Invalid,
                       fmt::format("once_key: is 1 to {} bytes", kLongestOnceKey));
    }
    if (once.onceFor < Millis{1} || once.onceFor > kLongestOnce) {
        return failure(ErrorCode::Invalid, "once_for: is 1ms to 366d");
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
    JobStore& store, JobView view, Import mode, OperatorAction who, Done<PushOutcome> done)
{
    assert(isForStore(view));
    using Existing = ImportRequest::Existing;
    store.importJob({.view = std::move(view),
                     .existing = mode == Import::ReplaceOthers ? Existing::Replace : Existing::Keep,
                     .actor = std::move(who.actor),
                     .reason = std::move(who.reason)},
                    std::move(done));
}

void importTopic(JobStore& store,
                 JobInspector& inspector,
                 TopicSetting setting,
                 Import mode,
                 const OperatorAction& who,
                 Done<PushOutcome> done)
{
    auto steps = std::make_shared<TopicSteps>(TopicSteps{store, std::move(setting)});
    steps->done = std::move(done);
    steps->limit = {steps->setting.topic, who.actor, who.reason};
    if (const auto& pause = steps->setting.pause) {
        // Who paused it, not who brings it back.
        steps->pause = {steps->setting.topic, pause->actor, pause->reason, pause->since};
    }
    inspector.topics([steps, mode](Result<std::vector<TopicView>> topics) {
        if (!topics) {
            return steps->done(tl::unexpected(std::move(topics.error())));
        }
        const auto& wanted = steps->setting;
        const auto its = std::ranges::find_if(
            *topics, [&](const TopicView& view) { return view.topic == wanted.topic; });
        const auto there = its == topics->end() ? TopicView{} : *its;
        const bool replaces = mode == Import::ReplaceOthers;
        steps->pauses =
            wanted.pause && (!there.pause || (replaces && !isSame(*there.pause, *wanted.pause)));
        steps->limits = wanted.limits != there.limits && wanted.limits != TopicLimits{} &&
                        (there.limits == TopicLimits{} || replaces);
        if (!steps->pauses && !steps->limits) {
            return steps->done(PushOutcome{PushStatus::AlreadyThere, wanted.topic});
        }
        steps->run(steps);
    });
}

}  // namespace restante
