#pragma once

#include <string>

namespace restante::journal {

/// The identity of the file at a path, "device:inode:birth"; empty = none. It changes when the file
/// is replaced, and stays when it is written to.
std::string fileIdentity(const std::string& path);

/// To be called before SQLite opens `path`. Without a file there: creates an empty one (0600) and
/// deletes the log and index of a deleted file, which SQLite would share with a program that still
/// has that file open. With a file: removes the access of other users. Several programs may do it
/// at once. Failures are left for SQLite to report.
void prepareSqliteFile(const std::string& path);

}  // namespace restante::journal
