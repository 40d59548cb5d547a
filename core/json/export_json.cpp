#include "core/json/export_json.h"

#include "core/base/encoding.h"
#include "core/base/event_loop.h"
#include "core/base/text.h"
#include "core/job/job_id.h"
#include "core/json/job_json.h"
#include "core/json/object_reader.h"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace restante::json {

namespace {

constexpr std::size_t kLongestText = 1'024;
constexpr std::size_t kLongestKey = 65'536;
constexpr std::int64_t kLargestInteger = 1LL << 53;

/// jsonOf() replaces bytes that are not UTF-8, so the original bytes are added here.
void addRaw(nlohmann::json& object, const char* name, const std::string& text)
{
    if (!isUtf8(text)) {
        object[std::string(name) + "_base64"] = toBase64(text);
    }
}

void addRawHeaders(nlohmann::json& object, const Job& job)
{
    for (std::size_t i = 0; i < job.headers.size(); ++i) {
        addRaw(object["headers"][i], "value", job.headers[i].second);
    }
}

nlohmann::json positionJson(const JobPosition& position)
{
    auto place = nlohmann::json::object();
    if (position.order > 0) {
        place["order"] = position.order;
    }
    if (position.arrival > 0) {
        place["arrival"] = position.arrival;
    }
    addTime(place, "mailbox_next", position.mailboxNext);
    if (!position.origin.empty()) {
        place["origin"] = position.origin;
    }
    return place;
}

/// A text that may be missing or empty; its bytes, where the export has them.
std::string textOrEmpty(ObjectReader& reader, std::string_view name)
{
    const auto rawName = std::string(name) + "_base64";
    std::string bytes;
    if (reader.has(rawName)) {
        (void)reader.raw(name);
        bytes = reader.base64(rawName).value_or("");
    } else {
        bytes = reader.bytes(name).value_or("");
    }
    if (bytes.size() > kLongestText) {
        reader.refuse(name, "is too long");
    }
    return bytes;
}

/// Reports the first problem of an inner object as one of the outer.
void forwardProblem(ObjectReader& outer, std::string_view name, ObjectReader& inner)
{
    if (auto problem = inner.finish()) {
        outer.refuse(name, problem->field + " " + problem->detail);
    }
}

Parsed<Exported> topicOf(ObjectReader& reader)
{
    TopicSetting setting;
    reader.require("topic");
    setting.topic = reader.text("topic", kLongestText).value_or("");
    if (const auto* raw = reader.raw("pause")) {
        ObjectReader pause(*raw);
        TopicPause topicPause;
        if (!pause.has("since_ms")) {
            pause.require("since");
        }
        topicPause.since = pause.time("since").value_or(TimePoint{});
        topicPause.actor = textOrEmpty(pause, "actor");
        topicPause.reason = textOrEmpty(pause, "reason");
        setting.pause = std::move(topicPause);
        forwardProblem(reader, "pause", pause);
    }
    if (const auto* raw = reader.raw("limits")) {
        ObjectReader limits(*raw);
        setting.limits.concurrency =
            static_cast<std::uint32_t>(limits.integer("concurrency", 0, UINT32_MAX).value_or(0));
        const auto rate = parseRate(limits.text("rate", kLongestText).value_or("0"));
        if (!rate) {
            limits.refuse("rate", rate.error().message);
        }
        setting.limits.rate = rate.value_or(Rate{});
        forwardProblem(reader, "limits", limits);
    }
    return reader.finish(Exported(std::move(setting)));
}

Parsed<Exported> onceOf(ObjectReader& reader)
{
    OnceKey once;
    reader.refuseBoth("once_key", "once_key_base64");
    if (!reader.has("once_key_base64")) {
        reader.require("once_key");
    }
    once.key = reader.bytes("once_key").value_or("");
    if (auto key = reader.base64("once_key_base64")) {
        once.key = std::move(*key);
    }
    for (const auto* name : {"id", "once_for_ms", "since_ms"}) {
        reader.require(name);
    }
    once.id = reader.text("id", kLongestText).value_or("");
    once.onceFor = Millis{reader.integer("once_for_ms", 1, kLargestInteger).value_or(1)};
    once.since = fromEpochMs(reader.integer("since_ms", 0, kLargestInteger).value_or(0));
    if (once.key.empty() || once.key.size() > kLongestKey) {
        reader.refuse("once_key", "is 1 to 65,536 bytes");
    }
    return reader.finish(Exported(std::move(once)));
}

Parsed<Exported> storeOf(ObjectReader& reader)
{
    reader.require("shards");
    StoreShape shape;
    shape.shards = static_cast<std::uint32_t>(
        reader.integer("shards", 1, StoreShape::kMostShards).value_or(1));
    return reader.finish(Exported(shape));
}

}  // namespace

nlohmann::json exportOf(const JobView& view)
{
    const auto& job = view.job;
    auto object = jsonOf(view);
    object.erase("devices");
    // Without the field, an import assumes that a job of another channel than SIP is found by its
    // key.
    if (job.findByKey || (!job.bizKey.empty() && job.channel != Channel::Sip)) {
        object["find_by_key"] = job.findByKey;
    }
    if (job.findBySender) {
        object["find_by_sender"] = true;
    }
    if (job.rememberId) {
        object["remember_id"] = true;
    }
    addRaw(object, "last_error", view.lastError);
    addRaw(object, "recipient", job.recipient);
    addRaw(object, "sender", job.sender);
    addRaw(object, "biz_key", job.bizKey);
    addRaw(object, "content_type", job.contentType);
    addRawHeaders(object, job);
    if (view.position) {
        object["place"] = positionJson(*view.position);
    }
    return object;
}

nlohmann::json exportOf(const TopicSetting& setting)
{
    nlohmann::json object{{"kind", "topic"}, {"topic", setting.topic}};
    if (setting.pause) {
        auto& pause = object["pause"] = nlohmann::json::object();
        addTime(pause, "since", setting.pause->since);
        pause["actor"] = setting.pause->actor;
        pause["reason"] = setting.pause->reason;
        addRaw(pause, "actor", setting.pause->actor);
        addRaw(pause, "reason", setting.pause->reason);
    }
    if (setting.limits != TopicLimits{}) {
        object["limits"] = {{"concurrency", setting.limits.concurrency},
                            {"rate", formatRate(setting.limits.rate)}};
    }
    return object;
}

nlohmann::json exportOf(const OnceKey& once)
{
    nlohmann::json object{{"kind", "once"},
                          {"id", once.id},
                          {"once_for_ms", once.onceFor.count()},
                          {"since_ms", toEpochMs(once.since)}};
    if (isUtf8(once.key)) {
        object["once_key"] = once.key;
    } else {
        object["once_key_base64"] = toBase64(once.key);
    }
    return object;
}

nlohmann::json exportOf(const StoreShape& shape)
{
    return {{"kind", "store"}, {"shards", shape.shards}};
}

Parsed<Exported> exportedOf(const nlohmann::json& document)
{
    if (document.is_object() && document.contains("kind")) {
        ObjectReader reader(document);
        const auto kind = reader.oneOf("kind", {"topic", "once", "store"});
        if (kind) {
            return *kind == "topic"  ? topicOf(reader)
                   : *kind == "once" ? onceOf(reader)
                                     : storeOf(reader);
        }
        return tl::unexpected(*reader.finish());
    }
    return jobViewOf(document).map([](JobView view) { return Exported(std::move(view)); });
}

}  // namespace restante::json
