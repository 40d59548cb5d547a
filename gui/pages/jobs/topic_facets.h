#pragma once

#include "gui/session/job_source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace restante::gui {

/// How many jobs of a view are in a topic or of a kind, as far as the store keeps such numbers: it
/// does for scheduled and ready jobs, and for leased ones of topics with a concurrency limit.
/// *Value.*
class TopicFacets {
public:
    enum class Why {
        Known,    ///< the numbers are those of the view
        Partly,   ///< they are of its scheduled and ready jobs; it shows others, too
        State,    ///< the store keeps none for the view's states
        Filtered  ///< nor for what a filter leaves of them
    };

    TopicFacets() = default;
    explicit TopicFacets(const JobsView& view);

    Why why() const noexcept { return why_; }
    /// Of the view's kind, if it has one. None: nobody knows.
    std::optional<std::uint64_t> of(const TopicView& topic) const;
    /// Of the view's topic, if it has one.
    std::optional<std::uint64_t> of(Channel channel, const std::vector<TopicView>& topics) const;

private:
    std::uint64_t sum(const TopicCounts& counts) const;

    Why why_ = Why::Partly;
    bool scheduled_ = true;
    bool ready_ = true;
    bool leased_ = false;  ///< and nothing else
    std::optional<Channel> channel_;
    std::string topic_;
};

}  // namespace restante::gui
