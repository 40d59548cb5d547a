#pragma once

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace restante::test {

/// Which database a test is about.
enum class SqlKind { Sqlite, Mariadb, Postgresql };
std::string_view name(SqlKind kind);
inline std::ostream& operator<<(std::ostream& out, SqlKind kind)
{
    return out << name(kind);
}

/// A private database in a directory of its own: a file, or a real MariaDB or PostgreSQL server on
/// a unix socket, run by the package's user when we are root. Throws when it does not start. *One
/// thread.*
class SqlServer {
public:
    explicit SqlServer(SqlKind kind);
    SqlServer(const SqlServer&) = delete;
    SqlServer& operator=(const SqlServer&) = delete;
    ~SqlServer();

    SqlKind kind() const noexcept { return kind_; }
    /// `journal.url` of an empty database of that name.
    std::string url(const std::string& database);

    void kill9();    ///< SIGKILL to the server; nothing happens to a file
    void restart();  ///< after kill9(); waits until it answers
    /// SIGSTOP to all of the server's processes: connections stay, and nothing answers.
    void pause();
    void resume();

private:
    void launch();
    bool answers();
    void execute(const std::string& statement);
    void signal(int number);

    SqlKind kind_;
    TempDir directory_;
    std::unique_ptr<Process> process_;
};

/// The server that all tests of a binary share.
SqlServer& sharedSql(SqlKind kind);

}  // namespace restante::test
