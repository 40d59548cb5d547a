#pragma once

#include "gui/theme/theme.h"

#include <QCoreApplication>
#include <QDir>
#include <QWidget>

namespace restante::gui::test {

/// Where the pictures go: build/<preset>/screens, or beside the test when it is run by hand.
inline QDir screenFolder()
{
    QDir folder(qEnvironmentVariable("RESTANTE_BUILD_DIR", QStringLiteral(".")));
    folder.mkpath(QStringLiteral("screens"));
    folder.cd(QStringLiteral("screens"));
    return folder;
}

/// Every look that a picture is made of.
struct ScreenLook {
    const char* name;
    Scheme scheme;
    const char* language;
};
inline constexpr ScreenLook kScreenLooks[]{{"light", Scheme::Light, "en"},
                                           {"dark", Scheme::Dark, "en"},
                                           {"chinese", Scheme::Light, "zh_CN"}};

/// "name-light.png"; false when it could not be written.
inline bool keepPicture(QWidget* widget, const char* name, const ScreenLook& look)
{
    for (int turn = 0; turn < 10; ++turn) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
    }
    return widget->grab().save(screenFolder().filePath(
        QStringLiteral("%1-%2.png")
            .arg(QString::fromLatin1(name), QString::fromLatin1(look.name))));
}

}  // namespace restante::gui::test
