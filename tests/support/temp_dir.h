#pragma once

#include <filesystem>
#include <string>

namespace restante::test {

/// A fresh directory of its own, short enough for unix sockets, removed at the end. *Value.*
class TempDir {
public:
    /// Memory is used if there is room, for programs that sync a lot: a disk may stall for seconds
    /// and make them late. A killed process loses nothing in either.
    enum class Where { Disk, Memory };

    TempDir() : TempDir(Where::Disk) {}
    explicit TempDir(Where where);
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    ~TempDir();

    const std::filesystem::path& path() const noexcept { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

}  // namespace restante::test
