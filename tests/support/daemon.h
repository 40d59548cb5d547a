#pragma once

#include "tests/support/process.h"
#include "tests/support/sip_socket.h"
#include "tests/support/temp_dir.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace restante::test {

/// The domain that every Daemon serves.
inline constexpr auto kDomain = "restante.test";

/// A `restanted` in a state directory of its own, and its embedded Redis, which survives a kill:
/// the destructor ends both. The ports stay the same over restarts. *One thread.*
class Daemon {
public:
    struct Settings {
        std::vector<std::string> set;  ///< `section.key=value`, as for --set
        std::string host = "127.0.0.1";
        std::shared_ptr<const TlsSide> tls{};  ///< with it, SIP is served over TLS too
    };

    /// Starts it and waits until it is ready; throws with its log when it does not become so.
    Daemon() : Daemon(Settings{}) {}
    explicit Daemon(Settings settings);
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;
    ~Daemon();

    SipServer udp() const { return {SipTransport::Udp, settings_.host, port_}; }
    SipServer tcp() const { return {SipTransport::Tcp, settings_.host, port_}; }
    SipServer tls() const { return {SipTransport::Tls, settings_.host, tlsPort_, settings_.tls}; }
    SipServer server(SipTransport transport) const;
    std::uint16_t httpPort() const noexcept { return httpPort_; }
    static std::string aor(const std::string& user) { return "sip:" + user + "@" + kDomain; }

    Process& process() { return *process_; }
    void start();   ///< again, after kill9() or stop(); waits until it is ready
    void launch();  ///< as start(), but does not wait
    bool waitUntilReady();
    void kill9();  ///< the daemon alone: the embedded Redis lives on
    int stop();    ///< SIGTERM; its exit status, -1 when it does not end

    pid_t embeddedRedis() const;  ///< its process, -1 when none answers
    std::string redisSocket() const { return directory_ / "state/redis/redis.sock"; }
    std::filesystem::path directory() const { return directory_.path(); }

    /// `restantectl` on this daemon's store.
    Finished control(std::vector<std::string> words) const;
    /// Jobs by state, e.g. {"held": 2}, as in `restantectl stats --json`.
    std::map<std::string, std::size_t> jobs() const;
    std::size_t jobsInAll() const;
    /// Why the last attempt of each job failed, or why it is dead; one line a job.
    std::string lastErrors() const;
    std::size_t residentKilobytes() const;  ///< of the daemon's memory

private:
    std::string configuration() const { return directory_ / "restante.toml"; }

    TempDir directory_{TempDir::Where::Memory};
    Settings settings_;
    std::uint16_t port_;
    std::uint16_t tlsPort_ = 0;  ///< 0: not over TLS
    std::uint16_t httpPort_;
    std::unique_ptr<Process> process_;
};

/// The user whom most tests write to.
inline const std::string kBob = Daemon::aor("bob");

}  // namespace restante::test
