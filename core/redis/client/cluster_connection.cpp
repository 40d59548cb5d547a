#include "core/base/async_task.h"
#include "core/base/callback_guard.h"
#include "core/base/log.h"
#include "core/base/result_gathering.h"
#include "core/redis/client/cluster_map.h"
#include "core/redis/client/connection_impl.h"
#include "core/redis/client/node_inquiry.h"
#include "core/redis/client/request.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace restante::redis {

namespace {

using Args = Connection::Args;
using SteadyClock = std::chrono::steady_clock;

constexpr Millis kFirstPause{5};
constexpr Millis kLongestPause{100};
constexpr Millis kSubscribeTimeout{1'000};
/// A subscriber sends no commands, whose answers would tell that its node has left the cluster.
constexpr Millis kSubscriberRefresh{5'000};
/// Redirections of one command that are followed at once; after more of them it waits, because the
/// nodes may redirect it in a circle.
constexpr unsigned kImmediateRedirects = 3;

/// Without the advice in parentheses that Connection adds for a URL that names a cluster's node as
/// a single Redis.
std::string withoutAdvice(const std::string& refusal)
{
    return refusal.substr(0, refusal.find(" ("));
}

/// Least time between two topology queries: a resharding moves slot after slot.
constexpr Millis kMinQueryInterval{100};
/// How long a connection to a node that is no master any more is kept: until its successor has been
/// reached, the store is not taken for lost.
constexpr Millis kCloseUnusedAfter{2'000};

/// The nodes of a cluster as one connection sees them: which master has which slot, and a
/// Connection to each master that has been needed. The map is queried at the start, in the
/// background when a node says that a slot has moved (once for all such answers meanwhile), and
/// repeatedly while a master that is needed cannot be reached. *One loop.*
class ClusterNodes {
public:
    /// `onChange` is called for a new map, and when a node becomes ready or is lost; it may destroy
    /// this.
    ClusterNodes(EventLoop& loop, Connection::Settings settings, std::function<void()> onChange)
        : loop_(loop),
          settings_(std::move(settings)),
          onChange_(std::move(onChange)),
          backOff_(settings_.firstBackOff),
          queryTimer_(loop),
          closeUnusedTimer_(loop)
    {
        queryTopology();
    }

    /// None until a node has answered the query.
    const std::optional<ClusterMap>& map() const noexcept { return map_; }
    /// Why there is no map; empty until the first attempt has failed, and when there is one.
    const Error& failure() const noexcept { return failure_; }

    /// The connection to this node, dialled when it is needed for the first time.
    Connection& connectionTo(const NodeAddress& node)
    {
        auto& connection = connections_[node];
        if (!connection) {
            connection = std::make_unique<Connection>(loop_, settingsOf(node));
            connection->onReady([this, life = callbackGuard_.watch()](bool ready) {
                if (life.expired()) {
                    return;
                }
                if (!ready) {
                    refresh();
                }
                onChange_();
            });
            // The query is repeated if it cannot be reached by then.
            if (!queryTimer_.armed() && !query_) {
                scheduleQuery(settings_.longestBackOff);
            }
        }
        return *connection;
    }

    /// To the master of this slot; null when it has none.
    Connection* connectionToMaster(std::uint16_t slot)
    {
        const auto* master = map_ ? map_->masterOf(slot) : nullptr;
        return master == nullptr ? nullptr : &connectionTo(NodeAddress(*master));
    }

    bool isReady(const NodeAddress& node) const
    {
        const auto found = connections_.find(node);
        return found != connections_.end() && found->second->ready();
    }

    void onMoved(std::uint16_t slot, const NodeAddress& to)
    {
        if (map_) {
            const auto* known = map_->masterOf(slot);
            if (known != nullptr && *known == to) {
                return;  // heard before, from another command
            }
            map_->setMaster(slot, to);
            movedTo_ = to;
        }
        refresh();
    }

    void refresh()
    {
        if (query_) {
            return;
        }
        const auto since = std::chrono::ceil<Millis>(SteadyClock::now() - lastQueryAt_);
        if (since >= kMinQueryInterval) {
            return queryTopology();
        }
        queryTimer_.arm(kMinQueryInterval - since, [this] { queryTopology(); });
    }

    /// The settings for a connection to one node.
    Connection::Settings settingsOf(const NodeAddress& node) const
    {
        auto settings = settings_;
        settings.url.nodes.clear();
        settings.url.host = node.host;
        settings.url.port = node.port;
        return settings;
    }

private:
    void queryTopology()
    {
        queryTimer_.cancel();
        query_ = std::make_unique<TopologyQuery>(
            loop_, settings_.url, nodesToAsk(),
            [this](Result<ClusterMap> map) { handleTopology(std::move(map)); });
    }

    void handleTopology(Result<ClusterMap> map)
    {
        const auto query = std::move(query_);  // it is calling this
        lastQueryAt_ = SteadyClock::now();
        movedTo_.reset();
        if (map) {
            const auto masters = map->formatMasters();
            if (map_ && masters != map_->formatMasters()) {
                log::info("redis", "{}: the masters are now {}", settings_.url.toString(), masters);
            }
            map_ = std::move(*map);
            failure_ = {};
            scheduleClosing();
        } else if (!map_) {
            const auto why = "redis " + settings_.url.toString() + ": " + map.error().message;
            if (why != failure_.message) {
                log::warning("redis", "{}", why);
            }
            failure_ = {map.error().code, why};
        }
        const auto life = callbackGuard_.watch();
        onChange_();
        if (life.expired()) {
            return;
        }
        if (!lacksMaster()) {
            backOff_ = settings_.firstBackOff;
            return;
        }
        scheduleQuery(std::max(backOff_, kMinQueryInterval));
        backOff_ = std::min(backOff_ * 2, settings_.longestBackOff);
    }

    /// Nodes that are known to answer come first.
    std::vector<NodeAddress> nodesToAsk() const
    {
        std::vector<NodeAddress> nodes;
        const auto add = [&nodes](const NodeAddress& node) {
            if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
                nodes.push_back(node);
            }
        };
        if (movedTo_ && isReady(*movedTo_)) {
            add(*movedTo_);
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

    /// Queries again unless every master that is needed is ready by then.
    void scheduleQuery(Millis after)
    {
        queryTimer_.arm(after, [this] {
            if (lacksMaster()) {
                queryTopology();
            }
        });
    }

    bool lacksMaster() const
    {
        return !map_ ||
               std::any_of(connections_.begin(), connections_.end(), [this](const auto& one) {
                   return !one.second->ready() && map_->isMaster(one.first);
               });
    }

    bool isUnused(const NodeAddress& node) const { return !map_->isMaster(node); }

    void scheduleClosing()
    {
        const auto now = SteadyClock::now();
        std::erase_if(unusedSince_, [this](const auto& one) {
            return !connections_.contains(one.first) || !isUnused(one.first);
        });
        for (const auto& [node, connection] : connections_) {
            if (isUnused(node)) {
                unusedSince_.try_emplace(node, now);
            }
        }
        if (!unusedSince_.empty() && !closeUnusedTimer_.armed()) {
            closeUnusedTimer_.arm(kCloseUnusedAfter, [this] { closeUnused(); });
        }
    }

    /// Closes connections to nodes that have been no masters for a while, if nothing is in flight
    /// there.
    void closeUnused()
    {
        const auto unusedBefore = SteadyClock::now() - kCloseUnusedAfter;
        const auto closedCount = std::erase_if(connections_, [&](const auto& one) {
            const auto unused = unusedSince_.find(one.first);
            return unused != unusedSince_.end() && unused->second <= unusedBefore &&
                   isUnused(one.first) && one.second->inFlight() == 0;
        });
        scheduleClosing();
        if (closedCount > 0) {
            onChange_();
        }
    }

    EventLoop& loop_;
    const Connection::Settings settings_;
    std::function<void()> onChange_;
    std::optional<ClusterMap> map_;
    Error failure_;
    std::map<NodeAddress, std::unique_ptr<Connection>> connections_;
    std::map<NodeAddress, SteadyClock::time_point> unusedSince_;  ///< to nodes that are no masters
    std::optional<NodeAddress> movedTo_;  ///< the latest new master of a slot: it is asked first
    std::unique_ptr<TopologyQuery> query_;
    SteadyClock::time_point lastQueryAt_{};
    Millis backOff_;
    Timer queryTimer_;        ///< for the next query
    Timer closeUnusedTimer_;  ///< for connections to nodes that are no masters any more
    /// Expires when this is destroyed, which a callback may do.
    CallbackGuard callbackGuard_;
};

/// A command without a reply, copied because it may have to be sent again. *Value.*
struct PendingCommand {
    std::uint64_t number = 0;  ///< numbers grow in the order in which commands were given
    std::uint16_t slot = 0;
    PackedWords packed;
    SteadyClock::time_point deadline;
    Done<Reply> done;                    ///< empty once it has been answered
    std::optional<NodeAddress> askNode;  ///< the node to ask this once (ASK)
    std::string lastRefusal;
    unsigned redirects = 0;
    bool isScript = false;
    bool hasLoadedScript = false;

    Args words() const
    {
        Args words;
        packed.appendTo(words);
        return words;
    }
};
using PendingPtr = std::shared_ptr<PendingCommand>;

/// The commands of one slot that have to wait, in their order. *One loop.*
struct SlotQueue {
    explicit SlotQueue(EventLoop& loop) : pauseTimer(loop) {}

    std::map<std::uint64_t, PendingPtr> waiting;
    std::size_t inFlight = 0;
    Timer pauseTimer;  ///< while it is armed, nothing is sent
    Millis backOff{0};
};

class ClusterConnection final : public ConnectionImpl {
public:
    ClusterConnection(EventLoop& loop, Connection::Settings settings)
        : ConnectionImpl(loop, std::move(settings)),
          shard0Slot_(slotOfShard0()),
          deadlineTimer_(loop),
          nodes_(std::make_unique<ClusterNodes>(loop, settings_, [this] { onNodesChanged(); })),
          subscribeTimer_(loop),
          refreshTimer_(loop)
    {
    }

    ~ClusterConnection() override
    {
        callbackGuard_.expire();
        ready_ = false;
        subscriber_.reset();
        nodes_.reset();  // answers what is in flight; what the answers send is rejected
        const Error why = refusal();
        for (auto& [slot, queue] : queues_) {
            for (auto& [number, pending] : std::exchange(queue->waiting, {})) {
                answer(*pending, tl::unexpected(why));
            }
        }
        answerRejectedNow();
    }

    void command(const Args& args, Done<Reply> done) override
    {
        assert(channels_.empty() && "a connection that subscribes takes no other commands");
        const auto route = clusterRouteOf(args);
        if (route.kind == ClusterRoute::Kind::SeveralSlots) {
            return reject(
                std::move(done),
                {ErrorCode::Internal,
                 withTarget(fmt::format("{} names keys of different slots; in a cluster a "
                                        "command may only touch one",
                                        args.front()))});
        }
        if (args.size() == 3 && args[0] == "SCRIPT" && args[1] == "LOAD") {
            return loadScript(args, std::move(done));
        }
        add(route.kind == ClusterRoute::Kind::Slot ? route.slot : shard0Slot_, args,
            std::move(done));
    }

    void commandToEach(const Args& args, Done<std::vector<Reply>> done) override
    {
        const auto* map = knownMap();
        addToEach(map != nullptr ? map->slotOfEachMaster() : std::vector{shard0Slot_}, args,
                  std::move(done));
    }

    void subscribe(std::vector<std::string> channels, Connection::MessageHandler handler) override
    {
        assert(channels_.empty() && "subscribe() is called once");
        ready_ = false;
        channels_ = std::move(channels);
        onMessage_ = std::move(handler);
        subscribeAtNext();
        armRefresh();
    }

    bool isCluster() const noexcept override { return true; }
    std::size_t inFlight() const noexcept override { return outstanding_ + rejectedCount(); }

    std::string lastFailure() const override
    {
        if (!nodes_) {
            return withTarget("connection closed");
        }
        if (ready_ || !nodes_->map()) {
            return ready_ ? "" : nodes_->failure().message;
        }
        if (!channels_.empty()) {
            return subscriber_ ? subscriber_->lastFailure() : "";
        }
        auto* master = nodes_->connectionToMaster(shard0Slot_);
        return master == nullptr ? noMasterError(shard0Slot_) : master->lastFailure();
    }

    Error refusal() const override
    {
        return whyNotReady(nodes_ && !knownMap() ? nodes_->failure()
                                                 : Error{ErrorCode::Unavailable, lastFailure()});
    }

private:
    /// Null until a node has answered, and when the nodes are gone because this is being destroyed.
    const ClusterMap* knownMap() const noexcept
    {
        return nodes_ && nodes_->map() ? &*nodes_->map() : nullptr;
    }

    std::string noMasterError(std::uint16_t slot) const
    {
        return withTarget(fmt::format("no node has slot {}", slot));
    }

    // --- commands ---

    void add(std::uint16_t slot, const Args& args, Done<Reply> done)
    {
        if (knownMap() == nullptr) {
            return reject(std::move(done), refusal());
        }
        auto pending = std::make_shared<PendingCommand>();
        pending->number = ++lastNumber_;
        pending->slot = slot;
        pending->packed.add(args);
        pending->deadline = SteadyClock::now() + settings_.timeout;
        pending->done = std::move(done);
        pending->isScript = runsScript(args.front());
        ++outstanding_;
        auto& queue = queueOf(slot);
        if (!queue.waiting.empty() || !send(queue, pending)) {
            enqueue(queue, pending);
        }
    }

    /// To the masters of these slots.
    void addToEach(const std::vector<std::uint16_t>& slots,
                   const Args& args,
                   Done<std::vector<Reply>> done)
    {
        auto gathering =
            std::make_shared<ResultGathering<std::vector<Reply>>>(std::move(done), slots.size());
        gathering->sum.resize(slots.size());
        for (std::size_t i = 0; i < slots.size(); ++i) {
            const auto* map = knownMap();
            const auto* node = map != nullptr ? map->masterOf(slots[i]) : nullptr;
            const auto name = node == nullptr ? std::string{} : node->toString() + ": ";
            add(slots[i], args, [gathering, i, name](Result<Reply> reply) {
                if (!reply) {
                    reply.error().message.insert(0, name);
                }
                gathering->take(reply, [i](std::vector<Reply>& sum, Reply& answer) {
                    sum[i] = std::move(answer);
                });
            });
        }
    }

    SlotQueue& queueOf(std::uint16_t slot)
    {
        auto& queue = queues_[slot];
        if (!queue) {
            queue = std::make_unique<SlotQueue>(loop_);
        }
        return *queue;
    }

    bool send(SlotQueue& queue, const PendingPtr& pending)
    {
        auto* node = pending->askNode ? &nodes_->connectionTo(*pending->askNode)
                                      : nodes_->connectionToMaster(pending->slot);
        if (node == nullptr || !node->ready()) {
            return false;
        }
        const auto from =
            pending->askNode ? *pending->askNode : *nodes_->map()->masterOf(pending->slot);
        ++queue.inFlight;
        if (pending->askNode) {
            node->command({"ASKING"}, [](const Result<Reply>&) {});
        }
        node->command(pending->words(), [this, life = callbackGuard_.watch(), &queue, pending,
                                         from](Result<Reply> reply) {
            if (life.expired()) {
                return answer(*pending, std::move(reply));
            }
            --queue.inFlight;
            handle(queue, pending, from, std::move(reply));
            if (!life.expired() && queue.inFlight == 0) {
                pump(queue);
            }
        });
        return true;
    }

    void handle(SlotQueue& queue,
                const PendingPtr& pending,
                const NodeAddress& from,
                Result<Reply> reply)
    {
        if (!pending->done) {
            return;  // it has timed out
        }
        if (const auto redirect = reply ? std::nullopt : redirectOf(reply.error().message, from)) {
            return followRedirect(queue, pending, *redirect, reply.error().message);
        }
        const bool isDown = isRefused(reply, "CLUSTERDOWN");
        if (isDown || isRefused(reply, "TRYAGAIN")) {
            pending->lastRefusal = withoutAdvice(reply.error().message);
            if (isDown) {
                nodes_->refresh();
            }
            return enqueueAfterPause(queue, pending);
        }
        if (isRefused(reply, "NOSCRIPT") && reloadScript(*pending, from)) {
            return enqueue(queue, pending);
        }
        queue.backOff = Millis{0};
        finish(pending, std::move(reply));
    }

    void followRedirect(SlotQueue& queue,
                        const PendingPtr& pending,
                        const Redirect& redirect,
                        const std::string& refusal)
    {
        pending->lastRefusal = withoutAdvice(refusal);
        pending->askNode.reset();
        const bool isMoved = redirect.kind == Redirect::Kind::Moved;
        if (redirect.to.host.empty()) {
            if (isMoved) {
                nodes_->refresh();
            }
            return enqueueAfterPause(queue, pending);
        }
        if (isMoved) {
            nodes_->onMoved(redirect.slot, redirect.to);
        } else if (pending->isScript) {
            return enqueueAfterPause(queue, pending);
        } else {
            pending->askNode = redirect.to;
        }
        ++pending->redirects > kImmediateRedirects ? enqueueAfterPause(queue, pending)
                                                   : enqueue(queue, pending);
    }

    // --- commands that wait ---

    void enqueue(SlotQueue& queue, const PendingPtr& pending)
    {
        queue.waiting.emplace(pending->number, pending);
        delayed_.emplace(pending->number, pending);
        armDeadlineTimer();
    }

    void enqueueAfterPause(SlotQueue& queue, const PendingPtr& pending)
    {
        if (!queue.pauseTimer.armed()) {
            queue.backOff = std::clamp(queue.backOff * 2, kFirstPause, kLongestPause);
            queue.pauseTimer.arm(queue.backOff, [this, &queue] { pump(queue); });
        }
        enqueue(queue, pending);
    }

    /// Sends waiting commands in order, as far as their nodes are ready.
    void pump(SlotQueue& queue)
    {
        if (queue.inFlight != 0 || queue.pauseTimer.armed()) {
            return;
        }
        while (!queue.waiting.empty() && send(queue, queue.waiting.begin()->second)) {
            queue.waiting.erase(queue.waiting.begin());
        }
    }

    void armDeadlineTimer()
    {
        if (delayed_.empty() || deadlineTimer_.armed()) {
            return;
        }
        const auto left =
            std::chrono::ceil<Millis>(delayed_.begin()->second->deadline - SteadyClock::now());
        deadlineTimer_.arm(std::max(left, Millis{0}), [this] { failExpired(); });
    }

    void failExpired()
    {
        const auto life = callbackGuard_.watch();
        std::set<std::uint16_t> slots;
        while (!delayed_.empty() && delayed_.begin()->second->deadline <= SteadyClock::now()) {
            const auto pending = delayed_.begin()->second;
            slots.insert(pending->slot);
            queueOf(pending->slot).waiting.erase(pending->number);
            finish(pending, failure(ErrorCode::Unavailable, whyExpired(*pending)));
            if (life.expired()) {
                return;
            }
        }
        // The one that was first may have waited for a node that none of the others needs.
        for (const auto slot : slots) {
            pump(queueOf(slot));
        }
        armDeadlineTimer();
    }

    std::string whyExpired(const PendingCommand& pending)
    {
        const auto* node = nodes_->connectionToMaster(pending.slot);
        if (node == nullptr) {
            return noMasterError(pending.slot);
        }
        if (!node->ready() && !node->lastFailure().empty()) {
            return node->lastFailure();
        }
        if (pending.lastRefusal.starts_with("ASK")) {
            return withTarget(
                fmt::format("slot {} is being moved to another node, and no script can "
                            "run there until it has been ({})",
                            pending.slot, pending.lastRefusal));
        }
        return withTarget(
            fmt::format("slot {}: no master took the command within {} ms{}", pending.slot,
                        settings_.timeout.count(),
                        pending.lastRefusal.empty() ? "" : " (" + pending.lastRefusal + ")"));
    }

    void finish(const PendingPtr& pending, Result<Reply> reply)
    {
        delayed_.erase(pending->number);
        --outstanding_;
        answer(*pending, std::move(reply));
    }

    static void answer(PendingCommand& pending, Result<Reply> reply)
    {
        if (const auto done = std::exchange(pending.done, nullptr)) {
            done(std::move(reply));
        }
    }

    // --- scripts ---

    /// Loads it at every master that is ready. Others get it when they answer NOSCRIPT.
    void loadScript(const Args& args, Done<Reply> done)
    {
        std::vector<std::uint16_t> slots;
        if (const auto* map = knownMap()) {
            slots = map->slotOfEachMaster();
            std::erase_if(slots, [&](auto slot) { return !nodes_->isReady(*map->masterOf(slot)); });
        }
        if (slots.empty()) {
            slots.push_back(shard0Slot_);
        }
        addToEach(slots, args,
                  onSuccess(done, [this, life = callbackGuard_.watch(), text = std::string(args[2]),
                                   done](std::vector<Reply> replies) {
                      const auto* sha1 = replies.front().text();
                      if (!life.expired() && sha1 != nullptr) {
                          scripts_[*sha1] = text;
                      }
                      done(std::move(replies.front()));
                  }));
    }

    bool reloadScript(PendingCommand& pending, const NodeAddress& to)
    {
        const auto known = scripts_.find(std::string(pending.words()[1]));
        if (pending.hasLoadedScript || known == scripts_.end()) {
            return false;
        }
        pending.hasLoadedScript = true;
        nodes_->connectionTo(to).command({"SCRIPT", "LOAD", known->second},
                                         [](const Result<Reply>&) {});
        return true;
    }

    // --- nodes ---

    void onNodesChanged()
    {
        const auto life = callbackGuard_.watch();
        if (!channels_.empty()) {
            leaveStranger();
            return life.expired() ? void() : subscribeAtNext();
        }
        updateReadiness();
        if (life.expired()) {
            return;
        }
        for (auto& [slot, queue] : queues_) {
            pump(*queue);
        }
    }

    void updateReadiness()
    {
        const auto* master = nodes_->map() ? nodes_->map()->masterOf(shard0Slot_) : nullptr;
        const auto shard0Node = master == nullptr ? std::nullopt : std::optional(*master);
        if (shard0Node && nodes_->connectionTo(*shard0Node).ready()) {
            lastShard0Master_ = shard0Node;
            return setReady(true);
        }
        // It stays ready while shard 0 moves from one ready master to another.
        setReady(ready_ && lastShard0Master_ && nodes_->isReady(*lastShard0Master_));
    }

    void setReady(bool ready)
    {
        if (std::exchange(ready_, ready) == ready) {
            return;
        }
        notifyReady(ready);
    }

    // --- subscription ---

    /// Subscribes at one master, because a message reaches all nodes, and at the next one when that
    /// one is lost for a second. Does nothing while there is a subscriber, or no map.
    void subscribeAtNext()
    {
        if (!nodes_->map() || subscriber_) {
            return;
        }
        const auto slots = nodes_->map()->slotOfEachMaster();
        const auto* node = nodes_->map()->masterOf(slots[mastersTried_++ % slots.size()]);
        subscribedAt_ = *node;
        subscriber_ = std::make_unique<Connection>(loop_, nodes_->settingsOf(*node));
        subscriber_->onReady([this](bool ready) {
            ready ? subscribeTimer_.cancel() : awaitSubscriber();
            setReady(ready);  // it may destroy this
        });
        subscriber_->subscribe(channels_, onMessage_);
        awaitSubscriber();
    }

    /// Leaves a node that has left the cluster: it lives on, but no message reaches it any more.
    void leaveStranger()
    {
        if (!subscriber_ || std::ranges::count(nodes_->map()->nodes(), subscribedAt_) > 0) {
            return;
        }
        subscribeTimer_.cancel();
        subscriber_.reset();
        setReady(false);  // it may destroy this
    }

    void armRefresh()
    {
        refreshTimer_.arm(kSubscriberRefresh, [this] {
            nodes_->refresh();
            armRefresh();
        });
    }

    void awaitSubscriber()
    {
        subscribeTimer_.arm(kSubscribeTimeout, [this] {
            subscriber_.reset();
            nodes_->refresh();
            subscribeAtNext();
        });
    }

    const std::uint16_t shard0Slot_;  ///< the slot of shard 0
    std::optional<NodeAddress> lastShard0Master_;
    std::uint64_t lastNumber_ = 0;
    std::size_t outstanding_ = 0;  ///< commands without a reply, but for the rejected ones
    std::unordered_map<std::uint16_t, std::unique_ptr<SlotQueue>> queues_;
    /// Commands that wait or have waited, by number, which is the order of their deadlines.
    std::map<std::uint64_t, PendingPtr> delayed_;
    Timer deadlineTimer_;
    std::unordered_map<std::string, std::string> scripts_;  ///< texts of loaded scripts, by SHA1
    std::unique_ptr<ClusterNodes> nodes_;
    std::vector<std::string> channels_;  ///< not empty: this is a subscriber
    Connection::MessageHandler onMessage_;
    std::size_t mastersTried_ = 0;  ///< how many times a master was chosen to subscribe at
    Timer subscribeTimer_;
    Timer refreshTimer_;  ///< for the map, while this is a subscriber
    NodeAddress subscribedAt_;
    std::unique_ptr<Connection> subscriber_;
};

}  // namespace

std::unique_ptr<ConnectionImpl> makeClusterConnection(EventLoop& loop,
                                                      Connection::Settings settings)
{
    return std::make_unique<ClusterConnection>(loop, std::move(settings));
}

}  // namespace restante::redis
