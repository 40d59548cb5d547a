#include "core/json/object_reader.h"

#include "core/base/duration.h"
#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::json {

namespace {

constexpr std::size_t kLongestTimeText = 40;
/// A hundred intervals with a few units each.
constexpr std::size_t kLongestSchedule = 2'000;
/// The last millisecond that RFC 3339 can write: 9999-12-31T23:59:59.999Z.
constexpr std::int64_t kLastMs = 253'402'300'799'999;

/// An RFC 3339 time must have a zone; without one it would be the server's local time.
bool namesItsZone(std::string_view text)
{
    constexpr std::size_t kOffset = 6;  // "+01:00"
    return !text.empty() && (text.back() == 'Z' || text.back() == 'z' ||
                             (text.size() > kOffset && (text[text.size() - kOffset] == '+' ||
                                                        text[text.size() - kOffset] == '-')));
}

bool isText(const nlohmann::json& value, std::size_t longest)
{
    const auto* text = value.get_ptr<const std::string*>();
    return text != nullptr && !text->empty() && text->size() <= longest &&
           std::ranges::none_of(*text, isAsciiControl);
}

/// Parses a string of at most `longest` bytes with `parse`.
template <class Parse>
auto parseText(const nlohmann::json& value, std::size_t longest, const Parse& parse)
{
    const auto* text = value.get_ptr<const std::string*>();
    auto result =
        text == nullptr || text->size() > longest ? tl::unexpected(Error{}) : parse(*text);
    return result ? std::optional(std::move(*result)) : std::nullopt;
}

}  // namespace

ObjectReader::ObjectReader(const nlohmann::json& document, std::string path)
    : path_(std::move(path))
{
    if (document.is_object()) {
        object_ = &document;
    } else {
        problem_ = FieldError{path_, "is a JSON object, {...}"};
    }
}

const nlohmann::json* ObjectReader::declareAndFind(std::string_view name)
{
    if (std::ranges::find(knownFields_, name) == knownFields_.end()) {
        knownFields_.emplace_back(name);
    }
    if (object_ == nullptr) {
        return nullptr;
    }
    const auto found = object_->find(std::string(name));
    return found == object_->end() ? nullptr : &*found;
}

std::string ObjectReader::pathOf(std::string_view name) const
{
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

void ObjectReader::refuse(std::string_view name, std::string detail)
{
    if (!problem_) {
        problem_ = FieldError{pathOf(name), std::move(detail)};
    }
}

void ObjectReader::refuseBoth(std::string_view name, std::string_view otherName)
{
    if (has(name) && has(otherName)) {
        refuse(name, fmt::format("does not go together with {}; give one of them", otherName));
    }
}

bool ObjectReader::require(std::string_view name)
{
    if (declareAndFind(name) == nullptr) {
        refuse(name, "is required");
        return false;
    }
    return true;
}

bool ObjectReader::has(std::string_view name) const
{
    return object_ != nullptr && object_->contains(std::string(name));
}

/// The field as `read` converts it. If `read` returns none, the field is refused with `allowed()`.
template <class Read, class Allowed>
auto ObjectReader::readField(std::string_view name, const Read& read, const Allowed& allowed)
{
    const auto* value = declareAndFind(name);
    auto result = value == nullptr ? std::nullopt : read(*value);
    if (value != nullptr && !result) {
        refuse(name, allowed());
    }
    return result;
}

std::optional<std::string> ObjectReader::text(std::string_view name, std::size_t longest)
{
    return readField(
        name,
        [&](const nlohmann::json& value) {
            return isText(value, longest) ? std::optional(value.get<std::string>()) : std::nullopt;
        },
        [&] {
            return fmt::format("is a string of 1 to {} bytes without control characters", longest);
        });
}

std::optional<std::string> ObjectReader::bytes(std::string_view name)
{
    return readField(
        name,
        [](const nlohmann::json& value) {
            return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
        },
        [&] {
            return name == "body" ? "is a string; other bytes travel as body_base64"
                                  : "is a string";
        });
}

std::optional<std::string> ObjectReader::base64(std::string_view name)
{
    return readField(
        name,
        [](const nlohmann::json& value) {
            const auto* text = value.get_ptr<const std::string*>();
            return text == nullptr ? std::nullopt : fromBase64(*text);
        },
        [] { return "is a string of base64 (RFC 4648 section 4, with padding, without spaces)"; });
}

std::optional<std::int64_t>
ObjectReader::integer(std::string_view name, std::int64_t least, std::int64_t most)
{
    return readField(
        name,
        [&](const nlohmann::json& value) -> std::optional<std::int64_t> {
            const bool fits = value.is_number_integer() &&
                              (!value.is_number_unsigned() ||
                               std::in_range<std::int64_t>(value.get<std::uint64_t>()));
            const auto number = fits ? value.get<std::int64_t>() : 0;
            return fits && number >= least && number <= most ? std::optional(number) : std::nullopt;
        },
        [&] { return fmt::format("is a whole number from {} to {}", least, most); });
}

std::optional<bool> ObjectReader::boolean(std::string_view name)
{
    return readField(
        name,
        [](const nlohmann::json& value) {
            return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
        },
        [] { return "is true or false"; });
}

std::optional<Millis> ObjectReader::duration(std::string_view name, Millis least, Millis most)
{
    return readField(
        name,
        [&](const nlohmann::json& value) {
            const auto duration = parseText(value, kLongestTimeText, parseDuration);
            return duration && *duration >= least && *duration <= most ? duration : std::nullopt;
        },
        [&] {
            return fmt::format("is a duration in quotes, such as \"1500ms\", \"2m\" or \"1h30m\", "
                               "from {} to {}",
                               formatDuration(least), formatDuration(most));
        });
}

std::optional<TimePoint> ObjectReader::time(std::string_view name)
{
    const auto msName = std::string(name) + "_ms";
    const auto ms = integer(msName, 0, kLastMs);
    const auto time = readField(
        name,
        [](const nlohmann::json& value) {
            const auto moment = parseText(value, kLongestTimeText, [](const std::string& text) {
                return namesItsZone(text) ? parseTimestamp(text) : tl::unexpected(Error{});
            });
            return moment && toEpochMs(*moment) >= 0 ? moment : std::nullopt;
        },
        [&] {
            return fmt::format("is a time of RFC 3339 such as \"2026-12-31T09:00:00Z\" or "
                               "\"2026-12-31T09:00:00.250+01:00\", from 1970 on; {} takes "
                               "milliseconds",
                               msName);
        });
    if (!has(name)) {
        return ms ? std::optional(fromEpochMs(*ms)) : std::nullopt;
    }
    if (time && ms && fromEpochMs(*ms) != *time) {
        refuse(name, fmt::format("says another time than {}; give one of them", msName));
        return std::nullopt;
    }
    return time;
}

std::optional<RetrySchedule> ObjectReader::retry(std::string_view name)
{
    return readField(
        name,
        [](const nlohmann::json& value) {
            return parseText(value, kLongestSchedule, RetrySchedule::parse);
        },
        [] {
            return "is a list of 1 to 100 waits such as \"0s,2m,10m,1h\", or "
                   "\"exponential(base=10s,cap=1h,jitter=0.2,attempts=12)\"";
        });
}

std::optional<std::string> ObjectReader::oneOf(std::string_view name,
                                               const std::vector<std::string_view>& words)
{
    return readField(
        name,
        [&](const nlohmann::json& value) {
            const auto* text = value.get_ptr<const std::string*>();
            const bool known = text != nullptr && std::ranges::count(words, *text) > 0;
            return known ? std::optional(*text) : std::nullopt;
        },
        [&] { return fmt::format("is one of {}", fmt::join(words, ", ")); });
}

std::optional<FieldError> ObjectReader::finish()
{
    if (problem_ || object_ == nullptr) {
        return problem_;
    }
    for (const auto& [name, value] : object_->items()) {
        if (std::ranges::find(knownFields_, name) == knownFields_.end()) {
            constexpr std::size_t kLongestName = 64;
            return FieldError{
                pathOf(name.substr(0, kLongestName)),
                fmt::format("is not known; the fields are {}", fmt::join(knownFields_, ", "))};
        }
    }
    return std::nullopt;
}

}  // namespace restante::json
