#include "gui/pages/jobs/jobs_notice.h"

#include "gui/theme/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

constexpr int kWordsWide = 64;   ///< letters "0" a line
constexpr int kSideBySide = 4;   ///< buttons in one row
constexpr int kIconInLines = 2;  ///< of text

}  // namespace

JobsNotice::JobsNotice(QWidget* parent)
    : QWidget(parent),
      icon_(new QLabel(this)),
      title_(new QLabel(this)),
      detail_(new QLabel(this)),
      buttons_(new QWidget(this)),
      column_(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("jobsNotice"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto large = font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    large.setBold(true);
    title_->setFont(large);
    title_->setObjectName(QStringLiteral("noticeTitle"));
    detail_->setObjectName(QStringLiteral("noticeDetail"));
    for (auto* label : {icon_, title_, detail_}) {
        label->setTextFormat(Qt::PlainText);
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(label == detail_);
    }
    detail_->setFixedWidth(fontMetrics().horizontalAdvance(u'0') * kWordsWide);
    column_->addStretch(2);
    for (auto* part : {static_cast<QWidget*>(icon_), static_cast<QWidget*>(title_),
                       static_cast<QWidget*>(detail_), buttons_}) {
        column_->addWidget(part, 0, Qt::AlignHCenter);
    }
    column_->addStretch(3);
}

void JobsNotice::show(const Notice& notice)
{
    if (notice == notice_) {
        return;
    }
    notice_ = notice;
    const auto size = fontMetrics().height() * kIconInLines;
    icon_->setPixmap(notice.icon.isEmpty() ? QPixmap() : icon(notice.icon).pixmap(size, size));
    icon_->setVisible(!notice.icon.isEmpty());
    title_->setText(notice.title);
    detail_->setText(notice.detail);
    // Before it is on the screen a layout takes a wrapped text for one line.
    detail_->setMinimumHeight(detail_->heightForWidth(detail_->minimumWidth()));
    detail_->setVisible(!notice.detail.isEmpty());
    column_->removeWidget(buttons_);
    // deleteLater(): it may be one of its buttons that brought us here.
    buttons_->hide();
    buttons_->deleteLater();
    buttons_ = new QWidget(this);
    auto* rows = new QVBoxLayout(buttons_);
    QHBoxLayout* row = nullptr;
    for (int at = 0; at < notice.buttons.size(); ++at) {
        auto* button = new QPushButton(notice.buttons.at(at), buttons_);
        button->setObjectName(QStringLiteral("noticeButton%1").arg(at));
        if (at % kSideBySide == 0) {
            row = new QHBoxLayout;
            rows->addLayout(row);
            rows->setAlignment(row, Qt::AlignHCenter);
        }
        row->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, at] { emit pressed(at); });
    }
    column_->insertWidget(column_->count() - 1, buttons_, 0, Qt::AlignHCenter);
    update();
}

void JobsNotice::paintEvent(QPaintEvent* event)
{
    QWidget::paintEvent(event);
    if (!notice_.skeleton) {
        return;
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    auto grey = palette().color(QPalette::Midlight);
    grey.setAlphaF(0.6F);
    painter.setBrush(grey);
    const auto step = fontMetrics().height() * 3 / 2;
    const auto thick = fontMetrics().xHeight();
    const auto column = std::max(1, width() / 6);
    const QRect words(QPoint(0, title_->geometry().top() - step),
                      QPoint(width(), buttons_->geometry().bottom() + step));
    for (int row = 0; row * step < height(); ++row) {
        const auto top = row * step + (step - thick) / 2;
        if (top > words.top() && top < words.bottom()) {
            continue;
        }
        for (int at = 0; at < 6; ++at) {
            const auto share = 50 + (row * 37 + at * 53) % 40;
            painter.drawRoundedRect(
                QRect(at * column + step / 2, top, (column - step) * share / 100, thick),
                thick / 2.0, thick / 2.0);
        }
    }
}

}  // namespace restante::gui
