#include "gui/base/payload_limits.h"

#include "gui/base/preferences.h"

#include <algorithm>

namespace restante::gui {

const QString& PayloadLimits::partKey()
{
    static const QString kKey = QStringLiteral("payload/partKiB");
    return kKey;
}

PayloadLimits PayloadLimits::of(const Preferences& preferences)
{
    PayloadLimits limits;
    const auto standard = static_cast<int>(limits.part / 1'024);
    const auto wanted = preferences.value(partKey(), standard).toInt();
    limits.part = std::clamp(wanted, kLeastKiB, kMostKiB) * qsizetype{1'024};
    return limits;
}

}  // namespace restante::gui
