#include "core/base/duration.h"

#include <array>
#include <cassert>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace restante {

namespace {

struct Unit {
    std::string_view word;
    std::int64_t ms;
};

/// The larger first: the order in which parts must be written.
constexpr std::array kUnits{
    Unit{"w", 604'800'000}, Unit{"d", 86'400'000}, Unit{"h", 3'600'000},
    Unit{"m", 60'000},      Unit{"s", 1'000},      Unit{"ms", 1},
};

/// A hundred Julian years: more is a slip of the keyboard, and sums of two still fit the 48 bits
/// of a stored time.
constexpr std::int64_t kLongestMs = 36'525LL * 86'400'000;

tl::unexpected<Error> durationError(std::string_view text, std::string_view why)
{
    return invalid("duration \"{}\" {}; write numbers with the units w d h m s ms, the larger "
                   "first, as in 1500ms, 2m, 1h30m, 15d, at most 36525d",
                   text.substr(0, 40), why);
}

std::size_t digitsAtStart(std::string_view text)
{
    const auto end = text.find_first_not_of("0123456789");
    return end == std::string_view::npos ? text.size() : end;
}

/// The index in kUnits of the word, if it is one.
std::optional<std::size_t> unitNamed(std::string_view word)
{
    for (std::size_t i = 0; i < kUnits.size(); ++i) {
        if (kUnits[i].word == word) {
            return i;
        }
    }
    return std::nullopt;
}

}  // namespace

Result<Millis> parseDuration(std::string_view text)
{
    if (text.empty()) {
        return durationError(text, "is empty");
    }
    if (text == "0") {
        return Millis{0};
    }
    std::int64_t total = 0;
    std::size_t nextUnit = 0;
    for (auto rest = text; !rest.empty();) {
        const auto digits = digitsAtStart(rest);
        std::int64_t number = 0;
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + digits, number);
        if (digits == 0) {
            return durationError(text, "lacks a number");
        }
        rest.remove_prefix(digits);
        const auto word = rest.substr(0, rest.find_first_of("0123456789"));
        const auto unit = unitNamed(word);
        if (!unit) {
            return durationError(text, word.empty() ? "lacks a unit" : "has an unknown unit");
        }
        if (*unit < nextUnit) {
            return durationError(text, "has its units out of order");
        }
        if (problem != std::errc{} || number > (kLongestMs - total) / kUnits[*unit].ms) {
            return durationError(text, "is too long");
        }
        total += number * kUnits[*unit].ms;
        nextUnit = *unit + 1;
        rest.remove_prefix(word.size());
    }
    return Millis{total};
}

std::string printDuration(Millis duration)
{
    assert(duration >= Millis{0});
    std::string text;
    auto rest = duration.count();
    for (const auto& unit : kUnits) {
        if (unit.word != "w" && rest >= unit.ms) {
            text += fmt::format("{}{}", rest / unit.ms, unit.word);
            rest %= unit.ms;
        }
    }
    return text.empty() ? "0s" : text;
}

}  // namespace restante
