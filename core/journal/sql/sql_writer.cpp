#include "core/journal/sql/sql_writer.h"

#include "core/redis/store/job_codec.h"

#include <algorithm>
#include <array>

namespace restante::journal {

namespace {

/// Transitions whose state before is always the same.
struct FixedFromState {
    std::string_view transition;
    std::string_view from;
};
constexpr std::array<FixedFromState, 8> kFixedFromStates{{{"push", ""},
                                                          {"cool", "scheduled"},
                                                          {"warm", "cold"},
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

/// The state as in the table.
std::string_view storedState(const JournalEvent& event, const JobInEvent& job)
{
    if (job.status) {
        return job.status->state.empty() ? "gone" : std::string_view(job.status->state);
    }
    if (event.transition == "claim" || event.transition == "touch") {
        return "leased";
    }
    return event.transition == "finish" ? "done" : "";
}

/// The state after the event for the transition table: a marked message stays held for the other
/// devices, and its row does not change.
std::string_view stateAfter(const JournalEvent& event, std::string_view state)
{
    return event.transition == "mark" ? "held" : state;
}

/// The state as in docs/job-lifecycle.md: a scheduled job that is due is ready.
std::string_view lifecycleState(std::string_view stored, std::int64_t dueMs, std::int64_t nowMs)
{
    if (stored == "scheduled" && dueMs <= nowMs) {
        return "ready";
    }
    return stored == "gone" ? "" : stored;
}

/// The columns in the order of addRecordCells() and, after those, addChange().
constexpr std::string_view kWrittenMessageColumns =
    "id,shard#,topic,channel,recipient,sender,biz_key,priority#,expires_ms#,created_ms#,record*,"
    "state,updated_ms#,due_ms#,due_order#,attempts#,arrival#,last_error,origin,forgotten#";
constexpr std::string_view kTransitionColumns =
    "id,stream_ms#,stream_seq#,position#,shard#,transition,from_state,to_state,at_ms#,worker,actor,"
    "reason,note";

/// Adds the cells of a row of `message` that never change: id, shard, record, and what is in it.
void addRecordCells(SqlRows& rows,
                    std::uint32_t shard,
                    std::string_view id,
                    std::string_view record)
{
    // A record that cannot be read is written all the same, because the bytes are what matters.
    const auto summary = redis::summaryOf(record).value_or(redis::RecordSummary{});
    rows.text(id).number(shard).text(summary.topic).text(name(summary.channel));
    rows.text(summary.recipient).text(summary.sender).text(summary.bizKey).number(summary.priority);
    rows.number(summary.expiresMs).number(summary.createdMs).bytes(record);
}

}  // namespace

SqlWriter::SqlWriter(SqlSession& session, std::uint32_t shard, SqlRowWriter::RefusalMode mode)
    : session_(session),
      shard_(shard),
      transitions_{"transition", SqlRows(kTransitionColumns), {}},
      fullRows_{"message", SqlRows(kWrittenMessageColumns), {}},
      stateUpdates_{"message", SqlRows("state,updated_ms#,id"), {}},
      statusUpdates_{
          "message",
          SqlRows("state,updated_ms#,due_ms#,due_order#,attempts#,arrival#,last_error,origin,"
                  "forgotten#,id"),
          {}},
      settingChanges_(shard),
      rowWriter_(session, mode)
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
    needsStates_ = !ids.empty();
    session_.queryIn("SELECT id, state FROM message WHERE id IN ", ids, 2, [this](auto& row) {
        states_[row[0]] = *stateNames_.insert(std::move(row[1])).first;
    });
}

std::string_view SqlWriter::stateBefore(const JournalEvent& event, const std::string& id) const
{
    if (!event.from.empty()) {
        return event.from;
    }
    if (const auto* fixed = fixedFromStateOf(event.transition)) {
        return fixed->from;
    }
    const auto known = states_.find(id);
    return known == states_.end() ? std::string_view()
                                  : lifecycleState(known->second, event.atMs + 1, event.atMs);
}

void SqlWriter::addJob(const JournalEvent& event, const JobInEvent& job, std::size_t position)
{
    const auto state = storedState(event, job);
    const auto due = job.status ? job.status->dueMs : 0;
    const auto from = stateBefore(event, job.id);
    const auto to = event.to.empty() ? stateAfter(event, lifecycleState(state, due, event.atMs))
                                     : std::string_view(event.to);
    moves_.push_back({&job, &event, position, event.atMs, state, from, to});
    if (isAudited(event)) {
        addAudited(audit_, shard_, {event, job.id, position, from, to});
    }
    if (needsStates_ && !state.empty()) {
        states_[job.id] = state;
    }
}

void SqlWriter::add(const std::vector<JournalEvent>& events)
{
    readStates(events);
    for (const auto& event : events) {
        if (!event.topic.empty()) {
            addAuditedTopic(audit_, shard_, event);
        }
        settingChanges_.add(event);
        for (std::size_t i = 0; i < event.jobs.size(); ++i) {
            addJob(event, event.jobs[i], i);
        }
    }
}

void SqlWriter::addSnapshot(const JobInEvent& job, std::int64_t nowMs)
{
    moves_.push_back({&job, nullptr, 0, nowMs, job.status->state, {}, {}});
}

void SqlWriter::sortMoves()
{
    const auto byId = [](const Move& a, const Move& b) { return a.job->id < b.job->id; };
    if (!std::is_sorted(moves_.begin(), moves_.end(), byId)) {
        std::stable_sort(moves_.begin(), moves_.end(), byId);
    }
}

void SqlWriter::addTransitions()
{
    auto& row = transitions_.rows;
    row.reserve(moves_.size());
    for (const auto& move : moves_) {
        if (move.event == nullptr) {
            continue;
        }
        const auto& event = *move.event;
        row.text(move.job->id).number(static_cast<std::int64_t>(event.streamId.ms));
        row.number(static_cast<std::int64_t>(event.streamId.seq));
        row.number(static_cast<std::int64_t>(move.position)).number(shard_);
        row.text(event.transition).text(move.from).text(move.to).number(event.atMs);
        row.text(event.worker).text(event.actor).text(event.reason).text(move.job->note);
        transitions_.sources.push_back({shard_, event.streamId, move.position});
    }
}

void SqlWriter::addChanges()
{
    for (auto move = moves_.begin(); move != moves_.end();) {
        const auto& id = move->job->id;
        Change change;
        for (; move != moves_.end() && move->job->id == id; ++move) {
            if (move->state.empty()) {
                continue;
            }
            change.state = move->state;
            change.updatedMs = move->atMs;
            change.streamId = move->event != nullptr ? move->event->streamId : StreamId{};
            change.jobWithStatus = move->job->status ? move->job : change.jobWithStatus;
            change.record = move->job->record.empty() ? change.record : move->job->record;
        }
        if (!change.state.empty()) {
            addChange(id, change);
        }
    }
}

void SqlWriter::addChange(std::string_view id, const Change& change)
{
    static const JobStatus kNoStatus;
    const auto& status =
        change.jobWithStatus != nullptr ? *change.jobWithStatus->status : kNoStatus;
    const bool isWhole = !change.record.empty();
    const bool hasOnlyState = change.jobWithStatus == nullptr || change.state == "gone";
    auto& table = isWhole ? fullRows_ : hasOnlyState ? stateUpdates_ : statusUpdates_;
    table.sources.push_back({shard_, change.streamId, 0});
    auto& row = table.rows;
    if (isWhole) {
        addRecordCells(row, shard_, id, change.record);
    }
    row.text(change.state).number(change.updatedMs);
    if (isWhole || !hasOnlyState) {
        row.number(status.dueMs).number(status.dueOrder).number(status.attempts);
        row.number(static_cast<std::int64_t>(status.arrival)).text(status.lastError);
        row.text(status.origin).number(status.attemptOffset);
    }
    if (!isWhole) {
        row.text(id);
    }
}

void SqlWriter::write()
{
    using OnConflict = SqlSession::OnConflict;
    sortMoves();
    addTransitions();
    addChanges();
    rowWriter_.insert(fullRows_, "id", OnConflict::Replace,
                      {"topic", "recipient", "sender", "biz_key", "last_error"});
    rowWriter_.update(stateUpdates_);
    rowWriter_.update(statusUpdates_, {"last_error"});
    rowWriter_.insert(transitions_, "id", OnConflict::Keep, {"worker", "actor", "reason", "note"});
    rowWriter_.insert(audit_, "stream_ms", OnConflict::Keep,
                      {"topic", "worker", "actor", "reason", "order_id"});
    settingChanges_.deleteRemoved(session_);
    rowWriter_.insert(settingChanges_.rows(), "id", OnConflict::Replace, {"name"});
}

}  // namespace restante::journal
