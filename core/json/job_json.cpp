#include "core/json/job_json.h"

#include "core/base/duration.h"
#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/json/document.h"
#include "core/queue/job_history.h"
#include "core/queue/mailbox.h"
#include "core/queue/topic.h"
#include "core/queue/topic_view.h"

#include <nlohmann/json.hpp>

namespace restante::json {

namespace {

/// Text from a SIP peer or a terminal need not be UTF-8; other bytes become replacement characters.
nlohmann::json textOf(const std::string& text)
{
    return isUtf8(text) ? nlohmann::json(text) : nlohmann::json::parse(toString(text));
}

void addText(nlohmann::json& object, const char* name, const std::string& text)
{
    if (!text.empty()) {
        object[name] = textOf(text);
    }
}

void addBody(nlohmann::json& object, const std::string& body)
{
    if (isUtf8(body)) {
        object["body"] = body;
    } else {
        object["body_base64"] = toBase64(body);
    }
}

/// The fields of a job that never change.
nlohmann::json jsonOf(const Job& job)
{
    nlohmann::json object{{"id", job.id},
                          {"topic", job.topic},
                          {"channel", name(job.channel)},
                          {"priority", job.priority},
                          {"ttr", formatDuration(job.ttr)}};
    addTime(object, "created", job.created);
    if (job.expires) {
        addTime(object, "expires", *job.expires);
    }
    addText(object, "recipient", job.recipient);
    addText(object, "sender", job.sender);
    addText(object, "biz_key", job.bizKey);
    addText(object, "content_type", job.contentType);
    addText(object, "recurrence", job.recurrence);
    addText(object, "retry", job.retry.toString());
    for (const auto& [name, value] : job.headers) {
        object["headers"].push_back({{"name", textOf(name)}, {"value", textOf(value)}});
    }
    addBody(object, job.body);
    return object;
}

}  // namespace

void addTime(nlohmann::json& object, const std::string& name, TimePoint at)
{
    if (at != TimePoint::max()) {
        object[name] = formatRfc3339(at);
        object[name + "_ms"] = toEpochMs(at);
    }
}

nlohmann::json jsonOf(const JobView& view)
{
    auto object = jsonOf(view.job);
    object["state"] = name(view.state);
    object["attempt"] = view.attempt;
    addTime(object, "due", view.due);
    addText(object, "last_error", view.lastError);
    if (view.heldOutsideMailbox) {
        object["held_by_itself"] = true;
    }
    if (view.devices > 0) {
        object["devices"] = view.devices;
    }
    if (view.attemptOffset > 0) {
        object["attempts_forgotten"] = view.attemptOffset;
    }
    return object;
}

nlohmann::json jsonOf(const ClaimedJob& claimed)
{
    auto object = jsonOf(claimed.job);
    object["state"] = name(JobState::Leased);
    object["attempt"] = claimed.attempt;
    addTime(object, "due", claimed.due);
    addTime(object, "lease_ends", claimed.leaseEnds);
    if (claimed.attemptOffset > 0) {
        object["attempts_forgotten"] = claimed.attemptOffset;
    }
    return object;
}

nlohmann::json jsonOf(const StoreCounts& counts)
{
    nlohmann::json object{{"states", nlohmann::json::object()},
                          {"topics", nlohmann::json::array()},
                          {"mailboxes", counts.mailboxes}};
    for (const auto& [state, count] : counts.states) {
        object["states"][std::string(name(state))] = count;
    }
    for (const auto& topic : counts.topics) {
        object["topics"].push_back({{"channel", name(topic.channel)},
                                    {"topic", topic.topic},
                                    {"scheduled", topic.scheduled},
                                    {"ready", topic.ready}});
    }
    return object;
}

nlohmann::json jsonOf(const PushOutcome& outcome)
{
    return {{"id", outcome.id},
            {"status", outcome.status == PushStatus::Stored ? "stored" : "already_there"}};
}

nlohmann::json jsonOf(const HistoryRow& row)
{
    nlohmann::json object{{"transition", row.transition}, {"shard", row.shard}};
    addTime(object, "at", row.at);
    addText(object, "from", row.from);
    addText(object, "to", row.to);
    addText(object, "worker", row.worker);
    addText(object, "actor", row.actor);
    addText(object, "reason", row.reason);
    addText(object, "note", row.note);
    return object;
}

nlohmann::json jsonOf(const TopicView& view)
{
    nlohmann::json object{
        {"topic", view.topic},
        {"channels", nlohmann::json::array()},
        {"paused", view.pause.has_value()},
        {"limits",
         {{"concurrency", view.limits.concurrency}, {"rate", formatRate(view.limits.rate)}}}};
    std::uint64_t scheduled = 0;
    std::uint64_t ready = 0;
    for (const auto& channel : view.channels) {
        object["channels"].push_back({{"channel", name(channel.channel)},
                                      {"scheduled", channel.scheduled},
                                      {"ready", channel.ready}});
        scheduled += channel.scheduled;
        ready += channel.ready;
    }
    object["scheduled"] = scheduled;
    object["ready"] = ready;
    if (view.leased) {
        object["leased"] = *view.leased;
    }
    if (view.pause) {
        object["pause"] = {{"since", formatRfc3339(view.pause->since)},
                           {"since_ms", toEpochMs(view.pause->since)},
                           {"actor", textOf(view.pause->actor)},
                           {"reason", textOf(view.pause->reason)}};
    }
    return object;
}

namespace {

nlohmann::json jsonOf(const RegisteredDevice& device)
{
    nlohmann::json object{{"device", textOf(device.device)}, {"registered", device.registered}};
    addText(object, "contact", device.contact);
    addText(object, "agent", device.agent);
    addTime(object, "since", device.since.value_or(TimePoint::max()));
    addTime(object, "seen", device.seen);
    addTime(object, "until", device.until);
    return object;
}

}  // namespace

nlohmann::json jsonOf(const MailboxView& view)
{
    nlohmann::json object{{"recipient", textOf(view.recipient)},
                          {"waiting", view.waiting},
                          {"registered", view.isRegistered()},
                          {"devices", nlohmann::json::array()}};
    const auto add = [&](const char* name, const std::optional<TimePoint>& at) {
        addTime(object, name, at.value_or(TimePoint::max()));
    };
    add("oldest", view.oldest);
    add("newest", view.newest);
    add("next", view.next);
    add("expires", view.expires);
    add("away_since", view.awaySince());
    for (const auto& device : view.devices) {
        object["devices"].push_back(jsonOf(device));
    }
    return object;
}

nlohmann::json jsonOf(const MailboxPage& page)
{
    return {{"mailboxes", listOf(page.mailboxes)},
            {"cursor", page.cursor.empty() ? nlohmann::json() : textOf(page.cursor)},
            {"total", page.total},
            {"messages", page.messages},
            {"complete", page.complete}};
}

template <class T>
nlohmann::json listOf(const std::vector<T>& values)
{
    auto list = nlohmann::json::array();
    for (const auto& value : values) {
        list.push_back(jsonOf(value));
    }
    return list;
}
template nlohmann::json listOf(const std::vector<JobView>&);
template nlohmann::json listOf(const std::vector<ClaimedJob>&);
template nlohmann::json listOf(const std::vector<HistoryRow>&);
template nlohmann::json listOf(const std::vector<TopicView>&);
template nlohmann::json listOf(const std::vector<MailboxView>&);

}  // namespace restante::json
