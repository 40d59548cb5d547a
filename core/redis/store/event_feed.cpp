#include "core/redis/store/event_feed.h"

#include "core/base/log.h"
#include "core/base/result_gathering.h"
#include "core/base/text.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/job_codec.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace restante::redis {

namespace {

/// Entries that one read takes of each shard. An entry is a batch of up to some hundred jobs.
constexpr std::string_view kEventsPerRead = "200";
/// How long a read blocks when there are no events. A new subscriber with an old position waits at
/// most this long; two idle commands a second cost nothing.
constexpr std::string_view kBlockMs = "500";
constexpr Millis kReadRetry{200};
/// In a cluster, where reads do not block.
constexpr Millis kClusterReadInterval{100};
/// Jobs whose topic is remembered, for their later events: some 10 MB.
constexpr std::size_t kTopicsRemembered = 100'000;

/// Whether the ids of such an entry may be those of other jobs than before.
bool mayBringAnotherJob(std::string_view transition)
{
    constexpr std::array<std::string_view, 5> kTransitions{"push", "warm", "recover", "replay",
                                                           "repair"};
    return std::ranges::find(kTransitions, transition) != kTransitions.end();
}

/// "<ms>-<number>" and nothing else, because it becomes part of a command and of the answer.
bool isPosition(std::string_view text)
{
    const auto isNumber = [](std::string_view digits) {
        return digits.size() <= 19 && isDigits(digits);
    };
    return isNumber(takeField(text, '-')) && isNumber(text);
}

/// The position in the answer of XREVRANGE + - COUNT 1 (the last of a stream) or XRANGE - + COUNT 1
/// (the first); "0-0" of an empty stream.
std::string positionIn(const Reply& reply)
{
    const auto event = readEvent(reply.at(0));
    return event ? event->position : "0-0";
}

}  // namespace

std::string EventPosition::toString() const
{
    return fmt::format("{}", fmt::join(byShard, ","));
}

Result<EventPosition> EventPosition::parse(std::string_view text, std::uint32_t shards)
{
    EventPosition position;
    for (const auto entryId : split(text, ',')) {
        position.byShard.emplace_back(entryId);
    }
    if (position.byShard.size() != shards || !std::ranges::all_of(position.byShard, isPosition)) {
        return invalidField("position",
                            fmt::format("is one <ms>-<number> for each of the {} shards, "
                                        "separated by commas, as an event's id said",
                                        shards));
    }
    return position;
}

EventFeed::EventFeed(EventLoop& loop,
                     Connection& commands,
                     Connection& readConnection,
                     Settings settings)
    : commands_(commands),
      readConnection_(readConnection),
      settings_(std::move(settings)),
      readTimer_(loop)
{
}

EventFeed::SubscriptionId EventFeed::subscribe(Subscription subscription)
{
    const auto id = ++lastId_;
    auto& subscriber = subscribers_[id];
    subscriber.subscription = std::move(subscription);
    if (subscriber.subscription.from) {
        subscriber.position = *subscriber.subscription.from;
        askForGaps(id);
        scheduleRead(Millis{0});
    } else {
        subscriber.position.byShard.resize(settings_.shards);
        askForEnds(id);
    }
    return id;
}

void EventFeed::unsubscribe(SubscriptionId id)
{
    subscribers_.erase(id);
    if (subscribers_.empty()) {
        topics_.clear();
        rememberedIds_.clear();
    }
}

std::string EventFeed::streamOf(std::uint32_t shard) const
{
    return shardPrefix(settings_.prefix, shard) + "events";
}

template <class Next>
Done<Reply> EventFeed::then(Next next)
{
    return callbackGuard_.guard(std::move(next));
}

template <class Next>
Done<Reply> EventFeed::thenIfSubscribed(SubscriptionId id, Next next)
{
    return then([this, id, next = std::move(next)](const Result<Reply>& reply) {
        if (const auto found = subscribers_.find(id); found != subscribers_.end()) {
            next(found->second, reply);
        }
    });
}

void EventFeed::askForEnds(SubscriptionId id)
{
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        askForEnd(id, shard);
    }
}

void EventFeed::askForEnd(SubscriptionId id, std::uint32_t shard)
{
    commands_.command(
        {"XREVRANGE", streamOf(shard), "+", "-", "COUNT", "1"},
        thenIfSubscribed(id, [this, shard](Subscriber& subscriber, const Result<Reply>& reply) {
            auto& position = subscriber.position.byShard[shard];
            if (position.empty() || position == "$") {
                // Without an answer it begins with the first event after Redis is back.
                position = reply ? positionIn(*reply) : "$";
            }
            scheduleRead(Millis{0});
        }));
}

/// A subscriber that waits for the end of a shard cannot tell old events from new ones when they
/// are read for others, so it needs to know the end itself.
void EventFeed::askForEndsThatAreNotRead()
{
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        if (readsFromEnd_[shard]) {
            continue;
        }
        for (const auto& [id, subscriber] : subscribers_) {
            if (subscriber.position.byShard[shard] == "$") {
                askForEnd(id, shard);
            }
        }
    }
}

void EventFeed::askForGaps(SubscriptionId id)
{
    const auto from = *subscribers_[id].subscription.from;
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        const auto& position = from.byShard[shard];
        if (position == "0-0") {
            continue;  // it wants everything that is left, so it misses nothing
        }
        commands_.command(
            {"XRANGE", streamOf(shard), "-", "+", "COUNT", "1"},
            thenIfSubscribed(
                id, [shard, position](Subscriber& subscriber, const Result<Reply>& reply) {
                    // The last event that it has seen is gone, and perhaps later ones.
                    const auto onMissed = subscriber.subscription.onMissed;  // it may unsubscribe
                    if (reply && onMissed &&
                        streamPositionOf(positionIn(*reply)) > streamPositionOf(position)) {
                        onMissed(shard);
                    }
                }));
    }
}

std::string_view EventFeed::readStartOf(std::uint32_t shard) const
{
    std::string_view begin = "$";
    for (const auto& [id, subscriber] : subscribers_) {
        const std::string_view position = subscriber.position.byShard[shard];
        if (position.empty() || position == "$") {
            continue;
        }
        if (begin == "$" || streamPositionOf(position) < streamPositionOf(begin)) {
            begin = position;
        }
    }
    return begin;
}

void EventFeed::scheduleRead(Millis after)
{
    if (!isReading_ && !readTimer_.armed()) {
        readTimer_.arm(after, [this] { read(); });
    }
}

void EventFeed::read()
{
    if (subscribers_.empty() || isReading_) {
        return;
    }
    isReading_ = true;
    readsFromEnd_.resize(settings_.shards);
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        readsFromEnd_[shard] = readStartOf(shard) == "$";
    }
    askForEndsThatAreNotRead();
    if (readConnection_.isCluster()) {
        return readShards();
    }
    std::vector<std::string> streams;
    std::vector<std::string_view> words{"XREAD", "COUNT",  kEventsPerRead,
                                        "BLOCK", kBlockMs, "STREAMS"};
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        streams.push_back(streamOf(shard));
    }
    words.insert(words.end(), streams.begin(), streams.end());
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        words.push_back(readStartOf(shard));
    }
    readConnection_.command(words, then([this](const Result<Reply>& reply) { handleRead(reply); }));
}

/// In a cluster no command reads several shards, and blocking on one would delay the others; so
/// each shard is read without blocking, and again after a pause when there was nothing.
void EventFeed::readShards()
{
    auto gathering = std::make_shared<ResultGathering<Reply::Array>>(
        [this](Result<Reply::Array> streams) {
            if (streams->empty()) {
                isReading_ = false;
                return scheduleRead(kClusterReadInterval);
            }
            handleRead(Reply{std::move(*streams)});
        },
        settings_.shards);
    for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
        const auto stream = streamOf(shard);
        const auto begin = readStartOf(shard);
        const auto take =
            then([this, shard, gathering, wantsEnd = begin == "$"](const Result<Reply>& reply) {
                // A shard that does not answer has no events now.
                gathering->take(Result<Reply>(reply.value_or(Reply{})),
                                [&](auto& streams, const Reply& answer) {
                                    if (reply && wantsEnd) {
                                        resolveEnd(shard, positionIn(answer));
                                    } else if (const auto* more = answer.array()) {
                                        streams.insert(streams.end(), more->begin(), more->end());
                                    }
                                });
            });
        if (begin == "$") {
            readConnection_.command({"XREVRANGE", stream, "+", "-", "COUNT", "1"}, take);
        } else {
            readConnection_.command({"XREAD", "COUNT", kEventsPerRead, "STREAMS", stream, begin},
                                    take);
        }
    }
}

/// Sets the position of the subscribers that wait for the end of the shard's stream.
void EventFeed::resolveEnd(std::uint32_t shard, const std::string& end)
{
    for (auto& [id, subscriber] : subscribers_) {
        if (subscriber.position.byShard[shard] == "$") {
            subscriber.position.byShard[shard] = end;
        }
    }
}

void EventFeed::handleRead(const Result<Reply>& reply)
{
    if (!reply) {
        isReading_ = false;
        log::debug("events", "cannot read the event streams: {}", reply.error().message);
        return scheduleRead(kReadRetry);
    }
    std::vector<Event> events;
    for (std::size_t i = 0; i < reply->size(); ++i) {
        const auto& stream = reply->at(i);
        const auto* name = stream.at(0).text();
        const auto& entries = stream.at(1);
        for (std::uint32_t shard = 0; name != nullptr && shard < settings_.shards; ++shard) {
            const auto count = *name == streamOf(shard) ? entries.size() : 0;
            for (std::size_t n = 0; n < count; ++n) {
                if (auto event = readEvent(entries.at(n))) {
                    events.push_back({shard, std::move(*event), {}});
                }
            }
        }
    }
    const bool wantsTopics = std::ranges::any_of(subscribers_, [](const auto& one) {
        return one.second.subscription.topics == Topics::Yes;
    });
    wantsTopics ? lookUpTopics(std::move(events)) : deliver(std::move(events));
}

void EventFeed::rememberTopic(const std::string& id, std::string topic)
{
    if (topics_.insert_or_assign(id, std::move(topic)).second) {
        rememberedIds_.push_back(id);
    }
}

void EventFeed::forgetOldestTopics()
{
    while (rememberedIds_.size() > kTopicsRemembered) {
        topics_.erase(rememberedIds_.front());
        rememberedIds_.pop_front();
    }
}

void EventFeed::lookUpTopics(std::vector<Event> events)
{
    std::set<std::pair<std::uint32_t, std::string>> unknown;
    for (const auto& event : events) {
        const bool mayBeAnother = mayBringAnotherJob(event.entry.transition);
        for (const auto& id : event.entry.ids) {
            const auto known = topics_.find(id);
            if (mayBeAnother && known != topics_.end()) {
                known->second.clear();
            }
            if (!id.empty() && (known == topics_.end() || known->second.empty())) {
                unknown.emplace(event.shard, id);
            }
        }
    }
    if (unknown.empty()) {
        return deliver(std::move(events));
    }
    auto lookUp = std::make_shared<ResultGathering<std::vector<Event>>>(
        [this](Result<std::vector<Event>> gathered) { deliver(std::move(*gathered)); },
        unknown.size());
    lookUp->sum = std::move(events);
    for (const auto& [shard, id] : unknown) {
        const auto key = shardPrefix(settings_.prefix, shard) + "j:" + id.substr(0, id.size() - 1);
        commands_.command({"HGET", key, std::string_view(id).substr(id.size() - 1)},
                          then([this, lookUp, id = id](const Result<Reply>& reply) {
                              const auto* record = reply ? reply->text() : nullptr;
                              if (record != nullptr) {
                                  if (auto job = decodeRecord(id, *record)) {
                                      rememberTopic(id, std::move(job->topic));
                                  }
                              }
                              lookUp->take(Result<NoValue>(), [](auto&, NoValue) {});
                          }));
    }
}

void EventFeed::deliver(std::vector<Event> events)
{
    for (auto& event : events) {
        for (std::size_t i = 0; !topics_.empty() && i < event.entry.ids.size(); ++i) {
            const auto known = topics_.find(event.entry.ids[i]);
            event.topics.push_back(known == topics_.end() ? std::string{} : known->second);
        }
        // A handler may unsubscribe itself or others, and subscribe anew.
        std::vector<SubscriptionId> ids;
        for (const auto& [id, subscriber] : subscribers_) {
            ids.push_back(id);
        }
        for (const auto id : ids) {
            const auto found = subscribers_.find(id);
            if (found == subscribers_.end()) {
                continue;
            }
            auto& positions = found->second.position.byShard;
            if (std::any_of(positions.begin(), positions.end(),
                            [](auto& position) { return position.empty(); })) {
                continue;  // read again, from the ends, once they are all known
            }
            auto& position = positions[event.shard];
            const bool isNew = position == "$" ? readsFromEnd_[event.shard]
                                               : streamPositionOf(event.entry.position) >
                                                     streamPositionOf(position);
            if (!isNew) {
                continue;
            }
            position = event.entry.position;
            // Copies: the handler may erase the subscriber it belongs to.
            const auto handler = found->second.subscription.handler;
            const auto newPosition = found->second.position;
            handler(event, newPosition);
        }
    }
    forgetOldestTopics();  // not before: those of these events may be the oldest
    isReading_ = false;
    if (!subscribers_.empty()) {
        scheduleRead(Millis{0});
    }
}

}  // namespace restante::redis
