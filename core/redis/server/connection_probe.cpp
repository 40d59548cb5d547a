#include "core/redis/server/connection_probe.h"

#include "core/base/text.h"
#include "core/base/timestamp.h"
#include "core/redis/client/reply.h"
#include "core/redis/server/server_check.h"
#include "core/redis/store/keys.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace restante::redis {

namespace {

using Kind = ProbeProblem::Kind;
using Outcome = ProbeFinding::Outcome;

/// Deletes a field that does not exist: it needs the permission to write, and changes nothing.
constexpr const char* kHarmlessWrite = "return redis.call('hdel', KEYS[1], '')";

/// A server that speaks TLS answers a ClientHello at once; one that does not may wait for more.
constexpr Millis kHandshakeTimeout{3'000};

/// "TLSv1.3, Example CA, 2027-01-31": what is spoken, who issued the certificate, its last day.
std::string factOf(const TlsPeer& peer)
{
    return peer.version + ", " + peer.issuer + ", " + formatRfc3339(peer.expires).substr(0, 10);
}

bool contains(std::string_view message, std::string_view word)
{
    return message.find(word) != std::string_view::npos;
}

bool hasErrorText(std::string_view message, int error)
{
    return contains(message, std::generic_category().message(error));
}

/// TooOld and Cluster end the probe, Evicts is a warning, Replica means that writes are impossible.
ProbeProblem problemOf(const ServerFacts& facts)
{
    if (!facts.redisVersion.empty() && facts.isTooOld()) {
        return {Kind::TooOld, facts.version, {}};
    }
    if (facts.isCluster) {
        return {Kind::Cluster, {}, {}};
    }
    if (facts.role == "slave") {
        return {Kind::Replica, facts.master, {}};
    }
    if (!facts.evictionPolicy.empty() && facts.evictionPolicy != kNoEviction) {
        return {Kind::Evicts, facts.evictionPolicy, {}};
    }
    return {};
}

/// The contents of `<prefix>:meta`.
struct StoreFacts {
    std::uint32_t shards = 1;
    ProbeProblem problem =
        {};  ///< ForeignData ends it; a schema of another version means that nothing can be written
};
StoreFacts storeFactsOf(const Reply& schemaAndShards, const std::string& prefix)
{
    StoreFacts facts;
    const auto* fields = schemaAndShards.array();
    if (fields == nullptr || fields->size() != 2) {
        facts.problem = {Kind::ForeignData, prefix, {}};
        return facts;
    }
    const auto* schema = (*fields)[0].text();
    const auto* shards = (*fields)[1].text();
    if (schema == nullptr && shards == nullptr) {
        facts.problem = {Kind::Unused, prefix, {}};
        return facts;
    }
    const auto count = shards != nullptr ? leadingNumber<int>(*shards) : 0;
    const auto version = schema != nullptr ? leadingNumber<int>(*schema) : 0;
    if (count < 1 || version < 1) {
        facts.problem = {Kind::ForeignData, prefix, {}};
        return facts;
    }
    facts.shards = static_cast<std::uint32_t>(count);
    if (version != kSchema) {
        facts.problem = {version > kSchema ? Kind::SchemaNewer : Kind::SchemaOlder, *schema,
                         std::to_string(kSchema)};
    }
    return facts;
}

/// The problem that a refused command of a step shows. `user` is the one of the log-in.
ProbeProblem refusalOf(ProbeStep step, const Error& refusal, const std::string& user)
{
    const std::string_view code = refusal.remoteCode;
    // An ERR has no specific code: its text is compared.
    const std::string_view message = refusal.message;
    if (code == "WRONGPASS" || contains(message, "invalid password")) {
        return {Kind::PasswordWrong, user, {}};
    }
    if (contains(message, "without any password configured")) {
        return {Kind::PasswordUnasked, {}, {}};
    }
    if (code == "NOAUTH") {
        return {Kind::PasswordMissing, {}, {}};
    }
    if (code == "NOPERM") {
        // For a script the text names neither command nor key.
        return {Kind::NoPermission, user,
                message.starts_with(code) ? refusal.message : "NOPERM: writing"};
    }
    if (code == "MOVED" || code == "CLUSTERDOWN" || contains(message, "in cluster mode")) {
        return {Kind::Cluster, {}, {}};
    }
    if (code == "LOADING") {
        return {Kind::Loading, {}, {}};
    }
    if (code == "READONLY") {
        return {Kind::Replica, {}, {}};
    }
    if (code == "WRONGTYPE" && step == ProbeStep::Schema) {
        return {Kind::ForeignData, {}, {}};
    }
    return {Kind::Other, {}, refusal.message};
}

/// The problem that a failed dial shows. `where` is the address for messages.
ProbeProblem dialProblemOf(std::string_view message, const std::string& where, bool unixSocket)
{
    const std::string detail(message);
    if (contains(message, "cannot resolve")) {
        const auto reason = detail.rfind(": ");
        return {Kind::UnknownHost, where,
                reason == std::string::npos ? detail : detail.substr(reason + 2)};
    }
    if (hasErrorText(message, ENOENT) && unixSocket) {
        return {Kind::NoSuchSocket, where, {}};
    }
    if (hasErrorText(message, EACCES) && unixSocket) {
        return {Kind::SocketForbidden, where, {}};
    }
    if (hasErrorText(message, ECONNREFUSED)) {
        return {Kind::Refused, where, {}};
    }
    if (hasErrorText(message, ETIMEDOUT)) {
        return {Kind::TimedOut, where, {}};
    }
    return {Kind::Unreachable, where, detail};
}

/// The problem when no node of a cluster has answered.
ProbeProblem topologyProblemOf(const Error& refusal, const std::string& user)
{
    if (refusal.remoteCode == "NOAUTH") {
        return {Kind::PasswordMissing, user, {}};
    }
    if (refusal.remoteCode == "WRONGPASS") {
        return {Kind::PasswordWrong, user, {}};
    }
    return {Kind::NoNode, {}, refusal.message};
}

}  // namespace

ConnectionProbe::ConnectionProbe(EventLoop& loop, Target target, Callbacks callbacks)
    : loop_(loop),
      target_(std::move(target)),
      callbacks_(std::move(callbacks)),
      location_(target_.url.location()),
      timeout_(loop)
{
    timeout_.arm(Millis{0}, [this] {
        if (!target_.url.nodes.empty()) {
            askCluster();
        } else if (!target_.url.sentinels.empty()) {
            askSentinels();
        } else {
            connectSocket();
        }
    });
}

void ConnectionProbe::askSentinels()
{
    step_ = ProbeStep::Sentinel;
    callbacks_.stepStarted(step_);
    sentinelResolver_ = std::make_unique<SentinelResolver>(
        loop_, target_.url, 0, [this](Result<SentinelResolver::Master> master) {
            const auto resolver = std::move(sentinelResolver_);  // it is calling this
            if (!master) {
                return fail(step_, {Kind::NoMaster, target_.url.master, master.error().message});
            }
            target_.url.host = master->host;
            target_.url.port = master->port;
            location_ = formatAddress(master->host, master->port);
            pass(step_, target_.url.master + ", " + location_);
            connectSocket();
        });
}

/// The probe needs only the master that has the metadata key of the store.
void ConnectionProbe::askCluster()
{
    step_ = ProbeStep::Cluster;
    callbacks_.stepStarted(step_);
    std::vector<NodeAddress> nodes;
    for (const auto& node : target_.url.nodes) {
        nodes.push_back({node.host, node.port});
    }
    topologyQuery_ = std::make_unique<TopologyQuery>(
        loop_, target_.url, std::move(nodes), [this](Result<ClusterMap> map) {
            const auto query = std::move(topologyQuery_);  // it is calling this
            if (!map) {
                return fail(step_, topologyProblemOf(map.error(), target_.url.user));
            }
            const auto slot = slotOf(metaKey(target_.prefix));
            const auto* master = map->masterOf(slot);
            if (master == nullptr) {
                return fail(step_, {Kind::NoNode, {}, "no node has slot " + std::to_string(slot)});
            }
            target_.url.host = master->host;
            target_.url.port = master->port;
            location_ = master->toString();
            pass(step_, map->formatMasters());
            connectSocket();
        });
}

void ConnectionProbe::connectSocket()
{
    const bool isUnix = !target_.url.socketPath.empty() || !target_.forwardedSocket.empty();
    step_ = isUnix ? ProbeStep::Connect : ProbeStep::Resolve;
    callbacks_.stepStarted(step_);
    timeout_.arm(target_.timeout, [this] {
        dialer_.reset();
        fail(ProbeStep::Connect, {Kind::TimedOut, location_, {}});
    });
    auto url = target_.url;
    if (!target_.forwardedSocket.empty()) {
        url.socketPath = target_.forwardedSocket;
    }
    dialer_ = Dialer::make(
        loop_, url, [this](Result<FileDescriptor> socket) { onConnected(std::move(socket)); });
}

void ConnectionProbe::onConnected(Result<FileDescriptor> socket)
{
    timeout_.cancel();
    const auto dialer = std::move(dialer_);  // it is calling this
    const bool isUnix = !target_.url.socketPath.empty() || !target_.forwardedSocket.empty();
    auto problem =
        socket ? ProbeProblem{} : dialProblemOf(socket.error().message, location_, isUnix);
    if (problem.kind == Kind::UnknownHost) {
        problem.object = target_.url.host;
        return fail(ProbeStep::Resolve, std::move(problem));
    }
    if (!isUnix) {
        pass(ProbeStep::Resolve, target_.url.host);
    }
    if (!socket) {
        return fail(ProbeStep::Connect, std::move(problem));
    }
    if (target_.forwardedSocket.empty()) {
        reportConnected();  // with a tunnel only ssh has been reached so far
    }
    if (target_.url.tls) {
        startHandshake(std::move(*socket));
    } else {
        startCommands(std::move(*socket));
    }
}

void ConnectionProbe::startHandshake(FileDescriptor socket)
{
    step_ = ProbeStep::Tls;
    callbacks_.stepStarted(step_);
    const auto timeout =
        isConnected_ ? std::min(target_.timeout, kHandshakeTimeout) : target_.timeout;
    timeout_.arm(timeout, [this] {
        handshake_.reset();
        if (!isConnected_) {  // only the tunnel has been reached
            return fail(ProbeStep::Connect, {Kind::TimedOut, location_, {}});
        }
        fail(step_, {Kind::Tls, location_, {}, {TlsError::Kind::Silent}});
    });
    handshake_ = std::make_unique<TlsHandshake>(
        loop_, std::move(socket), *target_.url.tls, target_.url.host,
        [this](TlsHandshake::Outcome outcome) { onHandshakeDone(std::move(outcome)); });
}

void ConnectionProbe::onHandshakeDone(TlsHandshake::Outcome outcome)
{
    timeout_.cancel();
    const auto handshake = std::move(handshake_);  // it is calling this
    if (!outcome) {
        if (tunnelFailed()) {
            return;
        }
        reportConnected();
        return fail(step_, {Kind::Tls, location_, {}, std::move(outcome.error())});
    }
    reportConnected();
    const auto fact = factOf(outcome->peer);
    if (target_.url.tls->verify == RedisUrl::Tls::Verify::No) {
        warn(step_, {Kind::Unverified, location_, {}}, fact);
    } else {
        pass(step_, fact);
    }
    startCommands(std::move(outcome->stream));
}

void ConnectionProbe::startCommands(ByteStream stream)
{
    pipeline_ = std::make_unique<CommandPipeline>(
        loop_, std::move(stream), target_.timeout,
        CommandPipeline::Handlers{[this](const std::string& why) { onBroken(why); }, {}});
    logIn();
}

void ConnectionProbe::send(ProbeStep step,
                           std::vector<std::string> words,
                           std::function<void(const Reply&)> next)
{
    if (step != step_) {
        step_ = step;
        callbacks_.stepStarted(step);
    }
    const std::vector<std::string_view> args(words.begin(), words.end());
    pipeline_->send(args, [this, step, next = std::move(next)](const Result<Reply>& reply) {
        reportConnected();
        hasAnswered_ = true;
        if (reply) {
            return next(*reply);
        }
        auto problem = refusalOf(step, reply.error(), target_.url.user);
        const bool isNotAllowed = problem.kind == Kind::NoPermission;
        if (problem.kind == Kind::ForeignData) {
            problem.object = target_.prefix;
        }
        if (isNotAllowed && (step == ProbeStep::Server || step == ProbeStep::Ping)) {
            // The answer is not essential.
            warn(step, std::move(problem));
            return next(Reply{});
        }
        if (step == ProbeStep::Permissions) {
            recordWhyNotWritable(problem);
            warn(step, std::move(problem));
            return finish();
        }
        fail(step, std::move(problem));
    });
}

void ConnectionProbe::logIn()
{
    const auto& url = target_.url;
    if (url.password.empty() && url.user.empty()) {
        return selectDatabase();
    }
    std::vector<std::string> words{"AUTH"};
    if (!url.user.empty()) {
        words.push_back(url.user);
    }
    words.push_back(url.password);
    send(ProbeStep::LogIn, std::move(words), [this](const Reply&) {
        pass(ProbeStep::LogIn, target_.url.user.empty() ? "default" : target_.url.user);
        selectDatabase();
    });
}

void ConnectionProbe::selectDatabase()
{
    if (target_.url.database == 0) {
        return ping();
    }
    const auto number = std::to_string(target_.url.database);
    const std::vector<std::string_view> args{"SELECT", number};
    pipeline_->send(args, [this, number](const Result<Reply>& reply) {
        reportConnected();
        hasAnswered_ = true;
        if (reply) {
            return ping();
        }
        auto problem = refusalOf(ProbeStep::LogIn, reply.error(), target_.url.user);
        if (problem.kind == Kind::Other) {
            problem = {Kind::NoDatabase, number, reply.error().message};
        }
        fail(ProbeStep::LogIn, std::move(problem));
    });
}

void ConnectionProbe::ping()
{
    send(ProbeStep::Ping, {"PING"}, [this](const Reply& reply) {
        if (!reply.isNil()) {
            pass(ProbeStep::Ping);
        }
        send(ProbeStep::Server, {"INFO"}, [this](const Reply& info) { handleServer(info); });
    });
}

void ConnectionProbe::handleServer(const Reply& info)
{
    const auto* text = info.text();
    facts_.server = "redis";
    if (text != nullptr) {
        const auto server = serverFactsOf(*text);
        facts_.server = server.product == "Valkey" ? "valkey" : "redis";
        facts_.server += " " + server.version;
        facts_.server += server.role == "slave" ? " replica" : " " + server.role;
        auto problem = problemOf(server);
        if (problem.kind == Kind::Cluster && !target_.url.nodes.empty()) {
            problem = {};
        }
        if (problem.kind == Kind::TooOld || problem.kind == Kind::Cluster) {
            return fail(ProbeStep::Server, std::move(problem));
        }
        if (problem.kind == Kind::Replica) {
            recordWhyNotWritable(problem);
        }
        if (problem.isNone()) {
            callbacks_.stepFinished({ProbeStep::Server,
                                     Outcome::Passed,
                                     facts_.server,
                                     {},
                                     server.evictionPolicy == kNoEviction});
        } else {
            warn(ProbeStep::Server, std::move(problem), facts_.server);
        }
    }
    send(ProbeStep::Schema, {"HMGET", metaKey(target_.prefix), "schema", "shards"},
         [this](const Reply& reply) { handleStore(reply); });
}

void ConnectionProbe::handleStore(const Reply& meta)
{
    auto store = storeFactsOf(meta, target_.prefix);
    facts_.shards = store.shards;
    if (store.problem.kind == Kind::ForeignData) {
        return fail(ProbeStep::Schema, std::move(store.problem));
    }
    const auto fact = target_.prefix + ", " + std::to_string(store.shards);
    if (store.problem.isNone()) {
        pass(ProbeStep::Schema, fact);
    } else {
        recordWhyNotWritable(store.problem);
        warn(ProbeStep::Schema, std::move(store.problem), fact);
    }
    askPermissions();
}

void ConnectionProbe::askPermissions()
{
    const auto why = facts_.whyNotWritable.kind;
    const bool takesWrites = why == Kind::None || why == Kind::Unused;
    if (target_.wants == Wants::Reading || !takesWrites) {
        return finish();
    }
    send(ProbeStep::Permissions, {"EVAL", kHarmlessWrite, "1", metaKey(target_.prefix)},
         [this](const Reply&) {
             pass(ProbeStep::Permissions);
             finish();
         });
}

void ConnectionProbe::finish()
{
    // The last, as it may destroy this.
    const auto passed = callbacks_.passed;
    const auto facts = facts_;
    passed(facts);
}

void ConnectionProbe::fail(ProbeStep step, ProbeProblem problem)
{
    callbacks_.stepFinished({step, Outcome::Failed, {}, problem});
    const auto failed = callbacks_.failed;
    failed(problem);
}

void ConnectionProbe::onBroken(const std::string& why)
{
    const auto pipeline = std::move(pipeline_);  // it is calling this
    if (why.starts_with("no answer")) {
        return fail(isConnected_ ? step_ : ProbeStep::Connect, {Kind::TimedOut, location_, {}});
    }
    if (tunnelFailed()) {
        return;
    }
    reportConnected();
    if (auto fault = pipeline->stream().tlsError(); !fault.isNone()) {
        return fail(ProbeStep::Tls, {Kind::Tls, location_, {}, std::move(fault)});
    }
    if (!pipeline->hasReceived() && !target_.url.tls && target_.url.socketPath.empty()) {
        return fail(ProbeStep::Ping, {Kind::WantsTls, location_, {}});
    }
    if (!hasAnswered_) {
        return fail(ProbeStep::Ping, {Kind::NotRedis, location_, {}});
    }
    fail(step_, {Kind::Unreachable, location_, why});
}

void ConnectionProbe::reportConnected()
{
    if (!std::exchange(isConnected_, true)) {
        pass(ProbeStep::Connect, location_);
    }
}

bool ConnectionProbe::tunnelFailed() const
{
    return !isConnected_ && callbacks_.tunnelFailed && callbacks_.tunnelFailed();
}

void ConnectionProbe::recordWhyNotWritable(ProbeProblem problem)
{
    if (facts_.whyNotWritable.isNone()) {
        facts_.whyNotWritable = std::move(problem);
    }
}

}  // namespace restante::redis
