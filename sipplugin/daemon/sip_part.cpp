#include "sipplugin/daemon/sip_part.h"

namespace restante::daemon {

sip::SipSettings sipSettingsOf(const Config& config)
{
    sip::SipSettings settings;
    settings.listen.clear();
    for (const auto& listen : config.sip.listen) {
        const auto* transport = listen.udp == listen.tcp ? "" : listen.udp ? "udp:" : "tcp:";
        settings.listen.push_back(transport + listen.address.print());
    }
    settings.trusted.clear();
    for (const auto& network : config.sip.trusted) {
        settings.trusted.push_back(network.print());
    }
    settings.domains = config.sip.domain;
    settings.proxy = config.sip.proxy;
    settings.registrar = config.sip.registrar;
    settings.retry = config.sip.retry.print();
    settings.devices = config.sip.devices == Config::Devices::All ? "all" : "first";
    settings.answerTimeout = config.sip.answerTimeout;
    settings.lifetime = config.sip.mailbox.keep;
    settings.mailboxMessages = config.sip.mailbox.maxMessages;
    settings.perSender = config.sip.limits.perSender;
    settings.maxBody = config.limits.body;
    settings.maxContacts = config.sip.registration.maxContacts;
    settings.minExpires = config.sip.registration.minExpires;
    settings.defaultExpires = config.sip.registration.defaultExpires;
    settings.maxExpires = config.sip.registration.maxExpires;
    settings.extraHeaders = config.sip.headers;
    return settings;
}

}  // namespace restante::daemon
