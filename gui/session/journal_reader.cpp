#include "gui/session/journal_reader.h"

#include "gui/session/event_audit.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace restante::gui {

namespace {

constexpr std::uint32_t kMaxRows = 1'000;
/// Parts of 50,000 transitions: beyond 20 million it would be a matter of minutes.
constexpr std::uint32_t kMaxParts = 400;

/// As many points as a narrow column can show of a day.
constexpr Millis kTopicPastStep{30 * 60'000};
constexpr int kTopicPastSteps = 48;

PastBacklog backlogOf(const journal::BacklogStep& step)
{
    PastBacklog backlog;
    backlog.at = step.at;
    backlog.until = step.until;
    backlog.states = {{JobState::Ready, step.ready}, {JobState::Scheduled, step.scheduled}};
    const std::pair<JobState, std::optional<double>> optionalCounts[] = {
        {JobState::Leased, step.leased}, {JobState::Held, step.held}, {JobState::Dead, step.dead}};
    for (const auto& [state, jobs] : optionalCounts) {
        if (jobs) {
            backlog.states[state] = *jobs;
        }
    }
    if (const auto& late = step.lateness) {
        // The journal keeps no maximum.
        backlog.lateness = Lateness{late->p50, late->p95, late->p99, late->p99};
    }
    return backlog;
}

struct PastReader : std::enable_shared_from_this<PastReader> {
    std::weak_ptr<journal::SqlThread> journal;
    EventLoop* loop = nullptr;
    journal::ThroughputQuery query;
    JournalCoverage coverage;
    Done<Past> done;
    Past past;
    std::optional<TimePoint> earliest;
    std::optional<TimePoint> latest;
    std::uint32_t parts = 0;

    void readNextPart()
    {
        const auto sqlThread = journal.lock();
        if (!sqlThread) {
            return;  // the store is closed, and the request has failed already
        }
        if (++parts > kMaxParts) {
            return giveUp();
        }
        sqlThread->ask<journal::ThroughputPart>(
            *loop, [query = query](journal::SqlJournal& sql) { return sql.throughput(query); },
            [self = shared_from_this()](const Result<journal::ThroughputPart>& part) {
                self->handlePart(part);
            });
    }

    void giveUp()
    {
        past.moves.clear();
        past.knownFrom = past.knownUntil = query.end;
        past.movesProblem = "the journal is too large to be counted through";
        done(std::move(past));
    }

    void readBacklog()
    {
        const auto sqlThread = journal.lock();
        if (!sqlThread) {
            return;
        }
        journal::BacklogQuery backlogQuery{query.topic, query.channel, query.begin, query.end,
                                           query.step};
        sqlThread->ask<std::vector<journal::BacklogStep>>(
            *loop,
            [backlogQuery = std::move(backlogQuery)](journal::SqlJournal& sql) {
                return sql.backlog(backlogQuery);
            },
            [self = shared_from_this()](const Result<std::vector<journal::BacklogStep>>& steps) {
                if (!steps) {
                    return self->done(tl::unexpected<Error>(steps.error()));
                }
                for (const auto& step : *steps) {
                    self->past.backlog.push_back(backlogOf(step));
                }
                self->readNextPart();
            });
    }

    void handlePart(const Result<journal::ThroughputPart>& part)
    {
        if (!part) {
            return done(tl::unexpected<Error>(part.error()));
        }
        for (const auto& [step, jobs] : part->moves) {
            past.moves[step] += jobs;
        }
        if (part->earliest) {
            earliest = std::min(earliest.value_or(*part->earliest), *part->earliest);
            latest = std::max(latest.value_or(*part->latest), *part->latest);
        }
        query.after = part->after;
        if (!query.after.empty()) {
            return readNextPart();
        }
        past.knownFrom = std::max({query.begin, earliest.value_or(query.end), coverage.oldest});
        past.knownUntil =
            std::min(query.end, coverage.recordedUntil.value_or(latest.value_or(query.begin)));
        done(std::move(past));
    }
};

}  // namespace

AuditBatch auditBatchOf(AuditEntries entries)
{
    AuditBatch page;
    std::transform(entries.entries.begin(), entries.entries.end(), std::back_inserter(page.rows),
                   auditRow);
    page.cursor = std::move(entries.cursor);
    return page;
}

void readAudit(journal::SqlThread& sql,
               EventLoop& loop,
               const AuditRequest& request,
               Done<AuditBatch> done)
{
    AuditQuery query;
    query.actor = request.actor.toStdString();
    if (!request.verb.isEmpty()) {
        query.verbs = {request.verb.toStdString()};
    }
    query.text = request.text.toStdString();
    query.since = request.since;
    query.until = request.until;
    query.cursor = request.cursor;
    query.limit = std::clamp(request.limit, 1U, kMaxRows);
    sql.ask<AuditEntries>(
        loop, [query](journal::SqlJournal& journal) { return journal.audit(query); },
        mapped<AuditEntries>(std::move(done), &auditBatchOf));
}

void readPast(std::weak_ptr<journal::SqlThread> journal,
              EventLoop& loop,
              PastRequest request,
              JournalCoverage coverage,
              Done<Past> done)
{
    auto reader = std::make_shared<PastReader>();
    reader->journal = std::move(journal);
    reader->loop = &loop;
    reader->query.topic = std::move(request.scope.topic);
    if (request.scope.channel) {
        reader->query.channel = std::string(name(*request.scope.channel));
    }
    reader->query.begin = request.begin;
    reader->query.end = request.end;
    reader->query.step = request.step;
    reader->coverage = coverage;
    reader->done = std::move(done);
    reader->readBacklog();
}

void readActivity(const std::weak_ptr<journal::SqlThread>& journal,
                  EventLoop& loop,
                  TimePoint now,
                  TopicActivity known,
                  Done<TopicActivity> done)
{
    const auto sqlThread = journal.lock();
    if (!sqlThread) {
        known.ratesProblem = "no journal is known for this connection";
        return done(std::move(known));
    }
    sqlThread->ask<journal::TrafficRates>(
        loop, [now](journal::SqlJournal& sql) { return sql.traffic(now); },
        [known = std::move(known),
         done = std::move(done)](const Result<journal::TrafficRates>& rates) mutable {
            if (!rates) {
                known.ratesProblem = rates.error().message;
                return done(std::move(known));
            }
            known.from = rates->from;
            known.until = rates->until;
            for (const auto& [topic, rate] : rates->topics) {
                const auto attempts = rate.finished + rate.failed;
                known.rates[topic] = {rate.in, rate.out,
                                      attempts > 0 ? std::optional(rate.failed / attempts)
                                                   : std::nullopt};
            }
            done(std::move(known));
        });
}

void readTopicPast(const std::weak_ptr<journal::SqlThread>& journal,
                   EventLoop& loop,
                   TimePoint now,
                   std::function<void(std::optional<TopicPast>)> done)
{
    const auto sqlThread = journal.lock();
    if (!sqlThread) {
        return done({});
    }
    // Whole steps, so that a point stays what it is: the last one ends with the step that is over.
    const auto end = fromEpochMs(toEpochMs(now) - toEpochMs(now) % kTopicPastStep.count());
    const auto begin = end - kTopicPastStep * kTopicPastSteps;
    sqlThread->ask<journal::TrafficHistory>(
        loop,
        [begin, end](journal::SqlJournal& sql) {
            return sql.trafficHistory(begin, end, kTopicPastStep);
        },
        [begin, done = std::move(done)](const Result<journal::TrafficHistory>& history) {
            if (!history) {
                return done({});
            }
            TopicPast past{begin, kTopicPastStep, history->known, {}};
            for (const auto& [topic, steps] : history->topics) {
                past.topics[topic] = {steps.in, steps.finished};
            }
            done(std::move(past));
        });
}

TopicActivity activityOf(const redis::JobsByTopic& leased, std::uint64_t maxPerShard)
{
    TopicActivity activity;
    std::uint64_t total = 0;
    auto& topics = activity.leased.emplace();
    for (const auto& [topic, jobs] : leased) {
        topics[topic.second] += jobs;
        total += jobs;
    }
    if (total >= maxPerShard) {  // a shard may have more than it was asked for
        activity.leased.reset();
    }
    return activity;
}

}  // namespace restante::gui
