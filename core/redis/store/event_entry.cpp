#include "core/redis/store/event_entry.h"

#include "core/base/text.h"
#include "core/redis/store/store_answers.h"
#include "core/redis/store/stream_id.h"

#include <fmt/format.h>

namespace restante::redis {

namespace {

void setField(EventEntry& event, const std::string& name, const std::string& value)
{
    if (name == "t") {
        event.transition = value;
    } else if (name == "at") {
        event.at = fromEpochMs(wholeNumber<std::int64_t>(value).value_or(0));
    } else if (name == "ids") {
        event.ids = unpackIds(value);
    } else if (name == "by") {
        event.actor = value;
    } else if (name == "why") {
        event.reason = value;
    } else {
        event.otherFields.emplace_back(name, value);
    }
}

}  // namespace

Result<EventEntry> readEvent(const Reply& entry)
{
    const auto* position = entry.size() == 2 ? entry.at(0).text() : nullptr;
    const auto* fields = entry.at(1).array();
    if (position == nullptr || fields == nullptr) {
        return failure(ErrorCode::Internal, "the event stream holds something that is no event");
    }
    EventEntry event;
    event.position = *position;
    for (std::size_t i = 0; i + 1 < fields->size(); i += 2) {
        const auto* name = (*fields)[i].text();
        const auto* value = (*fields)[i + 1].text();
        if (name != nullptr && value != nullptr) {
            setField(event, *name, *value);
        }
    }
    if (event.transition.empty()) {
        return failure(ErrorCode::Internal,
                       fmt::format("entry {} of the event stream names no transition", *position));
    }
    return event;
}

std::vector<std::string> unpackIds(std::string_view words)
{
    std::vector<std::string> ids;
    while (!words.empty()) {
        const auto word = takeField(words);
        const auto tab = word.find('\t');
        if (tab == std::string_view::npos) {
            ids.emplace_back(word);
            continue;
        }
        const std::string commonPrefix{word.substr(0, tab)};
        for (const char lastCharacter : word.substr(tab + 1)) {
            ids.push_back(commonPrefix + lastCharacter);
        }
    }
    return ids;
}

std::pair<std::uint64_t, std::uint64_t> streamPositionOf(std::string_view position) noexcept
{
    const auto id = StreamId::parse(position).value_or(StreamId{});
    return {id.ms, id.seq};
}

}  // namespace restante::redis
