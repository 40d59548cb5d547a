#include "core/http/classic/classic_request.h"

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/job/job_id.h"
#include "core/json/document.h"
#include "core/queue/topic.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::http {

namespace {

using Document = nlohmann::json;

constexpr std::int64_t kLongestDelaySeconds =
    std::chrono::duration_cast<std::chrono::seconds>(JobLimits{}.horizon).count();
constexpr std::int64_t kLongestTtrSeconds = 86'400;
/// The topics of one pop; each is watched by itself.
constexpr std::size_t kMostTopicsPerPop = 100;

/// Ignored around an id or a topic, as in the first of these queues.
constexpr std::string_view kWhitespace = " \t\r\n";

Result<Document> objectOf(std::string_view body)
{
    auto document = TRY(json::parseDocument(body).map_error(json::errorOf));
    if (!document.is_object()) {
        return invalid("the document is not a JSON object");
    }
    return document;
}

/// Moves the text out of the document. A field that is absent or null is empty.
Result<std::string> takeText(Document& object, const char* field)
{
    const auto found = object.find(field);
    if (found == object.end() || found->is_null()) {
        return std::string{};
    }
    if (!found->is_string()) {
        return invalidField(field, "is a string");
    }
    return std::move(found->get_ref<std::string&>());
}

struct SecondsField {
    const char* field;
    std::int64_t least;
    std::int64_t most;
    std::optional<std::int64_t> defaultValue = {};  ///< none = it must be there
};

Result<Millis> secondsOf(const Document& object, const SecondsField& wanted)
{
    const auto found = object.find(wanted.field);
    const bool isAbsent = found == object.end() || found->is_null();
    if (isAbsent && wanted.defaultValue) {
        return std::chrono::seconds{*wanted.defaultValue};
    }
    // An unsigned number beyond 2^63 must not become a negative one.
    const bool fits = !isAbsent && found->is_number_integer() &&
                      (!found->is_number_unsigned() ||
                       found->get<std::uint64_t>() <= static_cast<std::uint64_t>(wanted.most));
    const auto seconds = fits ? found->get<std::int64_t>() : wanted.least - 1;
    if (seconds < wanted.least || seconds > wanted.most) {
        return invalidField(wanted.field, fmt::format("is a whole number of seconds from {} to {}",
                                                      wanted.least, wanted.most));
    }
    return std::chrono::seconds{seconds};
}

Result<std::string> checkedId(const std::string& text)
{
    return checkedJobId(trimmed(text, kWhitespace));
}

}  // namespace

Result<PushOptions> classicPushOf(std::string_view body)
{
    auto object = TRY(objectOf(body));
    PushOptions push;
    auto& job = push.job;
    const auto topic = TRY(takeText(object, "topic"));
    job.topic = trimmed(topic, kWhitespace);
    TRY(checkNotReserved(job.topic));
    job.id = TRY(takeText(object, "id"));
    push.delay = TRY(secondsOf(object, {"delay", 0, kLongestDelaySeconds}));
    job.ttr = TRY(secondsOf(object, {"ttr", 1, kLongestTtrSeconds, 60}));
    job.body = TRY(takeText(object, "body"));
    if (const auto id = object.find("id"); id != object.end() && !id->is_null()) {
        job.id = TRY(checkedId(job.id));
    }
    return push;
}

Result<std::vector<std::string>> classicTopicsOf(std::string_view body)
{
    return objectOf(body)
        .and_then([](Document object) { return takeText(object, "topic"); })
        .and_then([](const std::string& text) { return topicsOf(text); });
}

Result<std::string> classicIdOf(std::string_view body)
{
    return objectOf(body)
        .and_then([](Document object) { return takeText(object, "id"); })
        .and_then(checkedId);
}

Result<std::vector<std::string>> topicsOf(std::string_view text)
{
    std::vector<std::string> topics;
    for (const auto part : split(text, ',')) {
        topics.emplace_back(trimmed(part, kWhitespace));
        Job job;
        job.id = "any";
        job.topic = topics.back();
        TRY(validate(job, {}).and_then([&] { return checkNotReserved(job.topic); }));
        if (topics.size() > kMostTopicsPerPop) {
            return invalidField("topic", fmt::format("names at most {} topics", kMostTopicsPerPop));
        }
    }
    return topics;
}

}  // namespace restante::http
