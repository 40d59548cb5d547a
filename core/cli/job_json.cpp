#include "core/cli/job_json.h"

#include "core/base/duration.h"
#include "core/base/timestamp.h"

#include <nlohmann/json.hpp>

namespace restante::cli {

namespace {

std::string base64(std::string_view bytes)
{
    constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            const auto byte = i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U;
            group = group << 8U | byte;
        }
        for (std::size_t j = 0; j < 4; ++j) {
            const bool there = i + j <= bytes.size();
            text += there ? kAlphabet[group >> (18U - 6U * j) & 63U] : '=';
        }
    }
    return text;
}

bool isUtf8(const std::string& text)
{
    try {
        (void)nlohmann::json(text).dump();
        return true;
    } catch (const nlohmann::json::type_error&) {
        return false;
    }
}

void addTime(nlohmann::json& object, const std::string& name, TimePoint at)
{
    object[name] = printRfc3339(at);
    object[name + "_ms"] = toEpochMs(at);
}

void addText(nlohmann::json& object, const char* name, const std::string& text)
{
    if (text.empty()) {
        return;
    }
    // A SIP peer may have sent anything; what is not UTF-8 is shown with replacement characters.
    object[name] = isUtf8(text) ? nlohmann::json(text)
                                : nlohmann::json::parse(nlohmann::json(text).dump(
                                      -1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

nlohmann::json jsonOf(const JobView& view)
{
    const auto& job = view.job;
    nlohmann::json object{{"id", job.id},
                          {"topic", job.topic},
                          {"channel", name(job.channel)},
                          {"state", name(view.state)},
                          {"attempt", view.attempt},
                          {"priority", job.priority},
                          {"ttr", printDuration(job.ttr)}};
    addTime(object, "due", view.due);
    addTime(object, "created", job.created);
    if (job.expires) {
        addTime(object, "expires", *job.expires);
    }
    addText(object, "recipient", job.recipient);
    addText(object, "sender", job.sender);
    addText(object, "biz_key", job.bizKey);
    addText(object, "content_type", job.contentType);
    addText(object, "last_error", view.lastError);
    addText(object, "recurrence", job.recurrence);
    addText(object, "retry", job.retry.print());
    for (const auto& [name, value] : job.headers) {
        nlohmann::json header;
        addText(header, "name", name);
        addText(header, "value", value);
        object["headers"].push_back(std::move(header));
    }
    if (isUtf8(job.body)) {
        object["body"] = job.body;
    } else {
        object["body_base64"] = base64(job.body);
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

}  // namespace restante::cli
