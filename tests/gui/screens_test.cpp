#include "gui/app/appearance.h"
#include "gui/app/main_window.h"
#include "gui/app/preferences.h"
#include "tests/gui/support/fake_backend.h"

#include <QDir>
#include <QTemporaryDir>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

/// Where the pictures go: build/<preset>/screens, or beside the test when it is run by hand.
QDir screens()
{
    QDir folder(qEnvironmentVariable("RESTANTE_BUILD_DIR", QStringLiteral(".")));
    folder.mkpath(QStringLiteral("screens"));
    folder.cd(QStringLiteral("screens"));
    return folder;
}

/// Every look that a picture is made of.
struct Look {
    const char* name;
    Scheme scheme;
    const char* language;
};
constexpr Look kLooks[]{{"light", Scheme::Light, "en"},
                        {"dark", Scheme::Dark, "en"},
                        {"chinese", Scheme::Light, "zh_CN"}};

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
    for (const auto& look : kLooks) {
        preferences.setScheme(look.scheme);
        preferences.setLanguage(QString::fromLatin1(look.language));
        const Appearance appearance(preferences);
        MainWindow window(preferences);
        auto fake = std::make_unique<FakeBackend>();
        fake->haveRows(1'204'331);
        ConnectionProfile profile;
        profile.name = QStringLiteral("prod-sip-1");
        profile.mode = AccessMode::Production;
        window.open(std::make_unique<Session>(profile, std::move(fake)));
        window.resize(1'280, 800);
        window.show();
        for (int page = 0; window.page(page) != nullptr; ++page) {
            window.showPage(page);
            settle();
            const auto picture = window.grab();
            EXPECT_EQ(picture.deviceIndependentSize().toSize(), window.size());
            EXPECT_TRUE(picture.save(screens().filePath(
                QStringLiteral("page-%1-%2.png").arg(page).arg(QLatin1String(look.name)))));
        }
    }
    preferences.setScheme(Scheme::Light);
    preferences.setLanguage(QStringLiteral("en"));
    const Appearance back(preferences);
}

}  // namespace restante::gui::test
