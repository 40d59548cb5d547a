#pragma once

#include <QStyledItemDelegate>

namespace restante::gui {

/// Draws a bar instead of the text in cells that have a percentage. *Thread of the window.*
class ProgressDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

}  // namespace restante::gui
