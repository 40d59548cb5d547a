#include "core/base/state_directory.h"

#include "core/base/try.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
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

std::string readHolder(int lock)
{
    std::array<char, 32> text{};
    const auto size = ::pread(lock, text.data(), text.size(), 0);
    const std::string pid(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    return pid.empty() ? "another process" : "process " + pid;
}

void writeHolder(int lock) noexcept
{
    const auto pid = std::to_string(::getpid());
    // Only for the error message of the next process: the lock itself is what counts.
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
        return failure(ErrorCode::Conflict, "state directory " + absolute.string() +
                                                " is in use by " + readHolder(lock.get()) +
                                                ": stop it, or give this one another state_dir");
    }
    writeHolder(lock.get());
    return StateDirectory(absolute, std::move(lock));
}

}  // namespace restante
