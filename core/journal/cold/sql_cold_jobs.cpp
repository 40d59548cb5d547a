#include "core/journal/cold/sql_cold_jobs.h"

#include "core/base/process_name.h"
#include "core/journal/sql/sql_cold.h"
#include "core/journal/sql/sql_schema.h"

#include <algorithm>
#include <iterator>

namespace restante::journal {

namespace {

constexpr Millis kAnswer{5'000};
/// Of one transaction.
constexpr std::size_t kRowsPerCommit = 2'000;

}  // namespace

SqlColdJobs::SqlColdJobs(EventLoop& loop, JournalUrl url)
    : loop_(loop),
      worker_(processName()),
      writes_(url, SqlJournal::Access::Look),
      looks_(std::move(url), SqlJournal::Access::Look)
{
}

/// `work(session)` on the thread, and `done` with what it returns, or with nothing known in time.
template <class T, class Work>
void SqlColdJobs::ask(SqlThread& sql, Done<T> done, Work work)
{
    const auto once = std::make_shared<Done<T>>(std::move(done));
    const auto answer = [once](Result<T> result) {
        if (const auto tell = std::exchange(*once, nullptr)) {
            tell(std::move(result));
        }
    };
    const auto timer = loop_.armTimer(kAnswer, guard_.guard([answer] {
        answer(failure(ErrorCode::Unavailable, "the journal's database does not answer"));
    }));
    sql.ask<T>(
        loop_,
        [work = std::move(work)](SqlJournal& journal) -> Result<T> {
            Result<T> result = failure(ErrorCode::Internal, "nothing was asked");
            auto ran = journal.run([&](SqlSession& session) {
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
    waiting_.push_back({std::move(row), std::move(done)});
    if (!writing_) {
        writing_ = true;
        // Whatever else is asked in this turn of the loop goes with it.
        loop_.post(guard_.guard([this] { writeInserts(); }));
    }
}

void SqlColdJobs::writeInserts()
{
    using Before = std::vector<std::optional<cold::ColdRow>>;
    const auto count = std::min(waiting_.size(), kRowsPerCommit);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<cold::ColdRow> rows;
    std::vector<Done<std::optional<cold::ColdRow>>> dones;
    std::for_each(waiting_.begin(), end, [&](Insert& one) {
        rows.push_back(std::move(one.row));
        dones.push_back(std::move(one.done));
    });
    waiting_.erase(waiting_.begin(), end);
    ask<Before>(
        writes_,
        [this, dones = std::move(dones)](const Result<Before>& before) {
            writing_ = !waiting_.empty();
            if (writing_) {
                writeInserts();
            }
            for (std::size_t i = 0; i < dones.size(); ++i) {
                dones[i](before ? Result<std::optional<cold::ColdRow>>((*before)[i])
                                : tl::unexpected(before.error()));
            }
        },
        [rows = std::move(rows), worker = worker_](SqlSession& session) {
            return insertCold(session, rows, worker);
        });
}

void SqlColdJobs::find(std::string id, Done<std::optional<cold::ColdRow>> done)
{
    ask<std::optional<cold::ColdRow>>(
        looks_, std::move(done),
        [id = std::move(id)](SqlSession& session) -> std::optional<cold::ColdRow> {
            auto rows = findCold(session, {id});
            return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
        });
}

void SqlColdJobs::take(std::string id, TimePoint now, Done<cold::TakenRow> done)
{
    ask<cold::TakenRow>(writes_, std::move(done), [id = std::move(id), now](SqlSession& session) {
        return takeCold(session, id, toEpochMs(now));
    });
}

void SqlColdJobs::giveBack(std::string id, std::int64_t version, Done<void> done)
{
    ask<void>(writes_, std::move(done), [id = std::move(id), version](SqlSession& session) {
        giveColdBack(session, id, version);
    });
}

void SqlColdJobs::page(cold::ColdQuery query, Done<std::vector<cold::ColdRow>> done)
{
    ask<std::vector<cold::ColdRow>>(
        looks_, std::move(done),
        [query = std::move(query)](SqlSession& session) { return readCold(session, query); });
}

void SqlColdJobs::counts(Done<std::vector<cold::ColdCount>> done)
{
    ask<std::vector<cold::ColdCount>>(looks_, std::move(done), countCold);
}

void SqlColdJobs::countKey(std::string bizKey, Done<std::uint64_t> done)
{
    ask<std::uint64_t>(looks_, std::move(done), [bizKey = std::move(bizKey)](SqlSession& session) {
        return countColdKey(session, bizKey);
    });
}

Result<bool> hasColdJobs(const JournalUrl& url)
{
    if (const auto version = schemaVersionAt(url); !version || *version != kSchemaVersion) {
        return version.map([](int) { return false; });
    }
    SqlJournal journal(url, SqlJournal::Access::Look);
    bool some = false;
    return journal.run([&some](SqlSession& session) { some = hasColdRows(session); }).map([&some] {
        return some;
    });
}

}  // namespace restante::journal
