#include "core/base/text.h"
#include "core/config/key_builder.h"
#include "core/config/never_stored_headers.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante::builder {

namespace {
using namespace std::chrono_literals;

/// Headers with a meaning in SIP; they cannot also say when a message is to be delivered.
constexpr std::string_view kUsedHeaders =
    "Accept Allow Authorization Call-ID Contact Content-Disposition Content-Encoding "
    "Content-Language Content-Length Content-Type CSeq Date Event Expires From Max-Forwards "
    "MIME-Version P-Asserted-Identity Path Priority Proxy-Authorization Record-Route Require "
    "Retry-After Route Subject Supported Timestamp To User-Agent Via X-Restante-Job "
    "X-Restante-Store";

bool isFreeHeader(std::string_view word)
{
    // A single letter is the short form of something.
    return word.empty() ||
           (word.size() > 1 && codec::isToken(word) && !isOneOf(word, kUsedHeaders));
}

bool isQuery(std::string_view word)
{
    return word.empty() ||
           (word.starts_with("SELECT ") && word.find("{user}") != std::string_view::npos);
}

using Verdict = SipOutcome::Verdict;

using NamedVerdict = std::pair<std::string_view, Verdict>;
constexpr NamedVerdict kVerdicts[]{
    {"delivered", Verdict::Delivered},
    {"retry", Verdict::Retry},
    {"hold", Verdict::Hold},
    {"dead", Verdict::Dead},
};

/// Without these headers a message cannot be delivered, or not unchanged.
constexpr std::string_view kIndispensable =
    "From To Call-ID CSeq Via Date Route Max-Forwards Content-Length Content-Type";

/// "488" or "4xx" of an answer that is no success; false for anything else.
bool readStatuses(std::string_view text, SipOutcome& outcome)
{
    if (text.size() != 3 || text.front() < '3' || text.front() > '6') {
        return false;
    }
    const auto classStart = static_cast<std::uint16_t>(100 * (text.front() - '0'));
    if (text.substr(1) == "xx") {
        outcome.first = classStart;
        outcome.last = static_cast<std::uint16_t>(classStart + 99);
        return true;
    }
    const auto status = wholeNumber<std::uint16_t>(text);
    outcome.first = outcome.last = status.value_or(0);
    return status.has_value();
}

std::optional<SipOutcome> readOutcome(std::string_view word)
{
    const auto sign = word.find('=');
    SipOutcome outcome;
    if (sign == std::string_view::npos || !readStatuses(word.substr(0, sign), outcome)) {
        return {};
    }
    const auto* namedVerdict =
        std::ranges::find(kVerdicts, word.substr(sign + 1), &NamedVerdict::first);
    if (namedVerdict == std::end(kVerdicts)) {
        return {};
    }
    outcome.verdict = namedVerdict->second;
    return outcome;
}

std::string formatOutcome(const SipOutcome& outcome)
{
    const auto* namedVerdict = std::ranges::find(kVerdicts, outcome.verdict, &NamedVerdict::second);
    const auto statuses = outcome.first == outcome.last ? std::to_string(outcome.first)
                                                        : fmt::format("{}xx", outcome.first / 100);
    return fmt::format("{}={}", statuses, namedVerdict->first);
}

bool mayBeDropped(std::string_view header)
{
    return codec::isToken(header) && !isOneOf(header, kIndispensable);
}

bool isTraceTarget(std::string_view text)
{
    constexpr std::string_view kHep = "hep:udp:";
    return text.empty() || (text.starts_with("pcap:/") && text.size() > 6) ||
           (text.starts_with(kHep) && SocketAddress::parse(text.substr(kHep.size())));
}

void addGeneral(std::vector<ConfigKey>& keys)
{
    using Sip = Config::Sip;
    Section sip(keys, "sip.", &Config::sip);
    sip.key("listen", "Where SIP is heard. An empty list turns SIP off.", codec::sipListen(),
            &Sip::listen);
    sip.number("threads",
               "How many threads hear and deliver SIP, each with connections to Redis of its own; "
               "up to\n"
               "as many as the machine has cores to spare beside Redis and the journal.",
               1, 64, &Sip::threads);
    sip.key("domain",
            "The domains whose people are ours; anything else is answered 404 and never relayed.\n"
            "Empty: the addresses that SIP listens on, and localhost.",
            codec::text("host names or addresses, such as example.org", codec::isHostNameOrAddress),
            &Sip::domain);
    sip.key(
        "users",
        "The people for whom messages are kept; a message to anybody else is answered 404. Each "
        "is\n"
        "a user name, valid in every domain of ours, an address such as sip:bob@example.org, or\n"
        "the absolute path of a file with one of these a line. Empty: whoever is addressed. A\n"
        "SIGHUP reads it again.",
        codec::text("user names, SIP addresses or absolute paths",
                    [](auto word) {
                        return !word.empty() && word.find_first_of(" \t") == std::string_view::npos;
                    }),
        &Sip::users, Reload::Yes);
    sip.key("proxy",
            "The SIP server through which messages are delivered, such as\n"
            "sip:192.0.2.1:5060;transport=tcp or sips:sip.example.org; of several the first that\n"
            "answers. Empty: straight to the registered contacts.",
            codec::text("a SIP URI, such as sip:192.0.2.1:5060;transport=tcp, or several",
                        codec::isSipUri),
            &Sip::proxy);
    sip.key(
        "proxy_user",
        "Who we are when sip.proxy asks for credentials (401 or 407). Empty: such an answer is\n"
        "final.",
        codec::text("a user name, or nothing"), &Sip::proxyUser);
    sip.key(
        "proxy_password_file",
        "A file whose first line is the password of sip.proxy_user. Only its owner and group may\n"
        "read it.",
        codec::path(), &Sip::proxyPasswordFile);
    sip.key(
        "proxy_realm",
        "The realm in which sip.proxy knows us; a challenge of any other is not answered. Empty:\n"
        "the host of sip.proxy or a domain of sip.domain.",
        codec::text("the realm as the proxy writes it, or nothing"), &Sip::proxyRealm);
    sip.key("regevent",
            "The server that tells who registers (RFC 3680), such as sip:192.0.2.1:5060, if it\n"
            "does not copy REGISTERs; needs sip.proxy. Empty: none.",
            codec::text("a SIP URI, such as sip:192.0.2.1:5060;transport=tcp, or nothing",
                        [](auto word) { return word.empty() || codec::isSipUri(word); }),
            &Sip::regevent);
    sip.key(
        "trusted",
        "Who may send requests: SIP servers and phones that are believed. Others must log in\n"
        "(sip.auth), or are answered 403. Over UDP whoever can forge a source address is believed\n"
        "too: beyond this machine and a closed network, name peers as tcp: or tls:.",
        codec::parsed<TrustedPeer>("an address or a network, such as 192.0.2.1, 10.0.0.0/8 or "
                                   "fd00::/8; behind tcp: or tls:, whoever connects from there; or "
                                   "tls: and a certificate's name, such as tls:proxy.example.org"),
        &Sip::trusted);
    sip.key(
        "edges",
        "Edge proxies in front of us whose Path is believed, although the phones behind them log\n"
        "in here: deliveries go back through them.",
        codec::parsed<Network>(
            "an address or a network, such as 192.0.2.1, 10.0.0.0/8 or fd00::/8"),
        &Sip::edges);
    sip.key(
        "user_case",
        "Whether sip:Bob@ and sip:bob@ are one person (insensitive, as in Kamailio unless\n"
        "its registrar has case_sensitive 1) or two (sensitive, as in RFC 3261). Set it before\n"
        "messages are stored: it decides whose they are.",
        codec::choice<Config::UserCase>({{"sensitive", Config::UserCase::Sensitive},
                                         {"insensitive", Config::UserCase::Insensitive}}),
        &Sip::userCase);
    sip.key("registrar", "Whether phones may register here (the built-in registrar).",
            codec::flag(), &Sip::registrar);
}

void addDelivery(std::vector<ConfigKey>& keys)
{
    using Sip = Config::Sip;
    Section sip(keys, "sip.", &Config::sip);
    sip.key(
        "retry",
        "The waits before each attempt to deliver a stored message. A registration comes first\n"
        "whenever it happens.",
        codec::parsed<RetrySchedule>("the waits before each attempt, \"0s,2m,10m,1h\", or "
                                     "\"exponential(base=10s,cap=1h,jitter=0.2,attempts=12)\""),
        &Sip::retry);
    sip.key("devices",
            "Which of somebody's devices get a message: the first that takes it, or all.",
            codec::choice<Config::Devices>(
                {{"first", Config::Devices::First}, {"all", Config::Devices::All}}),
            &Sip::devices);
    sip.key(
        "headers", "Headers that travel with a message besides the end-to-end ones of the RFCs.",
        codec::text("header names, such as X-Campaign, but none that belongs to one hop, tells of "
                    "a network or holds credentials (Via, Route, Contact, P-Charging-Vector ...)",
                    [](auto word) { return codec::isToken(word) && !isNeverStored(word); }),
        &Sip::headers);
    sip.key("headers_dropped",
            "Headers that do not travel with a message, although they are end-to-end or in\n"
            "sip.headers.",
            codec::text("header names, such as User-Agent, but none that a message needs",
                        mayBeDropped),
            &Sip::headersDropped);
    sip.key("answer_timeout", "How long a device has to answer before it counts as unreachable.",
            codec::duration(100ms, 3min), &Sip::answerTimeout);
    // A sender gives up after 32 s (timer F of RFC 3261) and must have the 202 well before.
    sip.key(
        "live_timeout",
        "How long a sender waits for the answer of the recipient's device, once the message is\n"
        "stored; then it is answered 202. 0s = it is answered 202 as soon as it is stored.",
        codec::duration(0ms, 20s), &Sip::liveTimeout);
    sip.key(
        "outcomes",
        "What an answer means, where it differs from the table in docs/sip-behaviour.md:\n"
        "delivered, retry (by the schedule), hold (until the recipient registers), dead. A\n"
        "status goes before its class.",
        codec::Codec<SipOutcome>{
            "a status from 300 to 699 or a class 3xx to 6xx, = and delivered, retry, hold or dead, "
            "such as 488=retry or 6xx=hold",
            readOutcome, formatOutcome},
        &Sip::outcomes);
    sip.number("redirects",
               "How many redirections (3xx) one attempt follows, within our domains. 0 = none.", 0,
               10, &Sip::redirects);
    sip.key("hold",
            "A message that is on hold until its recipient registers is tried after this all the\n"
            "same: the news of a registration may be lost.",
            codec::duration(1min, 24h * 31), &Sip::hold);
}

void addTrace(std::vector<ConfigKey>& keys)
{
    using Trace = Config::Sip::Trace;
    Section trace(keys, "sip.", &Config::sip, &Config::Sip::trace);
    trace.key(
        "trace",
        "Where every SIP message is copied to, bodies included: pcap:/path/to/file, which sngrep\n"
        "and Wireshark read, or hep:udp:192.0.2.9:9060, a Homer. Empty: nowhere.",
        codec::text("pcap:/path/to/file, hep:udp:ADDRESS:PORT, or nothing", isTraceTarget),
        &Trace::to, Reload::Yes);
    trace.key("trace_only",
              "The people whose messages are traced, sent or received. Empty: everybody's.",
              codec::text("addresses of record, such as sip:bob@example.org", codec::isSipUri),
              &Trace::only, Reload::Yes);
    trace.number("trace_megabytes",
                 "When a pcap file is larger it becomes FILE.1, and a new one begins.", 1, 100'000,
                 &Trace::megabytes, Reload::Yes);
}

void addReceiptsAndMwi(std::vector<ConfigKey>& keys)
{
    using Sip = Config::Sip;
    Section sip(keys, "sip.", &Config::sip);
    sip.key("receipts",
            "Which IMDN receipts (RFC 5438) are sent when a message asks for them: stored, "
            "failed, and\n"
            "delivered, which is the device's to send and is only for devices that cannot.",
            codec::choice<Config::Receipt>({{"stored", Config::Receipt::Stored},
                                            {"delivered", Config::Receipt::Delivered},
                                            {"failed", Config::Receipt::Failed}}),
            &Sip::receipts);
    sip.key("notice",
            "Whether a sender is told in a plain text message that theirs is kept because the "
            "recipient\n"
            "cannot be reached (stored), that it could not be delivered (failed), or both.",
            codec::choice<Config::Notice>({{"off", Config::Notice::Off},
                                           {"stored", Config::Notice::Stored},
                                           {"failed", Config::Notice::Failed},
                                           {"both", Config::Notice::Both}}),
            &Sip::notice);
    sip.key("notice_interval",
            "A sender gets at most one notice of a kind about the same recipient in this time.",
            codec::duration(5min, 24h * 7), &Sip::noticeInterval);
    sip.key("notice_from",
            "Who the notices come from, such as sip:restante@example.org. Empty: the recipient.",
            codec::text("a SIP URI with a user, such as sip:restante@example.org, or nothing",
                        [](auto word) {
                            return word.empty() || (codec::isSipUri(word) &&
                                                    word.find('@') != std::string_view::npos);
                        }),
            &Sip::noticeFrom);
    const auto noticeText =
        codec::text("1 to 1,000 bytes of text, in which {recipient} and {reason} are replaced",
                    [](auto word) { return !word.empty() && word.size() <= 1'000; });
    sip.key("notice_stored_text", "What the notice says when a message is kept.", noticeText,
            &Sip::noticeStoredText);
    sip.key("notice_failed_text", "What it says when a message has failed.", noticeText,
            &Sip::noticeFailedText);
    sip.key(
        "mwi",
        "Whether a phone may subscribe to its user's message-summary (RFC 3842) and is told how\n"
        "many messages wait.",
        codec::flag(), &Sip::mwi);
}

void addScheduledDelivery(std::vector<ConfigKey>& keys)
{
    using Sip = Config::Sip;
    Section sip(keys, "sip.", &Config::sip);
    sip.key(
        "schedule_header",
        "The header by which a MESSAGE says when it is to be delivered, as an RFC 3339 time or in\n"
        "seconds from now, such as X-Deliver-At. Empty: none, everything is delivered at once.",
        codec::text("a header name that SIP does not use, such as X-Deliver-At, or nothing",
                    isFreeHeader),
        &Sip::scheduleHeader);
    sip.key("schedule_horizon", "How far ahead that may be; further is answered 400.",
            codec::duration(1min, kLongestDuration), &Sip::scheduleHorizon);
    sip.number(
        "schedule_per_sender",
        "How many scheduled messages of one sender may be pending; the next is answered 480.\n"
        "0 = no limit.",
        0, kMostCount, &Sip::schedulePerSender);
}

void addMailboxAndLimits(std::vector<ConfigKey>& keys)
{
    using Mailbox = Config::Sip::Mailbox;
    Section mailbox(keys, "sip.mailbox.", &Config::sip, &Config::Sip::mailbox);
    mailbox.number("max_messages",
                   "How many messages wait for one person; the next is answered 480. 0 = no limit.",
                   0, kMostCount, &Mailbox::maxMessages);
    mailbox.number(
        "max_bytes",
        "How many bytes they may have, headers included; a message that would make them more is\n"
        "answered 480. 0 = no limit.",
        0, kMostBytes, &Mailbox::maxBytes);
    mailbox.key("keep", "How long a message without an Expires of its own is kept.",
                codec::duration(1min, kLongestDuration), &Mailbox::keep);
    mailbox.number("window",
                   "How many messages to one person are under way at a time. Above 1 they leave in "
                   "order, but\n"
                   "one that fails comes after those that were under way with it.",
                   1, 100, &Mailbox::window);
    mailbox.key("pace", "The least time between two messages to one person.",
                codec::duration(0ms, 1h), &Mailbox::pace);

    using Limits = Config::Sip::Limits;
    Section limits(keys, "sip.limits.", &Config::sip, &Config::Sip::limits);
    limits.number(
        "per_sender",
        "Messages a second from one sender (From), whoever forwards them; more are answered 480.\n"
        "0 = no limit.",
        0, kMostCount, &Limits::perSender);
    limits.number(
        "connections",
        "TCP and TLS connections made to us at one time; the next is closed. Never more than the\n"
        "process may open (ulimit -n).",
        1, 1'000'000, &Limits::connections);
    limits.number(
        "connections_per_address",
        "The same of one address; those from 127.0.0.1 and ::1 count only in all, for a proxy's\n"
        "come from there.",
        1, 1'000'000, &Limits::connectionsPerAddress);
    limits.key(
        "message_time",
        "A connection over which bytes keep coming for longer without a message that ends is\n"
        "closed.",
        codec::duration(1s, 10min), &Limits::messageTime);
    limits.number(
        "subscriptions",
        "How many people's registrations are watched at once at sip.regevent; what waits\n"
        "for the others is tried by sip.retry alone.",
        1, kMostCount, &Limits::subscriptions);
    limits.number(
        "total_messages",
        "Messages that wait in all mailboxes together; the next is answered 503. 0 = no limit.", 0,
        kMostCount, &Limits::totalMessages);
    limits.number("memory_share",
                  "How many percent of redis.max_memory the messages in all mailboxes may take, "
                  "each counted\n"
                  "with 512 bytes more than its own; the next is answered 503. Of a Redis of your "
                  "own: of its\n"
                  "maxmemory, or of half of its machine's memory. 0 = no limit.",
                  0, 100, &Limits::memoryShare);
    limits.number(
        "send_rate",
        "Messages a second that this daemon delivers to all people together. 0 = no limit.", 0,
        1'000'000, &Limits::sendRate);
    limits.number(
        "flush_memory",
        "Memory, in bytes, for the messages that are being delivered; further people wait their\n"
        "turn.",
        1'048'576, kMostBytes, &Limits::flushMemory);
}

void addRegistrar(std::vector<ConfigKey>& keys)
{
    using Registration = Config::Sip::Registration;
    Section registration(keys, "sip.registration.", &Config::sip, &Config::Sip::registration);
    registration.number("max_contacts", "How many devices one person may register.", 1, 100,
                        &Registration::maxContacts);
    registration.key("min_expires", "A shorter registration is answered 423.",
                     codec::duration(1s, 24h), &Registration::minExpires);
    registration.key("default_expires", "The length of a registration that asks for none.",
                     codec::duration(1s, 24h), &Registration::defaultExpires);
    registration.key("max_expires", "A longer registration is shortened to this.",
                     codec::duration(1s, 24h), &Registration::maxExpires);

    using Contacts = Config::Sip::Contacts;
    Section contacts(keys, "sip.contacts.", &Config::sip, &Config::Sip::contacts);
    contacts.key(
        "allow",
        "Networks or hosts where registered contacts may lie besides public addresses and the\n"
        "address that the REGISTER came from. On this machine's own addresses the port must be\n"
        "that of the REGISTER, too.",
        codec::text("networks or host names, such as 10.0.0.0/8 or phones.example.org",
                    codec::isNetworkOrHost),
        &Contacts::allow);
}

void addAuthAndTls(std::vector<ConfigKey>& keys)
{
    using Auth = Config::Sip::Auth;
    Section auth(keys, "sip.auth.", &Config::sip, &Config::Sip::auth);
    auth.key(
        "users",
        "A file of users who may send from addresses outside sip.trusted, with the password that\n"
        "a digest (RFC 7616) proves: \"user:domain:hash\" a line, made by restantectl sip-user.\n"
        "Only its owner and group may read it. A SIGHUP reads it again.",
        codec::path(), &Auth::users, Reload::Yes);
    auth.key("sql",
             "The same users in a database instead: journal is the journal's, or a URL as for\n"
             "journal.url. Kept in memory for half a minute.",
             codec::databaseUrl(
                 "journal, sqlite:///path, mysql://... or postgresql://..., or nothing", "journal"),
             &Auth::sql);
    auth.key(
        "query",
        "How the database is asked for the hashes of {user} in {realm}, by SHA-256 and by MD5;\n"
        "one may be empty: SELECT '', ha1 FROM subscriber WHERE username = {user} AND\n"
        "domain = {realm}. Empty: from the table restante_user, which is made.",
        codec::text("SELECT with two columns and {user}, or nothing", isQuery), &Auth::query);
    auth.key("sha256", "Whether a digest by SHA-256 (RFC 8760) is asked for.", codec::flag(),
             &Auth::sha256);
    auth.key("md5",
             "Whether one by MD5 is taken too, after SHA-256: many phones know nothing else.",
             codec::flag(), &Auth::md5);
    auth.key("nonce_lifetime", "How long the answer to a challenge may be used.",
             codec::duration(1s, 24h), &Auth::nonceLifetime);
    auth.number("failures",
                "Wrong passwords a minute from one address; then it is answered 403. 0 = no limit.",
                0, kMostCount, &Auth::failures);

    using Tls = Config::Sip::Tls;
    Section tls(keys, "sip.tls.", &Config::sip, &Config::Sip::tls);
    tls.key("certificate",
            "The certificate chain (PEM, ours first) that we show over TLS, as a server and, when "
            "asked\n"
            "for it, as a client. A SIGHUP reads it again; living connections stay.",
            codec::path(), &Tls::certificate, Reload::Yes);
    tls.key("key",
            "The private key (PEM) of sip.tls.certificate. Empty: it stands in the same file.",
            codec::path(), &Tls::key, Reload::Yes);
    tls.key(
        "ca",
        "The certificates (PEM) by which we believe servers that we connect to, and clients that\n"
        "show one. Empty: the system's.",
        codec::path(), &Tls::ca, Reload::Yes);
    tls.key(
        "verify",
        "Whether whoever connects over TLS must show a certificate that sip.tls.ca vouches for:\n"
        "not asked for one (none), turned away with a bad one (optional), or without one as well\n"
        "(required).",
        codec::choice<Config::ClientCertificates>(
            {{"none", Config::ClientCertificates::None},
             {"optional", Config::ClientCertificates::Optional},
             {"required", Config::ClientCertificates::Required}}),
        &Tls::verify, Reload::Yes);
}

}  // namespace

void addSip(std::vector<ConfigKey>& keys)
{
    addGeneral(keys);
    addDelivery(keys);
    addTrace(keys);
    addReceiptsAndMwi(keys);
    addScheduledDelivery(keys);
    addMailboxAndLimits(keys);
    addRegistrar(keys);
    addAuthAndTls(keys);
}

}  // namespace restante::builder
