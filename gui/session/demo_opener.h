#pragma once

#include "gui/session/open_store.h"

#include <memory>

namespace restante::gui {

/// Opens a generated demo store in memory, a new one each time. No server is needed.
std::unique_ptr<StoreOpener> demoOpener();

}  // namespace restante::gui
