#include "core/journal/outbox/journal_event.h"

#include "core/base/text.h"
#include "core/redis/store/event_entry.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

namespace restante::journal {

namespace {

constexpr std::size_t kTextsPerRow = 8;  // texts of a row, with the record
constexpr double kOrdersPerMs = 4096;    // core/redis/store/lane_scores.h

using Fields = std::map<std::string_view, std::string_view>;

/// Empty when there is none.
std::string_view fieldOf(const Fields& fields, std::string_view name)
{
    const auto found = fields.find(name);
    return found == fields.end() ? std::string_view() : found->second;
}

Result<void> readStatusRows(JournalEvent& event, std::string_view packed)
{
    auto rows = unpackRows(packed);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    if (rows->size() != event.jobs.size()) {
        return failure(ErrorCode::Invalid, "it has not one row for each id");
    }
    for (std::size_t i = 0; i < rows->size(); ++i) {
        auto& row = (*rows)[i];
        if (row.size() != kTextsPerRow) {
            return failure(ErrorCode::Invalid, "a row has another width");
        }
        event.jobs[i].status = statusOfRow(row);
        event.jobs[i].record = std::move(row.back());
    }
    return {};
}

/// A batch of new jobs: their records, due times and, in mailboxes, arrival numbers.
Result<void> readPushed(JournalEvent& event, const Fields& fields)
{
    auto records = unpackTexts(fields.at("rec"));
    if (!records) {
        return tl::unexpected(records.error());
    }
    const bool isHeld = fields.contains("arr");
    const auto scores = splitWords(fieldOf(fields, "due"), " ");
    const auto arrivals = splitWords(fieldOf(fields, "arr"), " ");
    if (records->size() != event.jobs.size() || scores.size() != records->size() ||
        (isHeld && arrivals.size() != records->size())) {
        return failure(ErrorCode::Invalid, "it has not one record and due time for each id");
    }
    for (std::size_t i = 0; i < records->size(); ++i) {
        JobStatus status;
        status.state = isHeld ? "held" : "scheduled";
        setDue(status, scores[i]);
        status.arrival = isHeld ? leadingNumber<std::uint64_t>(arrivals[i]) : 0;
        event.jobs[i].status = std::move(status);
        event.jobs[i].record = std::move((*records)[i]);
    }
    return {};
}

Result<void> readNotes(JournalEvent& event, std::string_view packed)
{
    auto notes = unpackTexts(packed);
    if (!notes) {
        return tl::unexpected(notes.error());
    }
    if (notes->size() != event.jobs.size()) {
        return failure(ErrorCode::Invalid, "it has not one note for each id");
    }
    for (std::size_t i = 0; i < notes->size(); ++i) {
        event.jobs[i].note = std::move((*notes)[i]);
    }
    return {};
}

}  // namespace

void setDue(JobStatus& status, std::string_view score)
{
    const double value = leadingNumber<double>(score);
    // A damaged entry may have a number that is no time.
    constexpr double kTimeLimit = 9.2e18;
    if (score.empty() || !(std::abs(value) < kTimeLimit)) {
        status.dueMs = JobStatus::kNever;
        return;
    }
    const double whole = std::floor(value);
    status.dueMs = static_cast<std::int64_t>(whole);
    status.dueOrder = static_cast<std::uint32_t>((value - whole) * kOrdersPerMs);
}

std::string scoreOf(const JobStatus& status)
{
    if (status.dueMs == JobStatus::kNever) {
        return {};
    }
    return fmt::format("{}", static_cast<double>(status.dueMs) + status.dueOrder / kOrdersPerMs);
}

JobStatus statusOfRow(std::span<const std::string> row)
{
    JobStatus status;
    status.state = row[0];
    setDue(status, status.state == "held" ? row[4] : row[1]);
    status.attempts = leadingNumber<std::uint32_t>(row[2]);
    if (const auto space = row[2].find(' '); space != std::string::npos) {
        status.attemptOffset =
            leadingNumber<std::uint32_t>(std::string_view(row[2]).substr(space + 1));
    }
    status.arrival = leadingNumber<std::uint64_t>(row[3]);
    status.lastError = row[5];
    status.origin = row[6];
    return status;
}

Result<JournalEvent> parseEvent(StreamId streamId, const redis::Reply::Array& list)
{
    Fields fields;
    for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
        const auto* name = list[i].text();
        const auto* value = list[i + 1].text();
        if (name != nullptr && value != nullptr) {
            fields.emplace(*name, *value);
        }
    }
    const auto field = [&](std::string_view name) { return fieldOf(fields, name); };
    JournalEvent event;
    event.streamId = streamId;
    event.transition = field("t");
    event.atMs = leadingNumber<std::int64_t>(field("at"));
    event.from = field("from");
    event.to = field("to");
    event.actor = field("by");
    event.reason = field("why");
    event.bulkActionId = field("order");
    event.worker = field("w");
    event.topic = field("topic");
    event.limits = field("limits");
    event.sinceMs = leadingNumber<std::int64_t>(field("since"));
    event.dueWasMs = leadingNumber<std::int64_t>(field("due_was"));
    event.dueIsMs = leadingNumber<std::int64_t>(field("due_is"));
    event.key = field("key");
    event.value = field("value");
    event.untilMs = leadingNumber<std::int64_t>(field("until"));
    for (auto& id : redis::unpackIds(field("ids"))) {
        event.jobs.push_back({std::move(id), std::nullopt, {}});
    }
    auto read = fields.contains("rec")   ? readPushed(event, fields)
                : fields.contains("row") ? readStatusRows(event, fields.at("row"))
                                         : Result<void>{};
    if (read && fields.contains("note")) {
        read = readNotes(event, fields.at("note"));
    }
    if (!read || event.transition.empty()) {
        return failure(ErrorCode::Invalid,
                       fmt::format("event {} ({}): {}", streamId.toString(), event.transition,
                                   read ? "it names no transition" : read.error().message));
    }
    return event;
}

}  // namespace restante::journal
