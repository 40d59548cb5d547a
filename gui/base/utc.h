#pragma once

#include <QDateTimeEdit>
#include <QTimeZone>

namespace restante::gui {

/// UTC, as QDateTime wants it: Qt 6.5 deprecates Qt::UTC there, and Qt 6.4 has nothing else that
/// ISO 8601 writes as "Z".
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
inline constexpr auto kUtc = QTimeZone::UTC;
#else
inline constexpr auto kUtc = Qt::UTC;
#endif

/// Makes the field use UTC, so that no clock change alters what is typed.
inline void showUtc(QDateTimeEdit& edit)
{
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    edit.setTimeZone(kUtc);
#else
    edit.setTimeSpec(Qt::UTC);  // Qt 6.5 and 6.6 take no QTimeZone here
#endif
}

}  // namespace restante::gui
