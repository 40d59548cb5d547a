#include "core/cli/session.h"

#include "core/assembly/redis_queue.h"
#include "core/delivery/sms/sms_order.h"
#include "core/redis/client/connection.h"
#include "core/redis/server/server_check.h"
#include "core/redis/store/disciplined_clock.h"
#include "core/redis/store/durable_job_store.h"
#include "core/redis/store/redis_job_inspector.h"
#include "core/redis/store/redis_job_store.h"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

namespace restante::cli {

namespace {

/// The Redis of a configuration: the one it names, or the embedded one's socket.
Result<redis::RedisUrl> urlOf(const Config& config)
{
    return redis::redisUrlOf(config);
}

redis::Connection::Settings connectionTo(redis::RedisUrl url)
{
    redis::Connection::Settings settings;
    settings.url = std::move(url);
    settings.name = "restantectl";
    return settings;
}

/// Whether the embedded Redis may be there, out of this user's reach.
bool isOutOfReach(const redis::RedisUrl& url)
{
    return !url.socketPath.empty() && access(url.socketPath.c_str(), R_OK | W_OK) != 0 &&
           errno == EACCES;
}

std::string whatToDo(const Config& config, const redis::RedisUrl& url)
{
    if (isOutOfReach(url)) {
        return "this user may not use it: run this as root or as the daemon's user (sudo -u "
               "restante restantectl ...)";
    }
    return config.redis.url.empty()
               ? fmt::format("is restanted running with the state directory {}? "
                             "(--config FILE or --redis URL names another)",
                             config.stateDirectory().string())
               : "check --redis, or redis.url in the configuration";
}

}  // namespace

struct Session::Parts {
    redis::RedisUrl url;
    Config config;
    std::uint32_t shards = 1;
    bool isNew = false;
    EpollLoop loop;
    redis::Connection connection;
    redis::DisciplinedClock clock;
    std::optional<redis::RedisJobStore> plain;
    std::optional<redis::DurableJobStore> durable;  ///< none in other modes
    std::optional<redis::RedisJobInspector> inspector;
    std::optional<redis::StoreActivityReader> watch;
    std::optional<DelayQueue> queue;
    bool hasSmsGateway = false;

    explicit Parts(redis::RedisUrl given)
        : url(std::move(given)),
          connection(loop, connectionTo(url)),
          clock(loop, connection)
    {
    }

    void build(const Config& given, std::uint32_t count)
    {
        config = given;
        shards = count;
        plain.emplace(
            loop, connection, nullptr, clock,
            redis::RedisJobStore::Settings{.prefix = config.redis.prefix, .shards = shards});
        if (config.journal.mode == Config::JournalMode::Durable) {
            durable.emplace(loop, *plain, connection,
                            redis::CommitWatch::Settings{url, config.redis.prefix, shards},
                            redis::DurableJobStore::Waits::Everything);
        }
        inspector.emplace(loop, connection, clock,
                          redis::RedisJobInspector::Settings{config.redis.prefix, shards});
        watch.emplace(loop, connection, clock,
                      redis::StoreActivityReader::Settings{config.redis.prefix, shards});
        DelayQueue::Settings settings;
        settings.shards = shards;
        settings.limits.body = config.limits.body;
        settings.attempts = config.limits.attempts;
        settings.sipRetry = config.sip.retry;
        // Whether there is a gateway only the daemon's configuration says, and it may be another.
        settings.accepts = [sms = config.sms](const Job& job) {
            return job.channel == Channel::Sms ? sms::checkText(job, sms) : Result<void>{};
        };
        hasSmsGateway = config.sms.gateway != Config::SmsGateway::Off;
        queue.emplace(store(), clock, settings);
    }

    JobStore& store() noexcept { return durable ? static_cast<JobStore&>(*durable) : *plain; }
};

Session::Session(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::open(const Config& config)
{
    auto url = urlOf(config);
    if (!url) {
        return tl::unexpected(url.error());
    }
    // Not make_unique: the constructor is private.
    std::unique_ptr<Session> session(new Session(std::make_unique<Parts>(std::move(*url))));
    auto& connection = session->parts_->connection;
    constexpr Millis kConnecting{2'000};
    if (!session->loop().runUntil(
            [&] { return connection.ready() || !connection.lastFailure().empty(); }, kConnecting) ||
        !connection.ready()) {
        return failure(ErrorCode::Unavailable,
                       fmt::format("cannot reach Redis: {}; {}", connection.lastFailure(),
                                   whatToDo(config, session->parts_->url)));
    }
    // "In an hour" is an hour of the store's clock, not of this machine's.
    if (!session->loop().runUntil([&] { return session->parts_->clock.disciplined(); },
                                  kConnecting)) {
        return failure(ErrorCode::Unavailable, "Redis does not tell its time; is it overloaded?");
    }
    // The store itself knows how many shards it has; a store that nobody has used yet does not.
    auto shards = session->await<std::uint32_t>(
        [&](auto done) { redis::readShards(connection, config.redis.prefix, std::move(done)); });
    if (!shards) {
        return tl::unexpected(shards.error());
    }
    session->parts_->isNew = *shards == 0;
    session->parts_->build(config, *shards > 0 ? *shards : config.redis.shards);
    return session;
}

Result<void> Session::claim()
{
    return await<redis::ServerReport>([this](auto done) {
               redis::checkServer(connection(), {config().redis.prefix, shards()}, std::move(done));
           })
        .map([](const redis::ServerReport&) {});
}

DelayQueue& Session::queue() noexcept
{
    return *parts_->queue;
}

JobStore& Session::store() noexcept
{
    return parts_->store();
}

JobInspector& Session::inspector() noexcept
{
    return *parts_->inspector;
}

void Session::warnIfNobodyDelivers(Channel channel) const
{
    if (channel == Channel::Sms && !parts_->hasSmsGateway) {
        fmt::print(stderr, "restantectl: it is stored, but sms.gateway is off in the configuration "
                           "that was read; it waits for a restanted with a gateway\n");
    }
}

redis::StoreActivityReader& Session::watch() noexcept
{
    return *parts_->watch;
}

redis::Connection& Session::connection() noexcept
{
    return parts_->connection;
}

TimePoint Session::now() const noexcept
{
    return parts_->clock.now();
}

const Clock& Session::clock() const noexcept
{
    return parts_->clock;
}

const Config& Session::config() const noexcept
{
    return parts_->config;
}

const redis::RedisUrl& Session::redis() const noexcept
{
    return parts_->url;
}

std::uint32_t Session::shards() const noexcept
{
    return parts_->shards;
}

bool Session::isNew() const noexcept
{
    return parts_->isNew;
}

EpollLoop& Session::loop() noexcept
{
    return parts_->loop;
}

std::string Session::actor()
{
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    const auto* user = getpwuid(getuid());
    return fmt::format("{}@{}", user == nullptr ? std::to_string(getuid()) : user->pw_name,
                       host.data());
}

std::vector<Result<void>>
Session::awaitAll(std::size_t count, const std::function<void(std::size_t, Done<void>)>& call)
{
    struct Gathered {
        std::vector<Result<void>> answers;
        std::size_t missing;
    };
    auto gathered = std::make_shared<Gathered>(
        Gathered{std::vector<Result<void>>(
                     count, failure(ErrorCode::Unavailable, "no answer from Redis within 10 s")),
                 count});
    for (std::size_t i = 0; i < count; ++i) {
        call(i, [gathered, i](Result<void> answer) {
            gathered->answers[i] = std::move(answer);
            --gathered->missing;
        });
    }
    loop().runUntil([&] { return gathered->missing == 0; }, kTimeout);
    return gathered->answers;
}

}  // namespace restante::cli
