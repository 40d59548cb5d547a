#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/redis/client/redis_url.h"
#include "core/redis/server/server_defaults.h"

#include <filesystem>
#include <memory>
#include <string>

namespace restante::redis {

/// The private redis-server (or valkey-server) of one state directory: unix socket `redis.sock`
/// (mode 0700), append-only file, `noeviction`, no TCP port. Synchronous, because it runs before
/// the loop and after it. Before it is started its append-only file is made whole
/// (append_only_file.h).
///
/// Started as a child in a session of its own, so that a crash of the daemon leaves it running and
/// the next start adopts it again. The caller holds the state directory's lock (StateDirectory), so
/// one daemon at a time owns it. *One thread at a time*, but url(), processId()
/// and mayHoldUnfinishedTransactions() on any.
class EmbeddedServer {
public:
    struct Settings {
        std::filesystem::path directory;  ///< `<state_dir>/redis`, created if missing
        std::string program = serverProgram();
        std::string fsync = "always";  ///< "always" | "everysec" | "no": `redis.fsync`
        std::size_t maxMemory = 0;     ///< bytes, 0 = no limit
        Millis timeout{60'000};        ///< for loading a large append-only file
    };

    /// Adopts a living server of this directory or starts one, and waits until it answers PING and
    /// has loaded its data. The error says which program or file failed and holds the last log
    /// lines.
    static Result<std::unique_ptr<EmbeddedServer>> start(Settings settings);

    /// Leaves the server running; stop() ends it.
    virtual ~EmbeddedServer() = default;

    /// SHUTDOWN NOSAVE (the append-only file has everything), and waits for the end; a server that
    /// does not end within 10 s is killed.
    virtual void stop() noexcept = 0;
    /// Starts it again if it has died since, and waits until it serves; true when it had to. Cheap
    /// when its process lives, whether it answers or not. May block for as long as starting takes,
    /// so a loop calls it through a thread of its own.
    virtual Result<bool> revive() = 0;

    virtual RedisUrl url() const = 0;
    virtual int processId() const noexcept = 0;
    virtual bool adopted() const noexcept = 0;
    /// Whether its predecessor, or the daemon before, did not end in order: a script may have
    /// been executed in part, so whoever serves from it looks for what that leaves (StoreSweep).
    /// Any thread.
    virtual bool mayHoldUnfinishedTransactions() const noexcept = 0;
};

}  // namespace restante::redis
