// What doctor finds out about files and directories.

#include "core/auth/user_file.h"
#include "core/cli/certificate.h"
#include "core/cli/finding.h"
#include "core/config/config.h"
#include "core/http/server/tokens.h"

#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace restante::cli {

namespace {

namespace fs = std::filesystem;

std::string printBytes(double bytes)
{
    constexpr double kMega = 1'000'000;
    constexpr double kGiga = 1'000 * kMega;
    return bytes < kGiga ? fmt::format("{:.0f} MB", bytes / kMega)
                         : fmt::format("{:.1f} GB", bytes / kGiga);
}

void examineDisk(const fs::path& directory, Findings& findings)
{
    // The append-only file is rewritten beside itself, and the journal grows for months.
    constexpr double kLittle = 1'000'000'000;
    constexpr double kNothing = 50'000'000;
    struct statvfs disk {};
    if (statvfs(directory.c_str(), &disk) != 0) {
        return;  // examineStateDirectory() has said why
    }
    const auto unit = static_cast<double>(disk.f_frsize);
    const auto free = unit * static_cast<double>(disk.f_bavail);
    const auto what =
        fmt::format("{} are free of {} in {}", printBytes(free),
                    printBytes(unit * static_cast<double>(disk.f_blocks)), directory.string());
    if (free < kNothing) {
        findings.error("disk", what, "make room: on a full disk nothing is taken any more");
    } else if (free < kLittle) {
        findings.warning("disk", what, "make room before it is full");
    } else {
        findings.ok("disk", what);
    }
}

void examineStateDirectory(const Config& config, Findings& findings)
{
    const auto directory = config.stateDirectory();
    struct stat status {};
    if (stat(directory.c_str(), &status) != 0) {
        // restanted makes it, if it can.
        auto parent = directory.parent_path();
        while (!parent.empty() && parent != parent.root_path() && !fs::exists(parent)) {
            parent = parent.parent_path();
        }
        const auto what = fmt::format("{} is not there yet", directory.string());
        if (errno == EACCES || access(parent.c_str(), W_OK | X_OK) != 0) {
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

/// What root does not read tells nothing to root.
void leaveToTheDaemon(const std::string& key, const fs::path& path, Findings& findings)
{
    findings.warning(key,
                     fmt::format("{} belongs to the user of restanted, so that root does not read "
                                 "it",
                                 path.string()),
                     "run doctor as that user to be sure");
}

void examineTokens(const Config& config, Findings& findings)
{
    const auto& http = config.http;
    if (http.tokenFile.empty()) {
        return;  // loopback, or the configuration would be wrong
    }
    if (isTheDaemonsOwn(http.tokenFile, config)) {
        return leaveToTheDaemon("http.token_file", http.tokenFile, findings);
    }
    if (access(http.tokenFile.c_str(), F_OK) == 0 && access(http.tokenFile.c_str(), R_OK) != 0) {
        findings.warning("http.token_file",
                         fmt::format("this user cannot read {}", http.tokenFile.string()),
                         "run doctor as the user of restanted to be sure");
    } else if (const auto tokens = http::Tokens::read(http.tokenFile); !tokens) {
        findings.error("http.token_file", tokens.error().message,
                       "mend the file, then send restanted a SIGHUP");
    } else {
        findings.ok("http.token_file",
                    fmt::format("every line of {} is a token", http.tokenFile.string()));
    }
}

void examineUsers(const Config& config, Findings& findings)
{
    const auto& auth = config.sip.auth;
    if (auth.users.empty()) {
        return;
    }
    if (isTheDaemonsOwn(auth.users, config)) {
        return leaveToTheDaemon("sip.auth.users", auth.users, findings);
    }
    if (access(auth.users.c_str(), F_OK) == 0 && access(auth.users.c_str(), R_OK) != 0) {
        findings.warning("sip.auth.users",
                         fmt::format("this user cannot read {}", auth.users.string()),
                         "run doctor as the user of restanted to be sure");
    } else if (const auto users = auth::UserFile::open(auth.users); !users) {
        findings.error("sip.auth.users", users.error().message,
                       "mend the file, then send restanted a SIGHUP");
    } else {
        findings.ok("sip.auth.users",
                    fmt::format("{} holds {} users", auth.users.string(), (*users)->size()));
    }
}

void examineReadable(const std::string& key, const fs::path& path, Findings& findings)
{
    if (!path.empty() && access(path.c_str(), R_OK) != 0) {
        findings.error(key, fmt::format("{} cannot be read", path.string()),
                       "create it, correct the key, or let restanted read it");
    }
}

void examineSipTls(const Config::Sip::Tls& tls, Findings& findings)
{
    examineReadable("sip.tls.certificate", tls.certificate, findings);
    examineReadable("sip.tls.ca", tls.ca, findings);
    const auto& key = tls.key.empty() ? tls.certificate : tls.key;
    examineSecret("sip.tls.key", key, findings);
    if (access(tls.certificate.c_str(), R_OK) == 0 && access(key.c_str(), R_OK) == 0) {
        const auto expiry = certificateExpiry(tls.certificate, key);
        if (!expiry) {
            findings.error("sip.tls.certificate", expiry.error().message, "mend the files");
        } else if (*expiry < std::chrono::hours{0}) {
            findings.error("sip.tls.certificate",
                           fmt::format("{} has expired", tls.certificate.string()),
                           "get a new one, then send restanted a SIGHUP");
        } else if (*expiry < std::chrono::hours{24 * 14}) {
            findings.warning(
                "sip.tls.certificate",
                fmt::format("{} expires in {} hours", tls.certificate.string(), expiry->count()),
                "get a new one, then send restanted a SIGHUP");
        } else {
            findings.ok("sip.tls.certificate",
                        fmt::format("{} belongs to its key and is valid for {} days",
                                    tls.certificate.string(), expiry->count() / 24));
        }
    }
}

}  // namespace

bool isTheDaemonsOwn(const fs::path& file, const Config& config)
{
    struct stat its {};
    struct stat state {};
    return geteuid() == 0 && stat(file.c_str(), &its) == 0 && its.st_uid != 0 &&
           stat(config.stateDirectory().c_str(), &state) == 0 && its.st_uid == state.st_uid;
}

void examineFiles(const Config& config, Findings& findings)
{
    examineStateDirectory(config, findings);
    examineTokens(config, findings);
    examineReadable("http.tls.certificate", config.http.tls.certificate, findings);
    examineSecret("http.tls.key", config.http.tls.key, findings);
    examineUsers(config, findings);
    examineSecret("sip.proxy_password_file", config.sip.proxyPasswordFile, findings);
    examineSipTls(config.sip.tls, findings);
    examineSecret("sms.password_file", config.sms.passwordFile, findings);
    examineSecret("webhook.secret_file", config.webhook.secretFile, findings);
    examineReadable("webhook.ca_file", config.webhook.caFile, findings);
}

}  // namespace restante::cli
