#include "tests/bench/bare_sip_server.h"

#include <hiredis/async.h>
#include <hiredis/hiredis.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

struct BareServer;
#define NTA_AGENT_MAGIC_T BareServer
#define SU_ROOT_MAGIC_T BareServer
#include <sofia-sip/nta.h>
#include <sofia-sip/nta_stateless.h>
#include <sofia-sip/nta_tport.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/sip_status.h>
#include <sofia-sip/su_wait.h>
#include <sofia-sip/tport.h>
#include <sofia-sip/tport_tag.h>

struct BareServer {
    su_root_t* root = nullptr;
    nta_agent_t* agent = nullptr;
    redisAsyncContext* redis = nullptr;
    std::string sha;
    int waitIndex = -1;
    bool wantsWrite = false;
    std::uint64_t stored = 0;
};

namespace restante::bench {

namespace {

constexpr const char* kStore = "redis.call('SET', KEYS[1], ARGV[1]) "
                               "return redis.call('ZADD', KEYS[2], ARGV[2], ARGV[3])";

/// What one callback from Redis needs to answer: the request and who asked.
struct Pending {
    BareServer* server;
    msg_t* request;
};

void watch(BareServer& server)
{
    if (server.waitIndex >= 0) {
        su_root_eventmask(server.root, server.waitIndex, server.redis->c.fd,
                          SU_WAIT_IN | (server.wantsWrite ? SU_WAIT_OUT : 0));
    }
}

int onSocket(su_root_magic_t*, su_wait_t* wait, su_wakeup_arg_t* argument) noexcept
{
    auto& server = *reinterpret_cast<BareServer*>(argument);
    const int events = su_wait_events(wait, server.redis->c.fd);
    if ((events & SU_WAIT_IN) != 0) {
        redisAsyncHandleRead(server.redis);
    }
    if ((events & SU_WAIT_OUT) != 0) {
        redisAsyncHandleWrite(server.redis);
    }
    return 0;
}

void setWrite(BareServer& server, bool wanted)
{
    if (server.wantsWrite != wanted) {
        server.wantsWrite = wanted;
        watch(server);
    }
}

void attach(BareServer& server)
{
    auto& events = server.redis->ev;
    events.data = &server;
    events.addRead = [](void*) {};
    events.delRead = [](void*) {};
    events.addWrite = [](void* data) { setWrite(*static_cast<BareServer*>(data), true); };
    events.delWrite = [](void* data) { setWrite(*static_cast<BareServer*>(data), false); };
    events.cleanup = [](void*) {};
    su_wait_t wait{};
    su_wait_create(&wait, server.redis->c.fd, SU_WAIT_IN);
    server.waitIndex = su_root_register(server.root, &wait, onSocket,
                                        reinterpret_cast<su_wakeup_arg_t*>(&server), 0);
    // hiredis asked for its first write before there was anything to watch.
    setWrite(server, true);
}

void onStored(redisAsyncContext*, void* reply, void* data) noexcept
{
    const std::unique_ptr<Pending> pending(static_cast<Pending*>(data));
    const auto* answer = static_cast<redisReply*>(reply);
    const bool ok = answer != nullptr && answer->type != REDIS_REPLY_ERROR;
    if (ok) {
        nta_msg_treply(pending->server->agent, pending->request, SIP_202_ACCEPTED, TAG_END());
    } else {
        nta_msg_treply(pending->server->agent, pending->request, SIP_503_SERVICE_UNAVAILABLE,
                       TAG_END());
    }
}

int onMessage(nta_agent_magic_t* server, nta_agent_t* agent, msg_t* msg, sip_t* sip) noexcept
{
    if (sip == nullptr || sip->sip_request == nullptr ||
        sip->sip_request->rq_method != sip_method_message) {
        nta_msg_discard(agent, msg);
        return 0;
    }
    const std::string id = std::to_string(++server->stored);
    const std::string key = "bare:{s0}:j:" + id;
    const char* body = sip->sip_payload != nullptr ? sip->sip_payload->pl_data : "";
    const std::size_t length = sip->sip_payload != nullptr ? sip->sip_payload->pl_len : 0;
    redisAsyncCommand(server->redis, onStored, new Pending{server, msg},
                      "EVALSHA %s 2 %s bare:{s0}:due %b 1763700000000 %s", server->sha.c_str(),
                      key.c_str(), body, length, id.c_str());
    return 0;
}

std::string loadScript(const std::string& redisSocket)
{
    const std::unique_ptr<redisContext, void (*)(redisContext*)> redis(
        redisConnectUnix(redisSocket.c_str()), redisFree);
    auto* reply = static_cast<redisReply*>(redisCommand(redis.get(), "SCRIPT LOAD %s", kStore));
    std::string sha = reply != nullptr && reply->str != nullptr ? reply->str : "";
    freeReplyObject(reply);
    return sha;
}

const char* boundPort(nta_agent_t* agent)
{
    const tport_t* transports = tport_primaries(nta_agent_tports(agent));
    return transports != nullptr ? tport_name(transports)->tpn_port : "0";
}

}  // namespace

int runBareSipServer(const std::string& redisSocket)
{
    su_init();
    BareServer server;
    server.sha = loadScript(redisSocket);
    server.root = su_root_create(nullptr);
    server.redis = redisAsyncConnectUnix(redisSocket.c_str());
    attach(server);
    // One URL without a transport opens UDP and TCP on the same port.
    server.agent =
        nta_agent_create(server.root, URL_STRING_MAKE("sip:127.0.0.1:*"), onMessage, &server,
                         NTATAG_UA(0), NTATAG_MAXSIZE(65536), NTATAG_MAX_PROCEEDING(5000),
                         TPTAG_QUEUESIZE(1024), TPTAG_STUN_SERVER(0), TAG_END());
    if (server.agent == nullptr || server.sha.empty()) {
        std::fputs("bare SIP server: cannot bind or reach Redis\n", stderr);
        return 1;
    }
    std::printf("ready %s\n", boundPort(server.agent));
    std::fflush(stdout);
    su_root_run(server.root);
    return 0;
}

}  // namespace restante::bench
