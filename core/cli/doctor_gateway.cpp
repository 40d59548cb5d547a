// What doctor finds out about the gateway for text messages.

#include "core/assembly/sms_delivery.h"
#include "core/base/text.h"
#include "core/cli/daemon_client.h"
#include "core/cli/finding.h"
#include "core/cli/local_ports.h"
#include "core/config/config.h"

#include <fmt/format.h>

namespace restante::cli {

namespace {

constexpr Millis kTimeout{5'000};

/// A request for a message to nobody: Kannel looks at name and password first and then refuses it.
void examineKannel(const sms::Gateway& gateway, Findings& findings)
{
    const auto answer = askOnce(gateway.requestFor({}), kTimeout);
    constexpr int kForbidden = 403;
    constexpr int kNotFound = 404;
    constexpr int kServerError = 500;
    if (!answer) {
        findings.error("sms.gateway", answer.error().message,
                       "start Kannel's smsbox, or correct sms.url");
        return;
    }
    const auto told = fmt::format("{} answers {}: {}", gateway.name(), answer->status,
                                  answer->body.substr(0, 200));
    if (answer->status == kForbidden) {
        findings.error("sms.gateway", told,
                       "correct sms.user and sms.password_file, or Kannel's sendsms-user");
    } else if (answer->status == kNotFound) {
        findings.error("sms.gateway", told, "correct sms.url: it ends in /cgi-bin/sendsms");
    } else if (answer->status >= kServerError) {
        findings.warning("sms.gateway", told,
                         "look at Kannel's log: is its bearerbox running, and an SMSC connected?");
    } else {
        findings.ok("sms.gateway", fmt::format("Kannel at {} knows us", gateway.name()));
    }
}

/// Nobody knows what another gateway takes for a message, so only its port is tried.
void examineOther(const std::string& name, Findings& findings)
{
    const auto colon = name.rfind(':');
    const auto port = colon == std::string::npos
                          ? std::uint16_t{0}
                          : leadingNumber<std::uint16_t>(name.substr(colon + 1));
    auto host = name.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    if (port == 0 || !accepts(host, port, kTimeout)) {
        findings.error("sms.gateway", fmt::format("nobody answers at {}", name),
                       "start the gateway, or correct sms.url");
    } else {
        findings.ok("sms.gateway", fmt::format("{} takes connections", name));
    }
}

}  // namespace

void examineGateway(const Config& config, Findings& findings)
{
    const auto plan = sms::SmsDelivery::plan(config);
    if (!plan) {
        findings.error("sms", plan.error().message, "see docs/sms.md");
    } else if (plan->gateway == nullptr) {
        findings.ok("sms.gateway", "off: text messages are refused");
    } else if (config.sms.gateway == Config::SmsGateway::Kannel) {
        examineKannel(*plan->gateway, findings);
    } else {
        examineOther(plan->gateway->name(), findings);
    }
}

}  // namespace restante::cli
