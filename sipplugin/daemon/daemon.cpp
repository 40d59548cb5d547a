#include "sipplugin/daemon/daemon.h"

#include "core/base/async_task.h"
#include "core/base/await.h"
#include "core/base/log.h"
#include "core/base/process_name.h"
#include "core/base/service_manager.h"
#include "core/base/try.h"
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
#include "sipplugin/plugin.h"
#include "sipplugin/settings/sip_settings.h"

#include <algorithm>
#include <csignal>
#include <fmt/ranges.h>

namespace restante::daemon {

namespace {

/// Longer than most devices take to answer, short enough for whoever stops the daemon.
constexpr Millis kDrainTimeout{5'000};
/// Recovery takes as long as it takes, a minute for a million jobs; this is only not for ever.
constexpr Millis kLongestRecovery{std::chrono::hours{12}};

/// For connections, before SIP starts, which serves no more than it may open.
void allowDescriptors(const Config& config)
{
    constexpr rlim_t kOthers = 1'024;
    // A connection takes one descriptor; with TLS three are asked for, which leaves room to spare.
    const auto& listen = config.sip.listen;
    const bool tls =
        std::any_of(listen.begin(), listen.end(), [](const SipListen& at) { return at.tls; });
    const auto wanted = rlim_t{config.sip.limits.connections} * (tls ? 3 : 1) +
                        config.http.limits.connections + kOthers;
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
    /// On threads of its own; nothing when journal.mode is off.
    std::optional<journal::JournalService> journal;
    std::optional<journal::JournalUrl> coldJobs;  ///< where they are; none = no job is cold
    std::string shownJournal;  ///< "sqlite:/var/lib/restante/journal.db", without a password
    std::unique_ptr<sip::DigestBackend> digestBackend;  ///< null without sip.auth
    std::unique_ptr<sip::PluginGroup> sipThreads;       ///< null when sip.threads is 1
    std::unique_ptr<sip::Plugin> plugin;                ///< null when sip.listen is empty
    std::vector<std::unique_ptr<SipPart>> sipParts;     ///< the other plugins of sip.threads
    std::unique_ptr<CourierPart> couriers;
    std::unique_ptr<HttpPart> http;  ///< null when http.listen is off
    std::optional<SignalWatch> signals;
    bool serving = false;
    bool stopping = false;

    Parts(Config given, ConfigSources from) : config(std::move(given)), sources(std::move(from)) {}
    /// Ends the embedded Redis too: only a crash leaves it running.
    ~Parts();

    /// What this loop does by now.
    std::vector<std::string> duties() const;
    Result<void> openRedis();
    Result<void> openJournal();
    Result<void> sweepAfterACrash();
    Result<void> openSip();
    Result<void> openCouriers();
    Result<void> openHttp();
    void heard(int signal);
    void stop();
    void reload();
    // False when it failed, which is logged, and nothing has changed.
    bool reloadHttp(const Config& read);
    bool reloadWebhooks(const Config& read);
    bool reloadLogins(const Config& read);
    bool reloadSip(const Config& read);
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
            redisSupervisor->connectionChanged(ready);
        }
        // It may have been started anew, from what a crash has left of its file.
        if (ready && core) {
            core->sweep->sweepNow();
        }
    });
    heartbeat.emplace(loop, core->redis.connection(), core->redis.clock(),
                      heartbeatOf(config, "main", duties()));
    return {};
}

/// Recovers what a lost Redis had, turning the loop meanwhile. Ends early when it is to stop.
Result<void> Daemon::Parts::openJournal()
{
    if (config.journal.mode == Config::JournalMode::Off) {
        if (config.queue.hotHorizon > Millis{0}) {
            return invalid("queue.hot_horizon needs a journal, which has the jobs that are due "
                           "later; set journal.mode, or queue.hot_horizon = \"0s\"");
        }
        journal::releaseOutbox(loop, core->redis.connection(), core->redis.clock(), config);
        return {};
    }
    auto url = TRY(journal::journalUrlOf(config));
    shownJournal = url.shown;
    // Those of before it was switched off come back. Tables of before know of none.
    if (config.queue.hotHorizon > Millis{0} || journal::hasColdJobs(url).value_or(false)) {
        coldJobs = url;
    }
    const bool isSoleOwner = redis->embedded() != nullptr;
    journal.emplace(journal::JournalService::Settings{
        .redis = redis->url(),
        .config = config,
        .journal = url,
        .owner = isSoleOwner ? "the-only-daemon" : processName(),
        .movesColdJobs = coldJobs.has_value(),
        .recoverLost = config.journal.recover == Config::Recover::Auto});
    heartbeat->setDuties(duties());
    // Shared with the callback, which may come after the end of this.
    const auto answer = std::make_shared<std::optional<Result<void>>>();
    journal->open(loop, [answer](Result<void> result) { *answer = std::move(result); });
    loop.runUntil([&] { return answer->has_value() || stopping; }, kLongestRecovery);
    if (*answer && !**answer) {
        return **answer;
    }
    core->sweep->setJournalLookup(journal::makeJournalLookup(loop, std::move(url)));
    return stopping ? Result<void>{} : core->awaitServing(loop);
}

/// Behind the journal, which knows where lost jobs were; the store is served meanwhile.
Result<void> Daemon::Parts::sweepAfterACrash()
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
    allowDescriptors(config);
    digestBackend =
        TRY(openDigestBackend(loop, core->redis.clock(), core->redis.connection(), config));
    if (config.sip.threads > 1) {
        sipThreads = std::make_unique<sip::PluginGroup>(config.sip.threads);
    }
    const bool isSoleOwner = redis->embedded() != nullptr;
    plugin = TRY(sip::Plugin::start(
        {loop, core->redis.queue(), core->due, core->redis.inspector(), core->redis.connection(),
         core->redis.shards(), redis->url(), config.redis.prefix, digestBackend.get(),
         [this] { return core->redis.serving().has_value(); }, sipThreads.get()},
        {.sip = sip::settingsOf(config, core->redis.memory()), .soleOwner = isSoleOwner}));
    heartbeat->setDuties(duties());
    for (std::size_t number = 1; number < config.sip.threads; ++number) {
        sipParts.push_back(
            TRY(SipPart::start(redis->url(), config, {*sipThreads, number, isSoleOwner})));
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
                          journal ? JournalAccess{&*journal, &*journal, coldJobs} : JournalAccess{})
        .map([this](auto opened) { http = std::move(opened); });
}

void Daemon::Parts::heard(int signal)
{
    if (!serving) {
        stopping = stopping || signal != SIGHUP;  // run() will see it
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
    manager.stopping();
    log::info("daemon", "stopping");
    heartbeat->drain();
    // All at once; the loop ends when the last of them has drained.
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
    const auto read = readConfig(sources);
    if (!read) {
        for (const auto& problem : read.error()) {
            log::error("config", "not reloaded: {}", problem.print());
        }
        return;
    }
    std::vector<std::string_view> applied;
    std::vector<std::string_view> waiting;
    for (const auto* key : changedKeys(config, *read)) {
        (key->reloadable ? applied : waiting).push_back(key->name);
    }
    config.log = read->log;
    config.retention.trash = read->retention.trash;
    const auto leaveOut = [&applied](std::initializer_list<std::string_view> keys) {
        std::erase_if(applied, [&](auto name) {
            return std::ranges::any_of(keys, [&](auto key) { return name.starts_with(key); });
        });
    };
    if (!reloadHttp(*read)) {
        leaveOut({"http."});
    }
    if (!reloadWebhooks(*read)) {
        leaveOut({"webhook."});
    }
    if (!reloadLogins(*read)) {
        leaveOut({"sip.auth."});
    }
    if (!reloadSip(*read)) {
        leaveOut({"sip.tls.", "sip.trace", "sip.users"});
    }
    for (const auto& part : sipParts) {
        part->reload(config);
    }
    log::setLevel(config.log.level);
    log::setFormat(config.log.format);
    core->retention.keep({config.retention.trash, config.retention.done});
    log::info("config", "reloaded: {}",
              applied.empty() ? "nothing to do" : fmt::format("{}", fmt::join(applied, ", ")));
    if (!waiting.empty()) {
        log::warning("config", "changed, but needs a restart: {}", fmt::join(waiting, ", "));
    }
}

bool Daemon::Parts::reloadHttp(const Config& read)
{
    if (!http) {
        return true;
    }
    auto wanted = config;
    wanted.http.tokenFile = read.http.tokenFile;
    wanted.http.tls = read.http.tls;
    // What its files hold may be new though their names are not.
    return adopt(wanted, "http", http->reload(wanted));
}

bool Daemon::Parts::reloadWebhooks(const Config& read)
{
    auto wanted = config;
    wanted.webhook.secretFile = read.webhook.secretFile;
    return adopt(wanted, "delivery", couriers->reload(wanted));
}

bool Daemon::Parts::reloadLogins(const Config& read)
{
    if (!digestBackend) {
        if (plugin && !read.sip.auth.users.empty()) {
            log::warning("sip", "sip.auth.users is set now, which needs a restart");
            return false;
        }
        return true;
    }
    auto wanted = config;
    wanted.sip.auth.users = read.sip.auth.users;
    return adopt(wanted, "sip", digestBackend->reload(read));
}

bool Daemon::Parts::reloadSip(const Config& read)
{
    if (!plugin) {
        return true;
    }
    auto wanted = config;
    wanted.sip.tls = read.sip.tls;
    wanted.sip.trace = read.sip.trace;
    wanted.sip.users = read.sip.users;
    return adopt(wanted, "sip", plugin->reload(sip::settingsOf(wanted, core->redis.memory())));
}

/// `wanted` is the configuration from now on if the part has been reloaded.
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
        // What is still asked of Redis refers to the parts that are about to go.
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
    // Before the first thing that can hang: whoever starts us can stop us at any time.
    parts->signals.emplace(parts->loop, std::initializer_list<int>{SIGTERM, SIGINT, SIGHUP},
                           [raw = parts.get()](int signal) { raw->heard(signal); });
    TRY(parts->openRedis());
    TRY(parts->openJournal());
    TRY(parts->sweepAfterACrash());
    TRY(parts->openSip());
    TRY(parts->openCouriers());
    TRY(parts->openHttp());
    // Not make_unique: the constructor is private.
    return std::unique_ptr<Daemon>(new Daemon(std::move(parts)));
}

std::string Daemon::readyLine() const
{
    const auto sip = parts_->plugin ? fmt::format("{}", fmt::join(parts_->plugin->addresses(), ","))
                                    : std::string{"off"};
    const auto http = parts_->http ? parts_->http->address().print() : std::string{"off"};
    return fmt::format("ready sip={} http={} redis={} journal={}", sip, http,
                       parts_->redis->url().print(),
                       parts_->journal ? parts_->shownJournal : "off");
}

void Daemon::run()
{
    if (!parts_->stopping) {
        parts_->serving = true;
        parts_->manager.ready(readyLine());
        parts_->loop.run();
    }
}

}  // namespace restante::daemon
