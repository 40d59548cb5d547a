#pragma once

#include <filesystem>
#include <string>

namespace restante::test {

/// A fresh directory of its own, short enough for unix sockets, removed at the end. *Value.*
class TempDir {
public:
    TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    ~TempDir();

    const std::filesystem::path& path() const noexcept { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

}  // namespace restante::test
