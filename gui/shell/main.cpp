#include "gui/base/preferences.h"
#include "gui/shell/console.h"
#include "gui/shell/start_options.h"
#include "gui/theme/appearance.h"

#include <QApplication>

int main(int argc, char** argv)
{
    using namespace restante::gui;
    const auto line = readStartLine(argc, argv);
    if (line.exitCode) {
        return *line.exitCode;
    }
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("restante-admin"));
    Preferences preferences;
    const Appearance appearance(preferences);
    Console console(preferences);
    QObject::connect(&console, &Console::pictureDone, &application, &QCoreApplication::exit,
                     Qt::QueuedConnection);
    console.window().show();
    console.start(line.options);
    return QApplication::exec();
}
