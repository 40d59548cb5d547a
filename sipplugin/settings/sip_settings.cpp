#include "sipplugin/settings/sip_settings.h"

#include "core/job/retry_schedule.h"
#include "sipplugin/message/aor.h"

#include <algorithm>

namespace restante::sip {

namespace {

/// When `sip.retry` names no interval that is not 0.
constexpr std::chrono::minutes kDefaultFallBack{2};

ReceiptSettings receiptsOf(const Config::Sip& sip)
{
    const auto sent = [&](Config::Receipt kind) {
        return std::ranges::find(sip.receipts, kind) != sip.receipts.end();
    };
    ReceiptSettings receipts;
    receipts.stored = sent(Config::Receipt::Stored);
    receipts.delivered = sent(Config::Receipt::Delivered);
    receipts.failed = sent(Config::Receipt::Failed);
    const bool both = sip.notice == Config::Notice::Both;
    receipts.noticeStored = both || sip.notice == Config::Notice::Stored;
    receipts.noticeFailed = both || sip.notice == Config::Notice::Failed;
    receipts.noticeInterval = sip.noticeInterval;
    receipts.noticeFrom = sip.noticeFrom;
    receipts.storedText = sip.noticeStoredText;
    receipts.failedText = sip.noticeFailedText;
    return receipts;
}

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

}  // namespace

Millis firstFallBack(const std::string& schedule)
{
    const auto parsed = RetrySchedule::parse(schedule);
    for (std::uint32_t attempt = 1; parsed && attempt <= 2; ++attempt) {
        const auto wait = parsed->waitBefore(attempt);
        if (wait && *wait > Millis{0}) {
            return *wait;
        }
    }
    return kDefaultFallBack;
}

bool beginsAtOnce(const std::string& schedule)
{
    const auto parsed = RetrySchedule::parse(schedule);
    return !parsed || parsed->waitBefore(1).value_or(Millis{0}) == Millis{0};
}

SipSettings settingsOf(const Config& config)
{
    SipSettings settings;
    settings.listen.clear();
    for (const auto& listen : config.sip.listen) {
        const auto* transport = listen.tls                 ? "tls:"
                                : listen.udp == listen.tcp ? ""
                                : listen.udp               ? "udp:"
                                                           : "tcp:";
        settings.listen.push_back(transport + listen.address.print());
    }
    settings.trusted.clear();
    for (const auto& peer : config.sip.trusted) {
        settings.trusted.push_back(peer.print());
    }
    for (const auto& network : config.sip.edges) {
        settings.edges.push_back(network.print());
    }
    settings.contactsAllow = config.sip.contacts.allow;
    settings.foldsUsers = config.sip.userCase == Config::UserCase::Insensitive;
    settings.domains = config.sip.domain;
    settings.users = config.sip.users;
    settings.proxy = config.sip.proxy;
    settings.regevent = config.sip.regevent;
    settings.registrar = config.sip.registrar;
    settings.retry = config.sip.retry.print();
    settings.everyDevice = config.sip.devices == Config::Devices::All;
    settings.answerTimeout = config.sip.answerTimeout;
    settings.liveTimeout = config.sip.liveTimeout;
    settings.mailbox = config.sip.mailbox;
    settings.limits = config.sip.limits;
    settings.trace = {config.sip.trace.to, config.sip.trace.only, config.sip.trace.megabytes,
                      "pcap:" + (config.stateDirectory() / "trace.pcap").string()};
    settings.tls = config.sip.tls;
    settings.maxBody = config.limits.body;
    settings.registration = config.sip.registration;
    settings.extraHeaders = config.sip.headers;
    settings.receipts = receiptsOf(config.sip);
    settings.schedule = {config.sip.scheduleHeader, config.sip.scheduleHorizon,
                         config.sip.schedulePerSender};
    settings.mwi = config.sip.mwi;
    settings.proxyLogin = proxyLoginOf(config.sip);
    settings.auth = config.sip.auth;
    settings.droppedHeaders = config.sip.headersDropped;
    settings.policy = ResponsePolicy{config.sip.outcomes};
    settings.redirects = config.sip.redirects;
    settings.holdRetry = config.sip.hold;
    return settings;
}

}  // namespace restante::sip
