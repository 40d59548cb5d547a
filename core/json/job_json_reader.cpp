// Reads pushes and exported jobs from JSON.

#include "core/base/encoding.h"
#include "core/base/event_loop.h"
#include "core/base/timestamp.h"
#include "core/base/try.h"
#include "core/job/job_id.h"
#include "core/json/document.h"
#include "core/json/job_json.h"
#include "core/json/object_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace restante::json {

namespace {

constexpr JobLimits kLimits;
/// More attempts than any job has; the record's counter has 32 bits.
constexpr std::int64_t kMostAttempts = 1'000'000'000;
/// The bytes of a last error, whose text may come from a SIP or HTTP peer.
constexpr std::size_t kLongestError = 65'536;
/// Of a push. A message that came by SIP may have more; validate() bounds their bytes.
constexpr std::size_t kMostHeaders = 100;
constexpr std::size_t kLongestOrigin = 512;

void readId(ObjectReader& reader, Job& job)
{
    const auto* raw = reader.raw("id");
    if (raw == nullptr) {
        return;
    }
    const auto* text = raw->get_ptr<const std::string*>();
    auto id = text == nullptr ? tl::unexpected(Error{}) : checkedJobId(*text);
    if (!id) {
        reader.refuse("id",
                      "is a string of 1-128 printable ASCII characters without space or control");
        return;
    }
    job.id = std::move(*id);
}

void readHeader(ObjectReader& reader,
                Job& job,
                const std::string& name,
                const nlohmann::json& value)
{
    const auto* text = value.get_ptr<const std::string*>();
    if (name.empty() || text == nullptr) {
        reader.refuse("headers", "have a name and a value, both strings");
        return;
    }
    job.headers.emplace_back(name, *text);
}

/// A header whose value is not UTF-8, as an export has it.
bool readRawHeader(Job& job, const nlohmann::json& entry)
{
    const bool isRaw = entry.is_object() && entry.size() == 3 && entry.contains("name") &&
                       entry.at("name").is_string() && entry.contains("value_base64") &&
                       entry.at("value_base64").is_string() && entry.contains("value");
    auto value =
        isRaw ? fromBase64(entry.at("value_base64").get_ref<const std::string&>()) : std::nullopt;
    if (value) {
        job.headers.emplace_back(entry.at("name").get<std::string>(), std::move(*value));
    }
    return value.has_value();
}

/// {"Name": "value"}, or a list of {"name", "value"} when order or repetition matters.
void readHeaders(ObjectReader& reader, Job& job, std::size_t most)
{
    const auto* raw = reader.raw("headers");
    if (raw == nullptr) {
        return;
    }
    if (!raw->is_structured()) {
        reader.refuse("headers",
                      "is an object of names and values, or a list of {\"name\", \"value\"}");
        return;
    }
    if (raw->size() > most) {
        reader.refuse("headers", fmt::format("are at most {}", most));
        return;
    }
    if (raw->is_object()) {
        for (const auto& [name, value] : raw->items()) {
            readHeader(reader, job, name, value);
        }
        return;
    }
    for (const auto& entry : *raw) {
        const bool isPair = entry.is_object() && entry.size() == 2 && entry.contains("name") &&
                            entry.contains("value") && entry.at("name").is_string();
        if (readRawHeader(job, entry)) {
            continue;
        }
        readHeader(reader, job, isPair ? entry.at("name").get<std::string>() : std::string(),
                   isPair ? entry.at("value") : nlohmann::json());
    }
}

void readBody(ObjectReader& reader, Job& job)
{
    reader.refuseBoth("body", "body_base64");
    if (auto body = reader.bytes("body")) {
        job.body = std::move(*body);
    }
    if (auto body = reader.base64("body_base64")) {
        job.body = std::move(*body);
    }
}

/// Where a job is read from: an export has the bytes of texts that are not UTF-8, and as many
/// headers as the job had.
enum class Source { Push, Export };

/// In an export the bytes under NAME_base64, where they are, are the value: under NAME they have
/// replacement characters then, and may be longer than allowed. validate() bounds the bytes.
std::string readText(ObjectReader& reader, std::string_view name, Source source)
{
    const auto rawName = std::string(name) + "_base64";
    if (source == Source::Export && reader.has(rawName)) {
        (void)reader.raw(name);
        return reader.base64(rawName).value_or("");
    }
    return reader.text(name, kLimits.recipient).value_or("");
}

/// The fields that pushes and exported jobs share.
void readJob(ObjectReader& reader, Job& job, Source source)
{
    readId(reader, job);
    reader.require("topic");
    job.topic = reader.text("topic", kLimits.topic).value_or("");
    if (const auto channel = reader.oneOf("channel", {"pull", "sip", "sms", "webhook"})) {
        job.channel = *channelNamed(*channel);
    }
    readBody(reader, job);
    job.contentType = readText(reader, "content_type", source);
    readHeaders(reader, job, source == Source::Push ? kMostHeaders : SIZE_MAX);
    job.recipient = readText(reader, "recipient", source);
    job.sender = readText(reader, "sender", source);
    job.bizKey = readText(reader, "biz_key", source);
    job.priority = static_cast<int>(reader.integer("priority", 0, 9).value_or(job.priority));
    job.ttr = reader.duration("ttr", Millis{1}).value_or(job.ttr);
    job.expires = reader.time("expires");
    job.retry = reader.retry("retry").value_or(RetrySchedule{});
}

/// The job's position among others, as exports of this version have it.
void readPosition(ObjectReader& reader, JobView& view)
{
    const auto* raw = reader.raw("place");
    if (raw == nullptr) {
        return;
    }
    ObjectReader place(*raw, reader.pathOf("place"));
    constexpr std::int64_t kLargestArrival = 1LL << 53;  // a double tells them apart
    JobPosition position;
    position.order = static_cast<std::uint32_t>(place.integer("order", 0, 4'095).value_or(0));
    position.arrival =
        static_cast<std::uint64_t>(place.integer("arrival", 1, kLargestArrival).value_or(0));
    position.mailboxNext = place.time("mailbox_next").value_or(TimePoint::max());
    position.origin = place.text("origin", kLongestOrigin).value_or("");
    if (!isOrigin(position.origin)) {
        place.refuse("origin", "is not one that an export has written");
    }
    if (auto problem = place.finish()) {
        reader.refuse("place" + problem->field.substr(std::min<std::size_t>(
                                    problem->field.size(), std::string_view("place").size())),
                      std::move(problem->detail));
    }
    view.position = std::move(position);
}

/// Checks what the queue would refuse about the job itself, except the length of its body, if every
/// field is valid.
void checkJob(ObjectReader& reader, Job job, TimePoint created)
{
    if (reader.finish()) {
        return;
    }
    job.id = job.id.empty() ? "x" : job.id;
    job.created = created;
    auto limits = kLimits;
    limits.body = SIZE_MAX;  // limits.body is the queue's business
    if (const auto valid = validate(job, limits); !valid) {
        auto problem = fieldErrorOf(valid.error());
        reader.refuse(problem.field, std::move(problem.detail));
    }
}

}  // namespace

Parsed<PushOptions>
pushOptionsOf(const nlohmann::json& document, TimePoint now, const std::string& path)
{
    ObjectReader reader(document, path);
    PushOptions push;
    readJob(reader, push.job, Source::Push);
    reader.refuseBoth("at", "delay");
    reader.refuseBoth("at_ms", "delay");
    reader.refuseBoth("at_ms", "at");
    push.delay = reader.duration("delay").value_or(Millis{0});
    push.at = reader.time("at");
    reader.refuseBoth("expires_in", "expires");
    reader.refuseBoth("expires_in", "expires_ms");
    if (const auto in = reader.duration("expires_in", Millis{1})) {
        push.job.expires = now + *in;
    }
    push.replace = reader.boolean("replace").value_or(false);
    checkJob(reader, push.job, now);
    return reader.finish(std::move(push));
}

Parsed<PushBatch> pushBatchOf(std::string_view text, TimePoint now, std::size_t most)
{
    auto document = TRY(parseDocument(text));
    PushBatch batch;
    batch.isArray = document.is_array();
    if (!batch.isArray) {
        batch.pushes.push_back(pushOptionsOf(document, now));
        return batch;
    }
    if (document.empty() || document.size() > most) {
        return tl::unexpected(FieldError{
            {}, fmt::format("has {} jobs; an array has 1 to {}", document.size(), most)});
    }
    for (std::size_t i = 0; i < document.size(); ++i) {
        batch.pushes.push_back(pushOptionsOf(document[i], now, fmt::format("[{}]", i)));
    }
    return batch;
}

Parsed<JobView> jobViewOf(const nlohmann::json& document)
{
    ObjectReader reader(document);
    JobView view;
    reader.require("id");
    reader.require("state");
    readJob(reader, view.job, Source::Export);
    // An export says in which indexes the job is; otherwise those of a push are assumed.
    view.job.findByKey =
        reader.boolean("find_by_key")
            .value_or(!view.job.bizKey.empty() && view.job.channel != Channel::Sip);
    view.job.findBySender = reader.boolean("find_by_sender").value_or(false);
    view.job.rememberId = reader.boolean("remember_id").value_or(false);
    view.job.recurrence = reader.text("recurrence", kLimits.recipient).value_or("");
    if (!reader.has("created_ms")) {
        reader.require("created");
    }
    view.job.created = reader.time("created").value_or(TimePoint{});
    std::vector<std::string_view> states;
    for (const auto state : kJobStates) {
        states.push_back(name(state));
    }
    view.state = jobStateNamed(reader.oneOf("state", states).value_or("")).value_or(view.state);
    view.due = reader.time("due").value_or(TimePoint::max());
    view.heldOutsideMailbox =
        reader.boolean("held_by_itself").value_or(false) && view.state == JobState::Held;
    if (view.state != JobState::Held && !reader.has("due_ms")) {
        reader.require("due");
    }
    view.attempt =
        static_cast<std::uint32_t>(reader.integer("attempt", 0, kMostAttempts).value_or(0));
    view.attemptOffset = static_cast<std::uint32_t>(
        reader.integer("attempts_forgotten", 0, view.attempt).value_or(0));
    // The peer's text may have control characters, and need not be UTF-8.
    view.lastError = reader.bytes("last_error").value_or("");
    if (auto bytes = reader.base64("last_error_base64")) {
        view.lastError = std::move(*bytes);
    }
    view.lastError.resize(std::min(view.lastError.size(), kLongestError));
    (void)reader.integer("devices", 0,
                         kMostAttempts);  // shown to people only; an import ignores it
    readPosition(reader, view);
    checkJob(reader, view.job, view.job.created);
    return reader.finish(std::move(view));
}

}  // namespace restante::json
