// The rail: which page is shown, how much each page has, which store it is, and who works on it.

#include "gui/pages/mailboxes/mailboxes_page.h"
#include "gui/pages/overview/overview_page.h"
#include "gui/theme/elided_label.h"
#include "gui/theme/severity_mark.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/keyboard.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QAccessible>
#include <QLabel>
#include <QTabBar>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

class RailTest : public testing::Test, protected WindowOnStore {
protected:
    void openStore(const std::function<void(FakeBackend&)>& prepare = {})
    {
        ConnectionProfile profile;
        profile.name = QStringLiteral("office sip");
        openFake(
            [&](FakeBackend& store) {
                store.haveRows(1'204);
                store.storeCounts.mailboxes = 41;
                store.topicList.resize(2);
                store.topicList[0].topic = "order";
                store.topicList[1].topic = "sip";
                if (prepare) {
                    prepare(store);
                }
            },
            profile);
        show();
        window.activateWindow();
        turn();
    }
    QString spoken(PageId page)
    {
        return QAccessible::queryAccessibleInterface(&ui().tab(page))->text(QAccessible::Name);
    }
    QStringList daemonTexts()
    {
        QStringList texts;
        for (const auto* label : ui().rail().findChildren<QLabel*>()) {
            if (label->isVisible()) {
                texts.append(label->text());
            }
        }
        return texts;
    }
};

}  // namespace

TEST(Rail, theWindowBeginsWithTheOverview)
{
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    MainWindow window(preferences);
    window.show();
    EXPECT_EQ(window.shownId(), PageId::Overview);
    EXPECT_TRUE(window.overview().isVisible());
    EXPECT_TRUE(window.rail().button(PageId::Overview).isChecked());
}

TEST(Rail, theWindowFitsItsScreen)
{
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    const MainWindow window(preferences);
    const auto least = window.minimumSizeHint();
    EXPECT_LE(least.width(), 1'024);
    EXPECT_LE(least.height(), 660) << "with the frame of a desktop on 1024 x 700";
    EXPECT_LE(window.width(), window.screen()->availableSize().width());
    EXPECT_LE(window.height(), window.screen()->availableSize().height());
}

TEST_F(RailTest, aPageIsShownByItsLineByItsKeyAndByTheMenu)
{
    openStore();
    for (const auto& entry : pageTable()) {
        ui().tab(entry.id).click();
        EXPECT_TRUE(window.page(entry.id).isVisible()) << entry.name;
        EXPECT_TRUE(window.actions()[entry.action]->isChecked()) << entry.name;
        for (const auto other : pageIds()) {
            EXPECT_EQ(ui().tab(other).isChecked(), other == entry.id) << entry.name;
        }
    }
    EXPECT_TRUE(window.findChildren<QTabBar*>(QStringLiteral("pageTabs")).isEmpty());
    Keyboard::press(Qt::Key_1, Qt::AltModifier);
    EXPECT_TRUE(window.overview().isVisible());
}

TEST_F(RailTest, theArrowsGoThroughThePagesAndStayInTheRail)
{
    openStore();
    auto& first = ui().tab(PageId::Overview);
    first.click();
    first.setFocus();
    ASSERT_TRUE(until([&] { return first.hasFocus(); }));
    Keyboard::press(Qt::Key_Down);
    EXPECT_TRUE(window.mailboxes().isVisible());
    EXPECT_TRUE(ui().tab(PageId::Mailboxes).hasFocus());
    Keyboard::press(Qt::Key_Up);
    EXPECT_TRUE(window.overview().isVisible());
    EXPECT_TRUE(first.hasFocus());
    Keyboard::press(Qt::Key_Return);
    EXPECT_FALSE(first.hasFocus()) << "Return goes into the page";
}

TEST_F(RailTest, saysHowMuchEachPageHasAsSoonAsItIsKnown)
{
    openStore();
    ASSERT_TRUE(until([&] { return ui().tab(PageId::Topics).count().has_value(); }));
    EXPECT_EQ(ui().tab(PageId::Jobs).count(), 1'204U);
    EXPECT_EQ(ui().tab(PageId::Topics).count(), 2U);
    EXPECT_EQ(spoken(PageId::Jobs), QStringLiteral("Jobs, 1,204"));
    EXPECT_EQ(spoken(PageId::Audit), QStringLiteral("Audit"));
    auto link = fake->link();
    link.phase = LinkState::Phase::Lost;
    fake->setLink(link);
    EXPECT_FALSE(ui().tab(PageId::Jobs).count().has_value()) << "nobody knows while it is away";
    link.phase = LinkState::Phase::Ready;
    fake->storeCounts.states[JobState::Dead] = 3;
    fake->setLink(link);
    EXPECT_TRUE(until([&] { return ui().tab(PageId::Jobs).count() == 1'207U; }));
}

TEST_F(RailTest, namesTheConnectionAndTheDaemonsWithHowTheyAre)
{
    openStore([](FakeBackend& store) {
        auto hanging = FakeBackend::aDaemon("vm/2", store.time);
        hanging.silentDuties = {"webhook"};
        auto gone = FakeBackend::aDaemon("a-host-with-a-very-long-name.example.org/28350", {});
        gone.duties.clear();
        store.daemonList = {FakeBackend::aDaemon("vm/1", store.time), hanging, gone};
    });
    ASSERT_TRUE(until([&] { return daemonTexts().contains(QStringLiteral("vm/1")); }));
    EXPECT_TRUE(daemonTexts().contains(QStringLiteral("ok")));
    EXPECT_TRUE(daemonTexts().contains(QStringLiteral("hangs")));
    EXPECT_TRUE(daemonTexts().contains(QStringLiteral("silent")));
    std::vector<Theme::Severity> severities;
    for (const auto* mark : ui().rail().findChildren<SeverityMark*>()) {
        severities.push_back(mark->severity());
    }
    EXPECT_THAT(severities, testing::ElementsAre(Theme::Severity::Good, Theme::Severity::Warning,
                                                 Theme::Severity::Bad));
    bool isTold = false;
    for (const auto* label : ui().rail().findChildren<ElidedLabel*>()) {
        isTold = isTold || label->toolTip().contains(QStringLiteral("very-long-name.example.org"));
    }
    EXPECT_TRUE(isTold) << "what is cut short is in the tool tip";
    const auto* connection = ui().rail().findChild<RailButton*>(QStringLiteral("railConnection"));
    ASSERT_NE(connection, nullptr);
    EXPECT_EQ(connection->text(), QStringLiteral("office sip"));
    EXPECT_EQ(clippedTexts(ui().rail()).join(u'\n').toStdString(), "");
}

TEST_F(RailTest, manyDaemonsAreCounted)
{
    openStore([](FakeBackend& store) {
        store.daemonList.clear();
        for (int at = 0; at < 9; ++at) {
            store.daemonList.push_back(
                FakeBackend::aDaemon("vm/" + std::to_string(at), store.time));
        }
    });
    EXPECT_TRUE(until([&] { return daemonTexts().contains(QStringLiteral("and 5 more")); }))
        << daemonTexts().join(u'\n').toStdString();
}

}  // namespace restante::gui::test
