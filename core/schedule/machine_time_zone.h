#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace restante {

/// What says in which time zone a machine is. *Value.*
struct TimeZoneSettings {
    /// The environment's TZ: a name, or the path of a file; "" is UTC, as to every program of the
    /// machine. None: it is not set.
    std::optional<std::string> variable;
    std::filesystem::path localTime = "/etc/localtime";  ///< a link to a zone, or a copy of one
    std::filesystem::path name = "/etc/timezone";        ///< its name, on some systems
};

/// The name of the zone that the settings are of, which ZonedClock::find() knows: that of the
/// variable, else the one that `localTime` links to. Of a copy, as containers have it, it is what
/// `name` says when that tells the same times, else a zone of the same content, else one that
/// tells the same times for two years. "UTC" when there is none. *Any thread.*
std::string timeZoneOf(const TimeZoneSettings& settings);

/// What says a zone for which timeZoneOf() has no name, so that it may tell other times than those
/// that the machine's programs show: "TZ" or the path of `localTime`; empty = nothing does.
std::string namelessTimeZoneOf(const TimeZoneSettings& settings);

/// Those of this process and machine.
TimeZoneSettings machineTimeZoneSettings();

/// timeZoneOf() these.
std::string machineTimeZone();

}  // namespace restante
