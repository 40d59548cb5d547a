#include "gui/theme/tab_order.h"

#include <QWidget>

namespace restante::gui {

namespace {

/// setTabOrder() ignores widgets without focus policy, and a focus proxy moves its target itself.
bool takesFocus(const QWidget& widget)
{
    return widget.focusPolicy() != Qt::NoFocus && widget.focusProxy() == nullptr;
}

}  // namespace

void tabInOrder(const QList<QWidget*>& widgets)
{
    QWidget* last = nullptr;
    for (auto* widget : widgets) {
        QList<QWidget*> focusable;
        if (takesFocus(*widget)) {
            focusable.append(widget);
        }
        for (auto* next = widget->nextInFocusChain(); next != widget;
             next = next->nextInFocusChain()) {
            if (widget->isAncestorOf(next) && takesFocus(*next)) {
                focusable.append(next);
            }
        }
        for (auto* next : focusable) {
            if (last != nullptr) {
                QWidget::setTabOrder(last, next);
            }
            last = next;
        }
    }
}

}  // namespace restante::gui
