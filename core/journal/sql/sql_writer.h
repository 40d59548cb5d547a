#pragma once

#include "core/journal/sql/sql_audit.h"
#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/sql_settings.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace restante::journal {

/// Gathers what a batch changes, so that each job is written once however often it moved, and
/// writes it in few statements. Copies nothing: events and jobs must live until write(). *One
/// thread*; lives as long as its transaction.
class SqlWriter {
public:
    SqlWriter(SqlSession& session, std::uint32_t shard, SqlRowWriter::RefusalMode mode);

    void add(const std::vector<JournalEvent>& events);
    /// A job as it stands, without a transition.
    void addSnapshot(const JobInEvent& job, std::int64_t nowMs);
    void addSetting(StoredSetting setting, std::int64_t nowMs)
    {
        settings_.add(std::move(setting), nowMs);
    }
    void write();

    /// Rows that the database did not take, of RefusalMode::IsolateRow.
    const std::vector<RowError>& rowErrors() const noexcept { return rows_.rowErrors(); }

private:
    /// A job in an event, or of a snapshot, which has no event.
    struct Move {
        const JobInEvent* job = nullptr;
        const JournalEvent* event = nullptr;
        std::size_t position = 0;
        std::int64_t atMs = 0;
        std::string_view state;  ///< in the table's words; empty: the job's row stays as it is
        std::string_view from;
        std::string_view to;
    };
    /// All moves of one job: what its row becomes.
    struct Change {
        const JobInEvent* placed = nullptr;  ///< the last that tells the whole place
        std::string_view record;             ///< empty: not told, so the row is changed
        std::string_view state;
        std::int64_t updatedMs = 0;
        StreamId at;  ///< the event, 0-0 = none
    };

    void readStates(const std::vector<JournalEvent>& events);
    void addJob(const JournalEvent& event, const JobInEvent& job, std::size_t position);
    std::string_view stateBefore(const JournalEvent& event, const std::string& id) const;
    /// By id, and of one job in order: so every index is written in order.
    void sortMoves();
    void addTransitions();
    void addChanges();
    void addChange(std::string_view id, const Change& change);

    SqlSession& session_;
    std::uint32_t shard_;
    bool asksStates_ = false;
    std::set<std::string> words_;                     ///< of states that were read
    std::map<std::string, std::string_view> states_;  ///< of jobs whose state before is asked for
    std::vector<Move> moves_;
    TableRows transitions_;
    TableRows whole_;
    TableRows stateMoves_;
    TableRows places_;
    TableRows audit_ = auditRows();
    SettingWriter settings_;
    SqlRowWriter rows_;
};

}  // namespace restante::journal
