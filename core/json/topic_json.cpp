#include "core/json/topic_json.h"

#include "core/base/timestamp.h"
#include "core/json/document.h"

#include <nlohmann/json.hpp>

namespace restante::json {

namespace {

/// An operator's terminal may have sent anything: what is not UTF-8 becomes replacement characters.
nlohmann::json textOf(const std::string& text)
{
    return nlohmann::json::parse(print(text));
}

}  // namespace

nlohmann::json jsonOf(const TopicView& view)
{
    nlohmann::json object{
        {"topic", view.topic},
        {"channels", nlohmann::json::array()},
        {"paused", view.pause.has_value()},
        {"limits",
         {{"concurrency", view.limits.concurrency}, {"rate", printRate(view.limits.rate)}}}};
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
        object["pause"] = {{"since", printRfc3339(view.pause->since)},
                           {"since_ms", toEpochMs(view.pause->since)},
                           {"actor", textOf(view.pause->actor)},
                           {"reason", textOf(view.pause->reason)}};
    }
    return object;
}

}  // namespace restante::json
