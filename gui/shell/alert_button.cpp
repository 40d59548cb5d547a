#include "gui/shell/alert_button.h"

#include "gui/operations/alert_texts.h"
#include "gui/session/alert_watch.h"
#include "gui/theme/icons.h"

#include <QAction>
#include <QEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

constexpr int kPillPadding = 8;
constexpr int kGapAfterIcon = 6;
/// So that it does not touch the frame of the window.
constexpr int kFrameDistance = 2;

}  // namespace

AlertButton::AlertButton(const AlertWatch& alerts, QAction* show, QWidget* parent)
    : QToolButton(parent),
      alerts_(alerts)
{
    setObjectName(QStringLiteral("alertButton"));
    setAutoRaise(true);
    setFocusPolicy(Qt::StrongFocus);
    connect(this, &QToolButton::clicked, show, &QAction::trigger);
    connect(&alerts_, &AlertWatch::changed, this, &AlertButton::refresh);
    refresh();
}

void AlertButton::refresh()
{
    int firing = 0;
    int unacknowledged = 0;
    auto severity = Theme::Severity::Good;
    QStringList titles;
    for (const auto& episode : alerts_.alerts().episodes()) {
        if (episode.ended) {
            continue;
        }
        ++firing;
        titles.append(alertTitle(episode.rule));
        unacknowledged += episode.acknowledged ? 0 : 1;
        if (!episode.acknowledged && severity != Theme::Severity::Bad) {
            severity = alertSeverity(episode.rule);
        }
    }
    if (unacknowledged == 0) {
        severity = firing == 0 ? Theme::Severity::Good : Theme::Severity::Notice;
    }
    const auto text = unacknowledged > 0 ? tr("%n alert(s)", "", unacknowledged)
                      : firing > 0       ? tr("%n alert(s) acknowledged", "", firing)
                                         : QString();
    const auto name = text.isEmpty() ? tr("No alerts") : text;
    const auto mutedText = alerts_.isMuted() ? tr("Muted for an hour at most") : QString();
    const auto iconName = alerts_.isMuted() ? QStringLiteral("notifications-disabled")
                                            : QStringLiteral("notifications");
    auto tip = titles.isEmpty() ? name : name + QStringLiteral(": ") + titles.join(u'\n');
    if (!mutedText.isEmpty()) {
        tip += u'\n' + mutedText;
    }
    if (std::exchange(unacknowledgedCount_, unacknowledged) == unacknowledged &&
        severity == severity_ && text == this->text() && tip == toolTip()) {
        return;
    }
    severity_ = severity;
    setText(text);
    setIcon(gui::icon(iconName));
    setAccessibleName(mutedText.isEmpty() ? name : tr("%1, %2").arg(name, mutedText));
    setAccessibleDescription(titles.join(QStringLiteral(", ")));
    setToolTip(tip);
    updateGeometry();
    if (auto* bar = parentWidget()) {
        bar->updateGeometry();
    }
    update();
}

QSize AlertButton::sizeHint() const
{
    const auto iconSize = style()->pixelMetric(QStyle::PM_SmallIconSize, nullptr, this);
    auto bold = font();
    bold.setWeight(QFont::DemiBold);
    const auto textWidth =
        text().isEmpty() ? 0 : kGapAfterIcon + QFontMetrics(bold).horizontalAdvance(text());
    return {iconSize + textWidth + 2 * kPillPadding,
            std::max(iconSize, fontMetrics().height()) + kPillPadding};
}

/// The bell and the text, in a pill in the colours of the severity while an alert is not
/// acknowledged; without alerts the bell alone.
void AlertButton::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto area = QRectF(rect()).adjusted(1, kFrameDistance, -kFrameDistance, -kFrameDistance);
    const bool hasUnacknowledged = unacknowledgedCount_ > 0;
    const auto tint = Theme::tint(severity_);
    if (hasUnacknowledged) {
        QPainterPath pill;
        pill.addRoundedRect(area, area.height() / 2, area.height() / 2);
        painter.fillPath(pill, tint.background);
        painter.setPen(Theme::foreground(severity_));
        painter.drawPath(pill);
    } else if (underMouse() || isDown()) {
        painter.fillRect(area, palette().color(QPalette::Midlight));
    }
    const auto iconSize = style()->pixelMetric(QStyle::PM_SmallIconSize, nullptr, this);
    const QRect iconRect(kPillPadding, (height() - iconSize) / 2, iconSize, iconSize);
    icon().paint(&painter, iconRect);
    if (!text().isEmpty()) {
        auto textFont = font();
        textFont.setWeight(hasUnacknowledged ? QFont::DemiBold : QFont::Normal);
        painter.setFont(textFont);
        painter.setPen(hasUnacknowledged ? tint.text : palette().color(QPalette::WindowText));
        painter.drawText(rect().adjusted(kPillPadding + iconSize + kGapAfterIcon, 0, 0, 0),
                         Qt::AlignLeft | Qt::AlignVCenter, text());
    }
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(area, 3, 3);
    }
}

void AlertButton::changeEvent(QEvent* event)
{
    QToolButton::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        unacknowledgedCount_ = -1;
        refresh();
    }
    if (event->type() == QEvent::PaletteChange) {
        update();
    }
}

}  // namespace restante::gui
