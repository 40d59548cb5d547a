#pragma once

#include <QList>

class QWidget;

namespace restante::gui {

/// Sets the Tab order of these widgets of one window; inside each of them the order stays. For
/// widgets that are created in another order than they are laid out.
void tabInOrder(const QList<QWidget*>& widgets);

}  // namespace restante::gui
