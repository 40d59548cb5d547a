#include "sipplugin/daemon/daemon.h"

#include "core/base/async_task.h"
#include "core/base/await.h"
#include "core/base/host_and_pid.h"
#include "core/base/log.h"
#include "core/base/service_manager.h"
#include "core/base/try.h"
#include "core/cold/hot_horizon.h"
#include "core/journal/cold/sql_cold_jobs.h"
#include "core/journal/journal_service.h"
#include "core/journal/recovery/journal_lookup.h"
#include "core/redis/store/daemon_registry.h"
#include "sipplugin/daemon/core_part.h"
#include "sipplugin/daemon/courier_part.h"
#include "sipplugin/daemon/http_part.h"
#include "sipplugin/daemon/process_limits.h"
#include "sipplugin/daemon/signal_watch.h"
#include "sipplugin/daemon/sip_part.h"
#include "sipplugin/message/loop_detector.h"
#include "sipplugin/plugin.h"
#include "sipplugin/settings/sip_settings.h"

#include <algorithm>
#include <csignal>
#include <fmt/ranges.h>

namespace restante::daemon {

namespace {

/// Longer than most devices take to answer, short enough for an operator who waits.
constexpr Millis kDrainTimeout{5'000};
/// For one call to a Redis that is there.
constexpr Millis kStoreTimeout{5'000};
/// A bound on recovery, which takes about a minute for a million jobs.
constexpr Millis kLongestRecovery{std::chrono::hours{12}};

/// Called before SIP starts, which limits its connections to the allowed descriptors.
void raiseDescriptorLimitForSip(const Config& config)
{
    constexpr rlim_t kDescriptorsForOthers = 1'024;
    // A connection takes one descriptor; three for TLS leave a reserve.
    const auto& listen = config.sip.listen;
    const bool tls =
        std::any_of(listen.begin(), listen.end(), [](const SipListen& at) { return at.tls; });
    const auto wanted = rlim_t{config.sip.limits.connections} * (tls ? 3 : 1) +
                        config.http.limits.connections + kDescriptorsForOthers;
    raiseDescriptorLimit(wanted);
}

}  // namespace

/// In the order of construction; each borrows from those above.
struct Daemon::Parts {
    Config config;
    ConfigSources sources;
    std::unique_ptr<RedisHost> redis;
    sip::SuLoop loop;
    ServiceManager manager{loop};
    std::unique_ptr<CorePart> core;
    std::optional<EmbeddedRedisSupervisor> redisSupervisor;
    std::optional<redis::DaemonHeartbeat> heartbeat;
    /// Runs on threads of its own; nothing when journal.mode is off.
    std::optional<journal::JournalService> journal;
    std::optional<journal::JournalUrl> coldJobsUrl;  ///< nothing = no job is cold
    std::string shownJournal;  ///< "sqlite:/var/lib/restante/journal.db", without a password
    std::unique_ptr<sip::DigestBackend> digestBackend;  ///< null without sip.auth
    std::unique_ptr<sip::PluginGroup> sipThreads;       ///< null when sip.threads is 1
    std::unique_ptr<sip::Plugin> plugin;                ///< null when sip.listen is empty
    std::vector<std::unique_ptr<SipPart>> sipParts;     ///< the other plugins of sip.threads
    std::unique_ptr<CourierPart> couriers;
    std::unique_ptr<HttpPart> http;  ///< null when http.listen is off
    std::optional<SignalWatch> signals;
    bool running = false;  ///< run() has begun: the start is over
    bool stopping = false;

    Parts(Config startConfig, ConfigSources configSources)
        : config(std::move(startConfig)),
          sources(std::move(configSources))
    {
    }
    /// Ends the embedded Redis too: only a crash leaves it running.
    ~Parts();

    /// The duties so far that this loop's heartbeat tells of: the journal's, too, though it has
    /// threads of its own.
    std::vector<std::string> duties() const;
    Result<void> openRedis();
    Result<void> openJournal();
    bool mayHaveColdJobs(const journal::JournalUrl& url);
    void noteHorizon();
    Result<void> sweepAfterCrash();
    Result<void> openSip();
    Result<void> openCouriers();
    Result<void> openHttp();
    void handleSignal(int signal);
    void stop();
    void reload();
    // False after a failure, which is logged and changes nothing.
    bool reloadHttp(const Config& newConfig);
    bool reloadWebhooks(const Config& newConfig);
    bool reloadLogins(const Config& newConfig);
    bool reloadSip(const Config& newConfig);
    bool adopt(Config wanted, const char* part, const Result<void>& reloaded);
};

std::vector<std::string> Daemon::Parts::duties() const
{
    std::vector<std::string> duties{"upkeep"};
    if (journal) {
        duties.insert(duties.begin(), "journal");
    }
    if (plugin) {
        duties.insert(duties.begin(), "sip");
    }
    return duties;
}

Result<void> Daemon::Parts::openRedis()
{
    redis = TRY(RedisHost::open(config));
    core = TRY(CorePart::open(loop, redis->url(), config));
    auto* embedded = redis->embedded();
    if (embedded != nullptr) {
        redisSupervisor.emplace(loop, *embedded);
    }
    core->redis.connection().onReady([this](bool ready) {
        if (redisSupervisor) {
            redisSupervisor->handleConnectionChange(ready);
        }
        // Redis may have been restarted from an incomplete file after a crash.
        if (ready && core) {
            core->sweep->sweepNow();
        }
    });
    heartbeat.emplace(loop, core->redis.connection(), core->redis.clock(),
                      heartbeatSettingsOf(config, "main", duties()));
    return {};
}

/// Recovers the jobs of a lost Redis, running the loop meanwhile. Returns early on a signal to
/// stop.
Result<void> Daemon::Parts::openJournal()
{
    if (config.journal.mode == Config::JournalMode::Off) {
        journal::releaseOutbox(loop, core->redis.connection(), core->redis.clock(), config);
        return {};
    }
    auto url = TRY(journal::journalUrlOf(config));
    shownJournal = url.shown;
    if (mayHaveColdJobs(url)) {
        coldJobsUrl = url;
    }
    const bool isSoleOwner = redis->embedded() != nullptr;
    journal.emplace(journal::JournalService::Settings{
        .redis = redis->url(),
        .config = config,
        .journal = url,
        .owner = isSoleOwner ? "the-only-daemon" : hostAndPid(),
        .movesColdJobs = coldJobsUrl.has_value(),
        .recoverLost = config.journal.recover == Config::Recover::Auto});
    heartbeat->setDuties(duties());
    // Shared with the callback, which may come after this function has returned.
    const auto answer = std::make_shared<std::optional<Result<void>>>();
    journal->open(loop, [answer](Result<void> result) { *answer = std::move(result); });
    loop.runUntil([&] { return answer->has_value() || stopping; }, kLongestRecovery);
    if (*answer && !**answer) {
        return **answer;
    }
    core->sweep->setJournalLookup(journal::makeJournalLookup(loop, std::move(url)));
    if (stopping) {
        return {};
    }
    noteHorizon();
    return core->awaitServing(loop);
}

/// Also when the horizon is off, because jobs that became cold before come back.
bool Daemon::Parts::mayHaveColdJobs(const journal::JournalUrl& url)
{
    if (config.queue.hotHorizon > Millis{0}) {
        return true;
    }
    const auto answer = journal::hasColdJobs(url);  // old tables have none
    if (answer) {
        return *answer;
    }
    const auto notedHorizon = await<std::optional<Millis>>(loop, kStoreTimeout, [this](auto done) {
        cold::readHotHorizon(core->redis.connection(), config.redis.prefix, std::move(done));
    });
    if (notedHorizon && !*notedHorizon) {
        return false;
    }
    log::warning(
        "journal",
        "cannot ask whether there are cold jobs, so what Redis does not have is looked for "
        "there: {}",
        answer.error().message);
    return true;
}

/// At the start, so that other programs know it at once; ColdMover repeats it.
void Daemon::Parts::noteHorizon()
{
    const auto horizon = coldJobsUrl ? std::optional(config.queue.hotHorizon) : std::nullopt;
    const auto written = await<void>(loop, kStoreTimeout, [this, horizon](auto done) {
        cold::writeHotHorizon(core->redis.connection(), config.redis.prefix, horizon,
                              std::move(done));
    });
    if (!written) {
        log::warning(
            "journal",
            "cannot note in Redis whether there are cold jobs, so that restantectl and the "
            "console may not show them yet: {}",
            written.error().message);
    }
}

/// After the journal, which knows where lost jobs were; the store is served meanwhile.
Result<void> Daemon::Parts::sweepAfterCrash()
{
    if (redis->embedded() != nullptr && redis->embedded()->mayHoldUnfinishedTransactions()) {
        core->sweep->sweepNow();
    }
    return {};
}

Result<void> Daemon::Parts::openSip()
{
    if (config.sip.listen.empty()) {
        return {};
    }
    sip::warnOfTrustInEverybody(config);
    raiseDescriptorLimitForSip(config);
    digestBackend =
        TRY(openDigestBackend(loop, core->redis.clock(), core->redis.connection(), config));
    if (config.sip.threads > 1) {
        sipThreads = std::make_unique<sip::PluginGroup>(config.sip.threads);
    }
    const bool isSoleOwner = redis->embedded() != nullptr;
    // Read before a socket is bound: the first message may be another store's delivery.
    const auto storeId = sip::readStoreId(loop, core->redis.connection(), config.redis.prefix);
    plugin = TRY(sip::Plugin::start(
        {loop, core->redis.queue(), core->due, core->redis.inspector(), core->redis.connection(),
         core->redis.shards(), redis->url(), config.redis.prefix, digestBackend.get(),
         [this] { return core->redis.serving().has_value(); }, sipThreads.get()},
        {.sip = sip::settingsOf(config, core->redis.memoryLimit()),
         .soleOwner = isSoleOwner,
         .storeId = storeId}));
    heartbeat->setDuties(duties());
    for (std::size_t number = 1; number < config.sip.threads; ++number) {
        sipParts.push_back(
            TRY(SipPart::start(redis->url(), config, {*sipThreads, number, isSoleOwner, storeId})));
    }
    return {};
}

Result<void> Daemon::Parts::openCouriers()
{
    return CourierPart::start(redis->url(), config).map([this](auto started) {
        couriers = std::move(started);
    });
}

Result<void> Daemon::Parts::openHttp()
{
    if (!config.http.listen) {
        return {};
    }
    return HttpPart::open(redis->url(), config,
                          journal ? JournalAccess{&*journal, &*journal, coldJobsUrl}
                                  : JournalAccess{})
        .map([this](auto opened) { http = std::move(opened); });
}

void Daemon::Parts::handleSignal(int signal)
{
    if (!running) {
        stopping = stopping || signal != SIGHUP;  // start() or run() sees it
    } else if (signal == SIGHUP) {
        reload();
    } else if (stopping) {
        log::warning("daemon", "asked again to stop: now");
        loop.stop();
    } else {
        stop();
    }
}

void Daemon::Parts::stop()
{
    stopping = true;
    manager.notifyStopping();
    log::info("daemon", "stopping");
    heartbeat->drain();
    // All drain at the same time; the loop ends when the last has finished.
    const auto drained = countDown(3 + sipParts.size(), [this] { loop.stop(); });
    for (const auto& part : sipParts) {
        part->drain(kDrainTimeout, [this, drained] { loop.post(drained); });
    }
    couriers->drain(kDrainTimeout, [this, drained] { loop.post(drained); });
    if (http) {
        http->drain(kDrainTimeout, [this, drained] { loop.post(drained); });
    } else {
        drained();
    }
    if (plugin) {
        plugin->drain(kDrainTimeout, drained);
    } else {
        drained();
    }
}

void Daemon::Parts::reload()
{
    const auto newConfig = readConfig(sources);
    if (!newConfig) {
        for (const auto& problem : newConfig.error()) {
            log::error("config", "not reloaded: {}", problem.toString());
        }
        return;
    }
    std::vector<std::string_view> applied;
    std::vector<std::string_view> needingRestart;
    for (const auto* key : changedKeys(config, *newConfig)) {
        (key->reloadable ? applied : needingRestart).push_back(key->name);
    }
    config.log = newConfig->log;
    config.retention.trash = newConfig->retention.trash;
    const auto leaveOut = [&applied](std::initializer_list<std::string_view> prefixes) {
        std::erase_if(applied, [&](auto name) {
            return std::ranges::any_of(prefixes,
                                       [&](auto prefix) { return name.starts_with(prefix); });
        });
    };
    if (!reloadHttp(*newConfig)) {
        leaveOut({"http."});
    }
    if (!reloadWebhooks(*newConfig)) {
        leaveOut({"webhook."});
    }
    if (!reloadLogins(*newConfig)) {
        leaveOut({"sip.auth."});
    }
    if (!reloadSip(*newConfig)) {
        leaveOut({"sip.tls.", "sip.trace", "sip.users"});
    }
    for (const auto& part : sipParts) {
        part->reload(config);
    }
    log::setLevel(config.log.level);
    log::setFormat(config.log.format);
    core->retention.updateSettings({config.retention.trash, config.retention.done});
    log::info("config", "reloaded: {}",
              applied.empty() ? "nothing to do" : fmt::format("{}", fmt::join(applied, ", ")));
    if (!needingRestart.empty()) {
        log::warning("config", "changed, but needs a restart: {}", fmt::join(needingRestart, ", "));
    }
}

bool Daemon::Parts::reloadHttp(const Config& newConfig)
{
    if (!http) {
        return true;
    }
    auto wanted = config;
    wanted.http.tokenFile = newConfig.http.tokenFile;
    wanted.http.tls = newConfig.http.tls;
    // Always, because files with unchanged names may have new content.
    return adopt(wanted, "http", http->reload(wanted));
}

bool Daemon::Parts::reloadWebhooks(const Config& newConfig)
{
    auto wanted = config;
    wanted.webhook.secretFile = newConfig.webhook.secretFile;
    return adopt(wanted, "delivery", couriers->reload(wanted));
}

bool Daemon::Parts::reloadLogins(const Config& newConfig)
{
    if (!digestBackend) {
        if (plugin && !newConfig.sip.auth.users.empty()) {
            log::warning("sip", "sip.auth.users is set now, which needs a restart");
            return false;
        }
        return true;
    }
    auto wanted = config;
    wanted.sip.auth.users = newConfig.sip.auth.users;
    return adopt(wanted, "sip", digestBackend->reload(newConfig));
}

bool Daemon::Parts::reloadSip(const Config& newConfig)
{
    if (!plugin) {
        return true;
    }
    auto wanted = config;
    wanted.sip.tls = newConfig.sip.tls;
    wanted.sip.trace = newConfig.sip.trace;
    wanted.sip.users = newConfig.sip.users;
    return adopt(wanted, "sip", plugin->reload(sip::settingsOf(wanted, core->redis.memoryLimit())));
}

/// Makes `wanted` the current configuration if the part has been reloaded.
bool Daemon::Parts::adopt(Config wanted, const char* part, const Result<void>& reloaded)
{
    if (!reloaded) {
        log::error(part, "not reloaded: {}", reloaded.error().message);
        return false;
    }
    config = std::move(wanted);
    return true;
}

Daemon::Parts::~Parts()
{
    signals.reset();
    http.reset();
    couriers.reset();
    sipParts.clear();
    plugin.reset();
    redisSupervisor.reset();
    if (heartbeat && core->redis.connection().ready()) {
        std::ignore = await<void>(loop, kLastAnswersTimeout,
                                  [this](auto done) { heartbeat->leave(std::move(done)); });
    }
    if (core) {
        core->due.stop();
        // Pending Redis commands refer to parts that are about to be destroyed.
        loop.runUntil([this] { return core->redis.connection().inFlight() == 0; },
                      kLastAnswersTimeout);
    }
    heartbeat.reset();
    journal.reset();  // gives its shards up while Redis is there
    core.reset();
    if (redis && redis->embedded() != nullptr) {
        redis->embedded()->stop();
    }
}

Daemon::Daemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Daemon::~Daemon() = default;

Result<std::unique_ptr<Daemon>> Daemon::start(Config config, ConfigSources sources)
{
    auto parts = std::make_unique<Parts>(std::move(config), std::move(sources));
    // Before anything that can hang, so that the daemon can be stopped at any time.
    parts->signals.emplace(parts->loop, std::initializer_list<int>{SIGTERM, SIGINT, SIGHUP},
                           [raw = parts.get()](int signal) { raw->handleSignal(signal); });
    for (const auto step : {&Parts::openRedis, &Parts::openJournal, &Parts::sweepAfterCrash,
                            &Parts::openSip, &Parts::openCouriers, &Parts::openHttp}) {
        const auto opened = ((*parts).*step)();
        if (parts->stopping) {
            break;
        }
        if (!opened) {
            return tl::unexpected(opened.error());
        }
    }
    // Not make_unique: the constructor is private.
    return std::unique_ptr<Daemon>(new Daemon(std::move(parts)));
}

bool Daemon::isStopping() const noexcept
{
    return parts_->stopping;
}

std::string Daemon::readyLine() const
{
    const auto sip = parts_->plugin ? fmt::format("{}", fmt::join(parts_->plugin->addresses(), ","))
                                    : std::string{"off"};
    const auto http = parts_->http ? parts_->http->address().toString() : std::string{"off"};
    return fmt::format("ready sip={} http={} redis={} journal={}", sip, http,
                       parts_->redis->url().toString(),
                       parts_->journal ? parts_->shownJournal : "off");
}

void Daemon::run()
{
    if (!parts_->stopping) {
        parts_->running = true;
        parts_->manager.notifyReady(readyLine());
        parts_->loop.run();
    }
}

}  // namespace restante::daemon
