#pragma once

#include "tests/bench/rows.h"
#include "tests/bench/server.h"
#include "tests/support/temp_dir.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace restante::bench {

struct DaemonOptions {
    std::vector<std::string> set = {};    ///< further settings, `section.key=value`
    std::filesystem::path stateDir = {};  ///< of one that outlives it; empty: its own
    Millis readyTimeout = test::kProcessTimeout;
};

/// The restanted of a row, with an embedded Redis.
class Daemon {
public:
    enum class Serves { Redis, Http, Sip, SipAndTls, SipAndHttp };

    /// Throws when it does not become ready.
    Daemon(const Setting& setting, Serves serves, DaemonOptions options = {});

    std::uint16_t sipPort() const;
    std::uint16_t tlsPort() const noexcept { return tlsPort_; }  ///< with loopbackTls()
    std::uint16_t httpPort() const;
    std::string redisUrl() const;
    const std::filesystem::path& stateDir() const noexcept { return stateDir_; }
    std::string redisSocket() const { return stateDir_ / "redis/redis.sock"; }
    std::string lastWords() { return server_.lastWords(); }
    /// The daemon and its Redis, for counting their CPU time.
    std::vector<WatchedProcess> processes() const { return server_.processes(); }

private:
    std::optional<test::TempDir> ownDir_;
    std::filesystem::path stateDir_;
    std::uint16_t tlsPort_;
    Server server_;
};

/// For a row that failed: Server::lastWords() of both sides.
std::string lastWordsOf(Server& bare, Daemon& restanted);

/// The port in "ready sip=udp:127.0.0.1:5060,tcp:... http=127.0.0.1:9277 ..." behind `name`, or in
/// "ready 5060", which the bare servers print.
std::uint16_t portIn(const std::string& readyLine, const std::string& name);

}  // namespace restante::bench
