#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/job/filter_node.h"
#include "core/job/filter_suggestion.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

namespace restante {

namespace {

using AddResult = tl::expected<void, FilterError>;
/// The span that a value stands for: a day, a minute, one number.
using SpanResult = tl::expected<FilterSpan, FilterError>;

/// Larger than any count or size; doubles hold it exactly, as JSON and consoles want.
constexpr std::int64_t kLargestNumber = 9'007'199'254'740'991;

using ValueType = FilterValueType;

tl::unexpected<FilterError> problemAt(const FilterValue& value, std::string detail)
{
    return tl::unexpected(FilterError{value.offset + 1, std::move(detail)});
}

std::string_view excerpt(std::string_view text)
{
    return text.substr(0, 40);
}

AddResult addWord(JobFilter::Node& term, const FilterValue& value)
{
    std::vector<std::string_view> words;
    const bool isState = term.field == FilterField::State;
    if (isState) {
        std::ranges::transform(kJobStates, std::back_inserter(words),
                               [](auto entry) { return name(entry); });
    } else {
        std::ranges::transform(kChannels, std::back_inserter(words),
                               [](auto entry) { return name(entry); });
    }
    std::vector<std::string_view> meantWords;
    if (value.starPositions.empty() && std::ranges::find(words, value.text) != words.end()) {
        meantWords = {value.text};
    }
    if (isState && value.text == "live") {
        meantWords = {"scheduled", "ready", "leased", "held"};
    } else if (isState && value.text == "ended") {
        meantWords = {"dead", "trashed", "done"};
    }
    if (meantWords.empty()) {
        const auto suggestion = isState ? suggestedState(value.text) : std::string_view{};
        if (!suggestion.empty()) {
            return problemAt(value, fmt::format("\"{}\" is no state; did you mean {}?",
                                                excerpt(value.text), suggestion));
        }
        return problemAt(value,
                         fmt::format("\"{}\" is no {}; write one of {}{}", excerpt(value.text),
                                     isState ? "state" : "kind", fmt::join(words, ", "),
                                     isState ? ", or live, ended for several" : ""));
    }
    for (const auto word : meantWords) {
        term.patterns.push_back({{std::string(word)}});
    }
    return {};
}

AddResult addText(JobFilter::Node& term, const FilterValue& value)
{
    if (term.field == FilterField::Payload && value.text.size() > kLongestPayloadText) {
        return problemAt(value, fmt::format("a text to look for in bodies has at most {} bytes",
                                            kLongestPayloadText));
    }
    term.patterns.push_back(value.pattern());
    return {};
}

FilterSpan singleValueSpan(std::int64_t value, bool isRelative = false)
{
    return {{value, isRelative}, {value + 1, isRelative}};
}

SpanResult numberSpan(std::string_view text, const FilterValue& value, bool inBytes)
{
    auto digits = text;
    std::int64_t unit = 1;
    if (inBytes && !digits.empty() && (digits.back() == 'k' || digits.back() == 'K')) {
        unit = 1'024;
    } else if (inBytes && !digits.empty() && (digits.back() == 'm' || digits.back() == 'M')) {
        unit = 1'024 * 1'024;
    }
    digits.remove_suffix(unit > 1 ? 1 : 0);
    const auto number = wholeNumber<std::int64_t>(digits).value_or(-1);
    if (number < 0 || number > kLargestNumber / unit) {
        return problemAt(value,
                         fmt::format("\"{}\" is no number; write digits{}, as in >3 or 2..5",
                                     excerpt(text), inBytes ? ", with k or m for KiB or MiB" : ""));
    }
    return singleValueSpan(number * unit);
}

/// "-1h" is an hour ago.
std::optional<std::int64_t> durationMs(std::string_view text)
{
    const bool isNegative = text.starts_with('-');
    text.remove_prefix(isNegative ? 1 : 0);
    const auto duration = parseDuration(text);
    return duration ? std::optional((isNegative ? -1 : 1) * duration->count()) : std::nullopt;
}

/// The span that a time stands for: "2026-11-01" a day, "... 09:00" a minute, with seconds a
/// second, with a fraction a millisecond.
std::optional<FilterSpan> timeSpan(std::string_view text)
{
    constexpr std::size_t kDayChars = 10;     // "2026-11-01"
    constexpr std::size_t kMinuteChars = 16;  // "2026-11-01T09:00"
    std::string dateAndTime(text.substr(0, 40));
    dateAndTime += dateAndTime.size() == kDayChars ? " 00:00" : "";
    const auto start = parseTimestamp(dateAndTime);
    if (!start) {
        return std::nullopt;
    }
    const auto from = toEpochMs(*start);
    if (text.size() == kDayChars) {
        // A local day has 23 to 25 hours, so 36 hours later it is the next day.
        const auto next = formatLocalTime(*start + std::chrono::hours{36}).substr(0, kDayChars);
        const auto end = parseTimestamp(next + " 00:00");
        return end ? std::optional(FilterSpan{{from}, {toEpochMs(*end)}}) : std::nullopt;
    }
    const bool hasSeconds = text.size() > kMinuteChars && text[kMinuteChars] == ':';
    const std::int64_t length = text.find('.') != std::string_view::npos ? 1
                                : hasSeconds                             ? 1'000
                                                                         : 60'000;
    return FilterSpan{{from}, {from + length}};
}

SpanResult spanOf(std::string_view text, const FilterValue& value, ValueType type)
{
    if (type == ValueType::Number || type == ValueType::Bytes) {
        return numberSpan(text, value, type == ValueType::Bytes);
    }
    const auto ms = type == ValueType::Time ? std::nullopt : durationMs(text);
    const auto time = type == ValueType::Duration ? std::nullopt : timeSpan(text);
    if (ms) {
        return singleValueSpan(*ms, type == ValueType::TimeFromNow);
    }
    if (time) {
        return *time;
    }
    constexpr std::string_view kTime = "a day or time such as 2026-11-01 or \"2026-11-01 09:00\"";
    constexpr std::string_view kDuration = "a duration such as 90s, 1h, 7d";
    return problemAt(
        value, fmt::format("\"{}\" cannot be read; write {}", excerpt(text),
                           type == ValueType::Time ? fmt::format("{}; age takes durations", kTime)
                           : type == ValueType::Duration
                               ? std::string(kDuration)
                               : fmt::format("{} (-1h: past), or {}", kDuration, kTime)));
}

FilterSpan applyComparison(FilterComparison comparison, const FilterSpan& span)
{
    switch (comparison) {
    case FilterComparison::Less: return {FilterSpan{}.from, span.from};
    case FilterComparison::AtMost: return {FilterSpan{}.from, span.below};
    case FilterComparison::More: return {span.below, FilterSpan{}.below};
    case FilterComparison::AtLeast: return {span.from, FilterSpan{}.below};
    case FilterComparison::Is: break;
    }
    return span;
}

/// "a..b" with both ends included; either may be missing.
SpanResult rangeOf(const FilterValue& value, ValueType type)
{
    const std::string_view text(value.text);
    const auto first = text.substr(0, *value.rangePosition);
    const auto last = text.substr(*value.rangePosition + 2);
    FilterSpan span{{std::numeric_limits<std::int64_t>::min()}, FilterSpan{}.below};
    if (first.empty() && last.empty()) {
        return problemAt(value, "a range has at least one end, as in 2..5 or 2..");
    }
    const auto from = first.empty() ? SpanResult{span} : spanOf(first, value, type);
    const auto below = last.empty() || !from ? SpanResult{span} : spanOf(last, value, type);
    if (!from || !below) {
        return from ? below : from;
    }
    span = {from->from, below->below};
    const bool isComparable = span.from.isRelative == span.below.isRelative;
    if (isComparable && !first.empty() && !last.empty() && span.from.value >= span.below.value) {
        return problemAt(value, "the range ends before it begins; swap its ends");
    }
    return span;
}

AddResult addSpan(JobFilter::Node& term,
                  FilterComparison comparison,
                  const FilterValue& value,
                  ValueType type)
{
    if (!value.starPositions.empty()) {
        return problemAt(value, "* stands in texts only; write a number or time, a "
                                "comparison such as >3, or a range such as 2..5");
    }
    if (value.rangePosition && comparison != FilterComparison::Is) {
        return problemAt(value, "a range comes after : and not after < or >");
    }
    auto span = value.rangePosition ? rangeOf(value, type) : spanOf(value.text, value, type);
    if (!span) {
        return tl::unexpected(std::move(span.error()));
    }
    const bool isDuration = type == ValueType::Duration || span->from.isRelative;
    if (isDuration && comparison == FilterComparison::Is && !value.rangePosition) {
        return problemAt(value, "compare a duration with < or >, or give a range such as 0s..1h");
    }
    term.spans.push_back(applyComparison(comparison, *span));
    return {};
}

}  // namespace

FilterPattern FilterValue::pattern() const
{
    FilterPattern pattern;
    std::size_t begin = 0;
    for (const auto star : starPositions) {
        pattern.pieces.push_back(text.substr(begin, star - begin));
        begin = star;
    }
    pattern.pieces.push_back(text.substr(begin));
    return pattern;
}

tl::expected<void, FilterError> addFilterValue(JobFilter::Node& term,
                                               FilterValueType type,
                                               FilterComparison comparison,
                                               const FilterValue& value)
{
    if (type != ValueType::Word && type != ValueType::Text) {
        return addSpan(term, comparison, value, type);
    }
    if (comparison != FilterComparison::Is) {
        return problemAt(value, "this field has no order; write : before its value");
    }
    return type == ValueType::Word ? addWord(term, value) : addText(term, value);
}

}  // namespace restante
