#include "core/schedule/recurrence_rule.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

namespace restante {

namespace {

using Frequency = RecurrenceRule::Frequency;

/// Enough to name every hour, minute and month.
constexpr std::size_t kLongestRule = 800;
/// More repetitions than anybody needs; bounds the search for the next one, which counts from the
/// start.
constexpr int kHighestCount = 10'000;
constexpr int kHighestInterval = 10'000;
/// BYSETPOS builds the whole set of a period: up to a year of days with so many times each.
constexpr std::size_t kMostTimesWithSetPos = 24;

constexpr std::array<std::string_view, 7> kFrequencies{"SECONDLY", "MINUTELY", "HOURLY", "DAILY",
                                                       "WEEKLY",   "MONTHLY",  "YEARLY"};
constexpr std::array<std::string_view, 7> kWeekdayNames{"SU", "MO", "TU", "WE", "TH", "FR", "SA"};

tl::unexpected<Error> refusal(std::string_view name, std::string_view problem)
{
    return invalid("{} {}", name, problem);
}

/// "5", "+5" or "-5"; none also of what is far from any number that a rule may have.
std::optional<int> readInteger(std::string_view word)
{
    const bool hasPlus = word.starts_with('+');
    const auto number = wholeNumber<int>(word.substr(hasPlus ? 1 : 0));
    constexpr int kFar = 1'000'000;
    const bool isUsable = number && *number >= (hasPlus ? 0 : -kFar) && *number <= kFar;
    return isUsable ? number : std::nullopt;
}

enum class Sign { Positive, Either };

/// "1,15,-1": the numbers, sorted; with Either also those that count from the end.
Result<std::vector<int>>
numbersOf(std::string_view name, std::string_view words, int least, int most, Sign sign)
{
    std::set<int> numbers;
    for (const auto word : split(words, ',')) {
        const auto number = readInteger(word);
        const int magnitude =
            number && sign == Sign::Either ? std::abs(*number) : number.value_or(-1);
        if (!number || magnitude < least || magnitude > most) {
            return refusal(
                name, fmt::format("is {} to {}{}, separated by commas", least, most,
                                  sign == Sign::Either ? ", or -1 and so on from the end" : ""));
        }
        numbers.insert(*number);
    }
    return std::vector<int>(numbers.begin(), numbers.end());
}

/// "MO,WE" or "1MO,-1FR".
Result<std::vector<RecurrenceRule::Weekday>> weekdaysOf(std::string_view words)
{
    constexpr int kMostWeeks = 53;
    std::vector<RecurrenceRule::Weekday> weekdays;
    for (const auto word : split(words, ',')) {
        const auto length = std::min<std::size_t>(word.size(), 2);
        const auto day = std::ranges::find(kWeekdayNames, word.substr(word.size() - length));
        const auto ordinal = word.substr(0, word.size() - length);
        const auto number = readInteger(ordinal);
        if (day == kWeekdayNames.end() ||
            (!ordinal.empty() && (!number || *number == 0 || std::abs(*number) > kMostWeeks))) {
            return refusal("BYDAY", "is MO, TU, WE, TH, FR, SA or SU, separated by commas; within "
                                    "months and years also 1MO (the first) or -1FR (the last)");
        }
        weekdays.push_back({static_cast<int>(day - kWeekdayNames.begin()), number.value_or(0)});
    }
    return weekdays;
}

using Parts = std::map<std::string, std::string, std::less<>>;

Result<Parts> partsOf(std::string_view text)
{
    Parts parts;
    for (const auto word : split(text, ';')) {
        const auto equals = word.find('=');
        if (equals == std::string_view::npos || equals + 1 == word.size()) {
            return invalid(
                "\"{}\" is not a part of a rule; write NAME=VALUE, such as FREQ=WEEKLY;BYDAY=MO",
                word);
        }
        const auto name = word.substr(0, equals);
        if (!parts.emplace(name, word.substr(equals + 1)).second) {
            return refusal(name, "is there twice");
        }
    }
    if (!parts.contains("FREQ")) {
        return refusal("FREQ", "is missing; a rule begins with FREQ=DAILY, for example");
    }
    return parts;
}

/// Reads the parts one after the other and keeps the first error.
class RuleReader {
public:
    explicit RuleReader(Parts parts) : parts_(std::move(parts)) {}

    Result<RecurrenceRule> read()
    {
        readFrequency();
        readNumbers();
        readDays();
        checkSetPos();
        for (const auto& [name, value] : parts_) {
            if (!allowedNames_.contains(name)) {
                fail(refusal(name, "is not known; the parts of a rule are FREQ, INTERVAL, COUNT, "
                                   "UNTIL, BYMONTH, BYMONTHDAY, BYDAY, BYHOUR, BYMINUTE, BYSECOND, "
                                   "BYYEARDAY, BYWEEKNO, BYSETPOS and WKST"));
            }
        }
        if (problem_) {
            return tl::unexpected(*problem_);
        }
        return rule_;
    }

private:
    void fail(tl::unexpected<Error> problem)
    {
        if (!problem_) {
            problem_ = std::move(problem.value());
        }
    }
    /// The value of the part, null when the rule lacks it; read() refuses parts never asked for.
    const std::string* allowedPart(std::string_view name)
    {
        allowedNames_.emplace(name);
        const auto found = parts_.find(name);
        return found == parts_.end() ? nullptr : &found->second;
    }
    std::vector<int>
    readList(std::string_view name, int least, int most, Sign sign = Sign::Positive)
    {
        const auto* words = allowedPart(name);
        auto numbers =
            words == nullptr ? std::vector<int>{} : numbersOf(name, *words, least, most, sign);
        if (!numbers) {
            fail(tl::unexpected(numbers.error()));
        }
        return numbers.value_or(std::vector<int>{});
    }
    int readPositive(std::string_view name, int most, int defaultValue)
    {
        const auto* word = allowedPart(name);
        const auto value = word == nullptr ? defaultValue : readInteger(*word).value_or(0);
        if (word != nullptr && (value < 1 || value > most)) {
            fail(refusal(name, fmt::format("is 1 to {}", most)));
        }
        return value;
    }
    /// RFC 5545's table: `name` has a meaning with these frequencies only.
    void allowOnlyWith(std::string_view name, std::initializer_list<Frequency> frequencies)
    {
        if (allowedPart(name) != nullptr &&
            std::ranges::find(frequencies, rule_.frequency) == frequencies.end()) {
            fail(refusal(name, fmt::format("has no meaning with FREQ={}", *allowedPart("FREQ"))));
        }
    }

    void readFrequency()
    {
        const auto found = std::ranges::find(kFrequencies, *allowedPart("FREQ"));
        if (found == kFrequencies.end()) {
            return fail(refusal("FREQ", "is SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY or "
                                        "YEARLY"));
        }
        rule_.frequency = static_cast<Frequency>(found - kFrequencies.begin());
    }

    void readNumbers()
    {
        rule_.interval = readPositive("INTERVAL", kHighestInterval, 1);
        rule_.count = static_cast<std::uint32_t>(readPositive("COUNT", kHighestCount, 0));
        if (const auto* until = allowedPart("UNTIL")) {
            rule_.until = *until;
            if (rule_.count != 0) {
                fail(refusal("UNTIL", "and COUNT exclude each other"));
            }
        }
        rule_.seconds = readList("BYSECOND", 0, 59);
        rule_.minutes = readList("BYMINUTE", 0, 59);
        rule_.hours = readList("BYHOUR", 0, 23);
        rule_.months = readList("BYMONTH", 1, 12);
        rule_.monthDays = readList("BYMONTHDAY", 1, 31, Sign::Either);
        rule_.yearDays = readList("BYYEARDAY", 1, 366, Sign::Either);
        rule_.weeks = readList("BYWEEKNO", 1, 53, Sign::Either);
        rule_.positions = readList("BYSETPOS", 1, 366, Sign::Either);
        using enum RecurrenceRule::Frequency;
        allowOnlyWith("BYMONTHDAY", {Secondly, Minutely, Hourly, Daily, Monthly, Yearly});
        allowOnlyWith("BYYEARDAY", {Secondly, Minutely, Hourly, Yearly});
        allowOnlyWith("BYWEEKNO", {Yearly});
    }

    void readDays()
    {
        if (const auto* firstWeekday = allowedPart("WKST")) {
            const auto found = std::ranges::find(kWeekdayNames, *firstWeekday);
            rule_.firstWeekday = static_cast<int>(found - kWeekdayNames.begin());
            if (found == kWeekdayNames.end()) {
                fail(refusal("WKST", "is MO, TU, WE, TH, FR, SA or SU"));
            }
        }
        const auto* words = allowedPart("BYDAY");
        if (words == nullptr) {
            return;
        }
        auto weekdays = weekdaysOf(*words);
        if (!weekdays) {
            return fail(tl::unexpected(weekdays.error()));
        }
        rule_.weekdays = std::move(*weekdays);
        const bool mayHaveOrdinals =
            rule_.frequency == Frequency::Monthly ||
            (rule_.frequency == Frequency::Yearly && allowedPart("BYWEEKNO") == nullptr);
        const bool hasOrdinals = std::ranges::any_of(
            rule_.weekdays, [](const auto& weekday) { return weekday.ordinal != 0; });
        if (hasOrdinals && !mayHaveOrdinals) {
            fail(refusal("BYDAY", "counts days (1MO, -1FR) only within FREQ=MONTHLY and, without "
                                  "BYWEEKNO, FREQ=YEARLY"));
        }
    }

    void checkSetPos()
    {
        if (allowedPart("BYSETPOS") == nullptr) {
            return;
        }
        if (rule_.isSubDaily()) {
            fail(refusal("BYSETPOS", "needs FREQ=DAILY or a longer one"));
        }
        const bool hasOtherByPart = std::ranges::any_of(parts_, [](const auto& entry) {
            return entry.first.starts_with("BY") && entry.first != "BYSETPOS";
        });
        if (!hasOtherByPart) {
            fail(refusal("BYSETPOS", "chooses among what another BY... part gives"));
        }
        const auto countOrOne = [](const std::vector<int>& list) {
            return std::max<std::size_t>(list.size(), 1);
        };
        if (countOrOne(rule_.hours) * countOrOne(rule_.minutes) * countOrOne(rule_.seconds) >
            kMostTimesWithSetPos) {
            fail(refusal("BYSETPOS",
                         fmt::format("goes with at most {} times a day", kMostTimesWithSetPos)));
        }
    }

    Parts parts_;
    std::set<std::string, std::less<>> allowedNames_;
    RecurrenceRule rule_;
    std::optional<Error> problem_;
};

/// Changes ASCII letters only, whatever the locale.
std::string upperCase(std::string_view text)
{
    std::string upper(text);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return upper;
}

}  // namespace

Result<RecurrenceRule> RecurrenceRule::parse(std::string_view text)
{
    const auto upper = upperCase(text);
    if (upper.empty() || upper.size() > kLongestRule ||
        !std::ranges::all_of(upper, [](char c) { return c > ' ' && c < '\x7f'; })) {
        return invalid("a rule has 1 to {} characters without spaces, such as FREQ=WEEKLY;BYDAY=MO",
                       kLongestRule);
    }
    auto rule =
        partsOf(upper).and_then([](Parts parts) { return RuleReader(std::move(parts)).read(); });
    if (rule) {
        rule->text = upper;
    }
    return rule;
}

}  // namespace restante
