#include "sipplugin/tls/tls_gateway.h"

#include "core/base/log.h"
#include "sipplugin/sofia/listening_sockets.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unordered_map>
#include <utility>

namespace restante::sip {

namespace {

/// Then the others of this loop have their turn.
constexpr int kAcceptsATurn = 32;

/// Until a descriptor may be free again.
constexpr Millis kOutOfDescriptors{100};

TlsPeer peerOf(const sockaddr_storage& address)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address.ss_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
        inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
        return {text.data(), ntohs(v6.sin6_port)};
    }
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return {text.data(), ntohs(v4.sin_port)};
}

/// "192.0.2.1:5061", "[2001:db8::1]:5061": as Binding::source has it.
std::string keyOf(const TlsPeer& peer)
{
    return ListenAddress{Transport::Tls, peer.host, peer.port}.hostPort();
}

}  // namespace

class TlsGateway::Impl {
public:
    Impl(EventLoop& loop, Settings settings)
        : loop_(loop),
          settings_(std::move(settings)),
          pause_(loop)
    {
    }

    Result<void> open()
    {
        if (auto read = reload(settings_.tls); !read) {
            return read;
        }
        for (const auto& address : settings_.listen) {
            auto bound = listenOn(address);
            if (!bound) {
                return tl::unexpected(bound.error());
            }
            listening_.push_back({address.transport, address.host, bound->port});
            const int fd = bound->socket.get();
            sockets_.push_back(std::move(bound->socket));
            accepting_.emplace_back(loop_, fd, Readiness::Readable,
                                    [this, fd](Readiness) { accept(fd); });
        }
        return {};
    }

    Result<void> reload(const TlsSettings& settings)
    {
        auto contexts = TlsContexts::read(settings);
        if (!contexts) {
            return tl::unexpected(contexts.error());
        }
        contexts_ = std::move(*contexts);
        return {};
    }

    const std::vector<ListenAddress>& listening() const noexcept { return listening_; }

    const TlsPeer* peerAt(std::uint16_t inside) const noexcept
    {
        const auto found = inside_.find(inside);
        return found == inside_.end() ? nullptr : &tunnels_.at(found->second).peer;
    }

    std::optional<std::uint16_t> tunnelTo(const std::string& peer) const
    {
        const auto found = byPeer_.find(peer);
        if (found == byPeer_.end()) {
            return std::nullopt;
        }
        return tunnels_.at(found->second).inside;
    }

    void connect(const ListenAddress& to, const std::string& name, Connected connected)
    {
        const auto key = name + " " + to.print();
        if (const auto found = made_.find(key); found != made_.end()) {
            auto& tunnel = tunnels_.at(found->second);
            if (tunnel.inside != 0) {
                return connected(tunnel.inside);
            }
            tunnel.waiting.push_back(std::move(connected));
            return;
        }
        const auto address = nameOf(to.host, to.port);
        FileDescriptor fd{
            ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
        if (!fd ||
            (::connect(fd.get(), address.raw(), address.length) != 0 && errno != EINPROGRESS)) {
            return connected(failure(ErrorCode::Unavailable,
                                     fmt::format("cannot connect: {}", std::strerror(errno))));
        }
        auto ssl = contexts_->newClient(fd.get(), name);
        if (!ssl) {
            return connected(failure(ErrorCode::Unavailable, "no memory for a TLS connection"));
        }
        const auto id = begin({to.host, to.port}, {std::move(fd), std::move(ssl), name, 0});
        tunnels_.at(id).made = key;
        tunnels_.at(id).waiting.push_back(std::move(connected));
        made_.emplace(key, id);
    }

private:
    using Id = std::uint64_t;
    struct Tunnel {
        TlsPeer peer;
        std::unique_ptr<TlsTunnel> tunnel;
        std::uint16_t inside = 0;  ///< 0 = not joined yet
        std::string made;          ///< the key in made_; empty = it came to us
        std::vector<Connected> waiting;
    };

    void accept(int listener)
    {
        for (int i = 0; i < kAcceptsATurn; ++i) {
            sockaddr_storage address{};
            socklen_t size = sizeof address;
            FileDescriptor fd{::accept4(listener, reinterpret_cast<sockaddr*>(&address), &size,
                                        SOCK_NONBLOCK | SOCK_CLOEXEC)};
            if (!fd) {
                if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
                    pauseAccepting();
                }
                return;
            }
            auto ssl = contexts_->newServer(fd.get());
            if (ssl) {
                begin(peerOf(address), {std::move(fd), std::move(ssl), "", 0});
            }
        }
    }

    /// The connection that cannot be taken would wake us again and again.
    void pauseAccepting()
    {
        for (auto& watch : accepting_) {
            watch.change(Readiness::None);
        }
        pause_.arm(kOutOfDescriptors, [this] {
            for (auto& watch : accepting_) {
                watch.change(Readiness::Readable);
            }
        });
    }

    Id begin(TlsPeer peer, TlsTunnel::Ends ends)
    {
        ends.parserPort = settings_.parserPort;
        const auto id = ++lastId_;
        auto& entry = tunnels_[id];
        entry.peer = std::move(peer);
        entry.tunnel = std::make_unique<TlsTunnel>(
            loop_, std::move(ends),
            TlsTunnel::Events{[this, id](std::uint16_t inside) { joined(id, inside); },
                              [this, id](const std::string& why) { ended(id, why); }});
        return id;
    }

    void joined(Id id, std::uint16_t inside)
    {
        auto& entry = tunnels_.at(id);
        entry.inside = inside;
        inside_.insert_or_assign(inside, id);
        byPeer_.insert_or_assign(keyOf(entry.peer), id);
        for (const auto& waiting : std::exchange(entry.waiting, {})) {
            waiting(inside);
        }
    }

    void ended(Id id, const std::string& why)
    {
        // It is in the middle of a call: it lives until the next turn.
        auto node = tunnels_.extract(id);
        auto& entry = node.mapped();
        forget(inside_, entry.inside, id);
        forget(byPeer_, keyOf(entry.peer), id);
        forget(made_, entry.made, id);
        if (entry.inside == 0) {
            log::debug("tls", "no TLS with {}: {}", keyOf(entry.peer), why);
        }
        for (const auto& waiting : std::exchange(entry.waiting, {})) {
            waiting(failure(ErrorCode::Unavailable, why));
        }
        std::shared_ptr<TlsTunnel> tunnel = std::move(entry.tunnel);
        loop_.post([tunnel] {});
    }

    template <class Map, class Key>
    static void forget(Map& map, const Key& key, Id id)
    {
        if (const auto found = map.find(key); found != map.end() && found->second == id) {
            map.erase(found);
        }
    }

    EventLoop& loop_;
    Settings settings_;
    std::optional<TlsContexts> contexts_;
    Timer pause_;
    Id lastId_ = 0;
    std::unordered_map<Id, Tunnel> tunnels_;
    std::unordered_map<std::uint16_t, Id> inside_;
    std::unordered_map<std::string, Id> byPeer_;
    std::unordered_map<std::string, Id> made_;  ///< those that we have made, by name and address
    std::vector<ListenAddress> listening_;
    std::vector<FileDescriptor> sockets_;
    std::vector<Watch> accepting_;
};

TlsGateway::TlsGateway(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsGateway::~TlsGateway() = default;

Result<std::unique_ptr<TlsGateway>> TlsGateway::open(EventLoop& loop, Settings settings)
{
    auto impl = std::make_unique<Impl>(loop, std::move(settings));
    if (auto opened = impl->open(); !opened) {
        return tl::unexpected(opened.error());
    }
    return std::unique_ptr<TlsGateway>(new TlsGateway(std::move(impl)));
}

const std::vector<ListenAddress>& TlsGateway::listening() const noexcept
{
    return impl_->listening();
}
const TlsPeer* TlsGateway::peerAt(std::uint16_t inside) const noexcept
{
    return impl_->peerAt(inside);
}
std::optional<std::uint16_t> TlsGateway::tunnelTo(const std::string& peer) const
{
    return impl_->tunnelTo(peer);
}
void TlsGateway::connect(const ListenAddress& to, const std::string& name, Connected connected)
{
    impl_->connect(to, name, std::move(connected));
}
Result<void> TlsGateway::reload(const TlsSettings& settings)
{
    return impl_->reload(settings);
}

}  // namespace restante::sip
