#include "core/journal/sql/sql_statistics.h"

#include "core/base/text.h"
#include "core/journal/sql/sql_session.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

namespace restante::journal {

namespace {

constexpr std::uint32_t kMostTransitionsPerPart = 1'000'000;

/// The last id of this part; empty = it is the last part.
std::string lastIdOf(SqlSession& session, const ThroughputQuery& query)
{
    SqlStatement find("SELECT id FROM transition WHERE id > ");
    find.value(query.after).append(fmt::format(" ORDER BY id LIMIT 1 OFFSET {}", query.most - 1));
    const auto rows = session.query(find, 1);
    return rows.empty() ? std::string() : rows.front().front();
}

/// Whether the query is restricted to a topic or a channel.
bool isRestricted(const auto& query)
{
    return !query.topic.empty() || !query.channel.empty();
}

void addTopicAndChannel(SqlStatement& condition, std::string_view table, const auto& query)
{
    if (!query.topic.empty()) {
        condition.append(fmt::format(" AND {}.topic = ", table)).value(query.topic);
    }
    if (!query.channel.empty()) {
        condition.append(fmt::format(" AND {}.channel = ", table)).value(query.channel);
    }
}

/// Selects transitions in the window that match the topic and channel; the others are not counted,
/// but show how far the journal reaches.
void addCondition(SqlStatement& statement, const ThroughputQuery& query)
{
    statement.append(fmt::format("t.at_ms >= {} AND t.at_ms < {}", toEpochMs(query.begin),
                                 toEpochMs(query.end)));
    addTopicAndChannel(statement, "m", query);
}

/// Counts jobs by step and transition.
SqlStatement countStatement(const ThroughputQuery& query, const std::string& last)
{
    SqlStatement count(
        "SELECT step_ms, move, COUNT(*), MIN(at_ms), MAX(at_ms) FROM (SELECT CASE WHEN ");
    addCondition(count, query);
    count.append(fmt::format(" THEN t.at_ms - t.at_ms % {} ELSE -1 END AS step_ms, CASE WHEN ",
                             query.step.count()));
    addCondition(count, query);
    count.append(" THEN t.transition ELSE '' END AS move, t.at_ms AS at_ms FROM transition t");
    count.append(isRestricted(query) ? " LEFT JOIN message m ON m.id = t.id" : "");
    count.append(" WHERE t.id > ").value(query.after);
    if (!last.empty()) {
        count.append(" AND t.id <= ").value(last);
    }
    return count.append(") AS examined GROUP BY step_ms, move");
}

/// Well above what the console's charts ask for: 31 days in steps of an hour are 744.
constexpr std::int64_t kMostSteps = 2'000;
/// The maximum of `journal.sample_every`: a sample that began earlier than this before a window
/// does not reach into it.
constexpr std::int64_t kLongestSpanMs = 3'600'000;

constexpr std::string_view kSampleColumns =
    "at_ms,topic,channel,span_ms,all_topics,ready,scheduled,leased,held,dead,late_p50_ms,"
    "late_p95_ms,late_p99_ms";

void addRow(SqlStatement& insert, const BacklogSample& sample, const TopicBacklog& backlog)
{
    const auto late = [&](Millis LatenessPercentiles::*percentile) {
        return backlog.lateness ? std::to_string(((*backlog.lateness).*percentile).count())
                                : "NULL";
    };
    insert.append(fmt::format("({},", toEpochMs(sample.at))).value(backlog.topic).append(",");
    insert.value(backlog.channel)
        .append(fmt::format(",{},{},{},{},{},{},{},{},{},{})", sample.span.count(),
                            sample.allTopics ? 1 : 0, backlog.ready, backlog.scheduled,
                            backlog.leased, backlog.held, backlog.dead,
                            late(&LatenessPercentiles::p50), late(&LatenessPercentiles::p95),
                            late(&LatenessPercentiles::p99)));
}

/// Returns how many of the rows are new.
std::int64_t insertNew(SqlSession& session,
                       const BacklogSample& sample,
                       const std::vector<TopicBacklog>& backlogs)
{
    // keepExistingClause() would not do: with it MySQL counts a row that stays as changed.
    const bool mysql = session.dialect() == Dialect::Mysql;
    SqlStatement insert(
        fmt::format("INSERT {}INTO sample ({}) VALUES ", mysql ? "IGNORE " : "", kSampleColumns));
    for (const auto& backlog : backlogs) {
        insert.append(&backlog == &backlogs.front() ? "" : ",");
        addRow(insert, sample, backlog);
    }
    return session.execute(insert.append(mysql ? "" : " ON CONFLICT DO NOTHING"));
}

TimePoint timeOf(std::string_view text)
{
    return fromEpochMs(std::llround(wholeNumber<double>(text).value_or(0)));
}

std::string windowCondition(const BacklogQuery& query)
{
    const auto begin = toEpochMs(query.begin);
    return fmt::format("w.topic = '' AND w.channel = '' AND w.at_ms >= {} AND w.at_ms < {} AND "
                       "w.at_ms + w.span_ms > {}",
                       begin - kLongestSpanMs, toEpochMs(query.end), begin);
}

/// Selects the samples of the whole store.
void selectWholeStoreSamples(SqlStatement& select, const BacklogQuery& query)
{
    select.append(
        fmt::format("SELECT w.at_ms, w.span_ms, w.ready, w.scheduled, w.leased, w.held, w.dead, "
                    "w.late_p50_ms, w.late_p95_ms, w.late_p99_ms FROM sample w WHERE {}",
                    windowCondition(query)));
}

/// Selects, for each sample, the sum of the rows that match the topic and channel. A sample without
/// such rows counts as zero, if it has all topics.
void selectMatchingSamples(SqlStatement& select, const BacklogQuery& query)
{
    const auto* const knownCondition =
        query.topic.empty() ? "w.all_topics = 1" : "(w.all_topics = 1 OR s.at_ms IS NOT NULL)";
    select.append(
        "SELECT w.at_ms AS at_ms, MAX(w.span_ms) AS span_ms, COALESCE(SUM(s.ready), 0) AS ready,"
        " COALESCE(SUM(s.scheduled), 0) AS scheduled, NULLIF(0, 0) AS leased, NULLIF(0, 0) AS held,"
        " NULLIF(0, 0) AS dead,"
        " CASE WHEN COUNT(s.at_ms) = 0 THEN 0 ELSE MAX(s.late_p50_ms) END AS late_p50_ms,"
        " CASE WHEN COUNT(s.at_ms) = 0 THEN 0 ELSE MAX(s.late_p95_ms) END AS late_p95_ms,"
        " CASE WHEN COUNT(s.at_ms) = 0 THEN 0 ELSE MAX(s.late_p99_ms) END AS late_p99_ms "
        "FROM sample w LEFT JOIN sample s ON s.at_ms = w.at_ms AND s.topic <> ''");
    addTopicAndChannel(select, "s", query);
    select.append(
        fmt::format(" WHERE {} AND {} GROUP BY w.at_ms", windowCondition(query), knownCondition));
}

BacklogStep stepOf(const SqlSession::Row& row, Millis step)
{
    BacklogStep backlog;
    backlog.at = timeOf(row[0]);
    backlog.until = backlog.at + std::max(step, Millis{toEpochMs(timeOf(row[1]))});
    backlog.ready = wholeNumber<double>(row[2]).value_or(0);
    backlog.scheduled = wholeNumber<double>(row[3]).value_or(0);
    backlog.leased = wholeNumber<double>(row[4]);
    backlog.held = wholeNumber<double>(row[5]);
    backlog.dead = wholeNumber<double>(row[6]);
    const auto late = [&](std::size_t column) {
        return Millis{std::llround(wholeNumber<double>(row[column]).value_or(0))};
    };
    if (!row[7].empty()) {
        backlog.lateness = LatenessPercentiles{late(7), late(8), late(9)};
    }
    return backlog;
}

Result<void> check(const BacklogQuery& query)
{
    if (query.step <= Millis{0}) {
        return invalidField("step", "must be longer than nothing");
    }
    if ((query.end - query.begin) / query.step > kMostSteps) {
        return invalidField("step", fmt::format("a window has at most {} steps", kMostSteps));
    }
    return {};
}

constexpr std::size_t kIdsPerStatement = 500;
/// The time over which a rate is taken: long enough for one job a minute, short enough to be
/// current.
constexpr Millis kRateWindow{300'000};
/// A daemon writes an interval as soon as it is over; this allows for a slow database.
constexpr Millis kLongestWriteDelay{20'000};

std::optional<Traffic> trafficOf(std::string_view transition)
{
    using Row = std::pair<std::string_view, Traffic>;
    static constexpr std::array kRows{Row{"push", Traffic::In}, Row{"finish", Traffic::Finished},
                                      Row{"bury", Traffic::Dead}, Row{"retry", Traffic::Retried},
                                      Row{"expire", Traffic::Expired}};
    const auto* found = std::find_if(kRows.begin(), kRows.end(),
                                     [&](const Row& row) { return row.first == transition; });
    return found == kRows.end() ? std::nullopt : std::optional{found->second};
}

/// The counts of one topic, as in the table.
struct TopicTraffic {
    double pushed = 0;
    double ended = 0;
    double finished = 0;
    double failed = 0;
};
using TrafficByTopic = std::map<std::string, TopicTraffic>;

void add(TrafficByTopic& topics, const std::string& topic, Traffic traffic, double jobs)
{
    auto& sum = topics[topic];
    switch (traffic) {
    case Traffic::In: sum.pushed += jobs; break;
    case Traffic::Retried: sum.failed += jobs; break;
    case Traffic::Expired: sum.ended += jobs; break;
    case Traffic::Finished:
        sum.ended += jobs;
        sum.finished += jobs;
        break;
    case Traffic::Dead:
        sum.ended += jobs;
        sum.failed += jobs;
        break;
    }
}

/// Adds the jobs to the counts of their topics, which are looked up by id.
void addByTopic(SqlSession& session,
                Traffic traffic,
                const TrafficJobs& moved,
                TrafficByTopic& topics)
{
    add(topics, {}, traffic, static_cast<double>(moved.jobs));
    const auto jobsPerId =
        static_cast<double>(moved.jobs) / static_cast<double>(std::max(moved.ids.size(), 1UL));
    for (std::size_t i = 0; i < moved.ids.size(); i += kIdsPerStatement) {
        const auto end = std::min(moved.ids.size(), i + kIdsPerStatement);
        std::map<std::string, std::string> topicOf;
        SqlStatement find("SELECT id, topic FROM message WHERE id IN ");
        for (auto& row : session.query(find.list(moved.ids, i, end), 2)) {
            topicOf[row[0]] = std::move(row[1]);
        }
        for (auto at = i; at < end; ++at) {  // an id may occur several times
            const auto found = topicOf.find(moved.ids[at]);
            if (found != topicOf.end() && !found->second.empty()) {
                add(topics, found->second, traffic, jobsPerId);
            }
        }
    }
}

void addTrafficRows(SqlSession& session,
                    TimePoint begin,
                    Millis interval,
                    const TrafficByTopic& topics)
{
    constexpr std::size_t kRowsPerStatement = 500;
    const auto* const upsertClause =
        session.dialect() == Dialect::Mysql
            ? " ON DUPLICATE KEY UPDATE pushed = pushed + VALUES(pushed), ended = ended +"
              " VALUES(ended), finished = finished + VALUES(finished), failed = failed +"
              " VALUES(failed)"
            : " ON CONFLICT (at_ms, topic) DO UPDATE SET pushed = traffic.pushed +"
              " excluded.pushed, ended = traffic.ended + excluded.ended, finished ="
              " traffic.finished + excluded.finished, failed = traffic.failed + excluded.failed";
    for (auto next = topics.begin(); next != topics.end();) {
        SqlStatement insert("INSERT INTO traffic (at_ms,topic,span_ms,pushed,ended,finished,"
                            "failed) VALUES ");
        for (std::size_t i = 0; i < kRowsPerStatement && next != topics.end(); ++i, ++next) {
            const auto& [topic, traffic] = *next;
            insert.append(fmt::format("{}({},", i == 0 ? "" : ",", toEpochMs(begin))).value(topic);
            insert.append(fmt::format(",{},{},{},{},{})", interval.count(),
                                      std::llround(traffic.pushed), std::llround(traffic.ended),
                                      std::llround(traffic.finished),
                                      std::llround(traffic.failed)));
        }
        session.execute(insert.append(upsertClause));
    }
}

}  // namespace

Result<ThroughputPart> readThroughput(SqlSession& session, const ThroughputQuery& query)
{
    if (query.step <= Millis{0}) {
        return invalidField("step", "must be longer than nothing");
    }
    if (query.most < 1 || query.most > kMostTransitionsPerPart) {
        return invalidField("most", fmt::format("1 to {} are allowed", kMostTransitionsPerPart));
    }
    ThroughputPart part;
    part.after = lastIdOf(session, query);
    const auto rows = session.query(countStatement(query, part.after), 5);
    for (const auto& row : rows) {
        const auto stepMs = leadingNumber<std::int64_t>(row[0]);
        const auto earliest = fromEpochMs(leadingNumber<std::int64_t>(row[3]));
        const auto latest = fromEpochMs(leadingNumber<std::int64_t>(row[4]));
        part.earliest = std::min(part.earliest.value_or(earliest), earliest);
        part.latest = std::max(part.latest.value_or(latest), latest);
        if (stepMs >= 0) {
            part.moves[{fromEpochMs(stepMs), row[1]}] +=
                static_cast<std::uint64_t>(leadingNumber<std::int64_t>(row[2]));
        }
    }
    return part;
}

bool writeBacklogSample(SqlSession& session, const BacklogSample& sample)
{
    SqlSession::Transaction transaction(session);
    // The whole store first: if that row exists, another daemon has written the sample, and no
    // topic is added to it.
    if (insertNew(session, sample, {sample.whole}) == 0) {
        transaction.commit();
        return false;
    }
    if (!sample.topics.empty()) {
        insertNew(session, sample, sample.topics);
    }
    transaction.commit();
    return true;
}

Result<std::vector<BacklogStep>> readBacklog(SqlSession& session, const BacklogQuery& query)
{
    if (auto valid = check(query); !valid) {
        return tl::unexpected(valid.error());
    }
    SqlStatement select(fmt::format(
        "SELECT at_ms - at_ms % {} AS step_ms, MAX(span_ms), AVG(ready), AVG(scheduled),"
        " AVG(leased), AVG(held), AVG(dead), MAX(late_p50_ms), MAX(late_p95_ms),"
        " MAX(late_p99_ms) FROM (",
        query.step.count()));
    isRestricted(query) ? selectMatchingSamples(select, query)
                        : selectWholeStoreSamples(select, query);
    select.append(
        fmt::format(") samples GROUP BY at_ms - at_ms % {} ORDER BY step_ms", query.step.count()));
    return readAll(session.query(select, 10),
                   [&](const auto& row) { return stepOf(row, query.step); });
}

void mergeTraffic(TrafficCounts& counts, TrafficCounts more)
{
    constexpr std::size_t kMostCounts = 1'000;
    auto idsLeft = TrafficCounter::kMostIds;
    for (const auto& [key, moved] : counts) {
        idsLeft -= std::min(idsLeft, moved.ids.size());
    }
    for (auto& [key, moved] : more) {
        auto& sum = counts[key];
        sum.jobs += moved.jobs;
        const auto taken = std::min(idsLeft, moved.ids.size());
        sum.ids.insert(sum.ids.end(), moved.ids.begin(),
                       moved.ids.begin() + static_cast<std::ptrdiff_t>(taken));
        idsLeft -= taken;
    }
    while (counts.size() > kMostCounts) {
        counts.erase(counts.begin());
    }
}

void TrafficCounter::add(const std::vector<JournalEvent>& events)
{
    if (interval_ <= Millis{0}) {
        return;
    }
    for (const auto& event : events) {
        const auto traffic = trafficOf(event.transition);
        if (!traffic || event.jobs.empty()) {
            continue;
        }
        const auto at = fromEpochMs(event.atMs - event.atMs % interval_.count());
        auto& moved = counts_[{at, *traffic}];
        moved.jobs += event.jobs.size();
        for (const auto& job : event.jobs) {
            if (idCount_ < kMostIds) {
                moved.ids.push_back(job.id);
                ++idCount_;
            }
        }
    }
}

TrafficCounts TrafficCounter::take()
{
    idCount_ = 0;
    return std::exchange(counts_, {});
}

void writeTraffic(SqlSession& session, const TrafficCounts& counts, TimePoint at, Millis interval)
{
    // Looked up before the transaction, because others would have to wait for it.
    std::map<TimePoint, TrafficByTopic> intervals;
    intervals[at][{}];
    for (const auto& [beginAndTraffic, moved] : counts) {
        const auto& [begin, traffic] = beginAndTraffic;
        addByTopic(session, traffic, moved, intervals[begin]);
    }
    SqlSession::Transaction transaction(session);
    for (const auto& [begin, topics] : intervals) {
        addTrafficRows(session, begin, interval, topics);
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
    if (rows.empty() || now - last > span * 2 + kLongestWriteDelay) {
        return failure(ErrorCode::NotFound,
                       "no daemon has counted just now (journal.sample_every, journal.mode)");
    }
    const auto begin = std::min(last, last + span - kRateWindow);
    TrafficRates rates;
    rates.until = last + span;
    const auto topicRows = session.query(
        fmt::format("SELECT topic, SUM(pushed), SUM(ended), SUM(span_ms), MIN(at_ms),"
                    " SUM(finished), SUM(failed) FROM traffic"
                    " WHERE at_ms >= {} AND at_ms <= {} GROUP BY topic ORDER BY topic",
                    toEpochMs(begin), toEpochMs(last)),
        7);
    double seconds = 0;
    for (const auto& row : topicRows) {
        if (row[0].empty()) {  // comes first, and exists for every interval that was counted
            seconds = static_cast<double>(leadingNumber<std::int64_t>(row[3])) / 1'000.0;
            rates.from = fromEpochMs(leadingNumber<std::int64_t>(row[4]));
        }
        if (seconds > 0) {
            const auto perSecond = [&](std::size_t column) {
                return static_cast<double>(leadingNumber<std::int64_t>(row[column])) / seconds;
            };
            rates.topics[row[0]] = {perSecond(1), perSecond(2), perSecond(5), perSecond(6)};
        }
    }
    return rates;
}

Result<TrafficHistory>
readTrafficHistory(SqlSession& session, TimePoint begin, TimePoint end, Millis step)
{
    const BacklogQuery window{.begin = begin, .end = end, .step = step};
    if (auto valid = check(window); !valid) {
        return tl::unexpected(valid.error());
    }
    TrafficHistory history;
    if (end <= begin) {
        return history;
    }
    const auto steps = static_cast<std::size_t>((end - begin + step - Millis{1}) / step);
    history.known.resize(steps);
    const auto stepOffset =
        fmt::format("(at_ms - {0}) - (at_ms - {0}) % {1}", toEpochMs(begin), step.count());
    const auto rows = session.query(
        fmt::format("SELECT topic, {0}, SUM(pushed), SUM(finished) FROM traffic WHERE at_ms >= {1}"
                    " AND at_ms < {2} GROUP BY topic, {0}",
                    stepOffset, toEpochMs(begin), toEpochMs(end)),
        4);
    for (const auto& row : rows) {
        const auto index =
            static_cast<std::size_t>(leadingNumber<std::int64_t>(row[1]) / step.count());
        if (index >= steps) {
            continue;
        }
        auto& topicSteps = history.topics[row[0]];
        topicSteps.in.resize(steps);
        topicSteps.finished.resize(steps);
        topicSteps.in[index] += leadingNumber<std::uint64_t>(row[2]);
        topicSteps.finished[index] += leadingNumber<std::uint64_t>(row[3]);
        // A row of the whole store exists for every interval that was counted.
        history.known[index] = history.known[index] || row[0].empty();
    }
    return history;
}

}  // namespace restante::journal
