#include "core/base/secret_file.h"

#include "core/base/file.h"
#include "core/base/file_descriptor.h"
#include "core/base/try.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace restante {

namespace {

constexpr std::size_t kMaxFileSize = 1'048'576;

tl::unexpected<Error>
secretFileError(std::string_view configKey, const std::filesystem::path& file, std::string_view why)
{
    return invalid("{} {} {}", configKey, file.string(), why);
}

std::string errnoText()
{
    return std::generic_category().message(errno);
}

/// Root does not accept the daemon's own file: whoever controls the daemon must not choose the
/// secret that root uses.
std::string wrongOwnerText(uid_t owner)
{
    if (::geteuid() == 0) {
        return fmt::format("belongs to user {0}, who could change it, so that root does not use "
                           "it; run this as that user (sudo -u '#{0}' ...), or chown it to root, "
                           "with mode 640 and the group of restanted's user",
                           owner);
    }
    return fmt::format("belongs to user {}, who could change it; chown it to root or to the user "
                       "that restanted runs as",
                       owner);
}

Result<void> checkAccess(std::string_view configKey,
                         const std::filesystem::path& file,
                         const struct stat& status)
{
    if (!S_ISREG(status.st_mode)) {
        return secretFileError(configKey, file, "is not a regular file");
    }
    if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
        return secretFileError(configKey, file, wrongOwnerText(status.st_uid));
    }
    if ((status.st_mode & S_IRWXO) != 0) {
        return secretFileError(
            configKey, file,
            fmt::format("can be read by everybody; chmod 600 {0}, or 640 for its group",
                        file.string()));
    }
    if ((status.st_mode & S_IWGRP) != 0) {
        return secretFileError(
            configKey, file,
            fmt::format("can be written by its group; chmod g-w {}", file.string()));
    }
    return {};
}

}  // namespace

Result<std::string> readSecretFile(std::string_view configKey, const std::filesystem::path& file)
{
    // Without O_NONBLOCK a FIFO of that name would wait for its writer.
    const FileDescriptor descriptor{
        ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
    struct stat status {};
    if (!descriptor || ::fstat(descriptor.get(), &status) != 0) {
        return invalid("cannot read {} {}: {}", configKey, file.string(), errnoText());
    }
    TRY(checkAccess(configKey, file, status));
    auto text = readAll(descriptor.get(), kMaxFileSize);
    if (!text) {
        return invalid("cannot read {} {}: {}", configKey, file.string(), errnoText());
    }
    if (text->size() <= kMaxFileSize) {
        return std::move(*text);
    }
    return secretFileError(configKey, file, fmt::format("has more than {} bytes", kMaxFileSize));
}

Result<std::string> readSecret(std::string_view configKey, const std::filesystem::path& file)
{
    auto text = TRY(readSecretFile(configKey, file));
    text.resize(std::min(text.find('\n'), text.size()));
    if (text.ends_with('\r')) {
        text.pop_back();
    }
    if (text.empty()) {
        return invalid("the first line of {} {} is empty; it is to hold the secret", configKey,
                       file.string());
    }
    return text;
}

std::filesystem::path credentialPath(std::string_view configKey)
{
    const char* directory = std::getenv("CREDENTIALS_DIRECTORY");
    if (directory == nullptr || *directory != '/') {
        return {};
    }
    auto path = std::filesystem::path(directory) / configKey;
    std::error_code ignored;
    return std::filesystem::exists(path, ignored) ? path : std::filesystem::path{};
}

}  // namespace restante
