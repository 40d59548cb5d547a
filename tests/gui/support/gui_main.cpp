#include "gui/theme/theme.h"

#include <QApplication>
#include <QStandardPaths>
#include <gtest/gtest.h>

// One application for all tests of a process, without a screen unless the environment names one.
int main(int argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    // Nothing of the user's is read or written.
    QStandardPaths::setTestModeEnabled(true);
    testing::InitGoogleTest(&argc, argv);
    QApplication application(argc, argv);
    restante::gui::Theme::apply(restante::gui::Scheme::Light);
    return RUN_ALL_TESTS();
}
