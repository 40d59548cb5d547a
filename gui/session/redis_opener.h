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
struct RedisPlace {
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
RedisPlace redisPlaceOf(const ConnectionProfile& profile, const QString& password);

/// The same with the daemon's configuration read, ready to be opened.
struct RedisAim {
    RedisStore::Settings settings;
    LinkProblem whyNoJournal = {};
    std::optional<TunnelPlan> tunnel = {};
    std::string way = {};  ///< the socket at this end of it, once it is open
};
/// Reads files. The problem says what is wrong with the place.
tl::expected<RedisAim, LinkProblem> aimAt(const RedisPlace& place);

/// Opens a store in Redis: goes there step by step, then connects.
class RedisOpener final : public StoreOpener {
public:
    explicit RedisOpener(RedisPlace place) : place_(std::move(place)) {}

    void open(EventLoop& loop, Told told) override;
    void giveUp() override;

private:
    void begin();
    void dig(RedisAim aim);
    void probe(RedisAim aim);
    void connect(RedisAim aim, LinkFacts facts);
    void found(LinkStep step, LinkProblem problem, std::string fact = {});
    void tunnelEnded(const LinkProblem& problem);
    /// The end of the tunnel explains what its connections only suffer: it is waited for a moment.
    void broken(LinkProblem problem);
    void end(const LinkProblem& problem);

    RedisPlace place_;
    EventLoop* loop_ = nullptr;
    Told told_;
    std::unique_ptr<Tunnel> tunnel_;
    std::unique_ptr<Timer> lastWords_;
    std::unique_ptr<LinkProbe> probe_;
    std::shared_ptr<RedisStore> opening_;  ///< until it is ready
    bool isOpen_ = false;
    bool isOver_ = false;           ///< failed or lost, and told
    std::shared_ptr<int> attempt_;  ///< expires when it is given up
};

}  // namespace restante::gui
