#pragma once

#include "core/config/config.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/trace/message_tracer.h"
#include "sipplugin/transport/tls/tls_contexts.h"

#include <cstddef>
#include <filesystem>

namespace restante::sip {

/// What senders are told of their messages. *Value.*
struct ReceiptSettings {
    /// `sip.receipts`: IMDN kinds that are sent when a message asks for them.
    bool stored = true;
    bool delivered = false;
    bool failed = true;
    /// `sip.notice`: plain words, whether asked for or not.
    bool noticeStored = false;
    bool noticeFailed = false;
    Millis noticeInterval{std::chrono::hours{1}};  ///< a notice of a kind about a recipient
    std::string noticeFrom;                        ///< empty = the recipient
    std::string storedText = "Your message to {recipient} is kept.";
    std::string failedText = "Your message to {recipient} could not be delivered: {reason}";
};

/// Messages that say when they are to be delivered. *Value.*
struct ScheduleSettings {
    std::string header;  ///< `sip.schedule_header`, empty = off
    Millis horizon{std::chrono::hours{24 * 365}};
    std::uint32_t perSender = 1'000;  ///< pending ones of a sender, 0 = no limit
};

/// Who we are to `sip.proxy` when it asks; an empty user answers no challenge. *Value.*
struct ProxyCredentials {
    std::string user;
    std::string password;
    std::vector<std::string> realms;     ///< those whose challenges are answered
    std::filesystem::path passwordFile;  ///< read into `password` at the start, unless empty
};

/// The `sip.*` section of the configuration. *Value.*
struct SipSettings {
    std::vector<std::string> listen{
        "127.0.0.1:5060"};  ///< `sip.listen`, see message/listen_address.h
    /// `sip.domain`: whose users are ours, besides those of localhost and our addresses.
    std::vector<std::string> domains;
    std::vector<std::string> users;  ///< `sip.users`, see KnownUsers
    /// `sip.proxy`: the first of these SIP URIs that answers delivers; empty = directly.
    std::vector<std::string> proxy;
    /// `sip.regevent`: the server that tells of registrations (RFC 3680), a SIP URI; empty = none
    std::string regevent;
    /// `sip.trusted`: whose requests we take, see TrustedPeer.
    std::vector<std::string> trusted{"127.0.0.0/8", "::1/128"};
    bool registrar = true;  ///< `sip.registrar`
    /// `sip.contacts.allow`: where contacts may lie besides public addresses and their own.
    std::vector<std::string> contactsAllow;
    std::vector<std::string> edges;             ///< `sip.edges`: networks whose Path is believed
    bool foldsUsers = false;                    ///< `sip.user_case` is "insensitive"
    std::string retry = "0s,2m,10m,10m,1h,2h";  ///< `sip.retry`, the schedule of messages
    bool everyDevice = false;                   ///< `sip.devices` is "all", not "first"
    ResponsePolicy policy;                      ///< `sip.outcomes`
    std::uint32_t redirects = 5;                ///< `sip.redirects`
    Millis holdRetry{std::chrono::hours{6}};    ///< `sip.hold`
    Millis answerTimeout{32'000};  ///< for a device's answer: timer F of RFC 3261, 64 * T1
    Millis liveTimeout{0};         ///< `sip.live_timeout`, 0 = off
    Config::Sip::Mailbox mailbox{.maxMessages = 1'000, .maxBytes = 0};  ///< 0 = no limit
    Config::Sip::Limits limits{.perSender = 0, .totalMessages = 0};     ///< 0 = no limit
    TraceSettings trace;                                                ///< `sip.trace*`
    TlsSettings tls;                                                    ///< `sip.tls.*`
    std::size_t maxBody = 65'536;                                       ///< bytes; above it 413
    Config::Sip::Registration registration;
    /// End-to-end headers that travel with a message besides the ones the codec knows.
    std::vector<std::string> extraHeaders;
    ReceiptSettings receipts;
    ScheduleSettings schedule;
    bool mwi = false;  ///< `sip.mwi`
    Config::Sip::Auth auth;
    ProxyCredentials proxyLogin;
    std::vector<std::string> droppedHeaders;  ///< and those that do not, although it knows them
};

/// The wait before the attempt that needs no registration: the first interval of `sip.retry` that
/// is not "at once", which the arrival of the message itself has been. *Pure function.*
Millis firstFallBack(const std::string& schedule);

/// Whether a message is tried when it arrives: `sip.retry` begins with "0s". *Pure function.*
bool beginsAtOnce(const std::string& schedule);

/// The `sip.*` keys, and what else of the configuration concerns SIP, as the plugin wants them.
SipSettings settingsOf(const Config& config);

}  // namespace restante::sip
