#pragma once

#include "core/journal/outbox/journal_event.h"
#include "core/journal/outbox/shard_batch.h"
#include "core/journal/sql/journal_url.h"
#include "core/journal/sql/sql_row_writer.h"
#include "core/journal/sql/sql_settings.h"
#include "core/journal/sql/sql_statistics.h"
#include "core/queue/job_history.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace restante::journal {

/// A job as the journal has it.
struct StoredMessage {
    std::string id;
    std::int64_t expiresMs = 0;  ///< 0 = never
    JobPlace place;              ///< state "done" or "gone": it has ended
    std::string record;
    std::int64_t updatedMs = 0;  ///< the last transition, or touch

    /// Or is cold: Redis is not to have it.
    bool hasEnded() const
    {
        return place.state == "done" || place.state == "gone" || place.state == "cold";
    }
};

/// A job that has not ended, as far as whoever looks for lost ones must know it.
struct LiveJob {
    std::string id;
    std::int64_t expiresMs = 0;  ///< 0 = never
};

/// The journal in SQL. Every call waits for the database, so it has a thread of its own
/// (SqlThread). After a failure the next call connects anew; nothing of a failed call is written.
/// *One thread.*
class SqlJournal {
public:
    enum class Access {
        Record,  ///< the tables are made, or brought up to date
        Look,    ///< nothing is changed: Unavailable unless they are those of this program
    };
    /// Does not connect yet.
    explicit SqlJournal(JournalUrl url, Access access = Access::Record);
    ~SqlJournal();

    const JournalUrl& url() const noexcept { return url_; }

    /// Connects and brings the tables up to date. Unavailable says what the database said.
    Result<void> open();

    // Facts about the whole journal, by name.
    Result<std::string> fact(const std::string& name);
    Result<void> setFact(const std::string& name, const std::string& value);

    /// None: the shard was never recorded.
    Result<std::optional<Position>> position(std::uint32_t shard);
    /// A recording begins anew. Conflict: its position is not `before` (none: it has none) any
    /// more.
    Result<void> setPosition(std::uint32_t shard,
                             const std::optional<Position>& before,
                             const Position& position);

    /// Writes the events' rows and moves the cursor in one transaction; a row that the database
    /// refuses is put aside, into the table `refused`, with an alarm. Conflict: the cursor is not
    /// at `from`, because somebody else has recorded this shard; nothing is written.
    Result<void> commit(const ShardBatch& batch);
    /// Jobs as they stand, without a transition. What is there of them is replaced.
    Result<void> snapshot(std::uint32_t shard, const std::vector<JobInEvent>& jobs, TimePoint now);

    Result<std::vector<HistoryRow>> history(const std::string& id);
    /// What people have done, newest first. Invalid names the field.
    Result<AuditEntries> audit(const AuditQuery& query);
    /// A part of what moved in a window of time.
    Result<ThroughputPart> throughput(const ThroughputQuery& query);
    /// Writes it; false: somebody else has written one of that moment.
    Result<bool> addBacklogSample(const BacklogSample& sample);
    /// From now on what commit() writes is counted, too, in intervals of so long; 0 = it is not.
    void countTraffic(Millis every) { traffic_.count(every); }
    /// What has been counted since the last time. Does not ask the database.
    TrafficCounts takeTraffic() { return traffic_.take(); }
    /// Adds what came and went in intervals of `every`; `at` begins the last that was watched.
    Result<void> addTraffic(const TrafficCounts& counts, TimePoint at, Millis every);
    /// How fast jobs come and go by topic. NotFound: nobody counts.
    Result<TrafficRates> traffic(TimePoint now);
    /// How many came and were finished by topic, in steps of a window of time.
    Result<TrafficHistory> trafficHistory(TimePoint begin, TimePoint end, Millis step);
    /// What waited in a window of time, and how late it was.
    Result<std::vector<BacklogStep>> backlog(const BacklogQuery& query);
    /// The next living jobs in the order of their ids, behind `after`; fewer than `limit` at the
    /// end.
    Result<std::vector<LiveJob>> liveJobs(const std::string& after, std::size_t limit);
    /// Of one shard, or of all.
    Result<std::uint64_t> countLiving(std::optional<std::uint32_t> shard = {});
    /// The same of one shard, whole.
    Result<std::vector<StoredMessage>>
    livingMessages(std::uint32_t shard, const std::string& after, std::size_t limit);
    /// The jobs of a shard that have moved after this event, in the order of their ids, behind
    /// `after`.
    Result<std::vector<std::string>>
    movedSince(std::uint32_t shard, StreamId event, const std::string& after, std::size_t limit);
    /// Those of `ids` that the journal knows; one whose row was refused as it was then, and "gone"
    /// what has ended and has left nothing but its history.
    Result<std::vector<StoredMessage>> messages(const std::vector<std::string>& ids);
    /// Rows that the database did not take, the newest first.
    Result<RefusedRows> refused(std::size_t most);
    /// The highest arrival number, of one shard or of all.
    Result<std::uint64_t> newestArrival(std::optional<std::uint32_t> shard = {});
    /// The store does not have them any more, and nobody knows why.
    Result<void> forget(const std::vector<std::string>& ids, TimePoint now);

    /// What holds topics back, and registrations of the shard that live: readSettings().
    Result<std::vector<StoredSetting>>
    settings(std::uint32_t shard, const std::string& after, std::size_t limit, TimePoint now);
    /// Settings as they stand, without an event. What is there of them is replaced.
    Result<void>
    keepSettings(std::uint32_t shard, const std::vector<StoredSetting>& settings, TimePoint now);

    /// Runs `work` on the session, for tables with functions of their own. Unavailable says what
    /// the database said.
    Result<void> run(const std::function<void(SqlSession&)>& work);

    /// Deletes what has ended before `before` among the `limit` messages behind `after`. Answers
    /// the last id it looked at, empty at the end.
    Result<std::string> sweep(const std::string& after, std::size_t limit, TimePoint before);

private:
    template <class Work>
    auto with(Work work);

    JournalUrl url_;
    Access access_;
    std::unique_ptr<SqlSession> session_;
    TrafficCounter traffic_;
};

}  // namespace restante::journal
