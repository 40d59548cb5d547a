#include "core/redis/client/cluster_map.h"

#include "core/base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace restante::redis {

namespace {

/// A name that the node's administrator has promised, but not set ("?"), is no address; what is
/// told beside it may have one.
std::string addressBeside(const Reply& node)
{
    const auto& facts = node.at(3);
    for (std::size_t i = 0; i + 1 < facts.size(); i += 2) {
        const auto* name = facts.at(i).text();
        const auto* value = facts.at(i + 1).text();
        if (name != nullptr && value != nullptr && *name == "ip") {
            return *value;
        }
    }
    return {};
}

/// [host, port, id, [facts]]; a host that is nil is that of who was asked.
std::optional<NodeAddress> readNode(const Reply& reply, const NodeAddress& asked)
{
    const auto* port = reply.at(1).integer();
    if (port == nullptr || *port <= 0 || *port > 65'535) {
        return std::nullopt;
    }
    NodeAddress node{asked.host, static_cast<std::uint16_t>(*port)};
    const auto* host = reply.at(0).text();
    if (host != nullptr && !host->empty()) {
        node.host = *host == "?" ? addressBeside(reply) : *host;
    }
    return node.host.empty() ? std::nullopt : std::optional(node);
}

const std::int64_t* slotIn(const Reply& reply) noexcept
{
    const auto* slot = reply.integer();
    return slot != nullptr && *slot >= 0 && *slot < kClusterSlots ? slot : nullptr;
}

}  // namespace

Result<ClusterMap> ClusterMap::parse(const Reply& answer, const NodeAddress& asked)
{
    ClusterMap map;
    map.masters_.resize(kClusterSlots);
    std::vector<NodeAddress> replicas;
    for (std::size_t i = 0; i < answer.size(); ++i) {
        const auto& range = answer.at(i);
        const auto* first = slotIn(range.at(0));
        const auto* last = slotIn(range.at(1));
        const auto master = readNode(range.at(2), asked);
        if (first == nullptr || last == nullptr || *last < *first || !master) {
            continue;
        }
        const auto index = static_cast<std::uint16_t>(map.indexOf(*master) + 1);
        for (auto slot = *first; slot <= *last; ++slot) {
            map.masters_[static_cast<std::size_t>(slot)] = index;
        }
        for (std::size_t other = 3; other < range.size(); ++other) {
            if (const auto replica = readNode(range.at(other), asked)) {
                replicas.push_back(*replica);
            }
        }
    }
    if (map.nodes_.empty()) {
        return failure(ErrorCode::Unavailable, "no node of the cluster has any slot yet");
    }
    for (const auto& replica : replicas) {
        map.indexOf(replica);
    }
    return map;
}

const NodeAddress* ClusterMap::masterOf(std::uint16_t slot) const noexcept
{
    const auto index = slot < masters_.size() ? masters_[slot] : 0U;
    return index == 0 ? nullptr : &nodes_[index - 1];
}

void ClusterMap::move(std::uint16_t slot, const NodeAddress& master)
{
    if (slot < masters_.size()) {
        masters_[slot] = static_cast<std::uint16_t>(indexOf(master) + 1);
    }
}

bool ClusterMap::isMaster(const NodeAddress& node) const noexcept
{
    const auto found = std::find(nodes_.begin(), nodes_.end(), node);
    const auto index = static_cast<std::uint16_t>(std::distance(nodes_.begin(), found) + 1);
    return found != nodes_.end() &&
           std::find(masters_.begin(), masters_.end(), index) != masters_.end();
}

std::vector<std::uint16_t> ClusterMap::slotOfEachMaster() const
{
    std::vector<std::uint16_t> slots;
    std::vector<bool> seen(nodes_.size() + 1);
    for (std::uint16_t slot = 0; slot < masters_.size(); ++slot) {
        if (masters_[slot] != 0 && !seen[masters_[slot]]) {
            seen[masters_[slot]] = true;
            slots.push_back(slot);
        }
    }
    return slots;
}

std::string ClusterMap::printMasters() const
{
    std::vector<std::string> printed;
    for (const auto slot : slotOfEachMaster()) {
        printed.push_back(masterOf(slot)->print());
    }
    return fmt::format("{}", fmt::join(printed, ", "));
}

std::size_t ClusterMap::indexOf(const NodeAddress& node)
{
    const auto found = std::find(nodes_.begin(), nodes_.end(), node);
    const auto index = static_cast<std::size_t>(std::distance(nodes_.begin(), found));
    if (found == nodes_.end()) {
        nodes_.push_back(node);
    }
    return index;
}

std::optional<Redirect> redirectOf(std::string_view refusal, const NodeAddress& from)
{
    const auto take = [&refusal] {
        const auto word = refusal.substr(0, refusal.find(' '));
        refusal.remove_prefix(std::min(word.size() + 1, refusal.size()));
        return word;
    };
    const auto kind = take();
    Redirect redirect;
    if (kind == "ASK") {
        redirect.kind = Redirect::Kind::Ask;
    } else if (kind != "MOVED") {
        return std::nullopt;
    }
    const bool hasSlot = readNumber(take(), redirect.slot) && redirect.slot < kClusterSlots;
    const auto place = take();
    // The last one, as an IPv6 address has them, too.
    const auto colon = place.rfind(':');
    if (!hasSlot || colon == std::string_view::npos ||
        !readNumber(place.substr(colon + 1), redirect.to.port) || redirect.to.port == 0) {
        return std::nullopt;
    }
    redirect.to.host = colon == 0 ? from.host : std::string(place.substr(0, colon));
    return redirect;
}

}  // namespace restante::redis
