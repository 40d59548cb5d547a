#include "gui/session/job_row.h"

namespace restante::gui {

namespace {

QString text(const std::string& bytes)
{
    return QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
}

/// As people count them: of a schedule without an end, and of an absurdly long one, 0.
std::uint32_t attemptsOf(const RetrySchedule& retry)
{
    constexpr std::uint32_t kShown = 100;
    std::uint32_t attempts = 0;
    while (attempts <= kShown && !retry.empty() && retry.waitBefore(attempts + 1)) {
        ++attempts;
    }
    return attempts <= kShown ? attempts : 0;
}

}  // namespace

JobRow rowOf(const JobView& view)
{
    const auto& job = view.job;
    JobRow row;
    row.id = job.id;
    row.state = view.state;
    row.channel = job.channel;
    row.topic = text(job.topic);
    row.sender = text(job.sender);
    row.recipient = text(job.recipient);
    row.bizKey = text(job.bizKey);
    row.contentType = text(job.contentType);
    row.lastError = text(view.lastError);
    row.due = view.due;
    row.created = job.created;
    row.expires = job.expires.value_or(TimePoint{});
    row.attempt = view.counted();
    row.attempts = attemptsOf(job.retry);
    row.priority = job.priority;
    row.size = job.body.size();
    return row;
}

}  // namespace restante::gui
