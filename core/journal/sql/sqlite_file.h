#pragma once

#include <string>

namespace restante::journal {

/// Which file stands at a path: its device and number, empty = none. A file that was deleted while
/// it is open is another one than whatever comes there later.
std::string fileAt(const std::string& path);

/// Before SQLite opens a path at which there is no file: makes an empty one, and takes away the log
/// and the index that a deleted one has left, which SQLite would share with whoever has that one
/// still open. Several programs may do it at once. What fails is left for SQLite to tell.
void beginFileAt(const std::string& path);

}  // namespace restante::journal
