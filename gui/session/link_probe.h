#pragma once

#include "core/base/event_loop.h"
#include "core/redis/client/command_pipeline.h"
#include "core/redis/client/dialer.h"
#include "core/redis/client/node_inquiry.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/client/tls_session.h"
#include "gui/session/link_problem.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace restante::gui {

/// Goes to a Redis step by step and says how each went: what connecting shows, and what the test of
/// a connection lists. Nothing of the store is changed. *One loop.*
class LinkProbe {
public:
    enum class Wants { Reading, Writing };
    struct Target {
        redis::RedisUrl url;
        std::string prefix = "rst";
        Millis timeout{5'000};
        Wants wants = Wants::Writing;
        /// A socket that is forwarded to the Redis; empty = straight on.
        std::string forwardedSocket = {};
    };
    struct Callbacks {
        std::function<void(LinkStep)> doing;
        std::function<void(const LinkFinding&)> found;
        std::function<void(const LinkFacts&)> passed;
        std::function<void(const LinkProblem&)> failed;  ///< it was told as the last finding
        /// Of a tunnel: why the jump host did not get to the target; none when that is not known.
        std::function<LinkProblem()> tunnelProblem = {};
    };

    /// Begins at once; `callbacks` is called later. Destroying it ends it.
    LinkProbe(EventLoop& loop, Target target, Callbacks callbacks);

private:
    void search();
    void survey();
    void connectSocket();
    void connected(Result<FileDescriptor> socket);
    void startHandshake(FileDescriptor socket);
    void handshakeDone(redis::TlsHandshake::Outcome outcome);
    void startCommands(redis::ByteStream stream);
    void logIn();
    void choose();
    void ping();
    void takeServer(const redis::Reply& info);
    void takeStore(const redis::Reply& meta);
    void askPermissions();
    void finish();

    /// Goes on with `next` when it is answered; a refusal ends everything.
    void send(LinkStep step,
              std::vector<std::string> words,
              std::function<void(const redis::Reply&)> next);
    void pass(LinkStep step, std::string fact = {});
    void warn(LinkStep step, LinkProblem problem, std::string fact = {});
    void fail(LinkStep step, LinkProblem problem);
    void broken(const std::string& why);
    /// It is certain that there is a way to the Redis.
    void arrive();
    /// Whether the jump host failed to get to the target; that has been reported then.
    bool failedInTunnel();
    void noWrites(LinkProblem problem);

    EventLoop& loop_;
    Target target_;
    Callbacks callbacks_;
    std::string where_;
    LinkStep step_ = LinkStep::Resolve;
    LinkFacts facts_;
    bool arrived_ = false;
    bool answered_ = false;  ///< it has talked like a Redis
    Timer timeout_;
    std::unique_ptr<redis::SentinelResolver> search_;
    std::unique_ptr<redis::TopologyQuery> survey_;
    std::unique_ptr<redis::Dialer> dialer_;
    std::unique_ptr<redis::TlsHandshake> handshake_;
    std::unique_ptr<redis::CommandPipeline> pipeline_;
};

}  // namespace restante::gui
