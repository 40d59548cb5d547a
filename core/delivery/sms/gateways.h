#pragma once

#include "core/delivery/sms/gateway.h"

#include <memory>
#include <string>

namespace restante::sms {

/// Kannel's sendsms interface: everything in the query, "0: Accepted for delivery" or "3: Queued
/// for later delivery" with 202 when it has taken the message.
std::unique_ptr<Gateway> kannelGateway(const Config::Sms& config, std::string password);

/// Any gateway with an HTTP interface: URL, headers and body are templates; 2xx, and what
/// `sms.success` asks of the body, says that it has taken the message.
std::unique_ptr<Gateway> templateGateway(const Config::Sms& config, std::string password);

}  // namespace restante::sms
