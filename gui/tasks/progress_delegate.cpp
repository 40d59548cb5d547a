#include "gui/tasks/progress_delegate.h"

#include "gui/tasks/tasks_model.h"

#include <QApplication>
#include <QPainter>
#include <QStyle>

namespace restante::gui {

void ProgressDelegate::paint(QPainter* painter,
                             const QStyleOptionViewItem& option,
                             const QModelIndex& index) const
{
    const auto percent = index.data(TasksModel::kPercentRole);
    if (!percent.isValid() || percent.toInt() < 0) {
        return QStyledItemDelegate::paint(painter, option, index);
    }
    QStyleOptionProgressBar bar;
    constexpr int kAround = 3;
    bar.rect = option.rect.adjusted(kAround, kAround, -kAround, -kAround);
    bar.palette = option.palette;
    bar.state = QStyle::State_Enabled | QStyle::State_Horizontal;
    bar.minimum = 0;
    bar.maximum = 100;
    bar.progress = percent.toInt();
    bar.text = index.data().toString();
    bar.textVisible = true;
    bar.textAlignment = Qt::AlignCenter;
    QApplication::style()->drawControl(QStyle::CE_ProgressBar, &bar, painter);
}

}  // namespace restante::gui
