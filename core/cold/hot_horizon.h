#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <optional>
#include <string>

namespace restante::redis {
class Connection;
}

namespace restante::cold {

/// A store that may have cold jobs says so in Redis: field `hot_horizon` of `<prefix>:meta`, with
/// the horizon of the daemons in ms; 0 = no job becomes cold any more, and those that are come
/// back. So a program that does not have the daemons' configuration knows that Redis alone is not
/// the whole store. Daemons write it before a job can be cold.

/// Reads it; none = no job is cold.
void readHotHorizon(redis::Connection& connection,
                    const std::string& prefix,
                    Done<std::optional<Millis>> done);

/// Writes it; none = no job is cold any more.
void writeHotHorizon(redis::Connection& connection,
                     const std::string& prefix,
                     std::optional<Millis> horizon,
                     Done<void> done);

}  // namespace restante::cold
