#pragma once

#include <QStyledItemDelegate>

namespace restante::gui {

/// Paints cells as Qt does, and a grey bar where a row has not been loaded. *Thread of the window.*
class JobsDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace restante::gui
