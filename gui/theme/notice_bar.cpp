#include "gui/theme/notice_bar.h"

#include "gui/theme/icons.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>

namespace restante::gui {

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent),
      icon_(new QLabel(this)),
      text_(new QLabel(this)),
      retry_(new QPushButton(this)),
      copy_(new QPushButton(this))
{
    setAutoFillBackground(true);
    text_->setObjectName(QStringLiteral("noticeText"));
    retry_->setObjectName(QStringLiteral("noticeRetry"));
    copy_->setObjectName(QStringLiteral("noticeCopy"));
    text_->setTextFormat(Qt::PlainText);
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->addWidget(icon_);
    row->addWidget(text_, 1);
    row->addWidget(retry_);
    row->addWidget(copy_);
    connect(retry_, &QPushButton::clicked, this, &NoticeBar::retryWanted);
    connect(copy_, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(details_); });
    retranslate();
    hide();
}

void NoticeBar::tell(Theme::Meaning meaning, const QString& text, const QString& details)
{
    meaning_ = meaning;
    details_ = details;
    text_->setText(text);
    setAccessibleName(text);
    copy_->setVisible(!details.isEmpty());
    retry_->setVisible(meaning == Theme::Meaning::Bad);
    paintIt();
    show();
}

void NoticeBar::clear()
{
    text_->clear();
    hide();
}

QString NoticeBar::text() const
{
    return text_->text();
}

void NoticeBar::retranslate()
{
    retry_->setText(tr("&Retry"));
    copy_->setText(tr("Copy &Details"));
}

void NoticeBar::paintIt()
{
    applyTint(*this, Theme::tint(meaning_));
    const bool bad = meaning_ == Theme::Meaning::Bad;
    const auto name = bad ? QStringLiteral("dialog-error") : QStringLiteral("dialog-information");
    const auto side = style()->pixelMetric(QStyle::PM_SmallIconSize);
    icon_->setPixmap(icon(name).pixmap(QSize(side, side), devicePixelRatioF()));
}

void NoticeBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    if (event->type() == QEvent::ApplicationPaletteChange) {
        paintIt();
    }
    QFrame::changeEvent(event);
}

}  // namespace restante::gui
