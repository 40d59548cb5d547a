#include "gui/pages/mailboxes/message_list.h"

#include "gui/theme/icons.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"

#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTextLayout>

#include <algorithm>
#include <cmath>
#include <set>

namespace restante::gui {

namespace {

int gapFor(const QFontMetrics& metrics)
{
    return std::max(2, metrics.height() / 4);
}

/// A plain text laid out in lines of that width.
struct Paragraph {
    QTextLayout layout;
    qreal height = 0;

    Paragraph(const QString& text, const QFont& font, int width) : layout(text, font)
    {
        QTextOption option;
        option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        layout.setTextOption(option);
        layout.setCacheEnabled(false);
        layout.beginLayout();
        for (auto line = layout.createLine(); line.isValid(); line = layout.createLine()) {
            line.setLineWidth(width);
            line.setPosition({0, height});
            height += line.height();
        }
        layout.endLayout();
    }
};

/// QTextLayout breaks lines at the line separator, not at a line feed.
QString paragraphText(const QModelIndex& index)
{
    return index.data(MessageModel::kText).toString().replace(u'\n', QChar::LineSeparator);
}

/// Paints sender, time and state, then the text and its note.
class MessageDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const auto* list = static_cast<const QListView*>(option.widget);
        const auto width = list->viewport()->width();
        const auto gap = gapFor(option.fontMetrics);
        const Paragraph text(paragraphText(index), option.font, width - gap * 6);
        const auto noteHeight =
            index.data(MessageModel::kNote).toString().isEmpty() ? 0 : option.fontMetrics.height();
        return {width, option.fontMetrics.height() + static_cast<int>(std::ceil(text.height)) +
                           noteHeight + gap * 5};
    }

    void paint(QPainter* painter,
               const QStyleOptionViewItem& baseOption,
               const QModelIndex& index) const override
    {
        auto option = baseOption;
        option.text.clear();
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &option, painter,
                                            option.widget);
        painter->save();
        const bool isSelected = option.state.testFlag(QStyle::State_Selected);
        const auto& palette = option.palette;
        const auto textColor =
            palette.color(isSelected ? QPalette::HighlightedText : QPalette::Text);
        const auto secondaryColor =
            isSelected ? textColor : palette.color(QPalette::PlaceholderText);
        const auto lineHeight = option.fontMetrics.height();
        const auto gap = gapFor(option.fontMetrics);
        auto area = option.rect.adjusted(gap * 3, gap * 2, -gap * 3, -gap);
        const auto right =
            paintState(painter, option, index, {area.left(), area.top(), area.width(), lineHeight},
                       isSelected);
        auto bold = option.font;
        bold.setWeight(QFont::DemiBold);
        const QFontMetrics boldMetrics(bold);
        const auto time = index.data(MessageModel::kTime).toString();
        const auto senderWidth =
            right - area.left() - gap * 4 - option.fontMetrics.horizontalAdvance(time);
        const auto sender = boldMetrics.elidedText(index.data().toString(), Qt::ElideRight,
                                                   std::max(0, senderWidth));
        painter->setFont(bold);
        painter->setPen(textColor);
        painter->drawText(QRect(area.left(), area.top(), senderWidth, lineHeight),
                          Qt::AlignLeft | Qt::AlignVCenter, sender);
        painter->setFont(option.font);
        painter->setPen(secondaryColor);
        painter->drawText(QRect(area.left() + boldMetrics.horizontalAdvance(sender) + gap * 2,
                                area.top(), option.fontMetrics.horizontalAdvance(time) + gap,
                                lineHeight),
                          Qt::AlignLeft | Qt::AlignVCenter, time);
        const Paragraph text(paragraphText(index), option.font, area.width());
        painter->setPen(textColor);
        text.layout.draw(painter, QPointF(area.left(), area.top() + lineHeight + gap));
        if (const auto note = index.data(MessageModel::kNote).toString(); !note.isEmpty()) {
            painter->setPen(secondaryColor);
            const auto top =
                area.top() + lineHeight + gap + static_cast<int>(std::ceil(text.height));
            painter->drawText(QRect(area.left(), top, area.width(), lineHeight),
                              Qt::AlignLeft | Qt::AlignVCenter,
                              option.fontMetrics.elidedText(note, Qt::ElideRight, area.width()));
        }
        if (!isSelected) {
            painter->setPen(palette.color(QPalette::Midlight));
            painter->drawLine(option.rect.bottomLeft() + QPoint(gap * 3, 0),
                              option.rect.bottomRight() - QPoint(gap * 3, 0));
        }
        painter->restore();
    }

private:
    /// Paints the state at the end of the first line. Returns its left edge.
    static int paintState(QPainter* painter,
                          const QStyleOptionViewItem& option,
                          const QModelIndex& index,
                          const QRect& line,
                          bool isSelected)
    {
        const auto state = static_cast<JobState>(index.data(MessageModel::kState).toInt());
        const auto style = Theme::style(state);
        const auto stateName = Theme::stateName(state);
        const auto width = option.fontMetrics.horizontalAdvance(stateName);
        const auto gap = gapFor(option.fontMetrics);
        const QRect textRect(line.right() - width, line.top(), width + 1, line.height());
        painter->setFont(option.font);
        painter->setPen(isSelected ? option.palette.color(QPalette::HighlightedText)
                                   : style.foreground);
        painter->drawText(textRect, Qt::AlignRight | Qt::AlignVCenter, stateName);
        const QRect iconRect(textRect.left() - gap - line.height(), line.top(), line.height(),
                             line.height());
        icon(style.icon)
            .paint(painter, iconRect.adjusted(1, 1, -1, -1), Qt::AlignCenter,
                   isSelected ? QIcon::Selected : QIcon::Normal);
        return iconRect.left();
    }
};

}  // namespace

bool MessageModel::setMessages(std::vector<ShownMessage> messages)
{
    const bool sameIds =
        std::ranges::equal(messages, messages_, {}, &ShownMessage::id, &ShownMessage::id);
    if (!sameIds) {
        beginResetModel();
        messages_ = std::move(messages);
        endResetModel();
        return true;
    }
    for (std::size_t at = 0; at < messages.size(); ++at) {
        if (messages[at] != messages_[at]) {
            messages_[at] = std::move(messages[at]);
            const auto changed = index(static_cast<int>(at));
            emit dataChanged(changed, changed);
        }
    }
    return false;
}

int MessageModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(messages_.size());
}

QVariant MessageModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const auto& message = messages_[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return message.sender;
    case Qt::ToolTipRole: return literalTip(message.tip);
    case Qt::AccessibleTextRole:
        return QStringList{message.sender, message.time, Theme::stateName(message.state),
                           message.text, message.note}
            .join(QStringLiteral(", "));
    case kTime: return message.time;
    case kText: return message.text;
    case kNote: return message.note;
    case kState: return static_cast<int>(message.state);
    default: return {};
    }
}

MessageList::MessageList(QWidget* parent) : QListView(parent)
{
    setModel(&model_);
    setItemDelegate(new MessageDelegate(this));
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // Always visible: otherwise the width would change with the content.
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setResizeMode(QListView::Adjust);
    setFrameShape(QFrame::NoFrame);
    auto* bar = verticalScrollBar();
    connect(bar, &QScrollBar::valueChanged, this, [this, bar](int value) {
        if (!isUpdating_) {
            followsEnd_ = value >= bar->maximum();
        }
    });
    connect(bar, &QScrollBar::rangeChanged, this, [this, bar](int /*minimum*/, int maximum) {
        if (followsEnd_) {
            bar->setValue(maximum);
        }
    });
    connect(this, &QListView::activated, this, [this](const QModelIndex& index) {
        emit opened(model_.messages()[static_cast<std::size_t>(index.row())].id);
    });
}

void MessageList::setMessages(std::vector<ShownMessage> messages)
{
    const auto ids = selectedIds();
    const std::set<std::string> selected(ids.begin(), ids.end());
    if (model_.rowCount() == 0) {
        followsEnd_ = true;
    }
    const auto scrollPosition = verticalScrollBar()->value();
    isUpdating_ = true;
    if (model_.setMessages(std::move(messages))) {
        for (int row = 0; row < model_.rowCount(); ++row) {
            if (selected.contains(model_.messages()[static_cast<std::size_t>(row)].id)) {
                selectionModel()->select(model_.index(row), QItemSelectionModel::Select);
            }
        }
        doItemsLayout();
        verticalScrollBar()->setValue(followsEnd_ ? verticalScrollBar()->maximum()
                                                  : scrollPosition);
    }
    isUpdating_ = false;
    if (selectedIds() != ids) {
        emit selectedIdsChanged();
    }
}

std::vector<std::string> MessageList::selectedIds() const
{
    auto rows = selectionModel()->selectedIndexes();
    std::ranges::sort(rows, {}, &QModelIndex::row);
    std::vector<std::string> ids;
    for (const auto& row : rows) {
        ids.push_back(model_.messages()[static_cast<std::size_t>(row.row())].id);
    }
    return ids;
}

void MessageList::selectionChanged(const QItemSelection& selected, const QItemSelection& deselected)
{
    QListView::selectionChanged(selected, deselected);
    if (!isUpdating_) {
        emit selectedIdsChanged();
    }
}

void MessageList::resizeEvent(QResizeEvent* event)
{
    isUpdating_ = true;
    QListView::resizeEvent(event);
    scheduleDelayedItemsLayout();  // lines break at other positions
    isUpdating_ = false;
}

}  // namespace restante::gui
