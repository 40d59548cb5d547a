#pragma once

#include "core/base/event_loop.h"
#include "core/redis/client/command_pipeline.h"
#include "core/redis/client/dialer.h"
#include "core/redis/client/node_inquiry.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/tls_session.h"
#include "core/redis/server/probe_finding.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::redis {

/// Connects to a Redis step by step and reports the result of each: for the console while it
/// connects and in its test of a connection, and for `restantectl doctor`. Changes nothing in the
/// store. *One loop.*
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
        std::function<void(ProbeStep)> stepStarted;
        std::function<void(const ProbeFinding&)> stepFinished;
        std::function<void(const ProbeFacts&)> passed;
        std::function<void(const ProbeProblem&)> failed;  ///< also reported as the last finding
        /// With forwardedSocket: called when nothing has answered through it; whether the tunnel
        /// has failed. If so, its owner reports why, and no further callback is called.
        std::function<bool()> tunnelFailed = {};
    };

    /// Begins at once; callbacks are called later. Destroying the probe ends it.
    ConnectionProbe(EventLoop& loop, Target target, Callbacks callbacks);

private:
    void askSentinels();
    void askCluster();
    void connectSocket();
    void onConnected(Result<FileDescriptor> socket);
    void startHandshake(FileDescriptor socket);
    void onHandshakeDone(TlsHandshake::Outcome outcome);
    void startCommands(ByteStream stream);
    void logIn();
    void selectDatabase();
    void ping();
    void handleServer(const Reply& info);
    void handleStore(const Reply& meta);
    void askPermissions();
    void finish();

    /// Calls `next` with the answer, an empty one if the user may not send PING or INFO. Any other
    /// refusal ends the probe: that of the permission to write passes it with a warning.
    void
    send(ProbeStep step, std::vector<std::string> words, std::function<void(const Reply&)> next);
    void pass(ProbeStep step, std::string fact = {})
    {
        callbacks_.stepFinished({step, ProbeFinding::Outcome::Passed, std::move(fact), {}});
    }
    void warn(ProbeStep step, ProbeProblem problem, std::string fact = {})
    {
        callbacks_.stepFinished(
            {step, ProbeFinding::Outcome::Warned, std::move(fact), std::move(problem)});
    }
    void fail(ProbeStep step, ProbeProblem problem);
    void onBroken(const std::string& why);
    /// Reports the step Connect, once: the server is reached, through a tunnel if there is one, and
    /// tunnelFailed is not called any more.
    void reportConnected();
    /// Whether nothing has answered and the tunnel's owner says that it has failed.
    bool tunnelFailed() const;
    void recordWhyNotWritable(ProbeProblem problem);

    EventLoop& loop_;
    Target target_;
    Callbacks callbacks_;
    std::string location_;
    ProbeStep step_ = ProbeStep::Resolve;
    ProbeFacts facts_;
    bool isConnected_ = false;
    bool hasAnswered_ = false;  ///< with a reply of Redis' protocol
    Timer timeout_;
    std::unique_ptr<SentinelResolver> sentinelResolver_;
    std::unique_ptr<TopologyQuery> topologyQuery_;
    std::unique_ptr<Dialer> dialer_;
    std::unique_ptr<TlsHandshake> handshake_;
    std::unique_ptr<CommandPipeline> pipeline_;
};

}  // namespace restante::redis
