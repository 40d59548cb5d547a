#include "core/base/state_directory.h"

#include "core/base/text.h"
#include "core/base/try.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace restante {

namespace {

constexpr mode_t kOwnerOnly = 0700;

tl::unexpected<Error> unusable(const std::filesystem::path& path, const std::string& why)
{
    return invalid("state directory " + path.string() + ": " + why +
                   "; set state_dir to a directory that this user may write");
}

/// The process that has last written itself into the lock's file; it may be gone.
std::string readHolder(int lock)
{
    std::array<char, 32> text{};
    const auto size = ::pread(lock, text.data(), text.size(), 0);
    return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

/// Whether the process runs as that user or as root: no other one can open a file of theirs.
bool runsAs(int process, uid_t user)
{
    struct stat status {};
    return ::stat(("/proc/" + std::to_string(process)).c_str(), &status) == 0 &&
           (status.st_uid == user || status.st_uid == 0);
}

void writeHolder(int lock) noexcept
{
    const auto pid = std::to_string(::getpid());
    // For people, and for holder() where the kernel's list does not suffice: the lock itself is
    // what counts.
    [[maybe_unused]] const bool written =
        ::ftruncate(lock, 0) == 0 &&
        ::pwrite(lock, pid.data(), pid.size(), 0) == static_cast<ssize_t>(pid.size());
}

/// Refuses a directory that others may write to, because they could place a file or a socket there;
/// removes the permissions of others who may only read it.
Result<void> requireOwnerOnly(const std::filesystem::path& path)
{
    const FileDescriptor directory{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    struct stat status {};
    if (!directory || ::fstat(directory.get(), &status) != 0) {
        return unusable(path, std::generic_category().message(errno));
    }
    if (status.st_uid != ::geteuid()) {
        return unusable(path, "belongs to user " + std::to_string(status.st_uid) +
                                  " and not to the one that this runs as");
    }
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return unusable(path, "others may write to it, and may have; look at what it holds, then "
                              "chmod 700 it");
    }
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0 && ::fchmod(directory.get(), kOwnerOnly) != 0) {
        return unusable(path, std::generic_category().message(errno));
    }
    return {};
}

}  // namespace

Result<StateDirectory> StateDirectory::open(const std::filesystem::path& path)
{
    std::error_code error;
    auto absolute = std::filesystem::absolute(path, error).lexically_normal();
    if (!absolute.has_filename()) {
        // Behind a slash at the end there is an empty name, and the directory itself would be
        // created as a parent: with the mode of any directory.
        absolute = absolute.parent_path();
    }
    if (absolute.has_parent_path()) {
        std::filesystem::create_directories(absolute.parent_path(), error);
    }
    if (error) {
        return unusable(absolute, error.message());
    }
    if (::mkdir(absolute.c_str(), kOwnerOnly) != 0 && errno != EEXIST) {
        return unusable(absolute, std::generic_category().message(errno));
    }
    TRY(requireOwnerOnly(absolute));
    FileDescriptor lock{
        ::open((absolute / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (!lock) {
        return unusable(absolute, std::generic_category().message(errno));
    }
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        const auto pid = readHolder(lock.get());
        return failure(ErrorCode::Conflict,
                       "state directory " + absolute.string() + " is in use by " +
                           (pid.empty() ? "another process" : "process " + pid) +
                           ": stop it, or give this one another state_dir");
    }
    writeHolder(lock.get());
    return StateDirectory(absolute, std::move(lock));
}

int StateDirectory::holder(const std::filesystem::path& path, const std::filesystem::path& locks)
{
    const FileDescriptor lock{::open((path / "lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    struct statx file = {};
    if (!lock || ::statx(lock.get(), "", AT_EMPTY_PATH, STATX_INO | STATX_UID, &file) != 0) {
        return 0;
    }
    const auto inode = fmt::format(":{}", file.stx_ino);
    const auto name = fmt::format("{:02x}:{:02x}{}", file.stx_dev_major, file.stx_dev_minor, inode);
    const auto written = wholeNumber<int>(readHolder(lock.get())).value_or(0);
    int likely = 0;
    std::ifstream list(locks);
    for (std::string line; std::getline(list, line);) {
        // "1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF"
        const auto words = splitWords(line, " ");
        if (words.size() < 6 || words[1] != "FLOCK" || !words[5].ends_with(inode)) {
            continue;
        }
        const auto process = wholeNumber<int>(words[4]).value_or(0);
        if (words[5] == name) {
            return process;
        }
        // Another file system may have a file of this number. Of some (Btrfs) the list has another
        // device than the file, so whoever is written into the file is taken for its holder.
        if (process > 0 && process == written && runsAs(process, file.stx_uid)) {
            likely = process;
        }
    }
    return likely;
}

}  // namespace restante
