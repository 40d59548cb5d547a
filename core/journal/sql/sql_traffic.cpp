#include "core/journal/sql/sql_traffic.h"

#include "core/base/text.h"
#include "core/journal/sql/sql_session.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

namespace restante::journal {

namespace {

constexpr std::size_t kIdsPerStatement = 500;
/// What a rate is taken over: long enough for one job a minute, short enough for "now".
constexpr Millis kLooked{300'000};
/// A daemon writes an interval at once when it is over; this is a slow database.
constexpr Millis kSlack{20'000};

std::optional<Traffic> trafficOf(std::string_view transition)
{
    if (transition == "push") {
        return Traffic::In;
    }
    const bool ends = transition == "finish" || transition == "bury" || transition == "expire";
    return ends ? std::optional{Traffic::Out} : std::nullopt;
}

/// How many of one topic, in and out.
using ByTopic = std::map<std::string, std::pair<double, double>>;

void add(ByTopic& topics, const std::string& topic, Traffic traffic, double jobs)
{
    auto& sum = topics[topic];
    (traffic == Traffic::In ? sum.first : sum.second) += jobs;
}

/// The topics of the ids, as the journal has them.
void lookUp(SqlSession& session, Traffic traffic, const TrafficJobs& moved, ByTopic& topics)
{
    add(topics, {}, traffic, static_cast<double>(moved.jobs));
    const auto share =
        static_cast<double>(moved.jobs) / static_cast<double>(std::max(moved.ids.size(), 1UL));
    for (std::size_t i = 0; i < moved.ids.size(); i += kIdsPerStatement) {
        const auto end = std::min(moved.ids.size(), i + kIdsPerStatement);
        std::map<std::string, std::string> topicOf;
        SqlStatement find("SELECT id, topic FROM message WHERE id IN ");
        for (auto& row : session.query(find.list(moved.ids, i, end), 2)) {
            topicOf[row[0]] = std::move(row[1]);
        }
        for (auto id = i; id < end; ++id) {  // some come and go again and again
            const auto found = topicOf.find(moved.ids[id]);
            if (found != topicOf.end() && !found->second.empty()) {
                add(topics, found->second, traffic, share);
            }
        }
    }
}

void add(SqlSession& session, TimePoint at, Millis every, const ByTopic& topics)
{
    constexpr std::size_t kRowsPerStatement = 500;
    const auto* const sum =
        session.dialect() == Dialect::Mysql
            ? " ON DUPLICATE KEY UPDATE pushed = pushed + VALUES(pushed), ended = ended +"
              " VALUES(ended)"
            : " ON CONFLICT (at_ms, topic) DO UPDATE SET pushed = traffic.pushed +"
              " excluded.pushed, ended = traffic.ended + excluded.ended";
    for (auto next = topics.begin(); next != topics.end();) {
        SqlStatement insert("INSERT INTO traffic (at_ms,topic,span_ms,pushed,ended) VALUES ");
        for (std::size_t i = 0; i < kRowsPerStatement && next != topics.end(); ++i, ++next) {
            const auto& [topic, jobs] = *next;
            insert.words(fmt::format("{}({},", i == 0 ? "" : ",", toEpochMs(at))).value(topic);
            insert.words(fmt::format(",{},{},{})", every.count(), std::llround(jobs.first),
                                     std::llround(jobs.second)));
        }
        session.execute(insert.words(sum));
    }
}

}  // namespace

void TrafficCounter::add(const std::vector<JournalEvent>& events)
{
    if (every_ <= Millis{0}) {
        return;
    }
    for (const auto& event : events) {
        const auto traffic = trafficOf(event.transition);
        if (!traffic || event.jobs.empty()) {
            continue;
        }
        const auto at = fromEpochMs(event.atMs - event.atMs % every_.count());
        auto& moved = counts_[{at, *traffic}];
        moved.jobs += event.jobs.size();
        for (const auto& job : event.jobs) {
            if (ids_ < kMostIds) {
                moved.ids.push_back(job.id);
                ++ids_;
            }
        }
    }
}

TrafficCounts TrafficCounter::take()
{
    ids_ = 0;
    return std::exchange(counts_, {});
}

void writeTraffic(SqlSession& session, const TrafficCounts& counts, TimePoint at, Millis every)
{
    // Looked up before the transaction, which others would have to wait for.
    std::map<TimePoint, ByTopic> intervals;
    intervals[at][{}];
    for (const auto& [when, moved] : counts) {
        lookUp(session, when.second, moved, intervals[when.first]);
    }
    SqlSession::Transaction transaction(session);
    for (const auto& [when, topics] : intervals) {
        add(session, when, every, topics);
    }
    transaction.commit();
}

Result<TrafficRates> readTraffic(SqlSession& session, TimePoint now)
{
    const auto rows = session.query(
        fmt::format("SELECT at_ms, span_ms FROM traffic WHERE topic = '' AND at_ms + span_ms <= {}"
                    " ORDER BY at_ms DESC LIMIT 1",
                    toEpochMs(now)),
        2);
    const auto last =
        rows.empty() ? TimePoint{} : fromEpochMs(leadingNumber<std::int64_t>(rows.front()[0]));
    const Millis span{rows.empty() ? 0 : leadingNumber<std::int64_t>(rows.front()[1])};
    if (rows.empty() || now - last > span * 2 + kSlack) {
        return failure(ErrorCode::NotFound,
                       "no daemon has counted just now (journal.sample_every, journal.mode)");
    }
    const auto begin = std::min(last, last + span - kLooked);
    TrafficRates rates;
    rates.until = last + span;
    const auto counted = session.query(
        fmt::format("SELECT topic, SUM(pushed), SUM(ended), SUM(span_ms), MIN(at_ms) FROM traffic"
                    " WHERE at_ms >= {} AND at_ms <= {} GROUP BY topic ORDER BY topic",
                    toEpochMs(begin), toEpochMs(last)),
        5);
    double seconds = 0;
    for (const auto& row : counted) {
        if (row[0].empty()) {  // comes first, and is there for every interval that was watched
            seconds = static_cast<double>(leadingNumber<std::int64_t>(row[3])) / 1'000.0;
            rates.from = fromEpochMs(leadingNumber<std::int64_t>(row[4]));
        }
        if (seconds > 0) {
            rates.topics[row[0]] = {
                static_cast<double>(leadingNumber<std::int64_t>(row[1])) / seconds,
                static_cast<double>(leadingNumber<std::int64_t>(row[2])) / seconds};
        }
    }
    return rates;
}

}  // namespace restante::journal
