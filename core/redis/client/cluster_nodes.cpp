#include "core/redis/client/cluster_nodes.h"

#include "core/base/log.h"

#include <algorithm>
#include <utility>

namespace restante::redis {

namespace {

/// Between two surveys at least: a resharding moves slot after slot.
constexpr Millis kBetweenSurveys{100};
constexpr Millis kSweep{2'000};

}  // namespace

ClusterNodes::ClusterNodes(EventLoop& loop,
                           Connection::Settings settings,
                           std::function<void()> changed)
    : loop_(loop),
      settings_(std::move(settings)),
      changed_(std::move(changed)),
      backOff_(settings_.firstBackOff),
      next_(loop),
      sweep_(loop)
{
    survey();
}

Connection::Settings ClusterNodes::settingsOf(const NodeAddress& node) const
{
    auto settings = settings_;
    settings.url.nodes.clear();
    settings.url.host = node.host;
    settings.url.port = node.port;
    return settings;
}

Connection& ClusterNodes::at(const NodeAddress& node)
{
    auto& connection = connections_[node];
    if (!connection) {
        connection = std::make_unique<Connection>(loop_, settingsOf(node));
        connection->onReady([this, life = std::weak_ptr(life_)](bool ready) {
            if (life.expired()) {
                return;
            }
            if (!ready) {
                refresh();
            }
            changed_();
        });
        // Whether it can be reached at all.
        if (!next_.armed() && !survey_) {
            lookAgain(settings_.longestBackOff);
        }
    }
    return *connection;
}

Connection* ClusterNodes::masterOf(std::uint16_t slot)
{
    const auto* master = map_ ? map_->masterOf(slot) : nullptr;
    return master == nullptr ? nullptr : &at(NodeAddress(*master));
}

bool ClusterNodes::isReady(const NodeAddress& node) const
{
    const auto found = connections_.find(node);
    return found != connections_.end() && found->second->ready();
}

void ClusterNodes::moved(std::uint16_t slot, const NodeAddress& to)
{
    if (map_) {
        const auto* known = map_->masterOf(slot);
        if (known != nullptr && *known == to) {
            return;  // heard before, from another command
        }
        map_->move(slot, to);
        mover_ = to;
    }
    refresh();
}

void ClusterNodes::refresh()
{
    if (survey_) {
        return;
    }
    const auto since = std::chrono::ceil<Millis>(Steady::now() - surveyed_);
    if (since >= kBetweenSurveys) {
        return survey();
    }
    next_.arm(kBetweenSurveys - since, [this] { survey(); });
}

/// Who is known to answer comes first.
std::vector<NodeAddress> ClusterNodes::whomToAsk() const
{
    std::vector<NodeAddress> nodes;
    const auto add = [&nodes](const NodeAddress& node) {
        if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
            nodes.push_back(node);
        }
    };
    if (mover_ && isReady(*mover_)) {
        add(*mover_);
    }
    for (const auto& [node, connection] : connections_) {
        if (connection->ready()) {
            add(node);
        }
    }
    if (map_) {
        std::ranges::for_each(map_->nodes(), add);
    }
    std::ranges::for_each(settings_.url.nodes, add);
    return nodes;
}

void ClusterNodes::survey()
{
    next_.cancel();
    survey_ = std::make_unique<TopologyQuery>(
        loop_, settings_.url, whomToAsk(),
        [this](Result<ClusterMap> map) { surveyed(std::move(map)); });
}

void ClusterNodes::lookAgain(Millis after)
{
    next_.arm(after, [this] {
        if (lacksMaster()) {
            survey();
        }
    });
}

bool ClusterNodes::lacksMaster() const
{
    return !map_ || std::any_of(connections_.begin(), connections_.end(), [this](const auto& one) {
        return !one.second->ready() && map_->isMaster(one.first);
    });
}

void ClusterNodes::surveyed(Result<ClusterMap> map)
{
    const auto survey = std::move(survey_);  // it is telling this
    surveyed_ = Steady::now();
    mover_.reset();
    if (map) {
        const auto masters = map->printMasters();
        if (map_ && masters != map_->printMasters()) {
            log::info("redis", "{}: the masters are now {}", settings_.url.print(), masters);
        }
        map_ = std::move(*map);
        failure_ = {};
        sweep();
    } else if (!map_) {
        const auto why = "redis " + settings_.url.print() + ": " + map.error().message;
        if (why != failure_.message) {
            log::warning("redis", "{}", why);
        }
        failure_ = {map.error().code, why};
    }
    const std::weak_ptr life = life_;
    changed_();
    if (life.expired()) {
        return;
    }
    if (!lacksMaster()) {
        backOff_ = settings_.firstBackOff;
        return;
    }
    lookAgain(std::max(backOff_, kBetweenSurveys));
    backOff_ = std::min(backOff_ * 2, settings_.longestBackOff);
}

/// A replica that was a master, or a node that has left, is not dialled for ever; what is in flight
/// there is awaited.
void ClusterNodes::sweep()
{
    const auto isLeftOver = [this](const auto& one) { return !map_->isMaster(one.first); };
    std::erase_if(connections_,
                  [&](const auto& one) { return isLeftOver(one) && one.second->inFlight() == 0; });
    if (std::any_of(connections_.begin(), connections_.end(), isLeftOver)) {
        sweep_.arm(kSweep, [this] { sweep(); });
    }
}

}  // namespace restante::redis
