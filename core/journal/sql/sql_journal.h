#pragma once

#include "core/journal/outbox/journal_event.h"
#include "core/journal/outbox/shard_batch.h"
#include "core/journal/sql/journal_url.h"
#include "core/journal/sql/sql_row_writer.h"
#include "core/journal/sql/sql_statistics.h"
#include "core/journal/sql/stored_settings.h"
#include "core/queue/job_history.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante::journal {

/// A job in the journal: its row of the table `message`.
struct MessageRow {
    std::string id;
    std::int64_t expiresMs = 0;  ///< 0 = never
    JobStatus status;
    std::string record;
    std::int64_t updatedMs = 0;  ///< time of the last transition or touch

    /// Whether Redis need not have the job any more: it is done (Redis may keep it for a while),
    /// gone or cold.
    bool hasLeftRedis() const
    {
        return status.state == "done" || status.state == "gone" || status.state == "cold";
    }
};

/// What the search for lost jobs needs of a job that must be in Redis.
struct JobInRedis {
    std::string id;
    std::int64_t expiresMs = 0;  ///< 0 = never
};

/// The journal in SQL. Every call waits for the database, so it has a thread of its own
/// (SqlThread). After a failure the next call connects anew; nothing of a failed call is written.
/// *One thread.*
class SqlJournal {
public:
    enum class Schema {
        Migrate,  ///< creates the tables, or updates older ones
        Require,  ///< Unavailable unless the tables have this program's version
    };
    /// Does not connect yet.
    explicit SqlJournal(JournalUrl url, Schema schema = Schema::Migrate);
    ~SqlJournal();

    const JournalUrl& url() const noexcept { return url_; }

    /// Connects, and applies the schema policy. Unavailable has the database's message.
    Result<void> open();

    // Facts about the whole journal, by name.
    Result<std::string> fact(const std::string& name);
    Result<void> setFact(const std::string& name, const std::string& value);
    /// Does nothing when the fact has another value by now.
    Result<void> removeFact(const std::string& name, const std::string& value);

    /// None: the shard was never recorded.
    Result<std::optional<Position>> position(std::uint32_t shard);
    /// Sets the position when recording begins anew, and in the same transaction the fact of this
    /// name, if any, to a text that no other position has. Conflict: the current position is not
    /// `expected` (none = there is no position).
    Result<void> setPosition(std::uint32_t shard,
                             const std::optional<Position>& expected,
                             const Position& position,
                             const std::string& factName = {});

    /// Writes the events' rows and moves the shard's position in one transaction; a row that the
    /// database rejects goes into the table `refused`, with an error in the log. Conflict: the
    /// position is not `batch.from`, because another program has recorded this shard; nothing is
    /// written.
    Result<void> commit(const ShardBatch& batch);
    /// Writes the current status of jobs, without a transition; replaces their rows.
    Result<void>
    writeSnapshot(std::uint32_t shard, const std::vector<JobInEvent>& jobs, TimePoint now);

    Result<std::vector<HistoryRow>> history(const std::string& id);
    /// Actions of people, newest first. Invalid names the field.
    Result<AuditEntries> audit(const AuditQuery& query);
    /// A part of the transitions in a window of time.
    Result<ThroughputPart> throughput(const ThroughputQuery& query);
    /// Writes the sample; false: another daemon has written one for that time.
    Result<bool> addBacklogSample(const BacklogSample& sample);
    /// From now on commit() also counts what it writes, in intervals of this length; 0 = it does
    /// not.
    void countTraffic(Millis interval) { traffic_.start(interval); }
    /// Returns the counts since the last call. Does not query the database.
    TrafficCounts takeTraffic() { return traffic_.take(); }
    /// Adds counts of intervals of length `interval`; `at` is the start of the last one that was
    /// counted.
    Result<void> addTraffic(const TrafficCounts& counts, TimePoint at, Millis interval);
    /// The rates of pushed, ended, finished and failed jobs by topic. NotFound: no daemon counts.
    Result<TrafficRates> traffic(TimePoint now);
    /// Numbers of pushed and finished jobs by topic, in steps of a window of time.
    Result<TrafficHistory> trafficHistory(TimePoint begin, TimePoint end, Millis step);
    /// The backlog and its lateness in a window of time.
    Result<std::vector<BacklogStep>> backlog(const BacklogQuery& query);
    /// The next jobs that must be in Redis (neither done, gone nor cold) in the order of their ids,
    /// after the id `after`; fewer than `limit` at the end.
    Result<std::vector<JobInRedis>> jobsInRedis(const std::string& after, std::size_t limit);
    /// The number of these jobs in one shard, or in all.
    Result<std::uint64_t> countJobsInRedis(std::optional<std::uint32_t> shard = {});
    /// The next of these jobs of one shard, with status and record.
    Result<std::vector<MessageRow>>
    rowsInRedis(std::uint32_t shard, const std::string& after, std::size_t limit);
    /// The ids of the jobs of a shard that have moved since this event, in order, after the id
    /// `after`.
    Result<std::vector<std::string>>
    movedSince(std::uint32_t shard, StreamId event, const std::string& after, std::size_t limit);
    /// Those of `ids` that the journal knows: a job whose row was refused with the status of that
    /// row, and a job of which only history is left as "gone".
    Result<std::vector<MessageRow>> rowsOf(const std::vector<std::string>& ids);
    /// Those of `ids` of which no table has a row.
    Result<std::vector<std::string>> unknownOf(const std::vector<std::string>& ids);
    /// Jobs that ended before this moment may be missing, because deleteOld() has deleted them; ms
    /// since epoch, 0 = it has deleted none.
    Result<std::int64_t> deletedUntilMs();
    /// Rows that the database has rejected, the newest first.
    Result<RefusedRows> refused(std::size_t limit);
    /// The highest arrival number, of one shard or of all.
    Result<std::uint64_t> newestArrival(std::optional<std::uint32_t> shard = {});
    /// Marks jobs as gone that the store did not have at some time after `absentSince`, for unknown
    /// reasons. Those that have moved since, or have left Redis, stay as they are.
    Result<void>
    markGone(const std::vector<std::string>& ids, TimePoint now, TimePoint absentSince);

    /// Pauses and limits of topics, and current registrations of the shard: readSettings().
    Result<std::vector<StoredSetting>>
    settings(std::uint32_t shard, const std::string& after, std::size_t limit, TimePoint now);
    /// Writes current settings, without an event; replaces their rows.
    Result<void>
    writeSettings(std::uint32_t shard, const std::vector<StoredSetting>& settings, TimePoint now);

    /// Runs `work` on the session, for tables with functions of their own. Unavailable has the
    /// database's message.
    Result<void> run(const std::function<void(SqlSession&)>& work);

    /// Examines the next `limit` jobs after the id `afterId` and deletes those that were gone
    /// before `endedBefore`, or done `doneRetention` earlier, because Redis keeps these for so long
    /// and they may be restored; with their history. Of jobs that live, the history of before
    /// `endedBefore` that history() does not show any more. Also some audit entries, samples,
    /// traffic counts and settings of before `endedBefore`. Returns the last id that was examined,
    /// empty at the end.
    Result<std::string> deleteOld(const std::string& afterId,
                                  std::size_t limit,
                                  TimePoint endedBefore,
                                  Millis doneRetention = Millis{0});

private:
    template <class Work>
    auto withSession(Work work);

    JournalUrl url_;
    Schema schema_;
    std::unique_ptr<SqlSession> session_;
    TrafficCounter traffic_;
};

}  // namespace restante::journal
