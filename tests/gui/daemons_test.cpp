// That the console says who delivers, and that nobody does; and that it claims nothing of a store
// that is away.

#include "gui/operations/daemon_texts.h"
#include "gui/theme/appearance.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/jobs_page_object.h"
#include "tests/gui/support/screens.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QLabel>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// The main window over a fake store whose daemons the test chooses.
class DaemonsTest : public testing::Test, protected WindowOnStore {
protected:
    void openWith(std::vector<DaemonView> daemons)
    {
        openFake([&](FakeBackend& store) {
            store.haveRows(1'000);
            store.daemonList = std::move(daemons);
        });
        show();
    }
    bool says(const char* text)
    {
        return until([&] { return ui().banner()->text().contains(QLatin1String(text)); });
    }
    void setPhase(LinkState::Phase phase)
    {
        auto link = fake->link();
        link.phase = phase;
        link.problem = phase == LinkState::Phase::Ready ? QString() : QStringLiteral("Redis ended");
        fake->setLink(link);
    }
    DaemonView daemon(TimePoint seen) const { return FakeBackend::aDaemon("vm/28350", seen); }

    const TimePoint now = FakeBackend().time;
};

}  // namespace

TEST_F(DaemonsTest, saysNothingWhileSomebodyDelivers)
{
    openWith({daemon(now)});
    ASSERT_TRUE(until([&] { return window.daemons().isKnown(); }));
    EXPECT_FALSE(ui().banner()->isVisible());
}

TEST_F(DaemonsTest, aRedBannerSaysThatNobodyDeliversAndWhatToDo)
{
    openWith({});
    ASSERT_TRUE(says("Nobody delivers: no daemon works on this store. Start restanted"));
    EXPECT_TRUE(ui().banner()->isVisible());
    EXPECT_EQ(ui().banner()->palette().color(QPalette::Window),
              Theme::tint(Theme::Severity::Bad).background);
}

TEST_F(DaemonsTest, namesTheLastThatWasThere)
{
    auto gone = daemon(now - minutes{12});
    gone.silentDuties = std::move(gone.duties);
    gone.duties.clear();
    openWith({gone});
    EXPECT_TRUE(says("the last daemon, vm/28350, was last seen 12 min ago"));
}

TEST_F(DaemonsTest, oneThatStopsDeliversNoMore)
{
    auto stopping = daemon(now);
    stopping.draining = true;
    openWith({stopping});
    EXPECT_TRUE(says("vm/28350, is stopping"));
}

TEST_F(DaemonsTest, tellsOfAPartThatHangs)
{
    auto hanging = daemon(now);
    hanging.duties = {"sip", "upkeep"};
    hanging.silentDuties = {"webhook", "scheduler"};
    openWith({hanging});
    EXPECT_TRUE(says("Part of the daemon vm/28350 hangs: webhooks reminders."));
}

TEST_F(DaemonsTest, oneThatOnlyKeepsTheStoreInOrderDeliversNothing)
{
    auto idle = daemon(now);
    idle.duties = {"upkeep"};
    openWith({idle});
    EXPECT_TRUE(says("the daemon vm/28350 is alive, but what delivers in it does not run"));
}

TEST_F(DaemonsTest, theBannerGoesWhenADaemonComes)
{
    openWith({});
    ASSERT_TRUE(says("Nobody delivers"));
    fake->daemonList = {daemon(now)};
    EXPECT_TRUE(until([&] { return !ui().banner()->isVisible(); }));
}

TEST_F(DaemonsTest, theBannerIsInTheLanguageOfTheWindow)
{
    openWith({});
    ASSERT_TRUE(says("Nobody delivers"));
    const auto english = ui().banner()->text();
    LongTexts longer;
    QCoreApplication::installTranslator(&longer);
    EXPECT_TRUE(until([&] { return ui().banner()->text().size() > english.size(); }));
    QCoreApplication::removeTranslator(&longer);
    EXPECT_TRUE(until([&] { return ui().banner()->text() == english; }));
}

TEST_F(DaemonsTest, nobodyKnowsWhoDeliversWhileTheStoreIsAway)
{
    openWith({});
    ASSERT_TRUE(says("Nobody delivers"));
    setPhase(LinkState::Phase::Lost);
    EXPECT_FALSE(window.daemons().isKnown());
    EXPECT_EQ(ui().banner()->text(), QStringLiteral("Redis ended"));
    setPhase(LinkState::Phase::Ready);
    EXPECT_TRUE(says("Nobody delivers"));
}

TEST_F(DaemonsTest, aStoreThatIsAwayIsNeitherReadNorWritten)
{
    openWith({daemon(now)});
    ASSERT_TRUE(settled());
    ASSERT_TRUE(until([&] { return ui().status()->text().contains(QStringLiteral("exact")); }));
    ASSERT_TRUE(ui().mode()->text().contains(QStringLiteral("read and write")));
    setPhase(LinkState::Phase::Lost);
    EXPECT_FALSE(ui().mode()->text().contains(QStringLiteral("write")));
    EXPECT_FALSE(ui().link()->text().contains(QStringLiteral("ms")));
    EXPECT_EQ(ui().status()->text(), QStringLiteral("1,000 matching when the store last answered"));
    setPhase(LinkState::Phase::Ready);
    EXPECT_TRUE(until([&] { return ui().status()->text().contains(QStringLiteral("exact")); }));
    EXPECT_TRUE(ui().mode()->text().contains(QStringLiteral("read and write")));
}

TEST_F(DaemonsTest, isDrawnInEveryLook)
{
    openWith({});
    ASSERT_TRUE(says("Nobody delivers"));
    for (const auto& look : kScreenLooks) {
        preferences.setLanguage(QString::fromLatin1(look.language));
        const Appearance appearance(preferences);
        Theme::apply(look.scheme);
        EXPECT_TRUE(keepPicture(&window, "nobody-delivers", look));
    }
    preferences.setLanguage(QStringLiteral("en"));
    const Appearance back(preferences);
    Theme::apply(Scheme::Light);
}

TEST(DaemonTexts, tellWhatADaemonDoes)
{
    const TimePoint now{Millis{1'793'000'000'000}};
    auto one = FakeBackend::aDaemon("vm/28350", now - seconds{2});
    EXPECT_EQ(daemonText(one, now),
              QStringLiteral("vm/28350, 0.1.0, SIP HTTP webhooks reminders upkeep, seen 2 s ago"));
    one.draining = true;
    EXPECT_EQ(daemonText(one, now), QStringLiteral("vm/28350, 0.1.0, stopping, seen 2 s ago"));
    one.draining = false;
    one.silentDuties = {"webhook"};
    one.duties = {"sip"};
    EXPECT_EQ(daemonText(one, now),
              QStringLiteral("vm/28350, 0.1.0, SIP, seen 2 s ago; hangs: webhooks"));
    one.duties.clear();
    EXPECT_EQ(daemonText(one, now), QStringLiteral("vm/28350, 0.1.0, silent: last seen 2 s ago"));
    one = FakeBackend::aDaemon("vm/1", now + seconds{3});
    EXPECT_TRUE(daemonText(one, now).endsWith(QStringLiteral("seen now")));
}

}  // namespace restante::gui::test
