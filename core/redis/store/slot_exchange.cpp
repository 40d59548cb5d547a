#include "core/redis/store/slot_exchange.h"

#include "core/base/text.h"
#include "core/base/while_alive.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace restante::redis {

namespace {

/// Reads of all shards in one round. Four do: at its start, after a new limit was set on all
/// shards, after its slots were dealt, and again when nothing was free. More than these few would
/// mean that others keep changing it.
constexpr int kMaxReads = 6;

/// The answer of slots.lua: the slots of a topic on one shard.
struct ShardSlots {
    std::string generation = "0";
    std::int64_t slots = 0;
    std::int64_t busy = 0;
    bool isWaiting = false;  ///< it has due jobs
    LimitArguments limit;    ///< all empty: the topic is not limited
    std::map<std::size_t, std::int64_t> takenFrom;
    std::map<std::size_t, std::int64_t> givenTo;

    static std::optional<ShardSlots> read(const Reply& reply)
    {
        const auto cells = textsOf(reply);
        if (cells.size() < 8) {
            return std::nullopt;
        }
        ShardSlots slotsOfShard;
        slotsOfShard.generation = cells[0];
        slotsOfShard.slots = leadingNumber<std::int64_t>(cells[1]);
        slotsOfShard.busy = leadingNumber<std::int64_t>(cells[2]);
        slotsOfShard.isWaiting = cells[3] == "1";
        slotsOfShard.limit = {cells[4], cells[5], cells[6], cells[7]};
        for (std::size_t i = 8; i + 2 < cells.size(); i += 3) {
            const auto shard = static_cast<std::size_t>(leadingNumber<std::int64_t>(cells[i]));
            slotsOfShard.takenFrom[shard] = leadingNumber<std::int64_t>(cells[i + 1]);
            slotsOfShard.givenTo[shard] = leadingNumber<std::int64_t>(cells[i + 2]);
        }
        return slotsOfShard;
    }

    std::int64_t concurrency() const { return leadingNumber<std::int64_t>(limit.concurrency); }
    std::int64_t free() const { return std::max<std::int64_t>(0, slots - busy); }

    static std::int64_t countOf(const std::map<std::size_t, std::int64_t>& counts,
                                std::size_t shard)
    {
        const auto found = counts.find(shard);
        return found == counts.end() ? 0 : found->second;
    }
};

struct SlotRequest {
    std::size_t shard = 0;
    std::int64_t wanted = 0;
    SlotExchange::Answer done;
    bool isServed = false;
};

/// One round per topic at a time; later requests of the topic wait for the next round.
class RedisSlotExchange final : public SlotExchange,
                                public std::enable_shared_from_this<RedisSlotExchange> {
public:
    explicit RedisSlotExchange(const ShardQueues& shards) : shards_(shards) {}

    void
    fetch(const std::string& topic, std::uint32_t shard, std::uint32_t wanted, Answer done) override
    {
        add(topic, {shard, wanted, std::move(done)});
    }

    void settle(const std::string& topic, Answer done) override
    {
        add(topic, {0, 0, std::move(done)});
    }

    void settleAll() override
    {
        shards_.front()->add(
            script("topics"), {}, {""},
            whileAlive(*this, [](RedisSlotExchange& self, const Result<Reply>& reply) {
                if (!reply) {
                    return;  // the next connection asks again
                }
                const auto cells = textsOf(*reply);
                for (std::size_t i = 0; i + 2 < cells.size(); i += 3) {
                    if (cells[i] == "limit") {
                        self.add(cells[i + 1], {});
                    }
                }
            }));
    }

private:
    struct Round {
        std::string topic;
        std::vector<SlotRequest> requests;
        std::vector<ShardSlots> shardSlots;
        int reads = 0;
        bool notesDemand = false;  ///< the next read tells other shards which shards wait for slots
        std::size_t pendingAnswers = 0;
        bool isDealt = false;
        bool hasFailed = false;
    };
    using RoundPtr = std::shared_ptr<Round>;
    using Step = void (RedisSlotExchange::*)(const RoundPtr&);

    void add(const std::string& topic, SlotRequest request)
    {
        auto& waiting = waiting_[topic];
        waiting.push_back(std::move(request));
        if (!rounds_.contains(topic)) {
            begin(topic);
        }
    }

    void begin(const std::string& topic)
    {
        auto round = std::make_shared<Round>();
        round->topic = topic;
        round->requests = std::exchange(waiting_[topic], {});
        rounds_[topic] = round;
        readShards(round);
    }

    void end(const RoundPtr& round)
    {
        rounds_.erase(round->topic);
        if (waiting_[round->topic].empty()) {
            waiting_.erase(round->topic);
        } else {
            begin(round->topic);
        }
        for (const auto& request : round->requests) {
            if (request.done) {
                request.done(request.isServed);
            }
        }
    }

    /// Calls a script on `shard`; when the last pending call of the round is answered, runs `next`.
    void ask(const RoundPtr& round,
             std::size_t shard,
             std::string_view name,
             const std::vector<std::string>& arguments,
             Step next,
             std::function<void(const Reply&)> onAnswer = {})
    {
        ++round->pendingAnswers;
        shards_[shard]->add(
            script(name), {}, arguments,
            whileAlive(*this, [round, next, onAnswer = std::move(onAnswer)](
                                  RedisSlotExchange& self, const Result<Reply>& reply) {
                round->hasFailed = round->hasFailed || !reply;
                if (reply && onAnswer) {
                    onAnswer(*reply);
                }
                if (--round->pendingAnswers == 0) {
                    (self.*next)(round);
                }
            }));
    }

    /// Runs `asks`, which may call ask() any number of times, and `next` when all of it is
    /// answered.
    template <class Asks>
    void askAll(const RoundPtr& round, Step next, Asks asks)
    {
        ++round->pendingAnswers;  // so that no answer ends the step before all is asked
        asks();
        if (--round->pendingAnswers == 0) {
            (this->*next)(round);
        }
    }

    void readShards(const RoundPtr& round)
    {
        if (round->hasFailed || ++round->reads > kMaxReads) {
            return end(round);
        }
        round->shardSlots.assign(shards_.size(), {});
        askAll(round, &RedisSlotExchange::compareShards, [&] {
            for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
                std::vector<std::string> waitingShards;
                bool wantsSlots = false;
                for (const auto& request : round->requests) {
                    if (!round->notesDemand || request.isServed || request.wanted == 0) {
                        continue;
                    }
                    wantsSlots = wantsSlots || request.shard == shard;
                    if (request.shard != shard) {
                        waitingShards.push_back(std::to_string(request.shard));
                    }
                }
                std::vector<std::string> arguments{round->topic, wantsSlots ? "1" : "0",
                                                   std::to_string(waitingShards.size())};
                arguments.insert(arguments.end(), waitingShards.begin(), waitingShards.end());
                ask(round, shard, "slots", arguments, &RedisSlotExchange::compareShards,
                    [round, shard](const Reply& reply) {
                        if (auto slotsOfShard = ShardSlots::read(reply)) {
                            round->shardSlots[shard] = std::move(*slotsOfShard);
                        } else {
                            round->hasFailed = true;
                        }
                    });
            }
        });
    }

    void compareShards(const RoundPtr& round)
    {
        const auto& all = round->shardSlots;
        const auto& first = all.front();
        if (round->hasFailed) {
            return end(round);
        }
        // The limit of the first shard is valid: an operator's call goes there first.
        const auto isAsFirst = [&](const ShardSlots& one) {
            return one.generation == first.generation && one.concurrency() == first.concurrency();
        };
        if (!std::all_of(all.begin(), all.end(), isAsFirst) ||
            (first.concurrency() > 0 && first.generation == "0")) {
            return renewLimit(round);
        }
        if (first.concurrency() == 0) {
            return end(round);
        }
        if (totalSlots(all) == 0) {
            return dealSlots(round);
        }
        completeMoves(round);
    }

    /// The number of slots dealt. It is exact although the shards were not read at the same time:
    /// each has the slots it was dealt, minus those given away, plus those received.
    static std::int64_t totalSlots(const std::vector<ShardSlots>& all)
    {
        std::int64_t sum = 0;
        for (const auto& one : all) {
            sum += one.slots;
            for (const auto& [shard, count] : one.givenTo) {
                sum += count;
            }
            for (const auto& [shard, count] : one.takenFrom) {
                sum -= count;
            }
        }
        return sum;
    }

    /// Sets the limit again on all shards, because some do not have it: the call that set it was
    /// interrupted, or a shard was restored from an older state.
    void renewLimit(const RoundPtr& round)
    {
        std::int64_t latest = 0;
        for (const auto& one : round->shardSlots) {
            latest = std::max(latest, leadingNumber<std::int64_t>(one.generation));
        }
        ask(round, 0, "limit",
            limitArgumentsOf(round, latest == 0 ? "0" : std::to_string(latest + 1)),
            &RedisSlotExchange::renewOthers, [round](const Reply& reply) {
                auto words = reply.textOrEmpty();
                round->hasFailed = words.empty() || words == "stale";
                takeField(words);  // its status
                round->shardSlots.front().generation = takeField(words);
            });
    }

    void renewOthers(const RoundPtr& round)
    {
        if (round->hasFailed) {
            return end(round);
        }
        const auto arguments = limitArgumentsOf(round, round->shardSlots.front().generation);
        for (auto& request : round->requests) {
            request.isServed = true;  // what has changed may be enough
        }
        askAll(round, &RedisSlotExchange::readShards, [&] {
            for (std::size_t shard = 1; shard < shards_.size(); ++shard) {
                ask(round, shard, "limit", arguments, &RedisSlotExchange::readShards);
            }
        });
    }

    static std::vector<std::string> limitArgumentsOf(const RoundPtr& round,
                                                     const std::string& generation)
    {
        const auto& limit = round->shardSlots.front().limit;
        if (limit.interval.empty()) {
            return {round->topic, "", "", "0", generation, "0", "0", "0", "1000"};
        }
        return {round->topic,      "",         "",       "0", generation, limit.interval,
                limit.concurrency, limit.jobs, limit.per};
    }

    /// Deals the slots evenly, but to each shard at least as many as it has leased.
    void dealSlots(const RoundPtr& round)
    {
        std::vector<std::int64_t> parts;
        for (const auto& one : round->shardSlots) {
            parts.push_back(one.busy);
        }
        auto undealt = round->shardSlots.front().concurrency() -
                       std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
        for (; undealt > 0; --undealt) {
            ++*std::min_element(parts.begin(), parts.end());
        }
        std::vector<std::string> arguments{round->topic, round->shardSlots.front().generation,
                                           std::to_string(parts.size() - 1)};
        for (std::size_t shard = 1; shard < parts.size(); ++shard) {
            arguments.push_back(std::to_string(parts[shard]));
        }
        ask(round, 0, "deal_slots", arguments, &RedisSlotExchange::continueAfterDeal,
            [round](const Reply& reply) { round->isDealt = reply.textOrEmpty() == "ok"; });
    }

    void continueAfterDeal(const RoundPtr& round)
    {
        if (round->isDealt) {
            return readShards(round);
        }
        // More is leased than the limit allows: the end of a lease wakes us, once demand is noted.
        std::exchange(round->notesDemand, true) ? end(round) : readShards(round);
    }

    /// Completes moves that were begun; then free slots are moved.
    void completeMoves(const RoundPtr& round)
    {
        const auto& all = round->shardSlots;
        const auto& generation = all.front().generation;
        askAll(round, &RedisSlotExchange::moveFreeSlots, [&] {
            for (std::size_t giver = 0; giver < all.size(); ++giver) {
                for (std::size_t taker = 0; taker < all.size(); ++taker) {
                    const auto given = ShardSlots::countOf(all[giver].givenTo, taker);
                    const auto taken = ShardSlots::countOf(all[taker].takenFrom, giver);
                    if (given > taken) {
                        takeSlots(round, giver, taker, given, &RedisSlotExchange::moveFreeSlots);
                    } else if (taken > given) {
                        ask(round, giver, "give_slots",
                            {round->topic, generation, std::to_string(taker), "0",
                             std::to_string(taken)},
                            &RedisSlotExchange::moveFreeSlots);
                    }
                }
            }
        });
    }

    void takeSlots(
        const RoundPtr& round, std::size_t giver, std::size_t taker, std::int64_t total, Step next)
    {
        ask(round, taker, "take_slots",
            {round->topic, round->shardSlots.front().generation, std::to_string(giver),
             std::to_string(total)},
            next, [round, taker](const Reply& reply) {
                for (auto& request : round->requests) {
                    request.isServed =
                        request.isServed || (request.shard == taker &&
                                             leadingNumber<std::int64_t>(reply.textOrEmpty()) > 0);
                }
            });
    }

    /// How many slots `giver` can give away. It keeps them while it has due jobs itself, unless
    /// `taker` has no slot at all.
    static std::int64_t
    givableSlots(const std::vector<ShardSlots>& all, std::size_t giver, std::size_t taker)
    {
        const bool keeps = all[giver].isWaiting && all[taker].slots > 0;
        return giver == taker || keeps ? 0 : all[giver].free();
    }

    void moveFreeSlots(const RoundPtr& round)
    {
        if (round->hasFailed) {
            return end(round);
        }
        auto& all = round->shardSlots;
        askAll(round, &RedisSlotExchange::retryUnserved, [&] {
            for (const auto& request : round->requests) {
                auto left = request.isServed ? 0 : request.wanted;
                for (std::size_t giver = 0; giver < all.size(); ++giver) {
                    const auto count = std::min(left, givableSlots(all, giver, request.shard));
                    if (count > 0) {
                        all[giver].slots -= count;
                        left -= count;
                        moveSlots(round, giver, request.shard, count);
                    }
                }
            }
        });
    }

    void moveSlots(const RoundPtr& round, std::size_t giver, std::size_t taker, std::int64_t count)
    {
        const auto& generation = round->shardSlots.front().generation;
        ask(round, giver, "give_slots",
            {round->topic, generation, std::to_string(taker), std::to_string(count), "0"},
            &RedisSlotExchange::retryUnserved, [this, round, giver, taker](const Reply& reply) {
                if (const auto total = leadingNumber<std::int64_t>(reply.textOrEmpty());
                    total > 0) {
                    takeSlots(round, giver, taker, total, &RedisSlotExchange::retryUnserved);
                }
            });
    }

    /// Reads once more for requests that got nothing: that notes the demand on the other shards,
    /// and a slot may be free by now.
    void retryUnserved(const RoundPtr& round)
    {
        const bool allServed = std::all_of(
            round->requests.begin(), round->requests.end(),
            [](const SlotRequest& request) { return request.isServed || request.wanted == 0; });
        allServed || std::exchange(round->notesDemand, true) ? end(round) : readShards(round);
    }

    const ShardQueues& shards_;
    std::map<std::string, std::vector<SlotRequest>> waiting_;
    std::map<std::string, RoundPtr> rounds_;
};

}  // namespace

LimitArguments limitArguments(const TopicLimits& limits, std::uint32_t shards)
{
    // Microseconds between two jobs of one of the shards that together keep the rate.
    constexpr double kMicrosPerMs = 1'000;
    const auto& rate = limits.rate;
    const double intervalMicros = rate.count == 0
                                      ? 0
                                      : static_cast<double>(rate.per.count()) * kMicrosPerMs *
                                            shards / static_cast<double>(rate.count);
    return {fmt::format("{:.3f}", intervalMicros), std::to_string(limits.concurrency),
            std::to_string(rate.count), std::to_string(rate.per.count())};
}

std::shared_ptr<SlotExchange> SlotExchange::make(const ShardQueues& shards)
{
    return std::make_shared<RedisSlotExchange>(shards);
}

}  // namespace restante::redis
