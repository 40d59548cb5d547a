#pragma once

#include "core/journal/sql/sql_audit.h"
#include "core/journal/sql/sql_journal.h"
#include "core/journal/sql/sql_settings.h"

#include <map>
#include <string>
#include <vector>

namespace restante::journal {

/// Gathers what a batch changes, so that each job is written once however often it moved, and
/// writes it in few statements. *One thread*; lives as long as its transaction.
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
    struct Change {
        bool whole = false;   ///< `job.record` is known: the row is replaced
        bool placed = false;  ///< all of `job.place` is known, not only its state
        JobInEvent job;
        std::int64_t updatedMs = 0;
        StreamId at;  ///< the event, 0-0 = none
    };

    void readStates(const std::vector<JournalEvent>& events);
    void addJob(const JournalEvent& event, const JobInEvent& job, std::size_t position);
    std::string stateBefore(const JournalEvent& event, const std::string& id) const;
    void writeChanges();

    SqlSession& session_;
    std::uint32_t shard_;
    std::map<std::string, std::string> states_;  ///< of jobs whose state before is asked for
    std::map<std::string, Change> changes_;      ///< by id, so that the index is written in order
    TableRows transitions_;
    TableRows audit_ = auditRows();
    SettingWriter settings_;
    SqlRowWriter rows_;
};

}  // namespace restante::journal
