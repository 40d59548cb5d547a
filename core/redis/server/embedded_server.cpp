#include "core/redis/server/embedded_server.h"

#include "core/base/file_descriptor.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/redis/client/blocking_command.h"
#include "core/redis/server/append_only_file.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <deque>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

// Whether the server runs is known from a lock: it inherits a descriptor of `redis.lock`, on which
// there is a flock. The kernel releases the lock when the last process that holds it ends, so it is
// right after any crash, of the daemon or of Redis, without process ids that may have been reused;
// and no second server is started on the same append-only file.

namespace restante::redis {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr Millis kPingTimeout{1'000};
constexpr Millis kPollInterval{10};     // between checks of a server that starts or ends
constexpr Millis kEndTimeout{10'000};   // for a last fsync; then it is killed
constexpr Millis kRepairRetry{30'000};  // until a damaged file is read again
constexpr int kLockInChild = 3;         // the descriptor that the server inherits
/// The size of the append-only file from which Redis rewrites it, when it has doubled.
constexpr const char* kRewriteFrom = "256mb";

tl::unexpected<Error> unusable(const std::filesystem::path& path, const std::string& why)
{
    return invalid("embedded redis: " + path.string() + ": " + why);
}

std::string lastLines(const std::filesystem::path& file)
{
    constexpr std::size_t kLines = 5;
    std::deque<std::string> lines;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(std::move(line));
        if (lines.size() > kLines) {
            lines.pop_front();
        }
    }
    return fmt::format("{}", fmt::join(lines, " | "));
}

/// posix_spawn's settings; it throws only when memory runs out.
class SpawnPlan {
public:
    SpawnPlan(int lock, const std::string& log)
    {
        posix_spawn_file_actions_init(&actions_);
        posix_spawnattr_init(&attributes_);
        posix_spawn_file_actions_adddup2(&actions_, lock, kLockInChild);
        posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions_, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                         0600);
        posix_spawn_file_actions_adddup2(&actions_, 1, 2);
        // A server that outlives the daemon must not keep the daemon's sockets open.
        posix_spawn_file_actions_addclosefrom_np(&actions_, kLockInChild + 1);
        // A session of its own: what ends the daemon (Ctrl-C) does not end it, too.
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                                   POSIX_SPAWN_SETSIGDEF);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan()
    {
        posix_spawnattr_destroy(&attributes_);
        posix_spawn_file_actions_destroy(&actions_);
    }

    /// The child's process id.
    Result<pid_t> spawn(std::vector<std::string> words) const
    {
        std::vector<char*> arguments;
        arguments.reserve(words.size() + 1);
        for (auto& word : words) {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        pid_t child = -1;
        const int error =
            posix_spawnp(&child, arguments[0], &actions_, &attributes_, arguments.data(), environ);
        if (error != 0) {
            return invalid("embedded redis: cannot start \"" + words.front() +
                           "\": " + formatSystemError(error) +
                           "; install redis-server, or set redis.url to a Redis");
        }
        return child;
    }

private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

/// Redis refuses PING while it loads; any other refusal comes from a server that is up.
bool isUp(const Result<Reply>& pong)
{
    return pong ||
           (pong.error().code != ErrorCode::Unavailable && pong.error().code != ErrorCode::Loading);
}

pid_t askProcessId(const std::filesystem::path& socket)
{
    constexpr std::string_view kField = "process_id:";
    const auto info = blockingCommand(socket, {"INFO", "server"}, kPingTimeout);
    const auto lines = info ? info->textOrEmpty() : std::string_view();
    const auto at = lines.find(kField);
    return at == std::string_view::npos ? -1
                                        : leadingNumber<pid_t>(lines.substr(at + kField.size()));
}

/// Started by us, or adopted.
struct LocalServer final : EmbeddedServer {
    explicit LocalServer(Settings given)
        : settings(std::move(given)),
          socket(settings.directory / "redis.sock"),
          log(settings.directory / "redis.log")
    {
    }

    void stop() noexcept override
    {
        // Success is no answer: the server closes the connection.
        static_cast<void>(blockingCommand(socket, {"SHUTDOWN", "NOSAVE"}, kPingTimeout));
        bool ended = awaitEnd();
        if (!ended && process > 0) {
            log::warning("redis", "the embedded server does not end by itself: killed");
            ::kill(process, SIGKILL);
            ended = awaitEnd();
        }
        endedCleanly = false;
        collectChild(ended ? 0 : WNOHANG);
        process = -1;
        if (ended && endedCleanly) {
            markCleanShutdown(settings.directory);
        }
    }

    Result<bool> revive() override { return isRunning() ? Result<bool>(false) : ensureRunning(); }

    RedisUrl url() const override
    {
        RedisUrl url;
        url.socketPath = socket;
        return url;
    }

    int processId() const noexcept override { return process; }
    bool adopted() const noexcept override { return isAdopted; }
    bool mayHoldUnfinishedTransactions() const noexcept override { return isAdopted || afterCrash; }

    /// The lock when no server runs; a closed descriptor when one does.
    Result<FileDescriptor> takeLock() const
    {
        const auto path = settings.directory / "redis.lock";
        FileDescriptor lock{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
        if (!lock) {
            return unusable(path, formatSystemError(errno));
        }
        if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
            return FileDescriptor{};
        }
        return lock;
    }

    bool isRunning() const
    {
        const auto lock = takeLock();
        return lock && !*lock;
    }

    std::vector<std::string> commandLine() const
    {
        return {settings.program, "--port", "0", "--unixsocket", socket, "--unixsocketperm", "700",
                "--dir", settings.directory, "--appendonly", "yes", "--appendfsync", settings.fsync,
                // It would cut a torn file within a transaction, and execute a script in part at
                // its next start. repairFile() has cut it before.
                "--aof-load-truncated", "no", "--save", "", "--maxmemory-policy", "noeviction",
                "--maxmemory", std::to_string(settings.maxMemory),
                // Records of this size share a compact listpack (docs/redis-schema.md).
                "--hash-max-listpack-value", "1024",
                // What comes and goes fills the file at tens of MB a second, and a rewrite takes a
                // core and, by its fork, time of every command. Reading so much back takes seconds.
                "--auto-aof-rewrite-min-size", kRewriteFrom,
                // A generation of once keys may have millions; forgetting them must not block.
                "--lazyfree-lazy-expire", "yes"};
    }

    Result<void> launch(const FileDescriptor& lock)
    {
        collectChild(WNOHANG);
        return SpawnPlan(lock.get(), log).spawn(commandLine()).map([this](pid_t spawned) {
            child = spawned;
            process = child;
            isAdopted = false;
        });
    }

    void collectChild(int options) noexcept
    {
        int status = 0;
        if (child <= 0) {
            return;
        }
        const auto endedPid = ::waitpid(child, &status, options);
        endedCleanly = endedPid == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (endedPid != 0) {
            child = -1;
        }
    }

    /// Repairs the append-only file after a crash. No server uses it: we hold the lock.
    Result<void> repairFile()
    {
        if (repairError && SteadyClock::now() < repairFailedAt + kRepairRetry) {
            return tl::unexpected<Error>(*repairError);
        }
        repairError.reset();
        auto check = repairTornFile(settings.directory);
        if (!check) {
            repairError = check.error();
            repairFailedAt = SteadyClock::now();
            return tl::unexpected<Error>(std::move(check.error()));
        }
        if (check->bytesCut > 0) {
            log::warning("redis",
                         "{} was torn by a crash: {} bytes behind its last whole transaction were "
                         "cut off{}",
                         check->file.string(), check->bytesCut,
                         check->tail.empty() ? "; no copy of them could be written"
                                             : " and are kept as " + check->tail.string());
        }
        if (check->unfinishedTransactions > 0) {
            log::warning("redis",
                         "{} holds {} transactions without an end, left by an earlier start of "
                         "Redis alone: what a script cut short has done is looked for and mended",
                         check->file.string(), check->unfinishedTransactions);
        }
        afterCrash = !check->file.empty() && !check->skipped;
        return {};
    }

    /// To an adopted server: the daemon before may have had another configuration, or version.
    void applySettings() const
    {
        const auto maxMemory = std::to_string(settings.maxMemory);
        using Setting = std::pair<std::string_view, std::string_view>;
        for (const auto& [name, value] :
             {Setting{"appendfsync", settings.fsync}, Setting{"maxmemory", maxMemory},
              Setting{"auto-aof-rewrite-min-size", kRewriteFrom}}) {
            const auto set = blockingCommand(socket, {"CONFIG", "SET", name, value}, kPingTimeout);
            if (!set) {
                log::warning("redis", "the embedded server keeps the {} it was started with: {}",
                             name, set.error().message);
            }
        }
    }

    /// Starts a server unless one runs, and waits until it answers and has loaded its data. True
    /// when it was started. A running one that ends meanwhile is replaced; one started here is not.
    Result<bool> ensureRunning()
    {
        auto deadline = SteadyClock::now() + settings.timeout;
        bool launched = false;
        while (true) {
            const auto lock = TRY(takeLock());
            if (lock && launched) {
                return failure(ErrorCode::Unavailable,
                               "embedded redis: " + settings.program +
                                   " ended at its start; its log ends with: " + lastLines(log));
            }
            if (lock) {
                TRY(repairFile());
                TRY(launch(lock));
                deadline = SteadyClock::now() +
                           settings.timeout;  // the time for reading the file does not count
                launched = true;
            }
            const auto pong = blockingCommand(socket, {"PING"}, kPingTimeout);
            if (isUp(pong)) {
                return launched;
            }
            if (SteadyClock::now() >= deadline) {
                return failure(ErrorCode::Unavailable,
                               "embedded redis: " + pong.error().message + "; see " + log.string());
            }
            std::this_thread::sleep_for(kPollInterval);
        }
    }

    bool awaitEnd() const noexcept
    {
        const auto deadline = SteadyClock::now() + kEndTimeout;
        while (isRunning()) {
            if (SteadyClock::now() >= deadline) {
                return false;
            }
            std::this_thread::sleep_for(kPollInterval);
        }
        return true;
    }

    const Settings settings;
    const std::filesystem::path socket;
    const std::filesystem::path log;
    std::atomic<pid_t> process{-1};
    pid_t child = -1;  ///< the process id when it is our child
    std::atomic<bool> isAdopted{false};
    bool endedCleanly = false;            ///< our child has ended with exit status 0
    std::atomic<bool> afterCrash{false};  ///< it read a file that no clean shutdown had left
    std::optional<Error>
        repairError;  ///< of repairFile(), so that a damaged file is not read all the time
    SteadyClock::time_point repairFailedAt{};
};

}  // namespace

Result<std::unique_ptr<EmbeddedServer>> EmbeddedServer::start(Settings settings)
{
    std::error_code error;
    settings.directory = std::filesystem::absolute(settings.directory, error);
    if (::mkdir(settings.directory.c_str(), 0700) != 0 && errno != EEXIST) {
        return unusable(settings.directory, formatSystemError(errno));
    }
    constexpr std::size_t kLongestSocketPath = 107;  // what the kernel takes
    auto server = std::make_unique<LocalServer>(std::move(settings));
    if (server->socket.native().size() > kLongestSocketPath) {
        return unusable(server->socket,
                        "longer than the 107 bytes that a unix socket may have; use a shorter "
                        "state_dir");
    }
    const auto started = TRY(server->ensureRunning());
    if (!started) {
        server->isAdopted = true;
        server->process = askProcessId(server->socket);
        server->applySettings();
    }
    return std::unique_ptr<EmbeddedServer>(std::move(server));
}

}  // namespace restante::redis
