#pragma once

#include "core/journal/sql/sql_audit.h"
#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/stored_settings.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace restante::journal {

/// Collects the changes of a batch, so that each job is written once however often it moved, and
/// writes them in few statements. Copies nothing: events and jobs must outlive write(). *One
/// thread*; used within one transaction.
class SqlWriter {
public:
    SqlWriter(SqlSession& session, std::uint32_t shard, SqlRowWriter::RefusalMode mode);

    void add(const std::vector<JournalEvent>& events);
    /// Adds the current status of a job, without a transition.
    void addSnapshot(const JobInEvent& job, std::int64_t nowMs);
    void addSetting(StoredSetting setting, std::int64_t nowMs)
    {
        settingChanges_.add(std::move(setting), nowMs);
    }
    void write();

    /// Rows that the database has refused, with RefusalMode::IsolateRow.
    const std::vector<RowError>& rowErrors() const noexcept { return rowWriter_.rowErrors(); }

private:
    /// A job of an event, or of a snapshot, which has no event.
    struct Move {
        const JobInEvent* job = nullptr;
        const JournalEvent* event = nullptr;
        std::size_t position = 0;
        std::int64_t atMs = 0;
        std::string_view state;  ///< as in the table; empty: the job's row does not change
        std::string_view from;
        std::string_view to;
    };
    /// All moves of one job together: the new contents of its row.
    struct Change {
        const JobInEvent* jobWithStatus = nullptr;  ///< of the last move with a complete status
        std::string_view record;                    ///< empty: none, so an existing row is updated
        std::string_view state;
        std::int64_t updatedMs = 0;
        StreamId streamId;  ///< the event, 0-0 = none
    };

    void readStates(const std::vector<JournalEvent>& events);
    void addJob(const JournalEvent& event, const JobInEvent& job, std::size_t position);
    std::string_view stateBefore(const JournalEvent& event, const std::string& id) const;
    /// Sorts by id, keeping the moves of one job in order, so that every index is written in order.
    void sortMoves();
    void addTransitions();
    void addChanges();
    void addChange(std::string_view id, const Change& change);

    SqlSession& session_;
    std::uint32_t shard_;
    bool needsStates_ = false;
    std::set<std::string> stateNames_;                ///< texts of the states in states_
    std::map<std::string, std::string_view> states_;  ///< of jobs whose state before is needed
    std::vector<Move> moves_;
    TableRows transitions_;
    TableRows fullRows_;
    TableRows stateUpdates_;
    TableRows statusUpdates_;
    TableRows audit_ = auditRows();
    SettingChanges settingChanges_;
    SqlRowWriter rowWriter_;
};

}  // namespace restante::journal
