#include "core/redis/ranked_page.h"

#include "core/redis/keys.h"
#include "core/redis/rank_split.h"
#include "core/redis/script_queue.h"
#include "core/redis/store_answers.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace restante::redis {

namespace {

/// A split asks each set for half a dozen look-ups: below two milliseconds a command.
constexpr std::size_t kSetsPerCommand = 200;
/// With bodies of the largest size a few megabytes.
constexpr std::uint64_t kJobsPerCommand = 100;

/// A sorted set of one state, and which of its ranks are of that state.
struct RankedSet {
    std::size_t shard = 0;
    std::string name;  ///< behind the shard's prefix
    RankRange range;
};

/// What one state has on the page.
struct Part {
    JobState state = JobState::Scheduled;
    std::vector<RankedSet> sets;
    std::uint64_t total = 0;
    std::vector<std::uint64_t> first{};   ///< of each set the first rank that is on the page,
    std::vector<std::uint64_t> behind{};  ///< and the first one that is not any more
    std::vector<PageEntry> entries{};
};

/// A cut on its way: what it has asked in this round.
struct Cut {
    RankSplit split;
    const Part* part = nullptr;
    std::vector<std::uint64_t>* result = nullptr;
    std::vector<RankSplit::Answer> answers{};
    std::size_t missing = 0;
};

/// Appends how far the answer's texts from `at` on lead: rank, below, above.
RankSplit::Answer answerOf(const std::vector<std::string>& texts, std::size_t at)
{
    const auto entry = [](const std::string& id,
                          const std::string& score) -> std::optional<RankedEntry> {
        if (id.empty()) {
            return std::nullopt;
        }
        return RankedEntry{id, score, std::strtod(score.c_str(), nullptr)};
    };
    return {std::strtoull(texts[at].c_str(), nullptr, 10), entry(texts[at + 1], texts[at + 2]),
            entry(texts[at + 3], texts[at + 4])};
}
constexpr std::size_t kTextsPerAnswer = 5;

/// A page on its way. Shared by the answers it waits for.
class Run : public std::enable_shared_from_this<Run> {
public:
    Run(const ShardQueues& shards, const Clock& clock, RankQuery query, Done<RankPage> done)
        : shards_(shards),
          query_(std::move(query)),
          done_(std::move(done)),
          notYet_(toEpochMs(clock.now()) + 1)
    {
        page_.offset = query_.offset;
    }

    void start()
    {
        const auto states = statesOf(query_);
        if (std::none_of(states.begin(), states.end(), isInLanes)) {
            return measure(std::vector<Lanes>(shards_.size()));
        }
        LaneChoice choice;
        if (!query_.channels.empty()) {
            choice.channels = query_.channels;
        }
        if (!query_.topics.empty()) {
            choice.topics = query_.topics;
        }
        chooseLanes(shards_, std::move(choice),
                    [self = shared_from_this()](Result<std::vector<Lanes>> lanes) {
                        if (!lanes) {
                            return self->end(lanes.error());
                        }
                        self->measure(*lanes);
                    });
    }

private:
    bool descending() const { return query_.order == JobSearch::Order::Descending; }

    void end(const Error& error)
    {
        if (auto done = std::exchange(done_, nullptr)) {
            done(tl::unexpected(error));
        }
    }

    /// Asks which ranks of which sets are of the states.
    void measure(const std::vector<Lanes>& lanes)
    {
        for (const auto state : statesOf(query_)) {
            parts_.push_back({.state = state, .sets = {}});
            auto& sets = parts_.back().sets;
            for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
                if (!isInLanes(state)) {
                    sets.push_back({shard, std::string(setOf(state)), {}});
                    continue;
                }
                for (const auto& lane : lanes[shard]) {
                    sets.push_back({shard, "due:" + lane, {}});
                }
            }
        }
        if (descending()) {  // from here on everything ascends
            std::reverse(parts_.begin(), parts_.end());
        }
        pending_ = 1;
        for (auto& part : parts_) {
            forEachCommand(part.sets, [&](std::size_t begin, std::size_t behind) {
                ++pending_;
                askSpan(part, begin, behind);
            });
        }
        if (--pending_ == 0) {
            place();
        }
    }

    /// Calls `ask(begin, behind)` for neighbours of one shard, as many as a command may name.
    template <class Ask>
    static void forEachCommand(const std::vector<RankedSet>& sets, Ask ask)
    {
        std::size_t begin = 0;
        for (std::size_t i = 1; i <= sets.size(); ++i) {
            if (i == sets.size() || sets[i].shard != sets[begin].shard ||
                i - begin == kSetsPerCommand) {
                ask(begin, i);
                begin = i;
            }
        }
    }

    void askSpan(Part& part, std::size_t begin, std::size_t behind)
    {
        const auto bound = std::to_string(notYet_);
        const auto count = std::to_string(behind - begin);
        std::vector<std::string_view> arguments{
            part.state == JobState::Scheduled ? std::string_view(bound) : "-inf",
            part.state == JobState::Ready ? std::string_view(bound) : "+inf", count};
        for (auto i = begin; i < behind; ++i) {
            arguments.emplace_back(part.sets[i].name);
        }
        const auto gather = [self = shared_from_this(), &part, begin,
                             behind](const Result<Reply>& reply) {
            if (!reply) {
                return self->end(reply.error());
            }
            const auto numbers = numbersOf(*reply);
            for (std::size_t i = 0; i < behind - begin && 2 * i + 1 < numbers.size(); ++i) {
                part.sets[begin + i].range = {numbers[2 * i], numbers[2 * i + 1]};
            }
            if (--self->pending_ == 0) {
                self->place();
            }
        };
        shards_[part.sets[begin].shard]->add(script("span"), {}, arguments, gather, behind - begin);
    }

    /// Finds which parts the page is cut from, and cuts.
    void place()
    {
        for (auto& part : parts_) {
            std::erase_if(part.sets, [](const auto& set) { return set.range.size() == 0; });
            for (const auto& set : part.sets) {
                part.total += set.range.size();
            }
            page_.states[part.state] = part.total;
            page_.total += part.total;
        }
        const auto offset = std::min(query_.offset, page_.total);
        count_ = std::min<std::uint64_t>(query_.limit, page_.total - offset);
        const auto first = descending() ? page_.total - offset - count_ : offset;
        std::uint64_t before = 0;  // jobs in the states before
        for (auto& part : parts_) {
            const auto within = [&](std::uint64_t rank) {
                return std::clamp(rank, before, before + part.total) - before;
            };
            const auto low = within(first);
            const auto high = within(first + count_);
            before += part.total;
            if (low < high) {
                beginCut(part, low, part.first);
                beginCut(part, high, part.behind);
            }
        }
        pending_ = cuts_.size();
        if (cuts_.empty()) {
            return answer();
        }
        for (auto& cut : cuts_) {
            advance(*cut);
        }
    }

    void beginCut(const Part& part, std::uint64_t count, std::vector<std::uint64_t>& result)
    {
        std::vector<RankRange> ranges;
        for (const auto& set : part.sets) {
            ranges.push_back(set.range);
        }
        cuts_.push_back(
            std::make_unique<Cut>(Cut{RankSplit(std::move(ranges), count), &part, &result}));
    }

    void advance(Cut& cut)
    {
        if (cut.split.settled()) {
            *cut.result = cut.split.cut();
            if (--pending_ == 0) {
                fetch();
            }
            return;
        }
        const auto open = cut.split.open();
        std::vector<RankedSet> sets;
        for (const auto index : open) {
            auto set = cut.part->sets[index];
            set.range = cut.split.range(index);
            sets.push_back(std::move(set));
        }
        cut.answers.assign(sets.size(), {});
        cut.missing = 0;
        forEachCommand(sets, [&](std::size_t begin, std::size_t behind) {
            ++cut.missing;
            askSplit(cut, sets, begin, behind);
        });
    }

    void
    askSplit(Cut& cut, const std::vector<RankedSet>& sets, std::size_t begin, std::size_t behind)
    {
        const auto& pivot = cut.split.pivot();
        std::vector<std::string> texts{pivot ? pivot->score : "", pivot ? pivot->id : "",
                                       std::to_string(behind - begin)};
        addRanges(texts, sets, begin, behind);
        const auto gather = [self = shared_from_this(), &cut, begin,
                             behind](const Result<Reply>& reply) {
            if (!reply) {
                return self->end(reply.error());
            }
            const auto found = textsOf(*reply);
            if (found.size() != (behind - begin) * kTextsPerAnswer) {
                return self->end({ErrorCode::Internal, "split: an answer of another length"});
            }
            for (auto i = begin; i < behind; ++i) {
                cut.answers[i] = answerOf(found, (i - begin) * kTextsPerAnswer);
            }
            if (--cut.missing == 0) {
                cut.split.take(cut.answers);
                self->advance(cut);
            }
        };
        ask(sets[begin].shard, "split", texts, gather, behind - begin);
    }

    static void addRanges(std::vector<std::string>& texts,
                          const std::vector<RankedSet>& sets,
                          std::size_t begin,
                          std::size_t behind)
    {
        for (auto i = begin; i < behind; ++i) {
            texts.push_back(sets[i].name);
            texts.push_back(std::to_string(sets[i].range.low));
            texts.push_back(std::to_string(sets[i].range.high));
        }
    }

    void ask(std::size_t shard,
             std::string_view name,
             const std::vector<std::string>& texts,
             ScriptQueue::Answer answer,
             std::size_t weight)
    {
        const std::vector<std::string_view> arguments(texts.begin(), texts.end());
        shards_[shard]->add(script(name), {}, arguments, std::move(answer), weight);
    }

    void fetch()
    {
        pending_ = 1;
        for (auto& part : parts_) {
            std::vector<RankedSet> some;
            std::uint64_t jobs = 0;
            const auto send = [&] {
                if (!some.empty()) {
                    fetch(part, some, jobs);
                }
                some.clear();
                jobs = 0;
            };
            for (std::size_t i = 0; i < part.first.size() && i < part.behind.size(); ++i) {
                auto set = part.sets[i];
                for (auto low = part.first[i]; low < part.behind[i]; low = set.range.high) {
                    if (jobs == kJobsPerCommand || (!some.empty() && some[0].shard != set.shard)) {
                        send();
                    }
                    set.range = {low, std::min(part.behind[i], low + kJobsPerCommand - jobs)};
                    jobs += set.range.size();
                    some.push_back(set);
                }
            }
            send();
        }
        if (--pending_ == 0) {
            answer();
        }
    }

    void fetch(Part& part, const std::vector<RankedSet>& sets, std::uint64_t jobs)
    {
        ++pending_;
        std::vector<std::string> texts{std::to_string(sets.size())};
        addRanges(texts, sets, 0, sets.size());
        const auto gather = [self = shared_from_this(), &part](const Result<Reply>& reply) {
            if (!reply) {
                return self->end(reply.error());
            }
            auto entries = pageEntriesOf(*reply);
            std::move(entries.begin(), entries.end(), std::back_inserter(part.entries));
            if (--self->pending_ == 0) {
                self->answer();
            }
        };
        ask(sets[0].shard, "ranked", texts, gather, jobs);
    }

    void answer()
    {
        auto done = std::exchange(done_, nullptr);
        if (!done) {
            return;
        }
        std::set<std::string> seen;
        for (auto& part : parts_) {
            std::sort(part.entries.begin(), part.entries.end());
            for (const auto& entry : part.entries) {
                // Twice: it has moved from set to set between two commands.
                if (page_.jobs.size() < count_ && seen.insert(entry.id).second) {
                    page_.jobs.push_back(viewOf(entry, part.state));
                }
            }
        }
        if (descending()) {
            std::reverse(page_.jobs.begin(), page_.jobs.end());
        }
        done(std::move(page_));
    }

    JobView viewOf(const PageEntry& entry, JobState state) const
    {
        if (isInLanes(state)) {  // what its moment says now, should it have been moved meanwhile
            state = entry.at < static_cast<double>(notYet_) ? JobState::Ready : JobState::Scheduled;
        }
        if (auto view = entry.view(state)) {
            return std::move(*view);
        }
        JobView unreadable;
        unreadable.job.id = entry.id;
        unreadable.state = state;
        unreadable.due = timeOfScore(entry.score);
        return unreadable;
    }

    const ShardQueues& shards_;
    RankQuery query_;
    Done<RankPage> done_;  ///< empty once called
    /// Scheduled and ready share the lanes; the bound between them is the next millisecond.
    std::int64_t notYet_;
    std::vector<Part> parts_;  ///< states, ascending; not resized while answers are missing
    std::vector<std::unique_ptr<Cut>> cuts_;
    std::size_t pending_ = 0;  ///< what this step still waits for
    std::uint64_t count_ = 0;  ///< jobs the page is to have
    RankPage page_;
};

}  // namespace

void pageByRank(EventLoop& loop,
                const ShardQueues& shards,
                const Clock& clock,
                RankQuery query,
                Done<RankPage> done)
{
    if (auto sound = check(query); !sound) {
        return loop.post([done = std::move(done), error = std::move(sound.error())] {
            done(tl::unexpected(error));
        });
    }
    std::make_shared<Run>(shards, clock, std::move(query), std::move(done))->start();
}

}  // namespace restante::redis
