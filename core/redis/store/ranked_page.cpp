#include "core/base/result_gathering.h"
#include "core/base/text.h"
#include "core/redis/store/job_scan.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/rank_split.h"
#include "core/redis/store/script.h"
#include "core/redis/store/script_queue.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace restante::redis {

namespace {

/// Two look-ups per set: below a millisecond.
constexpr std::size_t kSetsPerCommand = 200;
/// Entries looked up one by one: also below a millisecond.
constexpr std::uint64_t kEntriesPerCommand = 500;
/// With bodies of the largest size a few megabytes.
constexpr std::uint64_t kJobsPerCommand = 100;

/// A sorted set of one state, and which of its ranks are of that state.
struct RankedSet {
    std::size_t shard = 0;
    std::string name;  ///< behind the shard's prefix
    RankRange range;
};

/// The part of the page with jobs of one state.
struct StatePart {
    JobState state = JobState::Scheduled;
    std::vector<RankedSet> sets;
    std::uint64_t total = 0;
    std::uint64_t count = 0;  ///< of them on the page
    std::optional<RankSplit> split{};
    std::optional<RankMerge> merge{};
    std::vector<PageEntry> entries{};
};

/// Entries of some sets, one list a set.
using Entries = std::vector<std::vector<RankedEntry>>;
/// Ranges of some sets, one list a set.
using Ranges = std::vector<std::vector<RankRange>>;

/// Reads the answer of `ranks`, for each set: a count, then id and score of each. False: invalid.
bool readEntries(const std::vector<std::string>& texts, std::span<std::vector<RankedEntry>> into)
{
    std::size_t i = 0;
    for (auto& entries : into) {
        if (i >= texts.size()) {
            return false;
        }
        const auto count = leadingNumber<std::uint64_t>(texts[i++]);
        if (count > (texts.size() - i) / 2) {
            return false;
        }
        for (std::uint64_t n = 0; n < count; ++n, i += 2) {
            entries.push_back({texts[i], texts[i + 1], leadingNumber<double>(texts[i + 1])});
        }
    }
    return true;
}

/// The query of one page. Shared by the handlers of its answers.
class RankedPageRun : public std::enable_shared_from_this<RankedPageRun> {
public:
    RankedPageRun(const ShardAccess& store, RankQuery query, Done<RankPage> done)
        : shards_(store.queues),
          query_(std::move(query)),
          done_(std::move(done)),
          firstNotDueMs_(toEpochMs(store.clock.now()) + 1)
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
                            return self->fail(lanes.error());
                        }
                        self->measure(*lanes);
                    });
    }

private:
    bool descending() const { return query_.order == JobSearch::Order::Descending; }

    void fail(const Error& error)
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
            // Neighbours of one shard, as many as a command may name.
            const auto& sets = part.sets;
            std::size_t begin = 0;
            for (std::size_t i = 1; i <= sets.size(); ++i) {
                if (i == sets.size() || sets[i].shard != sets[begin].shard ||
                    i - begin == kSetsPerCommand) {
                    ++pending_;
                    askSpan(part, begin, i);
                    begin = i;
                }
            }
        }
        if (--pending_ == 0) {
            cutParts();
        }
    }

    void askSpan(StatePart& part, std::size_t begin, std::size_t end)
    {
        const auto bound = std::to_string(firstNotDueMs_);
        std::vector<std::string> arguments{part.state == JobState::Scheduled ? bound : "-inf",
                                           part.state == JobState::Ready ? bound : "+inf",
                                           std::to_string(end - begin)};
        for (auto i = begin; i < end; ++i) {
            arguments.push_back(part.sets[i].name);
        }
        const auto gather = [self = shared_from_this(), &part, begin,
                             end](const Result<Reply>& reply) {
            if (!reply) {
                return self->fail(reply.error());
            }
            const auto numbers = numbersOf(*reply);
            for (std::size_t i = 0; i < end - begin && 2 * i + 1 < numbers.size(); ++i) {
                part.sets[begin + i].range = {numbers[2 * i], numbers[2 * i + 1]};
            }
            if (--self->pending_ == 0) {
                self->cutParts();
            }
        };
        shards_[part.sets[begin].shard]->add(script("span"), {}, arguments, gather, end - begin);
    }

    /// Finds how many jobs of each part the page has, and begins to look for where they begin.
    void cutParts()
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
        std::uint64_t jobsBefore = 0;  // in the states before
        for (auto& part : parts_) {
            const auto rankInPart = [&](std::uint64_t rank) {
                return std::clamp(rank, jobsBefore, jobsBefore + part.total) - jobsBefore;
            };
            const auto low = rankInPart(first);
            part.count = rankInPart(first + count_) - low;
            jobsBefore += part.total;
            if (part.count > 0) {
                part.split.emplace(rangesOf(part), low);
                ++pending_;
            }
        }
        if (pending_ == 0) {
            return answer();
        }
        for (auto& part : parts_) {
            if (part.split) {
                narrowDown(part);
            }
        }
    }

    static std::vector<RankRange> rangesOf(const StatePart& part)
    {
        std::vector<RankRange> ranges;
        for (const auto& set : part.sets) {
            ranges.push_back(set.range);
        }
        return ranges;
    }

    /// Narrows down where the page begins.
    void narrowDown(StatePart& part)
    {
        if (part.split->settled()) {
            part.merge.emplace(*part.split, rangesOf(part), part.count);
            return merge(part);
        }
        Ranges wanted;
        for (const auto& ranks : part.split->samples()) {
            wanted.emplace_back();
            for (const auto rank : ranks) {
                wanted.back().push_back({rank, rank + 1});
            }
        }
        read(part, wanted, [this, &part](const Entries& entries) {
            part.split->take(entries);
            narrowDown(part);
        });
    }

    /// Reads the entries that are, or may be, on the page.
    void merge(StatePart& part)
    {
        const auto& ranges = part.merge->rangesToRead();
        if (std::all_of(ranges.begin(), ranges.end(),
                        [](const auto& range) { return range.size() == 0; })) {
            if (--pending_ == 0) {
                fetch();
            }
            return;
        }
        Ranges wanted;
        for (const auto& range : ranges) {
            wanted.emplace_back();
            if (range.size() > 0) {
                wanted.back().push_back(range);
            }
        }
        read(part, wanted, [this, &part](const Entries& entries) {
            part.merge->take(entries);
            merge(part);
        });
    }

    using Reading = ResultGathering<Entries>;

    /// Asks for the entries at those ranks of the part's sets.
    void read(const StatePart& part, const Ranges& wanted, std::function<void(const Entries&)> done)
    {
        auto reading = std::make_shared<Reading>(
            [self = shared_from_this(), done = std::move(done)](const Result<Entries>& entries) {
                entries ? done(*entries) : self->fail(entries.error());
            });
        reading->sum.resize(part.sets.size());
        std::vector<std::size_t> batch;  // sets of one command, neighbours
        std::uint64_t entries = 0;
        const auto send = [&] {
            if (!batch.empty()) {
                ++reading->awaited;
                readBatch(reading, part, wanted, batch, entries);
            }
            batch.clear();
            entries = 0;
        };
        for (std::size_t set = 0; set < wanted.size(); ++set) {
            if (wanted[set].empty()) {
                continue;
            }
            if (entries >= kEntriesPerCommand ||
                (!batch.empty() && part.sets[batch[0]].shard != part.sets[set].shard)) {
                send();
            }
            batch.push_back(set);
            for (const auto& range : wanted[set]) {
                entries += range.size();
            }
        }
        send();
    }

    /// Asks one shard for the entries of some of the sets, as indices of the part's.
    void readBatch(const std::shared_ptr<Reading>& reading,
                   const StatePart& part,
                   const Ranges& wanted,
                   const std::vector<std::size_t>& sets,
                   std::uint64_t weight)
    {
        std::vector<std::string> texts{std::to_string(sets.size())};
        for (const auto set : sets) {
            texts.push_back(part.sets[set].name);
            texts.push_back(std::to_string(wanted[set].size()));
            for (const auto& range : wanted[set]) {
                texts.push_back(std::to_string(range.low));
                texts.push_back(std::to_string(range.high));
            }
        }
        const auto gather = [reading, sets](const Result<Reply>& reply) {
            reading->take(reply, [&](Entries& sum, const Reply& ranks) {
                Entries entriesBySet(sets.size());
                if (!readEntries(textsOf(ranks), entriesBySet)) {
                    reading->error = {ErrorCode::Internal, "ranks: an answer of another length"};
                }
                for (std::size_t i = 0; i < sets.size(); ++i) {
                    sum[sets[i]] = std::move(entriesBySet[i]);
                }
            });
        };
        shards_[part.sets[sets[0]].shard]->add(script("ranks"), {}, texts, gather, weight);
    }

    void fetch()
    {
        pending_ = 1;
        for (auto& part : parts_) {
            std::vector<RankedSet> batch;
            std::uint64_t jobs = 0;
            const auto send = [&] {
                if (!batch.empty()) {
                    fetchBatch(part, batch, jobs);
                }
                batch.clear();
                jobs = 0;
            };
            const auto pageRanges = part.merge ? part.merge->page() : std::vector<RankRange>{};
            for (std::size_t i = 0; i < pageRanges.size(); ++i) {
                auto set = part.sets[i];
                for (auto low = pageRanges[i].low; low < pageRanges[i].high; low = set.range.high) {
                    if (jobs == kJobsPerCommand ||
                        (!batch.empty() && batch[0].shard != set.shard)) {
                        send();
                    }
                    set.range = {low, std::min(pageRanges[i].high, low + kJobsPerCommand - jobs)};
                    jobs += set.range.size();
                    batch.push_back(set);
                }
            }
            send();
        }
        if (--pending_ == 0) {
            answer();
        }
    }

    void fetchBatch(StatePart& part, const std::vector<RankedSet>& sets, std::uint64_t jobs)
    {
        ++pending_;
        std::vector<std::string> texts{std::to_string(query_.bodyBytes),
                                       std::to_string(sets.size())};
        for (const auto& set : sets) {
            texts.insert(texts.end(),
                         {set.name, std::to_string(set.range.low), std::to_string(set.range.high)});
        }
        const auto gather = [self = shared_from_this(), &part](const Result<Reply>& reply) {
            if (!reply) {
                return self->fail(reply.error());
            }
            auto entries = pageEntriesOf(*reply);
            std::move(entries.begin(), entries.end(), std::back_inserter(part.entries));
            if (--self->pending_ == 0) {
                self->answer();
            }
        };
        shards_[sets[0].shard]->add(script("ranked"), {}, texts, gather, jobs);
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
                // A job is twice when it was moved between sets meanwhile.
                if (page_.jobs.size() < count_ && seen.insert(entry.id).second) {
                    page_.jobs.push_back(viewOf(entry, part.state));
                    if (const auto wholeLength = wholeNumber<std::uint64_t>(entry.bodyLength)) {
                        page_.cut[entry.id] = *wholeLength;
                    }
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
        if (isInLanes(state)) {  // by its current score, because it may have been moved meanwhile
            state = entry.scoreNumber < static_cast<double>(firstNotDueMs_) ? JobState::Ready
                                                                            : JobState::Scheduled;
        }
        if (auto view = entry.read(state)) {
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
    std::int64_t firstNotDueMs_;
    std::vector<StatePart> parts_;  ///< states, ascending; not resized while answers are missing
    std::size_t pending_ = 0;       ///< answers that this step waits for
    std::uint64_t count_ = 0;       ///< jobs the page is to have
    RankPage page_;
};

}  // namespace

void pageByRank(const ShardAccess& store, RankQuery query, Done<RankPage> done)
{
    if (auto valid = check(query); !valid) {
        return store.loop.post([done = std::move(done), error = std::move(valid.error())] {
            done(tl::unexpected(error));
        });
    }
    std::make_shared<RankedPageRun>(store, std::move(query), std::move(done))->start();
}

}  // namespace restante::redis
