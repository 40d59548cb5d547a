#include "sipplugin/daemon/journal_part.h"

#include "sipplugin/daemon/await.h"

namespace restante::daemon {

namespace {
/// Recovery takes as long as it takes, a minute for a million jobs; this is only not for ever.
constexpr Millis kLongestRecovery{std::chrono::hours{12}};
}  // namespace

Result<std::unique_ptr<JournalPart>> JournalPart::open(sip::SuLoop& loop,
                                                       const Config& config,
                                                       const Settings& settings,
                                                       const std::function<bool()>& stopping)
{
    auto url = journal::journalUrlOf(config);
    if (!url) {
        return tl::unexpected(url.error());
    }
    journal::JournalService::Settings service;
    service.redis = settings.redis;
    service.config = config;
    service.journal = *url;
    service.owner = settings.soleOwner ? "the-only-daemon" : journal::processName();
    service.recoverLost = config.journal.recover == Config::Recover::Auto;
    // Not make_unique: the constructor is private.
    std::unique_ptr<JournalPart> part(new JournalPart(std::move(service), url->shown));
    auto answer = std::make_shared<std::optional<Result<void>>>();
    part->service_.open(loop, [answer](Result<void> result) { *answer = std::move(result); });
    turnUntil(
        loop, [&] { return answer->has_value() || stopping(); }, kLongestRecovery);
    if (*answer && !**answer) {
        return tl::unexpected((*answer)->error());
    }
    return part;
}

}  // namespace restante::daemon
