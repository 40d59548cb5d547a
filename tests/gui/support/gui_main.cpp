#include "gui/theme/theme.h"
#include "tests/gui/support/unspoken.h"
#include "tests/support/temp_dir.h"

#include <QApplication>
#include <QStandardPaths>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace {

/// A text that the console asked for in Chinese and that is not there fails the test that asked.
class Speaks : public testing::EmptyTestEventListener {
public:
    Speaks() { QCoreApplication::installTranslator(&unspoken_); }
    void OnTestEnd(const testing::TestInfo&) override
    {
        const auto texts = unspoken_.take();
        EXPECT_TRUE(texts.isEmpty()) << texts.join(u'\n').toStdString();
    }

private:
    restante::gui::test::Unspoken unspoken_;
};

/// The screen of a small desk. Without a word it has 800 x 800, and Qt 6.8 gives a window that is
/// larger than its screen back smaller.
void takeScreen(const std::filesystem::path& file)
{
    std::ofstream(file) << R"({"screens": [{"name": "desk", "x": 0, "y": 0, "width": 1600,
        "height": 1000, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}]})";
    qputenv("QT_QPA_PLATFORM", QByteArray("offscreen:configfile=") + file.c_str());
}

}  // namespace

// One application for all tests of a process, without a screen unless the environment names one.
int main(int argc, char** argv)
{
    const restante::test::TempDir folder;
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
        takeScreen(folder / "screen.json");
    }
    // Nothing of the user's is read or written.
    QStandardPaths::setTestModeEnabled(true);
    testing::InitGoogleTest(&argc, argv);
    QApplication application(argc, argv);
    restante::gui::Theme::apply(restante::gui::Scheme::Light);
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    // In front of the one that prints, which tells of failures once a test has ended.
    auto* printer = listeners.Release(listeners.default_result_printer());
    listeners.Append(new Speaks);
    listeners.Append(printer);
    return RUN_ALL_TESTS();
}
