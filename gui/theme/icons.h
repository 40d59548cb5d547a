#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

namespace restante::gui {

/// The icon of that freedesktop name: the bundled one, drawn in the text colour of the palette,
/// so that it fits light and dark and needs no icon theme. Null for a name that has no file in
/// resources/icons.
QIcon icon(const QString& name);
/// A square of that colour, of a connection; an invalid one is a square of nothing.
QIcon colorChip(const QColor& color);

}  // namespace restante::gui
