#include "tests/support/sql_server.h"

#include "tests/support/eventually.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <sys/shm.h>
#include <unistd.h>
#include <vector>

namespace restante::test {

namespace {

using Words = std::vector<std::string>;

/// The command, run as `user` when we are root, as database servers require.
Words asUser(const std::string& user, Words words)
{
    if (::geteuid() == 0) {
        words.insert(words.begin(), {"runuser", "-u", user, "--"});
    }
    return words;
}

/// The path of a PostgreSQL program, which Debian does not put in the PATH.
std::string postgresProgram(const std::string& program)
{
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql")) {
        const auto path = version.path() / "bin" / program;
        if (std::filesystem::exists(path)) {
            return path;
        }
    }
    throw std::runtime_error("test sql: no PostgreSQL below /usr/lib/postgresql");
}

void changeOwner(const std::string& user, const std::filesystem::path& directory)
{
    if (::geteuid() == 0) {
        mustRun({"chown", "-R", user, directory});
    }
}

/// Removes what a PostgreSQL that was killed leaves until the machine is started anew: its block of
/// System V shared memory, whose key and id are line 7 of its postmaster.pid.
void removeSharedMemory(const std::filesystem::path& pidFile)
{
    std::ifstream lines(pidFile);
    std::string line;
    for (int i = 0; i < 7; ++i) {
        std::getline(lines, line);
    }
    std::istringstream words(line);
    long key = 0;
    int id = 0;
    if (words >> key >> id) {
        ::shmctl(id, IPC_RMID, nullptr);
    }
}

std::vector<pid_t> descendantsOf(pid_t parent)
{
    std::vector<pid_t> all;
    const auto number = std::to_string(parent);
    std::ifstream children("/proc/" + number + "/task/" + number + "/children");
    for (pid_t child = 0; children >> child;) {
        all.push_back(child);
        const auto more = descendantsOf(child);
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

}  // namespace

std::string_view name(SqlKind kind)
{
    switch (kind) {
    case SqlKind::Mariadb: return "mariadb";
    case SqlKind::Postgresql: return "postgresql";
    case SqlKind::Sqlite: break;
    }
    return "sqlite";
}

SqlServer::SqlServer(SqlKind kind) : kind_(kind), directory_(TempDir::Where::Memory)
{
    const std::string data = directory_ / "data";
    if (kind_ == SqlKind::Mariadb) {
        changeOwner("mysql", directory_.path());
        mustRun(asUser("mysql", {"mariadb-install-db", "--no-defaults", "--datadir=" + data,
                                 "--auth-root-authentication-method=normal", "--skip-test-db",
                                 "--tmpdir=" + directory_.path().string()}));
    } else if (kind_ == SqlKind::Postgresql) {
        changeOwner("postgres", directory_.path());
        mustRun(asUser("postgres",
                       {postgresProgram("initdb"), "--no-sync", "--auth=trust",
                        "--username=restante", "--encoding=UTF8", "--locale=C", "-D", data}));
    }
    restart();
}

SqlServer::~SqlServer()
{
    kill9();
}

void SqlServer::launch()
{
    const std::string data = directory_ / "data";
    const std::string socket = directory_ / "s";
    if (kind_ == SqlKind::Mariadb) {
        process_ = std::make_unique<Process>(Process::Command{
            asUser("mysql",
                   {"mariadbd", "--no-defaults", "--datadir=" + data, "--socket=" + socket,
                    "--skip-networking", "--pid-file=" + std::string(directory_ / "pid"),
                    // A starting server deletes temporary tables in this directory, also others'.
                    "--tmpdir=" + directory_.path().string(), "--innodb-buffer-pool-size=32M",
                    // Safe against a kill, not against a power cut.
                    "--innodb-flush-log-at-trx-commit=2"}),
            {},
            "/tmp"});
    } else if (kind_ == SqlKind::Postgresql) {
        process_ = std::make_unique<Process>(Process::Command{
            asUser("postgres", {postgresProgram("postgres"), "-D", data, "-k", directory_.path(),
                                "-c", "listen_addresses=", "-c", "fsync=off",
                                // In its directory, which goes with us, not in /dev/shm for ever.
                                "-c", "dynamic_shared_memory_type=mmap"}),
            {},
            "/tmp"});
    }
}

void SqlServer::execute(const std::string& statement)
{
    const auto finished = kind_ == SqlKind::Mariadb
                              ? run({{"mariadb", "--no-defaults", "--user=root",
                                      "--socket=" + std::string(directory_ / "s"), "-e", statement},
                                     {},
                                     "/tmp"})
                              : run({{"psql", "-h", directory_.path(), "-U", "restante", "-d",
                                      "postgres", "-c", statement},
                                     {},
                                     "/tmp"});
    if (finished.status != 0) {
        throw std::runtime_error("test sql: " + statement + ": " + finished.errors);
    }
}

bool SqlServer::answers()
{
    try {
        execute("SELECT 1");
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }
}

std::string SqlServer::url(const std::string& database)
{
    if (kind_ == SqlKind::Sqlite) {
        return "sqlite://" + std::string(directory_ / (database + ".db"));
    }
    execute("CREATE DATABASE " + database);
    if (kind_ == SqlKind::Mariadb) {
        return "mysql://root@localhost/" + database + "?socket=" + std::string(directory_ / "s");
    }
    return "postgresql://restante@/" + database + "?host=" + directory_.path().string();
}

void SqlServer::kill9()
{
    if (process_ == nullptr) {
        return;
    }
    // With runuser the server is a child of the process, so the whole group is killed. PostgreSQL's
    // connection processes are in no group, and would continue for a while.
    const auto others = descendantsOf(process_->id());
    process_.reset();
    for (const auto pid : others) {
        ::kill(pid, SIGKILL);
    }
    if (kind_ == SqlKind::Postgresql) {
        removeSharedMemory(directory_ / "data/postmaster.pid");
        // Both name a process that a container's init may not have reaped: the next server would
        // take it for a running one.
        std::filesystem::remove(directory_ / "data/postmaster.pid");
        std::filesystem::remove(directory_ / ".s.PGSQL.5432.lock");
    }
}

void SqlServer::signal(int number)
{
    if (process_ != nullptr) {
        for (const auto pid : descendantsOf(process_->id())) {
            ::kill(pid, number);
        }
        process_->signal(number);
    }
}

void SqlServer::pause()
{
    signal(SIGSTOP);
}

void SqlServer::resume()
{
    signal(SIGCONT);
}

void SqlServer::restart()
{
    kill9();
    if (kind_ == SqlKind::Sqlite) {
        return;
    }
    launch();
    const auto up = [this] {
        if (!process_->running()) {
            launch();  // children of the killed one had not ended yet
        }
        return answers();
    };
    if (!eventually(up, Millis{60'000})) {
        throw std::runtime_error("test sql: the server does not start: " + process_->allOutput());
    }
}

SqlServer& sharedSql(SqlKind kind)
{
    static std::map<SqlKind, std::unique_ptr<SqlServer>> servers;
    auto& server = servers[kind];
    if (!server) {
        server = std::make_unique<SqlServer>(kind);
    }
    return *server;
}

}  // namespace restante::test
