#include "tests/integration/sip/inbound_server.h"

#include "core/auth/user_file.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/connection_settings.h"
#include "sipplugin/auth/authenticator.h"
#include "sipplugin/auth/nonce.h"
#include "sipplugin/inbound/message_receiver.h"
#include "sipplugin/registration/binding_store.h"
#include "sipplugin/registration/registrar.h"
#include "tests/support/redis_server.h"

#include <algorithm>
#include <stdexcept>

namespace restante::sip::test {

using restante::test::SipServer;
using restante::test::SipTransport;

BreakableStore::BreakableStore(EventLoop& loop, const Clock& clock)
    : MemoryJobStore(loop, clock),
      loop_(loop)
{
}

void BreakableStore::push(PushRequest request, Done<PushOutcome> done)
{
    ++pushes_;
    if (const auto code = failure_.load()) {
        loop_.post([code, done] { done(failure(*code, "broken by the test")); });
    } else if (silent_) {
        waiting_.push_back([this, request, done] { MemoryJobStore::push(request, done); });
    } else {
        MemoryJobStore::push(std::move(request), std::move(done));
    }
}

void BreakableStore::speak()
{
    silent_ = false;
    loop_.post([this] {
        for (auto& one : std::exchange(waiting_, {})) {
            one();
        }
    });
}

void NotingRelay::forward(Job message, std::function<void(SipAnswer)> done)
{
    const std::lock_guard lock{mutex_};
    relayed_.push_back(std::move(message));
    loop_.post([this, done = std::move(done)] { done({status, "", {}}); });
}

std::vector<Job> NotingRelay::relayed() const
{
    const std::lock_guard lock{mutex_};
    return relayed_;
}

struct InboundServer::Start {
    SipSettings settings;
    std::filesystem::path users;
    redis::RedisUrl redis;
    std::vector<std::string> nameServers;
};

/// Everything that lives on the server's thread.
class InboundServer::Parts {
public:
    Parts(SuLoop& hostLoop, const Start& start) : Parts(hostLoop, start.settings, start) {}

    Parts(SuLoop& hostLoop, const SipSettings& settings, const Start& start)
        : loop(hostLoop),
          store(loop, clock),
          queue(store, clock, {}),
          forwarder(loop),
          connection(loop, {start.redis}),
          shards(redis::shardQueues(loop, connection, clock, "rst", 1)),
          bindings({connection, shards, store, clock},
                   {{"rst", 1}, settings.registration.maxContacts}),
          agent(opened(start)),
          domains(settings.domain, agent->listening()),
          receiver({queue, forwarder, [](const std::string&) {}}, settings),
          registrar(bindings,
                    clock,
                    domains,
                    settings,
                    {[](const std::string&) { return BindingUpdate::ClaimLimits{}; },
                     [this](const std::string& aor,
                            const auto& /*prepared*/,
                            const Result<Arrival>& arrival) {
                         if (arrival) {
                             registered.push_back(aor);
                         }
                     },
                     [this](const std::string& aor) { registered.push_back(aor); }}),
          users(start.users.empty() ? nullptr : auth::UserFile::open(start.users).value()),
          nonces(connection, "rst"),
          authenticator(
              users ? std::make_unique<Authenticator>(
                          Authenticator::Parts{clock, domains, *users, nonces}, settings.auth)
                    : nullptr),
          guard({clock, domains, settings.trusted,
                 [this](const auto& request, auto done) { receiver.handle(request, done); },
                 settings.registrar
                     ? SipRequestGuard::Handler{[this](const auto& request, auto done) {
                           registrar.handle(request, done);
                       }}
                     : SipRequestGuard::Handler{},
                 authenticator.get()})
    {
        while (!connection.ready()) {
            loop.turn(Millis{50});
        }
    }

    SystemClock clock;
    SuLoop& loop;
    BreakableStore store;
    DelayQueue queue;
    NotingRelay forwarder;
    redis::Connection connection;
    redis::ShardQueues shards;
    RedisBindingStore bindings;
    std::unique_ptr<Agent> agent;
    LocalDomains domains;
    MessageReceiver receiver;
    Registrar registrar;
    std::unique_ptr<auth::UserFile> users;
    RedisNonceStore nonces;
    std::unique_ptr<Authenticator> authenticator;
    SipRequestGuard guard;
    std::vector<std::string> registered;

private:
    std::unique_ptr<Agent> opened(const Start& start)
    {
        Agent::Settings sockets;
        sockets.nameServers = start.nameServers;
        for (const auto& listen : start.settings.listen) {
            const auto& address = listen.address;
            for (const auto& [wanted, transport] :
                 {std::pair{listen.udp, Transport::Udp}, std::pair{listen.tcp, Transport::Tcp},
                  std::pair{listen.tls, Transport::Tls}}) {
                if (wanted) {
                    sockets.listen.push_back({transport, address.host, address.port});
                }
            }
        }
        auto result = Agent::open(loop, std::move(sockets),
                                  [this](auto request) { guard.handle(std::move(request)); });
        if (!result) {
            throw std::runtime_error(result.error().message);
        }
        return std::move(*result);
    }
};

InboundServer::InboundServer(SipSettings settings,
                             const std::filesystem::path& users,
                             const std::optional<redis::RedisUrl>& redis,
                             std::vector<std::string> nameServers)
{
    // Started here, not on the server's thread: the kernel ends it with the thread that started it.
    const Start start{std::move(settings), users,
                      redis ? *redis : restante::test::sharedRedis().url(), std::move(nameServers)};
    std::promise<void> ready;
    auto started = ready.get_future();
    thread_ = std::thread{[this, &start, &ready] { serve(start, ready); }};
    started.wait();
    try {
        started.get();
    } catch (...) {
        thread_.join();
        throw;
    }
}

InboundServer::~InboundServer()
{
    loop_->post([this] { loop_->stop(); });
    thread_.join();
}

void InboundServer::serve(const Start& start, std::promise<void>& ready)
{
    SuLoop loop;
    try {
        Parts parts{loop, start};
        loop_ = &loop;
        parts_ = &parts;
        store_ = &parts.store;
        forwarder_ = &parts.forwarder;
        bindings_ = &parts.bindings;
        listening_ = parts.agent->listening();
        ready.set_value();
        loop.run();
    } catch (...) {
        ready.set_exception(std::current_exception());
    }
}

SipSettings InboundServer::defaults()
{
    SipSettings settings;
    settings.listen = {{true, true, {"127.0.0.1", 0}}, {true, true, {"::1", 0}}};
    settings.domain = {"example.com"};
    settings.mailbox.maxMessages = 1'000;
    settings.mailbox.maxBytes = 0;
    settings.limits.perSender = 0;
    settings.limits.totalMessages = 0;
    return settings;
}

SipServer InboundServer::at(SipTransport transport, const std::string& host) const
{
    const auto wanted = transport == SipTransport::Udp ? Transport::Udp : Transport::Tcp;
    for (const auto& one : listening_) {
        if (one.transport == wanted && one.host == host) {
            return {transport, host, one.port};
        }
    }
    throw std::runtime_error("the test's server does not listen on " + host);
}

void InboundServer::onLoop(const std::function<void()>& task)
{
    std::promise<void> done;
    loop_->post([&] {
        task();
        done.set_value();
    });
    done.get_future().wait();
}

std::vector<Job> InboundServer::stored()
{
    std::promise<std::vector<Job>> result;
    loop_->post([&] {
        store_->list({}, [&](Result<JobPage> page) {
            std::vector<Job> jobs;
            for (const auto& view : page.value().jobs) {
                jobs.push_back(view.job);
            }
            std::ranges::sort(jobs, {}, &Job::id);
            result.set_value(std::move(jobs));
        });
    });
    return result.get_future().get();
}

std::vector<std::string> InboundServer::registered()
{
    std::vector<std::string> aors;
    onLoop([&] { aors = parts_->registered; });
    return aors;
}

std::size_t InboundServer::inProgress()
{
    std::size_t count = 0;
    onLoop([&] { count = parts_->guard.inProgress(); });
    return count;
}

}  // namespace restante::sip::test
