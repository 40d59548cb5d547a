#pragma once

#include "core/config/config.h"
#include "core/queue/delay_queue.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace restante::sip {

/// Our credentials for challenges of `sip.proxy`; an empty user answers none. *Value.*
struct ProxyCredentials {
    std::string user;
    std::string password;
    std::vector<std::string> realms;     ///< those whose challenges are answered
    std::filesystem::path passwordFile;  ///< read into `password` at the start, unless empty
};

/// The `sip.*` section, and other settings that concern SIP. *Value.*
struct SipSettings : Config::Sip {
    std::size_t maxBody = 65'536;  ///< bytes; above it 413
    ProxyCredentials proxyLogin;
    std::string onDemandTrace;  ///< TraceSettings::onDemandTarget
    std::size_t heldBytes = 0;  ///< `sip.limits.memory_share` of the store's memory; 0 = no limit
};

/// Reads them from `config`. `storeMemory` is RedisQueue::memoryLimit(), 0 = unknown.
SipSettings settingsOf(const Config& config, std::uint64_t storeMemory);

/// Logs what trustInEverybody() has found. Once for a process, when it starts.
void warnOfTrustInEverybody(const Config& config);

/// Whether a message is tried when it arrives: the schedule begins with "0s". *Pure function.*
bool hasImmediateAttempt(const RetrySchedule& schedule);

/// The push that puts `job` into the mailbox of its recipient, by the settings of `sip.mailbox`.
/// Without a REGISTER it is attempted after the first interval of `sip.retry` that is not zero, or
/// two minutes when all are; before that when it arrives, if hasImmediateAttempt(). *Pure
/// function.*
PushOptions mailboxPush(Job job, const Config::Sip& settings);

}  // namespace restante::sip
