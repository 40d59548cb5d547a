#pragma once

#include "gui/session/open_store.h"

#include <memory>

namespace restante::gui {

/// Opens a store that is made up, in memory; every opening makes it anew. No server is needed.
std::unique_ptr<StoreOpener> demoOpener();

}  // namespace restante::gui
