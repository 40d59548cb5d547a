#include "gui/base/preferences.h"
#include "gui/shell/main_window.h"
#include "gui/theme/appearance.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/screens.h"

#include <QTemporaryDir>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

void settle()
{
    for (int turn = 0; turn < 20; ++turn) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
    }
}

}  // namespace

TEST(Screens, showEachPageInEachLook)
{
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    for (const auto& look : kScreenLooks) {
        preferences.setScheme(look.scheme);
        preferences.setLanguage(QString::fromLatin1(look.language));
        const Appearance appearance(preferences);
        MainWindow window(preferences);
        auto fake = std::make_unique<FakeBackend>();
        fake->haveRows(1'204'331);
        ConnectionProfile profile;
        profile.name = QStringLiteral("prod-sip-1");
        profile.mode = AccessMode::Production;
        window.open(std::make_unique<StoreSession>(profile, std::move(fake)));
        window.resize(1'280, 800);
        window.show();
        for (const auto page : pageIds()) {
            window.showPage(page);
            settle();
            const auto picture = window.grab();
            EXPECT_EQ(picture.deviceIndependentSize().toSize(), window.size());
            EXPECT_TRUE(picture.save(screenFile(QStringLiteral("page-%1-%2")
                                                    .arg(static_cast<int>(page))
                                                    .arg(QLatin1String(look.name)))));
        }
    }
    preferences.setScheme(Scheme::Light);
    preferences.setLanguage(QStringLiteral("en"));
    const Appearance back(preferences);
}

}  // namespace restante::gui::test
