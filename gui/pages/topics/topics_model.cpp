#include "gui/pages/topics/topics_model.h"

#include "core/job/job.h"
#include "gui/operations/verb_texts.h"
#include "gui/theme/icons.h"
#include "gui/theme/rate_text.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace restante::gui {

namespace {

QString unknown()
{
    return QStringLiteral("–");
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
    const auto passed = last.at - first.at;
    if (passed < Millis{1'000}) {
        return {};
    }
    const auto grown = static_cast<double>(last.backlog) - static_cast<double>(first.backlog);
    return grown * 60'000.0 / static_cast<double>(passed.count());
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
            if (!row.late) {
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

/// A limit is counted by the store itself, at this very moment.
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
        emit dataChanged(index(0, In), index(rowCount() - 1, Dead));
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

QString TopicsModel::atLeast(const std::optional<std::uint64_t>& jobs, bool all)
{
    // "At least none" says nothing.
    return !jobs || (!all && *jobs == 0) ? unknown()
           : all                         ? numberText(*jobs)
                                         : QChar(0x2265) + numberText(*jobs);
}

QString TopicsModel::pausedText(const TopicPause& pause) const
{
    const auto since = TimeText(preferences_).text(pause.since, now_);
    const auto actor = QString::fromStdString(pause.actor);
    const auto who = actor.isEmpty() ? since : tr("%1, %2", "who, when").arg(actor, since);
    const auto reason = QString::fromStdString(pause.reason);
    return reason.isEmpty() ? who : tr("%1: %2", "who and when: why").arg(who, reason);
}

QString TopicsModel::text(const TopicRow& row, int column) const
{
    const auto& view = row.view;
    switch (column) {
    case Topic: return QString::fromStdString(view.topic);
    case Status:
        if (view.pause) {
            return tr("Paused");
        }
        return view.limits == TopicLimits{} ? tr("Open") : tr("Limited");
    case Ready: return numberText(row.ready);
    case Scheduled: return numberText(row.scheduled);
    case In: return row.rate ? rateText(row.rate->in) : unknown();
    case Out: return row.rate ? rateText(row.rate->out) : unknown();
    case Leased: return row.leased ? numberText(*row.leased) : unknown();
    case Held: return atLeast(row.held, activity_ && activity_->held.all);
    case Dead: return atLeast(row.dead, activity_ && activity_->dead.all);
    case Late:
        if (!row.late) {
            return unknown();
        }
        return *row.late <= Millis{0} ? tr("no") : TimeText::duration(*row.late);
    case Change: {
        if (!row.change) {
            return unknown();
        }
        const auto change = std::llround(*row.change);
        return (change > 0 ? QStringLiteral("+") : QString()) + QLocale().toString(change);
    }
    case Concurrency:
        return view.limits.concurrency == 0 ? unknown() : numberText(view.limits.concurrency);
    case RateLimit:
        return view.limits.rate.count == 0 ? unknown()
                                           : QString::fromStdString(printRate(view.limits.rate));
    case Channels: {
        QStringList names;
        for (const auto& counts : view.channels) {
            names.append(Theme::channelName(counts.channel));
        }
        return names.isEmpty() ? unknown() : names.join(QStringLiteral(", "));
    }
    case Reason: return view.pause ? pausedText(*view.pause) : QString();
    default: return {};
    }
}

/// Of what is not known: why.
QString TopicsModel::tip(const TopicRow& row, int column) const
{
    const bool isRate = column == In || column == Out;
    if (column == Topic || column == Reason) {
        return literalTip(text(row, column));
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
    case Status: return view.pause ? 0 : view.limits == TopicLimits{} ? 2 : 1;
    case Ready: return static_cast<qulonglong>(row.ready);
    case Scheduled: return static_cast<qulonglong>(row.scheduled);
    case In: return row.rate ? row.rate->in : -1.0;
    case Out: return row.rate ? row.rate->out : -1.0;
    case Leased: return row.leased ? static_cast<qlonglong>(*row.leased) : qlonglong{-1};
    case Held: return row.held ? static_cast<qlonglong>(*row.held) : qlonglong{-1};
    case Dead: return row.dead ? static_cast<qlonglong>(*row.dead) : qlonglong{-1};
    case Late: return row.late ? static_cast<qlonglong>(row.late->count()) : qlonglong{-1};
    case Change: return row.change.value_or(std::numeric_limits<double>::lowest());
    case Concurrency: return view.limits.concurrency;
    case RateLimit:
        return static_cast<double>(view.limits.rate.count) /
               static_cast<double>(std::max<std::int64_t>(1, view.limits.rate.per.count()));
    default: return {};
    }
}

QVariant TopicsModel::attribute(const TopicRow& row, int column, int role) const
{
    const bool isStatus = column == Status;
    switch (role) {
    case Qt::ToolTipRole: return tip(row, column);
    case Qt::DecorationRole:
        return isStatus ? QVariant(icon(row.view.pause ? QStringLiteral("queue-pause")
                                                       : QStringLiteral("media-playback-start")))
                        : QVariant();
    case Qt::ForegroundRole:
        if (column == Dead && row.dead.value_or(0) > 0) {
            return Theme::style(JobState::Dead).ink;
        }
        return isStatus && row.view.pause ? QVariant(Theme::style(JobState::Held).ink) : QVariant();
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
        {QT_TR_NOOP("Status"), kText, QT_TR_NOOP("Whether jobs of the topic are given out")},
        {QT_TR_NOOP("Ready"), kNumber, QT_TR_NOOP("Jobs that are due and wait to be given out")},
        {QT_TR_NOOP("Late"), kNumber, QT_TR_NOOP("How long the oldest ready job has been due")},
        {QT_TR_NOOP("Scheduled"), kNumber, QT_TR_NOOP("Jobs that are due later")},
        {QT_TR_NOOP("Change/min"), kNumber,
         QT_TR_NOOP("How the backlog grows or shrinks, over the last minute")},
        {QT_TR_NOOP("In"), kNumber,
         QT_TR_NOOP("Jobs pushed, over the last five minutes, from the journal")},
        {QT_TR_NOOP("Out"), kNumber,
         QT_TR_NOOP("Jobs finished, dead or expired, over the last five minutes, from the "
                    "journal")},
        {QT_TR_NOOP("Leased"), kNumber, QT_TR_NOOP("Jobs that are being delivered")},
        {QT_TR_NOOP("Held"), kNumber,
         QT_TR_NOOP("Jobs in mailboxes, or held by somebody; ≥ when there are more than were "
                    "looked at")},
        {QT_TR_NOOP("Dead"), kNumber,
         QT_TR_NOOP("Jobs that were given up; ≥ when there are more than were looked at")},
        {QT_TR_NOOP("At once"), kNumber, QT_TR_NOOP("How many jobs may be leased at a time")},
        {QT_TR_NOOP("Rate limit"), kNumber, QT_TR_NOOP("How many jobs are given out in a period")},
        {QT_TR_NOOP("Channels"), kText, QT_TR_NOOP("How its jobs are delivered")},
        {QT_TR_NOOP("Paused by"), kText, QT_TR_NOOP("Who paused the topic, when and why")}};
    return kColumns;
}

}  // namespace restante::gui
