#include "gui/pages/topics/topics_model.h"

#include "core/base/text.h"
#include "core/job/job.h"
#include "gui/operations/verb_texts.h"
#include "gui/theme/icons.h"
#include "gui/theme/rate_text.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QLocale>

#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace restante::gui {

namespace {

QString noValue()
{
    return QStringLiteral("–");
}

struct SegmentTexts {
    Q_DECLARE_TR_FUNCTIONS(restante::gui::TopicsModel)

public:
    /// The count of a segment: "12 ready".
    static QString countText(BarSegment segment, std::uint64_t jobs)
    {
        const auto n = static_cast<int>(std::min<std::uint64_t>(jobs, INT_MAX));
        switch (segment) {
        case BarSegment::Ready: return tr("%Ln ready", "", n);
        case BarSegment::Scheduled: return tr("%Ln scheduled", "", n);
        case BarSegment::Retrying: return tr("%Ln retrying", "", n);
        case BarSegment::Leased: return tr("%Ln leased", "", n);
        case BarSegment::Held: return tr("%Ln held", "", n);
        case BarSegment::Dead: return tr("%Ln dead", "", n);
        case BarSegment::Count_: break;
        }
        return {};
    }
};

/// "0.4%" below 1%, else "12%".
QString percentText(double fraction)
{
    const auto percent = fraction * 100;
    return QLocale().toString(percent, 'f', percent > 0 && percent < 1 ? 1 : 0) + u'%';
}

/// A step without records is a gap, one without jobs is 0.
TopicLines linesOf(const TopicPast& past, const std::string& topic)
{
    const auto found = past.topics.find(topic);
    const auto valueAt = [&](const std::vector<std::uint64_t> TopicPast::Steps::*jobs,
                             std::size_t step) {
        return found == past.topics.end() ? 0.0 : static_cast<double>((found->second.*jobs)[step]);
    };
    TopicLines lines;
    for (std::size_t step = 0; step < past.known.size(); ++step) {
        const bool known = past.known[step];
        lines.in.push_back(known ? std::optional(valueAt(&TopicPast::Steps::in, step))
                                 : std::nullopt);
        lines.finished.push_back(known ? std::optional(valueAt(&TopicPast::Steps::finished, step))
                                       : std::nullopt);
    }
    return lines;
}

double sumOf(const TopicLines::Line& line)
{
    return std::accumulate(line.begin(), line.end(), 0.0,
                           [](double sum, const auto& value) { return sum + value.value_or(0); });
}

}  // namespace

void BacklogTrend::addSample(const std::string& topic, TimePoint at, std::uint64_t backlog)
{
    auto& points = points_[topic];
    if (!points.empty() && at < points.back().at) {
        points.clear();  // the clock was set back
    }
    points.push_back({at, backlog});
    while (points.size() > 1 && at - points.front().at > kSpan) {
        points.pop_front();
    }
}

std::optional<double> BacklogTrend::perMinute(const std::string& topic) const
{
    const auto found = points_.find(topic);
    if (found == points_.end() || found->second.size() < 2) {
        return {};
    }
    const auto& first = found->second.front();
    const auto& last = found->second.back();
    const auto elapsed = last.at - first.at;
    if (elapsed < Millis{1'000}) {
        return {};
    }
    const auto growth = static_cast<double>(last.backlog) - static_cast<double>(first.backlog);
    return growth * 60'000.0 / static_cast<double>(elapsed.count());
}

bool TopicLines::isKnown() const
{
    return std::any_of(finished.begin(), finished.end(),
                       [](const auto& value) { return value.has_value(); });
}

TopicRow topicRow(TopicView view)
{
    TopicRow row;
    for (const auto& counts : view.channels) {
        row.scheduled += counts.scheduled;
        row.ready += counts.ready;
    }
    if (row.ready == 0) {
        row.late = Millis{0};
    }
    row.view = std::move(view);
    return row;
}

BarSegments TopicRow::barSegments() const
{
    const auto retryingJobs = retrying.value_or(0);
    const auto fromScheduled = std::min(retryingJobs, scheduled);
    const auto fromReady = std::min(retryingJobs - fromScheduled, ready);
    return {ready - fromReady,  scheduled - fromScheduled, fromReady + fromScheduled,
            leased.value_or(0), held.value_or(0),          dead.value_or(0)};
}

std::uint64_t TopicRow::jobs() const
{
    const auto segments = barSegments();
    return std::accumulate(segments.begin(), segments.end(), std::uint64_t{0});
}

TopicStatus statusOf(const TopicRow& row)
{
    const bool hasDead = row.dead.value_or(0) > 0;
    const bool hasHeld = row.held.value_or(0) > 0;
    if (row.view.pause) {
        return TopicStatus::Paused;
    }
    if (row.backlog() == 0 && row.leased.value_or(0) == 0 && (hasDead || hasHeld)) {
        return hasDead && hasHeld ? TopicStatus::DeadAndHeld
               : hasDead          ? TopicStatus::DeadOnly
                                  : TopicStatus::HeldOnly;
    }
    return row.view.limits == TopicLimits{} ? TopicStatus::Open : TopicStatus::Limited;
}

QString TopicsModel::segmentName(BarSegment segment)
{
    switch (segment) {
    case BarSegment::Ready: return Theme::stateName(JobState::Ready);
    case BarSegment::Scheduled: return Theme::stateName(JobState::Scheduled);
    case BarSegment::Retrying: return tr("Retrying");
    case BarSegment::Leased: return Theme::stateName(JobState::Leased);
    case BarSegment::Held: return Theme::stateName(JobState::Held);
    case BarSegment::Dead: return Theme::stateName(JobState::Dead);
    case BarSegment::Count_: break;
    }
    return {};
}

QColor TopicsModel::segmentColor(BarSegment segment)
{
    switch (segment) {
    case BarSegment::Ready: return Theme::style(JobState::Ready).chartColor;
    case BarSegment::Scheduled: return Theme::style(JobState::Scheduled).chartColor;
    case BarSegment::Retrying: return Theme::style(JobState::Ready).chartColor;  // hatched
    case BarSegment::Leased: return Theme::style(JobState::Leased).chartColor;
    case BarSegment::Held: return Theme::style(JobState::Held).chartColor;
    case BarSegment::Dead: return Theme::style(JobState::Dead).chartColor;
    case BarSegment::Count_: break;
    }
    return {};
}

TopicsModel::TopicsModel(Preferences& preferences, QObject* parent)
    : RowModel(parent),
      preferences_(preferences)
{
}

void TopicsModel::setContent(std::vector<TopicRow> rows, TimePoint now)
{
    now_ = now;
    std::size_t at = 0;
    for (auto& row : rows) {
        applyActivity(row);
        while (at < rows_.size() && rows_[at].view.topic < row.view.topic) {
            removeAt(at, 1);
        }
        if (at < rows_.size() && rows_[at].view.topic == row.view.topic) {
            if (!row.late && rows_[at].ready != 0) {
                row.late = rows_[at].late;  // what was known stays until the next answer
            }
            rows_[at] = std::move(row);
        } else {
            insertAt(at, {std::move(row)});
        }
        ++at;
    }
    removeAt(at, rows_.size() - at);
    emitAllChanged();
}

/// The store itself counts leased jobs of topics with a concurrency limit; that number is the
/// newest.
void TopicsModel::applyActivity(TopicRow& row) const
{
    const auto& topic = row.view.topic;
    row.leased = row.view.leased;
    if (!activity_) {
        return;
    }
    if (!row.leased && activity_->leased) {
        const auto found = activity_->leased->find(topic);
        row.leased = found == activity_->leased->end() ? 0 : found->second;
    }
    const auto jobsOf = [&](const TopicJobs& jobs) {
        const auto found = jobs.jobs.find(topic);
        return found == jobs.jobs.end() ? 0 : found->second;
    };
    row.held = jobsOf(activity_->held);
    row.dead = jobsOf(activity_->dead);
    row.retrying = jobsOf(activity_->retrying);
    row.past = activity_->past ? linesOf(*activity_->past, topic) : TopicLines{};
    if (activity_->ratesProblem.empty()) {
        const auto found = activity_->rates.find(topic);
        row.rate = found == activity_->rates.end() ? TopicRate{} : found->second;
    } else {
        row.rate.reset();
    }
}

void TopicsModel::setActivity(TopicActivity activity)
{
    activity_ = std::move(activity);
    for (auto& row : rows_) {
        applyActivity(row);
    }
    if (!rows_.empty()) {
        emit dataChanged(index(0, Jobs), index(rowCount() - 1, Past));
    }
}

void TopicsModel::clear()
{
    activity_.reset();
    RowModel::clear();
}

void TopicsModel::setLate(const std::string& topic, std::optional<Millis> late)
{
    const auto found = std::find_if(rows_.begin(), rows_.end(),
                                    [&](const TopicRow& row) { return row.view.topic == topic; });
    if (found == rows_.end()) {
        return;
    }
    found->late = late;
    const auto cell = index(static_cast<int>(found - rows_.begin()), Late);
    emit dataChanged(cell, cell);
}

QString TopicsModel::countOrBoundText(const std::optional<std::uint64_t>& jobs, bool countedAll)
{
    // "At least none" says nothing.
    return !jobs || (!countedAll && *jobs == 0) ? noValue()
           : countedAll                         ? numberText(*jobs)
                                                : QChar(0x2265) + numberText(*jobs);
}

Qt::ItemFlags TopicsModel::flags(const QModelIndex& index) const
{
    const auto baseFlags = RowModel::flags(index);
    return editable_ && index.isValid() && isLimit(index.column()) ? baseFlags | Qt::ItemIsEditable
                                                                   : baseFlags;
}

std::optional<TopicLimits>
TopicsModel::withTypedLimit(TopicLimits limits, int column, const QString& text)
{
    const auto typed = text.trimmed().remove(u' ').toStdString();
    if (column == Concurrency) {
        limits.concurrency = 0;
        if (!typed.empty() && !readNumber(typed, limits.concurrency)) {
            return {};
        }
    } else if (typed.empty()) {
        limits.rate = {};
    } else if (const auto rate = parseRate(typed)) {
        limits.rate = *rate;
    } else {
        return {};
    }
    return validate(limits) ? std::optional(limits) : std::nullopt;
}

QString TopicsModel::limitHelp(int column)
{
    return column == Concurrency
               ? tr("A number from 1 to 100,000: how many jobs are leased at a time. Nothing, or "
                    "0, "
                    "is no limit.")
               : tr("Jobs in a time, such as 10/s, 100/m or 3/10s. Nothing, or 0, is no limit.");
}

bool TopicsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || !index.isValid() || !isLimit(index.column())) {
        return false;
    }
    const auto& view = row(index.row()).view;
    const auto after = withTypedLimit(view.limits, index.column(), value.toString());
    if (!after || *after == view.limits) {
        return false;
    }
    emit limitsRequested(view.topic, view.limits, *after);
    return true;
}

QString TopicsModel::statusText(TopicStatus status)
{
    switch (status) {
    case TopicStatus::Paused: return tr("Paused");
    case TopicStatus::DeadOnly: return tr("All dead");
    case TopicStatus::DeadAndHeld: return tr("Held or dead");
    case TopicStatus::HeldOnly: return tr("All held");
    case TopicStatus::Limited: return tr("Limited");
    case TopicStatus::Open: return tr("Open");
    }
    return {};
}

QString TopicsModel::statusTip(TopicStatus status)
{
    switch (status) {
    case TopicStatus::Paused: return {};
    case TopicStatus::DeadOnly:
        return tr(
            "Nothing of it will be given out: its jobs were given up. Show Jobs says why, and "
            "they can be run again there.");
    case TopicStatus::DeadAndHeld:
        return tr("Nothing of it is due: its jobs were given up, or are held.");
    case TopicStatus::HeldOnly:
        return tr("Its messages wait until their recipients register, or until somebody releases "
                  "them.");
    case TopicStatus::Limited: return tr("Its jobs are given out, within its limits");
    case TopicStatus::Open: return tr("Its jobs are given out without limits");
    }
    return {};
}

QString TopicsModel::totalText(const TopicRow& row) const
{
    const bool countedAll =
        activity_ && activity_->held.isComplete && activity_->dead.isComplete && row.leased;
    return countOrBoundText(row.jobs(), countedAll || row.jobs() == 0);
}

/// The line in words, for tool tip and screen reader.
QString TopicsModel::pastText(const TopicRow& row) const
{
    if (!row.past.isKnown()) {
        return tr("The journal knows nothing of the last 24 hours");
    }
    const auto knownSteps = std::count_if(row.past.in.begin(), row.past.in.end(),
                                          [](const auto& value) { return value.has_value(); });
    const auto counts = tr("In the last 24 hours: %1 in, %2 finished")
                            .arg(numberText(static_cast<std::uint64_t>(sumOf(row.past.in))),
                                 numberText(static_cast<std::uint64_t>(sumOf(row.past.finished))));
    return knownSteps == static_cast<std::ptrdiff_t>(row.past.in.size())
               ? counts
               : counts + u'\n' + tr("Where the line has a gap nobody counted");
}

QString TopicsModel::segmentsText(const TopicRow& row, const QString& between) const
{
    const auto segments = row.barSegments();
    QStringList texts;
    for (std::size_t at = 0; at < segments.size(); ++at) {
        if (segments[at] > 0) {
            texts.append(SegmentTexts::countText(static_cast<BarSegment>(at), segments[at]));
        }
    }
    return texts.isEmpty() ? tr("no jobs") : texts.join(between);
}

QString TopicsModel::pausedText(const TopicPause& pause) const
{
    const auto since = TimeText(preferences_).text(pause.since, now_);
    const auto actor = QString::fromStdString(pause.actor);
    const auto actorAndTime = actor.isEmpty() ? since : tr("%1, %2", "who, when").arg(actor, since);
    const auto reason = QString::fromStdString(pause.reason);
    return reason.isEmpty() ? actorAndTime
                            : tr("%1: %2", "who and when: why").arg(actorAndTime, reason);
}

QString TopicsModel::text(const TopicRow& row, int column) const
{
    const auto& view = row.view;
    switch (column) {
    case Topic: return Theme::topicName(view.topic);
    case Jobs: return totalText(row);
    case Status: return statusText(statusOf(row));
    case Ready: return numberText(row.ready);
    case Scheduled: return numberText(row.scheduled);
    case Retrying:
        return countOrBoundText(row.retrying, activity_ && activity_->retrying.isComplete);
    case Errors: return row.rate && row.rate->failed ? percentText(*row.rate->failed) : noValue();
    case In: return row.rate ? rateText(row.rate->in) : noValue();
    case Out: return row.rate ? rateText(row.rate->out) : noValue();
    case Leased: return row.leased ? numberText(*row.leased) : noValue();
    case Held: return countOrBoundText(row.held, activity_ && activity_->held.isComplete);
    case Dead: return countOrBoundText(row.dead, activity_ && activity_->dead.isComplete);
    case Late:
        if (!row.late || row.ready == 0) {
            return noValue();
        }
        return *row.late <= Millis{0} ? tr("on time") : TimeText::duration(*row.late);
    case Change: {
        if (!row.change) {
            return noValue();
        }
        const auto change = std::llround(*row.change);
        return (change > 0 ? QStringLiteral("+") : QString()) + QLocale().toString(change);
    }
    case Concurrency:
        return view.limits.concurrency == 0 ? noValue() : numberText(view.limits.concurrency);
    case RateLimit:
        return view.limits.rate.count == 0 ? noValue()
                                           : QString::fromStdString(formatRate(view.limits.rate));
    case Channels: {
        QStringList names;
        for (const auto& counts : view.channels) {
            names.append(Theme::channelName(counts.channel));
        }
        return names.isEmpty() ? noValue() : names.join(QStringLiteral(", "));
    }
    case Reason: return view.pause ? pausedText(*view.pause) : QString();
    default: return {};
    }
}

/// Also says why a value is unknown.
QString TopicsModel::tip(const TopicRow& row, int column) const
{
    const bool isRate = column == In || column == Out || column == Errors;
    if (column == Topic) {
        return literalTip(QString::fromStdString(row.view.topic));
    }
    if (column == Reason) {
        return literalTip(text(row, column));
    }
    if (column == Jobs) {
        auto lines = segmentsText(row, QStringLiteral("\n"));
        if (activity_ && (activity_->held.asOf || activity_->dead.asOf)) {
            const auto countedAt =
                activity_->dead.asOf ? activity_->dead.asOf : activity_->held.asOf;
            lines += u'\n' + tr("Held and dead as counted at %1")
                                 .arg(TimeText(preferences_).absolute(*countedAt));
        }
        return literalTip(lines);
    }
    if (column == Past) {
        return literalTip(pastText(row));
    }
    if (column == Status) {
        return literalTip(row.view.pause ? pausedText(*row.view.pause) : statusTip(statusOf(row)));
    }
    if (column == Late && row.ready == 0) {
        return tr("Nothing of it is due");
    }
    if (isLimit(column)) {
        return editable_ ? tr("F2 or a double click changes it. %1").arg(limitHelp(column))
                         : limitHelp(column);
    }
    if (column == Errors && row.rate && !row.rate->failed) {
        return tr("No attempt has ended in the last five minutes, or the journal does not tell");
    }
    if (isRate && activity_ && !activity_->ratesProblem.empty()) {
        return literalTip(tr("Rates are known from the journal only: %1")
                              .arg(QString::fromStdString(activity_->ratesProblem)));
    }
    if (isRate && row.rate) {
        const TimeText times(preferences_);
        return literalTip(
            tr("From %1 to %2")
                .arg(times.absolute(activity_->from), times.absolute(activity_->until)));
    }
    if (column == Leased && activity_ && !row.leased) {
        return tr("So many jobs are being delivered that their topics are not looked at; a topic "
                  "with a concurrency limit is always counted");
    }
    return {};
}

QVariant TopicsModel::sortValue(const TopicRow& row, int column)
{
    const auto& view = row.view;
    switch (column) {
    case Jobs: return static_cast<qulonglong>(row.jobs());
    case Status: return static_cast<int>(statusOf(row));
    case Retrying: return row.retrying ? static_cast<qlonglong>(*row.retrying) : qlonglong{-1};
    case Errors: return row.rate ? row.rate->failed.value_or(-1.0) : -1.0;
    case Ready: return static_cast<qulonglong>(row.ready);
    case Scheduled: return static_cast<qulonglong>(row.scheduled);
    case In: return row.rate ? row.rate->in : -1.0;
    case Out: return row.rate ? row.rate->out : -1.0;
    case Past: return row.past.isKnown() ? sumOf(row.past.in) + sumOf(row.past.finished) : -1.0;
    case Leased: return row.leased ? static_cast<qlonglong>(*row.leased) : qlonglong{-1};
    case Held: return row.held ? static_cast<qlonglong>(*row.held) : qlonglong{-1};
    case Dead: return row.dead ? static_cast<qlonglong>(*row.dead) : qlonglong{-1};
    case Late:
        return row.late && row.ready > 0 ? static_cast<qlonglong>(row.late->count())
                                         : qlonglong{-1};
    case Change: return row.change.value_or(std::numeric_limits<double>::lowest());
    case Concurrency: return view.limits.concurrency;
    case RateLimit:
        return static_cast<double>(view.limits.rate.count) /
               static_cast<double>(std::max<std::int64_t>(1, view.limits.rate.per.count()));
    default: return {};
    }
}

QString TopicsModel::iconOf(const TopicRow& row, int column)
{
    if (column != Status) {
        return {};
    }
    switch (statusOf(row)) {
    case TopicStatus::Paused: return QStringLiteral("queue-pause");
    case TopicStatus::DeadOnly: return Theme::style(JobState::Dead).icon;
    case TopicStatus::DeadAndHeld:
    case TopicStatus::HeldOnly: return Theme::style(JobState::Held).icon;
    case TopicStatus::Limited:
    case TopicStatus::Open: break;
    }
    return QStringLiteral("media-playback-start");
}

/// Colours only what needs attention.
QVariant TopicsModel::foreground(const TopicRow& row, int column) const
{
    const auto status = statusOf(row);
    const bool isDead = status == TopicStatus::DeadOnly;
    if ((column == Dead && row.dead.value_or(0) > 0) || (column == Status && isDead)) {
        return Theme::style(JobState::Dead).foreground;
    }
    if (column == Status && status == TopicStatus::Paused) {
        return Theme::style(JobState::Held).foreground;
    }
    constexpr double kHighErrorRate = 0.5;
    const bool mostFail = row.rate && row.rate->failed.value_or(0) >= kHighErrorRate;
    return column == Errors && mostFail ? QVariant(Theme::foreground(Theme::Severity::Bad))
                                        : QVariant();
}

QVariant TopicsModel::attribute(const TopicRow& row, int column, int role) const
{
    switch (role) {
    case Qt::ToolTipRole: return tip(row, column);
    case Qt::AccessibleTextRole:
        return column == Jobs   ? QVariant(segmentsText(row, QStringLiteral(", ")))
               : column == Past ? QVariant(pastText(row))
                                : QVariant();
    case kPastRole: return column == Past ? QVariant::fromValue(row.past) : QVariant();
    case kBarSegmentsRole:
        return column == Jobs ? QVariant::fromValue(row.barSegments()) : QVariant();
    case Qt::EditRole:
        return column == Concurrency && row.view.limits.concurrency > 0
                   ? QVariant(QString::number(row.view.limits.concurrency))
               : column == RateLimit && row.view.limits.rate.count > 0
                   ? QVariant(QString::fromStdString(formatRate(row.view.limits.rate)))
                   : QVariant(QString());
    case Qt::DecorationRole: {
        const auto name = iconOf(row, column);
        return name.isEmpty() ? QVariant() : QVariant(icon(name));
    }
    case Qt::ForegroundRole: return foreground(row, column);
    case kSortRole: {
        const auto value = sortValue(row, column);
        return value.isValid() ? value : QVariant(text(row, column));
    }
    default: return {};
    }
}

const std::vector<TableColumn>& TopicsModel::columns() const
{
    constexpr auto kText = Qt::AlignLeading | Qt::AlignVCenter;
    constexpr auto kNumber = Qt::AlignTrailing | Qt::AlignVCenter;
    static const std::vector<TableColumn> kColumns{
        {QT_TR_NOOP("Topic"), kText, QT_TR_NOOP("Topic")},
        {QT_TR_NOOP("Jobs"), kText,
         QT_TR_NOOP("All jobs of the topic, and of which states they are; ≥ when there are more "
                    "than were looked at")},
        {QT_TR_NOOP("Status"), kText, QT_TR_NOOP("Whether jobs of the topic are given out")},
        {QT_TR_NOOP("Late"), kNumber, QT_TR_NOOP("How long the oldest ready job has been due")},
        {QT_TR_NOOP("Ready"), kNumber, QT_TR_NOOP("Jobs that are due and wait to be given out")},
        {QT_TR_NOOP("Scheduled"), kNumber, QT_TR_NOOP("Jobs that are due later")},
        {QT_TR_NOOP("Retrying"), kNumber,
         QT_TR_NOOP("Those of the ready and scheduled jobs of which an attempt has failed")},
        {QT_TR_NOOP("Leased"), kNumber, QT_TR_NOOP("Jobs that are being delivered")},
        {QT_TR_NOOP("Held"), kNumber,
         QT_TR_NOOP("Jobs in mailboxes, or held by somebody; ≥ when there are more than were "
                    "looked at")},
        {QT_TR_NOOP("Dead"), kNumber,
         QT_TR_NOOP("Jobs that were given up; ≥ when there are more than were looked at")},
        {QT_TR_NOOP("In"), kNumber,
         QT_TR_NOOP("Jobs pushed, over the last five minutes, from the journal")},
        {QT_TR_NOOP("Out"), kNumber,
         QT_TR_NOOP("Jobs finished, dead or expired, over the last five minutes, from the "
                    "journal")},
        {QT_TR_NOOP("Errors"), kNumber,
         QT_TR_NOOP("How many of the attempts that ended in the last five minutes have failed, "
                    "from the journal")},
        {QT_TR_NOOP("Concurrency"), kNumber, QT_TR_NOOP("How many jobs may be leased at a time")},
        {QT_TR_NOOP("Rate limit"), kNumber, QT_TR_NOOP("How many jobs are given out in a period")},
        {QT_TR_NOOP("Change/min"), kNumber,
         QT_TR_NOOP("How the backlog grows or shrinks, over the last minute")},
        {QT_TR_NOOP("Channels"), kText, QT_TR_NOOP("How its jobs are delivered")},
        {QT_TR_NOOP("Paused by"), kText, QT_TR_NOOP("Who paused the topic, when and why")},
        {QT_TR_NOOP("24 hours"), kText,
         QT_TR_NOOP("What was finished (the line) and what came (the grey one) in each half hour "
                    "of the last day, from the journal; a gap is where nobody counted")}};
    return kColumns;
}

}  // namespace restante::gui
