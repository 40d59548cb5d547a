#include "sipplugin/sofia/host_lookup.h"

#include "sipplugin/sofia/handles.h"
#include "sipplugin/tls/peer_identity.h"

#define SRES_CONTEXT_T void
#include <sofia-sip/sresolv.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <netdb.h>
#include <netinet/in.h>
#include <sofia-resolv/sres.h>
#include <sofia-resolv/sres_record.h>
#include <unordered_map>

namespace restante::sip {

namespace {

constexpr std::uint16_t kSipsPort = 5061;

/// As many targets of SRV as are worth trying while somebody waits.
constexpr std::size_t kTargets = 4;

using ResolverHandle = std::unique_ptr<sres_resolver_t, Releaser<sres_resolver_destroy>>;

struct Target {
    std::string host;
    std::uint16_t port = 0;
};

/// The door through which a thread of the C library comes back to the loop, as long as there is
/// one.
struct Door {
    std::mutex mutex;
    SuLoop* loop = nullptr;
};

/// One getaddrinfo_a(): owned by itself until the C library is done with it.
struct AddressQuery {
    gaicb request{};
    gaicb* list = &request;
    addrinfo hints{};
    sigevent notice{};
    std::string host;
    std::shared_ptr<Door> door;
    std::function<void(int, addrinfo*)> answered;
};

void onAddresses(sigval value) noexcept
{
    std::shared_ptr<AddressQuery> query{static_cast<AddressQuery*>(value.sival_ptr)};
    const std::shared_ptr<addrinfo> addresses{query->request.ar_result, [](addrinfo* list) {
                                                  if (list != nullptr) {
                                                      ::freeaddrinfo(list);
                                                  }
                                              }};
    const int error = ::gai_error(&query->request);
    const std::lock_guard lock{query->door->mutex};
    if (query->door->loop != nullptr) {
        query->door->loop->post(
            [query, addresses, error] { query->answered(error, addresses.get()); });
    }
}

std::vector<ListenAddress> addressesOf(const addrinfo* list, std::uint16_t port)
{
    std::vector<ListenAddress> all;
    for (const auto* one = list; one != nullptr; one = one->ai_next) {
        std::array<char, INET6_ADDRSTRLEN> text{};
        if (one->ai_family == AF_INET) {
            const auto* v4 = reinterpret_cast<const sockaddr_in*>(one->ai_addr);
            inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
        } else if (one->ai_family == AF_INET6) {
            const auto* v6 = reinterpret_cast<const sockaddr_in6*>(one->ai_addr);
            inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
        } else {
            continue;
        }
        all.push_back({Transport::Tls, text.data(), port});
    }
    return all;
}

std::string withoutBrackets(const std::string& host)
{
    return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

std::vector<Target> targetsOf(sres_resolver_t* resolver, sres_record_t** answers)
{
    std::vector<Target> targets;
    if (answers == nullptr) {
        return targets;
    }
    sres_sort_answers(resolver, answers);
    for (auto** one = answers; *one != nullptr && targets.size() < kTargets; ++one) {
        const auto& service = (*one)->sr_srv[0];
        const auto& record = service.srv_record[0];
        if (record.r_status == SRES_OK && record.r_type == sres_type_srv) {
            targets.push_back({service.srv_target, service.srv_port});
        }
    }
    return targets;
}

}  // namespace

class HostLookup::Impl : public std::enable_shared_from_this<Impl> {
public:
    explicit Impl(SuLoop& loop) : loop_(loop) { door_->loop = &loop; }

    void close()
    {
        const std::lock_guard lock{door_->mutex};
        door_->loop = nullptr;
        resolver_.reset();  // with what it has under way
        queries_.clear();
    }

    void find(const std::string& host, std::uint16_t port, Found found)
    {
        if (isAddressLiteral(host)) {
            const std::uint16_t used = port == 0 ? kSipsPort : port;
            return found(std::vector<ListenAddress>{{Transport::Tls, withoutBrackets(host), used}});
        }
        if (port != 0) {
            return findAddresses({{host, port}}, {}, std::move(found));
        }
        findService(host, std::move(found));
    }

private:
    struct ServiceQuery {
        Impl& lookup;
        std::string host;
        Found found;
    };

    void findService(const std::string& host, Found found)
    {
        if (!resolver_) {
            resolver_.reset(sres_resolver_create(loop_.root(), nullptr, TAG_END()));
        }
        const auto domain = "_sips._tcp." + host;
        auto query = std::make_unique<ServiceQuery>(ServiceQuery{*this, host, std::move(found)});
        auto* raw = query.get();
        queries_.emplace(raw, std::move(query));
        auto** cached = resolver_
                            ? sres_cached_answers(resolver_.get(), sres_type_srv, domain.c_str())
                            : nullptr;
        if (cached != nullptr) {
            return settleService(*raw, cached);
        }
        if (!resolver_ || sres_query(resolver_.get(), &Impl::onService, raw, sres_type_srv,
                                     domain.c_str()) == nullptr) {
            settleService(*raw, nullptr);
        }
    }

    static void onService(void* magic, sres_query_t*, sres_record_t** answers) noexcept
    {
        auto& query = *static_cast<ServiceQuery*>(magic);
        query.lookup.settleService(query, answers);
    }

    void settleService(ServiceQuery& query, sres_record_t** answers)
    {
        auto targets = targetsOf(resolver_.get(), answers);
        if (answers != nullptr) {
            sres_free_answers(resolver_.get(), answers);
        }
        const auto settled = queries_.extract(&query);
        if (targets.empty()) {
            targets.push_back({settled.mapped()->host, kSipsPort});
        }
        findAddresses(std::move(targets), {}, std::move(settled.mapped()->found));
    }

    /// One target after the other, until each has told its addresses.
    void findAddresses(std::vector<Target> targets, std::vector<ListenAddress> known, Found found)
    {
        auto query = std::make_unique<AddressQuery>();
        query->host = targets.front().host;
        query->door = door_;
        query->hints.ai_socktype = SOCK_STREAM;
        query->request.ar_name = query->host.c_str();
        query->request.ar_request = &query->hints;
        query->notice.sigev_notify = SIGEV_THREAD;
        query->notice.sigev_notify_function = &onAddresses;
        query->notice.sigev_value.sival_ptr = query.get();
        query->answered = [weak = weak_from_this(), targets, known = std::move(known),
                           found](int error, addrinfo* list) mutable {
            if (const auto self = weak.lock()) {
                self->addressesFound(std::move(targets), std::move(known), std::move(found), error,
                                     list);
            }
        };
        auto* raw = query.get();
        if (const int error = ::getaddrinfo_a(GAI_NOWAIT, &raw->list, 1, &raw->notice);
            error != 0) {
            return found(
                failure(ErrorCode::Unavailable,
                        fmt::format("cannot look up {}: {}", raw->host, ::gai_strerror(error))));
        }
        (void)query.release();  // onAddresses() owns it
    }

    void addressesFound(std::vector<Target> targets,
                        std::vector<ListenAddress> known,
                        Found found,
                        int error,
                        const addrinfo* list)
    {
        const auto target = targets.front();
        targets.erase(targets.begin());
        const auto some = addressesOf(error == 0 ? list : nullptr, target.port);
        known.insert(known.end(), some.begin(), some.end());
        if (!targets.empty()) {
            return findAddresses(std::move(targets), std::move(known), std::move(found));
        }
        if (known.empty()) {
            return found(
                failure(ErrorCode::Unavailable,
                        fmt::format("{} has no address: {}", target.host, ::gai_strerror(error))));
        }
        found(known);
    }

    SuLoop& loop_;
    std::shared_ptr<Door> door_ = std::make_shared<Door>();
    ResolverHandle resolver_;
    std::unordered_map<ServiceQuery*, std::unique_ptr<ServiceQuery>> queries_;
};

HostLookup::HostLookup(SuLoop& loop) : impl_(std::make_shared<Impl>(loop)) {}

HostLookup::~HostLookup()
{
    impl_->close();
}

void HostLookup::find(const std::string& host, std::uint16_t port, Found found)
{
    impl_->find(host, port, std::move(found));
}

}  // namespace restante::sip
