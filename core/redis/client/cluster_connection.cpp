#include "core/redis/client/cluster_connection.h"

#include "core/base/log.h"
#include "core/redis/client/cluster_lane.h"
#include "core/redis/client/cluster_nodes.h"
#include "core/redis/client/cluster_route.h"
#include "core/redis/client/cluster_subscriber.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

namespace restante::redis {

namespace {

using Args = Connection::Args;
using Errand = std::shared_ptr<ClusterErrand>;
using Steady = ClusterErrand::Steady;

constexpr Millis kFirstPause{5};
constexpr Millis kLongestPause{100};
/// Redirections of one command that are followed at once; a cluster that sends it round in circles
/// is given time.
constexpr unsigned kAtOnce = 3;

tl::unexpected<Error> refused(Error why)
{
    return tl::unexpected<Error>(std::move(why));
}

/// The advice is for who has taken a node of a cluster for a Redis of its own.
std::string withoutAdvice(const std::string& refusal)
{
    return refusal.substr(0, refusal.find(" ("));
}

bool begins(const Result<Reply>& reply, std::string_view word)
{
    return !reply && reply.error().message.starts_with(word);
}

/// As people know it: without the files of TLS.
std::string targetOf(RedisUrl url)
{
    if (url.tls) {
        url.tls.emplace();
    }
    return url.print();
}

class ClusterConnection final : public ConnectionImpl {
public:
    ClusterConnection(EventLoop& loop, Connection::Settings settings)
        : loop_(loop),
          settings_(std::move(settings)),
          target_(targetOf(settings_.url)),
          home_(homeSlot()),
          rejection_(loop),
          deadlines_(loop),
          nodes_(std::make_unique<ClusterNodes>(loop, settings_, [this] { changed(); }))
    {
    }

    ~ClusterConnection() override
    {
        life_.reset();
        subscriber_.reset();
        nodes_.reset();  // answers what is in flight
        const Error why{ErrorCode::Unavailable, named("connection closed")};
        for (auto& [slot, lane] : lanes_) {
            for (auto& [number, errand] : std::exchange(lane->held, {})) {
                answer(*errand, refused(why));
            }
        }
        while (!rejected_.empty()) {
            answerRejected();
        }
    }

    void command(const Args& args, Done<Reply> done) override
    {
        assert(!subscriber_ && "a connection that subscribes takes no other commands");
        const auto route = clusterRouteOf(args);
        if (route.kind == ClusterRoute::Kind::SeveralSlots) {
            return refuse({ErrorCode::Internal,
                           named(fmt::format("{} names keys of different slots; in a cluster a "
                                             "command may only touch one",
                                             args.front()))},
                          std::move(done));
        }
        if (args.size() == 3 && args[0] == "SCRIPT" && args[1] == "LOAD") {
            return loadScript(args, std::move(done));
        }
        add(route.kind == ClusterRoute::Kind::Slot ? route.slot : home_, args, std::move(done));
    }

    void commandToEach(const Args& args, Done<std::vector<Reply>> done) override
    {
        const auto& map = nodes_->map();
        addToEach(map ? map->slotOfEachMaster() : std::vector{home_}, args, std::move(done));
    }

    void subscribe(std::vector<std::string> channels, Connection::MessageHandler handler) override
    {
        assert(!subscriber_ && "subscribe() is called once");
        ready_ = false;
        subscriber_ = std::make_unique<ClusterSubscriber>(
            loop_, *nodes_,
            ClusterSubscriber::Subscription{std::move(channels), std::move(handler),
                                            [this](bool ready) { setReady(ready); }});
    }

    void onReady(std::function<void(bool)> handler) override
    {
        onReady_.push_back(std::move(handler));
    }
    bool ready() const noexcept override { return ready_; }
    bool isCluster() const noexcept override { return true; }
    std::size_t inFlight() const noexcept override { return outstanding_; }

    std::string lastFailure() const override
    {
        if (ready_ || !nodes_->map()) {
            return ready_ ? "" : nodes_->failure().message;
        }
        if (subscriber_) {
            return subscriber_->lastFailure();
        }
        auto* home = nodes_->masterOf(home_);
        return home == nullptr ? noMaster(home_) : home->lastFailure();
    }

private:
    std::string named(std::string_view what) const
    {
        return fmt::format("redis {}: {}", target_, what);
    }
    std::string noMaster(std::uint16_t slot) const
    {
        return named(fmt::format("no node has slot {}", slot));
    }

    // --- commands ---

    void refuse(Error why, Done<Reply> done)
    {
        ++outstanding_;
        rejected_.emplace_back(std::move(done), std::move(why));
        if (!rejection_.armed()) {
            rejection_.arm(Millis{0}, [this] { answerRejected(); });
        }
    }

    void answerRejected()
    {
        const auto rejected = std::exchange(rejected_, {});
        outstanding_ -= rejected.size();
        for (const auto& [done, why] : rejected) {
            done(refused(why));
        }
    }

    void add(std::uint16_t slot, const Args& args, Done<Reply> done)
    {
        if (!nodes_->map()) {
            const auto& why = nodes_->failure();
            return refuse(
                why.message.empty()
                    ? Error{ErrorCode::Unavailable, named("not connected yet")}
                    : Error{isTemporary(why.code) ? why.code : ErrorCode::Unavailable, why.message},
                std::move(done));
        }
        auto errand = std::make_shared<ClusterErrand>();
        errand->number = ++lastNumber_;
        errand->slot = slot;
        errand->copy(args);
        errand->deadline = Steady::now() + settings_.timeout;
        errand->done = std::move(done);
        errand->isScript = runsScript(args.front());
        ++outstanding_;
        auto& lane = laneOf(slot);
        if (!lane.held.empty() || !send(lane, errand)) {
            hold(lane, errand);
        }
    }

    /// To the masters of these slots.
    void addToEach(const std::vector<std::uint16_t>& slots,
                   const Args& args,
                   Done<std::vector<Reply>> done)
    {
        struct Gathering {
            Done<std::vector<Reply>> done;
            std::size_t missing;
            std::vector<Reply> replies;
            std::optional<Error> error;
        };
        auto all = std::make_shared<Gathering>(
            Gathering{std::move(done), slots.size(), std::vector<Reply>(slots.size()), {}});
        for (std::size_t i = 0; i < slots.size(); ++i) {
            const auto& map = nodes_->map();
            const auto* node = map ? map->masterOf(slots[i]) : nullptr;
            const auto name = node == nullptr ? std::string{} : node->print() + ": ";
            add(slots[i], args, [all, i, name](Result<Reply> reply) {
                if (reply) {
                    all->replies[i] = std::move(*reply);
                } else if (!all->error) {
                    all->error = {reply.error().code, name + reply.error().message};
                }
                if (--all->missing == 0) {
                    all->done(all->error ? Result<std::vector<Reply>>(refused(*all->error))
                                         : std::move(all->replies));
                }
            });
        }
    }

    ClusterLane& laneOf(std::uint16_t slot)
    {
        auto& lane = lanes_[slot];
        if (!lane) {
            lane = std::make_unique<ClusterLane>(loop_);
        }
        return *lane;
    }

    bool send(ClusterLane& lane, const Errand& errand)
    {
        auto* node = errand->ask ? &nodes_->at(*errand->ask) : nodes_->masterOf(errand->slot);
        if (node == nullptr || !node->ready()) {
            return false;
        }
        const auto from = errand->ask ? *errand->ask : *nodes_->map()->masterOf(errand->slot);
        ++lane.inFlight;
        if (errand->ask) {
            node->command({"ASKING"}, [](const Result<Reply>&) {});
        }
        node->command(errand->words(), [this, life = std::weak_ptr(life_), &lane, errand,
                                        from](Result<Reply> reply) {
            if (life.expired()) {
                return answer(*errand, std::move(reply));
            }
            --lane.inFlight;
            take(lane, errand, from, std::move(reply));
            if (!life.expired() && lane.inFlight == 0) {
                pump(lane);
            }
        });
        return true;
    }

    void take(ClusterLane& lane, const Errand& errand, const NodeAddress& from, Result<Reply> reply)
    {
        if (!errand->done) {
            return;  // its time was over
        }
        if (const auto redirect = reply ? std::nullopt : redirectOf(reply.error().message, from)) {
            return follow(lane, errand, *redirect, reply.error().message);
        }
        const bool isDown = begins(reply, "CLUSTERDOWN");
        if (isDown || begins(reply, "TRYAGAIN")) {
            errand->lastRefusal = withoutAdvice(reply.error().message);
            if (isDown) {
                nodes_->refresh();
            }
            return holdBack(lane, errand);
        }
        if (begins(reply, "NOSCRIPT") && bringScript(*errand, from)) {
            return hold(lane, errand);
        }
        lane.backOff = Millis{0};
        finish(errand, std::move(reply));
    }

    void follow(ClusterLane& lane,
                const Errand& errand,
                const Redirect& redirect,
                const std::string& refusal)
    {
        errand->lastRefusal = withoutAdvice(refusal);
        errand->ask.reset();
        if (redirect.kind == Redirect::Kind::Moved) {
            nodes_->moved(redirect.slot, redirect.to);
        } else if (errand->isScript) {
            return holdBack(lane, errand);
        } else {
            errand->ask = redirect.to;
        }
        ++errand->redirects > kAtOnce ? holdBack(lane, errand) : hold(lane, errand);
    }

    // --- what waits ---

    void hold(ClusterLane& lane, const Errand& errand)
    {
        lane.held.emplace(errand->number, errand);
        late_.emplace(errand->number, errand);
        watchDeadlines();
    }

    void holdBack(ClusterLane& lane, const Errand& errand)
    {
        if (!lane.pause.armed()) {
            lane.backOff = std::clamp(lane.backOff * 2, kFirstPause, kLongestPause);
            lane.pause.arm(lane.backOff, [this, &lane] { pump(lane); });
        }
        hold(lane, errand);
    }

    /// Sends what waits, in its order, as far as its nodes are ready.
    void pump(ClusterLane& lane)
    {
        if (lane.inFlight != 0 || lane.pause.armed()) {
            return;
        }
        while (!lane.held.empty() && send(lane, lane.held.begin()->second)) {
            lane.held.erase(lane.held.begin());
        }
    }

    void watchDeadlines()
    {
        if (late_.empty() || deadlines_.armed()) {
            return;
        }
        const auto left =
            std::chrono::ceil<Millis>(late_.begin()->second->deadline - Steady::now());
        deadlines_.arm(std::max(left, Millis{0}), [this] { endLate(); });
    }

    void endLate()
    {
        const std::weak_ptr life = life_;
        while (!late_.empty() && late_.begin()->second->deadline <= Steady::now()) {
            const auto errand = late_.begin()->second;
            laneOf(errand->slot).held.erase(errand->number);
            finish(errand, refused({ErrorCode::Unavailable, whyLate(*errand)}));
            if (life.expired()) {
                return;
            }
        }
        watchDeadlines();
    }

    std::string whyLate(const ClusterErrand& errand)
    {
        const auto* node = nodes_->masterOf(errand.slot);
        if (node == nullptr) {
            return noMaster(errand.slot);
        }
        if (!node->ready() && !node->lastFailure().empty()) {
            return node->lastFailure();
        }
        if (errand.lastRefusal.starts_with("ASK")) {
            return named(fmt::format("slot {} is being moved to another node, and no script can "
                                     "run there until it has been ({})",
                                     errand.slot, errand.lastRefusal));
        }
        return named(
            fmt::format("slot {}: no master took the command within {} ms{}", errand.slot,
                        settings_.timeout.count(),
                        errand.lastRefusal.empty() ? "" : " (" + errand.lastRefusal + ")"));
    }

    void finish(const Errand& errand, Result<Reply> reply)
    {
        late_.erase(errand->number);
        --outstanding_;
        answer(*errand, std::move(reply));
    }

    static void answer(ClusterErrand& errand, Result<Reply> reply)
    {
        if (const auto done = std::exchange(errand.done, nullptr)) {
            done(std::move(reply));
        }
    }

    // --- scripts ---

    /// To every master that is there; one that comes later, or again, is brought it when it misses
    /// it.
    void loadScript(const Args& args, Done<Reply> done)
    {
        std::vector<std::uint16_t> slots;
        if (const auto& map = nodes_->map()) {
            slots = map->slotOfEachMaster();
            std::erase_if(slots, [&](auto slot) { return !nodes_->isReady(*map->masterOf(slot)); });
        }
        if (slots.empty()) {
            slots.push_back(home_);
        }
        addToEach(slots, args,
                  [this, life = std::weak_ptr(life_), text = std::string(args[2]),
                   done = std::move(done)](Result<std::vector<Reply>> replies) {
                      if (!replies) {
                          return done(refused(replies.error()));
                      }
                      const auto* sha1 = replies->front().text();
                      if (!life.expired() && sha1 != nullptr) {
                          scripts_[*sha1] = text;
                      }
                      done(std::move(replies->front()));
                  });
    }

    bool bringScript(ClusterErrand& errand, const NodeAddress& to)
    {
        const auto words = errand.words();
        const auto known = scripts_.find(std::string(words[1]));
        if (errand.loadedScript || known == scripts_.end()) {
            return false;
        }
        errand.loadedScript = true;
        nodes_->at(to).command({"SCRIPT", "LOAD", known->second}, [](const Result<Reply>&) {});
        return true;
    }

    // --- nodes ---

    void changed()
    {
        const std::weak_ptr life = life_;
        if (subscriber_) {
            return subscriber_->begin();
        }
        lookHome();
        if (life.expired()) {
            return;
        }
        for (auto& [slot, lane] : lanes_) {
            pump(*lane);
        }
    }

    void lookHome()
    {
        const auto* master = nodes_->map() ? nodes_->map()->masterOf(home_) : nullptr;
        const auto home = master == nullptr ? std::nullopt : std::optional(*master);
        if (home && nodes_->at(*home).ready()) {
            lastHome_ = home;
            return setReady(true);
        }
        // While shard 0 moves from one that is there to another.
        setReady(ready_ && lastHome_ && nodes_->isReady(*lastHome_));
    }

    void setReady(bool ready)
    {
        if (std::exchange(ready_, ready) == ready) {
            return;
        }
        const std::weak_ptr life = life_;
        const auto handlers = onReady_;
        for (const auto& handler : handlers) {
            if (life.expired()) {
                return;
            }
            handler(ready);
        }
    }

    EventLoop& loop_;
    const Connection::Settings settings_;
    const std::string target_;
    const std::uint16_t home_;  ///< the slot of shard 0
    std::optional<NodeAddress> lastHome_;
    bool ready_ = false;
    std::vector<std::function<void(bool)>> onReady_;
    std::vector<std::pair<Done<Reply>, Error>> rejected_;
    Timer rejection_;
    std::uint64_t lastNumber_ = 0;
    std::size_t outstanding_ = 0;
    std::unordered_map<std::uint16_t, std::unique_ptr<ClusterLane>> lanes_;
    /// Those that were not answered at once: they may be late.
    std::map<std::uint64_t, Errand> late_;
    Timer deadlines_;
    std::unordered_map<std::string, std::string> scripts_;  ///< their texts, by SHA1
    std::unique_ptr<ClusterNodes> nodes_;
    std::unique_ptr<ClusterSubscriber> subscriber_;
    /// Expires with this, so that a method sees that a callback has destroyed it.
    std::shared_ptr<const void> life_ = std::make_shared<char>();
};

}  // namespace

std::unique_ptr<ConnectionImpl> makeClusterConnection(EventLoop& loop,
                                                      Connection::Settings settings)
{
    return std::make_unique<ClusterConnection>(loop, std::move(settings));
}

}  // namespace restante::redis
