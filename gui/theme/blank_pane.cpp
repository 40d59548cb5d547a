#include "gui/theme/blank_pane.h"

#include "gui/theme/icons.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace restante::gui {

BlankPane::BlankPane(QWidget* parent)
    : QWidget(parent),
      icon_(new QLabel(this)),
      headline_(new QLabel(this)),
      sentence_(new QLabel(this)),
      button_(new QPushButton(this))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto large = headline_->font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    large.setBold(true);
    headline_->setFont(large);
    sentence_->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(8);
    column->addStretch(2);
    for (auto* label : {icon_, headline_, sentence_}) {
        label->setTextFormat(Qt::PlainText);
        label->setAlignment(Qt::AlignCenter);
        column->addWidget(label);
    }
    column->addWidget(button_, 0, Qt::AlignCenter);
    column->addStretch(3);
    connect(button_, &QPushButton::clicked, this, &BlankPane::clicked);
}

void BlankPane::say(const Says& what)
{
    says_ = what;
    headline_->setText(what.headline);
    sentence_->setText(what.sentence);
    button_->setText(what.button);
    button_->setVisible(!what.button.isEmpty());
    paintIt();
}

QString BlankPane::headline() const
{
    return says_.headline;
}

void BlankPane::paintIt()
{
    const auto side = fontMetrics().height() * 2;
    icon_->setPixmap(icon(says_.icon).pixmap(QSize(side, side), devicePixelRatioF()));
}

void BlankPane::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::ApplicationPaletteChange) {
        paintIt();
    }
    QWidget::changeEvent(event);
}

}  // namespace restante::gui
