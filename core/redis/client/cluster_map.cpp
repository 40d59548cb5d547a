#include "core/redis/client/cluster_map.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace restante::redis {

namespace {

/// The "ip" of a node's metadata, or empty: it is needed when the node's host name is "?", because
/// cluster-preferred-endpoint-type wants one and none is configured.
std::string ipInMetadata(const Reply& node)
{
    const auto& facts = node.at(3);
    for (std::size_t i = 0; i + 1 < facts.size(); i += 2) {
        if (facts.at(i).textOrEmpty() == "ip" && facts.at(i + 1).text() != nullptr) {
            return *facts.at(i + 1).text();
        }
    }
    return {};
}

/// Reads [host, port, id, [metadata]]; a nil host is that of the node that was asked.
std::optional<NodeAddress> readNode(const Reply& reply, const NodeAddress& asked)
{
    const auto* port = reply.at(1).integer();
    if (port == nullptr || *port <= 0 || *port > 65'535) {
        return std::nullopt;
    }
    NodeAddress node{asked.host, static_cast<std::uint16_t>(*port)};
    if (const auto host = reply.at(0).textOrEmpty(); !host.empty()) {
        node.host = host == "?" ? ipInMetadata(reply) : std::string(host);
    }
    return node.host.empty() ? std::nullopt : std::optional(node);
}

const std::int64_t* slotOrNull(const Reply& reply) noexcept
{
    const auto* slot = reply.integer();
    return slot != nullptr && *slot >= 0 && *slot < kClusterSlots ? slot : nullptr;
}

using Arguments = std::span<const std::string_view>;

/// Bit by bit, without a table: keys are short, and most commands have one.
std::uint16_t crc16(std::string_view text) noexcept
{
    constexpr unsigned kPolynomial = 0x1021;
    unsigned crc = 0;
    for (const char c : text) {
        crc ^= static_cast<unsigned>(static_cast<unsigned char>(c)) << 8U;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ kPolynomial : crc << 1U;
        }
    }
    return static_cast<std::uint16_t>(crc & 0xffffU);
}

template <std::size_t N>
bool isOneOf(std::string_view word, const std::array<std::string_view, N>& words) noexcept
{
    return std::any_of(words.begin(), words.end(),
                       [&](auto known) { return equalIgnoringCase(word, known); });
}

constexpr auto kScriptCommands =
    std::to_array<std::string_view>({"EVALSHA", "EVAL", "EVALSHA_RO", "EVAL_RO"});
constexpr auto kStreamReadCommands = std::to_array<std::string_view>({"XREAD", "XREADGROUP"});
constexpr auto kCommandsOfKeysOnly =
    std::to_array<std::string_view>({"DEL", "EXISTS", "UNLINK", "TOUCH", "MGET"});
constexpr auto kCommandsWithSubcommand =
    std::to_array<std::string_view>({"OBJECT", "XINFO", "XGROUP", "MEMORY"});
constexpr auto kCommandsWithoutKey = std::to_array<std::string_view>(
    {"ACL",     "ASKING",   "AUTH",    "CLIENT", "CLUSTER", "COMMAND",  "CONFIG",  "DBSIZE",
     "ECHO",    "FLUSHALL", "FLUSHDB", "HELLO",  "INFO",    "LASTSAVE", "LATENCY", "PING",
     "PUBLISH", "READONLY", "ROLE",    "SCRIPT", "SLOWLOG", "TIME",     "WAIT"});

Arguments wordsFrom(Arguments words, std::size_t first) noexcept
{
    return first < words.size() ? words.subspan(first) : Arguments{};
}

/// As in "EVALSHA sha 2 k k a a".
Arguments keysOfScript(Arguments words) noexcept
{
    const auto count = words.size() > 2 ? leadingNumber<std::size_t>(words[2]) : 0;
    const auto keys = wordsFrom(words, 3);
    return keys.first(std::min(count, keys.size()));
}

/// The words after `word`; none when it is missing.
Arguments wordsAfter(Arguments words, std::string_view word) noexcept
{
    const auto found = std::ranges::find_if(
        words, [word](std::string_view one) { return equalIgnoringCase(one, word); });
    return wordsFrom(words, static_cast<std::size_t>(std::distance(words.begin(), found)) + 1);
}

/// As in "XREAD COUNT 1 STREAMS k k id id".
Arguments keysOfStreams(Arguments words) noexcept
{
    const auto streams = wordsAfter(words, "STREAMS");
    return streams.first(streams.size() / 2);
}

/// As in "SCAN 0 MATCH rst:{s1}:*": the hash tag of the pattern selects the node, to which the
/// cursor belongs.
Arguments keysOfScan(Arguments words) noexcept
{
    const auto pattern = wordsAfter(words, "MATCH");
    return pattern.first(std::min<std::size_t>(pattern.size(), 1));
}

Arguments keysOf(Arguments words) noexcept
{
    const auto name = words.empty() ? std::string_view{} : words.front();
    if (isOneOf(name, kCommandsWithoutKey)) {
        return {};
    }
    if (runsScript(name)) {
        return keysOfScript(words);
    }
    if (equalIgnoringCase(name, "SCAN")) {
        return keysOfScan(words);
    }
    if (isOneOf(name, kStreamReadCommands)) {
        return keysOfStreams(words);
    }
    if (isOneOf(name, kCommandsOfKeysOnly)) {
        return wordsFrom(words, 1);
    }
    const auto keys = wordsFrom(words, isOneOf(name, kCommandsWithSubcommand) ? 2 : 1);
    return keys.first(std::min<std::size_t>(keys.size(), 1));
}

}  // namespace

std::uint16_t slotOf(std::string_view key) noexcept
{
    const auto open = key.find('{');
    const auto close = open == std::string_view::npos ? open : key.find('}', open + 1);
    // "{}" is no tag.
    if (close != std::string_view::npos && close > open + 1) {
        key = key.substr(open + 1, close - open - 1);
    }
    return crc16(key) % kClusterSlots;
}

std::uint16_t slotOfShard0() noexcept
{
    // The hash tag of shardPrefix() (keys.h); this layer must not include the store's header.
    return slotOf("{s0}");
}

ClusterRoute clusterRouteOf(std::span<const std::string_view> command) noexcept
{
    const auto keys = keysOf(command);
    if (keys.empty()) {
        return {};
    }
    const auto slot = slotOf(keys.front());
    const bool same = std::all_of(keys.begin() + 1, keys.end(),
                                  [slot](std::string_view key) { return slotOf(key) == slot; });
    return {same ? ClusterRoute::Kind::Slot : ClusterRoute::Kind::SeveralSlots, slot};
}

bool runsScript(std::string_view commandName) noexcept
{
    return isOneOf(commandName, kScriptCommands);
}

Result<ClusterMap> ClusterMap::parse(const Reply& answer, const NodeAddress& asked)
{
    ClusterMap map;
    map.masters_.resize(kClusterSlots);
    std::vector<NodeAddress> replicas;
    for (std::size_t i = 0; i < answer.size(); ++i) {
        const auto& range = answer.at(i);
        const auto* first = slotOrNull(range.at(0));
        const auto* last = slotOrNull(range.at(1));
        const auto master = readNode(range.at(2), asked);
        if (first == nullptr || last == nullptr || *last < *first || !master) {
            continue;
        }
        const auto index = static_cast<std::uint16_t>(map.findOrAddNode(*master) + 1);
        for (auto slot = *first; slot <= *last; ++slot) {
            map.masters_[static_cast<std::size_t>(slot)] = index;
        }
        for (std::size_t replicaIndex = 3; replicaIndex < range.size(); ++replicaIndex) {
            if (const auto replica = readNode(range.at(replicaIndex), asked)) {
                replicas.push_back(*replica);
            }
        }
    }
    if (map.nodes_.empty()) {
        return failure(ErrorCode::Unavailable, "no node of the cluster has any slot yet");
    }
    for (const auto& replica : replicas) {
        map.findOrAddNode(replica);
    }
    return map;
}

const NodeAddress* ClusterMap::masterOf(std::uint16_t slot) const noexcept
{
    const auto index = slot < masters_.size() ? masters_[slot] : 0U;
    return index == 0 ? nullptr : &nodes_[index - 1];
}

void ClusterMap::setMaster(std::uint16_t slot, const NodeAddress& master)
{
    if (slot < masters_.size()) {
        masters_[slot] = static_cast<std::uint16_t>(findOrAddNode(master) + 1);
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

std::string ClusterMap::formatMasters() const
{
    std::vector<NodeAddress> masters;
    for (const auto slot : slotOfEachMaster()) {
        masters.push_back(*masterOf(slot));
    }
    return formatAddresses(masters, ", ");
}

std::size_t ClusterMap::findOrAddNode(const NodeAddress& node)
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
    const auto kind = takeField(refusal);
    Redirect redirect;
    if (kind == "ASK") {
        redirect.kind = Redirect::Kind::Ask;
    } else if (kind != "MOVED") {
        return std::nullopt;
    }
    const bool hasSlot =
        readNumber(takeField(refusal), redirect.slot) && redirect.slot < kClusterSlots;
    const auto address = takeField(refusal);
    // The last one, as an IPv6 address has them, too.
    const auto colon = address.rfind(':');
    if (!hasSlot || colon == std::string_view::npos ||
        !readNumber(address.substr(colon + 1), redirect.to.port) || redirect.to.port == 0) {
        return std::nullopt;
    }
    const auto host = address.substr(0, colon);
    redirect.to.host = host.empty() ? from.host : std::string(host == "?" ? "" : host);
    return redirect;
}

}  // namespace restante::redis
