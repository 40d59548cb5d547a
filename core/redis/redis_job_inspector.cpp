#include "core/redis/redis_job_inspector.h"

#include "core/job/job_id.h"
#include "core/redis/keys.h"
#include "core/redis/page_cursor.h"
#include "core/redis/script_queue.h"
#include "core/redis/store_answers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace restante::redis {

namespace {

constexpr std::array kStates{JobState::Scheduled, JobState::Ready, JobState::Leased,
                             JobState::Held,      JobState::Dead,  JobState::Trashed,
                             JobState::Done};
constexpr std::array kChannels{Channel::Pull, Channel::Sip, Channel::Sms, Channel::Webhook};

/// Entries a command reads, and lanes it merges: with messages of the largest size that is still
/// only a few megabytes.
constexpr std::uint32_t kEntriesPerCommand = 100;
constexpr std::size_t kLanesPerCommand = 40;

bool isInLanes(JobState state)
{
    return state == JobState::Scheduled || state == JobState::Ready;
}

std::string setOf(JobState state)
{
    switch (state) {
    case JobState::Leased: return "lease";
    case JobState::Trashed: return "trash";
    default: return std::string(name(state));
    }
}

bool matches(const JobQuery& query, const Job& job)
{
    const auto fits = [](const std::string& wanted, const std::string& is) {
        return wanted.empty() || wanted == is;
    };
    return fits(query.topic, job.topic) && (!query.channel || *query.channel == job.channel) &&
           fits(query.recipient, job.recipient) && fits(query.sender, job.sender) &&
           fits(query.bizKey, job.bizKey);
}

/// The lanes of one topic, without asking.
Lanes lanesOfTopic(const JobQuery& query)
{
    Lanes lanes;
    for (const auto channel : kChannels) {
        for (int priority = 0; priority <= 9 && query.channel.value_or(channel) == channel;
             ++priority) {
            lanes.push_back(fmt::format("{}:{}:{}", name(channel), priority, query.topic));
        }
    }
    return lanes;
}

/// One state's sets, cut into what one command merges.
std::vector<Lanes> commandsFor(JobState state, const Lanes& lanes)
{
    if (!isInLanes(state)) {
        return {{setOf(state)}};
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

}  // namespace

/// A list() on its way: state by state, command by command.
struct RedisJobInspector::Listing {
    JobQuery query;
    Done<JobPage> done;
    std::vector<Lanes> lanes;  ///< by shard; read once, if a state needs them
    std::size_t state = 0;     ///< index into kStates
    PageCursor behind;
    std::size_t missing = 0;  ///< answers to the commands of this step
    bool more = false;        ///< a command was cut off at its limit
    std::vector<PageEntry> entries;
    std::optional<Error> error;
    JobPage page;

    std::uint32_t limit() const { return std::clamp(query.limit, 1U, 1'000U); }
    std::uint32_t step() const { return std::min(limit(), kEntriesPerCommand); }
    bool wants(JobState one) const { return !query.state || *query.state == one; }
    void take();
    void answer(std::string cursor)
    {
        page.cursor = std::move(cursor);
        done(std::move(page));
    }
};

RedisJobInspector::RedisJobInspector(EventLoop& loop,
                                     Connection& connection,
                                     const Clock& clock,
                                     Settings settings)
    : loop_(loop),
      clock_(clock)
{
    for (std::uint32_t shard = 0; shard < settings.shards; ++shard) {
        shards_.push_back(std::make_unique<ScriptQueue>(
            loop, connection, clock,
            ScriptQueue::Settings{.shardPrefix = shardPrefix(settings.prefix, shard)}));
    }
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

void RedisJobInspector::list(JobQuery query, Done<JobPage> done)
{
    auto listing = std::make_shared<Listing>();
    listing->query = std::move(query);
    listing->done = std::move(done);
    if (const auto& text = listing->query.cursor; !text.empty()) {
        auto cursor = PageCursor::parse(text);
        if (!cursor) {
            return loop_.post(
                [listing, error = cursor.error()] { listing->done(tl::unexpected(error)); });
        }
        listing->behind = std::move(*cursor);
        const auto* at = std::find(kStates.begin(), kStates.end(), listing->behind.state);
        listing->state = static_cast<std::size_t>(at - kStates.begin());
    }
    if (!listing->query.topic.empty() ||
        (listing->query.state && !isInLanes(*listing->query.state))) {
        listing->lanes.assign(shards_.size(), lanesOfTopic(listing->query));
        return listState(std::move(listing));
    }
    scanLanes(shards_, [this, listing](Result<std::vector<Lanes>> found) {
        if (!found) {
            return listing->done(tl::unexpected(found.error()));
        }
        listing->lanes = std::move(*found);
        listState(listing);
    });
}

void RedisJobInspector::listState(std::shared_ptr<Listing> listing)
{
    listing->entries.clear();
    listing->more = false;
    for (; listing->state < kStates.size(); ++listing->state) {
        const JobState state = kStates[listing->state];
        std::vector<std::pair<std::size_t, Lanes>> commands;
        for (std::size_t shard = 0; shard < shards_.size() && listing->wants(state); ++shard) {
            for (auto& sets : commandsFor(state, listing->lanes[shard])) {
                commands.emplace_back(shard, std::move(sets));
            }
        }
        listing->missing = commands.size();
        for (const auto& [shard, sets] : commands) {
            ask(listing, shard, sets);
        }
        if (!commands.empty()) {
            return;
        }
    }
    listing->answer({});
}

void RedisJobInspector::ask(const std::shared_ptr<Listing>& listing,
                            std::size_t shard,
                            const Lanes& sets)
{
    const JobState state = kStates[listing->state];
    // Scheduled and ready share the lanes; the bound between them is the next millisecond.
    const std::string notYet = std::to_string(toEpochMs(clock_.now()) + 1);
    const std::string limit = std::to_string(listing->step());
    const std::string count = std::to_string(sets.size());
    std::vector<std::string_view> arguments{
        state == JobState::Scheduled ? std::string_view(notYet) : "-inf",
        state == JobState::Ready ? std::string_view(notYet) : "+inf",
        listing->behind.score,
        listing->behind.id,
        limit,
        count};
    arguments.insert(arguments.end(), sets.begin(), sets.end());
    shards_[shard]->add(script("page"), {}, arguments,
                        [this, listing](const Result<Reply>& reply) { gather(listing, reply); });
}

void RedisJobInspector::gather(const std::shared_ptr<Listing>& listing, const Result<Reply>& reply)
{
    if (!reply) {
        listing->error = reply.error();
    } else {
        auto entries = pageEntriesOf(*reply);
        listing->more |= entries.size() >= listing->step();
        std::move(entries.begin(), entries.end(), std::back_inserter(listing->entries));
    }
    if (--listing->missing > 0) {
        return;
    }
    if (listing->error) {
        return listing->done(tl::unexpected(*listing->error));
    }
    listing->take();
    if (listing->page.jobs.size() >= listing->limit()) {
        return listing->answer(listing->behind.print());
    }
    listState(listing);
}

void RedisJobInspector::Listing::take()
{
    std::sort(entries.begin(), entries.end());
    // Only so many are certain to be the first: a command that was cut off has more behind them.
    if (more && entries.size() > step()) {
        entries.resize(step());
    }
    for (auto& entry : entries) {
        behind = {kStates[state], entry.score, entry.id};
        auto view = entry.view(kStates[state]);
        if (view && matches(query, view->job)) {
            page.jobs.push_back(std::move(*view));
        }
        if (page.jobs.size() >= limit()) {
            return;
        }
    }
    if (!more) {
        ++state;
        behind = {};
    }
}

}  // namespace restante::redis
