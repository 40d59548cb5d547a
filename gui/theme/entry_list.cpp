#include "gui/theme/entry_list.h"

#include "gui/theme/icons.h"
#include "gui/theme/table_style.h"

#include <QApplication>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include <algorithm>

namespace restante::gui {

namespace {

/// Paints the two lines. All sizes are parts of the font's height.
class EntryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const override
    {
        return {0, option.fontMetrics.height() * 2 + gap(option) * 3};
    }

    void paint(QPainter* painter,
               const QStyleOptionViewItem& viewOption,
               const QModelIndex& index) const override
    {
        auto option = viewOption;
        option.text.clear();
        option.icon = {};
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &option, painter,
                                            option.widget);
        painter->save();
        const bool isChosen = option.state.testFlag(QStyle::State_Selected);
        const auto textHeight = option.fontMetrics.height();
        const auto margin = gap(option);
        auto area = option.rect.adjusted(margin * 2, margin, -margin * 2, -margin);
        if (const auto entryIcon = index.data(Qt::DecorationRole).value<QIcon>();
            !entryIcon.isNull()) {
            const QRect iconRect(area.left(), area.top() + margin / 2, textHeight, textHeight);
            entryIcon.paint(painter, iconRect, Qt::AlignCenter,
                            isChosen ? QIcon::Selected : QIcon::Normal);
            area.setLeft(iconRect.right() + margin * 2);
        }
        const auto& palette = option.palette;
        const auto textColor = palette.color(isChosen ? QPalette::HighlightedText : QPalette::Text);
        auto firstLine = QRect(area.left(), area.top(), area.width(), textHeight + margin / 2);
        if (const auto badge = index.data(EntryModel::kBadge).toString(); !badge.isEmpty()) {
            painter->setFont(option.font);
            painter->setPen(textColor);
            painter->drawText(firstLine, Qt::AlignRight | Qt::AlignVCenter, badge);
            firstLine.setRight(firstLine.right() - option.fontMetrics.horizontalAdvance(badge) -
                               margin * 2);
        }
        auto bold = option.font;
        bold.setWeight(QFont::DemiBold);
        painter->setFont(bold);
        painter->setPen(textColor);
        const QFontMetrics metrics(bold);
        painter->drawText(
            firstLine, Qt::AlignLeft | Qt::AlignVCenter,
            metrics.elidedText(index.data().toString(), Qt::ElideRight, firstLine.width()));
        const QRect secondLine(area.left(), firstLine.bottom() + 1 + margin / 2, area.width(),
                               textHeight);
        const auto foreground = index.data(EntryModel::kForeground).value<QColor>();
        painter->setFont(option.font);
        painter->setPen(isChosen               ? textColor
                        : foreground.isValid() ? foreground
                                               : palette.color(QPalette::PlaceholderText));
        painter->drawText(secondLine, Qt::AlignLeft | Qt::AlignVCenter,
                          option.fontMetrics.elidedText(index.data(EntryModel::kDetail).toString(),
                                                        Qt::ElideRight, secondLine.width()));
        painter->restore();
    }

private:
    static int gap(const QStyleOptionViewItem& option)
    {
        return std::max(2, option.fontMetrics.height() / 4);
    }
};

}  // namespace

void EntryModel::setEntries(std::vector<Entry> entries)
{
    const bool sameKeys = std::ranges::equal(entries, entries_, {}, &Entry::key, &Entry::key);
    if (!sameKeys) {
        beginResetModel();
        entries_ = std::move(entries);
        return endResetModel();
    }
    for (std::size_t at = 0; at < entries.size(); ++at) {
        if (entries[at] != entries_[at]) {
            entries_[at] = std::move(entries[at]);
            const auto changed = index(static_cast<int>(at));
            emit dataChanged(changed, changed);
        }
    }
}

int EntryModel::rowOf(const std::string& key) const
{
    const auto found = std::ranges::find(entries_, key, &Entry::key);
    return found == entries_.end() ? -1 : static_cast<int>(found - entries_.begin());
}

int EntryModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

QVariant EntryModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const auto& entry = entries_[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return entry.title;
    case Qt::DecorationRole: return entry.icon.isEmpty() ? QVariant() : icon(entry.icon);
    case Qt::ToolTipRole: return literalTip(entry.tip);
    case Qt::AccessibleTextRole: {
        QStringList texts;
        for (const auto& text : {entry.title, entry.badge, entry.detail}) {
            if (!text.isEmpty()) {
                texts.append(text);
            }
        }
        return texts.join(QStringLiteral(", "));
    }
    case kDetail: return entry.detail;
    case kBadge: return entry.badge;
    case kForeground: return entry.foreground;
    default: return {};
    }
}

EntryList::EntryList(QWidget* parent) : QListView(parent)
{
    setModel(&model_);
    setItemDelegate(new EntryDelegate(this));
    setUniformItemSizes(true);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setFrameShape(QFrame::NoFrame);
}

void EntryList::setEntries(std::vector<Entry> entries)
{
    const auto key = currentKey();
    const auto scrollPosition = verticalScrollBar()->value();
    isUpdating_ = true;
    model_.setEntries(std::move(entries));
    if (const auto row = model_.rowOf(key); row >= 0 && !key.empty()) {
        setCurrentIndex(model_.index(row));
    }
    isUpdating_ = false;
    verticalScrollBar()->setValue(scrollPosition);
    if (currentKey() != key) {
        emit currentKeyChanged(currentKey());
    }
}

std::string EntryList::currentKey() const
{
    const auto row = currentIndex().row();
    return row < 0 || row >= model_.rowCount()
               ? std::string()
               : model_.entries()[static_cast<std::size_t>(row)].key;
}

void EntryList::setCurrentKey(const std::string& key)
{
    const auto row = model_.rowOf(key);
    setCurrentIndex(row < 0 ? QModelIndex() : model_.index(row));
}

void EntryList::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QListView::currentChanged(current, previous);
    if (!isUpdating_) {
        emit currentKeyChanged(currentKey());
    }
}

}  // namespace restante::gui
