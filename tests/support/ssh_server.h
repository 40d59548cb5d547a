#pragma once

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace restante::test {

/// A private sshd on 127.0.0.1, without privileges, and an `ssh` with its host key and a user key:
/// no configuration, agent or key of this machine is used. *One thread.*
class SshServer {
public:
    /// `configuration`: more lines for the server.
    explicit SshServer(std::string configuration = {});
    SshServer(const SshServer&) = delete;
    SshServer& operator=(const SshServer&) = delete;
    ~SshServer();

    std::uint16_t port() const noexcept { return port_; }
    /// "user@127.0.0.1:port".
    std::string address() const;
    /// The directory with that `ssh`, for the PATH.
    std::filesystem::path programs() const { return directory_ / "bin"; }
    /// The file of a key that the server accepts, and of one that it does not.
    std::filesystem::path key() const { return directory_ / "key"; }
    std::filesystem::path strangersKey() const { return directory_ / "stranger"; }

    enum class KnownHostKey { Right, None, Wrong };
    /// Sets what our ssh knows of the server's host key, and the key it uses.
    void configureClient(KnownHostKey known, const std::filesystem::path& key);

    void kill9();  ///< its connections, too
    void restart();
    /// How many clients are connected.
    std::size_t clients() const;

private:
    TempDir directory_;
    std::uint16_t port_;
    std::unique_ptr<Process> process_;
};

/// As long as it lives, PATH begins with this directory or is only that.
class ProgramPath {
public:
    enum class Others { Too, None };
    ProgramPath(const std::filesystem::path& directory, Others others);
    ProgramPath(const ProgramPath&) = delete;
    ProgramPath& operator=(const ProgramPath&) = delete;
    ~ProgramPath();

private:
    std::string before_;
};

}  // namespace restante::test
