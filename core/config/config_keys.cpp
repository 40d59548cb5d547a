#include "core/config/config_keys.h"

#include "core/config/config_codec.h"
#include "core/config/hop_headers.h"
#include "core/config/key_builder.h"
#include "core/redis/client/redis_url.h"

#include <limits>

namespace restante {

namespace {
using namespace std::chrono_literals;
using builder::many;
using builder::one;
using builder::Reload;

constexpr std::uint64_t kAnyCount = std::numeric_limits<std::uint32_t>::max();
// Ten years: longer is a slip of the pen, and JobLimits::horizon refuses it anyway.
constexpr Millis kLongest = std::chrono::hours{24 * 3650};

codec::Codec<std::string> redisUrl()
{
    auto codec =
        codec::text("embedded, redis[s]://[[user]:password@]host[:port][/db], "
                    "redis[s]+sentinel://[[user]:password@]host[:port],.../master[/db], "
                    "redis[s]+cluster://[[user]:password@]host[:port],... or unix:///path");
    codec.read = [](std::string_view word) -> std::optional<std::string> {
        if (word.empty() || word == "embedded") {
            return std::string{};
        }
        return redis::parseRedisUrl(word) ? std::optional{std::string(word)} : std::nullopt;
    };
    codec.why = [](std::string_view word) { return redis::parseRedisUrl(word).error().message; };
    codec.print = [](const std::string& url) { return url.empty() ? "embedded" : url; };
    return codec;
}

bool isJournalUrl(std::string_view word)
{
    return word.empty() || word.starts_with("sqlite:///") || word.starts_with("mysql://") ||
           word.starts_with("postgresql://");
}

bool isPrefix(std::string_view word)
{
    // Braces would move the hash tag, white space would break the events' id lists.
    return !word.empty() && word.size() <= 64 &&
           std::all_of(word.begin(), word.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == ':';
           });
}

void addSip(std::vector<ConfigKey>& keys)
{
    keys.push_back(many<SipListen>(
        {"sip.listen", "Where SIP is heard. An empty list turns SIP off."}, codec::sipListen(),
        [](auto& c) -> auto& { return c.sip.listen; }));
    keys.push_back(many<std::string>(
        {"sip.domain",
         "The domains whose people are ours; anything else is answered 404 and never relayed.\n"
         "Empty: the addresses that SIP listens on, and localhost."},
        codec::text("host names or addresses, such as example.org", codec::isHostName),
        [](auto& c) -> auto& { return c.sip.domain; }));
    keys.push_back(many<std::string>(
        {"sip.users",
         "The people for whom messages are kept; a message to anybody else is answered 404. Each "
         "is\n"
         "a user name, valid in every domain of ours, an address such as sip:bob@example.org, or\n"
         "the absolute path of a file with one of these a line. Empty: whoever is addressed. A\n"
         "SIGHUP reads it again.",
         Reload::Yes},
        codec::text("user names, SIP addresses or absolute paths",
                    [](auto word) {
                        return !word.empty() && word.find_first_of(" \t") == std::string_view::npos;
                    }),
        [](auto& c) -> auto& { return c.sip.users; }));
    keys.push_back(many<std::string>(
        {"sip.proxy",
         "The SIP server through which messages are delivered, such as\n"
         "sip:192.0.2.1:5060;transport=tcp or sips:sip.example.org; of several the first that\n"
         "answers. Empty: straight to the registered contacts."},
        codec::text("a SIP URI, such as sip:192.0.2.1:5060;transport=tcp, or several",
                    [](auto word) { return codec::isSipUri(word); }),
        [](auto& c) -> auto& { return c.sip.proxy; }));
    builder::addSipProxyLogin(keys);
    keys.push_back(one<std::string>(
        {"sip.regevent",
         "The server that tells who registers (RFC 3680), such as sip:192.0.2.1:5060, if it\n"
         "does not copy REGISTERs; needs sip.proxy. Empty: none."},
        codec::text("a SIP URI, such as sip:192.0.2.1:5060;transport=tcp, or nothing",
                    [](auto word) { return word.empty() || codec::isSipUri(word); }),
        [](auto& c) -> auto& { return c.sip.regevent; }));
    builder::addSipPeers(keys);
    keys.push_back(one<bool>(
        {"sip.registrar", "Whether phones may register here (the built-in registrar)."},
        codec::flag(), [](auto& c) -> auto& { return c.sip.registrar; }));
    keys.push_back(one<RetrySchedule>(
        {"sip.retry",
         "The waits before each attempt to deliver a stored message. A registration comes first\n"
         "whenever it happens."},
        codec::schedule(), [](auto& c) -> auto& { return c.sip.retry; }));
    keys.push_back(one<Config::Devices>(
        {"sip.devices",
         "Which of somebody's devices get a message: the first that takes it, or all."},
        codec::choice<Config::Devices>(
            {{"first", Config::Devices::First}, {"all", Config::Devices::All}}),
        [](auto& c) -> auto& { return c.sip.devices; }));
    keys.push_back(many<std::string>(
        {"sip.headers",
         "Headers that travel with a message besides the end-to-end ones of the RFCs."},
        codec::text("header names, such as X-Campaign, but none that belongs to one hop, tells of "
                    "a network or holds credentials (Via, Route, Contact, P-Charging-Vector ...)",
                    [](auto word) { return codec::isToken(word) && !staysBehind(word); }),
        [](auto& c) -> auto& { return c.sip.headers; }));
    builder::addSipDelivery(keys);
}

void addRegistration(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::uint32_t>(
        {"sip.registration.max_contacts", "How many devices one person may register."},
        codec::number<std::uint32_t>(1, 100),
        [](auto& c) -> auto& { return c.sip.registration.maxContacts; }));
    keys.push_back(one<Millis>(
        {"sip.registration.min_expires", "A shorter registration is answered 423."},
        codec::duration(1s, 24h), [](auto& c) -> auto& { return c.sip.registration.minExpires; }));
    keys.push_back(one<Millis>(
        {"sip.registration.default_expires", "The length of a registration that asks for none."},
        codec::duration(1s, 24h),
        [](auto& c) -> auto& { return c.sip.registration.defaultExpires; }));
    keys.push_back(one<Millis>(
        {"sip.registration.max_expires", "A longer registration is shortened to this."},
        codec::duration(1s, 24h), [](auto& c) -> auto& { return c.sip.registration.maxExpires; }));
}

void addHttpLimits(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::uint32_t>(
        {"http.limits.connections", "Clients connected at once; more are turned away."},
        codec::number<std::uint32_t>(1, 100'000),
        [](auto& c) -> auto& { return c.http.limits.connections; }));
    keys.push_back(one<std::uint32_t>(
        {"http.limits.per_address",
         "The same of one address; those of this machine count only in all, for a proxy's come\n"
         "from there."},
        codec::number<std::uint32_t>(1, 100'000),
        [](auto& c) -> auto& { return c.http.limits.perAddress; }));
    keys.push_back(one<std::uint32_t>(
        {"http.limits.parked", "Clients that wait for a job at once; the next is answered 503."},
        codec::number<std::uint32_t>(0, 100'000),
        [](auto& c) -> auto& { return c.http.limits.parked; }));
    keys.push_back(one<Millis>(
        {"http.limits.request", "How long a request may take from its first byte to its last, and "
                                "an answer likewise."},
        codec::duration(100ms, 10min), [](auto& c) -> auto& { return c.http.limits.request; }));
    keys.push_back(one<Millis>(
        {"http.limits.idle", "How long a connection is kept between two requests."},
        codec::duration(100ms, 1h), [](auto& c) -> auto& { return c.http.limits.idle; }));
}

void addHttp(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::optional<SocketAddress>>(
        {"http.listen", "Where the HTTP interface is heard."}, codec::optionalAddress(),
        [](auto& c) -> auto& { return c.http.listen; }));
    keys.push_back(one<std::filesystem::path>(
        {"http.token_file",
         "A file with one bearer token a line: \"NAME SCOPE[,SCOPE] SECRET\" with the scopes "
         "push,\n"
         "pop and admin, perhaps with topics=PATTERN,... and senders=PATTERN,... behind it, or a\n"
         "secret alone, which may do everything. Only its owner and group may read it. Needed\n"
         "unless http.listen is a loopback address. A SIGHUP reads it again.",
         Reload::Yes},
        codec::path(), [](auto& c) -> auto& { return c.http.tokenFile; }));
    keys.push_back(many<std::string>(
        {"http.hosts",
         "Names under which clients may address the HTTP interface, besides the address that it\n"
         "listens on and localhost: what stands in their Host header."},
        codec::text("host names or addresses, such as queue.example.org", codec::isHostName),
        [](auto& c) -> auto& { return c.http.hosts; }));
    keys.push_back(one<std::filesystem::path>(
        {"http.tls.certificate",
         "The certificate chain (PEM) that turns HTTP into HTTPS. A SIGHUP reads it again.",
         Reload::Yes},
        codec::path(), [](auto& c) -> auto& { return c.http.tls.certificate; }));
    keys.push_back(one<std::filesystem::path>(
        {"http.tls.key", "The private key (PEM) of http.tls.certificate.", Reload::Yes},
        codec::path(), [](auto& c) -> auto& { return c.http.tls.key; }));
    addHttpLimits(keys);
}

void addRedis(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::string>(
        {"redis.url",
         "Where jobs are kept. \"embedded\" starts a private redis-server in the state directory."},
        redisUrl(), [](auto& c) -> auto& { return c.redis.url; }));
    keys.push_back(one<std::filesystem::path>(
        {"redis.password_file",
         "A file whose first line is the password for the Redis that redis.url names, so that it\n"
         "need not stand in the URL; a user is then written redis://user:@host. Empty: none."},
        codec::path(), [](auto& c) -> auto& { return c.redis.passwordFile; }));
    keys.push_back(one<std::size_t>(
        {"redis.max_memory",
         "How many bytes the embedded Redis may hold; what does not fit is refused, and what is\n"
         "held is still delivered. 0 = half of the memory of the machine, or of its container."},
        codec::number<std::size_t>(0, 1ULL << 50U),
        [](auto& c) -> auto& { return c.redis.maxMemory; }));
    keys.push_back(one<std::string>(
        {"redis.prefix", "What every key in Redis begins with."},
        codec::text("1 to 64 letters, digits, - _ . or :", isPrefix),
        [](auto& c) -> auto& { return c.redis.prefix; }));
    keys.push_back(one<std::uint32_t>(
        {"redis.shards", "Into how many parts the keys are divided. Fixed at the first start."},
        codec::number<std::uint32_t>(1, 1024), [](auto& c) -> auto& { return c.redis.shards; }));
    keys.push_back(one<Config::Fsync>(
        {"redis.fsync",
         "When the embedded Redis writes to disk: before it answers (always, loses nothing),\n"
         "every second (everysec), or when the system likes (no)."},
        codec::choice<Config::Fsync>({{"always", Config::Fsync::Always},
                                      {"everysec", Config::Fsync::EverySecond},
                                      {"no", Config::Fsync::No}}),
        [](auto& c) -> auto& { return c.redis.fsync; }));
}

void addJournal(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::string>(
        {"journal.url", "The SQL database of the journal. Empty: SQLite in the state directory."},
        codec::text("sqlite:///path, mysql://... or postgresql://..., or nothing", isJournalUrl),
        [](auto& c) -> auto& { return c.journal.url; }));
    keys.push_back(one<std::filesystem::path>(
        {"journal.password_file",
         "A file whose first line is the password for the database that journal.url names, so\n"
         "that it need not stand in the URL. Empty: none."},
        codec::path(), [](auto& c) -> auto& { return c.journal.passwordFile; }));
    keys.push_back(one<Config::JournalMode>(
        {"journal.mode",
         "off, async (written behind) or durable (acknowledge only after the journal has it)."},
        codec::choice<Config::JournalMode>({{"off", Config::JournalMode::Off},
                                            {"async", Config::JournalMode::Async},
                                            {"durable", Config::JournalMode::Durable}}),
        [](auto& c) -> auto& { return c.journal.mode; }));
    keys.push_back(one<Config::Recover>(
        {"journal.recover", "What happens at the start when Redis has been lost: auto brings every "
                            "living job back from the\n"
                            "journal, off leaves them there."},
        codec::choice<Config::Recover>(
            {{"off", Config::Recover::Off}, {"auto", Config::Recover::Auto}}),
        [](auto& c) -> auto& { return c.journal.recover; }));
    keys.push_back(one<std::uint32_t>(
        {"journal.backlog",
         "How many entries of a shard's event stream wait in Redis for a journal "
         "that is down. What comes\n"
         "after that is recorded without its history."},
        codec::number<std::uint32_t>(1'000, 100'000'000),
        [](auto& c) -> auto& { return c.journal.backlog; }));
    keys.push_back(one<Millis>(
        {"journal.retention",
         "How long the journal keeps what has ended, and its history. 0s = for ever."},
        codec::duration(0ms, kLongest), [](auto& c) -> auto& { return c.journal.retention; }));
    keys.push_back(one<Millis>(
        {"journal.sample_every",
         "How often the journal notes how much waits, by state and by topic, and how late it is, "
         "for the\n"
         "console's charts of the past. 0s = never."},
        codec::durationOrNever(1s, 1h), [](auto& c) -> auto& { return c.journal.sampleEvery; }));
}

void addLimits(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::size_t>(
        {"limits.body", "The largest body of a job, in bytes."},
        codec::number<std::size_t>(1, 16'777'216), [](auto& c) -> auto& { return c.limits.body; }));
    keys.push_back(one<std::uint32_t>(
        {"limits.attempts",
         "Attempts of a pull job without a retry schedule before it is dead. 0 = no limit."},
        codec::number<std::uint32_t>(0, kAnyCount),
        [](auto& c) -> auto& { return c.limits.attempts; }));
    keys.push_back(one<Millis>(
        {"retention.trash", "How long a deleted job can be restored.", Reload::Yes},
        codec::duration(0ms, kLongest), [](auto& c) -> auto& { return c.retention.trash; }));
    keys.push_back(one<Millis>(
        {"retention.done", "How long a finished job is kept. 0s = not at all."},
        codec::duration(0ms, kLongest), [](auto& c) -> auto& { return c.retention.done; }));
    keys.push_back(one<log::Level>(
        {"log.level", "What is written to standard error.", Reload::Yes},
        codec::choice<log::Level>({{"debug", log::Level::Debug},
                                   {"info", log::Level::Info},
                                   {"warning", log::Level::Warning},
                                   {"error", log::Level::Error},
                                   {"off", log::Level::Off}}),
        [](auto& c) -> auto& { return c.log.level; }));
    keys.push_back(one<log::Format>(
        {"log.format", "text for people, or json: one object a line, for a log collector.",
         Reload::Yes},
        codec::choice<log::Format>({{"text", log::Format::Text}, {"json", log::Format::Json}}),
        [](auto& c) -> auto& { return c.log.format; }));
}

std::vector<ConfigKey> allKeys()
{
    std::vector<ConfigKey> keys;
    keys.push_back(one<std::filesystem::path>(
        {"state_dir", "Where the embedded Redis, its lock and its data live. Empty: "
                      "$STATE_DIRECTORY (a systemd\n"
                      "service), else $XDG_STATE_HOME/restante, else ~/.local/state/restante."},
        codec::path(), [](auto& c) -> auto& { return c.stateDir; }));
    addSip(keys);
    builder::addSipTrace(keys);
    builder::addReceipts(keys);
    builder::addMailbox(keys);
    addRegistration(keys);
    builder::addSipContacts(keys);
    builder::addSipAuth(keys);
    builder::addSipTls(keys);
    addHttp(keys);
    builder::addWebhook(keys);
    builder::addSms(keys);
    builder::addReminder(keys);
    addRedis(keys);
    addJournal(keys);
    addLimits(keys);
    return keys;
}
}  // namespace

std::span<const ConfigKey> configKeys()
{
    static const std::vector<ConfigKey> keys = allKeys();
    return keys;
}

const ConfigKey* configKeyNamed(std::string_view name)
{
    const auto keys = configKeys();
    const auto found = std::find_if(keys.begin(), keys.end(),
                                    [&](const ConfigKey& key) { return key.name == name; });
    return found == keys.end() ? nullptr : &*found;
}

std::vector<const ConfigKey*> changedKeys(const Config& before, const Config& after)
{
    std::vector<const ConfigKey*> changed;
    for (const auto& key : configKeys()) {
        if (key.words(before) != key.words(after)) {
            changed.push_back(&key);
        }
    }
    return changed;
}

}  // namespace restante
