#include "sipplugin/transport/resolver.h"

#include "core/base/handle_deleter.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/base/try.h"
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

/// As many targets of SRV as are worth trying while somebody waits.
constexpr std::size_t kMostTargets = 8;
constexpr std::size_t kMostKept = 1'000;
constexpr Millis kKeep{30'000};
constexpr Millis kKeepFailure{2'000};
/// For which a server that did not answer comes after the others.
constexpr Millis kFailureRemembered{60'000};
constexpr int kTimeoutMillis = 2'000;
constexpr int kTries = 2;

/// The library counts its users without a lock, and several threads have a resolver.
std::mutex& libraryMutex()
{
    static std::mutex mutex;
    return mutex;
}

/// How soon a change of the machine's name servers is noticed: as often as the file is looked at.
constexpr Millis kLookAtFile{2'000};

std::uint16_t usualPort(Transport transport)
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
    std::size_t service = 0;  ///< the rank of the NAPTR record that led to it
    std::uint16_t priority = 0;
    std::uint16_t weight = 0;
    std::string host;
    std::uint16_t port = 0;
    std::vector<std::string> addresses;
};

/// No server, or none that answers: asking for other records would be as idle.
bool noServerAnswers(int status)
{
    return status == ARES_ETIMEOUT || status == ARES_ECONNREFUSED || status == ARES_EFILE;
}

/// Newer c-ares know localhost by themselves, and tell it beside what /etc/hosts says.
void addOnce(std::vector<std::string>& all, std::string address)
{
    if (std::ranges::find(all, address) == all.end()) {
        all.push_back(std::move(address));
    }
}

template <class Record>
using Records = std::unique_ptr<Record, decltype(&ares_free_data)>;

/// Which file it is, and which of its versions. *Value.*
struct FileState {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;

    friend bool operator==(const FileState&, const FileState&) = default;
};

/// That of no file when it cannot be read.
FileState stateOf(const std::string& file)
{
    struct stat now {};
    if (::stat(file.c_str(), &now) != 0) {
        return {};
    }
    return {now.st_dev, now.st_ino, now.st_size, now.st_mtim.tv_sec, now.st_mtim.tv_nsec};
}

/// A channel of c-ares on the loop, with the name servers that there were when it was made.
class Channel {
public:
    explicit Channel(EventLoop& loop) : loop_(loop), timeout_(loop) {}
    /// Queries end before it returns: see closing(). Not from inside an answer.
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
    bool closing() const noexcept { return closing_; }
    void begun() { ++queries_; }
    void ended() { --queries_; }
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
          drop_(loop)
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

    void find(const NextHop& hop, bool withTls, Found found)
    {
        if (hop.isAddress()) {
            const auto transport = hop.transport.value_or(Transport::Udp);
            const auto port = hop.port == 0 ? usualPort(transport) : hop.port;
            return found(std::vector<ListenAddress>{{transport, hop.host, port}});
        }
        const auto key =
            fmt::format("{} {} {} {}", hop.host, hop.port,
                        hop.transport ? name(*hop.transport) : "any", withTls ? "tls" : "");
        const auto now = steady_clock::now();
        followFile(now);
        if (const auto kept = known_.find(key); kept != known_.end()) {
            auto& entry = *kept->second;
            if (!entry.done) {
                entry.waiting.push_back(std::move(found));
                return;
            }
            if (now < entry.until) {
                return found(resultOf(entry));
            }
            known_.erase(kept);
        }
        if (known_.size() >= kMostKept) {
            std::erase_if(known_, [](const auto& one) { return one.second->done; });
        }
        auto entry = std::make_shared<Entry>();
        entry->hop = hop;
        entry->withTls = withTls;
        entry->waiting.push_back(std::move(found));
        known_[key] = entry;
        begin(entry);
    }

    void noteFailed(const ListenAddress& address)
    {
        const auto now = steady_clock::now();
        std::erase_if(failed_, [&](const auto& one) { return one.second < now; });
        failed_[address.print()] = now + kFailureRemembered;
    }
    bool hasFailedLately(const ListenAddress& address) const
    {
        const auto found = failed_.find(address.print());
        return found != failed_.end() && found->second >= steady_clock::now();
    }

private:
    struct Entry {
        NextHop hop;
        bool withTls = false;
        std::vector<Found> waiting;
        bool done = false;
        steady_clock::time_point until{};
        std::vector<std::pair<Transport, std::string>> services;  ///< SRV names still to be asked
        bool named = false;           ///< NAPTR has named them, so that each counts
        std::vector<Target> targets;  ///< those before `resolved` have their addresses
        std::size_t resolved = 0;
        std::string why = "no such name";
    };
    using EntryPtr = std::shared_ptr<Entry>;
    /// Rides through c-ares as its argument.
    struct Query {
        Impl& self;
        EntryPtr entry;
        Channel& channel;  ///< outlives it
    };
    using QueryPtr = std::unique_ptr<Query>;

    bool openChannel()
    {
        if (channel_ == nullptr) {
            seen_ = stateOf(file_.path);
            auto channel = std::make_unique<Channel>(loop_);
            if (!channel->open(nameServers_, file_)) {
                return false;
            }
            channel_ = std::move(channel);
        }
        return true;
    }

    /// The machine may have other name servers by now: then there is a new channel, and what the
    /// old ones have said is forgotten. c-ares before 1.22 cannot read the file again.
    void followFile(steady_clock::time_point now)
    {
        if (channel_ == nullptr || !nameServers_.empty() || now < nextLook_) {
            return;
        }
        nextLook_ = now + kLookAtFile;
        if (stateOf(file_.path) == seen_) {
            return;
        }
        log::info("sip", "{} has changed; names are looked up as it says now", file_.path);
        replaced_.push_back(std::move(channel_));
        dropReplaced();
        std::erase_if(known_, [](const auto& one) { return one.second->done; });
    }

    /// Later, as this may be an answer of one of them.
    void dropReplaced()
    {
        drop_.arm(kLookAtFile, [this] {
            std::erase_if(replaced_, [](const auto& channel) { return channel->isIdle(); });
            if (!replaced_.empty()) {
                dropReplaced();
            }
        });
    }

    QueryPtr queryFor(const EntryPtr& entry)
    {
        channel_->begun();
        return std::make_unique<Query>(Query{*this, entry, *channel_});
    }

    /// Of an answer: its query, which is under way no more; null when the channel is being closed.
    static QueryPtr taken(void* argument)
    {
        QueryPtr query{static_cast<Query*>(argument)};
        query->channel.ended();
        return query->channel.closing() ? nullptr : std::move(query);
    }

    void begin(const EntryPtr& entry)
    {
        const auto& hop = entry->hop;
        if (!openChannel()) {
            entry->why = "the resolver cannot be started";
            return settle(entry);
        }
        auto addresses = inHostsFile(hop.host);
        if (hop.port != 0 || !addresses.empty()) {
            return findItself(entry, std::move(addresses));
        }
        if (hop.transport) {
            entry->services.emplace_back(*hop.transport, serviceOf(*hop.transport, hop.host));
            return findServices(entry);
        }
        ask(entry, hop.host, ns_t_naptr, &Impl::onAnswer<&Impl::readNaptr>);
    }

    /// The file is short and near: that does not block.
    std::vector<std::string> inHostsFile(const std::string& host)
    {
        std::vector<std::string> all;
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
                addOnce(all, text.data());
            }
        }
        return all;
    }

    using Callback = void (*)(void*, int, int, unsigned char*, int);
    void ask(const EntryPtr& entry, const std::string& domain, int type, Callback callback)
    {
        if (!openChannel()) {
            entry->why = "the resolver cannot be started";
            return settle(entry);
        }
        auto& channel = *channel_;
        ares_query(channel.handle(), domain.c_str(), ns_c_in, type, callback,
                   queryFor(entry).release());
        channel.armTimeout();
    }

    template <void (Impl::*Read)(const EntryPtr&, int, const unsigned char*, int)>
    static void onAnswer(void* argument, int status, int, unsigned char* bytes, int size) noexcept
    {
        if (const auto query = taken(argument)) {
            (query->self.*Read)(query->entry, status, bytes, size);
        }
    }

    void readNaptr(const EntryPtr& entry, int status, const unsigned char* bytes, int size)
    {
        if (noServerAnswers(status)) {
            entry->why = ares_strerror(status);
            return findItself(entry);
        }
        ares_naptr_reply* raw = nullptr;
        if (status == ARES_SUCCESS) {
            ares_parse_naptr_reply(bytes, size, &raw);
        }
        const Records<ares_naptr_reply> records{raw, &ares_free_data};
        std::vector<const ares_naptr_reply*> sorted;
        for (const auto* one = raw; one != nullptr; one = one->next) {
            const auto transport = transportOf(*one);
            const bool spoken = transport && (*transport != Transport::Tls || entry->withTls);
            if (spoken && equalIgnoringCase(reinterpret_cast<const char*>(one->flags), "s")) {
                sorted.push_back(one);
            }
        }
        std::ranges::stable_sort(sorted, {}, [](const auto* one) {
            return std::tuple{one->order, one->preference};
        });
        for (const auto* one : sorted) {
            entry->services.emplace_back(*transportOf(*one), one->replacement);
        }
        entry->named = !sorted.empty();
        if (!entry->named) {
            for (const auto transport : {Transport::Udp, Transport::Tcp}) {
                entry->services.emplace_back(transport, serviceOf(transport, entry->hop.host));
            }
        }
        findServices(entry);
    }

    /// One after the other.
    void findServices(const EntryPtr& entry)
    {
        const bool enough =
            !entry->targets.empty() && (!entry->named || entry->targets.size() >= kMostTargets);
        if (entry->services.empty() || enough) {
            return entry->targets.empty() ? findItself(entry) : findAddresses(entry);
        }
        ask(entry, entry->services.front().second, ns_t_srv, &Impl::onAnswer<&Impl::readService>);
    }

    void readService(const EntryPtr& entry, int status, const unsigned char* bytes, int size)
    {
        if (noServerAnswers(status)) {
            entry->why = ares_strerror(status);
            return entry->targets.empty() ? findItself(entry) : findAddresses(entry);
        }
        const auto transport = entry->services.front().first;
        entry->services.erase(entry->services.begin());
        ares_srv_reply* raw = nullptr;
        if (status == ARES_SUCCESS) {
            ares_parse_srv_reply(bytes, size, &raw);
        }
        const Records<ares_srv_reply> records{raw, &ares_free_data};
        const auto rank = entry->services.size();
        std::vector<const ares_srv_reply*> best;
        for (const auto* one = raw; one != nullptr; one = one->next) {
            best.push_back(one);
        }
        // Of too many those stay that are to be tried first.
        std::ranges::stable_sort(best, {}, &ares_srv_reply::priority);
        for (const auto* one : best) {
            // "." says that there is no such service (RFC 2782).
            if (*one->host != '\0' && std::string_view{one->host} != "." &&
                entry->targets.size() < kMostTargets) {
                entry->targets.push_back({transport,
                                          kMostKept - rank,
                                          one->priority,
                                          one->weight,
                                          one->host,
                                          one->port,
                                          {}});
            }
        }
        findServices(entry);
    }

    void findItself(const EntryPtr& entry, std::vector<std::string> addresses = {})
    {
        const auto& hop = entry->hop;
        const auto transport = hop.transport.value_or(Transport::Udp);
        const auto port = hop.port == 0 ? usualPort(transport) : hop.port;
        entry->targets.push_back({transport, 0, 0, 0, hop.host, port, std::move(addresses)});
        findAddresses(entry);
    }

    /// One target after the other.
    void findAddresses(const EntryPtr& entry)
    {
        while (entry->resolved < entry->targets.size()) {
            auto& target = entry->targets[entry->resolved];
            if (target.addresses.empty() && isAddressLiteral(target.host)) {
                target.addresses = {target.host};
            }
            if (target.addresses.empty()) {
                ares_addrinfo_hints hints{};
                hints.ai_family = AF_UNSPEC;
                hints.ai_socktype = SOCK_STREAM;  // else each address comes for each type
                if (!openChannel()) {
                    ++entry->resolved;
                    continue;
                }
                auto& channel = *channel_;
                ares_getaddrinfo(channel.handle(), target.host.c_str(), nullptr, &hints,
                                 &Impl::onAddresses, queryFor(entry).release());
                return channel.armTimeout();
            }
            ++entry->resolved;
        }
        settle(entry);
    }

    static void onAddresses(void* argument, int status, int, ares_addrinfo* raw) noexcept
    {
        const std::unique_ptr<ares_addrinfo, HandleDeleter<ares_freeaddrinfo>> list{raw};
        if (const auto query = taken(argument)) {
            query->self.readAddresses(query->entry, status, list.get());
        }
    }

    void readAddresses(const EntryPtr& entry, int status, const ares_addrinfo* list)
    {
        auto& target = entry->targets[entry->resolved];
        for (const auto* one = list == nullptr ? nullptr : list->nodes; one != nullptr;
             one = one->ai_next) {
            SocketName name;
            std::memcpy(&name.storage, one->ai_addr, one->ai_addrlen);
            addOnce(target.addresses, addressOf(name, target.transport).host);
        }
        if (target.addresses.empty()) {
            entry->why =
                fmt::format("{} has no address: {}", target.host,
                            status == ARES_SUCCESS ? "none is known" : ares_strerror(status));
        }
        ++entry->resolved;
        findAddresses(entry);
    }

    void settle(const EntryPtr& entry)
    {
        std::erase_if(entry->targets, [](const auto& one) { return one.addresses.empty(); });
        entry->done = true;
        entry->until = steady_clock::now() + (entry->targets.empty() ? kKeepFailure : kKeep);
        for (const auto& found : std::exchange(entry->waiting, {})) {
            found(resultOf(*entry));
        }
    }

    Result<std::vector<ListenAddress>> resultOf(const Entry& entry)
    {
        if (entry.targets.empty()) {
            return failure(ErrorCode::Unavailable, "cannot look up {}: {}", entry.hop.host,
                           entry.why);
        }
        std::vector<ListenAddress> all;
        for (const auto* target : ordered(entry.targets)) {
            for (const auto& address : target->addresses) {
                all.push_back({target->transport, address, target->port});
            }
        }
        std::stable_partition(all.begin(), all.end(),
                              [&](const auto& one) { return !hasFailedLately(one); });
        return all;
    }

    /// By priority, and of the same priority each as often the first as its weight says (RFC 2782).
    std::vector<const Target*> ordered(const std::vector<Target>& targets)
    {
        std::map<std::pair<std::size_t, std::uint16_t>, std::vector<const Target*>> groups;
        for (const auto& one : targets) {
            groups[{one.service, one.priority}].push_back(&one);
        }
        std::vector<const Target*> all;
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
                all.push_back(*chosen);
                group.erase(chosen);
            }
        }
        return all;
    }

    EventLoop& loop_;
    std::vector<std::string> nameServers_;
    NameServerFile file_;
    FileState seen_;  ///< when channel_ was made
    steady_clock::time_point nextLook_{};
    std::unique_ptr<Channel> channel_;                ///< for what is asked from now on
    std::vector<std::unique_ptr<Channel>> replaced_;  ///< whose queries may be under way
    Timer drop_;
    std::unordered_map<std::string, EntryPtr> known_;
    std::unordered_map<std::string, steady_clock::time_point> failed_;
    std::mt19937 random_{std::random_device{}()};
};

Resolver::Resolver(EventLoop& loop,
                   const std::vector<std::string>& nameServers,
                   NameServerFile file)
    : impl_(std::make_unique<Impl>(loop, nameServers, std::move(file)))
{
}

Resolver::~Resolver() = default;

void Resolver::find(const NextHop& hop, bool withTls, Found found)
{
    impl_->find(hop, withTls, std::move(found));
}

void Resolver::noteFailed(const ListenAddress& address)
{
    impl_->noteFailed(address);
}

bool Resolver::hasFailedLately(const ListenAddress& address) const
{
    return impl_->hasFailedLately(address);
}

}  // namespace restante::sip
