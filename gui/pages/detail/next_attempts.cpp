#include "gui/pages/detail/next_attempts.h"

#include "gui/theme/time_text.h"

#include <QLocale>

#include <algorithm>
#include <optional>
#include <utility>

namespace restante::gui {

namespace {

using After = AttemptPreview::After;

/// What a job without a schedule goes by unless the daemon is configured otherwise.
RetrySchedule standardSchedule(Channel channel)
{
    const auto* text =
        channel == Channel::Sip ? "0s,2m,10m,10m,1h,2h" : "0s,2m,10m,10m,1h,2h,6h,15h";
    return RetrySchedule::parse(text).value_or(RetrySchedule{});
}

bool ended(JobState state)
{
    return state == JobState::Dead || state == JobState::Trashed || state == JobState::Done;
}

/// A message goes on with its last interval until it expires; the others come to an end.
std::optional<Millis> waitOf(const RetrySchedule& retry, std::uint32_t attempt, bool withoutEnd)
{
    return withoutEnd ? std::optional(retry.waitBeforeWithoutEnd(attempt))
                      : retry.waitBefore(attempt);
}

}  // namespace

AttemptPreview previewAttempts(const JobView& view, TimePoint now, std::size_t most)
{
    const auto& job = view.job;
    AttemptPreview preview;
    if (ended(view.state) || view.byItself) {
        return preview;
    }
    if (view.state == JobState::Held && view.due == TimePoint::max()) {
        preview.after = After::OnRegistration;
        return preview;
    }
    preview.standard = job.retry.empty();
    const bool pulled = job.channel == Channel::Pull && preview.standard;
    const auto retry = preview.standard ? standardSchedule(job.channel) : job.retry;
    const bool withoutEnd = preview.standard && job.channel == Channel::Sip;
    const bool approximate = retry.print().find("jitter") != std::string::npos;

    auto at = view.due;
    auto wait = std::max(at - now, Millis{0});
    auto number = view.counted() + 1;
    if (view.state == JobState::Leased) {
        const auto next = pulled ? std::nullopt : waitOf(retry, number, withoutEnd);
        preview.after = pulled ? After::OnPull : After::Dead;
        if (!next) {
            return preview;
        }
        wait = *next;
        at = now + wait;
    }
    while (true) {
        if (job.expires && at >= *job.expires) {
            preview.after = After::Expires;
            return preview;
        }
        if (preview.attempts.size() == most) {
            preview.after = After::GoesOn;
            return preview;
        }
        preview.attempts.push_back({number, at, wait, approximate && !preview.attempts.empty()});
        const auto next = pulled ? std::nullopt : waitOf(retry, ++number, withoutEnd);
        if (!next) {
            preview.after = pulled ? After::OnPull : After::Dead;
            return preview;
        }
        wait = *next;
        at = std::max(at, now) + wait;
    }
}

void NextAttemptsModel::setContent(AttemptPreview preview, std::function<QString(TimePoint)> moment)
{
    preview_ = std::move(preview);
    TimedRowModel::setContent(std::exchange(preview_.attempts, {}), std::move(moment));
}

QString NextAttemptsModel::note() const
{
    QString note;
    switch (preview_.after) {
    case After::Ended: return tr("None: it has ended. Restore or run it, and it is tried again.");
    case After::Dead: note = tr("If the last one fails, too, the job is dead."); break;
    case After::Expires: note = tr("Then it expires."); break;
    case After::GoesOn: note = tr("And so on."); break;
    case After::OnPull:
        return tr("A consumer takes it once it is due; whenever a lease ends without an answer, it "
                  "is ready again.");
    case After::OnRegistration: return tr("As soon as the recipient registers.");
    }
    if (preview_.standard) {
        note += u' ' + tr("It has no schedule of its own: this is the standard one of its channel, "
                          "unless the daemon is configured otherwise.");
    }
    return note;
}

const std::vector<TableColumn>& NextAttemptsModel::columns() const
{
    static const std::vector<TableColumn> kColumns{
        {QT_TR_NOOP("Attempt")}, {QT_TR_NOOP("After")}, {QT_TR_NOOP("At the earliest")}};
    return kColumns;
}

QString NextAttemptsModel::text(const NextAttempt& attempt, int column) const
{
    if (column == Number) {
        return QLocale().toString(attempt.number);
    }
    if (column == At) {
        return moment_(attempt.at);
    }
    const auto wait = attempt.wait == Millis{0} ? tr("at once") : TimeText::duration(attempt.wait);
    return attempt.approximate ? tr("about %1").arg(wait) : wait;
}

QVariant NextAttemptsModel::attribute(const NextAttempt&, int column, int role) const
{
    return role == Qt::TextAlignmentRole && column != At
               ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
               : QVariant();
}

}  // namespace restante::gui
