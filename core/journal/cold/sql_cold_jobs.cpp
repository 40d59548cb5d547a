#include "core/journal/cold/sql_cold_jobs.h"

#include "core/base/host_and_pid.h"
#include "core/journal/sql/sql_cold.h"
#include "core/journal/sql/sql_schema.h"

#include <algorithm>
#include <atomic>
#include <iterator>

namespace restante::journal {

namespace {

constexpr Millis kAnswerTimeout{5'000};
/// Inserts of one transaction.
constexpr std::size_t kRowsPerCommit = 2'000;

}  // namespace

SqlColdJobs::SqlColdJobs(EventLoop& loop, JournalUrl url)
    : loop_(loop),
      worker_(hostAndPid()),
      writeSql_(url, SqlJournal::Schema::Require),
      readSql_(std::move(url), SqlJournal::Schema::Require)
{
}

/// Runs `work(session)` on the thread and calls `done` with its result, or with Unavailable after
/// the time-out. Work that has not begun by then is left undone: who asked has been told that it
/// failed, and may have done something else since; unless it is to be done late as well.
template <class T, class Work>
void SqlColdJobs::ask(SqlThread& sql, Done<T> done, Work work, WhenLate whenLate)
{
    const auto pending = std::make_shared<Done<T>>(std::move(done));
    pending_.insert(pending);
    // Called while this lives only.
    const auto answer = [this, waiting = std::weak_ptr(pending)](Result<T> result) {
        if (const auto waited = waiting.lock(); waited && pending_.erase(waited) > 0) {
            (*waited)(std::move(result));
        }
    };
    const auto isGivenUp = std::make_shared<std::atomic<bool>>(false);
    const auto timer = loop_.armTimer(kAnswerTimeout, guard_.guard([answer, isGivenUp, whenLate] {
        isGivenUp->store(whenLate == WhenLate::Drop);
        answer(failure(ErrorCode::Unavailable, "the journal's database does not answer"));
    }));
    sql.ask<T>(
        loop_,
        [work = std::move(work), isGivenUp](SqlJournal& journal) -> Result<T> {
            Result<T> result = failure(ErrorCode::Unavailable, "nobody waits for it any more");
            if (isGivenUp->load()) {
                return result;
            }
            auto ran = journal.run([&](SqlSession& session) {
                if (isGivenUp->load()) {
                    return;  // to connect has taken that long
                }
                if constexpr (std::is_void_v<T>) {
                    work(session);
                    result = {};
                } else {
                    result = work(session);
                }
            });
            return ran ? std::move(result) : tl::unexpected(std::move(ran.error()));
        },
        guard_.guard([this, timer, answer](Result<T> result) {
            loop_.cancelTimer(timer);
            answer(std::move(result));
        }));
}

void SqlColdJobs::insert(cold::ColdRow row, Done<std::optional<cold::ColdRow>> done)
{
    pendingInserts_.push_back({std::move(row), std::move(done)});
    if (!isWriting_) {
        isWriting_ = true;
        // Later, so that other inserts of this turn of the loop go into the same transaction.
        loop_.post(guard_.guard([this] { writeInserts(); }));
    }
}

void SqlColdJobs::writeInserts()
{
    using Inserted = std::vector<Result<std::optional<cold::ColdRow>>>;
    const auto count = std::min(pendingInserts_.size(), kRowsPerCommit);
    const auto end = pendingInserts_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<cold::ColdRow> rows;
    std::vector<Done<std::optional<cold::ColdRow>>> callbacks;
    std::for_each(pendingInserts_.begin(), end, [&](Insert& one) {
        rows.push_back(std::move(one.row));
        callbacks.push_back(std::move(one.done));
    });
    pendingInserts_.erase(pendingInserts_.begin(), end);
    ask<Inserted>(
        writeSql_,
        [this, callbacks = std::move(callbacks)](const Result<Inserted>& inserted) {
            isWriting_ = !pendingInserts_.empty();
            if (isWriting_) {
                writeInserts();
            }
            for (std::size_t i = 0; i < callbacks.size(); ++i) {
                callbacks[i](inserted ? Result<std::optional<cold::ColdRow>>((*inserted)[i])
                                      : tl::unexpected(inserted.error()));
            }
        },
        [rows = std::move(rows), worker = worker_](SqlSession& session) {
            return insertCold(session, rows, worker);
        });
}

void SqlColdJobs::find(std::string id, Done<std::optional<cold::ColdRow>> done)
{
    ask<std::optional<cold::ColdRow>>(
        readSql_, std::move(done),
        [id = std::move(id)](SqlSession& session) -> std::optional<cold::ColdRow> {
            auto rows = findCold(session, {id});
            return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
        });
}

void SqlColdJobs::claim(std::string id, TimePoint now, Done<cold::RowClaim> done)
{
    ask<cold::RowClaim>(writeSql_, std::move(done), [id = std::move(id), now](SqlSession& session) {
        return claimCold(session, id, toEpochMs(now));
    });
}

void SqlColdJobs::giveBack(std::string id, std::int64_t version, Done<void> done)
{
    // Nobody asks again, and a claim by another since then has another version.
    ask<void>(
        writeSql_, std::move(done),
        [id = std::move(id), version](SqlSession& session) { giveColdBack(session, id, version); },
        WhenLate::DoAnyway);
}

void SqlColdJobs::page(cold::ColdQuery query, Done<std::vector<cold::ColdRow>> done)
{
    ask<std::vector<cold::ColdRow>>(
        readSql_, std::move(done),
        [query = std::move(query)](SqlSession& session) { return readCold(session, query); });
}

void SqlColdJobs::counts(Done<std::vector<cold::ColdCount>> done)
{
    ask<std::vector<cold::ColdCount>>(readSql_, std::move(done), countCold);
}

void SqlColdJobs::countByKey(std::string bizKey, Done<std::uint64_t> done)
{
    ask<std::uint64_t>(readSql_, std::move(done),
                       [bizKey = std::move(bizKey)](SqlSession& session) {
                           return countColdWithKey(session, bizKey);
                       });
}

Result<bool> hasColdJobs(const JournalUrl& url)
{
    if (const auto version = schemaVersionAt(url); !version || *version != kSchemaVersion) {
        return version.map([](int) { return false; });
    }
    SqlJournal journal(url, SqlJournal::Schema::Require);
    bool hasRows = false;
    return journal.run([&hasRows](SqlSession& session) { hasRows = hasColdRows(session); })
        .map([&hasRows] { return hasRows; });
}

}  // namespace restante::journal
