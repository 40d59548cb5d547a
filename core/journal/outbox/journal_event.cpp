#include "core/journal/outbox/journal_event.h"

#include "core/base/text.h"
#include "core/redis/store/event_entry.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

namespace restante::journal {

namespace {

constexpr std::size_t kRowWidth = 8;   // with the record
constexpr double kOrdersPerMs = 4096;  // core/redis/store/arrival_order.h

using Fields = std::map<std::string_view, std::string_view>;

/// Empty: there is none.
std::string_view fieldOf(const Fields& fields, std::string_view name)
{
    const auto found = fields.find(name);
    return found == fields.end() ? std::string_view() : found->second;
}

Result<void> readRows(JournalEvent& event, std::string_view packed)
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
        if (row.size() != kRowWidth) {
            return failure(ErrorCode::Invalid, "a row has another width");
        }
        event.jobs[i].place = placeOf(row);
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
    const bool held = fields.contains("arr");
    const auto scores = splitWords(fieldOf(fields, "due"), " ");
    const auto arrivals = splitWords(fieldOf(fields, "arr"), " ");
    if (records->size() != event.jobs.size() || scores.size() != records->size() ||
        (held && arrivals.size() != records->size())) {
        return failure(ErrorCode::Invalid, "it has not one record and due time for each id");
    }
    for (std::size_t i = 0; i < records->size(); ++i) {
        JobPlace place;
        place.state = held ? "held" : "scheduled";
        setDue(place, scores[i]);
        place.arrival = held ? leadingNumber<std::uint64_t>(arrivals[i]) : 0;
        event.jobs[i].place = std::move(place);
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

void setDue(JobPlace& place, std::string_view score)
{
    const double value = leadingNumber<double>(score);
    // A damaged entry may have a number that no time is.
    constexpr double kMost = 9.2e18;
    if (score.empty() || !(std::abs(value) < kMost)) {
        place.dueMs = JobPlace::kNever;
        return;
    }
    const double whole = std::floor(value);
    place.dueMs = static_cast<std::int64_t>(whole);
    place.dueOrder = static_cast<std::uint32_t>((value - whole) * kOrdersPerMs);
}

std::string scoreOf(const JobPlace& place)
{
    if (place.dueMs == JobPlace::kNever) {
        return {};
    }
    return fmt::format("{}", static_cast<double>(place.dueMs) + place.dueOrder / kOrdersPerMs);
}

JobPlace placeOf(std::span<const std::string> row)
{
    JobPlace place;
    place.state = row[0];
    setDue(place, place.state == "held" ? row[4] : row[1]);
    place.attempts = leadingNumber<std::uint32_t>(row[2]);
    if (const auto space = row[2].find(' '); space != std::string::npos) {
        place.attemptOffset =
            leadingNumber<std::uint32_t>(std::string_view(row[2]).substr(space + 1));
    }
    place.arrival = leadingNumber<std::uint64_t>(row[3]);
    place.lastError = row[5];
    place.origin = row[6];
    return place;
}

Result<JournalEvent> parseEvent(StreamId at, const redis::Reply::Array& list)
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
    event.streamId = at;
    event.transition = field("t");
    event.atMs = leadingNumber<std::int64_t>(field("at"));
    event.from = field("from");
    event.to = field("to");
    event.actor = field("by");
    event.reason = field("why");
    event.order = field("order");
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
                : fields.contains("row") ? readRows(event, fields.at("row"))
                                         : Result<void>{};
    if (read && fields.contains("note")) {
        read = readNotes(event, fields.at("note"));
    }
    if (!read || event.transition.empty()) {
        return failure(ErrorCode::Invalid,
                       fmt::format("event {} ({}): {}", at.print(), event.transition,
                                   read ? "it names no transition" : read.error().message));
    }
    return event;
}

}  // namespace restante::journal
