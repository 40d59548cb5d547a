#pragma once

#include <string>

namespace restante::journal {

/// The identity of the file at a path, "device:inode"; empty = none. It changes when the file is
/// replaced.
std::string fileIdentity(const std::string& path);

/// Before SQLite opens `path`. No file there: creates an empty one (0600) and deletes the log and
/// index of a deleted one, which SQLite would share with a program that has that one open. A file:
/// takes away the access of others. Several programs may do it at once. Failures are left for
/// SQLite to report.
void prepareSqliteFile(const std::string& path);

}  // namespace restante::journal
