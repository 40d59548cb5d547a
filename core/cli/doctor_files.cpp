// What doctor finds out about files and directories.

#include "core/auth/user_file.h"
#include "core/base/handle_deleter.h"
#include "core/cli/finding.h"
#include "core/config/config.h"
#include "core/http/server/tokens.h"

#include <cerrno>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
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
    constexpr double kLittle = 1'000'000'000;
    constexpr double kNothing = 50'000'000;
    struct statvfs disk {};
    if (statvfs(directory.c_str(), &disk) != 0) {
        return;  // examineStateDirectory() has said why
    }
    const auto unit = static_cast<double>(disk.f_frsize);
    const auto free = unit * static_cast<double>(disk.f_bavail);
    const auto what =
        fmt::format("{} are free of {} in {}", bytesText(free),
                    bytesText(unit * static_cast<double>(disk.f_blocks)), directory.string());
    if (free < kNothing) {
        findings.error("disk", what, "make room: on a full disk nothing is taken any more");
    } else {
        findings.warnIf(free < kLittle, "disk", what, "make room before it is full");
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

/// A file that the daemon takes line by line: `read` tells what is fine about it.
void examineLines(const std::string& key,
                  const fs::path& path,
                  const Config& config,
                  Findings& findings,
                  const std::function<Result<std::string>()>& read)
{
    if (path.empty()) {
        return;
    }
    if (isTheDaemonsOwn(path, config)) {
        findings.warning(key,
                         fmt::format("{} belongs to the user of restanted, so that root does not "
                                     "read it",
                                     path.string()),
                         "run doctor as that user to be sure");
    } else if (access(path.c_str(), F_OK) == 0 && access(path.c_str(), R_OK) != 0) {
        findings.warning(key, fmt::format("this user cannot read {}", path.string()),
                         "run doctor as the user of restanted to be sure");
    } else if (const auto fine = read(); !fine) {
        findings.error(key, fine.error().message, "mend the file, then send restanted a SIGHUP");
    } else {
        findings.ok(key, *fine);
    }
}

/// Without a file of tokens HTTP is on loopback, or the configuration would be wrong.
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

/// restanted has nobody to ask for a password either.
int noPassword(char*, int, int, void*) noexcept
{
    return 0;
}

/// How long the first certificate of a PEM file is still valid (negative: it has expired), once it
/// is sure that `key` is its private key. The error names the file that is wrong.
Result<std::chrono::hours> certificateExpiry(const fs::path& certificate, const fs::path& key)
{
    const auto certificateFile = openPem(certificate);
    const auto keyFile = openPem(key);
    const Certificate shown{
        certificateFile ? PEM_read_bio_X509(certificateFile.get(), nullptr, nullptr, nullptr)
                        : nullptr};
    const Key secret{keyFile ? PEM_read_bio_PrivateKey(keyFile.get(), nullptr, &noPassword, nullptr)
                             : nullptr};
    ERR_clear_error();
    if (!shown) {
        return failure(ErrorCode::Invalid,
                       fmt::format("{} holds no certificate in PEM format", certificate.string()));
    }
    if (!secret) {
        return failure(
            ErrorCode::Invalid,
            fmt::format("{} holds no private key in PEM format without a password", key.string()));
    }
    if (X509_check_private_key(shown.get(), secret.get()) != 1) {
        ERR_clear_error();
        return failure(ErrorCode::Invalid,
                       fmt::format("{} is not the key of {}", key.string(), certificate.string()));
    }
    int days = 0;
    int seconds = 0;
    ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(shown.get()));
    return std::chrono::hours{days * 24 + seconds / 3600 - (seconds < 0 || days < 0 ? 1 : 0)};
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
