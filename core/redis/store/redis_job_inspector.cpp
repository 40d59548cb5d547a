#include "core/redis/store/redis_job_inspector.h"

#include "core/base/text.h"
#include "core/job/job_id.h"
#include "core/queue/topic.h"
#include "core/queue/topic_view.h"
#include "core/redis/client/connection.h"
#include "core/redis/store/ask_every_shard.h"
#include "core/redis/store/job_scan.h"
#include "core/redis/store/keys.h"
#include "core/redis/store/mailbox_walk.h"
#include "core/redis/store/script.h"
#include "core/redis/store/store_answers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace restante::redis {

namespace {

/// Entries a command reads: with bodies of the largest size a few megabytes.
constexpr std::uint32_t kEntriesPerRead = 100;
constexpr std::uint32_t kMostPerPage = 1'000;
/// With less than one step a search would not progress.
constexpr std::uint32_t kLeastBudget = kEntriesPerRead;

std::function<bool(const JobView&)> matcherOf(const JobQuery& query)
{
    return [query](const JobView& view) {
        const auto& job = view.job;
        const auto fits = [](const std::string& wanted, const std::string& actual) {
            return wanted.empty() || wanted == actual;
        };
        return fits(query.topic, job.topic) && (!query.channel || *query.channel == job.channel) &&
               fits(query.recipient, job.recipient) && fits(query.sender, job.sender) &&
               fits(query.bizKey, job.bizKey);
    };
}

/// The states that are asked for and that the filter allows, in the order of the search.
std::vector<JobState> statesOf(const JobSearch& search, const FilterPlan& plan)
{
    std::vector<JobState> states;
    for (const auto state : kJobStates) {
        const bool wanted =
            search.states.empty() || std::ranges::find(search.states, state) != search.states.end();
        if (wanted && allows(plan.states, state)) {
            states.push_back(state);
        }
    }
    if (search.order == JobSearch::Order::Descending) {
        std::reverse(states.begin(), states.end());
    }
    return states;
}

bool isCountable(const FilterPlan& plan)
{
    return plan.exact && !plan.scans && !plan.ids && !plan.bizKeys;
}

/// The count from the cardinalities of the sets.
JobCount
countOf(const StoreCounts& counts, const std::vector<JobState>& states, const FilterPlan& plan)
{
    JobCount count;
    for (const auto state : states) {
        count.states[state] = plan.topics || plan.channels ? 0 : counts.states.at(state);
    }
    const bool byTopic = plan.topics || plan.channels;
    for (const auto& topic : counts.topics) {
        if (byTopic && allows(plan.topics, topic.topic) && allows(plan.channels, topic.channel)) {
            const auto add = [&](JobState state, std::uint64_t number) {
                if (const auto sum = count.states.find(state); sum != count.states.end()) {
                    sum->second += number;
                }
            };
            add(JobState::Scheduled, topic.scheduled);
            add(JobState::Ready, topic.ready);
        }
    }
    return count;
}

Done<ScannedJobs> toJobPage(Done<JobPage> done)
{
    return mapped<ScannedJobs>(std::move(done), [](ScannedJobs&& found) {
        return JobPage{std::move(found.jobs), std::move(found.cursor)};
    });
}

}  // namespace

RedisJobInspector::RedisJobInspector(EventLoop& loop,
                                     Connection& connection,
                                     const Clock& clock,
                                     Settings settings)
    : loop_(loop),
      connection_(connection),
      clock_(clock),
      settings_(std::move(settings)),
      shards_(
          shardQueues(loop, connection, clock, settings_.prefix, settings_.shards, settings_.gate))
{
}

RedisJobInspector::~RedisJobInspector() = default;

void RedisJobInspector::show(std::string id, Done<JobView> done)
{
    const auto shards = static_cast<std::uint32_t>(shards_.size());
    shards_[shardOfId(id, shards)]->add(
        script("show"), id, {id}, [this, id, done = std::move(done)](const Result<Reply>& reply) {
            done(shownJobOf(reply, id, clock_.now()));
        });
}

void RedisJobInspector::mailboxes(MailboxQuery query, Done<MailboxPage> done)
{
    listMailboxes({loop_, shards_, clock_}, std::move(query), std::move(done));
}

void RedisJobInspector::mailbox(MailboxRequest request, Done<MailboxContent> done)
{
    readMailbox(shards_, std::move(request), std::move(done));
}

void RedisJobInspector::ranked(RankQuery query, Done<RankPage> done)
{
    pageByRank({loop_, shards_, clock_}, std::move(query), std::move(done));
}

void RedisJobInspector::list(JobQuery query, Done<JobPage> done)
{
    JobScan scan;
    scan.matches = matcherOf(query);
    scan.states = query.state ? std::vector{*query.state}
                              : std::vector<JobState>(kJobStates.begin(), kJobStates.end());
    if (!query.topic.empty()) {
        scan.lanes.topics = {query.topic};
    }
    if (query.channel) {
        scan.lanes.channels = {*query.channel};
    }
    scan.cursor = std::move(query.cursor);
    scan.limit = std::clamp(query.limit, 1U, kMostPerPage);
    scan.entriesPerCommand = std::min(scan.limit, kEntriesPerRead);
    scanJobs({loop_, shards_, clock_}, std::move(scan), toJobPage(std::move(done)));
}

void RedisJobInspector::examineJobs(const JobSearch& search,
                                    std::uint32_t mostFound,
                                    Done<ScannedJobs> done)
{
    const auto plan = search.filter.plan();
    const auto states = statesOf(search, plan);
    const auto now = clock_.now();
    const auto budget = std::max(search.budget, kLeastBudget);
    if (plan.ids || plan.bizKeys) {
        JobLookup lookup;
        if (plan.ids) {
            lookup.ids = *plan.ids;
        } else {
            for (const auto& key : *plan.bizKeys) {
                lookup.indexPrefixes.push_back(indexPrefix(IndexQuery::Kind::BizKey, key));
            }
        }
        lookup.matches = [filter = search.filter, states, now](const JobView& view) {
            return std::find(states.begin(), states.end(), view.state) != states.end() &&
                   filter.matches(view, now);
        };
        lookup.cursor = search.cursor;
        lookup.limit = mostFound;
        lookup.bodyBytes = search.bodyBytes;
        lookup.budget = budget;
        return lookUpJobs({loop_, shards_, clock_}, std::move(lookup), std::move(done));
    }
    JobScan scan;
    scan.matches = [filter = search.filter, now](const JobView& view) {
        return filter.matches(view, now);
    };
    scan.states = states;
    scan.lanes = {plan.channels, plan.topics};
    scan.order = search.order;
    scan.cursor = search.cursor;
    scan.limit = mostFound;
    scan.bodyBytes = search.bodyBytes;
    scan.readsBody = plan.readsBody || plan.readsSize;
    scan.entriesPerCommand = isCountable(plan) && mostFound != 0
                                 ? std::min(mostFound, kEntriesPerRead)
                                 : kEntriesPerRead;
    scan.budget = budget;
    scanJobs({loop_, shards_, clock_}, std::move(scan), std::move(done));
}

void RedisJobInspector::search(JobSearch search, Done<SearchPage> done)
{
    examineJobs(search, std::clamp(search.limit, 1U, kMostPerPage),
                mapped<ScannedJobs>(std::move(done), [](ScannedJobs&& found) {
                    return SearchPage{std::move(found.jobs), std::move(found.cursor),
                                      found.examined, std::move(found.cut)};
                }));
}

void RedisJobInspector::count(JobSearch search, Done<JobCount> done)
{
    const auto plan = search.filter.plan();
    const auto states = statesOf(search, plan);
    if (isCountable(plan) && search.cursor.empty()) {
        return counts(mapped<StoreCounts>(std::move(done), [states, plan](StoreCounts&& counts) {
            return countOf(counts, states, plan);
        }));
    }
    examineJobs(
        search, 0, mapped<ScannedJobs>(std::move(done), [states](ScannedJobs&& found) {
            for (const auto state : states) {
                found.counts.try_emplace(state, 0);
            }
            return JobCount{std::move(found.counts), std::move(found.cursor), found.examined};
        }));
}

void RedisJobInspector::indexed(IndexQuery query, Done<JobPage> done)
{
    JobLookup lookup;
    lookup.indexPrefixes = {indexPrefix(query.kind, query.value)};
    lookup.matches = [](const JobView&) { return true; };
    lookup.cursor = std::move(query.cursor);
    lookup.limit = std::clamp(query.limit, 1U, kMostPerPage);
    lookUpJobs({loop_, shards_, clock_}, std::move(lookup), toJobPage(std::move(done)));
}

void RedisJobInspector::countIndexed(IndexQuery::Kind kind,
                                     std::string value,
                                     Done<std::uint64_t> done)
{
    countInIndex(shards_, indexPrefix(kind, value), std::move(done));
}

namespace {

/// Each lane takes two cheap look-ups. As many of them are a call of their own.
constexpr std::size_t kLanesPerCount = 200;

constexpr std::array kSetStates{JobState::Leased, JobState::Held, JobState::Dead, JobState::Trashed,
                                JobState::Done};

using ChannelTopic = std::pair<Channel, std::string>;

/// "pull:5:order"
ChannelTopic channelTopicOf(const std::string& lane)
{
    const auto colon = lane.find(':');
    return {channelNamed(lane.substr(0, colon)).value_or(Channel::Pull), lane.substr(colon + 3)};
}

template <class Number>
Number takeNumber(std::string_view& rest, char separator = ' ')
{
    return leadingNumber<Number>(takeField(rest, separator));
}

/// "<since ms>\n<by>\n<why>"
TopicPause pauseOf(std::string_view text)
{
    TopicPause pause;
    pause.since = fromEpochMs(takeNumber<std::int64_t>(text, '\n'));
    pause.actor = takeField(text, '\n');
    pause.reason = text;
    return pause;
}

void addLimits(TopicView& view, std::string_view text)
{
    const auto leased = takeNumber<std::uint64_t>(text);
    view.limits.concurrency = takeNumber<std::uint32_t>(text);
    view.limits.rate.count = takeNumber<std::uint32_t>(text);
    view.limits.rate.per = Millis{takeNumber<std::int64_t>(text)};
    if (view.limits.concurrency > 0) {
        view.leased = view.leased.value_or(0) + leased;
    }
}

/// The earliest one counts: the shards were paused one after the other.
void addPause(TopicView& view, std::string_view text)
{
    auto pause = pauseOf(text);
    if (!view.pause || pause.since < view.pause->since) {
        view.pause = std::move(pause);
    }
}

template <class Key, class View>
std::vector<View> valuesOf(std::map<Key, View>&& views)
{
    std::vector<View> values;
    for (auto& [key, view] : views) {
        values.push_back(std::move(view));
    }
    return values;
}

}  // namespace

/// What the lanes and sets asked so far have counted: the sum of several answers.
struct RedisJobInspector::PartialCounts {
    StoreCounts counts;
    std::map<ChannelTopic, TopicCounts> topics;

    void addSets(const std::vector<std::uint64_t>& numbers)
    {
        for (std::size_t i = 0; i < kSetStates.size(); ++i) {
            counts.states[kSetStates[i]] += numbers[i];
        }
        counts.mailboxes += numbers[kSetStates.size()];
    }
    void addLane(const std::string& lane, std::uint64_t scheduled, std::uint64_t ready)
    {
        counts.states[JobState::Scheduled] += scheduled;
        counts.states[JobState::Ready] += ready;
        if (scheduled + ready == 0) {
            return;
        }
        const ChannelTopic topic = channelTopicOf(lane);
        auto& sum = topics[topic];
        sum.channel = topic.first;
        sum.topic = topic.second;
        sum.scheduled += scheduled;
        sum.ready += ready;
    }
};

void RedisJobInspector::counts(Done<StoreCounts> done)
{
    scanLanes(shards_, [this, done = std::move(done)](Result<std::vector<Lanes>> lanesByShard) {
        if (!lanesByShard) {
            return done(tl::unexpected(lanesByShard.error()));
        }
        const auto counting =
            std::make_shared<Counting>(mapped<PartialCounts>(done, [](PartialCounts&& sum) {
                sum.counts.topics = valuesOf(std::move(sum.topics));
                return std::move(sum.counts);
            }));
        for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
            count(counting, shard, {});  // the sets that are not lanes
            Lanes batch;
            for (auto& lane : (*lanesByShard)[shard]) {
                batch.push_back(std::move(lane));
                if (batch.size() == kLanesPerCount) {
                    count(counting, shard, std::exchange(batch, {}));
                }
            }
            if (!batch.empty()) {
                count(counting, shard, std::move(batch));
            }
        }
    });
}

void RedisJobInspector::count(const std::shared_ptr<Counting>& counting,
                              std::size_t shard,
                              Lanes lanes)
{
    ++counting->awaited;
    std::vector<std::string> arguments{std::to_string(lanes.size())};
    arguments.insert(arguments.end(), lanes.begin(), lanes.end());
    const auto add = [lanes = std::move(lanes)](PartialCounts& sum, const Reply& reply) {
        constexpr std::size_t kSets = kSetStates.size() + 1;
        const auto numbers = numbersOf(reply);
        if (numbers.size() >= kSets && lanes.empty()) {
            sum.addSets(numbers);
        }
        for (std::size_t i = 0; kSets + 2 * i + 1 < numbers.size(); ++i) {
            sum.addLane(lanes[i], numbers[kSets + 2 * i], numbers[kSets + 2 * i + 1]);
        }
    };
    const auto weight = 1 + (arguments.size() - 1) * ScriptQueue::kJobsPerCall / kLanesPerCount;
    shards_[shard]->add(
        script("counts"), {}, arguments,
        [counting, add](const Result<Reply>& reply) { counting->take(reply, add); }, weight);
}

/// Reads the counts, then pauses and limits from each shard.
void RedisJobInspector::topics(Done<std::vector<TopicView>> done)
{
    counts([this, done = std::move(done)](Result<StoreCounts> counts) {
        if (!counts) {
            return done(tl::unexpected(std::move(counts.error())));
        }
        using Views = std::map<std::string, TopicView>;
        auto views = std::make_shared<Views>();
        for (auto& topic : counts->topics) {
            (*views)[topic.topic].channels.push_back(topic);
        }
        askEveryShard<NoValue>(
            shards_, script("topics"), {""},
            [views, done](const Result<NoValue>& asked) {
                for (auto& [topic, view] : *views) {
                    view.topic = topic;
                }
                done(asked.map([&](NoValue) { return valuesOf(std::move(*views)); }));
            },
            [views](NoValue&, const Reply& reply) {
                const auto texts = textsOf(reply);
                for (std::size_t i = 0; i + 3 <= texts.size(); i += 3) {
                    auto& view = (*views)[texts[i + 1]];
                    texts[i] == "pause" ? addPause(view, texts[i + 2])
                                        : addLimits(view, texts[i + 2]);
                }
            });
    });
}

namespace {

constexpr std::string_view kKeysPerScan = "1000";
constexpr std::string_view kFieldsPerScan = "1000";

/// Parses the name of a hash, "<onceFor ms>:<generation>", after the shard's prefix and "once:".
std::optional<OnceKey> parseOnceHash(std::string_view name)
{
    const auto colon = name.find(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    const auto ms = leadingNumber<std::int64_t>(name.substr(0, colon));
    const auto generation = leadingNumber<std::int64_t>(name.substr(colon + 1));
    if (ms < 1 || generation < 0) {
        return std::nullopt;
    }
    return OnceKey{.onceFor = Millis{ms}, .since = fromEpochMs(ms * generation)};
}

/// Goes through the hashes of once keys, shard by shard.
class OnceKeyScan : public std::enable_shared_from_this<OnceKeyScan> {
public:
    using OnBatch = std::function<void(std::vector<OnceKey>)>;

    OnceKeyScan(Connection& connection,
                RedisJobInspector::Settings settings,
                OnBatch onBatch,
                Done<void> done)
        : connection_(connection),
          settings_(std::move(settings)),
          onBatch_(std::move(onBatch)),
          done_(std::move(done))
    {
    }

    void nextShard()
    {
        if (shard_ == settings_.shards) {
            return done_({});
        }
        keyPrefix_ = shardPrefix(settings_.prefix, shard_++) + "once:";
        cursor_ = "0";
        scan();
    }

private:
    using Step = void (OnceKeyScan::*)(std::vector<std::string>);

    Done<Reply> then(Step step)
    {
        return [self = shared_from_this(), step](const Result<Reply>& reply) {
            auto page = reply.and_then(&scanPageOf);
            if (!page) {
                return self->done_(tl::unexpected(page.error()));
            }
            self->cursor_ = page->cursor;
            (self.get()->*step)(std::move(page->texts));
        };
    }

    void scan()
    {
        connection_.command(
            {"SCAN", cursor_, "MATCH", keyPrefix_ + "*", "COUNT", kKeysPerScan, "TYPE", "hash"},
            then(&OnceKeyScan::onKeys));
    }

    void onKeys(std::vector<std::string> keys)
    {
        std::ranges::move(keys, std::back_inserter(hashes_));
        if (cursor_ != "0") {
            return scan();
        }
        // SCAN may name a key twice.
        std::ranges::sort(hashes_, std::greater<>());
        hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
        readHash();
    }

    /// Reads on in the last hash of the list; cursor_ is "0" at its beginning.
    void readHash()
    {
        if (hashes_.empty()) {
            return nextShard();
        }
        connection_.command({"HSCAN", hashes_.back(), cursor_, "COUNT", kFieldsPerScan},
                            then(&OnceKeyScan::onFields));
    }

    void onFields(std::vector<std::string> texts)
    {
        const auto prototype =
            parseOnceHash(std::string_view(hashes_.back()).substr(keyPrefix_.size()));
        for (std::size_t i = 0; prototype && i + 1 < texts.size(); i += 2) {
            OnceKey once = *prototype;
            once.key = std::move(texts[i]);
            once.id = std::move(texts[i + 1]);
            onceKeys_.push_back(std::move(once));
        }
        if (cursor_ != "0") {
            return readHash();
        }
        std::ranges::sort(onceKeys_, {}, &OnceKey::key);
        const auto same = [](const OnceKey& a, const OnceKey& b) { return a.key == b.key; };
        onceKeys_.erase(std::unique(onceKeys_.begin(), onceKeys_.end(), same), onceKeys_.end());
        hashes_.pop_back();
        if (auto batch = std::exchange(onceKeys_, {}); !batch.empty()) {
            onBatch_(std::move(batch));
        }
        readHash();
    }

    Connection& connection_;
    RedisJobInspector::Settings settings_;
    OnBatch onBatch_;
    Done<void> done_;
    std::uint32_t shard_ = 0;
    std::string keyPrefix_;
    std::string cursor_;
    std::vector<std::string> hashes_;
    std::vector<OnceKey> onceKeys_;
};

}  // namespace

void RedisJobInspector::onceKeys(std::function<void(std::vector<OnceKey>)> onBatch, Done<void> done)
{
    std::make_shared<OnceKeyScan>(connection_, settings_, std::move(onBatch), std::move(done))
        ->nextShard();
}

}  // namespace restante::redis
