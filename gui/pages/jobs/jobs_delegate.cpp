#include "gui/pages/jobs/jobs_delegate.h"

#include "gui/pages/jobs/jobs_model.h"

#include <QPainter>

namespace restante::gui {

void JobsDelegate::paint(QPainter* painter,
                         const QStyleOptionViewItem& option,
                         const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    if (!index.data(JobsModel::LoadingRole).toBool() ||
        index.column() == static_cast<int>(JobColumn::Pick)) {
        return;
    }
    const auto height = option.fontMetrics.xHeight();
    const auto margin = option.fontMetrics.horizontalAdvance(u'0');
    // Lines of unlike length look like text that is on its way.
    const auto share = 55 + (index.row() * 37 + index.column() * 53) % 40;
    const QRect bar(option.rect.left() + margin,
                    option.rect.top() + (option.rect.height() - height) / 2,
                    (option.rect.width() - 2 * margin) * share / 100, height);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(option.palette.color(QPalette::Midlight));
    painter->drawRoundedRect(bar, height / 2.0, height / 2.0);
    painter->restore();
}

void JobsDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    // One frame around the row, not around a cell of it.
    option->state &= ~QStyle::State_HasFocus;
    option->textElideMode =
        index.column() == static_cast<int>(JobColumn::Id) ? Qt::ElideMiddle : Qt::ElideRight;
    option->features &= ~QStyleOptionViewItem::WrapText;
}

}  // namespace restante::gui
