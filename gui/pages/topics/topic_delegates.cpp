#include "gui/pages/topics/topic_delegates.h"

#include "gui/pages/topics/topics_model.h"
#include "gui/theme/sparkline.h"
#include "gui/theme/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <numeric>
#include <vector>

namespace restante::gui {

namespace {

constexpr const char* kColumnProperty = "limitColumn";
/// Pixels; every non-empty segment stays visible.
constexpr int kMinSegmentWidth = 3;

/// The width of each segment: non-empty ones get kMinSegmentWidth and a share, by number of jobs,
/// of the remaining width.
std::vector<int> widthsOf(const BarSegments& segments, int width)
{
    const auto jobs = std::accumulate(segments.begin(), segments.end(), std::uint64_t{0});
    const auto nonEmpty =
        std::count_if(segments.begin(), segments.end(), [](auto n) { return n > 0; });
    const auto remaining = std::max(0, width - static_cast<int>(nonEmpty) * kMinSegmentWidth);
    std::vector<int> widths;
    for (const auto segment : segments) {
        const auto share =
            jobs == 0 ? 0.0 : static_cast<double>(segment) / static_cast<double>(jobs);
        widths.push_back(segment == 0 ? 0 : kMinSegmentWidth + static_cast<int>(remaining * share));
    }
    return widths;
}

bool isValidLimit(const QLineEdit& edit)
{
    return TopicsModel::withTypedLimit({}, edit.property(kColumnProperty).toInt(), edit.text())
        .has_value();
}

void showValidity(QLineEdit& edit)
{
    const bool isValid = isValidLimit(edit);
    const auto help = TopicsModel::limitHelp(edit.property(kColumnProperty).toInt());
    auto colors = QApplication::palette(&edit);
    if (!isValid) {
        const auto tint = Theme::tint(Theme::Severity::Bad);
        colors.setColor(QPalette::Base, tint.background);
        colors.setColor(QPalette::Text, tint.text);
    }
    edit.setPalette(colors);
    edit.setToolTip(help);
    edit.setAccessibleDescription(help);
}

}  // namespace

void TopicBarDelegate::paint(QPainter* painter,
                             const QStyleOptionViewItem& option,
                             const QModelIndex& index) const
{
    auto cell = option;
    initStyleOption(&cell, index);
    const auto text = std::exchange(cell.text, QString());
    const auto* style = cell.widget != nullptr ? cell.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);

    constexpr int kMargin = 6;
    const auto area = cell.rect.adjusted(kMargin, 0, -kMargin, 0);
    const auto numberWidth =
        std::min(area.width(), cell.fontMetrics.horizontalAdvance(QStringLiteral("≥ 888,888")));
    const bool selected = (cell.state & QStyle::State_Selected) != 0;
    painter->save();
    painter->setFont(cell.font);
    painter->setPen(cell.palette.color(selected ? QPalette::HighlightedText : QPalette::Text));
    painter->drawText(QRect(area.left(), area.top(), numberWidth, area.height()),
                      Qt::AlignRight | Qt::AlignVCenter, text);
    auto bar = area.adjusted(numberWidth + kMargin, 0, 0, 0);
    const int height = cell.fontMetrics.height() * 3 / 5;
    bar.setTop(bar.center().y() - height / 2);
    bar.setHeight(height);
    painter->setPen(Qt::NoPen);
    const auto segments = index.data(TopicsModel::kBarSegmentsRole).value<BarSegments>();
    const auto widths = widthsOf(segments, bar.width());
    auto left = bar.left();
    for (std::size_t at = 0; at < segments.size() && bar.width() > 0; ++at) {
        if (widths[at] == 0) {
            continue;
        }
        const QRect segment(left, bar.top(), widths[at] - 1, bar.height());  // a gap between two
        painter->fillRect(segment, TopicsModel::segmentColor(static_cast<BarSegment>(at)));
        const bool dead = static_cast<BarSegment>(at) == BarSegment::Dead;
        if (dead || static_cast<BarSegment>(at) == BarSegment::Retrying) {
            const auto hatch = dead ? Qt::BDiagPattern : Qt::FDiagPattern;
            painter->fillRect(segment, QBrush(cell.palette.color(QPalette::Base), hatch));
        }
        left += widths[at];
    }
    painter->restore();
}

void TopicPastDelegate::paint(QPainter* painter,
                              const QStyleOptionViewItem& option,
                              const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const auto lines = index.data(TopicsModel::kPastRole).value<TopicLines>();
    double maximum = 1;  // below a whole job there is nothing to tell apart
    for (const auto* line : {&lines.in, &lines.finished}) {
        for (const auto& value : *line) {
            maximum = std::max(maximum, value.value_or(0));
        }
    }
    constexpr int kMargin = 6;
    constexpr int kVerticalMargin = 4;
    const QRectF box =
        QRectF(option.rect).adjusted(kMargin, kVerticalMargin, -kMargin, -kVerticalMargin);
    const bool selected = (option.state & QStyle::State_Selected) != 0;
    const auto text = option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text);
    const auto background = option.palette.color(selected ? QPalette::Highlight : QPalette::Base);
    // Half way between background and text: seen on both schemes, and behind the other line.
    const QColor grey((text.red() + background.red()) / 2, (text.green() + background.green()) / 2,
                      (text.blue() + background.blue()) / 2);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    drawSparkline(*painter, box, lines.in, maximum, grey);
    drawSparkline(*painter, box, lines.finished, maximum,
                  selected ? text : Theme::style(JobState::Done).chartColor);
    painter->restore();
}

QSize TopicPastDelegate::sizeHint(const QStyleOptionViewItem& option,
                                  const QModelIndex& index) const
{
    const auto base = QStyledItemDelegate::sizeHint(option, index);
    return {option.fontMetrics.averageCharWidth() * 16, base.height()};
}

QWidget* LimitDelegate::createEditor(QWidget* parent,
                                     const QStyleOptionViewItem& /*option*/,
                                     const QModelIndex& index) const
{
    auto* edit = new QLineEdit(parent);
    edit->setObjectName(QStringLiteral("limitEditor"));
    edit->setProperty(kColumnProperty, index.column());
    edit->setFrame(false);
    edit->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    edit->setPlaceholderText(tr("no limit"));
    const auto topic = index.siblingAtColumn(TopicsModel::Topic).data().toString();
    edit->setAccessibleName(index.column() == TopicsModel::Concurrency
                                ? tr("Concurrency of “%1”").arg(topic)
                                : tr("Rate limit of “%1”").arg(topic));
    connect(edit, &QLineEdit::textChanged, edit, [edit] { showValidity(*edit); });
    showValidity(*edit);
    return edit;
}

/// A refresh does not overwrite what is being typed.
void LimitDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const
{
    auto* edit = qobject_cast<QLineEdit*>(editor);
    if (edit != nullptr && !edit->isModified()) {
        edit->setText(index.data(Qt::EditRole).toString());
    }
}

void LimitDelegate::setModelData(QWidget* editor,
                                 QAbstractItemModel* model,
                                 const QModelIndex& index) const
{
    const auto* edit = qobject_cast<QLineEdit*>(editor);
    if (edit == nullptr || !edit->isModified()) {
        return;
    }
    if (isValidLimit(*edit)) {
        model->setData(index, edit->text(), Qt::EditRole);
    } else {
        emit refused(edit->text(), TopicsModel::limitHelp(index.column()));
    }
}

bool LimitDelegate::eventFilter(QObject* watched, QEvent* event)
{
    auto* edit = qobject_cast<QLineEdit*>(watched);
    if (edit != nullptr && event->type() == QEvent::KeyPress && !isValidLimit(*edit)) {
        const auto key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Tab) {
            QToolTip::showText(edit->mapToGlobal(QPoint(0, edit->height())), edit->toolTip(), edit);
            return true;
        }
    }
    return QStyledItemDelegate::eventFilter(watched, event);
}

}  // namespace restante::gui
