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

/// Looks of one round: to find out, after a new limit was taken to all shards, after it was dealt
/// out, and once more when nothing was free. More would mean that others keep changing it.
constexpr int kMostLooks = 6;

/// What slots.lua tells of one shard.
struct Standing {
    std::string generation = "0";
    std::int64_t slots = 0;
    std::int64_t busy = 0;
    bool isWaiting = false;  ///< something is due here
    LimitArguments limit;    ///< all empty: the topic is not limited
    std::map<std::size_t, std::int64_t> from;
    std::map<std::size_t, std::int64_t> to;

    static std::optional<Standing> read(const Reply& reply)
    {
        const auto cells = textsOf(reply);
        if (cells.size() < 8) {
            return std::nullopt;
        }
        Standing standing;
        standing.generation = cells[0];
        standing.slots = leadingNumber<std::int64_t>(cells[1]);
        standing.busy = leadingNumber<std::int64_t>(cells[2]);
        standing.isWaiting = cells[3] == "1";
        standing.limit = {cells[4], cells[5], cells[6], cells[7]};
        for (std::size_t i = 8; i + 2 < cells.size(); i += 3) {
            const auto shard = static_cast<std::size_t>(leadingNumber<std::int64_t>(cells[i]));
            standing.from[shard] = leadingNumber<std::int64_t>(cells[i + 1]);
            standing.to[shard] = leadingNumber<std::int64_t>(cells[i + 2]);
        }
        return standing;
    }

    std::int64_t concurrency() const { return leadingNumber<std::int64_t>(limit.concurrency); }
    std::int64_t free() const { return std::max<std::int64_t>(0, slots - busy); }

    static std::int64_t at(const std::map<std::size_t, std::int64_t>& counts, std::size_t shard)
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

/// One topic at a time; what is asked meanwhile waits for the next round.
class TopicSlots final : public SlotExchange, public std::enable_shared_from_this<TopicSlots> {
public:
    explicit TopicSlots(const ShardQueues& shards) : shards_(shards) {}

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
        shards_.front()->add(script("topics"), {}, {""},
                             whileAlive(*this, [](TopicSlots& self, const Result<Reply>& reply) {
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
        std::vector<Standing> standings;
        int looks = 0;
        bool isNoted = false;  ///< the others have been told who waits
        std::size_t missing = 0;
        bool isDealt = false;
        bool hasFailed = false;
    };
    using RoundPtr = std::shared_ptr<Round>;
    using Step = void (TopicSlots::*)(const RoundPtr&);

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
        look(round);
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

    /// Asks `shard`; when the last of the round's questions is answered, goes on with `next`.
    void ask(const RoundPtr& round,
             std::size_t shard,
             std::string_view name,
             const std::vector<std::string>& arguments,
             Step next,
             std::function<void(const Reply&)> told = {})
    {
        ++round->missing;
        shards_[shard]->add(script(name), {}, arguments,
                            whileAlive(*this, [round, next, told = std::move(told)](
                                                  TopicSlots& self, const Result<Reply>& reply) {
                                round->hasFailed = round->hasFailed || !reply;
                                if (reply && told) {
                                    told(*reply);
                                }
                                if (--round->missing == 0) {
                                    (self.*next)(round);
                                }
                            }));
    }

    /// Has `asks` ask what it likes; goes on with `next` when all is answered, or nothing was
    /// asked.
    template <class Asks>
    void askAll(const RoundPtr& round, Step next, Asks asks)
    {
        ++round->missing;  // so that no answer ends the step before all is asked
        asks();
        if (--round->missing == 0) {
            (this->*next)(round);
        }
    }

    void look(const RoundPtr& round)
    {
        if (round->hasFailed || ++round->looks > kMostLooks) {
            return end(round);
        }
        round->standings.assign(shards_.size(), {});
        askAll(round, &TopicSlots::judge, [&] {
            for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
                std::vector<std::string> asking;
                bool asks = false;
                for (const auto& request : round->requests) {
                    if (!round->isNoted || request.isServed || request.wanted == 0) {
                        continue;
                    }
                    asks = asks || request.shard == shard;
                    if (request.shard != shard) {
                        asking.push_back(std::to_string(request.shard));
                    }
                }
                std::vector<std::string> arguments{round->topic, asks ? "1" : "0",
                                                   std::to_string(asking.size())};
                arguments.insert(arguments.end(), asking.begin(), asking.end());
                ask(round, shard, "slots", arguments, &TopicSlots::judge,
                    [round, shard](const Reply& reply) {
                        if (auto standing = Standing::read(reply)) {
                            round->standings[shard] = std::move(*standing);
                        } else {
                            round->hasFailed = true;
                        }
                    });
            }
        });
    }

    void judge(const RoundPtr& round)
    {
        const auto& all = round->standings;
        const auto& first = all.front();
        if (round->hasFailed) {
            return end(round);
        }
        // The first shard says what the limit is: an operator's call goes there first.
        const auto isAsFirst = [&](const Standing& one) {
            return one.generation == first.generation && one.concurrency() == first.concurrency();
        };
        if (!std::all_of(all.begin(), all.end(), isAsFirst) ||
            (first.concurrency() > 0 && first.generation == "0")) {
            return renew(round);
        }
        if (first.concurrency() == 0) {
            return end(round);
        }
        if (dealt(all) == 0) {
            return deal(round);
        }
        bring(round);
    }

    /// All slots there are. Exact, though the shards were not looked at in one moment: what each
    /// has is what it began with, less what left it, and more what came.
    static std::int64_t dealt(const std::vector<Standing>& all)
    {
        std::int64_t sum = 0;
        for (const auto& one : all) {
            sum += one.slots;
            for (const auto& [shard, count] : one.to) {
                sum += count;
            }
            for (const auto& [shard, count] : one.from) {
                sum -= count;
            }
        }
        return sum;
    }

    /// Some shard has not heard of the limit, or of another one: whoever set it has not come to an
    /// end, or a shard was restored to what it was before.
    void renew(const RoundPtr& round)
    {
        std::int64_t latest = 0;
        for (const auto& one : round->standings) {
            latest = std::max(latest, leadingNumber<std::int64_t>(one.generation));
        }
        ask(round, 0, "limit", limitOf(round, latest == 0 ? "0" : std::to_string(latest + 1)),
            &TopicSlots::renewOthers, [round](const Reply& reply) {
                auto words = reply.textOrEmpty();
                round->hasFailed = words.empty() || words == "stale";
                takeField(words);  // its status
                round->standings.front().generation = takeField(words);
            });
    }

    void renewOthers(const RoundPtr& round)
    {
        if (round->hasFailed) {
            return end(round);
        }
        const auto arguments = limitOf(round, round->standings.front().generation);
        for (auto& request : round->requests) {
            request.isServed = true;  // what has changed may be enough
        }
        askAll(round, &TopicSlots::look, [&] {
            for (std::size_t shard = 1; shard < shards_.size(); ++shard) {
                ask(round, shard, "limit", arguments, &TopicSlots::look);
            }
        });
    }

    static std::vector<std::string> limitOf(const RoundPtr& round, const std::string& generation)
    {
        const auto& limit = round->standings.front().limit;
        if (limit.interval.empty()) {
            return {round->topic, "", "", "0", generation, "0", "0", "0", "1000"};
        }
        return {round->topic,      "",         "",       "0", generation, limit.interval,
                limit.concurrency, limit.jobs, limit.per};
    }

    /// Evenly, but each shard at least what it has leased.
    void deal(const RoundPtr& round)
    {
        std::vector<std::int64_t> parts;
        for (const auto& one : round->standings) {
            parts.push_back(one.busy);
        }
        auto spare = round->standings.front().concurrency() -
                     std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
        for (; spare > 0; --spare) {
            ++*std::min_element(parts.begin(), parts.end());
        }
        std::vector<std::string> arguments{round->topic, round->standings.front().generation,
                                           std::to_string(parts.size() - 1)};
        for (std::size_t shard = 1; shard < parts.size(); ++shard) {
            arguments.push_back(std::to_string(parts[shard]));
        }
        ask(round, 0, "deal_slots", arguments, &TopicSlots::lookIfDealt,
            [round](const Reply& reply) { round->isDealt = reply.textOrEmpty() == "ok"; });
    }

    void lookIfDealt(const RoundPtr& round)
    {
        if (round->isDealt) {
            return look(round);
        }
        // More is leased than the limit allows: whoever ends a lease tells, once it is noted.
        std::exchange(round->isNoted, true) ? end(round) : look(round);
    }

    /// First what is on its way, then what is free and wanted elsewhere.
    void bring(const RoundPtr& round)
    {
        const auto& all = round->standings;
        const auto& generation = all.front().generation;
        askAll(round, &TopicSlots::share, [&] {
            for (std::size_t giver = 0; giver < all.size(); ++giver) {
                for (std::size_t taker = 0; taker < all.size(); ++taker) {
                    const auto went = Standing::at(all[giver].to, taker);
                    const auto came = Standing::at(all[taker].from, giver);
                    if (went > came) {
                        take(round, giver, taker, went, &TopicSlots::share);
                    } else if (came > went) {
                        ask(round, giver, "give_slots",
                            {round->topic, generation, std::to_string(taker), "0",
                             std::to_string(came)},
                            &TopicSlots::share);
                    }
                }
            }
        });
    }

    void
    take(const RoundPtr& round, std::size_t giver, std::size_t taker, std::int64_t total, Step next)
    {
        ask(round, taker, "take_slots",
            {round->topic, round->standings.front().generation, std::to_string(giver),
             std::to_string(total)},
            next, [round, taker](const Reply& reply) {
                for (auto& request : round->requests) {
                    request.isServed =
                        request.isServed || (request.shard == taker &&
                                             leadingNumber<std::int64_t>(reply.textOrEmpty()) > 0);
                }
            });
    }

    /// What `giver` can do without. It keeps what it is about to use itself, but not from a shard
    /// that has no slot at all.
    static std::int64_t
    spare(const std::vector<Standing>& all, std::size_t giver, std::size_t taker)
    {
        const bool keeps = all[giver].isWaiting && all[taker].slots > 0;
        return giver == taker || keeps ? 0 : all[giver].free();
    }

    void share(const RoundPtr& round)
    {
        if (round->hasFailed) {
            return end(round);
        }
        auto& all = round->standings;
        askAll(round, &TopicSlots::tryAgain, [&] {
            for (const auto& request : round->requests) {
                auto left = request.isServed ? 0 : request.wanted;
                for (std::size_t giver = 0; giver < all.size(); ++giver) {
                    const auto count = std::min(left, spare(all, giver, request.shard));
                    if (count > 0) {
                        all[giver].slots -= count;
                        left -= count;
                        move(round, giver, request.shard, count);
                    }
                }
            }
        });
    }

    void move(const RoundPtr& round, std::size_t giver, std::size_t taker, std::int64_t count)
    {
        const auto& generation = round->standings.front().generation;
        ask(round, giver, "give_slots",
            {round->topic, generation, std::to_string(taker), std::to_string(count), "0"},
            &TopicSlots::tryAgain, [this, round, giver, taker](const Reply& reply) {
                if (const auto total = leadingNumber<std::int64_t>(reply.textOrEmpty());
                    total > 0) {
                    take(round, giver, taker, total, &TopicSlots::tryAgain);
                }
            });
    }

    /// Those who got nothing are noted where slots are in use; one may be free since.
    void tryAgain(const RoundPtr& round)
    {
        const bool isServed = std::all_of(
            round->requests.begin(), round->requests.end(),
            [](const SlotRequest& request) { return request.isServed || request.wanted == 0; });
        isServed || std::exchange(round->isNoted, true) ? end(round) : look(round);
    }

    const ShardQueues& shards_;
    std::map<std::string, std::vector<SlotRequest>> waiting_;
    std::map<std::string, RoundPtr> rounds_;
};

}  // namespace

LimitArguments limitArguments(const TopicLimits& limits, std::uint32_t shards)
{
    // Microseconds between two jobs of one of the shards that together keep the rate.
    constexpr double kMicros = 1'000;  // in a millisecond
    const auto& rate = limits.rate;
    const double interval = rate.count == 0 ? 0
                                            : static_cast<double>(rate.per.count()) * kMicros *
                                                  shards / static_cast<double>(rate.count);
    return {fmt::format("{:.3f}", interval), std::to_string(limits.concurrency),
            std::to_string(rate.count), std::to_string(rate.per.count())};
}

std::shared_ptr<SlotExchange> SlotExchange::make(const ShardQueues& shards)
{
    return std::make_shared<TopicSlots>(shards);
}

}  // namespace restante::redis
