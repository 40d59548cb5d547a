#pragma once

#include "core/base/file_descriptor.h"
#include "core/base/result.h"

#include <filesystem>

namespace restante {

/// The directory in which one daemon keeps what must survive it, held by an advisory lock on its
/// file `lock` for as long as this lives, so that two daemons never share one. *Value.*
class StateDirectory {
public:
    /// Creates it with mode 0700 when it is missing, and closes it to others when they can read it.
    /// Refuses as Conflict, naming the process, when another one holds it; as Invalid when it
    /// cannot be made or written, is somebody else's, or others may write to it.
    static Result<StateDirectory> open(const std::filesystem::path& path);

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
