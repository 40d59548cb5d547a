#pragma once

#include "core/base/callback_guard.h"
#include "core/base/event_loop.h"
#include "core/cold/cold_jobs.h"
#include "core/journal/sql/sql_thread.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace restante::journal {

/// The table of cold jobs on two threads of its own, one that writes and one that reads. Rows that
/// are inserted while others are being written go into one transaction. A database that gives no
/// answer for five seconds is Unavailable; a write that has begun by then may still be made. The
/// tables must exist. *One loop.*
class SqlColdJobs final : public cold::ColdJobs {
public:
    SqlColdJobs(EventLoop& loop, JournalUrl url);

    void insert(cold::ColdRow row, Done<std::optional<cold::ColdRow>> done) override;
    void find(std::string id, Done<std::optional<cold::ColdRow>> done) override;
    void claim(std::string id, TimePoint now, Done<cold::RowClaim> done) override;
    void giveBack(std::string id, std::int64_t version, Done<void> done) override;
    void page(cold::ColdQuery query, Done<std::vector<cold::ColdRow>> done) override;
    void counts(Done<std::vector<cold::ColdCount>> done) override;
    void countByKey(std::string bizKey, Done<std::uint64_t> done) override;

private:
    struct Insert {
        cold::ColdRow row;
        Done<std::optional<cold::ColdRow>> done;
    };

    /// What is done with work whose time-out is over before it begins.
    enum class WhenLate { Drop, DoAnyway };

    template <class T, class Work>
    void ask(SqlThread& sql, Done<T> done, Work work, WhenLate whenLate = WhenLate::Drop);
    void writeInserts();

    EventLoop& loop_;
    std::string worker_;
    std::vector<Insert> pendingInserts_;
    bool isWriting_ = false;
    /// Who has not been answered yet. The threads do not own them, because they must be destroyed
    /// on the loop.
    std::set<std::shared_ptr<void>> pending_;
    CallbackGuard guard_;
    SqlThread writeSql_;
    SqlThread readSql_;  ///< so that queries do not wait for writes
};

/// Whether there are cold jobs at `url`; false when the tables do not exist yet, or are of an older
/// or newer program.
Result<bool> hasColdJobs(const JournalUrl& url);

}  // namespace restante::journal
