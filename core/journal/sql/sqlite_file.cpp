#include "core/journal/sql/sqlite_file.h"

#include "core/base/file_descriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace restante::journal {

namespace {
constexpr mode_t kFileMode = 0600;  // message bodies and addresses are private

bool isMissing(const std::string& path)
{
    struct stat fileStatus = {};
    return ::stat(path.c_str(), &fileStatus) != 0 && errno == ENOENT;
}

/// When the file was made, because the number of a deleted file is given to the next one; empty
/// where the file system does not know.
std::string birthOf(const std::string& path)
{
    struct statx details = {};
    const bool isKnown = ::statx(AT_FDCWD, path.c_str(), 0, STATX_BTIME, &details) == 0 &&
                         (details.stx_mask & STATX_BTIME) != 0;
    return isKnown ? fmt::format(":{}.{:09}", details.stx_btime.tv_sec, details.stx_btime.tv_nsec)
                   : std::string();
}

/// Removes access that an earlier version left to others. SQLite gives its log and index the same
/// mode.
void restrictToOwner(const std::string& path)
{
    for (const auto* suffix : {"", "-wal", "-shm", "-journal"}) {
        struct stat fileStatus = {};
        const auto name = path + suffix;
        if (::lstat(name.c_str(), &fileStatus) == 0 && S_ISREG(fileStatus.st_mode) &&
            fileStatus.st_uid == ::geteuid() && (fileStatus.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
            ::chmod(name.c_str(), kFileMode);
        }
    }
}
}  // namespace

std::string fileIdentity(const std::string& path)
{
    struct stat fileStatus = {};
    return ::stat(path.c_str(), &fileStatus) == 0
               ? fmt::format("{}:{}{}", fileStatus.st_dev, fileStatus.st_ino, birthOf(path))
               : std::string();
}

void prepareSqliteFile(const std::string& path)
{
    if (!isMissing(path)) {
        return restrictToOwner(path);
    }
    const auto parent = std::filesystem::path(path).parent_path();
    const FileDescriptor directory{::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (directory.get() < 0 || ::flock(directory.get(), LOCK_EX) != 0 || !isMissing(path)) {
        return;
    }
    for (const auto* suffix : {"-wal", "-shm", "-journal"}) {
        ::unlink((path + suffix).c_str());
    }
    const FileDescriptor created{
        ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kFileMode)};
}

}  // namespace restante::journal
