#include "core/base/time_zone.h"

#include "core/base/file.h"
#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <iterator>

namespace restante {

namespace {

namespace chr = std::chrono;

constexpr std::size_t kHeaderSize = 44;
constexpr std::string_view kZoneDirectory = "/usr/share/zoneinfo/";

bool isZoneName(std::string_view name)
{
    return consistsOf(name, "/_-+") && name.front() != '/';
}

/// A big-endian signed number of `size` bytes.
std::int64_t numberAt(std::string_view bytes, std::size_t at, std::size_t size)
{
    std::uint64_t value = static_cast<signed char>(bytes[at]) < 0 ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < size; ++i) {
        value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
    }
    return static_cast<std::int64_t>(value);
}

/// The counts and the bounds of a block of RFC 8536.
struct Block {
    std::size_t wordSize;
    std::size_t transitions;
    std::size_t types;
    std::size_t begin;
    std::size_t end;
};

std::optional<Block> blockAt(std::string_view content, std::size_t at, std::size_t wordSize)
{
    if (content.size() < at + kHeaderSize || content.substr(at, 4) != "TZif") {
        return {};
    }
    const auto count = [&](std::size_t index) {
        return static_cast<std::size_t>(numberAt(content, at + 20 + 4 * index, 4)) & 0xffffffffU;
    };
    // isutcnt, isstdcnt, leapcnt, timecnt, typecnt, charcnt
    Block block{wordSize, count(3), count(4), at + kHeaderSize, 0};
    block.end = block.begin + block.transitions * (wordSize + 1) + block.types * 6 + count(5) +
                count(2) * (wordSize + 4) + count(1) + count(0);
    const bool isValid = block.types > 0 && block.end <= content.size();
    return isValid ? std::optional{block} : std::nullopt;
}

}  // namespace

/// Reads a POSIX TZ string as RFC 8536 3.3 allows it.
struct TimeZone::RuleReader {
    std::string_view rest;
    bool failed = false;

    bool skip(char c)
    {
        const bool matches = !rest.empty() && rest.front() == c;
        rest.remove_prefix(matches ? 1 : 0);
        return matches;
    }
    void skipName()
    {
        if (skip('<')) {
            const auto end = rest.find('>');
            failed = failed || end == std::string_view::npos;
            rest.remove_prefix(failed ? rest.size() : end + 1);
            return;
        }
        const auto end = std::find_if(rest.begin(), rest.end(),
                                      [](unsigned char c) { return std::isalpha(c) == 0; });
        failed = failed || end == rest.begin();
        rest.remove_prefix(static_cast<std::size_t>(end - rest.begin()));
    }
    int readNumber()
    {
        int value = 0;
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        failed = failed || problem != std::errc{};
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return value;
    }
    /// "[+-]hh[:mm[:ss]]"
    std::int64_t readTime()
    {
        const bool negative = skip('-');
        skip('+');
        std::int64_t seconds = std::int64_t{readNumber()} * 3'600;
        if (skip(':')) {
            seconds += std::int64_t{readNumber()} * 60;
            seconds += skip(':') ? readNumber() : 0;
        }
        return negative ? -seconds : seconds;
    }
    YearlyChange readChange()
    {
        YearlyChange change;
        if (skip('M')) {
            change.month = std::clamp(readNumber(), 1, 12);
            failed = failed || !skip('.');
            change.week = std::clamp(readNumber(), 1, 5);
            failed = failed || !skip('.');
            change.day = readNumber() % 7;
        } else {
            change.kind = skip('J') ? YearlyChange::Kind::JulianDay : YearlyChange::Kind::DayOfYear;
            change.day = readNumber();
        }
        if (skip('/')) {
            change.seconds = readTime();
        }
        return change;
    }
    std::optional<Rule> readRule()
    {
        Rule rule;
        skipName();
        rule.standard = -readTime();
        if (!failed && !rest.empty()) {
            skipName();
            const bool hasDefaultOffset = rest.empty() || rest.front() == ',';
            rule.summer = hasDefaultOffset ? rule.standard + 3'600 : -readTime();
            failed = failed || !skip(',');
            const auto begins = readChange();
            failed = failed || !skip(',');
            rule.changes = {begins, readChange()};
        }
        return failed || !rest.empty() ? std::nullopt : std::optional{rule};
    }
};

Result<TimeZone> TimeZone::load(const std::string& name)
{
    const auto path = std::filesystem::path(kZoneDirectory) / name;
    std::error_code ignored;
    if (isZoneName(name) && std::filesystem::is_regular_file(path, ignored)) {
        if (auto zone = parse(readFile(path).value_or(""))) {
            return zone;
        }
    }
    return failure(ErrorCode::NotFound, "there is no time zone \"" + name.substr(0, 64) +
                                            "\"; write one such as Europe/Berlin (tzdata)");
}

Result<TimeZone> TimeZone::parse(std::string_view content)
{
    const auto broken = invalid("this is no time zone file (TZif, version 2)");
    const auto version1Block = blockAt(content, 0, 4);
    const auto block = version1Block ? blockAt(content, version1Block->end, 8) : std::nullopt;
    if (!block) {
        return broken;
    }
    const auto indicesBegin = block->begin + block->transitions * block->wordSize;
    const auto typesBegin = indicesBegin + block->transitions;
    const auto offsetOf = [&](std::size_t type) {
        return type < block->types ? numberAt(content, typesBegin + type * 6, 4) : 0;
    };
    TimeZone zone;
    zone.offsetBeforeFirst_ = offsetOf(0);
    for (std::size_t i = 0; i < block->transitions; ++i) {
        const auto type = static_cast<unsigned char>(content[indicesBegin + i]);
        zone.transitions_.push_back({numberAt(content, block->begin + i * 8, 8), offsetOf(type)});
    }
    auto footer = content.substr(block->end);
    if (footer.size() > 2 && footer.front() == '\n') {
        footer = footer.substr(1, footer.find('\n', 1) - 1);
        zone.rule_ = RuleReader{footer}.readRule();
    }
    return zone;
}

Millis TimeZone::offsetAt(TimePoint at) const noexcept
{
    const auto seconds = chr::floor<chr::seconds>(at).time_since_epoch().count();
    const auto later = [](std::int64_t moment, const Transition& t) { return moment < t.at; };
    const auto next = std::upper_bound(transitions_.begin(), transitions_.end(), seconds, later);
    std::int64_t offset = offsetBeforeFirst_;
    if (next == transitions_.end() && rule_) {
        offset = offsetByRule(seconds);
    } else if (next != transitions_.begin()) {
        offset = std::prev(next)->offset;
    }
    return chr::seconds{offset};
}

std::int64_t TimeZone::timeOfChange(const YearlyChange& change, int year, std::int64_t offset)
{
    const chr::year y{year};
    chr::sys_days day = chr::sys_days{y / 1 / 1};
    if (change.kind == YearlyChange::Kind::Weekday) {
        const auto month = chr::month{static_cast<unsigned>(change.month)};
        const auto weekday = chr::weekday{static_cast<unsigned>(change.day)};
        day = change.week == 5
                  ? chr::sys_days{y / month / weekday[chr::last]}
                  : chr::sys_days{y / month / weekday[static_cast<unsigned>(change.week)]};
    } else {
        // Julian days run from 1 and never count the 29th of February.
        const bool julian = change.kind == YearlyChange::Kind::JulianDay;
        const bool skipsLeapDay = julian && y.is_leap() && change.day >= 60;
        day += chr::days{change.day - (julian && !skipsLeapDay ? 1 : 0)};
    }
    return chr::seconds{day.time_since_epoch()}.count() + change.seconds - offset;
}

std::int64_t TimeZone::offsetByRule(std::int64_t at) const noexcept
{
    if (!rule_->changes) {
        return rule_->standard;
    }
    const auto local = chr::sys_seconds{chr::seconds{at + rule_->standard}};
    const int year = static_cast<int>(chr::year_month_day{chr::floor<chr::days>(local)}.year());
    const auto begins = timeOfChange(rule_->changes->front(), year, rule_->standard);
    const auto ends = timeOfChange(rule_->changes->back(), year, rule_->summer);
    // South of the equator summer spans the new year.
    const bool summer = begins < ends ? at >= begins && at < ends : at >= begins || at < ends;
    return summer ? rule_->summer : rule_->standard;
}

}  // namespace restante
