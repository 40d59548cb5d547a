#include "gui/theme/flow_layout.h"

#include <QStyle>
#include <QWidget>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

int lineHeight(const std::vector<QLayoutItem*>& line)
{
    int height = 0;
    for (const auto* item : line) {
        height = std::max(height, item->sizeHint().height());
    }
    return height;
}

}  // namespace

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent)
{
    constexpr int kSpacing = 6;
    setSpacing(kSpacing);
}

FlowLayout::~FlowLayout() = default;

void FlowLayout::addItem(QLayoutItem* item)
{
    items_.emplace_back(item);
}

QLayoutItem* FlowLayout::itemAt(int index) const
{
    return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)].get() : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    if (index < 0 || index >= count()) {
        return nullptr;
    }
    auto* taken = items_[static_cast<std::size_t>(index)].release();
    items_.erase(items_.begin() + index);
    return taken;
}

int FlowLayout::lineWidth(const Items& line) const
{
    int width = 0;
    for (const auto* item : line) {
        width += item->sizeHint().width() + (width == 0 ? 0 : spacing());
    }
    return width;
}

std::vector<FlowLayout::Items> FlowLayout::lines(int width) const
{
    std::vector<Items> wrapped;
    for (const auto& item : items_) {
        if (item->isEmpty()) {
            continue;
        }
        if (!wrapped.empty()) {
            auto longer = wrapped.back();
            longer.push_back(item.get());
            if (lineWidth(longer) <= width) {
                wrapped.back() = std::move(longer);
                continue;
            }
        }
        wrapped.push_back({item.get()});
    }
    return wrapped;
}

int FlowLayout::setLineGeometry(const Items& line, const QRect& area, int spareWidth) const
{
    const auto height = lineHeight(line);
    const bool mirrored =
        parentWidget() != nullptr && parentWidget()->layoutDirection() == Qt::RightToLeft;
    int x = area.left();
    for (auto* item : line) {
        const auto at = std::find_if(items_.begin(), items_.end(),
                                     [item](const auto& owned) { return owned.get() == item; });
        if (static_cast<std::size_t>(at - items_.begin()) >= firstRightAligned_) {
            x += std::exchange(spareWidth, 0);
        }
        const auto size = item->sizeHint().boundedTo({area.width(), height});
        const QRect rect(QPoint(x, area.top() + (height - size.height()) / 2), size);
        item->setGeometry(mirrored ? QStyle::visualRect(Qt::RightToLeft, area, rect) : rect);
        x += size.width() + spacing();
    }
    return height;
}

int FlowLayout::heightForWidth(int width) const
{
    const auto margins = contentsMargins();
    int height = 0;
    for (const auto& line : lines(width - margins.left() - margins.right())) {
        height += lineHeight(line) + (height == 0 ? 0 : spacing());
    }
    return height + margins.top() + margins.bottom();
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const auto& item : items_) {
        if (!item->isEmpty()) {
            size = size.expandedTo(item->minimumSize());
        }
    }
    const auto margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

QSize FlowLayout::sizeHint() const
{
    const auto margins = contentsMargins();
    const auto unwrapped = lines(QLAYOUTSIZE_MAX);
    return unwrapped.empty()
               ? QSize()
               : QSize(lineWidth(unwrapped.front()) + margins.left() + margins.right(),
                       lineHeight(unwrapped.front()) + margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    auto area = rect.marginsRemoved(contentsMargins());
    const auto wrapped = lines(area.width());
    for (const auto& line : wrapped) {
        const auto spareWidth =
            wrapped.size() == 1 ? std::max(0, area.width() - lineWidth(line)) : 0;
        area.setTop(area.top() + setLineGeometry(line, area, spareWidth) + spacing());
    }
}

}  // namespace restante::gui
