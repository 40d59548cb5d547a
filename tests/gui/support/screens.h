#pragma once

#include "gui/theme/theme.h"

#include <QApplication>
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

/// "name.png", or "name@2x.png" where a point is two pixels.
inline QString screenFile(const QString& name)
{
    const bool isDouble = qApp->devicePixelRatio() > 1.5;
    return screenFolder().filePath(name + QLatin1String(isDouble ? "@2x.png" : ".png"));
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
    return widget->grab().save(screenFile(
        QStringLiteral("%1-%2").arg(QString::fromLatin1(name), QString::fromLatin1(look.name))));
}

}  // namespace restante::gui::test
