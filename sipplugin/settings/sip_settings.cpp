#include "sipplugin/settings/sip_settings.h"

#include "core/base/log.h"
#include "sipplugin/message/aor.h"

namespace restante::sip {

namespace {

/// Used when no wait of `sip.retry` is longer than 0.
constexpr std::chrono::minutes kDefaultFallbackDelay{2};
/// Short, because nothing is delivered until the leases lapse when a claim's answer is lost with a
/// connection; DeliveryRun extends those that it works on.
constexpr std::chrono::seconds kClaimLease{10};

ProxyCredentials proxyLoginOf(const Config::Sip& sip)
{
    ProxyCredentials login;
    login.user = sip.proxyUser;
    login.passwordFile = sip.proxyPasswordFile;
    if (!sip.proxyRealm.empty()) {
        login.realms = {sip.proxyRealm};
        return login;
    }
    login.realms = sip.domain;
    for (const auto& text : sip.proxy) {
        if (const auto proxy = parseSipUri(text)) {
            login.realms.push_back(proxy->host);
        }
    }
    return login;
}

Millis firstFallbackDelay(const RetrySchedule& schedule)
{
    // Ends: a list does, and the exponential form waits before its second attempt.
    for (std::uint32_t attempt = 1; const auto wait = schedule.waitBefore(attempt); ++attempt) {
        if (*wait > Millis{0}) {
            return *wait;
        }
    }
    return kDefaultFallbackDelay;
}

}  // namespace

SipSettings settingsOf(const Config& config, std::uint64_t storeMemory)
{
    return {config.sip, config.limits.body, proxyLoginOf(config.sip),
            "pcap:" + (config.stateDirectory() / "trace.pcap").string(),
            static_cast<std::size_t>(storeMemory / 100 * config.sip.limits.memoryShare)};
}

void warnOfTrustInEverybody(const Config& config)
{
    for (const auto& warning : trustInEverybody(config)) {
        log::warning("config", "{}: {}; {}", warning.key, warning.what, warning.advice);
    }
}

bool hasImmediateAttempt(const RetrySchedule& schedule)
{
    return schedule.waitBefore(1).value_or(Millis{0}) == Millis{0};
}

PushOptions mailboxPush(Job job, const Config::Sip& settings)
{
    PushOptions push;
    push.job = std::move(job);
    push.job.ttr = kClaimLease;
    push.placement = Placement::Mailbox;
    if (hasImmediateAttempt(settings.retry)) {
        push.delay = firstFallbackDelay(settings.retry);  // a first wait is added by the queue
    }
    push.mailboxLimit = settings.mailbox.maxMessages;
    push.mailboxBytes = settings.mailbox.maxBytes;
    push.makeRoom = settings.devices == Config::Devices::All;
    return push;
}

}  // namespace restante::sip
