#include "core/config/config_keys.h"

#include "core/base/text.h"
#include "core/config/key_builder.h"
#include "core/redis/client/redis_url.h"
#include "core/schedule/zoned_clock.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante {

namespace {
using namespace std::chrono_literals;
using builder::kLongestDuration;
using builder::kMostBytes;
using builder::kMostCount;
using builder::Reload;
using builder::Section;

codec::Codec<std::string> redisUrl()
{
    auto codec = codec::text(fmt::format("embedded, {}", redis::kRedisUrlForms));
    codec.read = [](std::string_view word) -> std::optional<std::string> {
        if (word.empty() || word == "embedded") {
            return std::string{};
        }
        return redis::parseRedisUrl(word) ? std::optional{std::string(word)} : std::nullopt;
    };
    codec.why = [](std::string_view word) { return redis::parseRedisUrl(word).error().message; };
    codec.format = [](const std::string& url) { return url.empty() ? "embedded" : url; };
    return codec;
}

bool isPrefix(std::string_view word)
{
    // Braces would move the hash tag, white space would break the events' id lists.
    return word.size() <= 64 && consistsOf(word, "-_.:");
}

void addHttp(std::vector<ConfigKey>& keys)
{
    using Http = Config::Http;
    Section http(keys, "http.", &Config::http);
    http.key("listen", "Where the HTTP interface is heard.", codec::optionalAddress(),
             &Http::listen);
    http.number("threads",
                "How many threads serve HTTP, each with connections to Redis of its own; up to as\n"
                "many as the machine has cores to spare beside Redis, SIP and the journal.",
                1, 64, &Http::threads);
    http.key(
        "token_file",
        "A file with one bearer token a line: \"NAME SCOPE[,SCOPE] SECRET\" with the scopes push,\n"
        "pop and admin, perhaps with topics=PATTERN,... and senders=PATTERN,... behind it, or a\n"
        "secret alone, which may do everything. Only its owner and group may read it. Needed\n"
        "unless http.listen is a loopback address. A SIGHUP reads it again.",
        codec::path(), &Http::tokenFile, Reload::Yes);
    http.key(
        "hosts",
        "Names under which clients may address the HTTP interface, besides the address that it\n"
        "listens on and localhost: what stands in their Host header.",
        codec::text("host names or addresses, such as queue.example.org",
                    codec::isHostNameOrAddress),
        &Http::hosts);

    using Tls = Config::Http::Tls;
    Section tls(keys, "http.tls.", &Config::http, &Config::Http::tls);
    tls.key("certificate",
            "The certificate chain (PEM) that turns HTTP into HTTPS. A SIGHUP reads it again.",
            codec::path(), &Tls::certificate, Reload::Yes);
    tls.key("key", "The private key (PEM) of http.tls.certificate.", codec::path(), &Tls::key,
            Reload::Yes);

    using Limits = Config::Http::Limits;
    Section limits(keys, "http.limits.", &Config::http, &Config::Http::limits);
    limits.number("connections", "Clients connected at once; more are turned away.", 1, 100'000,
                  &Limits::connections);
    limits.number(
        "per_address",
        "The same of one address (of IPv6: one /64); those from 127.0.0.1 and ::1 count only in\n"
        "all, for a proxy's come from there.",
        1, 100'000, &Limits::perAddress);
    limits.number("parked", "Clients that wait for a job at once; the next is answered 503.", 0,
                  100'000, &Limits::parked);
    limits.key(
        "request",
        "How long a request may take from its first byte to its last, and an answer likewise.",
        codec::duration(100ms, 10min), &Limits::request);
    limits.key("idle", "How long a connection is kept between two requests.",
               codec::duration(100ms, 1h), &Limits::idle);
}

void addWebhook(std::vector<ConfigKey>& keys)
{
    using Webhook = Config::Webhook;
    Section webhook(keys, "webhook.", &Config::webhook);
    webhook.key("allow",
                "Networks or hosts that webhooks may reach besides public addresses. A host that "
                "is allowed by\n"
                "name may have any address.",
                codec::text("networks or host names, such as 10.0.0.0/8 or hooks.example.org",
                            codec::isNetworkOrHost),
                &Webhook::allow);
    webhook.key(
        "secret_file",
        "A file with the secrets that sign webhooks, one a line, newest first, perhaps with\n"
        "host=PATTERN and topic=PATTERN before it; whsec_... for the Standard Webhooks scheme.\n"
        "Empty: nothing is signed. A SIGHUP reads it again. docs/webhooks.md.",
        codec::path(), &Webhook::secretFile, Reload::Yes);
    webhook.key("ca_file",
                "The certificates (PEM) that receivers are believed by. Empty: the system's.",
                codec::path(), &Webhook::caFile);
    webhook.number(
        "concurrency",
        "Webhooks that this daemon has in hand at once. 0 = it delivers none and leaves them to\n"
        "others.",
        0, 4'096, &Webhook::concurrency);
    webhook.number("per_host", "Requests to one host and port at once.", 1, 1'024,
                   &Webhook::perHost);
    webhook.key("timeout",
                "How long a receiver has to answer, connecting included, which\n"
                "may take 5 s at most.",
                codec::duration(100ms, 10min), &Webhook::timeout);
    webhook.key(
        "group",
        "Whether jobs of one topic and URL that are due at the same millisecond share a POST\n"
        "(same_instant: a JSON array), or each has its own (off). docs/webhooks.md.",
        codec::choice<Config::WebhookGroup>({{"off", Config::WebhookGroup::Off},
                                             {"same_instant", Config::WebhookGroup::SameInstant}}),
        &Webhook::group);
    webhook.key("group_topics", "The topics to which webhook.group applies. Empty: all of them.",
                codec::text("topics", [](auto word) { return !word.empty(); }),
                &Webhook::groupTopics);
}

void addReminder(std::vector<ConfigKey>& keys)
{
    using Reminder = Config::Reminder;
    Section reminder(keys, "reminder.", &Config::reminder);
    reminder.key("horizon", "How far ahead a reminder may be.",
                 codec::duration(1min, kLongestDuration), &Reminder::horizon);
    reminder.number("per_sender", "How many reminders of one sender may be pending. 0 = no limit.",
                    0, kMostCount, &Reminder::perSender);
    reminder.key("min_interval", "The shortest time between two occurrences of a recurring one.",
                 codec::duration(1s, 24h * 366), &Reminder::minInterval);
    reminder.key(
        "time_zone", "The time zone of reminders that name none. Empty: the machine's own.",
        codec::text("a time zone, such as Europe/Berlin, or nothing",
                    [](auto word) { return word.empty() || ZonedClock::find(word).has_value(); }),
        &Reminder::timeZone);
    reminder.key("time_of_day",
                 "The time that a date alone means, counted from midnight: 9h is 09:00.",
                 codec::duration(0ms, 24h - 1s), &Reminder::timeOfDay);
    reminder.key("late", "How late an occurrence is still sent when it could not be sent in time.",
                 codec::duration(1s, 24h * 7), &Reminder::late);
    reminder.key(
        "missed",
        "What becomes of occurrences that are later than that: none is sent (skip), or the last\n"
        "one when nothing newer is due (once).",
        codec::choice<Config::Missed>(
            {{"skip", Config::Missed::Skip}, {"once", Config::Missed::Once}}),
        &Reminder::missed);
}

void addRedis(std::vector<ConfigKey>& keys)
{
    using Redis = Config::Redis;
    Section redis(keys, "redis.", &Config::redis);
    redis.key(
        "url",
        "Where jobs are kept. \"embedded\" starts a private redis-server in the state directory.",
        redisUrl(), &Redis::url);
    redis.key(
        "password_file",
        "A file whose first line is the password for the Redis that redis.url names, so that it\n"
        "need not stand in the URL; a user is then written redis://user:@host. Empty: none.",
        codec::path(), &Redis::passwordFile);
    redis.number(
        "max_memory",
        "How many bytes the embedded Redis may hold; what does not fit is refused, and what is\n"
        "held is still delivered. 0 = half of the memory of the machine, or of its container.",
        0, kMostBytes, &Redis::maxMemory);
    redis.key("prefix", "What every key in Redis begins with.",
              codec::text("1 to 64 letters, digits, - _ . or :", isPrefix), &Redis::prefix);
    redis.number("shards", "Into how many parts the keys are divided. Fixed at the first start.", 1,
                 1024, &Redis::shards);
    redis.key("fsync",
              "When the embedded Redis writes to disk: before it answers (always, loses nothing),\n"
              "every second (everysec), or when the system likes (no).",
              codec::choice<Config::Fsync>({{"always", Config::Fsync::Always},
                                            {"everysec", Config::Fsync::EverySecond},
                                            {"no", Config::Fsync::No}}),
              &Redis::fsync);
}

void addJournal(std::vector<ConfigKey>& keys)
{
    using Journal = Config::Journal;
    Section journal(keys, "journal.", &Config::journal);
    journal.key("url", "The SQL database of the journal. Empty: SQLite in the state directory.",
                codec::databaseUrl("sqlite:///path, mysql://... or postgresql://..., or nothing"),
                &Journal::url);
    journal.key(
        "password_file",
        "A file whose first line is the password for the database that journal.url names, so\n"
        "that it need not stand in the URL. Empty: none.",
        codec::path(), &Journal::passwordFile);
    journal.key(
        "mode",
        "off, async (written behind) or durable (acknowledge only after the journal has it).",
        codec::choice<Config::JournalMode>({{"off", Config::JournalMode::Off},
                                            {"async", Config::JournalMode::Async},
                                            {"durable", Config::JournalMode::Durable}}),
        &Journal::mode);
    journal.key("recover",
                "What happens at the start when Redis has been lost: auto brings every living "
                "job back from the\n"
                "journal, off leaves them there.",
                codec::choice<Config::Recover>(
                    {{"off", Config::Recover::Off}, {"auto", Config::Recover::Auto}}),
                &Journal::recover);
    journal.number("backlog",
                   "How many entries of a shard's event stream wait in Redis for a journal that is "
                   "down. What comes\n"
                   "after that is recorded without its history.",
                   1'000, 100'000'000, &Journal::backlog);
    journal.key("allowed_lag",
                "In async, recording pauses while other threads want the processor, until the "
                "oldest event has\n"
                "waited so long: a burst is not slowed by its history. 0s = it never pauses.",
                codec::durationOrNever(100ms, 10s), &Journal::allowedLag);
    journal.key("retention",
                "How long the journal keeps what has ended, and its history. 0s = for ever.",
                codec::duration(0ms, kLongestDuration), &Journal::retention);
    journal.key("sample_every",
                "How often the journal notes how much waits, by state and by topic, and how late "
                "it is, for the\n"
                "console's charts of the past. 0s = never.",
                codec::durationOrNever(1s, 1h), &Journal::sampleEvery);
}

void addQueue(std::vector<ConfigKey>& keys)
{
    using Queue = Config::Queue;
    Section queue(keys, "queue.", &Config::queue);
    queue.key("hot_horizon",
              "A job that is due later than that from now waits in the journal's database alone "
              "and takes\nno memory of Redis; it is brought into Redis before it is due. Needs a "
              "journal. 0s = every\njob is in Redis.",
              codec::durationOrNever(10s, kLongestDuration), &Queue::hotHorizon);
}

void addLimits(std::vector<ConfigKey>& keys)
{
    using Limits = Config::Limits;
    Section limits(keys, "limits.", &Config::limits);
    limits.number("body", "The largest body of a job, in bytes.", 1, 16'777'216, &Limits::body);
    limits.number(
        "attempts",
        "Attempts of a pull job without a retry schedule before it is dead. 0 = no limit.", 0,
        kMostCount, &Limits::attempts);
}

void addRetention(std::vector<ConfigKey>& keys)
{
    using Retention = Config::Retention;
    Section retention(keys, "retention.", &Config::retention);
    retention.key("trash", "How long a deleted job can be restored.",
                  codec::duration(0ms, kLongestDuration), &Retention::trash, Reload::Yes);
    retention.key("done", "How long a finished job is kept. 0s = not at all.",
                  codec::duration(0ms, kLongestDuration), &Retention::done);
}

void addLog(std::vector<ConfigKey>& keys)
{
    using Log = Config::Log;
    Section logging(keys, "log.", &Config::log);
    logging.key("level", "What is written to standard error.",
                codec::choice<log::Level>({{"debug", log::Level::Debug},
                                           {"info", log::Level::Info},
                                           {"warning", log::Level::Warning},
                                           {"error", log::Level::Error},
                                           {"off", log::Level::Off}}),
                &Log::level, Reload::Yes);
    logging.key(
        "format", "text for people, or json: one object a line, for a log collector.",
        codec::choice<log::Format>({{"text", log::Format::Text}, {"json", log::Format::Json}}),
        &Log::format, Reload::Yes);
}

std::vector<ConfigKey> allKeys()
{
    std::vector<ConfigKey> keys;
    Section root(keys, "");
    root.key(
        "state_dir",
        "Where the embedded Redis, its lock and its data live. Empty: $STATE_DIRECTORY (a systemd\n"
        "service), else $XDG_STATE_HOME/restante, else ~/.local/state/restante, else\n"
        "/var/lib/restante.",
        codec::path(), &Config::stateDir);
    builder::addSip(keys);
    addHttp(keys);
    addWebhook(keys);
    builder::addSms(keys);
    addReminder(keys);
    addRedis(keys);
    addJournal(keys);
    addQueue(keys);
    addLimits(keys);
    addRetention(keys);
    addLog(keys);
    return keys;
}
}  // namespace

std::string ConfigKey::refusal(std::string_view word) const
{
    return fmt::format("{} = {}{}{} is not allowed; write {}", name, quoted ? "\"" : "", word,
                       quoted ? "\"" : "", allowed);
}

std::span<const ConfigKey> configKeys()
{
    static const std::vector<ConfigKey> keys = allKeys();
    return keys;
}

const ConfigKey* configKeyNamed(std::string_view name)
{
    const auto keys = configKeys();
    const auto found = std::ranges::find(keys, name, &ConfigKey::name);
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
