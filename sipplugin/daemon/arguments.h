#pragma once

#include "core/config/config_reader.h"

#include <optional>
#include <variant>

namespace restante::daemon {

/// What the command line asks for.
struct Arguments {
    ConfigSources sources;
    bool checkConfig = false;
    bool printConfig = false;
};

/// The arguments, or the exit code with which the program ends now: help or version was asked for
/// and printed, or the line was wrong and that was said.
std::variant<Arguments, int> readArguments(int argc, char** argv);

}  // namespace restante::daemon
