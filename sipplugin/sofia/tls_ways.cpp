#include "sipplugin/sofia/tls_ways.h"

#include "sipplugin/aor.h"
#include "sipplugin/tls/tls_gateway.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <utility>

namespace restante::sip {

namespace {

/// A busy loop may take a while to come round to the parser's socket.
constexpr Millis kLookAgain{2};
constexpr int kLooks = 1'000;

bool sameWord(std::string_view a, std::string_view b)
{
    return std::ranges::equal(a, b, [](unsigned char left, unsigned char right) {
        return std::tolower(left) == std::tolower(right);
    });
}

}  // namespace

struct TlsWays::Search {
    std::string host;
    std::vector<ListenAddress> addresses;
    std::size_t next = 0;
    std::string lastFailure;
    Ready ready;
};

TlsWays::TlsWays(Agent& agent) : agent_(agent), lookup_(agent.loop()) {}

bool TlsWays::needs(const std::string& nextHop)
{
    const auto uri = parseSipUri(nextHop);
    if (!uri) {
        return false;
    }
    const auto* transport = uri->param("transport");
    return uri->scheme == "sips" || (transport != nullptr && sameWord(*transport, "tls"));
}

void TlsWays::open(const std::string& nextHop, const std::string& connection, Ready ready)
{
    auto* tls = agent_.tls();
    const auto uri = parseSipUri(nextHop);
    if (tls == nullptr || !uri) {
        return ready(failure(ErrorCode::Unavailable,
                             uri ? "no TLS here: set sip.tls.ca, the authorities to believe"
                                 : uri.error().message));
    }
    const auto inside = connection.empty() ? std::nullopt : tls->tunnelTo(connection);
    if (inside) {
        return await(*inside, 0, std::move(ready));
    }
    auto search = std::make_shared<Search>();
    search->host = uri->host;
    search->ready = std::move(ready);
    lookup_.find(uri->host, uri->port,
                 [this, search, alive = std::weak_ptr<int>{alive_}](const auto& addresses) {
                     if (alive.expired()) {
                         return;
                     }
                     if (!addresses) {
                         return search->ready(tl::unexpected(addresses.error()));
                     }
                     search->addresses = *addresses;
                     tryNext(search);
                 });
}

void TlsWays::tryNext(const std::shared_ptr<Search>& search)
{
    if (search->next == search->addresses.size()) {
        return search->ready(failure(ErrorCode::Unavailable, search->lastFailure));
    }
    const auto& address = search->addresses[search->next++];
    agent_.tls()->connect(
        address, search->host,
        [this, search, alive = std::weak_ptr<int>{alive_}](const Result<std::uint16_t>& inside) {
            if (alive.expired()) {
                return;
            }
            if (inside) {
                return await(*inside, 0, search->ready);
            }
            search->lastFailure = fmt::format("{}: {}", search->addresses[search->next - 1].print(),
                                              inside.error().message);
            tryNext(search);
        });
}

void TlsWays::await(std::uint16_t inside, int tries, Ready ready)
{
    if (auto* transport = agent_.tunnel(inside)) {
        return ready(transport);
    }
    if (tries == kLooks || agent_.tls()->peerAt(inside) == nullptr) {
        return ready(failure(ErrorCode::Unavailable, "the TLS connection was closed"));
    }
    agent_.loop().armTimer(kLookAgain, [this, inside, tries, ready = std::move(ready),
                                        alive = std::weak_ptr<int>{alive_}] {
        if (!alive.expired()) {
            await(inside, tries + 1, ready);
        }
    });
}

}  // namespace restante::sip
