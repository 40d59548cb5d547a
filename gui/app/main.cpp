#include "gui/app/appearance.h"
#include "gui/app/console.h"
#include "gui/app/preferences.h"
#include "gui/app/start_options.h"

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
