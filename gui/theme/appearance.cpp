#include "gui/theme/appearance.h"

#include "gui/base/preferences.h"
#include "gui/theme/theme.h"

#include <QApplication>
#include <QEvent>

namespace restante::gui {

Appearance::Appearance(Preferences& preferences, QObject* parent)
    : QObject(parent),
      preferences_(preferences)
{
    Theme::apply(preferences.scheme());
    languages_.setGroupDigits(preferences.groupedNumbers());
    languages_.use(preferences.language());
    connect(&preferences, &Preferences::changed, this, &Appearance::apply);
}

void Appearance::apply()
{
    // Both make every widget paint and lay out anew: only when they are another one now.
    if (Theme::resolved(preferences_.scheme()) != Theme::current()) {
        Theme::apply(preferences_.scheme());
    }
    if (preferences_.groupedNumbers() != languages_.groupsDigits()) {
        languages_.setGroupDigits(preferences_.groupedNumbers());
        // Whatever writes numbers writes them anew, as after a change of the language.
        for (auto* widget : QApplication::topLevelWidgets()) {
            QEvent event(QEvent::LanguageChange);
            QApplication::sendEvent(widget, &event);
        }
    }
    const auto wanted =
        preferences_.language().isEmpty() ? Languages::desktopLanguage() : preferences_.language();
    if (wanted != languages_.current()) {
        languages_.use(wanted);
    }
}

}  // namespace restante::gui
