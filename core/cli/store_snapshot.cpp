#include "core/cli/store_snapshot.h"

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/cli/command.h"
#include "core/queue/topic_view.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace restante::cli {

namespace {

/// The topics whose oldest job is looked up; more than a person can read.
constexpr std::size_t kMostTopics = 100;
/// The leased and dead jobs of a shard whose topic is looked up.
constexpr std::uint64_t kMostCountedJobs = 1'000;
/// Rates are taken over at least this long once there are snapshots that old: long enough to be
/// steady, short enough to show recent changes.
constexpr Millis kRateWindow{10'000};
constexpr Millis kDaemonTimeout{1'000};

std::string noteOf(const TopicView& view)
{
    std::string note;
    if (view.pause) {
        note = fmt::format("paused by {}", view.pause->actor);
        note += view.pause->reason.empty() ? "" : fmt::format(": {}", view.pause->reason);
    }
    if (view.limits.concurrency > 0) {
        note += fmt::format("{}at most {} at once ({} now)", note.empty() ? "" : "; ",
                            view.limits.concurrency, view.leased.value_or(0));
    }
    if (view.limits.rate.count > 0) {
        note += fmt::format("{}at most {}", note.empty() ? "" : "; ", formatRate(view.limits.rate));
    }
    return note;
}

/// Collects the lines of a snapshot, by topic and channel.
class TopicLines {
public:
    TopicLine& findOrAdd(Channel channel, const std::string& topic)
    {
        auto& line = lines_[{topic, channel}];
        line.counts.channel = channel;
        line.counts.topic = topic;
        return line;
    }
    void setNoteAndPause(const TopicView& view)
    {
        const auto text = noteOf(view);
        const auto setLine = [&](TopicLine& line) {
            line.note = text;
            line.paused = view.pause.has_value();
        };
        bool needsLine = !text.empty();
        for (auto& [key, line] : lines_) {
            if (key.first == view.topic) {
                setLine(line);
                needsLine = false;
            }
        }
        if (needsLine) {
            setLine(findOrAdd(Channel::Pull, view.topic));  // nothing waits; it is only held back
        }
    }
    std::vector<TopicLine> take()
    {
        std::vector<TopicLine> lines;
        for (auto& [key, line] : lines_) {
            lines.push_back(std::move(line));
        }
        return lines;
    }

private:
    std::map<std::pair<std::string, Channel>, TopicLine> lines_;
};

/// How long the oldest ready job of a topic has been due; none when there is none.
Result<std::optional<Millis>> latenessOf(ConnectedStore& store, const TopicCounts& topic)
{
    const JobQuery query{
        .state = JobState::Ready, .topic = topic.topic, .channel = topic.channel, .limit = 1};
    const auto page = TRY(store.ask(&JobInspector::list, query));
    if (page.jobs.empty()) {
        return std::optional<Millis>{};
    }
    return std::optional(std::max(store.now() - page.jobs.front().due, Millis{0}));
}

/// Sets `member` of each topic; returns whether more jobs are in that state than were counted.
Result<bool> countByTopic(ConnectedStore& store,
                          StoreSnapshot& snapshot,
                          JobState state,
                          std::uint64_t TopicLine::*member,
                          TopicLines& lines)
{
    const auto total = snapshot.counts.states.at(state);
    if (total == 0) {
        return false;
    }
    const auto countedJobs = TRY(store.await<redis::JobsByTopic>([&](auto done) {
        store.activityReader().countByTopic(state, kMostCountedJobs, std::move(done));
    }));
    std::uint64_t sum = 0;
    for (const auto& [topic, jobs] : countedJobs) {
        lines.findOrAdd(topic.first, topic.second).*member = jobs;
        sum += jobs;
    }
    return sum >= kMostCountedJobs && total > sum;
}

}  // namespace

SnapshotReader::SnapshotReader(ConnectedStore& store, const Options& options)
    : store_(store),
      daemon_(options.redis.empty() ? DaemonClient::of(store.config()) : std::nullopt)
{
}

Result<StoreSnapshot> SnapshotReader::read()
{
    StoreSnapshot snapshot;
    snapshot.at = store_.now();
    snapshot.counts = TRY(store_.ask(&JobInspector::counts));
    snapshot.activity = TRY(store_.await<redis::StoreActivity>(
        [&](auto done) { store_.activityReader().activity(std::move(done)); }));
    snapshot.redis = TRY(redisInfo(store_));
    TRY(readTopics(snapshot));
    snapshot.nextLeaseEnd = TRY(store_.await<std::optional<TimePoint>>([&](auto done) {
        store_.jobStore().earliest({DueSource::Kind::Leases, Channel::Pull, {}}, std::move(done));
    }));
    askDaemon(snapshot);
    if (!snapshots_.empty() && snapshot.at < snapshots_.back().at) {
        snapshots_.clear();  // another Redis answers, whose clock is behind: no rate can be told
    }
    snapshots_.push_back(snapshot);
    while (snapshots_.size() > 2 && snapshot.at - snapshots_[1].at >= kRateWindow) {
        snapshots_.pop_front();
    }
    return snapshot;
}

Result<void> SnapshotReader::readTopics(StoreSnapshot& snapshot)
{
    const auto views = TRY(store_.ask(&JobInspector::topics));
    TopicLines lines;
    std::size_t lookedUp = 0;
    for (const auto& counts : snapshot.counts.topics) {
        auto& line = lines.findOrAdd(counts.channel, counts.topic);
        line.counts = counts;
        if (counts.ready > 0 && ++lookedUp <= kMostTopics) {
            line.late = TRY(latenessOf(store_, counts));
        }
    }
    snapshot.leasedArePart =
        TRY(countByTopic(store_, snapshot, JobState::Leased, &TopicLine::leased, lines));
    snapshot.deadArePart =
        TRY(countByTopic(store_, snapshot, JobState::Dead, &TopicLine::dead, lines));
    for (const auto& view : views) {
        lines.setNoteAndPause(view);
    }
    snapshot.topics = lines.take();
    const auto sortKey = [](const TopicLine& line) {
        return std::tuple(line.late.value_or(Millis{0}), line.counts.ready, line.leased,
                          line.counts.scheduled, line.dead);
    };
    std::ranges::stable_sort(snapshot.topics, [&](const TopicLine& a, const TopicLine& b) {
        return sortKey(a) > sortKey(b);
    });
    return {};
}

void SnapshotReader::askDaemon(StoreSnapshot& snapshot)
{
    if (!daemon_) {
        snapshot.daemonProblem =
            "not asked: --config names it, with an http.listen that has a port";
        return;
    }
    const auto answer = daemon_->get("/metrics", kDaemonTimeout);
    if (!answer) {
        snapshot.daemonProblem = answer.error().message;
    } else if (answer->status != 200) {
        constexpr int kUnauthorized = 401;
        const auto url = daemon_->url();
        const auto whyRefused = answer->status == kUnauthorized && !daemon_->tokenProblem().empty()
                                    ? ": " + daemon_->tokenProblem()
                                    : std::string();
        // The daemon may have been restarted, and we may now have a token for it.
        daemon_ = DaemonClient::of(store_.config());
        snapshot.daemonProblem =
            fmt::format("{}/metrics answers {}{}", url, answer->status, whyRefused);
    } else {
        snapshot.daemon = Scrape::parse(answer->body);
    }
}

Result<std::map<std::string, std::string>> redisInfo(ConnectedStore& store)
{
    const auto reply = TRY(store.command({"INFO"}));
    std::map<std::string, std::string> fields;
    const auto* text = reply.text();
    for (auto line : split(text == nullptr ? std::string_view{} : *text, '\n')) {
        line = line.substr(0, line.find('\r'));
        if (const auto colon = line.find(':'); colon != std::string_view::npos) {
            fields.emplace(line.substr(0, colon), line.substr(colon + 1));
        }
    }
    return fields;
}

}  // namespace restante::cli
