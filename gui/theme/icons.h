#pragma once

#include <QIcon>
#include <QString>

namespace restante::gui {

/// The icon of that freedesktop name: the bundled one, drawn in the text colour of the palette,
/// so that it fits light and dark and needs no icon theme. Null for a name that has no file in
/// resources/icons.
QIcon icon(const QString& name);

}  // namespace restante::gui
