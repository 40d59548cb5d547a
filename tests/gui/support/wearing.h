#pragma once

#include "gui/base/preferences.h"
#include "gui/theme/appearance.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/screens.h"

#include <QCoreApplication>
#include <QTemporaryDir>

#include <optional>

namespace restante::gui::test {

/// English as long as a wordy language would be: nothing may be clipped then, either.
inline constexpr ScreenLook kLongLook{"long", Scheme::Light, "en"};
/// Those that pictures are made of, and the long one.
inline constexpr ScreenLook kEveryLook[]{kScreenLooks[0], kScreenLooks[1], kScreenLooks[2],
                                         kLongLook};

/// A look of the whole program, which goes back to the usual one.
class Wearing {
public:
    explicit Wearing(const ScreenLook& look)
    {
        preferences_.setScheme(look.scheme);
        preferences_.setLanguage(QString::fromLatin1(look.language));
        appearance_.emplace(preferences_);
        if (QLatin1String(look.name) == QLatin1String(kLongLook.name)) {
            QCoreApplication::installTranslator(&longer_.emplace());
        }
    }
    ~Wearing()
    {
        longer_.reset();  // a translator takes itself out
        preferences_.setScheme(Scheme::Light);
        preferences_.setLanguage(QStringLiteral("en"));
    }
    Wearing(const Wearing&) = delete;
    Wearing& operator=(const Wearing&) = delete;

private:
    QTemporaryDir home_;
    Preferences preferences_{home_.filePath(QStringLiteral("look.ini"))};
    std::optional<Appearance> appearance_;
    std::optional<LongTexts> longer_;
};

}  // namespace restante::gui::test
