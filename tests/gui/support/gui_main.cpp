#include "gui/theme/theme.h"
#include "tests/gui/support/unspoken.h"

#include <QApplication>
#include <QStandardPaths>
#include <gtest/gtest.h>

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

}  // namespace

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
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    // In front of the one that prints, which tells of failures once a test has ended.
    auto* printer = listeners.Release(listeners.default_result_printer());
    listeners.Append(new Speaks);
    listeners.Append(printer);
    return RUN_ALL_TESTS();
}
