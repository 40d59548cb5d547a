#include "gui/base/preferences.h"
#include "gui/shell/main_window.h"
#include "gui/theme/appearance.h"
#include "gui/theme/icons.h"
#include "gui/theme/theme.h"
#include "tests/gui/support/contrast.h"

#include <QDialogButtonBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <gtest/gtest.h>

namespace restante::gui::test {

TEST(Colours, everyStateIsReadableInLightAndDark)
{
    for (const auto scheme : {Scheme::Light, Scheme::Dark}) {
        const auto palette = Theme::palette(scheme);
        for (const auto state : kJobStates) {
            const auto stateStyle = Theme::style(state, scheme);
            for (const auto role : {QPalette::Base, QPalette::AlternateBase, QPalette::Window}) {
                EXPECT_GE(contrast(stateStyle.foreground, palette.color(role)), kReadable)
                    << Theme::stateName(state).toStdString() << " in scheme "
                    << static_cast<int>(scheme);
            }
            EXPECT_FALSE(icon(stateStyle.icon).isNull()) << stateStyle.icon.toStdString();
            EXPECT_FALSE(Theme::stateName(state).isEmpty());
        }
    }
}

TEST(Colours, textAndBannersAreReadableInLightAndDark)
{
    for (const auto scheme : {Scheme::Light, Scheme::Dark}) {
        const auto palette = Theme::palette(scheme);
        const auto reads = [&](QPalette::ColorRole text, QPalette::ColorRole background) {
            EXPECT_GE(contrast(palette.color(text), palette.color(background)), kReadable)
                << text << " on " << background << " in scheme " << static_cast<int>(scheme);
        };
        reads(QPalette::WindowText, QPalette::Window);
        reads(QPalette::Text, QPalette::Base);
        reads(QPalette::Text, QPalette::AlternateBase);
        reads(QPalette::ButtonText, QPalette::Button);
        reads(QPalette::HighlightedText, QPalette::Highlight);
        reads(QPalette::ToolTipText, QPalette::ToolTipBase);
        reads(QPalette::PlaceholderText, QPalette::Base);
        reads(QPalette::Link, QPalette::Base);
        for (const auto severity : {Theme::Severity::Good, Theme::Severity::Warning,
                                    Theme::Severity::Bad, Theme::Severity::Notice}) {
            const auto tint = Theme::tint(severity, scheme);
            EXPECT_GE(contrast(tint.text, tint.background), kReadable)
                << static_cast<int>(severity);
        }
    }
}

TEST(LanguageSwitch, theLanguageChangesWhileTheConsoleRuns)
{
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    preferences.setLanguage(QStringLiteral("en"));
    const Appearance appearance(preferences);
    MainWindow window(preferences);
    const auto english = window.actions()[ActionId::RunNow]->text();
    preferences.setLanguage(QStringLiteral("zh_CN"));
    QCoreApplication::sendPostedEvents();
    EXPECT_NE(window.actions()[ActionId::RunNow]->text(), english);
    QDialogButtonBox box(QDialogButtonBox::Cancel);
    EXPECT_EQ(box.button(QDialogButtonBox::Cancel)->text(), QStringLiteral("取消"));
    preferences.setLanguage(QStringLiteral("en"));
    QCoreApplication::sendPostedEvents();
    EXPECT_EQ(window.actions()[ActionId::RunNow]->text(), english);
}

}  // namespace restante::gui::test
