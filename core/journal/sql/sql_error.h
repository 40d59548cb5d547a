#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace restante::journal {

/// What the database said. Caught where SqlJournal's methods end.
struct SqlError {
    enum class Cause {
        Away,     ///< nothing can be written now: later, on another session, it may go
        Refused,  ///< it does not take these values; others of the same statement may be fine
    };
    std::string message;  ///< without the statement, and without its values
    Cause cause = Cause::Away;
};

/// An exception of SOCI's as that. *Pure functions.*
SqlError sqlErrorOf(const std::exception& problem);
/// Of what a session could not be opened for: there is no statement yet, so it is said as it is.
SqlError connectionErrorOf(const std::exception& problem);

/// The first line, and of what is in quotes only the names of our tables and columns: a database
/// quotes the value that it refuses, and a log is read by more people than a journal.
std::string withoutValues(std::string_view message);

}  // namespace restante::journal
