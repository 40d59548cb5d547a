#pragma once

#include "core/base/callback_guard.h"
#include "core/redis/server/connection_probe.h"
#include "gui/session/connection_profile.h"
#include "gui/session/open_store.h"
#include "gui/session/redis_store.h"
#include "gui/session/tunnel.h"

#include <memory>
#include <optional>
#include <string>

namespace restante::gui {

/// Opens a store in Redis: probes it step by step, then connects.
class RedisOpener final : public StoreOpener {
public:
    RedisOpener(ConnectionProfile profile, const QString& password)
        : profile_(std::move(profile)),
          password_(password.toStdString())
    {
    }

    void open(EventLoop& loop, Callbacks callbacks) override;
    void giveUp() override;

private:
    /// Where the profile leads, with the daemon's configuration read, ready to be opened.
    struct Target {
        RedisStore::Settings settings;
        LinkProblem whyNoJournal = {};
        std::optional<TunnelPlan> tunnel = {};
        std::string forwardedSocket = {};  ///< the socket at this end of it, once it is open
    };

    /// Reads files. The problem says what is wrong with the place.
    tl::expected<Target, LinkProblem> resolve() const;
    tl::expected<Config, LinkProblem> readConfiguration() const;
    void resolveJournal(Target& resolved) const;
    bool isLocal() const { return profile_.kind == ConnectionProfile::Kind::Local; }
    /// Of Redis: [user@]host[:port] to go through; empty = none.
    std::string jumpHost() const;
    void start();
    void openTunnel(Target resolved);
    void probe(Target resolved);
    void connect(Target resolved, LinkFacts facts);
    void reportStep(LinkStep step, LinkProblem problem, std::string fact = {});
    /// True if the jump host could not connect to Redis; the failure is reported then.
    bool reportIfTunnelFailed();
    void handleTunnelEnd(const LinkProblem& problem);
    /// Reports it after a moment, unless the tunnel ends before and reports the cause.
    void reportFailureUnlessTunnelEnds(LinkProblem problem);
    void reportFailure(const LinkProblem& problem);

    ConnectionProfile profile_;
    std::string password_;
    EventLoop* loop_ = nullptr;
    Callbacks callbacks_;
    std::unique_ptr<Tunnel> tunnel_;
    std::unique_ptr<Timer> tunnelEndTimer_;
    std::unique_ptr<redis::ConnectionProbe> probe_;
    std::shared_ptr<RedisStore> openingStore_;  ///< until it is ready
    bool isOpen_ = false;
    bool failureReported_ = false;  ///< failure or loss was reported
    CallbackGuard attemptGuard_;    ///< renewed when it is given up
};

}  // namespace restante::gui
