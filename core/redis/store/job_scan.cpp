#include "core/redis/store/job_scan.h"

#include "core/base/result_gathering.h"
#include "core/base/text.h"
#include "core/job/job_id.h"
#include "core/redis/store/ask_every_shard.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/script.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace restante::redis {

namespace {

constexpr std::array kChannels{Channel::Pull, Channel::Sip, Channel::Sms, Channel::Webhook};
/// Up to this many topics, lanes are named without listing those that exist.
constexpr std::size_t kMaxTopicsByName = 20;

void sortUnique(Lanes& lanes)
{
    std::ranges::sort(lanes);
    lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
}

Lanes lanesByName(const LaneChoice& choice)
{
    Lanes lanes;
    for (const auto& topic : *choice.topics) {
        for (const auto channel : kChannels) {
            for (int priority = 0; priority <= 9 && allows(choice.channels, channel); ++priority) {
                lanes.push_back(fmt::format("{}:{}:{}", name(channel), priority, topic));
            }
        }
    }
    sortUnique(lanes);
    return lanes;
}

bool allowsLane(const LaneChoice& choice, const std::string& name)
{
    const auto lane = Lane::parse(name);
    return lane && allows(choice.channels, lane->channel) &&
           allows(choice.topics, std::string(lane->topic));
}

using LaneScan = ResultGathering<std::vector<Lanes>>;

void scanShard(const std::shared_ptr<LaneScan>& scan,
               const ShardQueues& shards,
               std::size_t shard,
               const std::string& cursor)
{
    ++scan->awaited;
    const auto add = [&shards, scan, shard](std::vector<Lanes>& sum, const Reply& reply) {
        auto cursorAndLanes = textsOf(reply);
        if (cursorAndLanes.empty()) {
            return;
        }
        std::move(cursorAndLanes.begin() + 1, cursorAndLanes.end(), std::back_inserter(sum[shard]));
        if (cursorAndLanes.front() != "0") {
            scanShard(scan, shards, shard, cursorAndLanes.front());
        }
    };
    shards[shard]->add(script("lanes"), {}, {cursor},
                       [scan, add](const Result<Reply>& reply) { scan->take(reply, add); });
}

tl::unexpected<Error> otherSearchError()
{
    return invalidField("cursor", "belongs to another search; begin without it");
}

/// A running walk: each step sends some commands and examines their results when all are answered.
/// Shared by the handlers of the answers.
class WalkRun : public std::enable_shared_from_this<WalkRun> {
public:
    WalkRun(const ShardAccess& store, JobWalk walk, Done<ScannedJobs> done)
        : shards_(store.queues),
          clock_(store.clock),
          done_(std::move(done)),
          walk_(std::move(walk))
    {
    }
    virtual ~WalkRun() = default;

    /// Sends the next commands, or answers when there are none.
    virtual void step() = 0;

protected:
    enum class Enough { No, Yes };

    /// Counts the job, and keeps it, if it matches. `bodyLength`: of the whole body, if the view
    /// has only its beginning.
    Enough examine(Result<JobView> view, std::optional<std::uint64_t> bodyLength = {})
    {
        ++result_.examined;
        if (view && walk_.matches(*view)) {
            ++result_.counts[view->state];
            if (walk_.limit != 0) {
                cutBody(view->job, walk_.bodyBytes, result_.cut);
                if (bodyLength) {
                    result_.cut[view->job.id] = *bodyLength;
                }
                result_.jobs.push_back(std::move(*view));
            }
        }
        return isFull() ? Enough::Yes : Enough::No;
    }

    /// Takes one of `awaitedReplies_` answers; the last one ends the step.
    void gather(const Result<Reply>& reply)
    {
        if (!reply) {
            error_ = reply.error();
        }
        if (--awaitedReplies_ > 0) {
            return;
        }
        if (error_) {
            return done_(tl::unexpected(*error_));
        }
        examineStep();
        if (isFull() || result_.examined >= walk_.budget) {
            result_.cursor = cursor();
        }
        result_.cursor.empty() ? step() : done_(std::move(result_));
    }

    const ShardQueues& shards_;
    const Clock& clock_;
    Done<ScannedJobs> done_;
    std::size_t awaitedReplies_ = 0;
    ScannedJobs result_;

private:
    bool isFull() const { return walk_.limit != 0 && result_.jobs.size() >= walk_.limit; }
    /// Calls examine() for the results of the step, in order, until it is enough.
    virtual void examineStep() = 0;
    /// The cursor behind the jobs examined; empty when it is known that this is the end.
    virtual std::string cursor() const = 0;

    JobWalk walk_;
    std::optional<Error> error_;
};

/// Lanes that a command merges: with messages of the largest size that is still only a few
/// megabytes.
constexpr std::size_t kLanesPerCommand = 40;

/// The sets of one state, in groups that one command merges.
std::vector<Lanes> commandsFor(JobState state, const Lanes& lanes)
{
    if (!isInLanes(state)) {
        return {{std::string(setOf(state))}};
    }
    std::vector<Lanes> commands;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (i % kLanesPerCommand == 0) {
            commands.emplace_back();
        }
        commands.back().push_back("due:" + lanes[i]);
    }
    return commands;
}

/// State by state; each step asks all sets of the state for their next entries and merges them.
class ScanRun final : public WalkRun {
public:
    ScanRun(const ShardAccess& store, JobScan scan, Done<ScannedJobs> done)
        : WalkRun(store, scan, std::move(done)),
          scan_(std::move(scan))
    {
        for (const auto state : scan_.states) {
            result_.counts.emplace(state, 0);
        }
    }

    /// False when the cursor belongs to no such scan.
    bool resumeAt(const PageCursor& cursor)
    {
        const auto at = std::ranges::find(scan_.states, cursor.state);
        state_ = static_cast<std::size_t>(at - scan_.states.begin());
        lastEntry_ = cursor;
        return at != scan_.states.end();
    }

    void start()
    {
        lanes_.resize(shards_.size());
        if (std::ranges::none_of(scan_.states, isInLanes)) {
            return step();
        }
        chooseLanes(shards_, scan_.lanes,
                    [this, self = shared_from_this()](Result<std::vector<Lanes>> lanesByShard) {
                        if (!lanesByShard) {
                            return done_(tl::unexpected(lanesByShard.error()));
                        }
                        lanes_ = std::move(*lanesByShard);
                        step();
                    });
    }

    void step() override
    {
        entries_.clear();
        hasMore_ = false;
        for (; state_ < scan_.states.size(); ++state_) {
            std::vector<std::pair<std::size_t, Lanes>> commands;
            for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
                for (auto& sets : commandsFor(scan_.states[state_], lanes_[shard])) {
                    commands.emplace_back(shard, std::move(sets));
                }
            }
            awaitedReplies_ = commands.size();
            for (const auto& [shard, sets] : commands) {
                ask(shard, sets);
            }
            if (!commands.empty()) {
                return;
            }
        }
        done_(std::move(result_));
    }

private:
    bool descending() const { return scan_.order == JobSearch::Order::Descending; }
    /// Counting needs no bodies.
    std::uint32_t bodyBytesRead() const
    {
        return scan_.readsBody ? kWholeBody : scan_.limit == 0 ? 0 : scan_.bodyBytes;
    }

    void ask(std::size_t shard, const Lanes& sets)
    {
        const auto state = scan_.states[state_];
        // Scheduled and ready share the lanes; the bound between them is the next millisecond.
        const std::string firstScheduledMs = std::to_string(toEpochMs(clock_.now()) + 1);
        std::vector<std::string> arguments{state == JobState::Scheduled ? firstScheduledMs : "-inf",
                                           state == JobState::Ready ? firstScheduledMs : "+inf",
                                           lastEntry_.score,
                                           lastEntry_.id,
                                           descending() ? "desc" : "asc",
                                           std::to_string(scan_.entriesPerCommand),
                                           std::to_string(bodyBytesRead()),
                                           std::to_string(sets.size())};
        arguments.insert(arguments.end(), sets.begin(), sets.end());
        shards_[shard]->add(script("page"), {}, arguments,
                            [this, self = shared_from_this()](const Result<Reply>& reply) {
                                if (reply) {
                                    auto entries = pageEntriesOf(*reply);
                                    hasMore_ |= entries.size() >= scan_.entriesPerCommand;
                                    std::ranges::move(entries, std::back_inserter(entries_));
                                }
                                gather(reply);
                            });
    }

    void examineStep() override
    {
        std::sort(entries_.begin(), entries_.end(),
                  [this](const auto& a, const auto& b) { return descending() ? b < a : a < b; });
        // Only this many are certain to come first: a command that reached its limit has more.
        if (hasMore_ && entries_.size() > scan_.entriesPerCommand) {
            entries_.resize(scan_.entriesPerCommand);
        }
        const auto state = scan_.states[state_];
        for (auto& entry : entries_) {
            lastEntry_ = {state, entry.score, entry.id};
            if (examine(entry.read(state), wholeNumber<std::uint64_t>(entry.bodyLength)) ==
                Enough::Yes) {
                return;
            }
        }
        if (!hasMore_) {
            ++state_;
            lastEntry_ = {state_ < scan_.states.size() ? scan_.states[state_] : state, {}, {}};
        }
    }

    std::string cursor() const override
    {
        return state_ < scan_.states.size() ? lastEntry_.toString() : std::string();
    }

    JobScan scan_;
    std::vector<Lanes> lanes_;  ///< by shard
    std::size_t state_ = 0;     ///< index into scan_.states
    PageCursor lastEntry_;
    bool hasMore_ = false;  ///< a command reached its limit
    std::vector<PageEntry> entries_;
};

/// Jobs shown in one turn: with bodies of the largest size a few megabytes.
constexpr std::size_t kJobsPerLookup = 100;

/// A list of given ids, or the index of a shard.
struct IdSource {
    std::vector<std::string> ids;
    std::size_t shard = 0;
    std::string prefix;  ///< of the index's entries; empty: `ids` are the source
};

struct LookupCursor {
    std::size_t source = 0;
    std::string after;  ///< the last id seen, or empty

    std::string toString() const { return fmt::format("found {} {}", source, after); }
    static std::optional<LookupCursor> parse(std::string_view text)
    {
        LookupCursor cursor;
        if (takeField(text) != "found" || text.find(' ') == std::string_view::npos ||
            !readNumber(takeField(text), cursor.source)) {
            return std::nullopt;
        }
        cursor.after = text;
        return cursor.after.empty() || checkedJobId(cursor.after) ? std::optional(cursor)
                                                                  : std::nullopt;
    }
};

/// Looks up jobs source by source, some ids at a time.
class LookupRun final : public WalkRun {
public:
    LookupRun(const ShardAccess& store,
              JobLookup lookup,
              std::vector<IdSource> sources,
              LookupCursor cursor,
              Done<ScannedJobs> done)
        : WalkRun(store, std::move(lookup), std::move(done)),
          sources_(std::move(sources)),
          cursor_(std::move(cursor))
    {
    }

    void step() override
    {
        if (cursor_.source >= sources_.size()) {
            return done_(std::move(result_));
        }
        const auto& source = sources_[cursor_.source];
        if (source.prefix.empty()) {
            const auto first = std::ranges::upper_bound(source.ids, cursor_.after);
            const auto count =
                std::min<std::ptrdiff_t>(kJobsPerLookup, std::distance(first, source.ids.end()));
            return showJobs({first, first + count});
        }
        shards_[source.shard]->add(script("index"), {},
                                   {source.prefix, cursor_.after, std::to_string(kJobsPerLookup)},
                                   [this, self = shared_from_this()](const Result<Reply>& reply) {
                                       if (!reply) {
                                           return done_(tl::unexpected(reply.error()));
                                       }
                                       auto ids = textsOf(*reply);
                                       ids.erase(ids.begin(), ids.begin() + (ids.empty() ? 0 : 1));
                                       showJobs(std::move(ids));
                                   });
    }

private:
    void showJobs(std::vector<std::string> ids)
    {
        if (ids.empty()) {
            ++cursor_.source;
            cursor_.after.clear();
            return step();
        }
        ids_ = std::move(ids);
        views_.resize(ids_.size());
        awaitedReplies_ = ids_.size();
        const auto shards = static_cast<std::uint32_t>(shards_.size());
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            shards_[shardOfId(ids_[i], shards)]->add(
                script("show"), ids_[i], {ids_[i]},
                [this, self = shared_from_this(), i](const Result<Reply>& reply) {
                    // None when it has gone in the meantime, or is damaged.
                    views_[i] = shownJobOf(reply, ids_[i], clock_.now());
                    gather(reply);
                });
        }
    }

    void examineStep() override
    {
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            cursor_.after = ids_[i];
            if (examine(std::move(views_[i])) == Enough::Yes) {
                return;
            }
        }
    }

    std::string cursor() const override { return cursor_.toString(); }

    std::vector<IdSource> sources_;
    LookupCursor cursor_;
    std::vector<std::string> ids_;
    std::vector<Result<JobView>> views_;
};

std::vector<IdSource> sourcesOf(const JobLookup& lookup, std::size_t shards)
{
    std::vector<IdSource> sources;
    for (const auto& prefix : lookup.indexPrefixes) {
        for (std::size_t shard = 0; shard < shards; ++shard) {
            sources.push_back({.ids = {}, .shard = shard, .prefix = prefix});
        }
    }
    IdSource listed;
    for (const auto& id : lookup.ids) {
        if (checkedJobId(id)) {  // an invalid id has no job
            listed.ids.push_back(id);
        }
    }
    sortUnique(listed.ids);
    if (!listed.ids.empty()) {
        sources.push_back(std::move(listed));
    }
    return sources;
}

}  // namespace

std::string PageCursor::toString() const
{
    return fmt::format("{} {} {}", name(state), score, id);
}

Result<PageCursor> PageCursor::parse(std::string_view text)
{
    const auto state = jobStateNamed(takeField(text));
    if (state && text.find(' ') != std::string_view::npos) {
        std::string score(takeField(text));
        if (score.empty() && text.empty()) {
            return PageCursor{*state, {}, {}};
        }
        auto id = checkedJobId(text);
        if (wholeNumber<double>(score) && id) {
            return PageCursor{*state, std::move(score), std::move(*id)};
        }
    }
    return invalidField("cursor",
                        "is not one that a page has given; ask for the first page without one");
}

void scanLanes(const ShardQueues& shards, Done<std::vector<Lanes>> done)
{
    auto scan = std::make_shared<LaneScan>(
        [done = std::move(done)](Result<std::vector<Lanes>> lanesByShard) {
            if (lanesByShard) {
                std::ranges::for_each(*lanesByShard, sortUnique);  // SSCAN may name a member twice
            }
            done(std::move(lanesByShard));
        });
    scan->sum.resize(shards.size());
    for (std::size_t shard = 0; shard < shards.size(); ++shard) {
        scanShard(scan, shards, shard, "0");
    }
}

void chooseLanes(const ShardQueues& shards, LaneChoice choice, InlineDone<std::vector<Lanes>> done)
{
    if (choice.topics && choice.topics->size() <= kMaxTopicsByName) {
        return done(std::vector<Lanes>(shards.size(), lanesByName(choice)));
    }
    scanLanes(shards, [choice = std::move(choice),
                       done = std::move(done)](Result<std::vector<Lanes>> lanesByShard) {
        if (lanesByShard) {
            for (auto& lanes : *lanesByShard) {
                std::erase_if(lanes, [&](const auto& lane) { return !allowsLane(choice, lane); });
            }
        }
        done(std::move(lanesByShard));
    });
}

void scanJobs(const ShardAccess& store, JobScan scan, Done<ScannedJobs> done)
{
    const auto cursor = scan.cursor;
    // Contradictions such as "state:dead state:done" match nothing.
    if (scan.states.empty() || (scan.lanes.channels && scan.lanes.channels->empty()) ||
        (scan.lanes.topics && scan.lanes.topics->empty())) {
        return store.loop.post([done] { done(ScannedJobs{}); });
    }
    auto run = std::make_shared<ScanRun>(store, std::move(scan), done);
    if (!cursor.empty()) {
        const auto place = PageCursor::parse(cursor);
        if (!place || !run->resumeAt(*place)) {
            return store.loop.post(
                [done, why = place ? otherSearchError() : tl::unexpected(place.error())] {
                    done(why);
                });
        }
    }
    run->start();
}

void lookUpJobs(const ShardAccess& store, JobLookup lookup, Done<ScannedJobs> done)
{
    auto sources = sourcesOf(lookup, store.queues.size());
    LookupCursor cursor;
    if (!lookup.cursor.empty()) {
        auto parsed = LookupCursor::parse(lookup.cursor);
        if (!parsed || parsed->source >= sources.size()) {
            return store.loop.post([done = std::move(done)] { done(otherSearchError()); });
        }
        cursor = std::move(*parsed);
    }
    // Posted, because a walk without ids behind the cursor would answer at once.
    if (sources.empty() || (sources[cursor.source].prefix.empty() &&
                            sources[cursor.source].ids.back() <= cursor.after)) {
        return store.loop.post([done = std::move(done)] { done(ScannedJobs{}); });
    }
    std::make_shared<LookupRun>(store, std::move(lookup), std::move(sources), std::move(cursor),
                                std::move(done))
        ->step();
}

std::string indexPrefix(IndexQuery::Kind kind, std::string_view value)
{
    std::string prefix(kind == IndexQuery::Kind::BizKey ? "b" : "s");
    prefix.append(1, '\0').append(value).append(1, '\0');
    return prefix;
}

void countInIndex(const ShardQueues& shards, const std::string& prefix, Done<std::uint64_t> done)
{
    askEveryShard<std::uint64_t>(shards, script("index"), {prefix, "", "0"}, std::move(done),
                                 [](std::uint64_t& sum, const Reply& reply) {
                                     const auto numbers = numbersOf(reply);
                                     sum += numbers.empty() ? 0 : numbers.front();
                                 });
}

}  // namespace restante::redis
