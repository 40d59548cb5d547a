#include "gui/session/redis_opener.h"

#include "core/assembly/configured_url.h"
#include "core/config/config_reader.h"

#include <filesystem>
#include <utility>

namespace restante::gui {

namespace {

using Kind = LinkProblem::Kind;

/// Where a daemon's configuration is when nobody says: what the packages install.
constexpr const char* kInstalledConfig = "/etc/restante/restante.toml";
/// ssh ends within moments of the connections that it carries.
constexpr Millis kLastWords{500};

tl::expected<Config, LinkProblem> configurationOf(const RedisPlace& place)
{
    ConfigSources sources;
    std::error_code ignored;
    if (!place.configFile.empty()) {
        sources.file = place.configFile;
    } else if (std::filesystem::exists(kInstalledConfig, ignored)) {
        sources.file = kInstalledConfig;
    }
    auto config = readConfig(sources);
    if (!config) {
        const auto& first = config.error().front();
        return tl::unexpected(LinkProblem{Kind::BadConfiguration,
                                          sources.file ? sources.file->string() : std::string{},
                                          first.print()});
    }
    return std::move(*config);
}

/// Where the history is, or why there is none.
void findJournal(RedisAim& aim, const RedisPlace& place)
{
    auto& config = aim.settings.config;
    if (!place.journalUrl.empty()) {
        config.journal.url = place.journalUrl;
    } else if (!place.isLocal) {
        aim.whyNoJournal.kind = Kind::NoJournal;
        return;
    } else if (config.journal.mode == Config::JournalMode::Off) {
        aim.whyNoJournal.kind = Kind::JournalOff;
        return;
    }
    auto url = journal::journalUrlOf(config);
    std::error_code ignored;
    if (!url) {
        aim.whyNoJournal = {Kind::Other, {}, url.error().message};
    } else if (!url->path.empty() && !std::filesystem::exists(url->path, ignored)) {
        // Asking would make an empty one.
        aim.whyNoJournal = {Kind::NoJournalFile, url->path, {}};
    } else {
        aim.settings.journal = std::move(*url);
    }
}

}  // namespace

RedisPlace redisPlaceOf(const ConnectionProfile& profile, const QString& password)
{
    RedisPlace place;
    place.isLocal = profile.kind == ConnectionProfile::Kind::Local;
    place.configFile = profile.configFile.toStdString();
    place.url = profile.url.toStdString();
    place.user = profile.user.toStdString();
    place.password = password.toStdString();
    place.prefix = profile.prefix.toStdString();
    place.journalUrl = profile.journalUrl.toStdString();
    place.timeout = profile.timeout;
    if (profile.kind == ConnectionProfile::Kind::Redis) {
        place.jumpHost = profile.jumpHost.toStdString();
        place.jumpKey = profile.jumpKey.toStdString();
    }
    place.wants = profile.mode == AccessMode::ReadOnly ? LinkProbe::Wants::Reading
                                                       : LinkProbe::Wants::Writing;
    return place;
}

tl::expected<RedisAim, LinkProblem> aimAt(const RedisPlace& place)
{
    RedisAim aim;
    auto& settings = aim.settings;
    settings.timeout = place.timeout;
    if (place.isLocal) {
        auto config = configurationOf(place);
        if (!config) {
            return tl::unexpected(config.error());
        }
        settings.config = std::move(*config);
    } else {
        settings.config.redis.url = place.url;
        settings.config.redis.prefix = place.prefix;
    }
    if (settings.config.redis.url.empty()) {
        settings.url.socketPath = settings.config.stateDirectory() / "redis" / "redis.sock";
    } else {
        auto url = redis::redisUrlOf(settings.config);
        if (!url) {
            return tl::unexpected(LinkProblem{Kind::BadAddress, {}, url.error().message});
        }
        settings.url = std::move(*url);
    }
    if (!place.user.empty()) {
        settings.url.user = place.user;
    }
    if (!place.password.empty()) {
        settings.url.password = place.password;
    }
    if (!place.jumpHost.empty()) {
        auto plan = planTunnel(place.jumpHost, place.jumpKey, settings.url, place.timeout);
        if (!plan) {
            return tl::unexpected(std::move(plan.error()));
        }
        aim.tunnel = std::move(*plan);
    }
    findJournal(aim, place);
    return aim;
}

void RedisOpener::open(EventLoop& loop, Told told)
{
    giveUp();
    loop_ = &loop;
    told_ = std::move(told);
    attempt_ = std::make_shared<int>(0);
    loop.post([this, attempt = std::weak_ptr(attempt_)] {
        if (attempt.lock()) {
            begin();
        }
    });
}

void RedisOpener::giveUp()
{
    attempt_.reset();
    isOpen_ = false;
    isOver_ = false;
    lastWords_.reset();
    probe_.reset();
    opening_.reset();
    tunnel_.reset();
}

void RedisOpener::found(LinkStep step, LinkProblem problem, std::string fact)
{
    if (told_.found) {
        const auto outcome =
            problem.isNone() ? LinkFinding::Outcome::Passed : LinkFinding::Outcome::Failed;
        told_.found({step, outcome, std::move(fact), std::move(problem)});
    }
}

void RedisOpener::begin()
{
    if (place_.isLocal) {
        told_.doing(LinkStep::Configuration);
    }
    auto aim = aimAt(place_);
    if (!aim) {
        found(place_.jumpHost.empty() ? LinkStep::Configuration : LinkStep::Tunnel, aim.error());
        return end(aim.error());
    }
    if (place_.isLocal) {
        found(LinkStep::Configuration, {}, addressOf(aim->settings.url));
    }
    if (aim->tunnel) {
        dig(std::move(*aim));
    } else {
        probe(std::move(*aim));
    }
}

void RedisOpener::dig(RedisAim aim)
{
    told_.doing(LinkStep::Tunnel);
    Tunnel::Told told;
    const auto plan = *aim.tunnel;
    told.open = [this, aim = std::move(aim)](const std::string& socket) {
        found(LinkStep::Tunnel, {}, tunnel_->plan().jump.print());
        // Host and port stay: the certificate must bear that name.
        auto through = aim;
        through.way = socket;
        probe(std::move(through));
    };
    told.ended = [this](const LinkProblem& problem) { tunnelEnded(problem); };
    tunnel_ = std::make_unique<Tunnel>(*loop_, plan, std::move(told));
}

void RedisOpener::probe(RedisAim aim)
{
    LinkProbe::Target target{aim.settings.url, aim.settings.config.redis.prefix, place_.timeout,
                             place_.wants};
    LinkProbe::Told told;
    told.doing = told_.doing;
    told.found = [this](const LinkFinding& finding) {
        if (told_.found) {
            told_.found(finding);
        }
    };
    told.failed = [this](const LinkProblem& problem) { broken(problem); };
    if (tunnel_) {
        target.way = aim.way;
        told.behind = [this] { return tunnel_->behind(); };
    }
    told.passed = [this, aim = std::move(aim)](const LinkFacts& facts) { connect(aim, facts); };
    probe_ = std::make_unique<LinkProbe>(*loop_, std::move(target), std::move(told));
}

void RedisOpener::connect(RedisAim aim, LinkFacts facts)
{
    facts.whyNoJournal = aim.whyNoJournal;
    aim.settings.config.redis.shards = facts.shards;
    const auto where = addressOf(aim.settings.url);
    if (!aim.way.empty()) {
        aim.settings.url.socketPath = aim.way;
    }
    opening_ = std::make_shared<RedisStore>(*loop_, std::move(aim.settings));
    opening_->awaitReady(
        [this, facts, where](const Result<void>& ready) {
            const auto store = std::exchange(opening_, nullptr);
            if (!ready) {
                return broken({Kind::Unreachable, where, ready.error().message});
            }
            probe_.reset();
            isOpen_ = true;
            told_.opened({store, facts});
        },
        [this, where, attempt = std::weak_ptr(attempt_)] {
            if (attempt.lock()) {
                broken({Kind::Lost, where, {}});
            }
        });
}

void RedisOpener::tunnelEnded(const LinkProblem& problem)
{
    if (!isOpen_ && !isOver_) {
        found(LinkStep::Tunnel, problem);
    }
    probe_.reset();
    end(problem);
}

void RedisOpener::broken(LinkProblem problem)
{
    if (!tunnel_) {
        return end(problem);
    }
    lastWords_ = std::make_unique<Timer>(*loop_);
    lastWords_->arm(kLastWords, [this, problem = std::move(problem)] { end(problem); });
}

void RedisOpener::end(const LinkProblem& problem)
{
    if (std::exchange(isOver_, true)) {
        return;
    }
    const auto tell = isOpen_ ? told_.lost : told_.failed;
    tell(problem);
}

}  // namespace restante::gui
