#include "gui/theme/empty_pane.h"

#include "gui/theme/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

constexpr int kCharactersPerLine = 64;  ///< digits "0" a line
constexpr int kButtonsPerRow = 4;       ///< buttons in one row
constexpr int kIconLines = 2;           ///< of text

}  // namespace

EmptyPane::EmptyPane(QWidget* parent)
    : QWidget(parent),
      icon_(new QLabel(this)),
      headline_(new QLabel(this)),
      sentence_(new QLabel(this)),
      buttons_(new QWidget(this)),
      column_(new QVBoxLayout(this))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto large = font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    large.setBold(true);
    headline_->setFont(large);
    headline_->setObjectName(QStringLiteral("emptyPaneHeadline"));
    sentence_->setObjectName(QStringLiteral("emptyPaneSentence"));
    for (auto* label : {icon_, headline_, sentence_}) {
        label->setTextFormat(Qt::PlainText);
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(label == sentence_);
    }
    sentence_->setFixedWidth(fontMetrics().horizontalAdvance(u'0') * kCharactersPerLine);
    column_->addStretch(2);
    for (auto* part : {static_cast<QWidget*>(icon_), static_cast<QWidget*>(headline_),
                       static_cast<QWidget*>(sentence_), buttons_}) {
        column_->addWidget(part, 0, Qt::AlignHCenter);
    }
    column_->addStretch(3);
}

void EmptyPane::setContent(const Content& content)
{
    if (content == content_) {
        return;
    }
    content_ = content;
    drawIcon();
    headline_->setText(content.headline);
    sentence_->setText(content.sentence);
    // Before it is on the screen a layout takes a wrapped text for one line.
    sentence_->setMinimumHeight(sentence_->heightForWidth(sentence_->minimumWidth()));
    sentence_->setVisible(!content.sentence.isEmpty());
    setButtons(content.buttons);
    update();
}

void EmptyPane::drawIcon()
{
    const auto side = fontMetrics().height() * kIconLines;
    icon_->setPixmap(content_.icon.isEmpty()
                         ? QPixmap()
                         : icon(content_.icon).pixmap(QSize(side, side), devicePixelRatioF()));
    icon_->setVisible(!content_.icon.isEmpty());
}

void EmptyPane::setButtons(const QStringList& texts)
{
    column_->removeWidget(buttons_);
    // deleteLater(): it may be one of its buttons that brought us here.
    buttons_->hide();
    buttons_->deleteLater();
    buttons_ = new QWidget(this);
    auto* rows = new QVBoxLayout(buttons_);
    QHBoxLayout* row = nullptr;
    for (int at = 0; at < texts.size(); ++at) {
        auto* button = new QPushButton(texts.at(at), buttons_);
        button->setObjectName(QStringLiteral("emptyPaneButton%1").arg(at));
        if (at % kButtonsPerRow == 0) {
            row = new QHBoxLayout;
            rows->addLayout(row);
            rows->setAlignment(row, Qt::AlignHCenter);
        }
        row->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, at] { emit pressed(at); });
    }
    column_->insertWidget(column_->count() - 1, buttons_, 0, Qt::AlignHCenter);
}

void EmptyPane::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::ApplicationPaletteChange) {
        drawIcon();
    }
    QWidget::changeEvent(event);
}

void EmptyPane::paintEvent(QPaintEvent* event)
{
    QWidget::paintEvent(event);
    if (!content_.skeleton) {
        return;
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    auto grey = palette().color(QPalette::Midlight);
    grey.setAlphaF(0.6F);
    painter.setBrush(grey);
    const auto step = fontMetrics().height() * 3 / 2;
    const auto barHeight = fontMetrics().xHeight();
    const auto columnWidth = std::max(1, width() / 6);
    const QRect textRect(QPoint(0, headline_->geometry().top() - step),
                         QPoint(width(), buttons_->geometry().bottom() + step));
    for (int row = 0; row * step < height(); ++row) {
        const auto top = row * step + (step - barHeight) / 2;
        if (top > textRect.top() && top < textRect.bottom()) {
            continue;
        }
        for (int at = 0; at < 6; ++at) {
            const auto percent = 50 + (row * 37 + at * 53) % 40;
            painter.drawRoundedRect(QRect(at * columnWidth + step / 2, top,
                                          (columnWidth - step) * percent / 100, barHeight),
                                    barHeight / 2.0, barHeight / 2.0);
        }
    }
}

}  // namespace restante::gui
