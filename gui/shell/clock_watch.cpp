#include "gui/shell/clock_watch.h"

#include <QDateTime>
#include <QTimeZone>

#include <cstdlib>
#include <utility>

namespace restante::gui {

namespace {

constexpr int kPaceMs = 5'000;
/// More than a clock is slewed by, or a busy machine is late, between two looks.
constexpr qint64 kJumpMs = 2'000;

}  // namespace

ClockWatch::ClockWatch(QObject* parent)
    : QObject(parent),
      zone_(QTimeZone::systemTimeZoneId()),
      lastClock_(QDateTime::currentMSecsSinceEpoch())
{
    sinceLast_.start();
    pace_.setInterval(kPaceMs);
    connect(&pace_, &QTimer::timeout, this, &ClockWatch::check);
    pace_.start();
}

void ClockWatch::check()
{
    const auto clock = QDateTime::currentMSecsSinceEpoch();
    const auto expected = lastClock_ + sinceLast_.restart();
    const bool jumped = std::abs(clock - expected) > kJumpMs;
    lastClock_ = clock;
    const auto zone = QTimeZone::systemTimeZoneId();
    const bool moved = std::exchange(zone_, zone) != zone;
    if (jumped || moved) {
        emit changed();
    }
}

}  // namespace restante::gui
