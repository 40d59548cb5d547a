#include "gui/session/topic_views.h"

#include <map>
#include <string>
#include <utility>

namespace restante::gui {

std::vector<TopicView> withAllTopics(std::vector<TopicView> topics, const TopicActivity& activity)
{
    std::map<std::string, TopicView> viewsByTopic;
    for (auto& view : topics) {
        viewsByTopic.emplace(view.topic, std::move(view));
    }
    for (const auto* topicJobs : {&activity.held, &activity.dead}) {
        for (const auto& [topic, jobs] : topicJobs->jobs) {
            viewsByTopic[topic].topic = topic;
        }
    }
    if (activity.leased) {
        for (const auto& [topic, jobs] : *activity.leased) {
            viewsByTopic[topic].topic = topic;
        }
    }
    topics.clear();
    for (auto& [name, view] : viewsByTopic) {
        topics.push_back(std::move(view));
    }
    return topics;
}

}  // namespace restante::gui
