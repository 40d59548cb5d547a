#include "gui/pages/jobs/trouble_bar.h"

#include "gui/theme/icons.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>

namespace restante::gui {

namespace {

QString wordOf(const Error& error)
{
    const auto word = name(error.code);
    return QString::fromLatin1(word.data(), static_cast<qsizetype>(word.size()));
}

}  // namespace

TroubleBar::TroubleBar(QWidget* parent)
    : QFrame(parent),
      icon_(new QLabel(this)),
      text_(new QLabel(this)),
      retry_(new QPushButton(this)),
      copy_(new QPushButton(this))
{
    setObjectName(QStringLiteral("troubleBar"));
    setAutoFillBackground(true);
    text_->setObjectName(QStringLiteral("troubleText"));
    text_->setTextFormat(Qt::PlainText);
    text_->setWordWrap(true);
    retry_->setObjectName(QStringLiteral("troubleRetry"));
    copy_->setObjectName(QStringLiteral("troubleCopy"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->addWidget(icon_);
    row->addWidget(text_, 1);
    row->addWidget(retry_);
    row->addWidget(copy_);
    connect(retry_, &QPushButton::clicked, this, &TroubleBar::retryWanted);
    connect(copy_, &QPushButton::clicked, this, [this] {
        if (error_) {
            QApplication::clipboard()->setText(QStringLiteral("%1: %2").arg(
                wordOf(*error_), QString::fromStdString(error_->message)));
        }
    });
    tick_.setInterval(1'000);
    connect(&tick_, &QTimer::timeout, this, &TroubleBar::retranslate);
    retranslate();
    hide();
}

void TroubleBar::show(const std::optional<Error>& error, bool hasRows)
{
    error_ = error;
    hasRows_ = hasRows && lastGood_.isValid();
    setVisible(error_.has_value());
    if (!error_) {
        tick_.stop();
        return;
    }
    tick_.start();
    applyTint(*this, Theme::tint(Theme::Meaning::Bad));
    const auto size = style()->pixelMetric(QStyle::PM_SmallIconSize);
    icon_->setPixmap(icon(QStringLiteral("dialog-error")).pixmap(size, size));
    retranslate();
}

void TroubleBar::fresh()
{
    lastGood_.start();
}

QString TroubleBar::text() const
{
    return text_->text();
}

void TroubleBar::retranslate()
{
    retry_->setText(tr("&Retry"));
    copy_->setText(tr("Copy &Details"));
    if (!error_) {
        return;
    }
    auto text = tr("The store did not answer as it should: %1 (%2)")
                    .arg(QString::fromStdString(error_->message), wordOf(*error_));
    if (hasRows_) {
        text += u'\n' + tr("What is shown is %1 old.")
                            .arg(TimeText::duration(Millis{lastGood_.elapsed() / 1'000 * 1'000}));
    }
    text_->setText(text);
}

void TroubleBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QFrame::changeEvent(event);
}

}  // namespace restante::gui
