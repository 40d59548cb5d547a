// A stranger's bytes over a real socket: transport, gate, logins, receiver, registrar,
// subscriptions and a store in memory. The first byte says whether they come as one datagram or as
// a stream, in pieces of what size, and whether from an address that is believed or from one that
// has to log in. Whatever they were, the agent answers the next honest request.
#include "core/auth/user_directory.h"
#include "core/base/address_policy.h"
#include "core/base/file_descriptor.h"
#include "core/queue/delay_queue.h"
#include "core/queue/memory_job_store.h"
#include "sipplugin/inbound/message_receiver.h"
#include "sipplugin/inbound/sip_request_guard.h"
#include "sipplugin/mwi/message_summaries.h"
#include "sipplugin/regevent/regevent_subscriptions.h"
#include "sipplugin/registration/registrar.h"
#include "sipplugin/sofia/su_loop.h"
#include "sipplugin/transport/agent.h"
#include "tests/fuzz/fuzz.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <system_error>
#include <vector>

namespace {

using namespace restante;
using namespace std::chrono_literals;

/// Contacts in memory, as few as a fuzzer needs.
class Contacts final : public sip::BindingStore {
public:
    explicit Contacts(EventLoop& loop) : loop_(loop) {}
    void lookup(std::string aor, Done<std::vector<sip::Binding>> done) override
    {
        loop_.post([done = std::move(done), found = kept_[aor]] { done(found); });
    }
    void update(sip::BindingUpdate update, Done<sip::Arrival> done) override
    {
        if (kept_.size() > 1'000) {
            kept_.clear();
        }
        kept_[update.aor] = update.additions;
        loop_.post([done = std::move(done), put = std::move(update.additions)] {
            done(sip::Arrival{put});
        });
    }

private:
    EventLoop& loop_;
    std::map<std::string, std::vector<sip::Binding>> kept_;
};

class Nobody final : public sip::TransientForwarder {
public:
    explicit Nobody(EventLoop& loop) : loop_(loop) {}
    void forward(Job /*message*/, std::function<void(sip::SipAnswer)> done) override
    {
        loop_.post([done = std::move(done)] { done({480, "", {}}); });
    }

private:
    EventLoop& loop_;
};

/// Bob, whose password is "battery staple".
class Users final : public auth::UserDirectory {
public:
    void find(const std::string& user,
              const std::string& realm,
              Done<std::optional<auth::Ha1>> done) override
    {
        const auto hash =
            auth::ha1Of(HashAlgorithm::Sha256, "bob", "example.com", "battery staple");
        done(user == "bob" && realm == "example.com" ? std::optional{auth::Ha1{hash, ""}}
                                                     : std::nullopt);
    }
};

/// With a secret that is known, so that an input can have a nonce of ours.
class Nonces final : public sip::NonceStore {
public:
    void secret(Done<std::string> done) override { done(std::string{"fuzz"}); }
    void use(const Use& /*use*/, Done<bool> done) override { done(true); }
};

class OneMessage final : public sip::MailboxSizes {
public:
    explicit OneMessage(EventLoop& loop) : loop_(loop) {}
    void count(const std::string& /*aor*/, Done<std::uint64_t> done) override
    {
        loop_.post([done = std::move(done)] { done(1U); });
    }

private:
    EventLoop& loop_;
};

/// What is sent goes back to where the input came from and nowhere else, whatever it names.
sip::Agent::Settings agentSettings()
{
    sip::Agent::Settings settings;
    settings.listen = {{sip::Transport::Udp, "127.0.0.1", 0},
                       {sip::Transport::Tcp, "127.0.0.1", 0}};
    settings.maxMessage = 20'000;
    settings.nameServers = {"127.0.0.1:9"};
    const auto everywhere = std::make_shared<const OwnAddresses>([] {
        return std::vector<std::string>{"0.0.0.0/1", "128.0.0.0/1", "::/1", "8000::/1"};
    });
    settings.hops = sip::HopPolicy(AddressPolicy::allowing({}, everywhere).value());
    return settings;
}

Config::Sip::Auth logins()
{
    Config::Sip::Auth settings;
    settings.md5 = true;
    settings.nonceLifetime = std::chrono::hours{24 * 36'500};  // an input's nonce stays good
    settings.failures = 0;
    return settings;
}

sip::SipSettings unlimited()
{
    sip::SipSettings settings;
    settings.mailbox = {.maxMessages = 1'000, .maxBytes = 0};
    settings.limits = {.perSender = 0, .totalMessages = 0};
    return settings;
}

/// Everything but Redis and deliveries.
struct Host {
    Host()
        : agent(sip::Agent::open(loop,
                                 agentSettings(),
                                 [this](auto request) { guard->handle(std::move(request)); })
                    .value()),
          domains({"example.com"}, agent->listening()),
          receiver({queue, forwarder, [](const std::string&) {}}, settings),
          registrar(contacts,
                    clock,
                    domains,
                    settings,
                    {[](const std::string&) { return sip::BindingUpdate::ClaimLimits{}; },
                     [](const std::string&, const auto& /*prepared*/, const auto& /*arrival*/) {},
                     [](const std::string&) {}}),
          guard(std::make_unique<sip::SipRequestGuard>(sip::SipRequestGuard::Parts{
              clock, domains, std::vector<TrustedPeer>{TrustedPeer::parse("127.0.0.1").value()},
              [this](const auto& request, auto done) { receiver.handle(request, done); },
              [this](const auto& request, auto done) { registrar.handle(request, done); },
              &authenticator,
              [this](const auto& request, auto done) { done(watcher->handleNotify(request)); },
              [this](const auto& request, auto done) { summaries.handle(request, done); }}))
    {
    }

    /// A subscription to bob's registrations whose Call-ID and tag are "fuzz", before each input:
    /// the one before may have ended it.
    void watchAnew()
    {
        using sip::RegEventSubscriptions;
        RegEventSubscriptions::Environment environment{
            loop,
            clock,
            [this](const sip::SubscribeRequest&, auto answered) {
                loop.post([answered = std::move(answered)] {
                    sip::RequestSender::Response answer;
                    answer.status = 200;
                    answered(answer);
                });
            },
            [](const std::string&, auto told) { told(true); },
            [](const std::string&) {},
            [] { return std::string{"fuzz"}; }};
        watcher = std::make_unique<RegEventSubscriptions>(
            std::move(environment),
            RegEventSubscriptions::Settings{"sip:restante@example.com", "sip:127.0.0.1"});
        watcher->watch("sip:bob@example.com");
    }

    SystemClock clock;
    sip::SuLoop loop;
    MemoryJobStore store{loop, clock};
    DelayQueue queue{store, clock, {}};
    Contacts contacts{loop};
    Nobody forwarder{loop};
    sip::SipSettings settings = unlimited();
    std::unique_ptr<sip::Agent> agent;
    sip::LocalDomains domains;
    sip::MessageReceiver receiver;
    sip::Registrar registrar;
    Users users;
    Nonces nonces;
    sip::Authenticator authenticator{{clock, domains, users, nonces}, logins()};
    OneMessage sizes{loop};
    sip::MessageSummaries summaries{{loop, clock, sizes, *agent}};
    std::unique_ptr<sip::RegEventSubscriptions> watcher;
    std::unique_ptr<sip::SipRequestGuard> guard;
};

/// Whose address it is sent from.
enum class Source { Trusted, Stranger };

/// 127.0.0.2 is this machine's like 127.0.0.1, and nobody trusts it.
void bindAsStranger(const FileDescriptor& fd)
{
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    const auto done = ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own);
    fuzz::require(done == 0, "the loopback network is there");
}

FileDescriptor connectTo(Host& host, sip::Transport transport, Source source = Source::Trusted)
{
    const bool udp = transport == sip::Transport::Udp;
    FileDescriptor fd{::socket(AF_INET, (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0)};
    fuzz::require(fd.get() >= 0, "no descriptor is left open");
    if (source == Source::Stranger) {
        bindAsStranger(fd);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (const auto& one : host.agent->listening()) {
        if (one.transport == transport) {
            address.sin_port = htons(one.port);
        }
    }
    const auto connected = [&] {
        return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
                   0 ||
               errno == EISCONN;
    };
    // Ports of connections that have just ended are free again after a minute; the hunter's own
    // alarm may come between.
    for (int wait = 0; !connected(); ++wait) {
        const auto why = errno;
        const bool mayPass = why == EADDRNOTAVAIL || why == EINTR || why == EALREADY;
        fuzz::require(mayPass && wait < 700,
                      "the agent listens: " + std::generic_category().message(why));
        host.loop.turn(100ms);
    }
    return fd;
}

/// Whether an OPTIONS over UDP is answered.
bool isWell(Host& host)
{
    const auto fd = connectTo(host, sip::Transport::Udp);
    sockaddr_in own{};
    socklen_t size = sizeof own;
    ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&own), &size);
    static int count = 0;
    const auto mark = std::to_string(++count);
    const auto request =
        "OPTIONS sip:example.com SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:" +
        std::to_string(ntohs(own.sin_port)) + ";branch=z9hG4bKwell" + mark +
        "\r\nFrom: <sip:a@example.com>;tag=1\r\nTo: <sip:example.com>\r\nCall-ID: " + "well" +
        mark + "\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n";
    ::send(fd.get(), request.data(), request.size(), 0);
    std::array<char, 2'000> answer;
    for (int turn = 0; turn < 500; ++turn) {
        host.loop.turn(2ms);
        const auto got = ::recv(fd.get(), answer.data(), answer.size(), MSG_DONTWAIT);
        if (got > 0) {
            return std::string_view{answer.data(), static_cast<std::size_t>(got)}.starts_with(
                "SIP/2.0 200");
        }
    }
    return false;
}

void attack(Host& host, std::string_view bytes, std::size_t piece, Source source)
{
    const auto fd = connectTo(host, piece == 0 ? sip::Transport::Udp : sip::Transport::Tcp, source);
    const auto step = piece == 0 ? bytes.size() : piece * 16;
    std::array<char, 4'096> answer;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        const auto part = bytes.substr(at, step);
        if (::send(fd.get(), part.data(), part.size(), MSG_NOSIGNAL) < 0) {
            break;  // it was cut off
        }
        host.loop.turn(0ms);
        while (::recv(fd.get(), answer.data(), answer.size(), MSG_DONTWAIT) > 0) {
        }
    }
    for (int turn = 0; turn < 4; ++turn) {
        host.loop.turn(0ms);
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // A new one from time to time: the store in memory only grows.
    static std::unique_ptr<Host> host;
    static int inputs = 0;
    if (inputs++ % 2'000 == 0) {
        host.reset();
        host = std::make_unique<Host>();
    }
    if (size < 2) {
        return 0;
    }
    constexpr std::uint8_t kPieces = 64;  // the bit of that value says whether a stranger sends it
    host->watchAnew();
    attack(*host, fuzz::textOf(data + 1, size - 1), data[0] % kPieces,
           (data[0] & kPieces) != 0 ? Source::Stranger : Source::Trusted);
    if (inputs % 16 == 0) {
        fuzz::require(isWell(*host), "the agent hears the next one");
    }
    return 0;
}
