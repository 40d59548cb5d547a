#include "core/journal/sql_writer.h"

#include "core/journal/sql_session.h"
#include "core/journal/sql_text.h"
#include "core/redis/job_codec.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace restante::journal {

namespace {

/// A statement's size: well below what any database takes, and large enough that its cost is lost.
constexpr std::size_t kBytesPerStatement = 262'144;
constexpr std::size_t kIdsPerStatement = 500;

/// Transitions whose state before is always the same.
struct Start {
    std::string_view transition;
    std::string_view from;
};
constexpr std::array<Start, 6> kStarts{{{"push", ""},
                                        {"claim", "ready"},
                                        {"finish", "leased"},
                                        {"retry", "leased"},
                                        {"touch", "leased"},
                                        {"recover", ""}}};

const Start* startOf(std::string_view transition)
{
    const auto* found = std::find_if(kStarts.begin(), kStarts.end(), [&](const Start& start) {
        return start.transition == transition;
    });
    return found == kStarts.end() ? nullptr : found;
}

/// The state in the table's words.
std::string storedState(const JournalEvent& event, const JobInEvent& job)
{
    if (job.place) {
        return job.place->state.empty() ? "gone" : job.place->state;
    }
    if (event.transition == "claim" || event.transition == "touch") {
        return "leased";
    }
    return event.transition == "finish" ? "done" : "";
}

/// In the transition table: what a device has is held for the others, and its row stays as it is.
std::string stateAfter(const JournalEvent& event, std::string spoken)
{
    return event.transition == "mark" ? "held" : std::move(spoken);
}

/// The state in the words of docs/job-lifecycle.md: a scheduled job whose time has come is ready.
std::string spokenState(const std::string& stored, std::int64_t dueMs, std::int64_t nowMs)
{
    if (stored == "scheduled" && dueMs <= nowMs) {
        return "ready";
    }
    return stored == "gone" ? "" : stored;
}

std::string valuesOf(std::uint32_t shard, const JobInEvent& job, std::int64_t updatedMs)
{
    // What cannot be read is kept all the same: the record is what counts.
    const Job shown = redis::decodeRecord(job.id, job.record).value_or(Job{});
    const auto& place = *job.place;
    return fmt::format(
        "({},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},'{}',{},{})", literalOf(job.id), shard,
        literalOf(shown.topic), literalOf(name(shown.channel)), literalOf(place.state),
        literalOf(shown.recipient), literalOf(shown.sender), literalOf(shown.bizKey),
        shown.priority, place.dueMs, place.dueOrder, shown.expires ? toEpochMs(*shown.expires) : 0,
        toEpochMs(shown.created), place.attempts, place.arrival, literalOf(place.lastError),
        literalOf(place.origin), toBase64(job.record), updatedMs, place.forgotten);
}

/// Executes `head` VALUES `rows` `tail`, in as many statements as their size asks for.
void insert(SqlSession& session,
            const std::string& head,
            const std::vector<std::string>& rows,
            const std::string& tail)
{
    std::string statement;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        statement += statement.empty() ? head + " VALUES " : ",";
        statement += rows[i];
        if (statement.size() >= kBytesPerStatement || i + 1 == rows.size()) {
            session.execute(statement + tail);
            statement.clear();
        }
    }
}

constexpr std::string_view kColumns =
    "id,shard,topic,channel,state,recipient,sender,biz_key,priority,due_ms,due_order,expires_ms,"
    "created_ms,attempts,arrival,last_error,origin,record,updated_ms,forgotten";

std::string replacement()
{
    std::string set = " ON CONFLICT (id) DO UPDATE SET ";
    std::string_view rest = kColumns.substr(kColumns.find(',') + 1);
    while (!rest.empty()) {
        const auto end = std::min(rest.find(','), rest.size());
        const auto column = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        set += fmt::format("{0}=excluded.{0}{1}", column, rest.empty() ? "" : ",");
    }
    return set;
}

}  // namespace

void SqlWriter::readStates(const std::vector<JournalEvent>& events)
{
    std::vector<std::string> ids;
    for (const auto& event : events) {
        if (event.from.empty() && startOf(event.transition) == nullptr) {
            for (const auto& job : event.jobs) {
                ids.push_back(job.id);
            }
        }
    }
    for (std::size_t i = 0; i < ids.size(); i += kIdsPerStatement) {
        const auto end = std::min(ids.size(), i + kIdsPerStatement);
        for (auto& row : session_.query(
                 "SELECT id, state FROM message WHERE id IN " + literalList(ids, i, end), 2)) {
            states_[row[0]] = row[1];
        }
    }
}

std::string SqlWriter::stateBefore(const JournalEvent& event, const std::string& id) const
{
    if (!event.from.empty()) {
        return event.from;
    }
    if (const auto* start = startOf(event.transition)) {
        return std::string(start->from);
    }
    const auto known = states_.find(id);
    return known == states_.end() ? std::string()
                                  : spokenState(known->second, event.atMs + 1, event.atMs);
}

void SqlWriter::addJob(const JournalEvent& event, const JobInEvent& job, std::size_t position)
{
    const auto state = storedState(event, job);
    const auto due = job.place ? job.place->dueMs : 0;
    const auto from = stateBefore(event, job.id);
    const auto to = stateAfter(event, spokenState(state, due, event.atMs));
    transitions_.push_back(
        fmt::format("({},{},{},{},{},{},{},{},{},{},{},{},{})", literalOf(job.id), event.at.ms,
                    event.at.seq, position, shard_, literalOf(event.transition), literalOf(from),
                    literalOf(to), event.atMs, literalOf(event.worker), literalOf(event.actor),
                    literalOf(event.reason), literalOf(job.note)));
    audit_.addJob(event, job.id, position, from, to);
    if (state.empty()) {
        return;
    }
    states_[job.id] = state;
    auto& change = changes_[job.id];
    change.updatedMs = event.atMs;
    change.job.id = job.id;
    if (job.place) {
        change.job.place = job.place;
        change.placed = true;
    }
    if (!job.record.empty()) {
        change.whole = true;
        change.job.record = job.record;
    }
    if (!change.job.place) {
        change.job.place.emplace();
    }
    change.job.place->state = state;
}

void SqlWriter::add(const std::vector<JournalEvent>& events)
{
    readStates(events);
    for (const auto& event : events) {
        if (!event.topic.empty()) {
            audit_.addTopic(event);
        }
        for (std::size_t i = 0; i < event.jobs.size(); ++i) {
            addJob(event, event.jobs[i], i);
        }
    }
}

void SqlWriter::addSnapshot(const JobInEvent& job, std::int64_t nowMs)
{
    changes_[job.id] = {true, true, job, nowMs};
}

void SqlWriter::write()
{
    writeWhole();
    writeMoves();
    writePlaces();
    writeTransitions();
    audit_.write();
}

void SqlWriter::writeWhole()
{
    std::vector<std::string> rows;
    for (const auto& [id, change] : changes_) {
        if (change.whole) {
            rows.push_back(valuesOf(shard_, change.job, change.updatedMs));
        }
    }
    const bool conflicts = session_.dialect() == Dialect::Postgresql;
    insert(session_,
           fmt::format("{} INTO message ({})", conflicts ? "INSERT" : "REPLACE", kColumns), rows,
           conflicts ? replacement() : "");
}

/// Jobs of which only the state is new: one statement for all that agree.
void SqlWriter::writeMoves()
{
    std::map<std::pair<std::string, std::int64_t>, std::vector<std::string>> alike;
    for (const auto& [id, change] : changes_) {
        if (!change.whole && !change.placed) {
            alike[{change.job.place->state, change.updatedMs}].push_back(id);
        }
    }
    for (const auto& [key, ids] : alike) {
        for (std::size_t i = 0; i < ids.size(); i += kIdsPerStatement) {
            session_.execute(
                fmt::format("UPDATE message SET state = {}, updated_ms = {} WHERE id IN {}",
                            literalOf(key.first), key.second,
                            literalList(ids, i, std::min(ids.size(), i + kIdsPerStatement))));
        }
    }
}

void SqlWriter::writePlaces()
{
    for (const auto& [id, change] : changes_) {
        const auto& place = *change.job.place;
        if (change.whole || !change.placed) {
            continue;
        }
        const auto set =
            place.state == "gone"
                ? std::string()
                : fmt::format(", due_ms = {}, due_order = {}, attempts = {}, arrival ="
                              " {}, last_error = {}, origin = {}, forgotten = {}",
                              place.dueMs, place.dueOrder, place.attempts, place.arrival,
                              literalOf(place.lastError), literalOf(place.origin), place.forgotten);
        session_.execute(
            fmt::format("UPDATE message SET state = {}, updated_ms = {}{} WHERE id = {}",
                        literalOf(place.state), change.updatedMs, set, literalOf(id)));
    }
}

void SqlWriter::writeTransitions()
{
    const std::string rows =
        "INTO transition (id,stream_ms,stream_seq,position,shard,transition,from_state,to_state,"
        "at_ms,worker,actor,reason,note)";
    switch (session_.dialect()) {
    case Dialect::Sqlite: return insert(session_, "INSERT OR IGNORE " + rows, transitions_, "");
    case Dialect::Mysql: return insert(session_, "INSERT IGNORE " + rows, transitions_, "");
    case Dialect::Postgresql:
        return insert(session_, "INSERT " + rows, transitions_, " ON CONFLICT DO NOTHING");
    }
}

}  // namespace restante::journal
