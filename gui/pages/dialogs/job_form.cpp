#include "gui/pages/dialogs/job_form.h"

#include "core/base/duration.h"
#include "core/job/job.h"
#include "core/queue/topic.h"

#include <utility>
#include <vector>

namespace restante::gui {

namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

std::string trimmed(const QString& text)
{
    return text.trimmed().toStdString();
}

Result<Headers> headersOf(const QString& text)
{
    Headers headers;
    int number = 0;
    for (const auto& line : text.split(u'\n')) {
        ++number;
        if (line.trimmed().isEmpty()) {
            continue;
        }
        const auto colon = line.indexOf(u':');
        if (colon <= 0) {
            return failure(ErrorCode::Invalid, "headers: line " + std::to_string(number) +
                                                   " is not written as Name: value");
        }
        headers.emplace_back(trimmed(line.left(colon)), trimmed(line.mid(colon + 1)));
    }
    return headers;
}

/// An empty text is the fallback.
Result<Millis> durationOf(const char* field, const QString& text, Millis fallback)
{
    if (text.trimmed().isEmpty()) {
        return fallback;
    }
    auto duration = parseDuration(trimmed(text));
    return duration
               ? duration
               : failure(ErrorCode::Invalid, std::string(field) + ": " + duration.error().message);
}

Result<void> readTimes(const JobForm& form, TimePoint now, PushOrder& order)
{
    const auto ttr = durationOf("ttr", form.ttr, order.job.ttr);
    const auto delay = durationOf("delay", form.delay, Millis{0});
    const auto expires = durationOf("expires", form.expires, Millis{0});
    for (const auto* one : {&ttr, &delay, &expires}) {
        if (!*one) {
            return tl::unexpected(one->error());
        }
    }
    order.job.ttr = *ttr;
    order.delay = *delay;
    order.at = form.at;
    if (!form.expires.trimmed().isEmpty()) {
        order.job.expires = now + *expires;
    }
    if (!form.retry.trimmed().isEmpty()) {
        auto retry = RetrySchedule::parse(trimmed(form.retry));
        if (!retry) {
            return failure(ErrorCode::Invalid, "retry: " + retry.error().message);
        }
        order.job.retry = std::move(*retry);
    }
    return {};
}

}  // namespace

Result<PushOrder> orderOf(const JobForm& form, TimePoint now)
{
    PushOrder order;
    auto& job = order.job;
    job.id = trimmed(form.id);
    job.topic = trimmed(form.topic);
    job.channel = form.channel;
    job.recipient = trimmed(form.recipient);
    job.sender = trimmed(form.sender);
    job.bizKey = trimmed(form.bizKey);
    job.contentType = trimmed(form.contentType);
    job.body = form.body;
    job.priority = form.priority;
    job.created = now;
    job.findByKey = !job.bizKey.empty();
    auto headers = headersOf(form.headers);
    if (!headers) {
        return tl::unexpected(headers.error());
    }
    job.headers = std::move(*headers);
    if (auto times = readTimes(form, now, order); !times) {
        return tl::unexpected(times.error());
    }
    if (auto own = checkNotReserved(job.topic); !own) {
        return tl::unexpected(own.error());
    }
    // The store gives an id to a job without one, and knows the limits as they are configured:
    // what is over the usual ones is left to it.
    auto checked = job;
    checked.id = job.id.empty() ? "0" : job.id;
    JobLimits limits;
    limits.body = std::max(limits.body, job.body.size());
    if (auto sound = validate(checked, limits); !sound) {
        return tl::unexpected(sound.error());
    }
    return order;
}

JobForm formOf(const JobView& view)
{
    const auto& job = view.job;
    const auto text = [](const std::string& bytes) { return QString::fromStdString(bytes); };
    JobForm form;
    form.topic = text(job.topic);
    form.channel = job.channel;
    form.recipient = text(job.recipient);
    form.sender = text(job.sender);
    form.bizKey = text(job.bizKey);
    form.contentType = text(job.contentType);
    for (const auto& [name, value] : job.headers) {
        if (job.channel == Channel::Sip && tellsWhoSent(name)) {
            continue;  // the copy does not come by SIP; `sender` says it
        }
        form.headers += text(name) + QStringLiteral(": ") + text(value) + u'\n';
    }
    form.body = job.body;
    form.priority = job.priority;
    form.ttr = text(printDuration(job.ttr));
    form.retry = text(job.retry.print());
    if (job.expires && *job.expires > job.created) {
        form.expires = text(printDuration(*job.expires - job.created));
    }
    return form;
}

std::string fieldOf(const std::string& message)
{
    const auto colon = message.find(':');
    const auto field = message.substr(0, colon == std::string::npos ? 0 : colon);
    return field.find(' ') == std::string::npos ? field.substr(0, field.find('[')) : std::string{};
}

}  // namespace restante::gui
