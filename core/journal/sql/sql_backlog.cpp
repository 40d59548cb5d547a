#include "core/journal/sql/sql_backlog.h"

#include "core/journal/sql/sql_session.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace restante::journal {

namespace {

/// Ten times what a chart can draw.
constexpr std::int64_t kMostSteps = 2'000;
/// `journal.sample_every` at most: what began before a window reaches no further into it.
constexpr std::int64_t kLongestSpanMs = 3'600'000;

constexpr std::string_view kColumns =
    "at_ms,topic,channel,span_ms,all_topics,ready,scheduled,leased,held,dead,late_p50_ms,"
    "late_p95_ms,late_p99_ms";

void addRow(SqlStatement& insert, const BacklogSample& sample, const TopicBacklog& part)
{
    const auto late = [&](Millis LatenessPercentiles::*percentile) {
        return part.lateness ? std::to_string(((*part.lateness).*percentile).count()) : "NULL";
    };
    insert.words(fmt::format("({},", toEpochMs(sample.at))).value(part.topic).words(",");
    insert.value(part.channel)
        .words(fmt::format(",{},{},{},{},{},{},{},{},{},{})", sample.span.count(),
                           sample.allTopics ? 1 : 0, part.ready, part.scheduled, part.leased,
                           part.held, part.dead, late(&LatenessPercentiles::p50),
                           late(&LatenessPercentiles::p95), late(&LatenessPercentiles::p99)));
}

/// How many of the rows were not there yet.
std::int64_t
insertNew(SqlSession& session, const BacklogSample& sample, const std::vector<TopicBacklog>& parts)
{
    // MySQL would count a row that stays as changed.
    const bool mysql = session.dialect() == Dialect::Mysql;
    SqlStatement insert(
        fmt::format("INSERT {}INTO sample ({}) VALUES ", mysql ? "IGNORE " : "", kColumns));
    for (const auto& part : parts) {
        insert.words(&part == &parts.front() ? "" : ",");
        addRow(insert, sample, part);
    }
    return session.execute(insert.words(mysql ? "" : " ON CONFLICT DO NOTHING"));
}

std::optional<double> decimalOf(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? std::optional{value} : std::nullopt;
}

TimePoint momentOf(std::string_view text)
{
    return fromEpochMs(std::llround(decimalOf(text).value_or(0)));
}

std::string inWindow(const BacklogQuery& query)
{
    const auto begin = toEpochMs(query.begin);
    return fmt::format("w.topic = '' AND w.channel = '' AND w.at_ms >= {} AND w.at_ms < {} AND "
                       "w.at_ms + w.span_ms > {}",
                       begin - kLongestSpanMs, toEpochMs(query.end), begin);
}

/// Of each look at everything.
void addLooksAtAll(SqlStatement& select, const BacklogQuery& query)
{
    select.words(
        fmt::format("SELECT w.at_ms, w.span_ms, w.ready, w.scheduled, w.leased, w.held, w.dead, "
                    "w.late_p50_ms, w.late_p95_ms, w.late_p99_ms FROM sample w WHERE {}",
                    inWindow(query)));
}

/// The rows of a share added up, for each look at everything: a look without a row of it saw that
/// nothing of it waits, if it saw all topics.
void addLooksAtShare(SqlStatement& select, const BacklogQuery& query)
{
    const auto* const known =
        query.topic.empty() ? "w.all_topics = 1" : "(w.all_topics = 1 OR s.at_ms IS NOT NULL)";
    select.words(
        "SELECT w.at_ms AS at_ms, MAX(w.span_ms) AS span_ms, COALESCE(SUM(s.ready), 0) AS ready,"
        " COALESCE(SUM(s.scheduled), 0) AS scheduled, NULLIF(0, 0) AS leased, NULLIF(0, 0) AS held,"
        " NULLIF(0, 0) AS dead,"
        " CASE WHEN COUNT(s.at_ms) = 0 THEN 0 ELSE MAX(s.late_p50_ms) END AS late_p50_ms,"
        " CASE WHEN COUNT(s.at_ms) = 0 THEN 0 ELSE MAX(s.late_p95_ms) END AS late_p95_ms,"
        " CASE WHEN COUNT(s.at_ms) = 0 THEN 0 ELSE MAX(s.late_p99_ms) END AS late_p99_ms "
        "FROM sample w LEFT JOIN sample s ON s.at_ms = w.at_ms AND s.topic <> ''");
    if (!query.topic.empty()) {
        select.words(" AND s.topic = ").value(query.topic);
    }
    if (!query.channel.empty()) {
        select.words(" AND s.channel = ").value(query.channel);
    }
    select.words(fmt::format(" WHERE {} AND {} GROUP BY w.at_ms", inWindow(query), known));
}

BacklogStep stepOf(const SqlSession::Row& row, Millis step)
{
    BacklogStep found;
    found.at = momentOf(row[0]);
    found.until = found.at + std::max(step, Millis{toEpochMs(momentOf(row[1]))});
    found.ready = decimalOf(row[2]).value_or(0);
    found.scheduled = decimalOf(row[3]).value_or(0);
    found.leased = decimalOf(row[4]);
    found.held = decimalOf(row[5]);
    found.dead = decimalOf(row[6]);
    const auto late = [&](std::size_t column) {
        return Millis{std::llround(decimalOf(row[column]).value_or(0))};
    };
    if (!row[7].empty()) {
        found.lateness = LatenessPercentiles{late(7), late(8), late(9)};
    }
    return found;
}

Result<void> check(const BacklogQuery& query)
{
    if (query.step <= Millis{0}) {
        return failure(ErrorCode::Invalid, "step: must be longer than nothing");
    }
    if ((query.end - query.begin) / query.step > kMostSteps) {
        return failure(ErrorCode::Invalid,
                       fmt::format("step: a window has at most {} steps", kMostSteps));
    }
    return {};
}

}  // namespace

bool writeBacklogSample(SqlSession& session, const BacklogSample& sample)
{
    SqlSession::Transaction transaction(session);
    // First: whoever comes second writes nothing, and a topic of its look is no part of the other.
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
    if (auto fits = check(query); !fits) {
        return tl::unexpected(fits.error());
    }
    const bool isShare = !query.topic.empty() || !query.channel.empty();
    SqlStatement select(
        fmt::format("SELECT at_ms - at_ms % {} AS slot, MAX(span_ms), AVG(ready), AVG(scheduled),"
                    " AVG(leased), AVG(held), AVG(dead), MAX(late_p50_ms), MAX(late_p95_ms),"
                    " MAX(late_p99_ms) FROM (",
                    query.step.count()));
    isShare ? addLooksAtShare(select, query) : addLooksAtAll(select, query);
    select.words(
        fmt::format(") looks GROUP BY at_ms - at_ms % {} ORDER BY slot", query.step.count()));
    return readAll(session.query(select, 10),
                   [&](const auto& row) { return stepOf(row, query.step); });
}

}  // namespace restante::journal
