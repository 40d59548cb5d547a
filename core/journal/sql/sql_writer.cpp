#include "core/journal/sql/sql_writer.h"

#include "core/base/encoding.h"
#include "core/redis/store/job_codec.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace restante::journal {

namespace {

/// Transitions whose state before is always the same.
struct FixedFromState {
    std::string_view transition;
    std::string_view from;
};
constexpr std::array<FixedFromState, 6> kFixedFromStates{{{"push", ""},
                                                          {"claim", "ready"},
                                                          {"finish", "leased"},
                                                          {"retry", "leased"},
                                                          {"touch", "leased"},
                                                          {"recover", ""}}};

const FixedFromState* fixedFromStateOf(std::string_view transition)
{
    const auto* found =
        std::find_if(kFixedFromStates.begin(), kFixedFromStates.end(),
                     [&](const FixedFromState& fixed) { return fixed.transition == transition; });
    return found == kFixedFromStates.end() ? nullptr : found;
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
std::string stateAfter(const JournalEvent& event, std::string state)
{
    return event.transition == "mark" ? "held" : std::move(state);
}

/// The state in the words of docs/job-lifecycle.md: a scheduled job whose time has come is ready.
std::string lifecycleState(const std::string& stored, std::int64_t dueMs, std::int64_t nowMs)
{
    if (stored == "scheduled" && dueMs <= nowMs) {
        return "ready";
    }
    return stored == "gone" ? "" : stored;
}

constexpr std::string_view kWrittenMessageColumns =
    "id,shard#,topic,channel,state,recipient,sender,biz_key,priority#,due_ms#,due_order#,"
    "expires_ms#,created_ms#,attempts#,arrival#,last_error,origin,record,updated_ms#,forgotten#";
constexpr std::string_view kTransitionColumns =
    "id,stream_ms#,stream_seq#,position#,shard#,transition,from_state,to_state,at_ms#,worker,actor,"
    "reason,note";

void addMessage(SqlRows& rows, std::uint32_t shard, const JobInEvent& job, std::int64_t updatedMs)
{
    // What cannot be read is kept all the same: the record is what counts.
    const Job shown = redis::decodeRecord(job.id, job.record).value_or(Job{});
    const auto& place = *job.place;
    rows.text(job.id).number(shard).text(shown.topic).text(name(shown.channel)).text(place.state);
    rows.text(shown.recipient).text(shown.sender).text(shown.bizKey).number(shown.priority);
    rows.number(place.dueMs).number(place.dueOrder);
    rows.number(shown.expires ? toEpochMs(*shown.expires) : 0).number(toEpochMs(shown.created));
    rows.number(place.attempts).number(static_cast<std::int64_t>(place.arrival));
    rows.text(place.lastError).text(place.origin).plain(toBase64(job.record));
    rows.number(updatedMs).number(place.forgotten);
}

}  // namespace

SqlWriter::SqlWriter(SqlSession& session, std::uint32_t shard, SqlRowWriter::RefusalMode mode)
    : session_(session),
      shard_(shard),
      transitions_{"transition", SqlRows(kTransitionColumns), {}},
      settings_(shard),
      rows_(session, mode)
{
}

void SqlWriter::readStates(const std::vector<JournalEvent>& events)
{
    std::vector<std::string> ids;
    for (const auto& event : events) {
        if (event.from.empty() && fixedFromStateOf(event.transition) == nullptr) {
            for (const auto& job : event.jobs) {
                ids.push_back(job.id);
            }
        }
    }
    session_.queryIn("SELECT id, state FROM message WHERE id IN ", ids, 2,
                     [this](auto& row) { states_[row[0]] = std::move(row[1]); });
}

std::string SqlWriter::stateBefore(const JournalEvent& event, const std::string& id) const
{
    if (!event.from.empty()) {
        return event.from;
    }
    if (const auto* fixed = fixedFromStateOf(event.transition)) {
        return std::string(fixed->from);
    }
    const auto known = states_.find(id);
    return known == states_.end() ? std::string()
                                  : lifecycleState(known->second, event.atMs + 1, event.atMs);
}

void SqlWriter::addJob(const JournalEvent& event, const JobInEvent& job, std::size_t position)
{
    const auto state = storedState(event, job);
    const auto due = job.place ? job.place->dueMs : 0;
    const auto from = stateBefore(event, job.id);
    const auto to =
        event.to.empty() ? stateAfter(event, lifecycleState(state, due, event.atMs)) : event.to;
    auto& row = transitions_.rows.text(job.id);
    row.number(static_cast<std::int64_t>(event.streamId.ms));
    row.number(static_cast<std::int64_t>(event.streamId.seq));
    row.number(static_cast<std::int64_t>(position)).number(shard_);
    row.text(event.transition).text(from).text(to).number(event.atMs);
    row.text(event.worker).text(event.actor).text(event.reason).text(job.note);
    transitions_.places.push_back({shard_, event.streamId, position});
    if (isAudited(event)) {
        addAudited(audit_, shard_, {event, job.id, position, from, to});
    }
    if (state.empty()) {
        return;
    }
    states_[job.id] = state;
    auto& change = changes_[job.id];
    change.updatedMs = event.atMs;
    change.at = event.streamId;
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
            addAuditedTopic(audit_, shard_, event);
        }
        settings_.add(event);
        for (std::size_t i = 0; i < event.jobs.size(); ++i) {
            addJob(event, event.jobs[i], i);
        }
    }
}

void SqlWriter::addSnapshot(const JobInEvent& job, std::int64_t nowMs)
{
    changes_[job.id] = {true, true, job, nowMs, {}};
}

void SqlWriter::write()
{
    writeChanges();
    using Present = SqlSession::Present;
    rows_.insert(transitions_, "id", Present::Stays, {"worker", "actor", "reason", "note"});
    rows_.insert(audit_, "stream_ms", Present::Stays, {"topic", "worker", "actor", "reason"});
    settings_.clear(session_);
    rows_.insert(settings_.rows(), "id", Present::IsReplaced, {"name"});
}

void SqlWriter::writeChanges()
{
    TableRows whole{"message", SqlRows(kWrittenMessageColumns), {}};
    TableRows moves{"message", SqlRows("state,updated_ms#,id"), {}};  // only the state is new
    TableRows places{"message",
                     SqlRows("state,updated_ms#,due_ms#,due_order#,attempts#,arrival#,last_error,"
                             "origin,forgotten#,id"),
                     {}};
    for (const auto& [id, change] : changes_) {
        const auto& place = *change.job.place;
        const bool isMove = !change.placed || place.state == "gone";
        auto& table = change.whole ? whole : isMove ? moves : places;
        auto& row = table.rows;
        table.places.push_back({shard_, change.at, 0});
        if (change.whole) {
            addMessage(row, shard_, change.job, change.updatedMs);
            continue;
        }
        row.text(place.state).number(change.updatedMs);
        if (!isMove) {
            row.number(place.dueMs).number(place.dueOrder).number(place.attempts);
            row.number(static_cast<std::int64_t>(place.arrival)).text(place.lastError);
            row.text(place.origin).number(place.forgotten);
        }
        row.text(id);
    }
    rows_.insert(whole, "id", SqlSession::Present::IsReplaced,
                 {"topic", "recipient", "sender", "biz_key", "last_error"});
    rows_.update(moves);
    rows_.update(places, {"last_error"});
}

}  // namespace restante::journal
