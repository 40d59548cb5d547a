#include "gui/session/topic_views.h"

#include <map>
#include <string>
#include <utility>

namespace restante::gui {

std::vector<TopicView> withAllTopics(std::vector<TopicView> topics, const TopicActivity& activity)
{
    std::map<std::string, TopicView> all;
    for (auto& view : topics) {
        all.emplace(view.topic, std::move(view));
    }
    for (const auto* found : {&activity.held, &activity.dead}) {
        for (const auto& [topic, jobs] : found->jobs) {
            all[topic].topic = topic;
        }
    }
    if (activity.leased) {
        for (const auto& [topic, jobs] : *activity.leased) {
            all[topic].topic = topic;
        }
    }
    topics.clear();
    for (auto& [name, view] : all) {
        topics.push_back(std::move(view));
    }
    return topics;
}

}  // namespace restante::gui
