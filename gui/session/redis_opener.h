#pragma once

#include "gui/session/connection_profile.h"
#include "gui/session/link_probe.h"
#include "gui/session/open_store.h"
#include "gui/session/redis_store.h"
#include "gui/session/tunnel.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace restante::gui {

/// What a profile says, as values of core: made on the window's thread, read on the store's.
struct RedisLocation {
    bool isLocal = false;
    std::string configFile = {};  ///< of a local daemon; empty = the default places
    std::string url = {};
    std::string user = {};
    std::string password = {};
    std::string prefix = "rst";
    std::string journalUrl = {};
    Millis timeout{5'000};
    LinkProbe::Wants wants = LinkProbe::Wants::Writing;
    std::string jumpHost = {};  ///< [user@]host[:port]; empty = none
    std::string jumpKey = {};
};
RedisLocation redisLocationOf(const ConnectionProfile& profile, const QString& password);

/// The same with the daemon's configuration read, ready to be opened.
struct RedisTarget {
    RedisStore::Settings settings;
    LinkProblem whyNoJournal = {};
    std::optional<TunnelPlan> tunnel = {};
    std::string forwardedSocket = {};  ///< the socket at this end of it, once it is open
};
/// Reads files. The problem says what is wrong with the place.
tl::expected<RedisTarget, LinkProblem> resolveTarget(const RedisLocation& location);

/// Opens a store in Redis: goes there step by step, then connects.
class RedisOpener final : public StoreOpener {
public:
    explicit RedisOpener(RedisLocation location) : location_(std::move(location)) {}

    void open(EventLoop& loop, Callbacks callbacks) override;
    void giveUp() override;

private:
    void begin();
    void openTunnel(RedisTarget resolved);
    void probe(RedisTarget resolved);
    void connect(RedisTarget resolved, LinkFacts facts);
    void found(LinkStep step, LinkProblem problem, std::string fact = {});
    void tunnelEnded(const LinkProblem& problem);
    /// The end of the tunnel explains what its connections only suffer: it is waited for a moment.
    void broken(LinkProblem problem);
    void end(const LinkProblem& problem);

    RedisLocation location_;
    EventLoop* loop_ = nullptr;
    Callbacks callbacks_;
    std::unique_ptr<Tunnel> tunnel_;
    std::unique_ptr<Timer> tunnelEndTimer_;
    std::unique_ptr<LinkProbe> probe_;
    std::shared_ptr<RedisStore> opening_;  ///< until it is ready
    bool isOpen_ = false;
    bool isOver_ = false;           ///< failed or lost, and told
    std::shared_ptr<int> attempt_;  ///< expires when it is given up
};

}  // namespace restante::gui
