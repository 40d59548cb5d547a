#include "gui/app/appearance.h"

#include "gui/app/preferences.h"
#include "gui/theme/theme.h"

namespace restante::gui {

Appearance::Appearance(Preferences& preferences, QObject* parent)
    : QObject(parent),
      preferences_(preferences)
{
    Theme::apply(preferences.scheme());
    languages_.use(preferences.language());
    connect(&preferences, &Preferences::changed, this, &Appearance::apply);
}

void Appearance::apply()
{
    // Both make every widget paint and lay out anew: only when they are another one now.
    if (Theme::resolved(preferences_.scheme()) != Theme::current()) {
        Theme::apply(preferences_.scheme());
    }
    const auto wanted =
        preferences_.language().isEmpty() ? Languages::ofDesktop() : preferences_.language();
    if (wanted != languages_.current()) {
        languages_.use(wanted);
    }
}

}  // namespace restante::gui
