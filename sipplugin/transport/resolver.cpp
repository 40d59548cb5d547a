#include "sipplugin/transport/resolver.h"

#include "core/base/handle_deleter.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/base/while_alive.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/transport/sockets.h"

#include <algorithm>
#include <ares.h>
#include <ares_nameser.h>
#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <netdb.h>
#include <random>
#include <sys/stat.h>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace restante::sip {

namespace {

using std::chrono::steady_clock;

/// The most SRV targets that are worth trying while a request waits.
constexpr std::size_t kMostTargets = 8;
constexpr std::size_t kMostCached = 1'000;
constexpr Millis kCacheTime{30'000};
constexpr Millis kFailureCacheTime{2'000};
/// How long a server that has failed is tried after the others.
constexpr Millis kFailureMemory{60'000};
constexpr int kTimeoutMillis = 2'000;
constexpr int kTries = 2;
/// How long the servers may say nothing of NAPTR and SRV records before the name's own addresses
/// are asked for besides, so that silence is waited for once. Less than the first try has.
constexpr Millis kPatience{1'000};

/// The library counts its users without a lock, and several threads have a resolver.
std::mutex& libraryMutex()
{
    static std::mutex mutex;
    return mutex;
}

/// How often the file with the machine's name servers is checked for a change.
constexpr Millis kFileCheckInterval{2'000};

std::uint16_t defaultPort(Transport transport)
{
    return transport == Transport::Tls ? 5061 : 5060;
}

std::string serviceOf(Transport transport, const std::string& host)
{
    const auto* prefix = transport == Transport::Udp   ? "_sip._udp."
                         : transport == Transport::Tcp ? "_sip._tcp."
                                                       : "_sips._tcp.";
    return prefix + host;
}

std::optional<Transport> transportOf(const ares_naptr_reply& record)
{
    const std::string_view service = reinterpret_cast<const char*>(record.service);
    const auto is = [&](std::string_view one) { return equalIgnoringCase(service, one); };
    return is("SIP+D2U")    ? std::optional{Transport::Udp}
           : is("SIP+D2T")  ? std::optional{Transport::Tcp}
           : is("SIPS+D2T") ? std::optional{Transport::Tls}
                            : std::nullopt;
}

struct Target {
    Transport transport = Transport::Udp;
    std::size_t serviceRank = 0;  ///< of the SRV name that led to it; the lowest is tried first
    std::uint16_t priority = 0;
    std::uint16_t weight = 0;
    std::string host;
    std::uint16_t port = 0;
    std::vector<std::string> addresses;
};

/// Whether no server answers, so that asking for other records would be useless.
bool noServerAnswers(int status)
{
    return status == ARES_ETIMEOUT || status == ARES_ECONNREFUSED || status == ARES_EFILE;
}

/// Skips duplicates: newer c-ares return a built-in localhost besides that of /etc/hosts.
void addOnce(std::vector<std::string>& addresses, std::string address)
{
    if (std::ranges::find(addresses, address) == addresses.end()) {
        addresses.push_back(std::move(address));
    }
}

template <class Record>
using Records = std::unique_ptr<Record, decltype(&ares_free_data)>;

/// Identifies a file and its version. *Value.*
struct FileState {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;

    friend bool operator==(const FileState&, const FileState&) = default;
};

/// The state of `file`; a default one when it cannot be read.
FileState stateOf(const std::string& file)
{
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) {
        return {};
    }
    return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
            status.st_mtim.tv_nsec};
}

/// A channel of c-ares on the loop, with the name servers as of its creation.
class Channel {
public:
    explicit Channel(EventLoop& loop) : loop_(loop), timeout_(loop) {}
    /// Ends all queries before it returns: see isClosing(). Not from inside an answer.
    ~Channel()
    {
        closing_ = true;
        if (handle_ != nullptr) {
            ares_destroy(handle_);
        }
    }

    bool open(const std::vector<std::string>& nameServers, NameServerFile file)
    {
        ares_options options{};
        options.timeout = kTimeoutMillis;
        options.tries = kTries;
        options.sock_state_cb = &Channel::onSocket;
        options.sock_state_cb_data = this;
        options.resolvconf_path = file.path.data();
        options.udp_port = file.port;
        options.tcp_port = file.port;
        if (ares_init_options(&handle_, &options,
                              ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB |
                                  ARES_OPT_RESOLVCONF | ARES_OPT_UDP_PORT | ARES_OPT_TCP_PORT) !=
            ARES_SUCCESS) {
            handle_ = nullptr;
            return false;
        }
        if (!nameServers.empty()) {
            ares_set_servers_ports_csv(handle_,
                                       fmt::format("{}", fmt::join(nameServers, ",")).c_str());
        }
        return true;
    }

    ares_channel handle() const noexcept { return handle_; }
    bool isClosing() const noexcept { return closing_; }
    void beginQuery() { ++queries_; }
    void endQuery() { --queries_; }
    bool isIdle() const noexcept { return queries_ == 0; }

    void armTimeout()
    {
        timeval room{};
        const auto* next = ares_timeout(handle_, nullptr, &room);
        if (next == nullptr) {
            return timeout_.cancel();
        }
        const Millis after{next->tv_sec * 1'000 + next->tv_usec / 1'000 + 1};
        timeout_.arm(after, [this] {
            ares_process_fd(handle_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
            armTimeout();
        });
    }

private:
    static void onSocket(void* data, ares_socket_t fd, int readable, int writable) noexcept
    {
        auto& self = *static_cast<Channel*>(data);
        if (self.closing_ || (readable == 0 && writable == 0)) {
            self.watches_.erase(fd);
            return;
        }
        const auto wanted = (readable != 0 ? Readiness::Readable : Readiness::None) |
                            (writable != 0 ? Readiness::Writable : Readiness::None);
        if (const auto found = self.watches_.find(fd); found != self.watches_.end()) {
            return found->second.change(wanted);
        }
        self.watches_.emplace(fd, Watch(self.loop_, fd, wanted, [&self, fd](Readiness ready) {
                                  ares_process_fd(
                                      self.handle_,
                                      has(ready, Readiness::Readable) ? fd : ARES_SOCKET_BAD,
                                      has(ready, Readiness::Writable) ? fd : ARES_SOCKET_BAD);
                                  self.armTimeout();
                              }));
    }

    EventLoop& loop_;
    ares_channel handle_ = nullptr;
    bool closing_ = false;
    std::size_t queries_ = 0;  ///< under way
    std::unordered_map<ares_socket_t, Watch> watches_;
    Timer timeout_;
};

}  // namespace

Result<NextHop> nextHopOf(const std::string& text)
{
    const auto uri = TRY(parseSipUri(text));
    NextHop hop{std::string{withoutBrackets(uri.host)}, uri.port, {}};
    if (const auto* wanted = uri.param("transport")) {
        hop.transport = parseTransport(*wanted);
        if (!hop.transport) {
            return invalid("the transport {} is not spoken here", *wanted);
        }
    }
    if (uri.scheme == "sips") {
        hop.transport = Transport::Tls;
    }
    return hop;
}

class Resolver::Impl {
public:
    Impl(EventLoop& loop, const std::vector<std::string>& nameServers, NameServerFile file)
        : loop_(loop),
          nameServers_(nameServers),
          file_(std::move(file)),
          dropTimer_(loop)
    {
        const std::lock_guard lock(libraryMutex());
        ares_library_init(ARES_LIB_INIT_ALL);
    }
    ~Impl()
    {
        channel_.reset();
        replaced_.clear();
        const std::lock_guard lock(libraryMutex());
        ares_library_cleanup();
    }

    void find(const NextHop& hop, bool withTls, ResultHandler onResult)
    {
        if (hop.isAddress()) {
            const auto transport = hop.transport.value_or(Transport::Udp);
            const auto port = hop.port == 0 ? defaultPort(transport) : hop.port;
            return onResult(std::vector<TransportAddress>{{transport, hop.host, port}});
        }
        const auto key =
            fmt::format("{} {} {} {}", hop.host, hop.port,
                        hop.transport ? name(*hop.transport) : "any", withTls ? "tls" : "");
        const auto now = steady_clock::now();
        retireChannelIfFileChanged(now);
        if (const auto kept = cache_.find(key); kept != cache_.end()) {
            auto& lookup = *kept->second;
            if (!lookup.isDone) {
                lookup.waiting.push_back(std::move(onResult));
                return;
            }
            if (now < lookup.expiresAt) {
                return onResult(resultOf(lookup));
            }
            cache_.erase(kept);
        }
        if (cache_.size() >= kMostCached) {
            std::erase_if(cache_, [](const auto& one) { return one.second->isDone; });
        }
        auto lookup = std::make_shared<Lookup>(loop_);
        lookup->hop = hop;
        lookup->withTls = withTls;
        lookup->waiting.push_back(std::move(onResult));
        cache_[key] = lookup;
        begin(lookup);
    }

    void recordFailure(const TransportAddress& address)
    {
        const auto now = steady_clock::now();
        std::erase_if(failedUntil_, [&](const auto& one) { return one.second < now; });
        failedUntil_[address.toString()] = now + kFailureMemory;
    }
    bool hasFailedLately(const TransportAddress& address) const
    {
        const auto found = failedUntil_.find(address.toString());
        return found != failedUntil_.end() && found->second >= steady_clock::now();
    }

private:
    struct Lookup : std::enable_shared_from_this<Lookup> {
        explicit Lookup(EventLoop& loop) : patience(loop) {}

        NextHop hop;
        bool withTls = false;
        std::vector<ResultHandler> waiting;
        bool isDone = false;
        steady_clock::time_point expiresAt{};
        std::vector<std::pair<Transport, std::string>> services;  ///< SRV names still to be queried
        std::size_t answeredServices = 0;  ///< how many SRV names have been answered
        bool hasNaptr = false;             ///< they came from NAPTR, so that all of them are used
        std::vector<Target> targets;       ///< those before `resolved` have their addresses
        std::size_t resolved = 0;
        Timer patience;  ///< runs while records are asked for
        /// Of the question for the name's own addresses, which is asked because it ran out.
        enum class HostQuestion { None, Pending, Answered };
        HostQuestion hostQuestion = HostQuestion::None;
        std::vector<std::string> hostAddresses;  ///< what has been said to that
        bool endsWithHost = false;               ///< nothing else is awaited
        std::string failureReason = "no such name";
    };
    using LookupPtr = std::shared_ptr<Lookup>;
    /// The callback argument of c-ares.
    struct Query {
        Impl& self;
        LookupPtr lookup;
        Channel& channel;  ///< outlives it
    };
    using QueryPtr = std::unique_ptr<Query>;

    bool openChannel()
    {
        if (channel_ == nullptr) {
            channelFileState_ = stateOf(file_.path);
            auto channel = std::make_unique<Channel>(loop_);
            if (!channel->open(nameServers_, file_)) {
                return false;
            }
            channel_ = std::move(channel);
        }
        return true;
    }

    /// Replaces the channel and drops cached results when the file of name servers has changed:
    /// c-ares before 1.22 cannot read it again.
    void retireChannelIfFileChanged(steady_clock::time_point now)
    {
        if (channel_ == nullptr || !nameServers_.empty() || now < nextFileCheck_) {
            return;
        }
        nextFileCheck_ = now + kFileCheckInterval;
        if (stateOf(file_.path) == channelFileState_) {
            return;
        }
        log::info("sip", "{} has changed; names are looked up as it says now", file_.path);
        replaced_.push_back(std::move(channel_));
        dropReplacedLater();
        std::erase_if(cache_, [](const auto& one) { return one.second->isDone; });
    }

    /// Later, because the caller may be an answer of one of them.
    void dropReplacedLater()
    {
        dropTimer_.arm(kFileCheckInterval, [this] {
            std::erase_if(replaced_, [](const auto& channel) { return channel->isIdle(); });
            if (!replaced_.empty()) {
                dropReplacedLater();
            }
        });
    }

    QueryPtr queryFor(const LookupPtr& lookup)
    {
        channel_->beginQuery();
        return std::make_unique<Query>(Query{*this, lookup, *channel_});
    }

    /// Ends the query that an answer belongs to and returns it; null when the channel is closing.
    static QueryPtr takeQuery(void* argument)
    {
        QueryPtr query{static_cast<Query*>(argument)};
        query->channel.endQuery();
        return query->channel.isClosing() ? nullptr : std::move(query);
    }

    void begin(const LookupPtr& lookup)
    {
        const auto& hop = lookup->hop;
        if (!openChannel()) {
            lookup->failureReason = "the resolver cannot be started";
            return finishLookup(lookup);
        }
        auto addresses = addressesInHostsFile(hop.host);
        if (hop.port != 0 || !addresses.empty()) {
            return useHostItself(lookup, std::move(addresses));
        }
        if (hop.transport) {
            lookup->services.emplace_back(*hop.transport, serviceOf(*hop.transport, hop.host));
            return findServices(lookup);
        }
        sendQuery(lookup, hop.host, ns_t_naptr, &Impl::onAnswer<&Impl::readNaptr>);
    }

    /// Reads a short local file, which hardly blocks.
    std::vector<std::string> addressesInHostsFile(const std::string& host)
    {
        std::vector<std::string> addresses;
        for (const int family : {AF_INET6, AF_INET}) {
            hostent* raw = nullptr;
            if (ares_gethostbyname_file(channel_->handle(), host.c_str(), family, &raw) !=
                ARES_SUCCESS) {
                continue;
            }
            const std::unique_ptr<hostent, HandleDeleter<ares_free_hostent>> entry{raw};
            for (char** one = entry->h_addr_list; *one != nullptr; ++one) {
                std::array<char, INET6_ADDRSTRLEN> text{};
                inet_ntop(family, *one, text.data(), text.size());
                addOnce(addresses, text.data());
            }
        }
        return addresses;
    }

    using Callback = void (*)(void*, int, int, unsigned char*, int);
    void sendQuery(const LookupPtr& lookup, const std::string& domain, int type, Callback callback)
    {
        if (!openChannel()) {
            lookup->failureReason = "the resolver cannot be started";
            return finishLookup(lookup);
        }
        if (lookup->hostQuestion == Lookup::HostQuestion::None) {
            lookup->patience.arm(kPatience, whileAlive(*lookup, [this](Lookup& silent) {
                                     askHostMeanwhile(silent.shared_from_this());
                                 }));
        }
        auto& channel = *channel_;
        ares_query(channel.handle(), domain.c_str(), ns_c_in, type, callback,
                   queryFor(lookup).release());
        channel.armTimeout();
    }

    template <void (Impl::*Read)(const LookupPtr&, int, const unsigned char*, int)>
    static void onAnswer(void* argument, int status, int, unsigned char* bytes, int size) noexcept
    {
        if (const auto query = takeQuery(argument)) {
            query->lookup->patience.cancel();
            (query->self.*Read)(query->lookup, status, bytes, size);
        }
    }

    void readNaptr(const LookupPtr& lookup, int status, const unsigned char* bytes, int size)
    {
        if (noServerAnswers(status)) {
            return endRecords(lookup, status);
        }
        ares_naptr_reply* raw = nullptr;
        if (status == ARES_SUCCESS) {
            ares_parse_naptr_reply(bytes, size, &raw);
        }
        const Records<ares_naptr_reply> records{raw, &ares_free_data};
        std::vector<const ares_naptr_reply*> sorted;
        for (const auto* one = raw; one != nullptr; one = one->next) {
            const auto transport = transportOf(*one);
            const bool spoken = transport && (*transport != Transport::Tls || lookup->withTls);
            if (spoken && equalIgnoringCase(reinterpret_cast<const char*>(one->flags), "s")) {
                sorted.push_back(one);
            }
        }
        std::ranges::stable_sort(sorted, {}, [](const auto* one) {
            return std::tuple{one->order, one->preference};
        });
        for (const auto* one : sorted) {
            lookup->services.emplace_back(*transportOf(*one), one->replacement);
        }
        lookup->hasNaptr = !sorted.empty();
        if (!lookup->hasNaptr) {
            for (const auto transport : {Transport::Udp, Transport::Tcp}) {
                lookup->services.emplace_back(transport, serviceOf(transport, lookup->hop.host));
            }
        }
        findServices(lookup);
    }

    /// Queries the SRV names one after the other.
    void findServices(const LookupPtr& lookup)
    {
        const bool enough = !lookup->targets.empty() &&
                            (!lookup->hasNaptr || lookup->targets.size() >= kMostTargets);
        if (lookup->services.empty() || enough) {
            return lookup->targets.empty() ? useHostItself(lookup, lookup->hostAddresses)
                                           : findAddresses(lookup);
        }
        sendQuery(lookup, lookup->services.front().second, ns_t_srv,
                  &Impl::onAnswer<&Impl::readService>);
    }

    void readService(const LookupPtr& lookup, int status, const unsigned char* bytes, int size)
    {
        if (noServerAnswers(status)) {
            return endRecords(lookup, status);
        }
        const auto transport = lookup->services.front().first;
        lookup->services.erase(lookup->services.begin());
        const auto rank = lookup->answeredServices++;
        ares_srv_reply* raw = nullptr;
        if (status == ARES_SUCCESS) {
            ares_parse_srv_reply(bytes, size, &raw);
        }
        const Records<ares_srv_reply> records{raw, &ares_free_data};
        std::vector<const ares_srv_reply*> sorted;
        for (const auto* one = raw; one != nullptr; one = one->next) {
            sorted.push_back(one);
        }
        // Sorted, so that of too many the best are kept.
        std::ranges::stable_sort(sorted, {}, &ares_srv_reply::priority);
        for (const auto* one : sorted) {
            // "." says that there is no such service (RFC 2782).
            if (*one->host != '\0' && std::string_view{one->host} != "." &&
                lookup->targets.size() < kMostTargets) {
                lookup->targets.push_back(
                    {transport, rank, one->priority, one->weight, one->host, one->port, {}});
            }
        }
        findServices(lookup);
    }

    /// Asks for the name's own addresses while nobody answers for its records.
    void askHostMeanwhile(const LookupPtr& lookup)
    {
        if (openChannel()) {
            lookup->hostQuestion = Lookup::HostQuestion::Pending;
            askForAddresses(lookup, lookup->hop.host, &Impl::onHostAddresses);
        }
    }

    static void onHostAddresses(void* argument, int, int, ares_addrinfo* raw) noexcept
    {
        const std::unique_ptr<ares_addrinfo, HandleDeleter<ares_freeaddrinfo>> list{raw};
        if (const auto query = takeQuery(argument)) {
            auto& lookup = *query->lookup;
            addAddresses(lookup.hostAddresses, list.get());
            lookup.hostQuestion = Lookup::HostQuestion::Answered;
            if (lookup.endsWithHost) {
                query->self.endWithHost(query->lookup);
            }
        }
    }

    /// No server answers for the records: some drop the question, but know addresses. If those have
    /// been asked for meanwhile, that question ends soon, as it was asked only a little later.
    void endRecords(const LookupPtr& lookup, int status)
    {
        lookup->failureReason = ares_strerror(status);
        if (!lookup->targets.empty()) {
            return findAddresses(lookup);
        }
        switch (lookup->hostQuestion) {
        case Lookup::HostQuestion::None: return useHostItself(lookup);
        case Lookup::HostQuestion::Pending: lookup->endsWithHost = true; return;
        case Lookup::HostQuestion::Answered: return endWithHost(lookup);
        }
    }

    void endWithHost(const LookupPtr& lookup)
    {
        lookup->hostAddresses.empty() ? finishLookup(lookup)
                                      : useHostItself(lookup, lookup->hostAddresses);
    }

    void useHostItself(const LookupPtr& lookup, std::vector<std::string> addresses = {})
    {
        const auto& hop = lookup->hop;
        const auto transport = hop.transport.value_or(Transport::Udp);
        const auto port = hop.port == 0 ? defaultPort(transport) : hop.port;
        lookup->targets.push_back({transport, 0, 0, 0, hop.host, port, std::move(addresses)});
        findAddresses(lookup);
    }

    /// Looks up the addresses of one target after the other.
    void findAddresses(const LookupPtr& lookup)
    {
        while (lookup->resolved < lookup->targets.size()) {
            auto& target = lookup->targets[lookup->resolved];
            if (target.addresses.empty() && isAddressLiteral(target.host)) {
                target.addresses = {target.host};
            }
            if (target.addresses.empty()) {
                if (!openChannel()) {
                    ++lookup->resolved;
                    continue;
                }
                return askForAddresses(lookup, target.host, &Impl::onAddresses);
            }
            ++lookup->resolved;
        }
        finishLookup(lookup);
    }

    using AddressCallback = void (*)(void*, int, int, ares_addrinfo*);
    /// The channel is open.
    void askForAddresses(const LookupPtr& lookup, const std::string& host, AddressCallback callback)
    {
        ares_addrinfo_hints hints{};
        hints.ai_family = AF_UNSPEC;
        hints.ai_socktype = SOCK_STREAM;  // else each address comes for each type
        auto& channel = *channel_;
        ares_getaddrinfo(channel.handle(), host.c_str(), nullptr, &hints, callback,
                         queryFor(lookup).release());
        channel.armTimeout();
    }

    static void onAddresses(void* argument, int status, int, ares_addrinfo* raw) noexcept
    {
        const std::unique_ptr<ares_addrinfo, HandleDeleter<ares_freeaddrinfo>> list{raw};
        if (const auto query = takeQuery(argument)) {
            query->self.readAddresses(query->lookup, status, list.get());
        }
    }

    static void addAddresses(std::vector<std::string>& addresses, const ares_addrinfo* list)
    {
        for (const auto* one = list == nullptr ? nullptr : list->nodes; one != nullptr;
             one = one->ai_next) {
            SocketName name;
            std::memcpy(&name.storage, one->ai_addr, one->ai_addrlen);
            addOnce(addresses, addressOf(name, Transport::Udp).host);
        }
    }

    void readAddresses(const LookupPtr& lookup, int status, const ares_addrinfo* list)
    {
        auto& target = lookup->targets[lookup->resolved];
        addAddresses(target.addresses, list);
        if (target.addresses.empty()) {
            lookup->failureReason =
                fmt::format("{} has no address: {}", target.host,
                            status == ARES_SUCCESS ? "none is known" : ares_strerror(status));
        }
        ++lookup->resolved;
        findAddresses(lookup);
    }

    void finishLookup(const LookupPtr& lookup)
    {
        std::erase_if(lookup->targets, [](const auto& one) { return one.addresses.empty(); });
        lookup->patience.cancel();
        lookup->isDone = true;
        lookup->expiresAt =
            steady_clock::now() + (lookup->targets.empty() ? kFailureCacheTime : kCacheTime);
        for (const auto& onResult : std::exchange(lookup->waiting, {})) {
            onResult(resultOf(*lookup));
        }
    }

    Result<std::vector<TransportAddress>> resultOf(const Lookup& lookup)
    {
        if (lookup.targets.empty()) {
            return failure(ErrorCode::Unavailable, "cannot look up {}: {}", lookup.hop.host,
                           lookup.failureReason);
        }
        std::vector<TransportAddress> addresses;
        for (const auto* target : inTrialOrder(lookup.targets)) {
            for (const auto& address : target->addresses) {
                addresses.push_back({target->transport, address, target->port});
            }
        }
        std::stable_partition(addresses.begin(), addresses.end(),
                              [&](const auto& one) { return !hasFailedLately(one); });
        return addresses;
    }

    /// Sorted by priority; within one priority drawn at random by weight (RFC 2782).
    std::vector<const Target*> inTrialOrder(const std::vector<Target>& targets)
    {
        std::map<std::pair<std::size_t, std::uint16_t>, std::vector<const Target*>> groups;
        for (const auto& one : targets) {
            groups[{one.serviceRank, one.priority}].push_back(&one);
        }
        std::vector<const Target*> trialOrder;
        for (auto& [rank, group] : groups) {
            while (!group.empty()) {
                std::uint32_t sum = 0;
                for (const auto* one : group) {
                    sum += one->weight;
                }
                auto lot = std::uniform_int_distribution<std::uint32_t>{0, sum}(random_);
                auto chosen = std::ranges::find_if(group, [&](const auto* one) {
                    const bool hit = lot <= one->weight;
                    lot -= hit ? 0U : one->weight;
                    return hit;
                });
                trialOrder.push_back(*chosen);
                group.erase(chosen);
            }
        }
        return trialOrder;
    }

    EventLoop& loop_;
    std::vector<std::string> nameServers_;
    NameServerFile file_;
    FileState channelFileState_;  ///< of file_ when channel_ was made
    steady_clock::time_point nextFileCheck_{};
    std::unique_ptr<Channel> channel_;                ///< for new queries
    std::vector<std::unique_ptr<Channel>> replaced_;  ///< old channels with pending queries
    Timer dropTimer_;
    std::unordered_map<std::string, LookupPtr> cache_;
    std::unordered_map<std::string, steady_clock::time_point> failedUntil_;
    std::mt19937 random_{std::random_device{}()};
};

Resolver::Resolver(EventLoop& loop,
                   const std::vector<std::string>& nameServers,
                   NameServerFile file)
    : impl_(std::make_unique<Impl>(loop, nameServers, std::move(file)))
{
}

Resolver::~Resolver() = default;

void Resolver::find(const NextHop& hop, bool withTls, ResultHandler onResult)
{
    impl_->find(hop, withTls, std::move(onResult));
}

void Resolver::recordFailure(const TransportAddress& address)
{
    impl_->recordFailure(address);
}

bool Resolver::hasFailedLately(const TransportAddress& address) const
{
    return impl_->hasFailedLately(address);
}

}  // namespace restante::sip
