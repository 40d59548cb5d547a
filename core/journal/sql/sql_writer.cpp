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

/// The state in the table's words.
std::string_view storedState(const JournalEvent& event, const JobInEvent& job)
{
    if (job.place) {
        return job.place->state.empty() ? "gone" : std::string_view(job.place->state);
    }
    if (event.transition == "claim" || event.transition == "touch") {
        return "leased";
    }
    return event.transition == "finish" ? "done" : "";
}

/// In the transition table: what a device has is held for the others, and its row stays as it is.
std::string_view stateAfter(const JournalEvent& event, std::string_view state)
{
    return event.transition == "mark" ? "held" : state;
}

/// The state in the words of docs/job-lifecycle.md: a scheduled job whose time has come is ready.
std::string_view lifecycleState(std::string_view stored, std::int64_t dueMs, std::int64_t nowMs)
{
    if (stored == "scheduled" && dueMs <= nowMs) {
        return "ready";
    }
    return stored == "gone" ? "" : stored;
}

/// As addMessage(), and as addChange() behind it, give them.
constexpr std::string_view kWrittenMessageColumns =
    "id,shard#,topic,channel,recipient,sender,biz_key,priority#,expires_ms#,created_ms#,record*,"
    "state,updated_ms#,due_ms#,due_order#,attempts#,arrival#,last_error,origin,forgotten#";
constexpr std::string_view kTransitionColumns =
    "id,stream_ms#,stream_seq#,position#,shard#,transition,from_state,to_state,at_ms#,worker,actor,"
    "reason,note";

void addMessage(SqlRows& rows, std::uint32_t shard, std::string_view id, std::string_view record)
{
    // What cannot be read is kept all the same: the record is what counts.
    const auto shown = redis::summaryOf(record).value_or(redis::RecordSummary{});
    rows.text(id).number(shard).text(shown.topic).text(name(shown.channel));
    rows.text(shown.recipient).text(shown.sender).text(shown.bizKey).number(shown.priority);
    rows.number(shown.expiresMs).number(shown.createdMs).bytes(record);
}

}  // namespace

SqlWriter::SqlWriter(SqlSession& session, std::uint32_t shard, SqlRowWriter::RefusalMode mode)
    : session_(session),
      shard_(shard),
      transitions_{"transition", SqlRows(kTransitionColumns), {}},
      whole_{"message", SqlRows(kWrittenMessageColumns), {}},
      stateMoves_{"message", SqlRows("state,updated_ms#,id"), {}},
      places_{"message",
              SqlRows("state,updated_ms#,due_ms#,due_order#,attempts#,arrival#,last_error,origin,"
                      "forgotten#,id"),
              {}},
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
    asksStates_ = !ids.empty();
    session_.queryIn("SELECT id, state FROM message WHERE id IN ", ids, 2, [this](auto& row) {
        states_[row[0]] = *words_.insert(std::move(row[1])).first;
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
    const auto due = job.place ? job.place->dueMs : 0;
    const auto from = stateBefore(event, job.id);
    const auto to = event.to.empty() ? stateAfter(event, lifecycleState(state, due, event.atMs))
                                     : std::string_view(event.to);
    moves_.push_back({&job, &event, position, event.atMs, state, from, to});
    if (isAudited(event)) {
        addAudited(audit_, shard_, {event, job.id, position, from, to});
    }
    if (asksStates_ && !state.empty()) {
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
        settings_.add(event);
        for (std::size_t i = 0; i < event.jobs.size(); ++i) {
            addJob(event, event.jobs[i], i);
        }
    }
}

void SqlWriter::addSnapshot(const JobInEvent& job, std::int64_t nowMs)
{
    moves_.push_back({&job, nullptr, 0, nowMs, job.place->state, {}, {}});
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
        transitions_.places.push_back({shard_, event.streamId, move.position});
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
            change.at = move->event != nullptr ? move->event->streamId : StreamId{};
            change.placed = move->job->place ? move->job : change.placed;
            change.record = move->job->record.empty() ? change.record : move->job->record;
        }
        if (!change.state.empty()) {
            addChange(id, change);
        }
    }
}

void SqlWriter::addChange(std::string_view id, const Change& change)
{
    static const JobPlace kNowhere;
    const auto& place = change.placed != nullptr ? *change.placed->place : kNowhere;
    const bool isWhole = !change.record.empty();
    const bool isMove = change.placed == nullptr || change.state == "gone";
    auto& table = isWhole ? whole_ : isMove ? stateMoves_ : places_;
    table.places.push_back({shard_, change.at, 0});
    auto& row = table.rows;
    if (isWhole) {
        addMessage(row, shard_, id, change.record);
    }
    row.text(change.state).number(change.updatedMs);
    if (isWhole || !isMove) {
        row.number(place.dueMs).number(place.dueOrder).number(place.attempts);
        row.number(static_cast<std::int64_t>(place.arrival)).text(place.lastError);
        row.text(place.origin).number(place.attemptOffset);
    }
    if (!isWhole) {
        row.text(id);
    }
}

void SqlWriter::write()
{
    using Present = SqlSession::Present;
    sortMoves();
    addTransitions();
    addChanges();
    rows_.insert(whole_, "id", Present::IsReplaced,
                 {"topic", "recipient", "sender", "biz_key", "last_error"});
    rows_.update(stateMoves_);
    rows_.update(places_, {"last_error"});
    rows_.insert(transitions_, "id", Present::Stays, {"worker", "actor", "reason", "note"});
    rows_.insert(audit_, "stream_ms", Present::Stays,
                 {"topic", "worker", "actor", "reason", "order_id"});
    settings_.clear(session_);
    rows_.insert(settings_.rows(), "id", Present::IsReplaced, {"name"});
}

}  // namespace restante::journal
