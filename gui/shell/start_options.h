#pragma once

#include "gui/shell/page_table.h"

#include <QString>

#include <optional>

namespace restante::gui {

/// What the command line says. *Value.*
struct StartOptions {
    QString config = {};      ///< of the daemon whose store is shown
    QString redis = {};       ///< URL
    QString screenshot = {};  ///< renders a page into this file, and ends
    /// None: the overview; with `screenshot`, the page of jobs.
    std::optional<PageId> page = {};
    bool demo = false;
};

/// The command line, once it was read. *Value.*
struct StartLine {
    StartOptions options;
    /// Set when there is nothing more to do (--help, --version, a usage error: 2).
    std::optional<int> exitCode;
};
StartLine readStartLine(int argc, const char* const* argv);

}  // namespace restante::gui
