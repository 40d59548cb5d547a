#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace restante::journal {

/// An error of the database. Thrown, and caught in the methods of SqlJournal and SqlUsers.
struct SqlError {
    enum class Cause {
        Away,     ///< nothing can be written now; later, on another session, it may succeed
        Refused,  ///< the database rejects these values; other rows of the statement may be
                  ///< accepted
    };
    std::string message;  ///< without the statement, and without its values
    Cause cause = Cause::Away;
};

/// Converts an exception of SOCI. *Pure functions.*
SqlError sqlErrorOf(const std::exception& problem);
/// Converts a failure to connect, whose message has no statement and is taken as it is.
SqlError connectionErrorOf(const std::exception& problem);

/// The first line, in which quoted texts are hidden unless they are names of our tables and
/// columns: a database quotes the value that it rejects, and a log is read by more people than a
/// journal.
std::string withoutValues(std::string_view message);

}  // namespace restante::journal
