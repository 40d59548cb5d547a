// The checks of doctor about the machine: its files and directories, its limits, and settings that
// depend on it.

#include "core/auth/user_file.h"
#include "core/base/address_policy.h"
#include "core/base/handle_deleter.h"
#include "core/base/network.h"
#include "core/base/text.h"
#include "core/base/time_zone.h"
#include "core/cli/finding.h"
#include "core/config/config.h"
#include "core/http/server/tokens.h"
#include "core/schedule/machine_time_zone.h"
#include "core/schedule/zoned_clock.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <memory>
#include <netdb.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <system_error>
#include <unistd.h>

namespace restante::cli {

namespace {

namespace fs = std::filesystem;

std::string bytesText(double bytes)
{
    constexpr double kMega = 1'000'000;
    constexpr double kGiga = 1'000 * kMega;
    return bytes < kGiga ? fmt::format("{:.0f} MB", bytes / kMega)
                         : fmt::format("{:.1f} GB", bytes / kGiga);
}

void examineDisk(const fs::path& directory, Findings& findings)
{
    // The append-only file is rewritten beside itself, and the journal grows for months.
    constexpr double kLowBytes = 1'000'000'000;
    constexpr double kFullBytes = 50'000'000;
    struct statvfs disk {};
    if (statvfs(directory.c_str(), &disk) != 0) {
        return;  // examineStateDirectory() has said why
    }
    const auto blockBytes = static_cast<double>(disk.f_frsize);
    const auto freeBytes = blockBytes * static_cast<double>(disk.f_bavail);
    const auto what =
        fmt::format("{} are free of {} in {}", bytesText(freeBytes),
                    bytesText(blockBytes * static_cast<double>(disk.f_blocks)), directory.string());
    if (freeBytes < kFullBytes) {
        findings.error("disk", what, "make room: on a full disk nothing is taken any more");
    } else {
        findings.warnIf(freeBytes < kLowBytes, "disk", what, "make room before it is full");
    }
}

void examineStateDirectory(const Config& config, Findings& findings)
{
    const auto directory = config.stateDirectory();
    struct stat status {};
    if (stat(directory.c_str(), &status) != 0) {
        const int statError = errno;
        // restanted makes it, if it can.
        std::error_code ignored;
        auto parent = directory.parent_path();
        while (!parent.empty() && parent != parent.root_path() && !fs::exists(parent, ignored)) {
            parent = parent.parent_path();
        }
        const auto what = fmt::format("{} is not there yet", directory.string());
        if (statError == EACCES || access(parent.c_str(), W_OK | X_OK) != 0) {
            findings.error("state_dir", what,
                           fmt::format("create it, or let this user write to {}; root and the "
                                       "service's user may see more than you",
                                       parent.string()));
        } else {
            findings.ok("state_dir", what + "; restanted makes it when it starts");
            examineDisk(parent, findings);
        }
        return;
    }
    if (!S_ISDIR(status.st_mode)) {
        findings.error("state_dir", directory.string() + " is no directory", "correct the key");
    } else if ((status.st_mode & S_IWOTH) != 0) {
        findings.error("state_dir", fmt::format("everybody may write to {}", directory.string()),
                       fmt::format("chmod 700 {}", directory.string()));
    } else if (access(directory.c_str(), W_OK | X_OK) != 0) {
        findings.warning("state_dir",
                         fmt::format("this user may not write to {}", directory.string()),
                         "run doctor as the user of restanted; if that is this one, chown it");
    } else {
        findings.ok("state_dir", directory.string());
    }
    examineDisk(directory, findings);
}

/// A file that only its owner, and perhaps its group, may read.
void examineSecret(const std::string& key, const fs::path& path, Findings& findings)
{
    struct stat status {};
    if (path.empty()) {
        return;
    }
    if (stat(path.c_str(), &status) != 0) {
        findings.error(key, fmt::format("{} is not there", path.string()),
                       "create it, or correct the key");
    } else if (access(path.c_str(), R_OK) != 0) {
        findings.warning(key, fmt::format("this user cannot read {}", path.string()),
                         "run doctor as the user of restanted to be sure");
    } else if ((status.st_mode & S_IRWXO) != 0) {
        findings.warning(
            key,
            fmt::format("everybody may read {} (mode {:o})", path.string(), status.st_mode & 0777U),
            fmt::format("chmod o= {}", path.string()));
    } else {
        findings.ok(key, fmt::format("{} is there, and not everybody may read it", path.string()));
    }
}

/// Checks a file that the daemon reads by lines: `read` returns a text about the valid file, or the
/// error.
void examineLines(const std::string& key,
                  const fs::path& path,
                  const Config& config,
                  Findings& findings,
                  const std::function<Result<std::string>()>& read)
{
    if (path.empty()) {
        return;
    }
    if (isRefusedToRoot(path, config)) {
        findings.warning(key,
                         fmt::format("{} belongs to the user of restanted, so that root does not "
                                     "read it",
                                     path.string()),
                         "run doctor as that user to be sure");
    } else if (access(path.c_str(), F_OK) == 0 && access(path.c_str(), R_OK) != 0) {
        findings.warning(key, fmt::format("this user cannot read {}", path.string()),
                         "run doctor as the user of restanted to be sure");
    } else if (const auto result = read(); !result) {
        findings.error(key, result.error().message, "mend the file, then send restanted a SIGHUP");
    } else {
        findings.ok(key, *result);
    }
}

/// Without a token file HTTP listens on loopback only; the configuration check requires it.
void examineTokens(const Config& config, Findings& findings)
{
    const auto& path = config.http.tokenFile;
    examineLines("http.token_file", path, config, findings, [&] {
        return http::Tokens::read(path).map(
            [&](const auto&) { return fmt::format("every line of {} is a token", path.string()); });
    });
}

void examineUsers(const Config& config, Findings& findings)
{
    const auto& path = config.sip.auth.users;
    examineLines("sip.auth.users", path, config, findings, [&] {
        return auth::UserFile::open(path).map([&](const auto& users) {
            return fmt::format("{} holds {} users", path.string(), users->size());
        });
    });
}

void examineReadable(const std::string& key, const fs::path& path, Findings& findings)
{
    if (!path.empty() && access(path.c_str(), R_OK) != 0) {
        findings.error(key, fmt::format("{} cannot be read", path.string()),
                       "create it, correct the key, or let restanted read it");
    }
}

using PemFile = std::unique_ptr<BIO, HandleDeleter<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, HandleDeleter<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, HandleDeleter<EVP_PKEY_free>>;

PemFile openPem(const fs::path& path)
{
    return PemFile{BIO_new_file(path.c_str(), "r")};
}

/// restanted cannot ask for a password either.
int noPassword(char*, int, int, void*) noexcept
{
    return 0;
}

/// How long the first certificate of a PEM file is still valid (negative: it has expired), if `key`
/// is its private key. The error names the file that is wrong.
Result<std::chrono::hours> timeToExpiry(const fs::path& certificate, const fs::path& key)
{
    const auto certificateFile = openPem(certificate);
    const auto keyFile = openPem(key);
    const Certificate parsedCertificate{
        certificateFile ? PEM_read_bio_X509(certificateFile.get(), nullptr, nullptr, nullptr)
                        : nullptr};
    const Key privateKey{
        keyFile ? PEM_read_bio_PrivateKey(keyFile.get(), nullptr, &noPassword, nullptr) : nullptr};
    ERR_clear_error();
    if (!parsedCertificate) {
        return invalid("{} holds no certificate in PEM format", certificate.string());
    }
    if (!privateKey) {
        return invalid("{} holds no private key in PEM format without a password", key.string());
    }
    if (X509_check_private_key(parsedCertificate.get(), privateKey.get()) != 1) {
        ERR_clear_error();
        return invalid("{} is not the key of {}", key.string(), certificate.string());
    }
    int days = 0;
    int seconds = 0;
    ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(parsedCertificate.get()));
    return std::chrono::hours{days * 24 + seconds / 3600 - (seconds < 0 || days < 0 ? 1 : 0)};
}

/// `certificateKey` and `keyKey` are the keys of the configuration that name the files.
void examineCertificate(const std::string& certificateKey,
                        const fs::path& certificate,
                        const std::string& keyKey,
                        const fs::path& key,
                        Findings& findings)
{
    examineReadable(certificateKey, certificate, findings);
    examineSecret(keyKey, key, findings);
    if (access(certificate.c_str(), R_OK) != 0 || access(key.c_str(), R_OK) != 0) {
        return;
    }
    const auto remaining = timeToExpiry(certificate, key);
    if (!remaining) {
        findings.error(certificateKey, remaining.error().message, "mend the files");
    } else if (*remaining < std::chrono::hours{0}) {
        findings.error(certificateKey, fmt::format("{} has expired", certificate.string()),
                       "get a new one, then send restanted a SIGHUP");
    } else if (*remaining < std::chrono::hours{24 * 14}) {
        findings.warning(
            certificateKey,
            fmt::format("{} expires in {} hours", certificate.string(), remaining->count()),
            "get a new one, then send restanted a SIGHUP");
    } else {
        findings.ok(certificateKey, fmt::format("{} belongs to its key and is valid for {} days",
                                                certificate.string(), remaining->count() / 24));
    }
}

void examineSipTls(const Config::Sip::Tls& tls, Findings& findings)
{
    examineReadable("sip.tls.ca", tls.ca, findings);
    examineCertificate("sip.tls.certificate", tls.certificate, "sip.tls.key",
                       tls.key.empty() ? tls.certificate : tls.key, findings);
}

void examineTimeZones(const Config& config, Findings& findings)
{
    // "UTC" alone could be built in; a zone with summer time needs the data.
    if (const auto zone = TimeZone::load("Europe/Berlin"); !zone) {
        findings.error("time zones", zone.error().message,
                       "install the package tzdata: reminders and quiet hours need it");
        return;
    }
    const auto reminderZone =
        config.reminder.timeZone.empty() ? machineTimeZone() : config.reminder.timeZone;
    if (const auto clock = ZonedClock::find(reminderZone); !clock) {
        findings.error("reminder.time_zone", clock.error().message, "name a zone of tzdata");
    } else if (const auto nameless = config.reminder.timeZone.empty()
                                         ? namelessTimeZoneOf(machineTimeZoneSettings())
                                         : std::string();
               !nameless.empty()) {
        findings.warning("time zones",
                         fmt::format("{} says a zone that tzdata has no name for; reminders "
                                     "without a zone go by {}",
                                     nameless, reminderZone),
                         "name theirs in reminder.time_zone, or set the machine's: timedatectl "
                         "set-timezone Europe/Berlin");
    } else {
        findings.ok(
            "time zones",
            fmt::format("the data are there; reminders without a zone go by {}", reminderZone));
    }
}

bool canResolve(const std::string& host)
{
    addrinfo* addresses = nullptr;
    const bool isKnown = getaddrinfo(host.c_str(), nullptr, nullptr, &addresses) == 0;
    if (isKnown) {
        freeaddrinfo(addresses);
    }
    return isKnown;
}

/// What a webhook could, but should not, reach through this entry; empty = nothing important.
std::string riskOf(const Network& network, const Config& config)
{
    if (network.covers(Network::allOfIpv4())) {
        return "every address, this machine and your own network included";
    }
    // The metadata services of clouds, which give credentials to any client.
    for (const char* metadata : {"169.254.169.254", "fd00:ec2::254"}) {
        if (network.contains(metadata)) {
            return fmt::format("{}, where clouds keep credentials", metadata);
        }
    }
    if (network.contains("127.0.0.1") || network.contains("::1")) {
        return config.http.listen
                   ? "this machine, with restanted's own HTTP interface and whatever else listens "
                     "on loopback"
                   : "this machine, with whatever listens on loopback";
    }
    return {};
}

/// Reports this machine's public addresses, which webhooks do not reach.
void examineOwnAddresses(const Config& config, Findings& findings)
{
    const auto policy = AddressPolicy::allowing(config.webhook.allow);
    const auto refused =
        policy ? policy->refusedPublicAddresses(machineAddresses()) : std::vector<std::string>{};
    if (!refused.empty()) {
        findings.ok("webhook.allow",
                    fmt::format("no webhook reaches {}: public, but this machine's own; "
                                "webhook.allow can name it if a receiver runs here",
                                fmt::join(refused, ", ")));
    }
}

void examineWebhookTargets(const Config& config, Findings& findings)
{
    examineOwnAddresses(config, findings);
    if (config.webhook.allow.empty()) {
        findings.ok("webhook.allow", "webhooks reach public addresses only");
        return;
    }
    bool isFine = true;
    for (const auto& word : config.webhook.allow) {
        const auto network = AddressPolicy::networkOf(word);
        const auto risk = network ? riskOf(*network, config) : std::string{};
        if (!risk.empty()) {
            findings.warning("webhook.allow",
                             fmt::format("with {} whoever may push can reach {}", word, risk),
                             "name the networks and hosts that are meant, and nothing wider");
        } else if (!network && !canResolve(word)) {
            findings.warning("webhook.allow", fmt::format("{} has no address now", word),
                             "correct the name, or look at DNS");
        } else {
            continue;
        }
        isFine = false;
    }
    if (isFine) {
        findings.ok("webhook.allow",
                    fmt::format("{} exceptions, none of them wide", config.webhook.allow.size()));
    }
}

bool isLoopback(const std::string& network)
{
    const auto address = network.substr(0, network.find('/'));
    return SocketAddress{address, 0}.isLoopback();
}

/// Warns about peers that are everybody, or that are trusted over UDP, where source addresses can
/// be forged.
void examineTrusted(const Config& config, Findings& findings)
{
    for (const auto& warning : trustInEverybody(config)) {
        findings.warning(warning.key, warning.what, warning.advice);
    }
    const auto& listen = config.sip.listen;
    const bool listensToDatagrams = std::ranges::any_of(
        listen, [](const SipListen& one) { return one.udp && !one.address.isLoopback(); });
    bool isFine = true;
    for (const auto& peer : config.sip.trusted) {
        if (!listensToDatagrams || !peer.believesDatagrams() || !peer.network ||
            isLoopback(peer.network->toString())) {
            continue;
        }
        isFine = false;
        if (peer.network->isEverybody()) {
            continue;  // told above, and tcp: would not mend it
        }
        findings.warning(
            "sip.trusted",
            fmt::format("{} is believed over UDP, where whoever can forge that source address may "
                        "send as anybody",
                        peer.toString()),
            fmt::format("write \"tcp:{}\", or \"tls:\" and the name of its certificate; or keep "
                        "it where a firewall drops such packets from elsewhere",
                        peer.network->toString()));
    }
    if (isFine && !listen.empty()) {
        findings.ok("sip.trusted", "nobody beyond this machine is believed by a datagram");
    }
}

/// "Max open files" of a process; 0 = unknown.
std::uint64_t openFileLimitOf(int process)
{
    std::ifstream file(fmt::format("/proc/{}/limits", process));
    constexpr std::string_view kTitle = "Max open files";
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(kTitle)) {
            return leadingNumber<std::uint64_t>(
                trimmed(std::string_view(line).substr(kTitle.size())));
        }
    }
    return 0;
}

void examineDescriptors(const Config& config, Findings& findings)
{
    // Besides HTTP's clients: Redis, the journal, SIP, couriers, files.
    constexpr std::uint64_t kOtherDescriptors = 500;
    const auto wanted = kOtherDescriptors + config.webhook.concurrency +
                        (config.http.listen ? config.http.limits.connections : 0);
    const auto process = daemonProcess(config);
    rlimit ownLimit{};
    getrlimit(RLIMIT_NOFILE, &ownLimit);
    const auto daemonLimit = process > 0 ? openFileLimitOf(process) : 0;
    const auto limit =
        daemonLimit > 0 ? daemonLimit : static_cast<std::uint64_t>(ownLimit.rlim_max);
    const auto what = fmt::format("{} may have {} files and connections open",
                                  daemonLimit > 0 ? "restanted" : "a process of this user", limit);
    if (limit < wanted) {
        findings.warning("descriptors",
                         fmt::format("{}; with this configuration it may want {}", what, wanted),
                         "raise it (LimitNOFILE= of the service, ulimit -n), or lower "
                         "http.limits.connections");
    } else {
        findings.ok("descriptors", what);
    }
}

void examineMemory(const Config& config, Findings& findings)
{
    if (!config.redis.url.empty()) {
        return;  // it may be another machine's
    }
    std::ifstream overcommit("/proc/sys/vm/overcommit_memory");
    int mode = 1;
    if (overcommit >> mode && mode == 2) {
        findings.warning("memory", "vm.overcommit_memory is 2: Redis may fail to rewrite its file",
                         "sysctl vm.overcommit_memory=1");
    }
}

}  // namespace

bool isRefusedToRoot(const fs::path& file, const Config& config)
{
    struct stat fileStatus {};
    struct stat stateStatus {};
    return geteuid() == 0 && stat(file.c_str(), &fileStatus) == 0 && fileStatus.st_uid != 0 &&
           stat(config.stateDirectory().c_str(), &stateStatus) == 0 &&
           fileStatus.st_uid == stateStatus.st_uid;
}

void examineMachine(const Config& config, Findings& findings)
{
    examineStateDirectory(config, findings);
    examineTokens(config, findings);
    examineCertificate("http.tls.certificate", config.http.tls.certificate, "http.tls.key",
                       config.http.tls.key, findings);
    examineUsers(config, findings);
    examineSecret("sip.proxy_password_file", config.sip.proxyPasswordFile, findings);
    examineSipTls(config.sip.tls, findings);
    examineSecret("sms.password_file", config.sms.passwordFile, findings);
    examineSecret("webhook.secret_file", config.webhook.secretFile, findings);
    examineReadable("webhook.ca_file", config.webhook.caFile, findings);
    examineTimeZones(config, findings);
    examineWebhookTargets(config, findings);
    examineTrusted(config, findings);
    examineDescriptors(config, findings);
    examineMemory(config, findings);
}

}  // namespace restante::cli
