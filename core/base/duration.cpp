#include "core/base/duration.h"

#include <array>
#include <cassert>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace restante {

namespace {

struct Unit {
    std::string_view symbol;
    std::int64_t ms;
};

/// Largest first, which is the order in which the parts of a duration must be written.
constexpr std::array kUnits{
    Unit{"w", 604'800'000}, Unit{"d", 86'400'000}, Unit{"h", 3'600'000},
    Unit{"m", 60'000},      Unit{"s", 1'000},      Unit{"ms", 1},
};

/// A hundred Julian years. More is taken for a typing error; the sum of two durations still fits
/// into the 48 bits in which a time is stored.
constexpr std::int64_t kMaxDurationMs = 36'525LL * 86'400'000;

tl::unexpected<Error> durationError(std::string_view text, std::string_view why)
{
    return invalid("duration \"{}\" {}; write numbers with the units w d h m s ms, the larger "
                   "first, as in 1500ms, 2m, 1h30m, 15d, at most 36525d",
                   text.substr(0, 40), why);
}

std::size_t leadingDigitCount(std::string_view text)
{
    const auto end = text.find_first_not_of("0123456789");
    return end == std::string_view::npos ? text.size() : end;
}

/// The index in kUnits of the unit with this symbol; none when there is no such unit.
std::optional<std::size_t> unitIndexOf(std::string_view symbol)
{
    for (std::size_t i = 0; i < kUnits.size(); ++i) {
        if (kUnits[i].symbol == symbol) {
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
    std::size_t firstAllowedUnitIndex = 0;
    for (auto rest = text; !rest.empty();) {
        const auto digitCount = leadingDigitCount(rest);
        std::int64_t number = 0;
        const auto [end, errorCode] =
            std::from_chars(rest.data(), rest.data() + digitCount, number);
        if (digitCount == 0) {
            return durationError(text, "lacks a number");
        }
        rest.remove_prefix(digitCount);
        const auto symbol = rest.substr(0, rest.find_first_of("0123456789"));
        const auto unitIndex = unitIndexOf(symbol);
        if (!unitIndex) {
            return durationError(text, symbol.empty() ? "lacks a unit" : "has an unknown unit");
        }
        if (*unitIndex < firstAllowedUnitIndex) {
            return durationError(text, "has its units out of order");
        }
        if (errorCode != std::errc{} || number > (kMaxDurationMs - total) / kUnits[*unitIndex].ms) {
            return durationError(text, "is too long");
        }
        total += number * kUnits[*unitIndex].ms;
        firstAllowedUnitIndex = *unitIndex + 1;
        rest.remove_prefix(symbol.size());
    }
    return Millis{total};
}

std::string formatDuration(Millis duration)
{
    assert(duration >= Millis{0});
    std::string text;
    auto rest = duration.count();
    for (const auto& unit : kUnits) {
        if (unit.symbol != "w" && rest >= unit.ms) {
            text += fmt::format("{}{}", rest / unit.ms, unit.symbol);
            rest %= unit.ms;
        }
    }
    return text.empty() ? "0s" : text;
}

}  // namespace restante
