#pragma once

#include <QList>

class QWidget;

namespace restante::gui {

/// Tab goes through these in this order, each with all that is in it as it went through it before.
/// For widgets that are made in another order than they stand. All are in one window.
void tabInOrder(const QList<QWidget*>& widgets);

}  // namespace restante::gui
