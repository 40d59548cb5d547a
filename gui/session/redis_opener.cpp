#include "gui/session/redis_opener.h"

#include "core/assembly/redis_queue.h"
#include "core/config/config_reader.h"

#include <filesystem>
#include <utility>

namespace restante::gui {

namespace {

using ProblemKind = LinkProblem::Kind;

/// Where a daemon's configuration is when nobody says: what the packages install.
constexpr const char* kInstalledConfig = "/etc/restante/restante.toml";
/// ssh ends within moments of the connections that it carries.
constexpr Millis kTunnelEndDelay{500};

}  // namespace

tl::expected<Config, LinkProblem> RedisOpener::readConfiguration() const
{
    ConfigSources sources;
    std::error_code ignored;
    if (!profile_.configFile.isEmpty()) {
        sources.file = profile_.configFile.toStdString();
    } else if (std::filesystem::exists(kInstalledConfig, ignored)) {
        sources.file = kInstalledConfig;
    }
    auto config = readConfig(sources);
    if (!config) {
        const auto& first = config.error().front();
        return tl::unexpected(LinkProblem{ProblemKind::BadConfiguration,
                                          sources.file ? sources.file->string() : std::string{},
                                          first.toString()});
    }
    return std::move(*config);
}

/// Where the history is, or why there is none.
void RedisOpener::resolveJournal(Target& resolved) const
{
    auto& config = resolved.settings.config;
    if (!profile_.journalUrl.isEmpty()) {
        config.journal.url = profile_.journalUrl.toStdString();
    } else if (!isLocal()) {
        resolved.whyNoJournal.kind = ProblemKind::NoJournal;
        return;
    } else if (config.journal.mode == Config::JournalMode::Off) {
        resolved.whyNoJournal.kind = ProblemKind::JournalOff;
        return;
    }
    auto url = journal::journalUrlOf(config);
    std::error_code ignored;
    if (!url) {
        resolved.whyNoJournal = {ProblemKind::Other, {}, url.error().message};
    } else if (!url->path.empty() && !std::filesystem::exists(url->path, ignored)) {
        // Asking would make an empty one.
        resolved.whyNoJournal = {ProblemKind::NoJournalFile, url->path, {}};
    } else {
        resolved.settings.journal = std::move(*url);
    }
}

std::string RedisOpener::jumpHost() const
{
    const bool isRedis = profile_.kind == ConnectionProfile::Kind::Redis;
    return isRedis ? profile_.jumpHost.toStdString() : std::string{};
}

tl::expected<RedisOpener::Target, LinkProblem> RedisOpener::resolve() const
{
    Target resolved;
    auto& settings = resolved.settings;
    settings.timeout = profile_.timeout;
    if (isLocal()) {
        auto config = readConfiguration();
        if (!config) {
            return tl::unexpected(config.error());
        }
        settings.config = std::move(*config);
    } else {
        settings.config.redis.url = profile_.url.toStdString();
        settings.config.redis.prefix = profile_.prefix.toStdString();
    }
    if (settings.config.redis.url.empty()) {
        settings.url.socketPath = settings.config.stateDirectory() / "redis" / "redis.sock";
    } else {
        auto url = redis::redisUrlOf(settings.config);
        if (!url) {
            return tl::unexpected(LinkProblem{ProblemKind::BadAddress, {}, url.error().message});
        }
        settings.url = std::move(*url);
    }
    if (!profile_.user.isEmpty()) {
        settings.url.user = profile_.user.toStdString();
    }
    if (!password_.empty()) {
        settings.url.password = password_;
    }
    if (const auto jump = jumpHost(); !jump.empty()) {
        auto plan =
            planTunnel(jump, profile_.jumpKey.toStdString(), settings.url, profile_.timeout);
        if (!plan) {
            return tl::unexpected(std::move(plan.error()));
        }
        resolved.tunnel = std::move(*plan);
    }
    resolveJournal(resolved);
    return resolved;
}

void RedisOpener::open(EventLoop& loop, Callbacks callbacks)
{
    giveUp();
    loop_ = &loop;
    callbacks_ = std::move(callbacks);
    loop.post(attemptGuard_.guard([this] { start(); }));
}

void RedisOpener::giveUp()
{
    attemptGuard_.renew();
    isOpen_ = false;
    failureReported_ = false;
    tunnelEndTimer_.reset();
    probe_.reset();
    openingStore_.reset();
    tunnel_.reset();
}

void RedisOpener::reportStep(LinkStep step, LinkProblem problem, std::string fact)
{
    const auto outcome =
        problem.isNone() ? LinkFinding::Outcome::Passed : LinkFinding::Outcome::Failed;
    callbacks_.stepFinished({step, outcome, std::move(fact), std::move(problem)});
}

void RedisOpener::start()
{
    if (isLocal()) {
        callbacks_.stepStarted(LinkStep::Configuration);
    }
    auto resolved = resolve();
    if (!resolved) {
        reportStep(jumpHost().empty() ? LinkStep::Configuration : LinkStep::Tunnel,
                   resolved.error());
        return reportFailure(resolved.error());
    }
    if (isLocal()) {
        reportStep(LinkStep::Configuration, {}, resolved->settings.url.location());
    }
    if (resolved->tunnel) {
        openTunnel(std::move(*resolved));
    } else {
        probe(std::move(*resolved));
    }
}

void RedisOpener::openTunnel(Target resolved)
{
    callbacks_.stepStarted(LinkStep::Tunnel);
    Tunnel::Callbacks callbacks;
    const auto plan = *resolved.tunnel;
    callbacks.opened = [this, resolved = std::move(resolved)](const std::string& socket) {
        reportStep(LinkStep::Tunnel, {}, tunnel_->plan().jump.toString());
        // Host and port stay: the certificate must bear that name.
        auto forwarded = resolved;
        forwarded.forwardedSocket = socket;
        probe(std::move(forwarded));
    };
    callbacks.ended = [this](const LinkProblem& problem) { handleTunnelEnd(problem); };
    tunnel_ = std::make_unique<Tunnel>(*loop_, plan, std::move(callbacks));
}

void RedisOpener::probe(Target resolved)
{
    using Probe = redis::ConnectionProbe;
    Probe::Target target{
        resolved.settings.url, resolved.settings.config.redis.prefix, profile_.timeout,
        profile_.mode == AccessMode::ReadOnly ? Probe::Wants::Reading : Probe::Wants::Writing};
    Probe::Callbacks callbacks;
    callbacks.stepStarted = callbacks_.stepStarted;
    callbacks.stepFinished = [this](const redis::ProbeFinding& one) {
        callbacks_.stepFinished({one.step, one.outcome, one.fact, LinkProblem::of(one.problem)});
    };
    callbacks.failed = [this](const redis::ProbeProblem& problem) {
        reportFailureUnlessTunnelEnds(LinkProblem::of(problem));
    };
    if (tunnel_) {
        target.forwardedSocket = resolved.forwardedSocket;
        callbacks.tunnelFailed = [this] { return reportIfTunnelFailed(); };
    }
    callbacks.passed = [this, resolved = std::move(resolved)](const redis::ProbeFacts& facts) {
        connect(resolved,
                {facts.server, facts.shards, LinkProblem::of(facts.whyNotWritable), {}, {}});
    };
    probe_ = std::make_unique<Probe>(*loop_, std::move(target), std::move(callbacks));
}

bool RedisOpener::reportIfTunnelFailed()
{
    auto problem = tunnel_->takeTargetProblem();
    if (problem.isNone()) {
        return false;
    }
    reportStep(LinkStep::Connect, problem);
    reportFailureUnlessTunnelEnds(std::move(problem));
    return true;
}

void RedisOpener::connect(Target resolved, LinkFacts facts)
{
    facts.whyNoJournal = resolved.whyNoJournal;
    resolved.settings.config.redis.shards = facts.shards;
    const auto where = resolved.settings.url.location();
    if (!resolved.forwardedSocket.empty()) {
        resolved.settings.url.socketPath = resolved.forwardedSocket;
    }
    openingStore_ = std::make_shared<RedisStore>(*loop_, std::move(resolved.settings));
    openingStore_->awaitReady(
        [this, facts, where](const Result<void>& ready) {
            const auto store = std::exchange(openingStore_, nullptr);
            if (!ready) {
                return reportFailureUnlessTunnelEnds(LinkProblem::of(
                    {redis::ProbeProblem::Kind::Unreachable, where, ready.error().message}));
            }
            probe_.reset();
            isOpen_ = true;
            auto openedFacts = facts;
            openedFacts.whyNoColdJobs = store->coldProblem();
            callbacks_.opened({store, std::move(openedFacts)});
        },
        attemptGuard_.guard([this, where] {
            reportFailureUnlessTunnelEnds({ProblemKind::Lost, where, {}});
        }));
}

void RedisOpener::handleTunnelEnd(const LinkProblem& problem)
{
    if (!isOpen_ && !failureReported_) {
        reportStep(LinkStep::Tunnel, problem);
    }
    probe_.reset();
    reportFailure(problem);
}

void RedisOpener::reportFailureUnlessTunnelEnds(LinkProblem problem)
{
    if (!tunnel_) {
        return reportFailure(problem);
    }
    tunnelEndTimer_ = std::make_unique<Timer>(*loop_);
    tunnelEndTimer_->arm(kTunnelEndDelay,
                         [this, problem = std::move(problem)] { reportFailure(problem); });
}

void RedisOpener::reportFailure(const LinkProblem& problem)
{
    if (std::exchange(failureReported_, true)) {
        return;
    }
    const auto callback = isOpen_ ? callbacks_.connectionLost : callbacks_.failed;
    callback(problem);
}

}  // namespace restante::gui
