#include "core/schedule/occurrence_generator.h"

#include "core/schedule/day_filter.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace restante {

namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::seconds;

/// Steps without a reading after which we give up: a few milliseconds. Days that do not fit and
/// hours that do not fit are skipped as one step, so only nonsense gets here.
constexpr std::uint32_t kMostSteps = 200'000;

bool allows(const std::vector<int>& list, int value)
{
    return list.empty() || std::binary_search(list.begin(), list.end(), value);
}

std::vector<int> listOr(const std::vector<int>& list, std::int64_t otherwise)
{
    return list.empty() ? std::vector<int>{static_cast<int>(otherwise)} : list;
}

}  // namespace

class OccurrenceGenerator::Source {
public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;

    virtual std::optional<LocalSeconds> next() = 0;
};

/// FREQ=DAILY and longer: the days that fit of one period after the other, each at the times of the
/// rule.
class OccurrenceGenerator::DaysAndMore final : public OccurrenceGenerator::Source {
public:
    DaysAndMore(const RecurrenceRule& rule, LocalSeconds start, LocalSeconds from, LocalSeconds end)
        : rule_(rule),
          start_(floor<days>(start)),
          from_(std::max(start, from)),
          end_(end),
          filter_(rule, start_),
          period_(periodsUntil(floor<days>(from_)) / rule.interval)
    {
        const std::chrono::hh_mm_ss time{start - start_};
        for (const int hour : listOr(rule.hours, time.hours().count())) {
            for (const int minute : listOr(rule.minutes, time.minutes().count())) {
                for (const int second : listOr(rule.seconds, time.seconds().count())) {
                    times_.push_back(hours{hour} + minutes{minute} + seconds{second});
                }
            }
        }
    }

    std::optional<LocalSeconds> next() override
    {
        for (;;) {
            while (place_ < waiting_.size()) {
                const auto reading = waiting_[place_++];
                if (reading >= from_) {
                    return reading <= end_ ? std::optional{reading} : std::nullopt;
                }
            }
            if (day_ == periodEnd_) {
                const auto [first, behind] = daysOf(period_++ * rule_.interval);
                if (first > end_) {
                    return {};
                }
                day_ = first;
                periodEnd_ = behind;
            }
            expand();
        }
    }

private:
    /// Whole periods, without regard to INTERVAL, between the start's and the one of `day`.
    std::int64_t periodsUntil(local_days day) const
    {
        using enum RecurrenceRule::Frequency;
        const std::chrono::year_month_day from{start_};
        const std::chrono::year_month_day to{day};
        switch (rule_.frequency) {
        case Yearly: return (to.year() - from.year()).count();
        case Monthly: return (to.year() / to.month() - from.year() / from.month()).count();
        case Weekly: return (day - weekOf(start_)) / std::chrono::weeks{1};
        default: return (day - start_).count();
        }
    }
    local_days weekOf(local_days day) const
    {
        const std::chrono::weekday first{static_cast<unsigned>(rule_.firstWeekday)};
        return day - (std::chrono::weekday{day} - first);
    }
    /// The first day of that period and the day behind its last.
    std::pair<local_days, local_days> daysOf(std::int64_t period) const
    {
        using enum RecurrenceRule::Frequency;
        using std::chrono::months;
        using std::chrono::years;
        const std::chrono::year_month_day from{start_};
        const auto count = static_cast<int>(period);
        switch (rule_.frequency) {
        case Yearly: {
            const auto year = from.year() + years{count};
            return {local_days{year / 1 / 1}, local_days{(year + years{1}) / 1 / 1}};
        }
        case Monthly: {
            const auto month = from.year() / from.month() + months{count};
            return {local_days{month / 1}, local_days{(month + months{1}) / 1}};
        }
        case Weekly: {
            const auto week = weekOf(start_) + std::chrono::weeks{count};
            return {week, week + days{7}};
        }
        default: return {start_ + days{count}, start_ + days{count + 1}};
        }
    }

    /// The readings of the next day that fits; with BYSETPOS, of the rest of the period.
    void expand()
    {
        waiting_.clear();
        place_ = 0;
        const bool wholePeriod = !rule_.positions.empty();
        while (day_ != periodEnd_ && (wholePeriod || waiting_.empty())) {
            if (filter_.fits(day_)) {
                for (const auto time : times_) {
                    waiting_.push_back(day_ + time);
                }
            }
            day_ += days{1};
        }
        if (wholePeriod) {
            choose();
        }
    }
    void choose()
    {
        std::vector<LocalSeconds> chosen;
        const auto size = static_cast<int>(waiting_.size());
        for (int i = 0; i < size; ++i) {
            const auto& wanted = rule_.positions;
            if (std::binary_search(wanted.begin(), wanted.end(), i + 1) ||
                std::binary_search(wanted.begin(), wanted.end(), i - size)) {
                chosen.push_back(waiting_[static_cast<std::size_t>(i)]);
            }
        }
        waiting_ = std::move(chosen);
    }

    const RecurrenceRule& rule_;
    local_days start_;
    LocalSeconds from_;
    LocalSeconds end_;
    DayFilter filter_;
    std::int64_t period_;  ///< the next one, in steps of INTERVAL
    local_days day_{};     ///< the next one of the current period
    local_days periodEnd_{};
    std::vector<seconds> times_;         ///< of each day
    std::vector<LocalSeconds> waiting_;  ///< from `place_` on
    std::size_t place_ = 0;
};

/// FREQ=HOURLY, MINUTELY and SECONDLY. What does not fit is skipped as a whole: a second per step
/// would take minutes to find the next 29 February.
class OccurrenceGenerator::BelowADay final : public OccurrenceGenerator::Source {
public:
    BelowADay(const RecurrenceRule& rule, LocalSeconds start, LocalSeconds from, LocalSeconds end)
        : rule_(rule),
          start_(start),
          from_(std::max(start, from)),
          end_(end),
          filter_(rule, floor<days>(start)),
          unit_(unitOf(rule.frequency)),
          first_(start_ - (start_.time_since_epoch() % unit_)),
          step_((from_ - first_) / stride())
    {
    }

    std::optional<LocalSeconds> next() override
    {
        for (std::uint32_t steps = 0; steps < kMostSteps; ++steps) {
            while (!waiting_.empty()) {
                const auto reading = waiting_.back();
                waiting_.pop_back();
                if (reading >= from_) {
                    return reading <= end_ ? std::optional{reading} : std::nullopt;
                }
            }
            const auto period = first_ + step_ * stride();
            if (period > end_) {
                return {};
            }
            if (const auto fitting = nextFitting(period); fitting > period) {
                step_ = (fitting - first_ + stride() - seconds{1}) / stride();
            } else {
                expand(period);
                ++step_;
            }
        }
        return {};
    }

private:
    static seconds unitOf(RecurrenceRule::Frequency frequency)
    {
        using enum RecurrenceRule::Frequency;
        return frequency == Hourly     ? seconds{hours{1}}
               : frequency == Minutely ? seconds{minutes{1}}
                                       : seconds{1};
    }
    seconds stride() const { return unit_ * rule_.interval; }

    /// `period` itself when it fits, else the earliest moment at which one can fit again.
    LocalSeconds nextFitting(LocalSeconds period) const
    {
        const auto midnight = floor<days>(period);
        if (!filter_.fits(midnight)) {
            return midnight + days{1};
        }
        const std::chrono::hh_mm_ss time{period - midnight};
        if (!allows(rule_.hours, static_cast<int>(time.hours().count()))) {
            return midnight + time.hours() + hours{1};
        }
        const bool isWithinHour = unit_ < hours{1};
        if (isWithinHour && !allows(rule_.minutes, static_cast<int>(time.minutes().count()))) {
            return midnight + time.hours() + time.minutes() + minutes{1};
        }
        const bool isWithinMinute = unit_ < minutes{1};
        if (isWithinMinute && !allows(rule_.seconds, static_cast<int>(time.seconds().count()))) {
            return period + seconds{1};
        }
        return period;
    }

    /// The readings within a period that fits; the latest first, because they are taken off the
    /// end.
    void expand(LocalSeconds period)
    {
        const std::chrono::hh_mm_ss open{start_ - floor<days>(start_)};
        const auto minuteList =
            unit_ == hours{1} ? listOr(rule_.minutes, open.minutes().count()) : std::vector<int>{0};
        const auto secondList = unit_ > seconds{1} ? listOr(rule_.seconds, open.seconds().count())
                                                   : std::vector<int>{0};
        for (const int minute : minuteList) {
            for (const int second : secondList) {
                waiting_.push_back(period + minutes{minute} + seconds{second});
            }
        }
        std::reverse(waiting_.begin(), waiting_.end());
    }

    const RecurrenceRule& rule_;
    LocalSeconds start_;
    LocalSeconds from_;
    LocalSeconds end_;
    DayFilter filter_;
    seconds unit_;
    LocalSeconds first_;  ///< the period that holds the start
    std::int64_t step_;   ///< the next period to look at, counted from `first_`
    std::vector<LocalSeconds> waiting_;
};

OccurrenceGenerator::OccurrenceGenerator(const RecurrenceRule& rule,
                                         LocalSeconds start,
                                         LocalSeconds from,
                                         LocalSeconds end)
{
    if (rule.isBelowADay()) {
        source_ = std::make_unique<BelowADay>(rule, start, from, end);
    } else {
        source_ = std::make_unique<DaysAndMore>(rule, start, from, end);
    }
}

OccurrenceGenerator::~OccurrenceGenerator() = default;

std::optional<LocalSeconds> OccurrenceGenerator::next()
{
    return source_->next();
}

}  // namespace restante
