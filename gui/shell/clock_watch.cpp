#include "gui/shell/clock_watch.h"

#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QDateTime>
#include <QTimeZone>

#include <cstdlib>
#include <utility>

namespace restante::gui {

namespace {

constexpr int kCheckMs = 5'000;
/// More than clock slewing or a busy machine causes between two checks.
constexpr qint64 kMinJumpMs = 2'000;

}  // namespace

ClockWatch::ClockWatch(QObject* parent)
    : QObject(parent),
      zone_(QTimeZone::systemTimeZoneId()),
      lastClockMs_(QDateTime::currentMSecsSinceEpoch())
{
    sinceLastCheck_.start();
    checkTimer_.setInterval(kCheckMs);
    connect(&checkTimer_, &QTimer::timeout, this, &ClockWatch::check);
    checkTimer_.start();
}

void ClockWatch::check()
{
    const auto clockMs = QDateTime::currentMSecsSinceEpoch();
    const auto expectedMs = lastClockMs_ + sinceLastCheck_.restart();
    const bool jumped = std::abs(clockMs - expectedMs) > kMinJumpMs;
    lastClockMs_ = clockMs;
    const auto zone = QTimeZone::systemTimeZoneId();
    const bool zoneChanged = std::exchange(zone_, zone) != zone;
    if (jumped || zoneChanged) {
        emit changed();
    }
}

SkewLabel::SkewLabel(QWidget* parent) : QLabel(parent)
{
    setObjectName(QStringLiteral("skewLabel"));
    setTextFormat(Qt::PlainText);
    setAutoFillBackground(true);
    setMargin(2);
    hide();
}

void SkewLabel::setSkew(Millis skew)
{
    const auto difference = skew < Millis{0} ? -skew : skew;
    setVisible(difference >= kMinShownSkew);
    if (difference < kMinShownSkew) {
        return;
    }
    const auto text = TimeText::duration(difference);
    setText(skew > Millis{0} ? tr("The store's clock is %1 ahead").arg(text)
                             : tr("The store's clock is %1 behind").arg(text));
    setToolTip(tr("The clock of the store and that of this machine differ. Due times, ages and "
                  "lateness are reckoned by the store's; check which of the two is wrong."));
    applyTint(*this, Theme::tint(Theme::Severity::Warning));
}

}  // namespace restante::gui
