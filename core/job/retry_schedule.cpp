#include "core/job/retry_schedule.h"

#include "core/base/duration.h"
#include "core/base/text.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>

namespace restante {

namespace {

/// Longer lists should use the exponential form. Also bounds the size of the record.
constexpr std::size_t kMostIntervals = 100;
constexpr std::string_view kExponential = "exponential";

tl::unexpected<Error> refusal(std::string_view text, std::string_view why)
{
    return invalid("retry schedule \"{}\": {}; write 1-100 intervals as in 0s,2m,10m,1h, or "
                   "exponential(base=10s,cap=1h,jitter=0.2,attempts=12)",
                   text.substr(0, 80), why);
}

/// Reads a duration over zero into `field`; returns the error, or an empty text.
std::string setDuration(Millis& field, std::string_view word, std::string_view value)
{
    const auto duration = parseDuration(value);
    if (!duration) {
        return duration.error().message;
    }
    if (*duration <= Millis{0}) {
        return fmt::format("{} must be longer than 0s", word);
    }
    field = *duration;
    return {};
}

/// Sets one `name=value` of the exponential form; returns the error, or an empty text.
std::string setParameter(RetrySchedule::Exponential& shape, std::string_view item)
{
    const auto equals = item.find('=');
    const auto word = item.substr(0, equals);
    const auto value =
        equals == std::string_view::npos ? std::string_view{} : item.substr(equals + 1);
    if (word == "base") {
        return setDuration(shape.base, word, value);
    }
    if (word == "cap") {
        return setDuration(shape.cap, word, value);
    }
    if (word == "jitter") {
        const bool fits =
            readNumber(value, shape.jitter) && shape.jitter >= 0.0 && shape.jitter <= 1.0;
        return fits ? "" : "jitter is a number from 0 to 1";
    }
    if (word == "attempts") {
        return readNumber(value, shape.attempts) ? "" : "attempts is a whole number, 0 for no end";
    }
    return fmt::format("\"{}\" is none of base, cap, jitter, attempts", word);
}

std::optional<Millis>
waitOf(const RetrySchedule::Exponential& shape, std::uint32_t attempt, double random)
{
    if (shape.attempts != 0 && attempt > shape.attempts) {
        return std::nullopt;
    }
    if (attempt == 1) {
        return Millis{0};
    }
    auto wait = std::min(shape.base, shape.cap);
    for (auto doublings = attempt - 2; doublings > 0 && wait < shape.cap; --doublings) {
        wait = std::min(wait * 2, shape.cap);
    }
    const double factor = 1.0 + shape.jitter * (2.0 * random - 1.0);
    return Millis{std::llround(static_cast<double>(wait.count()) * factor)};
}

std::string formatOf(std::monostate /*none*/)
{
    return {};
}

std::string formatOf(const RetrySchedule::Exponential& shape)
{
    auto text = fmt::format("{}(base={},cap={}", kExponential, formatDuration(shape.base),
                            formatDuration(shape.cap));
    if (shape.jitter > 0.0) {
        text += fmt::format(",jitter={}", shape.jitter);
    }
    if (shape.attempts != 0) {
        text += fmt::format(",attempts={}", shape.attempts);
    }
    return text + ")";
}

std::string formatOf(const std::vector<Millis>& intervals)
{
    std::string text;
    for (const auto interval : intervals) {
        text += (text.empty() ? "" : ",") + formatDuration(interval);
    }
    return text;
}

Result<RetrySchedule::Exponential> parseExponential(std::string_view text)
{
    const auto parameters = text.substr(kExponential.size());
    RetrySchedule::Exponential shape;
    if (parameters.empty()) {
        return shape;
    }
    if (parameters.size() < 2 || parameters.front() != '(' || parameters.back() != ')') {
        return refusal(text, "the parameters stand in parentheses");
    }
    auto items = split(parameters.substr(1, parameters.size() - 2), ',');
    if (items.back().empty()) {
        items.pop_back();
    }
    for (const auto item : items) {
        if (auto wrong = setParameter(shape, item); !wrong.empty()) {
            return refusal(text, wrong);
        }
    }
    return shape;
}

Result<std::vector<Millis>> parseList(std::string_view text)
{
    if (text.empty() || text.back() == ',') {
        return refusal(text, "an interval is missing");
    }
    std::vector<Millis> intervals;
    for (const auto item : split(text, ',')) {
        const auto interval = parseDuration(item);
        if (!interval) {
            return refusal(text, interval.error().message);
        }
        if (intervals.size() == kMostIntervals) {
            return refusal(text, "there are more than 100 intervals");
        }
        intervals.push_back(*interval);
    }
    return intervals;
}

}  // namespace

Result<RetrySchedule> RetrySchedule::parse(std::string_view text)
{
    const auto scheduleOf = [](auto shape) {
        RetrySchedule schedule;
        schedule.shape_ = std::move(shape);
        return schedule;
    };
    return text.starts_with(kExponential) ? parseExponential(text).map(scheduleOf)
                                          : parseList(text).map(scheduleOf);
}

std::string RetrySchedule::toString() const
{
    return std::visit([](const auto& shape) { return formatOf(shape); }, shape_);
}

std::optional<Millis> RetrySchedule::waitBefore(std::uint32_t attempt, double random) const
{
    assert(attempt >= 1);
    if (const auto* exponential = std::get_if<Exponential>(&shape_)) {
        return waitOf(*exponential, attempt, random);
    }
    const auto* intervals = std::get_if<std::vector<Millis>>(&shape_);
    if (intervals == nullptr || attempt > intervals->size()) {
        return std::nullopt;
    }
    return (*intervals)[attempt - 1];
}

Millis RetrySchedule::waitBeforeWithoutEnd(std::uint32_t attempt, double random) const
{
    assert(!empty());
    if (const auto* exponential = std::get_if<Exponential>(&shape_)) {
        auto endless = *exponential;
        endless.attempts = 0;
        return *waitOf(endless, attempt, random);
    }
    const auto& intervals = std::get<std::vector<Millis>>(shape_);
    return intervals[std::min<std::size_t>(attempt, intervals.size()) - 1];
}

}  // namespace restante
