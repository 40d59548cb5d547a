// Compares a set-up with docs/security.md, and advises what to change.

#include "core/base/address_policy.h"
#include "core/base/secret_file.h"
#include "core/cli/command.h"
#include "core/cli/finding.h"
#include "core/config/config_keys.h"
#include "core/http/server/tokens.h"
#include "core/redis/client/redis_url.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sys/stat.h>

namespace restante::cli {

namespace {

namespace fs = std::filesystem;

bool isLocal(const std::string& host)
{
    return host == "localhost" || SocketAddress{host, 0}.isLoopback();
}

void examineHttp(const Config::Http& http, Findings& findings)
{
    if (!http.listen) {
        return findings.ok("http", "there is no HTTP interface");
    }
    if (!http.listen->isLoopback() && http.tls.certificate.empty()) {
        findings.warning(
            "http.tls",
            fmt::format("tokens and messages come to {} in the clear", http.listen->toString()),
            "set http.tls.certificate and http.tls.key, or listen on 127.0.0.1 behind "
            "a proxy that has TLS");
    }
    if (http.tokenFile.empty()) {
        findings.warning("http.token_file",
                         "everybody with an account or a container on this machine may push, take "
                         "and purge all jobs",
                         "name a file with a token for each program");
    } else {
        findings.ok("http.token_file", "every request needs a token");
    }
}

/// Checks the tokens if this program may read them; examineSecrets() checks the file's mode.
void examineTokenScopes(const Config& config, Findings& findings)
{
    if (config.sip.listen.empty() || config.http.tokenFile.empty()) {
        return;
    }
    const auto tokens = http::Tokens::read(config.http.tokenFile);
    if (!tokens) {
        return;
    }
    for (const auto& token : tokens->all()) {
        const bool bounded = token.grant && !token.grant->senders.empty();
        if (!bounded && token.allows(http::Scope::Push) && !token.allows(http::Scope::Admin)) {
            findings.warning("http.token_file",
                             fmt::format("{} may send SIP messages in anybody's name", token.name),
                             "add senders= to its line, such as senders=sip:shop@example.org");
        }
    }
}

void examineSipPeers(const Config::Sip& sip, Findings& findings)
{
    const bool listensBeyondLoopback = std::ranges::any_of(
        sip.listen, [](const auto& listen) { return !listen.address.isLoopback(); });
    const bool listensToDatagramsBeyondLoopback = std::ranges::any_of(
        sip.listen, [](const auto& listen) { return listen.udp && !listen.address.isLoopback(); });
    for (const auto& peer : sip.trusted) {
        const auto text = peer.toString();
        const auto network = peer.network ? peer.network->toString() : std::string();
        const auto loopback =
            network.starts_with("127.") || network == "::1" || network == "::1/128";
        if (peer.network && peer.network->isEverybody()) {
            findings.error("sip.trusted", fmt::format("{} trusts everybody", text),
                           "name the addresses of your SIP servers");
        } else if (peer.network && peer.believesDatagrams() && !loopback &&
                   listensToDatagramsBeyondLoopback) {
            findings.warning("sip.trusted",
                             fmt::format("{} is trusted by its address, which anybody can forge "
                                         "over UDP",
                                         text),
                             "fence the port (share/restante/nftables), or let SIP servers come "
                             "over TCP or TLS only");
        }
    }
    for (const auto& together : trustedPeersThatAreEverybody(sip)) {
        findings.error("sip.trusted", fmt::format("{} together trust everybody", together),
                       "name the addresses of your SIP servers");
    }
    for (const auto& edge : sip.edges) {
        if (edge.isEverybody()) {
            findings.error("sip.edges",
                           fmt::format("{} believes the Path of everybody", edge.toString()),
                           "name the addresses of your edge proxies");
        }
    }
    for (const auto& together : edgesThatAreEverybody(sip)) {
        findings.error("sip.edges",
                       fmt::format("{} together believe the Path of everybody", together),
                       "name the addresses of your edge proxies");
    }
    if (listensBeyondLoopback && sip.users.empty()) {
        findings.warning("sip.users",
                         "messages are kept for any name of our domains, so whoever may "
                         "send can invent recipients",
                         "name the users, or a file with them");
    }
    if (sip.auth.failures == 0) {
        findings.warning("sip.auth.failures", "passwords can be guessed as fast as we answer",
                         "set it to some more than a person mistypes, such as 20");
    }
    if (sip.auth.md5) {
        findings.warning("sip.auth.md5", "phones may log in with MD5, which is broken",
                         "set it to false once every phone knows SHA-256");
    }
}

void examineLimits(const Config& config, Findings& findings)
{
    const std::pair<const char*, std::uint64_t> limits[]{
        {"sip.mailbox.max_messages", config.sip.mailbox.maxMessages},
        {"sip.mailbox.max_bytes", config.sip.mailbox.maxBytes},
        {"sip.limits.total_messages", config.sip.limits.totalMessages},
        {"sip.limits.memory_share", config.sip.limits.memoryShare},
        {"sip.limits.per_sender", config.sip.limits.perSender},
        {"reminder.per_sender", config.reminder.perSender},
    };
    for (const auto& [key, limit] : limits) {
        if (limit == 0) {
            findings.warning(key, "there is no limit: one sender can take all the room",
                             "set it to more than your people need");
        } else {
            findings.ok(key, fmt::format("at most {}", limit));
        }
    }
}

/// What an entry of `webhook.allow` or `sip.contacts.allow` exposes.
enum class Exposure {
    OtherMachines,
    ThisMachine,  ///< or the metadata service of a cloud
    Everything,
};

Exposure exposureOf(const std::string& allowed)
{
    const auto network = AddressPolicy::networkOf(allowed);
    if (!network) {
        const auto policy = AddressPolicy::allowing({allowed});
        const bool isOurs = policy && policy->names("localhost", {});
        return isOurs ? Exposure::ThisMachine : Exposure::OtherMachines;
    }
    if (network->covers(Network::allOfIpv4())) {
        return Exposure::Everything;
    }
    const auto text = network->toString();
    if (isLocal(text.substr(0, text.find('/')))) {
        return Exposure::ThisMachine;  // of the loopback network perhaps another address
    }
    constexpr std::array<const char*, 3> kGuardedAddresses{"127.0.0.1", "::1", "169.254.169.254"};
    const auto contains = [&](const char* address) { return network->contains(address); };
    return std::ranges::any_of(kGuardedAddresses, contains) ? Exposure::ThisMachine
                                                            : Exposure::OtherMachines;
}

void examineContacts(const std::vector<std::string>& allowList, Findings& findings)
{
    for (const auto& allowed : allowList) {
        const auto exposure = exposureOf(allowed);
        if (exposure == Exposure::Everything) {
            findings.error(
                "sip.contacts.allow",
                fmt::format("{} lets whoever registers have us connect to everything", allowed),
                "name the networks of the phones");
        } else if (exposure == Exposure::ThisMachine) {
            // Worse than for webhooks: Redis would run the lines of a message as commands.
            findings.error("sip.contacts.allow",
                           fmt::format("{} lets whoever registers have us connect to what listens "
                                       "on this machine, or to the metadata of a cloud",
                                       allowed),
                           "leave it out: phones may always be where their REGISTER came from");
        }
    }
}

void examineWebhooks(const Config::Webhook& webhook, Findings& findings)
{
    for (const auto& allowed : webhook.allow) {
        const auto exposure = exposureOf(allowed);
        if (exposure == Exposure::Everything) {
            findings.error("webhook.allow", fmt::format("{} lets jobs reach everything", allowed),
                           "name the networks of the receivers");
        } else if (exposure == Exposure::ThisMachine) {
            findings.warning("webhook.allow",
                             fmt::format("{} lets jobs reach what listens on this machine, or the "
                                         "metadata of a cloud",
                                         allowed),
                             "allow the receiver's host by name");
        }
    }
    if (webhook.secretFile.empty()) {
        findings.warning("webhook.secret_file",
                         "receivers cannot tell our webhooks from forged ones",
                         "name a file with a secret (docs/webhooks.md)");
    }
}

/// Whether a URL contains a password: "scheme://user:password@...".
bool hasPassword(const std::string& url)
{
    const auto schemeEnd = url.find("://");
    if (schemeEnd == std::string::npos) {
        return false;
    }
    const auto at = url.substr(0, url.find_first_of("/?", schemeEnd + 3)).rfind('@');
    return at != std::string::npos &&
           url.substr(schemeEnd + 3, at - schemeEnd - 3).find(':') != std::string::npos;
}

void examineUrls(const Config& config, Findings& findings)
{
    struct UrlKey {
        std::string_view key;
        const std::string& url;
        std::string_view remedy;  ///< for a password in it
    };
    for (const auto& [key, url, remedy] :
         {UrlKey{"journal.url", config.journal.url, "move it to journal.password_file"},
          {"sip.auth.sql", config.sip.auth.sql,
           "keep the users in the journal's database and set \"journal\", or let nobody but "
           "restanted read the file"}}) {
        if (hasPassword(url)) {
            findings.warning(std::string(key), "the configuration holds a password",
                             std::string(remedy));
        }
    }
    const auto redis = redis::parseRedisUrl(config.redis.url);
    if (redis && !redis->password.empty()) {
        findings.warning("redis.url", "the configuration holds a password",
                         "move it to redis.password_file");
    }
    if (redis && !redis->sentinelPassword.empty()) {
        findings.warning("redis.url", "the configuration holds the password of the sentinels",
                         "let nobody but restanted read the file");
    }
    if (!config.redis.url.empty() && redis && redis->socketPath.empty() && !redis->tls &&
        (!redis->nodes.empty() || !redis->sentinels.empty() || !isLocal(redis->host))) {
        findings.warning("redis.url", "jobs and the password cross the network in the clear",
                         "use rediss://");
    }
}

/// The checks of readSecretFile() for a file that root must not read.
void examineSecretMode(const char* key, const fs::path& path, Findings& findings)
{
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
        (status.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
        findings.error(key, fmt::format("others may read or change {}", path.string()),
                       fmt::format("chmod 600 {}", path.string()));
    } else {
        findings.ok(key, fmt::format("nobody else may read {}", path.string()));
    }
}

void examineSecret(const char* key, const fs::path& path, const Config& config, Findings& findings)
{
    if (path.empty()) {
        return;
    }
    if (isRefusedToRoot(path, config)) {
        examineSecretMode(key, path, findings);
    } else if (const auto text = readSecretFile(key, path); !text) {
        findings.error(key, text.error().message,
                       "only root or the daemon's user may own it, and nobody else read it");
    } else {
        findings.ok(key, fmt::format("nobody else may read {}", path.string()));
    }
}

void examineSecrets(const Config& config, Findings& findings)
{
    for (const auto& [key, path] : secretFilesOf(config)) {
        examineSecret(key, *path, config, findings);
    }
    if (const auto redis = redis::parseRedisUrl(config.redis.url); redis && redis->tls) {
        examineSecret("redis.url key", redis->tls->key, config, findings);
    }
}

void examineReadableByOthers(const std::string& about, const fs::path& path, Findings& findings)
{
    struct stat status {};
    if (path.empty() || stat(path.c_str(), &status) != 0) {
        return;
    }
    if ((status.st_mode & S_IRWXO) != 0) {
        findings.warning(about,
                         fmt::format("everybody may look into {} (mode {:o})", path.string(),
                                     status.st_mode & 0777U),
                         fmt::format("chmod o= {}", path.string()));
    } else {
        findings.ok(about, fmt::format("{} is closed to others", path.string()));
    }
}

void examineProcess(const Config& config, Findings& findings)
{
    const auto process = daemonProcess(config);
    struct stat status {};
    if (process > 0 && stat(fmt::format("/proc/{}", process).c_str(), &status) == 0 &&
        status.st_uid == 0) {
        findings.warning("restanted", "the daemon runs as root",
                         "start it by its unit, which gives it a user of its own");
    }
}

}  // namespace

void examineSecurity(const Config& config, const std::string& file, Findings& findings)
{
    examineHttp(config.http, findings);
    examineTokenScopes(config, findings);
    examineSipPeers(config.sip, findings);
    examineContacts(config.sip.contacts.allow, findings);
    examineLimits(config, findings);
    examineWebhooks(config.webhook, findings);
    examineUrls(config, findings);
    examineSecrets(config, findings);
    examineReadableByOthers("configuration", file, findings);
    examineReadableByOthers("state_dir", config.stateDirectory(), findings);
    examineReadableByOthers("journal", config.stateDirectory() / "journal.db", findings);
    examineProcess(config, findings);
}

std::string securityGrade(const Findings& findings)
{
    // An error lets strangers in; a warning is a promise of docs/security.md that this set-up does
    // not keep.
    constexpr std::size_t kFewWarnings = 3;
    if (findings.count(Findings::Severity::Error) > 0) {
        return "D";
    }
    const auto warnings = findings.count(Findings::Severity::Warning);
    return warnings == 0 ? "A" : warnings <= kFewWarnings ? "B" : "C";
}

}  // namespace restante::cli
