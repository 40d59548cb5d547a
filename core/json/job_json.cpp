#include "core/json/job_json.h"

#include "core/base/duration.h"
#include "core/base/encoding.h"
#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/json/document.h"
#include "core/json/object_writer.h"
#include "core/queue/job_history.h"
#include "core/queue/mailbox.h"
#include "core/queue/topic.h"
#include "core/queue/topic_view.h"

#include <nlohmann/json.hpp>

namespace restante::json {

namespace {

/// Text from a SIP peer or a terminal need not be UTF-8; other bytes become replacement characters.
nlohmann::json textOf(std::string_view text)
{
    return isUtf8(text) ? nlohmann::json(text) : nlohmann::json::parse(toString(text));
}

void addText(nlohmann::json& object, const char* name, const std::string& text)
{
    if (!text.empty()) {
        object[name] = textOf(text);
    }
}

/// Writes fields into a document, as ObjectWriter does into a text.
class DocumentFields {
public:
    explicit DocumentFields(nlohmann::json& object) : object_(object) {}

    void text(const char* name, std::string_view value) { object_[name] = textOf(value); }
    void number(const char* name, std::int64_t value) { object_[name] = value; }
    void headers(const Job& job)
    {
        auto& list = object_["headers"];
        for (const auto& [name, value] : job.headers) {
            list.push_back({{"name", textOf(name)}, {"value", textOf(value)}});
        }
    }

private:
    nlohmann::json& object_;
};

/// Writes fields into a text.
class TextFields {
public:
    explicit TextFields(ObjectWriter& writer) : writer_(writer) {}

    void text(const char* name, std::string_view value) { writer_.text(name, value); }
    void number(const char* name, std::int64_t value) { writer_.number(name, value); }
    void headers(const Job& job)
    {
        writer_.value("headers", [&job](std::string& out) {
            out += '[';
            for (const auto& [name, value] : job.headers) {
                out += out.back() == '[' ? "" : ",";
                ObjectWriter header(out);
                header.text("name", name);
                header.text("value", value);
                header.end();
            }
            out += ']';
        });
    }

private:
    ObjectWriter& writer_;
};

template <class Fields>
void describeTime(Fields& fields, const char* name, const char* nameMs, TimePoint at)
{
    if (at != TimePoint::max()) {
        fields.text(name, formatRfc3339(at));
        fields.number(nameMs, toEpochMs(at));
    }
}

template <class Fields>
void describeText(Fields& fields, const char* name, const std::string& text)
{
    if (!text.empty()) {
        fields.text(name, text);
    }
}

/// How a job stands now.
struct Standing {
    JobState state;
    std::uint32_t attempt;
    std::uint32_t attemptOffset;
    TimePoint due;
    TimePoint leaseEnds = TimePoint::max();  ///< max() = it has no lease
};

/// In the order of the names, as documents are printed.
template <class Fields>
void describe(Fields& fields, const Job& job, const Standing& standing)
{
    fields.number("attempt", standing.attempt);
    if (standing.attemptOffset > 0) {
        fields.number("attempts_forgotten", standing.attemptOffset);
    }
    describeText(fields, "biz_key", job.bizKey);
    if (isUtf8(job.body)) {
        fields.text("body", job.body);
    } else {
        fields.text("body_base64", toBase64(job.body));
    }
    fields.text("channel", name(job.channel));
    describeText(fields, "content_type", job.contentType);
    describeTime(fields, "created", "created_ms", job.created);
    describeTime(fields, "due", "due_ms", standing.due);
    describeTime(fields, "expires", "expires_ms", job.expires.value_or(TimePoint::max()));
    if (!job.headers.empty()) {
        fields.headers(job);
    }
    fields.text("id", job.id);
    describeTime(fields, "lease_ends", "lease_ends_ms", standing.leaseEnds);
    fields.number("priority", job.priority);
    describeText(fields, "recipient", job.recipient);
    describeText(fields, "recurrence", job.recurrence);
    describeText(fields, "retry", job.retry.toString());
    describeText(fields, "sender", job.sender);
    fields.text("state", name(standing.state));
    fields.text("topic", job.topic);
    fields.text("ttr", formatDuration(job.ttr));
}

Standing standingOf(const ClaimedJob& claimed)
{
    return {JobState::Leased, claimed.attempt, claimed.attemptOffset, claimed.due,
            claimed.leaseEnds};
}

}  // namespace

void addTime(nlohmann::json& object, const std::string& name, TimePoint at)
{
    if (at != TimePoint::max()) {
        object[name] = formatRfc3339(at);
        object[name + "_ms"] = toEpochMs(at);
    }
}

void addTime(ObjectWriter& object, const char* name, const char* nameMs, TimePoint at)
{
    TextFields fields(object);
    describeTime(fields, name, nameMs, at);
}

nlohmann::json jsonOf(const JobView& view)
{
    nlohmann::json object;
    DocumentFields fields(object);
    describe(fields, view.job, {view.state, view.attempt, view.attemptOffset, view.due});
    addText(object, "last_error", view.lastError);
    if (view.heldOutsideMailbox) {
        object["held_by_itself"] = true;
    }
    if (view.devices > 0) {
        object["devices"] = view.devices;
    }
    return object;
}

nlohmann::json jsonOf(const ClaimedJob& claimed)
{
    nlohmann::json object;
    DocumentFields fields(object);
    describe(fields, claimed.job, standingOf(claimed));
    return object;
}

void appendList(std::string& out, const std::vector<ClaimedJob>& jobs)
{
    constexpr std::size_t kFieldBytes = 400;  // what most jobs need beside their body
    std::size_t bytes = 0;
    for (const auto& one : jobs) {
        bytes += one.job.body.size() + kFieldBytes;
    }
    out.reserve(out.size() + bytes);
    out += '[';
    for (const auto& one : jobs) {
        out += &one == jobs.data() ? "" : ",";
        ObjectWriter object(out);
        TextFields fields(object);
        describe(fields, one.job, standingOf(one));
        object.end();
    }
    out += ']';
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
