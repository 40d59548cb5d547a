#pragma once

#include "core/base/clock.h"

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <QTimeZone>

class QComboBox;

namespace restante::gui {

class Preferences;

/// That of the preferences, or the machine's.
QTimeZone zoneOf(const Preferences& preferences);
/// "2026-11-22 09:00:00 CET".
QString timeIn(const QTimeZone& zone, TimePoint at);
/// A place where the clocks say that; a time that the clocks leave out is moved past the gap.
TimePoint timeOf(const QDate& date, const QTime& time, const QTimeZone& zone);
/// Every zone that there is, the preferred one, the machine's and UTC first. Editable, with
/// completion.
QComboBox* zonesIn(QWidget* parent, const Preferences& preferences);
/// What is chosen there; invalid when there is no such zone.
QTimeZone zoneIn(const QComboBox* box);

}  // namespace restante::gui
