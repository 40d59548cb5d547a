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

using Added = tl::expected<void, FilterError>;
/// A value that stands for a whole span: a day, a minute, one number.
using Spanned = tl::expected<FilterSpan, FilterError>;

/// Larger than any count or size; doubles hold it exactly, as JSON and consoles want.
constexpr std::int64_t kLargestNumber = 9'007'199'254'740'991;

using ValueType = FilterValueType;

tl::unexpected<FilterError> problemAt(const FilterValue& value, std::string detail)
{
    return tl::unexpected(FilterError{value.at + 1, std::move(detail)});
}

std::string_view quotable(std::string_view text)
{
    return text.substr(0, 40);
}

Added addWord(JobFilter::Node& term, const FilterValue& value)
{
    std::vector<std::string_view> words;
    const bool isState = term.field == FilterField::State;
    if (isState) {
        std::ranges::transform(kJobStates, std::back_inserter(words),
                               [](auto one) { return name(one); });
    } else {
        std::ranges::transform(kChannels, std::back_inserter(words),
                               [](auto one) { return name(one); });
    }
    std::vector<std::string_view> meant;
    if (value.stars.empty() && std::ranges::find(words, value.text) != words.end()) {
        meant = {value.text};
    }
    if (isState && value.text == "live") {
        meant = {"scheduled", "ready", "leased", "held"};
    } else if (isState && value.text == "ended") {
        meant = {"dead", "trashed", "done"};
    }
    if (meant.empty()) {
        const auto like = isState ? suggestedState(value.text) : std::string_view{};
        if (!like.empty()) {
            return problemAt(value, fmt::format("\"{}\" is no state; did you mean {}?",
                                                quotable(value.text), like));
        }
        return problemAt(value,
                         fmt::format("\"{}\" is no {}; write one of {}{}", quotable(value.text),
                                     isState ? "state" : "kind", fmt::join(words, ", "),
                                     isState ? ", or live, ended for several" : ""));
    }
    for (const auto word : meant) {
        term.patterns.push_back({{std::string(word)}});
    }
    return {};
}

Added addText(JobFilter::Node& term, const FilterValue& value)
{
    if (term.field == FilterField::Payload && value.text.size() > kLongestPayloadText) {
        return problemAt(value, fmt::format("a text to look for in bodies has at most {} bytes",
                                            kLongestPayloadText));
    }
    term.patterns.push_back(value.pattern());
    return {};
}

FilterSpan one(std::int64_t value, bool relative = false)
{
    return {{value, relative}, {value + 1, relative}};
}

Spanned numberSpan(std::string_view text, const FilterValue& value, bool inBytes)
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
        return problemAt(value, fmt::format("\"{}\" is no number; write digits{}, as in >3 or 2..5",
                                            quotable(text),
                                            inBytes ? ", with k or m for KiB or MiB" : ""));
    }
    return one(number * unit);
}

/// "-1h" is an hour ago.
std::optional<std::int64_t> durationMs(std::string_view text)
{
    const bool negative = text.starts_with('-');
    text.remove_prefix(negative ? 1 : 0);
    const auto duration = parseDuration(text);
    return duration ? std::optional((negative ? -1 : 1) * duration->count()) : std::nullopt;
}

/// The moment and the span that it stands for: "2026-11-01" a day, "... 09:00" a minute, with
/// seconds a second, with a fraction a millisecond.
std::optional<FilterSpan> timeSpan(std::string_view text)
{
    constexpr std::size_t kDay = 10;     // "2026-11-01"
    constexpr std::size_t kMinute = 16;  // "2026-11-01T09:00"
    std::string whole(text.substr(0, 40));
    whole += whole.size() == kDay ? " 00:00" : "";
    const auto start = parseTimestamp(whole);
    if (!start) {
        return std::nullopt;
    }
    const auto from = toEpochMs(*start);
    if (text.size() == kDay) {
        // Between 23 and 25 hours later begins the next local day.
        const auto next = printLocalTime(*start + std::chrono::hours{36}).substr(0, kDay);
        const auto end = parseTimestamp(next + " 00:00");
        return end ? std::optional(FilterSpan{{from}, {toEpochMs(*end)}}) : std::nullopt;
    }
    const bool hasSeconds = text.size() > kMinute && text[kMinute] == ':';
    const std::int64_t length = text.find('.') != std::string_view::npos ? 1
                                : hasSeconds                             ? 1'000
                                                                         : 60'000;
    return FilterSpan{{from}, {from + length}};
}

Spanned spanOf(std::string_view text, const FilterValue& value, ValueType type)
{
    if (type == ValueType::Number || type == ValueType::Bytes) {
        return numberSpan(text, value, type == ValueType::Bytes);
    }
    const auto ms = type == ValueType::Time ? std::nullopt : durationMs(text);
    const auto time = type == ValueType::TimeSinceNow ? std::nullopt : timeSpan(text);
    if (ms) {
        return one(*ms, type == ValueType::TimeFromNow);
    }
    if (time) {
        return *time;
    }
    constexpr std::string_view kTime = "a day or time such as 2026-11-01 or \"2026-11-01 09:00\"";
    constexpr std::string_view kDuration = "a duration such as 90s, 1h, 7d";
    return problemAt(
        value, fmt::format("\"{}\" cannot be read; write {}", quotable(text),
                           type == ValueType::Time ? fmt::format("{}; age takes durations", kTime)
                           : type == ValueType::TimeSinceNow
                               ? std::string(kDuration)
                               : fmt::format("{} (-1h: past), or {}", kDuration, kTime)));
}

FilterSpan compared(FilterComparison comparison, const FilterSpan& span)
{
    switch (comparison) {
    case FilterComparison::Less: return {{}, span.from};
    case FilterComparison::AtMost: return {{}, span.below};
    case FilterComparison::More: return {span.below, FilterSpan{}.below};
    case FilterComparison::AtLeast: return {span.from, FilterSpan{}.below};
    case FilterComparison::Is: break;
    }
    return span;
}

/// "a..b" with both ends included; either may be missing.
Spanned rangeOf(const FilterValue& value, ValueType type)
{
    const std::string_view text(value.text);
    const auto first = text.substr(0, *value.range);
    const auto last = text.substr(*value.range + 2);
    FilterSpan span{{std::numeric_limits<std::int64_t>::min()}, FilterSpan{}.below};
    if (first.empty() && last.empty()) {
        return problemAt(value, "a range has at least one end, as in 2..5 or 2..");
    }
    const auto from = first.empty() ? Spanned{span} : spanOf(first, value, type);
    const auto below = last.empty() || !from ? Spanned{span} : spanOf(last, value, type);
    if (!from || !below) {
        return from ? below : from;
    }
    span = {from->from, below->below};
    const bool comparable = span.from.relative == span.below.relative;
    if (comparable && !first.empty() && !last.empty() && span.from.value >= span.below.value) {
        return problemAt(value, "the range ends before it begins; swap its ends");
    }
    return span;
}

Added addSpan(JobFilter::Node& term,
              FilterComparison comparison,
              const FilterValue& value,
              ValueType type)
{
    if (!value.stars.empty()) {
        return problemAt(value, "* stands in texts only; write a number or time, a "
                                "comparison such as >3, or a range such as 2..5");
    }
    if (value.range && comparison != FilterComparison::Is) {
        return problemAt(value, "a range comes after : and not after < or >");
    }
    auto span = value.range ? rangeOf(value, type) : spanOf(value.text, value, type);
    if (!span) {
        return tl::unexpected(std::move(span.error()));
    }
    const bool isDuration = type == ValueType::TimeSinceNow || span->from.relative;
    if (isDuration && comparison == FilterComparison::Is && !value.range) {
        return problemAt(value, "compare a duration with < or >, or give a range such as 0s..1h");
    }
    term.spans.push_back(compared(comparison, *span));
    return {};
}

}  // namespace

FilterPattern FilterValue::pattern() const
{
    FilterPattern pattern;
    std::size_t begin = 0;
    for (const auto star : stars) {
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
