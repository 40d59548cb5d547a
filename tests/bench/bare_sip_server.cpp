#include "tests/bench/bare_sip_server.h"

#include "tests/bench/nta.h"

#include <hiredis/async.h>
#include <hiredis/hiredis.h>
#include <sofia-sip/nta_stateless.h>
#include <sofia-sip/nta_tport.h>
#include <sofia-sip/sip_header.h>
#include <sofia-sip/sip_status.h>
#include <sofia-sip/sip_tag.h>
#include <sofia-sip/tport.h>
#include <sofia-sip/tport_tag.h>
#include <sofia-sip/url.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <string>

namespace restante::bench {

namespace {

struct BareServer {
    su_root_t* root = nullptr;
    nta_agent_t* agent = nullptr;
    redisAsyncContext* redis = nullptr;
    nta_leg_t* leg = nullptr;  ///< of deliveries to registered users
    std::string storeSha;
    std::string registerSha;
    std::string finishSha;
    int waitIndex = -1;
    bool wantsWrite = false;
    std::uint64_t stored = 0;
};

/// A message that is being delivered to a registered user.
struct BareDelivery {
    BareServer* server;
    std::string user;
};

/// Bytes; what the daemon asks for, too.
constexpr int kReceiveBuffer = 1 << 20;

constexpr const char* kStoreScript = "redis.call('SET', KEYS[1], ARGV[1]) "
                                     "return redis.call('ZADD', KEYS[2], ARGV[2], ARGV[3])";

/// KEYS binding, due, lease, job; ARGV contact, user, lease deadline. The message, or nothing.
constexpr const char* kRegisterScript =
    "redis.call('SET', KEYS[1], ARGV[1], 'EX', 600) "
    "if redis.call('ZREM', KEYS[2], ARGV[2]) == 0 then return false end "
    "redis.call('ZADD', KEYS[3], ARGV[3], ARGV[2]) "
    "return redis.call('GET', KEYS[4])";

/// KEYS lease, job; ARGV user.
constexpr const char* kFinishDeliveryScript = "redis.call('ZREM', KEYS[1], ARGV[1]) "
                                              "return redis.call('DEL', KEYS[2])";

/// The argument of a Redis callback: the server and the request to answer.
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
    auto& server = *static_cast<BareServer*>(argument);
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
    server.waitIndex = su_root_register(server.root, &wait, onSocket, &server, 0);
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

void store(BareServer& server, msg_t* msg, const sip_t& sip)
{
    const std::string id = std::to_string(++server.stored);
    const std::string key = "bare:{s0}:j:" + id;
    const char* body = sip.sip_payload != nullptr ? sip.sip_payload->pl_data : "";
    const std::size_t length = sip.sip_payload != nullptr ? sip.sip_payload->pl_len : 0;
    redisAsyncCommand(server.redis, onStored, new Pending{&server, msg},
                      "EVALSHA %s 2 %s bare:{s0}:due %b 1763700000000 %s", server.storeSha.c_str(),
                      key.c_str(), body, length, id.c_str());
}

int onDelivered(nta_outgoing_magic_t* context,
                nta_outgoing_t* transaction,
                const sip_t* /*answer*/) noexcept
{
    const int status = nta_outgoing_status(transaction);
    if (status < 200) {
        return 0;
    }
    nta_outgoing_destroy(transaction);
    const std::unique_ptr<BareDelivery> delivery(static_cast<BareDelivery*>(context));
    if (status == 200) {
        redisAsyncCommand(delivery->server->redis, nullptr, nullptr,
                          "EVALSHA %s 2 bare:{s0}:lease bare:{s0}:j:%s %s",
                          delivery->server->finishSha.c_str(), delivery->user.c_str(),
                          delivery->user.c_str());
    }
    return 0;
}

void deliver(BareServer& server, const std::string& user, const char* contact, const char* body)
{
    const std::string to = fmt::format("<sip:{}@127.0.0.1>", user);
    auto delivery = std::make_unique<BareDelivery>(BareDelivery{&server, user});
    if (nta_outgoing_tcreate(server.leg, onDelivered, delivery.get(), nullptr, SIP_METHOD_MESSAGE,
                             URL_STRING_MAKE(contact), SIPTAG_TO_STR(to.c_str()),
                             SIPTAG_CONTENT_TYPE_STR("text/plain"), SIPTAG_PAYLOAD_STR(body),
                             TAG_END()) != nullptr) {
        static_cast<void>(delivery.release());  // onDelivered() has it
    }
}

void onRegistered(redisAsyncContext*, void* reply, void* data) noexcept
{
    const std::unique_ptr<Pending> pending(static_cast<Pending*>(data));
    const auto* answer = static_cast<redisReply*>(reply);
    nta_agent_t* agent = pending->server->agent;
    if (answer == nullptr || answer->type == REDIS_REPLY_ERROR) {
        nta_msg_treply(agent, pending->request, SIP_503_SERVICE_UNAVAILABLE, TAG_END());
        return;
    }
    const sip_t* sip = sip_object(pending->request);
    const std::string user = sip->sip_to->a_url->url_user;
    std::array<char, 256> contact{};
    url_e(contact.data(), contact.size(), sip->sip_contact->m_url);
    nta_msg_treply(agent, pending->request, SIP_200_OK, SIPTAG_CONTACT(sip->sip_contact),
                   SIPTAG_EXPIRES_STR("600"), TAG_END());
    if (answer->type == REDIS_REPLY_STRING) {
        deliver(*pending->server, user, contact.data(), answer->str);
    }
}

void registerUser(BareServer& server, msg_t* msg, const sip_t& sip)
{
    std::array<char, 256> contact{};
    url_e(contact.data(), contact.size(), sip.sip_contact->m_url);
    const char* user = sip.sip_to->a_url->url_user;
    redisAsyncCommand(server.redis, onRegistered, new Pending{&server, msg},
                      "EVALSHA %s 4 bare:{s0}:b:%s bare:{s0}:due bare:{s0}:lease bare:{s0}:j:%s "
                      "%s %s 1763700120000",
                      server.registerSha.c_str(), user, user, contact.data(), user);
}

int onRequest(nta_agent_magic_t* context, nta_agent_t* agent, msg_t* msg, sip_t* sip) noexcept
{
    auto& server = *static_cast<BareServer*>(context);
    const auto method = sip != nullptr && sip->sip_request != nullptr ? sip->sip_request->rq_method
                                                                      : sip_method_invalid;
    if (method == sip_method_message) {
        store(server, msg, *sip);
    } else if (method == sip_method_register && sip->sip_contact != nullptr &&
               sip->sip_to->a_url->url_user != nullptr) {
        registerUser(server, msg, *sip);
    } else {
        nta_msg_discard(agent, msg);
    }
    return 0;
}

using RedisPtr = std::unique_ptr<redisContext, void (*)(redisContext*)>;

RedisPtr connectToRedis(const std::string& redisSocket)
{
    RedisPtr redis(redisConnectUnix(redisSocket.c_str()), redisFree);
    if (redis == nullptr || redis->err != 0) {
        throw std::runtime_error("bare SIP server: cannot connect to " + redisSocket);
    }
    return redis;
}

std::string loadScript(redisContext& redis, const char* script)
{
    auto* reply = static_cast<redisReply*>(redisCommand(&redis, "SCRIPT LOAD %s", script));
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
    {
        const RedisPtr redis = connectToRedis(redisSocket);
        server.storeSha = loadScript(*redis, kStoreScript);
        server.registerSha = loadScript(*redis, kRegisterScript);
        server.finishSha = loadScript(*redis, kFinishDeliveryScript);
    }
    server.root = su_root_create(nullptr);
    server.redis = redisAsyncConnectUnix(redisSocket.c_str());
    attach(server);
    // One URL without a transport opens UDP and TCP on the same port.
    server.agent = nta_agent_create(
        server.root, URL_STRING_MAKE("sip:127.0.0.1:*"), onRequest, &server, NTATAG_UA(0),
        NTATAG_MAXSIZE(65536), NTATAG_MAX_PROCEEDING(5000), TPTAG_QUEUESIZE(1024),
        TPTAG_UDP_RMEM(kReceiveBuffer), TPTAG_STUN_SERVER(0), TAG_END());
    if (server.agent == nullptr || server.storeSha.empty() || server.registerSha.empty() ||
        server.finishSha.empty()) {
        std::fputs("bare SIP server: cannot bind, or Redis refuses its scripts\n", stderr);
        return 1;
    }
    server.leg = nta_leg_tcreate(
        server.agent, nullptr, nullptr, SIPTAG_FROM_STR("<sip:alice@127.0.0.1>;tag=bare"),
        SIPTAG_TO_STR("<sip:bob@127.0.0.1>"), SIPTAG_CALL_ID_STR("bare-server"), TAG_END());
    std::printf("ready %s\n", boundPort(server.agent));
    std::fflush(stdout);
    su_root_run(server.root);
    return 0;
}

void storeForBareRecipients(const std::string& redisSocket, std::uint32_t users)
{
    const RedisPtr redis = connectToRedis(redisSocket);
    for (std::uint32_t user = 0; user < users; ++user) {
        const std::string body = fmt::format("{} {}", user, std::string(250, 'x'));
        redisAppendCommand(redis.get(), "SET bare:{s0}:j:u%u %s", user, body.c_str());
        redisAppendCommand(redis.get(), "ZADD bare:{s0}:due 1763700000000 u%u", user);
    }
    for (std::uint32_t left = users * 2; left > 0; --left) {
        void* reply = nullptr;
        const bool answered = redisGetReply(redis.get(), &reply) == REDIS_OK;
        const bool stored = answered && static_cast<redisReply*>(reply)->type != REDIS_REPLY_ERROR;
        freeReplyObject(reply);
        if (!stored) {
            throw std::runtime_error("bare SIP server: Redis does not keep its messages");
        }
    }
}

}  // namespace restante::bench
