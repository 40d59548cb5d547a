#pragma once

#include "gui/session/job_source.h"

#include <vector>

namespace restante::gui {

/// `topics` with those that have only held, dead or leased jobs, by name.
std::vector<TopicView> withAllTopics(std::vector<TopicView> topics, const TopicActivity& activity);

}  // namespace restante::gui
