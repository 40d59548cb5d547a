#pragma once

#include "core/base/file_descriptor.h"
#include "core/base/result.h"

#include <filesystem>

namespace restante {

/// The directory in which a daemon keeps the files that must outlive its process. As long as this
/// object exists it holds an advisory lock on the file `lock` in there, so that two daemons never
/// share a directory. *Value.*
class StateDirectory {
public:
    /// Creates the directory with mode 0700 when it is missing, and makes it unreadable for other
    /// users when they can read it. Conflict, which names the process: another process holds the
    /// lock. Invalid: the directory cannot be created or written, belongs to another user, or other
    /// users may write to it.
    static Result<StateDirectory> open(const std::filesystem::path& path);

    /// The process that holds the lock of the state directory at `path`; 0 = none, or this user may
    /// not look. The lock is not tried, which could make a daemon fail that starts now: `locks` is
    /// the kernel's list of all.
    static int holder(const std::filesystem::path& path,
                      const std::filesystem::path& locks = "/proc/locks");

    const std::filesystem::path& path() const noexcept { return path_; }

private:
    StateDirectory(std::filesystem::path path, FileDescriptor lock)
        : path_(std::move(path)),
          lock_(std::move(lock))
    {
    }

    std::filesystem::path path_;
    FileDescriptor lock_;
};

}  // namespace restante
