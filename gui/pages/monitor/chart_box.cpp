#include "gui/pages/monitor/chart_box.h"

#include "gui/pages/monitor/monitor_model.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/tab_order.h"
#include "gui/theme/theme.h"

#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <utility>

namespace restante::gui {

ChartBox::ChartBox(Chart::Unit unit,
                   Chart::Form form,
                   std::vector<LegendEntry> entries,
                   QWidget* parent)
    : QWidget(parent),
      entries_(std::move(entries)),
      title_(new QLabel(this)),
      chart_(new Chart(unit, form, this))
{
    auto bold = title_->font();
    bold.setBold(true);
    title_->setFont(bold);
    auto* header = new QHBoxLayout;
    header->setContentsMargins(8, 2, 8, 0);
    header->setSpacing(12);
    header->addWidget(title_);
    header->addStretch(1);
    for (std::size_t at = 0; at < entries_.size(); ++at) {
        auto* toggle = new QCheckBox(this);
        toggle->setChecked(true);
        connect(toggle, &QCheckBox::toggled, this,
                [this, at](bool on) { chart_->setShown(at, on); });
        toggles_.push_back(toggle);
        header->addWidget(toggle);
    }
    auto* column = tightVBoxLayout(this);
    column->addLayout(header);
    column->addWidget(chart_, 1);
    if (!toggles_.empty()) {
        tabInOrder({toggles_.back(), chart_});
    }
    chart_->setContent({{}, Millis{1'000}, 0, std::vector<ChartLine>(entries_.size())});
    paintSwatches();
}

void ChartBox::setTitle(const QString& title)
{
    title_->setText(title);
    chart_->setAccessibleName(title);
    updateValues();
}

QString ChartBox::title() const
{
    return title_->text();
}

QColor ChartBox::color(const LegendEntry& entry) const
{
    return Theme::current() == Scheme::Dark ? entry.dark : entry.light;
}

void ChartBox::setContent(const std::vector<MonitorPoint>& points, Millis stepLength)
{
    ChartContent content;
    content.begin = points.empty() ? TimePoint{} : points.front().at;
    content.stepLength = stepLength;
    content.steps = points.size();
    for (std::size_t at = 0; at < entries_.size(); ++at) {
        const auto& entry = entries_[at];
        ChartLine line{
            lineName(entry.line), color(entry), entry.pen, toggles_[at]->isChecked(), {}};
        line.values.reserve(points.size());
        for (const auto& point : points) {
            line.values.push_back(point[entry.line]);
        }
        content.lines.push_back(std::move(line));
    }
    chart_->setContent(std::move(content));
    updateValues();
}

void ChartBox::updateValues()
{
    const auto& content = chart_->content();
    QStringList texts;
    for (std::size_t at = 0; at < entries_.size(); ++at) {
        const auto& values = content.lines[at].values;
        const auto step = chart_->cursorStep().value_or(values.empty() ? 0 : values.size() - 1);
        auto value = step < values.size() ? values[step] : std::nullopt;
        if (!value && !chart_->cursorStep() && values.size() > 1) {
            value = values[values.size() - 2];  // the newest step has only just begun
        }
        const auto text = lineName(entries_[at].line) + u' ' + chart_->valueText(value);
        toggles_[at]->setText(text);
        toggles_[at]->setAccessibleName(text);
        texts.append(text);
    }
    chart_->setAccessibleDescription(texts.join(QStringLiteral(", ")));
}

void ChartBox::paintSwatches()
{
    const auto side = fontMetrics().height();
    for (std::size_t at = 0; at < entries_.size(); ++at) {
        QPixmap swatch(QSize(side, side) * devicePixelRatioF());
        swatch.setDevicePixelRatio(devicePixelRatioF());
        swatch.fill(Qt::transparent);
        QPainter painter(&swatch);
        painter.setPen(QPen(color(entries_[at]), 3, entries_[at].pen, Qt::FlatCap));
        painter.drawLine(QPointF(0, side / 2.0), QPointF(side, side / 2.0));
        painter.end();
        toggles_[at]->setIcon(swatch);
    }
}

void ChartBox::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::ApplicationPaletteChange ||
        event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        paintSwatches();
    }
    QWidget::changeEvent(event);
}

}  // namespace restante::gui
