#pragma once

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/network.h"
#include "core/base/result.h"
#include "core/config/reminder_settings.h"
#include "core/job/retry_schedule.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace restante {

/// One address for SIP: over UDP, TCP or both, or over TLS.
struct SipListen {
    bool udp = true;
    bool tcp = true;
    SocketAddress address;
    bool tls = false;  ///< then neither of the others

    friend bool operator==(const SipListen&, const SipListen&) = default;
};

/// The meaning of a final answer for a message: "488=retry", "6xx=dead". *Value.*
struct SipOutcome {
    enum class Verdict { Delivered, Retry, Hold, Dead };
    std::uint16_t first = 0;  ///< the statuses from here
    std::uint16_t last = 0;   ///< to here: one, or a class
    Verdict verdict = Verdict::Retry;

    friend bool operator==(const SipOutcome&, const SipOutcome&) = default;
};

/// Everything an operator can set, with its default. *Value.* core/config/config_keys.h is the
/// catalogue that gives each member its name, its bounds and its words.
struct Config {
    enum class Devices { First, All };
    /// Whether sip:Bob@example.org and sip:bob@example.org are two people.
    enum class UserCase { Sensitive, Insensitive };
    /// Whether whoever connects to us over TLS needs a certificate.
    enum class ClientCertificates { None, Optional, Required };
    enum class Fsync { Always, EverySecond, No };
    enum class JournalMode { Off, Async, Durable };
    enum class WebhookGroup { Off, SameInstant };
    enum class Recover { Off, Auto };
    enum class SmsGateway { Off, Kannel, Template };
    /// Which report of the gateway says that a message has arrived: none (its acceptance does), the
    /// network's, or the phone's.
    enum class SmsReports { Off, Network, Phone };
    /// The outcome of a message that the gateway took and never reported on.
    enum class SmsUnreported { Dead, Done, Retry };
    /// The kinds of RFC 5438 receipt that we send when a message asks for them.
    enum class Receipt { Stored, Delivered, Failed };
    /// The events that a sender is notified of in plain text.
    enum class Notice { Off, Stored, Failed, Both };

    struct Sip {
        struct Mailbox {
            std::uint32_t maxMessages = 10'000;
            /// A mailbox of a thousand of the largest messages, or of 10,000 usual ones.
            std::size_t maxBytes = 64UL << 20U;
            Millis keep{std::chrono::hours{24 * 7}};
            std::uint32_t window = 1;
            Millis pace{0};
            friend bool operator==(const Mailbox&, const Mailbox&) = default;
        };
        /// Where the contacts that people register may lie.
        struct Contacts {
            std::vector<std::string> allow;  ///< besides public addresses; see AddressPolicy
            friend bool operator==(const Contacts&, const Contacts&) = default;
        };
        struct Registration {
            std::uint32_t maxContacts = 10;
            Millis minExpires{std::chrono::minutes{1}};
            Millis defaultExpires{std::chrono::hours{1}};
            Millis maxExpires{std::chrono::hours{2}};
            friend bool operator==(const Registration&, const Registration&) = default;
        };
        struct Limits {
            /// More than people and most programs send, and a small part of what a daemon takes.
            std::uint32_t perSender = 1'000;
            std::uint32_t subscriptions = 10'000;
            /// At the size of most messages half a gigabyte of Redis.
            std::uint32_t totalMessages = 1'000'000;
            std::uint32_t memoryShare = 50;  ///< percent
            std::uint32_t sendRate = 0;
            std::size_t flushMemory = 64UL << 20U;
            std::uint32_t connections = 20'000;
            std::uint32_t connectionsPerAddress = 100;
            Millis messageTime{std::chrono::seconds{30}};
            friend bool operator==(const Limits&, const Limits&) = default;
        };
        /// Digest authentication of whoever is not trusted.
        struct Auth {
            std::filesystem::path users;
            std::string sql;  ///< a URL, or "journal"
            std::string query;
            bool sha256 = true;
            bool md5 = false;
            Millis nonceLifetime{std::chrono::minutes{5}};
            std::uint32_t failures = 20;
            friend bool operator==(const Auth&, const Auth&) = default;
        };
        struct Tls {
            std::filesystem::path certificate;
            std::filesystem::path key;
            std::filesystem::path ca;
            ClientCertificates verify = ClientCertificates::None;
            friend bool operator==(const Tls&, const Tls&) = default;
        };
        struct Trace {
            std::string to;                 ///< empty = off; see core/config/sip_keys.cpp
            std::vector<std::string> only;  ///< AoRs; empty = everybody
            std::uint32_t megabytes = 100;
            friend bool operator==(const Trace&, const Trace&) = default;
        };
        std::vector<SipListen> listen{{true, true, {"127.0.0.1", 5060}}};
        std::vector<std::string> domain;
        std::vector<std::string> users;  ///< empty = whoever is addressed
        std::vector<std::string> proxy;  ///< in the order in which they are tried
        std::string proxyUser;
        std::filesystem::path proxyPasswordFile;
        std::string proxyRealm;
        std::string regevent;
        std::vector<TrustedPeer> trusted{Network::parse("127.0.0.0/8").value(),
                                         Network::parse("::1").value()};
        std::vector<Network> edges;
        UserCase userCase = UserCase::Insensitive;
        std::uint32_t threads = 1;
        Contacts contacts;
        bool registrar = true;
        RetrySchedule retry = RetrySchedule::parse("0s,2m,10m,10m,1h,2h,6h,15h").value();
        Devices devices = Devices::First;
        std::vector<std::string> headers;
        std::vector<std::string> headersDropped;
        Millis answerTimeout{std::chrono::seconds{32}};
        Millis liveTimeout{0};  ///< 0 = senders do not wait for the device
        std::vector<SipOutcome> outcomes;
        std::uint32_t redirects = 5;
        Millis hold{std::chrono::hours{6}};
        Mailbox mailbox;
        Registration registration;
        Limits limits;
        std::vector<Receipt> receipts{Receipt::Stored, Receipt::Failed};
        Notice notice = Notice::Off;
        Millis noticeInterval{std::chrono::hours{1}};
        std::string noticeFrom;  ///< empty = the recipient
        std::string noticeStoredText =
            "Your message to {recipient} is kept until they can be reached.";
        std::string noticeFailedText =
            "Your message to {recipient} could not be delivered: {reason}";
        bool mwi = false;
        std::string scheduleHeader;  ///< empty = nobody schedules by SIP
        Millis scheduleHorizon{std::chrono::hours{24 * 365}};
        std::uint32_t schedulePerSender = 1'000;
        Auth auth;
        Tls tls;
        Trace trace;
        friend bool operator==(const Sip&, const Sip&) = default;
    };
    struct Http {
        struct Tls {
            std::filesystem::path certificate;
            std::filesystem::path key;
            friend bool operator==(const Tls&, const Tls&) = default;
        };
        struct Limits {
            std::uint32_t connections = 10'000;
            std::uint32_t perAddress = 1'000;
            std::uint32_t parked = 8'000;
            Millis request{std::chrono::seconds{30}};
            Millis idle{std::chrono::seconds{75}};
            friend bool operator==(const Limits&, const Limits&) = default;
        };
        std::optional<SocketAddress> listen{SocketAddress{"127.0.0.1", 9277}};
        std::uint32_t threads = 1;
        std::filesystem::path tokenFile;
        std::vector<std::string> hosts;
        Tls tls;
        Limits limits;
        friend bool operator==(const Http&, const Http&) = default;
    };
    struct Webhook {
        std::vector<std::string> allow;
        std::filesystem::path secretFile;
        std::filesystem::path caFile;
        std::uint32_t concurrency = 128;
        std::uint32_t perHost = 8;
        Millis timeout{std::chrono::seconds{15}};
        WebhookGroup group = WebhookGroup::Off;
        std::vector<std::string> groupTopics;
        friend bool operator==(const Webhook&, const Webhook&) = default;
    };
    using Reminder = ReminderSettings;
    using Missed = ReminderSettings::Missed;
    struct Sms {
        SmsGateway gateway = SmsGateway::Off;
        std::string url;  ///< of the gateway; a template for SmsGateway::Template
        std::string method = "POST";
        std::string body;  ///< template
        std::string contentType = "application/json";
        std::vector<std::string> headers;  ///< "Name: template"
        std::string success;               ///< regular expression on the answer's body, empty = any
        std::string user;
        std::filesystem::path passwordFile;
        std::string from;
        std::uint32_t rate = 0;
        std::uint32_t concurrency = 8;
        Millis timeout{std::chrono::seconds{30}};
        std::uint32_t maxParts = 6;
        SmsReports deliveryReports = SmsReports::Off;
        std::string reportUrl;  ///< empty = http.listen
        Millis reportTimeout{std::chrono::hours{24}};
        SmsUnreported unreported = SmsUnreported::Dead;
        std::string quietHours;  ///< "21:00-08:00"
        std::string timeZone = "UTC";
        std::vector<std::string> zones;  ///< "+49=Europe/Berlin"
        friend bool operator==(const Sms&, const Sms&) = default;
    };
    struct Redis {
        std::string url;                     ///< empty = embedded
        std::filesystem::path passwordFile;  ///< of the Redis that `url` names
        std::size_t maxMemory = 0;           ///< of the embedded one; 0 = half of the machine's
        std::string prefix = "rst";
        std::uint32_t shards = 1;
        Fsync fsync = Fsync::Always;
        friend bool operator==(const Redis&, const Redis&) = default;
    };
    struct Journal {
        std::string url;                     ///< empty = SQLite in the state directory
        std::filesystem::path passwordFile;  ///< of the database that `url` names
        JournalMode mode = JournalMode::Async;
        Recover recover = Recover::Auto;
        std::uint32_t backlog = 1'000'000;
        Millis allowedLag{1'000};  ///< 0 = the recorder never pauses
        Millis retention{std::chrono::hours{24 * 90}};
        Millis sampleEvery{std::chrono::minutes{1}};  ///< 0 = never
        friend bool operator==(const Journal&, const Journal&) = default;
    };
    struct Queue {
        Millis hotHorizon{0};  ///< what is due later waits in the journal alone; 0 = nothing does
        friend bool operator==(const Queue&, const Queue&) = default;
    };
    struct Limits {
        std::size_t body = 65'536;
        std::uint32_t attempts = 0;
        friend bool operator==(const Limits&, const Limits&) = default;
    };
    struct Retention {
        Millis trash{std::chrono::hours{24 * 30}};
        Millis done{0};
        friend bool operator==(const Retention&, const Retention&) = default;
    };
    struct Log {
        log::Level level = log::Level::Info;
        log::Format format = log::Format::Text;
        friend bool operator==(const Log&, const Log&) = default;
    };

    std::filesystem::path stateDir;  ///< empty = defaultStateDirectory()
    Sip sip;
    Http http;
    Webhook webhook;
    Sms sms;
    Reminder reminder;
    Redis redis;
    Journal journal;
    Queue queue;
    Limits limits;
    Retention retention;
    Log log;

    friend bool operator==(const Config&, const Config&) = default;

    /// `stateDir`, or the default place when it is empty.
    std::filesystem::path stateDirectory() const;
};

/// The base of the URL to which the gateway brings delivery reports: `sms.report_url` or
/// `http.listen`, without a slash at its end; empty when none are wanted. Invalid says why
/// `http.listen` does not do.
Result<std::string> smsReportUrlOf(const Config& config);

/// A setting that does what hardly anybody wants. *Value.*
struct ConfigWarning {
    std::string key;     ///< "sip.trusted"
    std::string what;    ///< a sentence
    std::string advice;  ///< what to do
};

/// The entries of `sip.trusted`, `sip.edges` and `sip.contacts.allow` that are everybody
/// (Network::isEverybody()) or lead everywhere, each alone or several together. None when SIP is
/// heard on this machine alone.
std::vector<ConfigWarning> trustInEverybody(const Config& config);

/// The entries of `sip.trusted` that are everybody only together, as in "0.0.0.0/1,
/// tcp:128.0.0.0/1": all of IPv4 or of the public addresses of IPv6, to one transport over which
/// nobody has to show a certificate.
std::vector<std::string> trustedPeersThatAreEverybody(const Config::Sip& sip);
/// The same of `sip.edges`.
std::vector<std::string> edgesThatAreEverybody(const Config::Sip& sip);

/// The directory that systemd gives a service ($STATE_DIRECTORY), else $XDG_STATE_HOME/restante,
/// else ~/.local/state/restante, else (no home: a service) /var/lib/restante.
std::filesystem::path defaultStateDirectory();

}  // namespace restante
