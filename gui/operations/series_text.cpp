#include "gui/operations/series_text.h"

#include "core/base/text.h"
#include "core/queue/job_history.h"
#include "core/schedule/recurrence_rule.h"
#include "core/schedule/zoned_clock.h"
#include "gui/base/preferences.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QDate>
#include <QLocale>
#include <QTime>
#include <QTimeZone>

#include <algorithm>
#include <array>
#include <set>

namespace restante::gui {

namespace {

using reminder::Series;
using Frequency = RecurrenceRule::Frequency;

constexpr int kDaysPerWeek = 7;
/// A series that is overdue by less is being sent.
constexpr Millis kSendGrace{10'000};

QString textOf(const std::string& text)
{
    return QString::fromStdString(text);
}

/// "Monday"; 0 = Sunday.
QString dayName(int day, QLocale::FormatType length = QLocale::LongFormat)
{
    return QLocale().standaloneDayName(day == 0 ? kDaysPerWeek : day, length);
}

/// A rule and its start, from which its description is made. *Value.*
struct RuleDescription {
    RecurrenceRule rule;
    QDate start;
    QString time;

    /// Only days of the week or of the month (for Yearly also months) restrict the rule.
    bool isSimple() const
    {
        return rule.yearDays.empty() && rule.weeks.empty() && rule.positions.empty() &&
               (rule.months.empty() || rule.frequency == Frequency::Yearly);
    }
    bool hasFilters() const
    {
        return !rule.weekdays.empty() || !rule.monthDays.empty() || !rule.months.empty() ||
               !rule.minutes.empty() || !rule.seconds.empty();
    }
    /// The days of the week, each once; 0 = Sunday.
    std::set<int> weekdays() const
    {
        std::set<int> days;
        for (const auto& one : rule.weekdays) {
            days.insert(one.day);
        }
        return days.empty() ? std::set<int>{start.dayOfWeek() % kDaysPerWeek} : days;
    }
    /// Whether it has days such as "1MO" or "-1FR", not only "MO".
    bool hasOrdinals() const
    {
        return std::ranges::any_of(rule.weekdays, [](const auto& one) { return one.ordinal != 0; });
    }
};

QString elapsedTimeRuleText(const RuleDescription& description)
{
    const auto interval = description.rule.interval;
    if (description.hasFilters()) {
        return {};
    }
    switch (description.rule.frequency) {
    case Frequency::Hourly:
        return interval == 1 ? SeriesText::tr("every hour")
                             : SeriesText::tr("every %Ln hour(s)", "", interval);
    case Frequency::Minutely:
        return interval == 1 ? SeriesText::tr("every minute")
                             : SeriesText::tr("every %Ln minute(s)", "", interval);
    default: return SeriesText::tr("every %Ln second(s)", "", interval);
    }
}

QString weeklyText(const RuleDescription& description)
{
    if (description.hasOrdinals() || !description.rule.monthDays.empty()) {
        return {};
    }
    const auto days = description.weekdays();
    const bool isSingle = days.size() == 1;
    // From Monday on.
    QStringList names;
    for (int day = 1; day <= kDaysPerWeek; ++day) {
        if (days.contains(day % kDaysPerWeek)) {
            names.append(
                dayName(day % kDaysPerWeek, isSingle ? QLocale::LongFormat : QLocale::ShortFormat));
        }
    }
    const auto listed = QLocale().createSeparatedList(names);
    const auto weeks =
        description.rule.frequency == Frequency::Weekly ? description.rule.interval : 1;
    if (weeks != 1) {
        return SeriesText::tr("every %Ln week(s) on %1 at %2", "days, time", weeks)
            .arg(listed, description.time);
    }
    if (days.size() == kDaysPerWeek) {
        return SeriesText::tr("daily at %1").arg(description.time);
    }
    if (days == std::set<int>{1, 2, 3, 4, 5}) {
        return SeriesText::tr("weekdays at %1", "Monday to Friday").arg(description.time);
    }
    if (days == std::set<int>{0, 6}) {
        return SeriesText::tr("weekends at %1", "Saturday and Sunday").arg(description.time);
    }
    return isSingle ? SeriesText::tr("every %1 at %2", "a day of the week, time")
                          .arg(listed, description.time)
                    : SeriesText::tr("%1 at %2", "several days of the week, time")
                          .arg(listed, description.time);
}

QString dailyText(const RuleDescription& description)
{
    if (!description.rule.weekdays.empty() && description.rule.interval == 1) {
        return weeklyText(description);
    }
    if (!description.rule.weekdays.empty() || !description.rule.monthDays.empty()) {
        return {};
    }
    return description.rule.interval == 1
               ? SeriesText::tr("daily at %1").arg(description.time)
               : SeriesText::tr("every %Ln day(s) at %1", "", description.rule.interval)
                     .arg(description.time);
}

/// "1MO", "-1FR" of a month.
QString nthWeekdayText(const RuleDescription& description)
{
    const auto& weekday = description.rule.weekdays.front();
    const auto day = dayName(weekday.day);
    switch (weekday.ordinal) {
    case 1: return SeriesText::tr("the first %1 of each month at %2").arg(day, description.time);
    case 2: return SeriesText::tr("the second %1 of each month at %2").arg(day, description.time);
    case 3: return SeriesText::tr("the third %1 of each month at %2").arg(day, description.time);
    case 4: return SeriesText::tr("the fourth %1 of each month at %2").arg(day, description.time);
    case -1: return SeriesText::tr("the last %1 of each month at %2").arg(day, description.time);
    default: return {};
    }
}

QString monthlyText(const RuleDescription& description)
{
    const auto& rule = description.rule;
    if (!rule.weekdays.empty()) {
        const bool isNth =
            rule.weekdays.size() == 1 && rule.monthDays.empty() && rule.interval == 1;
        return isNth ? nthWeekdayText(description) : QString();
    }
    const auto day = rule.monthDays.empty()       ? description.start.day()
                     : rule.monthDays.size() == 1 ? rule.monthDays.front()
                                                  : 0;
    if (day == -1 && rule.interval == 1) {
        return SeriesText::tr("the last day of each month at %1").arg(description.time);
    }
    if (day < 1) {
        return {};
    }
    return rule.interval == 1
               ? SeriesText::tr("on day %1 of each month at %2").arg(day).arg(description.time)
               : SeriesText::tr("every %Ln month(s) on day %1 at %2", "", rule.interval)
                     .arg(day)
                     .arg(description.time);
}

QString yearlyText(const RuleDescription& description)
{
    const auto& rule = description.rule;
    const bool fromStart = rule.months.empty() && rule.monthDays.empty();
    const bool isDate = rule.months.size() == 1 && rule.monthDays.size() == 1;
    if (!rule.weekdays.empty() || rule.interval != 1 || (!fromStart && !isDate)) {
        return {};
    }
    constexpr int kLeapYear = 2'000;  // has every date
    const auto date = fromStart ? description.start
                                : QDate(kLeapYear, rule.months.front(), rule.monthDays.front());
    return date.isValid()
               ? SeriesText::tr("each year on %1 at %2", "a day of the year, time")
                     .arg(QLocale().toString(
                              date, SeriesText::tr("d MMMM", "a day of the year, as Qt writes it")),
                          description.time)
               : QString();
}

QString textOfRule(const RuleDescription& description)
{
    if (!description.isSimple()) {
        return {};
    }
    if (description.rule.countsElapsedTime()) {
        return elapsedTimeRuleText(description);
    }
    switch (description.rule.frequency) {
    case Frequency::Daily: return dailyText(description);
    case Frequency::Weekly: return weeklyText(description);
    case Frequency::Monthly: return monthlyText(description);
    case Frequency::Yearly: return yearlyText(description);
    default: return {};
    }
}

/// The only value of a list, or that of the start when it is empty; none when there are several.
std::optional<int> singleValue(const std::vector<int>& values, int ofStart)
{
    return values.empty()       ? std::optional(ofStart)
           : values.size() == 1 ? std::optional(values.front())
                                : std::nullopt;
}

SeriesText::Status stateStatus(JobState state, const QString& word, const QString& tip = {})
{
    const auto style = Theme::style(state);
    return {word, style.icon, style.foreground, tip};
}

}  // namespace

QString SeriesText::person(const std::string& recipient)
{
    constexpr std::string_view kScheme = "sip:";
    const bool isSip =
        startsWithIgnoringCase(recipient, kScheme) && recipient.size() > kScheme.size();
    return textOf(isSip ? recipient.substr(kScheme.size()) : recipient);
}

QString SeriesText::clock(int hour, int minute, int second) const
{
    auto format = preferences_.clock24() ? QStringLiteral("HH:mm") : QStringLiteral("h:mm");
    if (second != 0) {
        format += QStringLiteral(":ss");
    }
    if (!preferences_.clock24()) {
        format += QStringLiteral(" AP");
    }
    return QTime(hour, minute, second).toString(format);
}

QString SeriesText::rule(const Series& series) const
{
    const auto asWritten = textOf(series.rule);
    const auto rule = RecurrenceRule::parse(series.rule);
    const auto start = parseLocalTime(series.start, Millis{0});
    if (!rule || !start) {
        return asWritten;
    }
    const auto day = std::chrono::floor<std::chrono::days>(*start);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(*start - day);
    const auto hour = singleValue(rule->hours, static_cast<int>(time.hours().count()));
    const auto minute = singleValue(rule->minutes, static_cast<int>(time.minutes().count()));
    const auto second = singleValue(rule->seconds, static_cast<int>(time.seconds().count()));
    if (!hour || !minute || !second) {
        return asWritten;
    }
    const auto words = textOfRule({*rule,
                                   QDate(int{date.year()}, static_cast<int>(unsigned{date.month()}),
                                         static_cast<int>(unsigned{date.day()})),
                                   clock(*hour, *minute, *second)});
    return words.isEmpty() ? asWritten : words;
}

QString SeriesText::ruleAndZone(const Series& series) const
{
    const auto parsed = RecurrenceRule::parse(series.rule);
    const bool followsWallClock = !parsed || !parsed->countsElapsedTime();
    return followsWallClock
               ? tr("%1, %2", "how often, time zone").arg(rule(series), textOf(series.zone))
               : rule(series);
}

QString SeriesText::ending(const Series& series) const
{
    if (const auto parsed = RecurrenceRule::parse(series.rule)) {
        if (parsed->count != 0) {
            return tr("after %Ln time(s)", "", static_cast<int>(parsed->count));
        }
        if (!parsed->until.empty()) {
            return tr("after %1", "a moment as the rule has it").arg(textOf(parsed->until));
        }
    }
    return series.ends ? timeInZone(*series.ends, zoneOf(series)) : QString();
}

QTimeZone SeriesText::zoneOf(const Series& series) const
{
    const QTimeZone zone(QByteArray::fromStdString(series.zone));
    return zone.isValid() ? zone : restante::gui::zoneOf(preferences_);
}

QString SeriesText::timeInZone(TimePoint at, const QTimeZone& zone) const
{
    const auto time = QDateTime::fromMSecsSinceEpoch(toEpochMs(at), zone);
    return QStringLiteral("%1 %2 %3 %4")
        .arg(QLocale().toString(time.date(), QStringLiteral("ddd")),
             time.toString(QStringLiteral("yyyy-MM-dd")),
             clock(time.time().hour(), time.time().minute(), time.time().second()),
             time.timeZoneAbbreviation());
}

SeriesText::RunOutcome SeriesText::runOutcomeOf(const Result<std::vector<HistoryRow>>& history)
{
    if (!history) {
        return history.error().code == ErrorCode::NotFound ? RunOutcome::NeverSent
                                                           : RunOutcome::Unknown;
    }
    if (history->empty()) {
        return RunOutcome::NeverSent;
    }
    const bool delivered = std::ranges::any_of(*history, [](const HistoryRow& row) {
        return row.transition == "finish" || row.transition == "finish_late";
    });
    // The journal may not have recorded the end yet.
    const bool removed = std::ranges::any_of(
        *history, [](const HistoryRow& row) { return row.transition == "purge"; });
    return delivered ? RunOutcome::Delivered : removed ? RunOutcome::Removed : RunOutcome::Unknown;
}

SeriesText::Status SeriesText::lastRunStatus(const reminder::LastOccurrence& last,
                                             RunOutcome runOutcome)
{
    if (last.job) {
        const auto error = textOf(last.job->lastError);
        switch (last.job->state) {
        case JobState::Done: return stateStatus(JobState::Done, tr("delivered"));
        case JobState::Leased: return stateStatus(JobState::Leased, tr("on its way"));
        case JobState::Dead: return stateStatus(JobState::Dead, tr("dead"), error);
        case JobState::Trashed: return stateStatus(JobState::Trashed, tr("in the trash"));
        case JobState::Held:
            return stateStatus(
                JobState::Held,
                last.job->heldOutsideMailbox ? tr("held") : tr("waits for the recipient"), error);
        case JobState::Scheduled:
        case JobState::Ready: break;
        }
        return last.job->countedAttempts() > 0
                   ? stateStatus(JobState::Scheduled, tr("failed, tried again"), error)
                   : stateStatus(JobState::Ready, tr("waits to be delivered"));
    }
    switch (runOutcome) {
    case RunOutcome::Delivered: return stateStatus(JobState::Done, tr("delivered"));
    case RunOutcome::Removed: return stateStatus(JobState::Trashed, tr("removed"));
    case RunOutcome::NeverSent:
        return stateStatus(JobState::Trashed, tr("not sent"),
                           tr("The journal has no such job: it was skipped, or nobody was there to "
                              "send it."));
    case RunOutcome::Loading: return {tr("…", "the answer is on its way")};
    case RunOutcome::Unknown: break;
    }
    return {tr("not in the store any more"),
            {},
            {},
            tr("Delivered and forgotten, removed, or skipped: without a journal nobody can say. "
               "With retention.done the store keeps what was delivered.")};
}

SeriesText::Status SeriesText::statusOf(const reminder::SeriesView& view, TimePoint now)
{
    if (!view.problem.empty() || view.job.state == JobState::Dead) {
        const auto& why = view.problem.empty() ? view.job.lastError : view.problem;
        return stateStatus(JobState::Dead, tr("stopped"), textOf(why));
    }
    if (view.isPaused()) {
        auto paused =
            stateStatus(JobState::Held, tr("paused"), tr("Nothing is sent until it is resumed."));
        paused.icon = QStringLiteral("media-playback-pause");
        return paused;
    }
    if (!view.next.empty() && view.next.front() + kSendGrace < now &&
        view.job.state != JobState::Leased) {
        return stateStatus(JobState::Dead, tr("late"),
                           tr("Its time has passed and no daemon has sent it."));
    }
    return stateStatus(JobState::Done, tr("active"));
}

}  // namespace restante::gui
