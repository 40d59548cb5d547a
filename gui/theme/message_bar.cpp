#include "gui/theme/message_bar.h"

#include "gui/theme/icons.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>

namespace restante::gui {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent),
      icon_(new QLabel(this)),
      text_(new QLabel(this)),
      retry_(new QPushButton(this)),
      copy_(new QPushButton(this))
{
    setAutoFillBackground(true);
    text_->setObjectName(QStringLiteral("messageBarText"));
    retry_->setObjectName(QStringLiteral("messageBarRetry"));
    copy_->setObjectName(QStringLiteral("messageBarCopy"));
    text_->setTextFormat(Qt::PlainText);
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->addWidget(icon_);
    row->addWidget(text_, 1);
    row->addWidget(retry_);
    row->addWidget(copy_);
    connect(retry_, &QPushButton::clicked, this, &MessageBar::retryRequested);
    connect(copy_, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(details_); });
    retranslate();
    hide();
}

void MessageBar::showMessage(Theme::Severity severity, const QString& text, const QString& details)
{
    severity_ = severity;
    details_ = details;
    text_->setText(text);
    setAccessibleName(text);
    copy_->setVisible(!details.isEmpty());
    retry_->setVisible(severity == Theme::Severity::Bad);
    applySeverity();
    show();
}

void MessageBar::clear()
{
    text_->clear();
    hide();
}

QString MessageBar::text() const
{
    return text_->text();
}

void MessageBar::retranslate()
{
    retry_->setText(tr("&Retry"));
    copy_->setText(tr("Copy &Details"));
}

void MessageBar::applySeverity()
{
    applyTint(*this, Theme::tint(severity_));
    const bool bad = severity_ == Theme::Severity::Bad;
    const auto name = bad ? QStringLiteral("dialog-error") : QStringLiteral("dialog-information");
    const auto side = style()->pixelMetric(QStyle::PM_SmallIconSize);
    icon_->setPixmap(icon(name).pixmap(QSize(side, side), devicePixelRatioF()));
}

void MessageBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    if (event->type() == QEvent::ApplicationPaletteChange) {
        applySeverity();
    }
    QFrame::changeEvent(event);
}

}  // namespace restante::gui
