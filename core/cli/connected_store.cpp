#include "core/cli/connected_store.h"

#include "core/assembly/redis_queue.h"
#include "core/base/try.h"
#include "core/cli/command.h"
#include "core/cold/hot_horizon.h"
#include "core/delivery/sms/sms_message.h"
#include "core/journal/cold/store_with_cold_jobs.h"
#include "core/journal/sql/sql_thread.h"
#include "core/redis/client/connection_settings.h"
#include "core/redis/server/server_check.h"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

namespace restante::cli {

namespace {

constexpr std::string_view kHiddenJobs =
    "this store has jobs that are due in a long while and are in its journal alone "
    "(queue.hot_horizon), and they cannot be read";

/// Whether the URL names a Unix socket that may exist but is not accessible to this user.
bool isOutOfReach(const redis::RedisUrl& url)
{
    return !url.socketPath.empty() && access(url.socketPath.c_str(), R_OK | W_OK) != 0 &&
           errno == EACCES;
}

std::string adviceFor(const Config& config, const redis::RedisUrl& url)
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

ConnectedStore::ConnectedStore(redis::RedisUrl url)
    : url_(std::move(url)),
      connection_(loop_, {.url = url_, .name = "restantectl"}),
      clock_(loop_, connection_)
{
}

ConnectedStore::~ConnectedStore() = default;

DelayQueue& ConnectedStore::queue() noexcept
{
    return storeWithColdJobs_ ? storeWithColdJobs_->queue() : *queue_;
}

JobStore& ConnectedStore::jobStore() noexcept
{
    return storeWithColdJobs_ ? storeWithColdJobs_->store() : static_cast<JobStore&>(*store_);
}

Result<std::unique_ptr<ConnectedStore>> ConnectedStore::open(const Config& config)
{
    auto url = TRY(redis::redisUrlOf(config));
    // Not make_unique: the constructor is private.
    std::unique_ptr<ConnectedStore> store(new ConnectedStore(std::move(url)));
    auto& connection = store->connection_;
    constexpr Millis kConnectTimeout{2'000};
    if (!store->loop_.runUntil(
            [&] { return connection.ready() || !connection.lastFailure().empty(); },
            kConnectTimeout) ||
        !connection.ready()) {
        return failure(ErrorCode::Unavailable, "cannot reach Redis: {}; {}",
                       connection.lastFailure(), adviceFor(config, store->url_));
    }
    // Durations such as "in an hour" count by the store's clock, not by this machine's.
    if (!store->loop_.runUntil([&] { return store->clock_.disciplined(); }, kConnectTimeout)) {
        return failure(ErrorCode::Unavailable, "Redis does not tell its time; is it overloaded?");
    }
    // The store itself knows how many shards it has; a store that nobody has used yet does not.
    auto shards = TRY(store->await<std::uint32_t>([&](auto done) {
        redis::readShardCount(connection, config.redis.prefix, std::move(done));
    }));
    store->isNew_ = shards == 0;
    store->build(config, shards > 0 ? shards : config.redis.shards);
    return store;
}

void ConnectedStore::build(const Config& config, std::uint32_t shards)
{
    config_ = config;
    shards_ = shards;
    const auto& prefix = config_.redis.prefix;
    redis::RedisJobStore::Settings storeSettings{.prefix = prefix, .shards = shards_};
    storeSettings.keepDone = config_.retention.done > Millis{0};
    if (config_.journal.mode == Config::JournalMode::Durable) {
        storeSettings.confirms = redis::Confirms::Everything;
        storeSettings.journal = redis::CommitWatch::make(
            loop_, connection_, redis::CommitWatch::Settings{url_, prefix, shards_});
    }
    store_.emplace(loop_, connection_, nullptr, clock_, std::move(storeSettings));
    inspector_.emplace(loop_, connection_, clock_,
                       redis::RedisJobInspector::Settings{prefix, shards_});
    activityReader_.emplace(loop_, connection_, clock_,
                            redis::StoreActivityReader::Settings{prefix, shards_});
    queue_.emplace(*store_, clock_, queueSettings());
}

DelayQueue::Settings ConnectedStore::queueSettings() const
{
    auto settings = redis::queueSettingsOf(config_);
    settings.shards = shards_;
    // Only the daemon's configuration, which may be another, says whether there is a gateway.
    settings.checkJob = [sms = config_.sms](const Job& job) {
        return job.channel == Channel::Sms ? sms::checkSmsJob(job, sms) : Result<void>{};
    };
    return settings;
}

void ConnectedStore::openColdJobs(const Options& options)
{
    auto horizon = await<std::optional<Millis>>([this](auto done) {
        cold::readHotHorizon(connection_, config_.redis.prefix, std::move(done));
    });
    if (horizon && !*horizon) {
        return;
    }
    hotHorizon_ = horizon.value_or(std::nullopt);
    const auto opened = horizon ? openStoreWithColdJobs(options) : tl::unexpected(horizon.error());
    if (!opened) {
        coldProblem_ = opened.error().message;
    }
}

Result<void> ConnectedStore::openStoreWithColdJobs(const Options& options)
{
    auto url = TRY(journalOf(*this, options));
    if (auto readable = checkJournal(url); !readable) {
        return failure(readable.error().code,
                       "the journal {}: {}; start that database or "
                       "restanted, or name the store's own journal with --config FILE or --set "
                       "journal.url=URL",
                       url.shown, readable.error().message);
    }
    storeWithColdJobs_ = std::make_unique<journal::StoreWithColdJobs>(
        journal::HotStore{loop_, clock_, *store_, store_->shards(), *inspector_}, std::move(url),
        *hotHorizon_, queueSettings());
    return {};
}

Result<void> ConnectedStore::checkJournal(const journal::JournalUrl& url)
{
    journal::SqlThread sql(url, journal::SqlJournal::Schema::Require);
    return await<void>([&](auto done) {
        journal::checkColdJournal(loop_, sql, connection_, config_.redis.prefix, std::move(done));
    });
}

JobInspector& ConnectedStore::inspector()
{
    warnOfHiddenJobs();
    return storeWithColdJobs_ ? storeWithColdJobs_->inspector()
                              : static_cast<JobInspector&>(*inspector_);
}

void ConnectedStore::warnOfHiddenJobs()
{
    if (!coldProblem_.empty() && !std::exchange(hasWarned_, true)) {
        fmt::print(stderr,
                   "restantectl: {}, so they are not shown, counted or changed, and how many "
                   "they are is not known: {}\n",
                   kHiddenJobs, coldProblem_);
    }
}

std::string ConnectedStore::takeColdProblem()
{
    hasWarned_ = true;
    return coldProblem_;
}

Result<void> ConnectedStore::checkComplete() const
{
    return coldProblem_.empty() ? Result<void>{}
                                : failure(ErrorCode::Unavailable, "{}: {}; nothing was done",
                                          kHiddenJobs, coldProblem_);
}

Result<void> ConnectedStore::prepare()
{
    return await<redis::ServerReport>([this](auto done) {
               redis::checkServer(connection_, {config_.redis.prefix, shards_}, std::move(done));
           })
        .map([](const redis::ServerReport&) {});
}

void ConnectedStore::warnIfNobodyDelivers(Channel channel) const
{
    if (channel == Channel::Sms && config_.sms.gateway == Config::SmsGateway::Off) {
        fmt::print(stderr, "restantectl: it is stored, but sms.gateway is off in the configuration "
                           "that was read; it waits for a restanted with a gateway\n");
    }
}

std::string ConnectedStore::actor()
{
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    const auto* user = getpwuid(getuid());
    return fmt::format("{}@{}", user == nullptr ? std::to_string(getuid()) : user->pw_name,
                       host.data());
}

std::vector<Result<void>>
ConnectedStore::awaitAll(std::size_t count,
                         const std::function<void(std::size_t, Done<void>)>& call)
{
    struct GatheredAnswers {
        std::vector<Result<void>> answers;
        std::size_t pending;
    };
    auto gathered = std::make_shared<GatheredAnswers>(GatheredAnswers{
        std::vector<Result<void>>(
            count, failure(ErrorCode::Unavailable, "no answer from Redis within 10 s")),
        count});
    for (std::size_t i = 0; i < count; ++i) {
        call(i, [gathered, i](Result<void> answer) {
            gathered->answers[i] = std::move(answer);
            --gathered->pending;
        });
    }
    loop_.runUntil([&] { return gathered->pending == 0; }, kTimeout);
    return gathered->answers;
}

}  // namespace restante::cli
