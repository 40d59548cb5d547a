#pragma once

namespace restante::gui {

/// Light, dark, or what the desktop says.
enum class Scheme { Light, Dark, System };

}  // namespace restante::gui
