#pragma once

#include <QString>

namespace restante::gui {

class Preferences;

/// How much of a body a text field is given at once. A field lays out a single line in a time that
/// grows with the square of its length.
struct PayloadLimits {
    qsizetype part = 256 * 1'024;  ///< characters, or bytes in four of them for Hex
    qsizetype line = 2'000;        ///< characters

    static constexpr int kLeastKiB = 16;
    static constexpr int kMostKiB = 1'024;
    static const QString& partKey();  ///< in the preferences, KiB
    static PayloadLimits of(const Preferences& preferences);
};

}  // namespace restante::gui
