#pragma once

#include "core/base/event_loop.h"
#include "core/redis/client/command_pipeline.h"
#include "core/redis/client/dialer.h"
#include "core/redis/client/node_inquiry.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/tls_session.h"
#include "core/redis/server/probe_problem.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {

/// Goes to a Redis step by step and says how each went: what the console shows while it connects
/// and in the test of a connection, and what `restantectl doctor` lists. Nothing of the store is
/// changed. *One loop.*
class ConnectionProbe {
public:
    enum class Wants { Reading, Writing };
    struct Target {
        RedisUrl url;
        std::string prefix = "rst";
        Millis timeout{5'000};
        Wants wants = Wants::Writing;
        /// A local socket that a tunnel forwards to the Redis; empty = connect directly.
        std::string forwardedSocket = {};
    };
    struct Callbacks {
        std::function<void(ProbeStep)> doing;
        std::function<void(const ProbeFinding&)> found;
        std::function<void(const ProbeFacts&)> passed;
        std::function<void(const ProbeProblem&)> failed;  ///< it was told as the last finding
        /// With forwardedSocket: asked when nothing has answered through it, whether the tunnel
        /// failed. If so its owner reports why, and no further callback is called.
        std::function<bool()> tunnelFailed = {};
    };

    /// Begins at once; `callbacks` is called later. Destroying it ends it.
    ConnectionProbe(EventLoop& loop, Target target, Callbacks callbacks);

private:
    void askSentinels();
    void askCluster();
    void connectSocket();
    void connected(Result<FileDescriptor> socket);
    void startHandshake(FileDescriptor socket);
    void handshakeDone(TlsHandshake::Outcome outcome);
    void startCommands(ByteStream stream);
    void logIn();
    void selectDatabase();
    void ping();
    void takeServer(const Reply& info);
    void takeStore(const Reply& meta);
    void askPermissions();
    void finish();

    /// Goes on with `next` when it is answered; a refusal ends everything.
    void
    send(ProbeStep step, std::vector<std::string> words, std::function<void(const Reply&)> next);
    void pass(ProbeStep step, std::string fact = {});
    void warn(ProbeStep step, ProbeProblem problem, std::string fact = {});
    void fail(ProbeStep step, ProbeProblem problem);
    void broken(const std::string& why);
    /// Something behind the tunnel, if there is one, has answered: tunnelFailed is not asked any
    /// more.
    void arrive();
    bool tunnelFailed();
    void noWrites(ProbeProblem problem);

    EventLoop& loop_;
    Target target_;
    Callbacks callbacks_;
    std::string where_;
    ProbeStep step_ = ProbeStep::Resolve;
    ProbeFacts facts_;
    bool arrived_ = false;
    bool answered_ = false;  ///< it has talked like a Redis
    Timer timeout_;
    std::unique_ptr<SentinelResolver> sentinelResolver_;
    std::unique_ptr<TopologyQuery> topologyQuery_;
    std::unique_ptr<Dialer> dialer_;
    std::unique_ptr<TlsHandshake> handshake_;
    std::unique_ptr<CommandPipeline> pipeline_;
};

}  // namespace restante::redis
