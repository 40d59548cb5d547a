#include "gui/pages/detail/detail_tab.h"
#include "gui/theme/appearance.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/jobs_page_object.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QLabel>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

/// The main window over a fake store, as a user sees it.
class Console : public testing::Test, protected WindowOnStore {
protected:
    Console()
    {
        ConnectionProfile profile;
        profile.name = QStringLiteral("prod-sip-1");
        openFake([](FakeBackend& store) { store.haveRows(1'000); }, profile);
        show();
        QCoreApplication::processEvents();
    }

    void expectNothingClipped(const char* when)
    {
        for (const auto page : pageIds()) {
            window.showPage(page);
            turn();
            const auto clipped = clippedTexts(window);
            EXPECT_TRUE(clipped.isEmpty()) << when << ", page " << static_cast<int>(page) << ":\n"
                                           << clipped.join(u'\n').toStdString();
        }
    }
};

}  // namespace

TEST_F(Console, tellsOfALostConnectionAndOfItsReturn)
{
    auto link = fake->link();
    link.phase = LinkState::Phase::Lost;
    link.problem = QStringLiteral("The server closed the connection.");
    fake->setLink(link);
    auto* banner = ui().banner();
    EXPECT_TRUE(banner->isVisible());
    EXPECT_EQ(banner->text(), link.problem);
    EXPECT_FALSE(window.actions()[ActionId::NewJob]->isEnabled());
    link.phase = LinkState::Phase::Ready;
    fake->setLink(link);
    EXPECT_FALSE(banner->isVisible());
    EXPECT_TRUE(window.actions()[ActionId::NewJob]->isEnabled());
}

TEST_F(Console, namesTheStoreInItsTitle)
{
    EXPECT_TRUE(window.windowTitle().startsWith(QStringLiteral("prod-sip-1")));
}

TEST_F(Console, noTextOfThePagesIsClippedInAnyLanguage)
{
    expectNothingClipped("in English");
    preferences.setLanguage(QStringLiteral("zh_CN"));
    {
        const Appearance appearance(preferences);
        expectNothingClipped("in Chinese");
    }
    LongTexts longer;
    QCoreApplication::installTranslator(&longer);
    expectNothingClipped("40 % longer");
    QCoreApplication::removeTranslator(&longer);
    preferences.setLanguage(QStringLiteral("en"));
    const Appearance back(preferences);
}

TEST_F(Console, everyFocusableWidgetOfThePagesHasAName)
{
    for (const auto page : pageIds()) {
        window.showPage(page);
        QCoreApplication::processEvents();
        const auto unnamed = unnamedWidgets(window);
        EXPECT_TRUE(unnamed.isEmpty()) << "page " << static_cast<int>(page) << ":\n"
                                       << unnamed.join(u'\n').toStdString();
    }
}

TEST(AdaptiveSplitter, standsOneBelowTheOtherWhereThereIsNoRoomForBoth)
{
    AdaptiveSplitter both;
    both.addWidget(new QLabel);
    both.addWidget(new QLabel);
    both.resize(1'000, 300);
    both.show();
    turn();
    EXPECT_EQ(both.orientation(), Qt::Horizontal);
    both.resize(300, 300);
    EXPECT_EQ(both.orientation(), Qt::Vertical);
    both.resize(1'000, 300);
    EXPECT_EQ(both.orientation(), Qt::Horizontal);
}

TEST_F(Console, theDetailStandsBelowTheTableOrBesideItAndStaysThere)
{
    auto* halves = JobsPageObject(window.jobs()).halves();
    EXPECT_EQ(halves->orientation(), Qt::Vertical);
    auto* action = window.actions()[ActionId::DetailRight];
    EXPECT_EQ(action->shortcuts().size(), 1);
    action->trigger();
    EXPECT_EQ(halves->orientation(), Qt::Horizontal);
    halves->setSizes({700, 200});
    emit halves->splitterMoved(700, 1);
    const auto beside = halves->sizes();
    action->trigger();
    EXPECT_EQ(halves->orientation(), Qt::Vertical);
    EXPECT_NE(halves->sizes(), beside) << "each place has sizes of its own";
    action->trigger();
    EXPECT_EQ(halves->sizes(), beside);

    MainWindow again(preferences);
    again.showPage(PageId::Jobs);
    again.resize(window.size());
    again.show();
    QCoreApplication::processEvents();
    auto* kept = JobsPageObject(again.jobs()).halves();
    EXPECT_EQ(kept->orientation(), Qt::Horizontal);
    EXPECT_GT(kept->sizes()[0], 2 * kept->sizes()[1]);
}

TEST_F(Console, theWindowIsFoundAsItWasLeft)
{
    window.resize(1'000, 700);
    QCoreApplication::processEvents();
    window.close();
    MainWindow again(preferences);
    again.show();
    QCoreApplication::processEvents();
    EXPECT_EQ(again.size(), QSize(1'000, 700));
}

}  // namespace restante::gui::test
