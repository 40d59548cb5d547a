#include "core/base/version.h"
#include "gui/app/main_window.h"
#include "gui/app/preferences.h"
#include "gui/theme/theme.h"

#include <QApplication>

#include <CLI/CLI.hpp>
#include <iostream>

int main(int argc, char** argv)
{
    CLI::App options{"Restante's console: look at jobs, and steer them."};
    options.set_version_flag("--version",
                             std::string("restante-admin ") + std::string(restante::version()));
    try {
        options.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return options.exit(error) == 0 ? 0 : 2;
    }
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("restante-admin"));
    restante::gui::Preferences preferences;
    restante::gui::Theme::apply(preferences.scheme());
    restante::gui::MainWindow window(preferences);
    window.show();
    return QApplication::exec();
}
