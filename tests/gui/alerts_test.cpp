// That the console says by itself what an administrator would want to be told, once, and claims
// nothing of what it does not know.

#include "gui/base/preferences.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/pages/monitor/monitor_page.h"
#include "gui/session/alert_settings.h"
#include "gui/theme/appearance.h"
#include "tests/gui/support/alerts_object.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/preferences_dialog_object.h"
#include "tests/gui/support/screens.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QDoubleSpinBox>
#include <QMenuBar>
#include <QScreen>
#include <QTest>
#include <QWindow>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

std::size_t indexOf(AlertId rule)
{
    return static_cast<std::size_t>(rule);
}

class Alerts : public testing::Test, protected WindowOnStore {
protected:
    void openStore()
    {
        openFake([](FakeBackend& store) {
            store.haveRows(1'000);
            store.daemonList = {FakeBackend::aDaemon("vm/28350", store.time)};
            store.nextSample.counts.states[JobState::Dead] = 100;
        });
        auto tray = std::make_unique<FakeTray>();
        tray_ = tray.get();
        window.alerts().setNotifier(std::move(tray));
        window.alerts().setBeep([this] { ++beeps_; });
        show();
        ASSERT_TRUE(until([this] { return window.daemons().isKnown(); }));
        advance(seconds{2});
    }
    /// So much time goes by, and the store is looked at again.
    void advance(Millis time)
    {
        fake->time += time;
        fake->nextSample.at = fake->time;
        window.monitor().refresh();
        turn();
    }
    void setDead(std::uint64_t jobs)
    {
        fake->nextSample.counts.states[JobState::Dead] = jobs;
        advance(seconds{2});
    }
    void setLate(Millis late)
    {
        fake->nextSample.lateness = Lateness{late, late, late, late};
        advance(seconds{2});
    }
    void beLateForLong()
    {
        setLate(seconds{40});
        for (int times = 0; times < 16; ++times) {
            advance(seconds{20});
        }
    }
    void loseStore()
    {
        auto link = fake->link();
        link.phase = LinkState::Phase::Lost;
        link.problem = QStringLiteral("Redis does not answer.");
        fake->setLink(link);
    }
    AlertPhase phase(AlertId rule) { return window.alerts().watch().alerts().status(rule).phase; }
    AlertsObject seen() { return AlertsObject(window); }

    FakeTray* tray_ = nullptr;
    int beeps_ = 0;
};

}  // namespace

TEST_F(Alerts, tellTheTrayOnceWhenOneBeginsAndOnceWhenItHasEnded)
{
    openStore();
    setDead(125);
    ASSERT_EQ(tray_->notifications.size(), 1U);
    EXPECT_EQ(tray_->notifications[0].title, "Jobs die");
    EXPECT_THAT(tray_->notifications[0].text, StartsWith("25 job"));
    EXPECT_EQ(tray_->notifications[0].severity, Theme::Severity::Warning);
    for (int times = 0; times < 20; ++times) {
        setDead(126);
    }
    EXPECT_EQ(tray_->notifications.size(), 1U) << "not once a look";
    setDead(100);
    for (int times = 0; times < 10; ++times) {
        advance(seconds{5});
    }
    ASSERT_EQ(tray_->notifications.size(), 2U);
    EXPECT_EQ(tray_->notifications[1].title, "Ended: Jobs die");
    EXPECT_THAT(tray_->notifications[1].text, HasSubstr("26 job"));
    EXPECT_EQ(beeps_, 0) << "silent unless somebody wants it";
}

TEST_F(Alerts, aBellSaysInWordsHowManyFire)
{
    openStore();
    EXPECT_EQ(seen().bell()->accessibleName(), QStringLiteral("No alerts"));
    setDead(125);
    EXPECT_TRUE(seen().bell()->isVisible());
    EXPECT_THAT(seen().bell()->text().toStdString(), StartsWith("1 alert"));
    EXPECT_THAT(seen().bell()->accessibleDescription().toStdString(), HasSubstr("Jobs die"));
    beLateForLong();
    EXPECT_THAT(seen().bell()->text().toStdString(), StartsWith("2 alert"));
    seen().bell()->click();
    ASSERT_TRUE(seen().panel()->isVisible());
    EXPECT_THAT(seen().listed(), HasSubstr("2 alert"));
    EXPECT_THAT(seen().listed(), HasSubstr("Jobs are late (warning)"));
    EXPECT_THAT(seen().listed(), HasSubstr("Ready jobs are 40 s late (p99)."));
    EXPECT_EQ(unnamedWidgets(*seen().panel()).join(u'\n').toStdString(), "");
    seen().acknowledge()->click();
    EXPECT_THAT(seen().bell()->text().toStdString(), HasSubstr("acknowledged"));
    EXPECT_THAT(seen().listed(), HasSubstr("acknowledged"));
    QTest::keyClick(seen().panel(), Qt::Key_Escape);
    EXPECT_FALSE(seen().panel()->isVisible());
}

TEST_F(Alerts, theirListStaysOnTheScreenOfAWindowAtItsEdge)
{
    openStore();
    setDead(125);
    const auto screen = window.screen()->availableGeometry();
    window.move(screen.left(), screen.bottom() - 60);
    turn();
    seen().bell()->click();
    ASSERT_TRUE(seen().panel()->isVisible());
    // The offscreen platform moves a popup by the frame that it gives every window.
    const auto frame = window.windowHandle()->frameMargins();
    EXPECT_TRUE(screen.marginsAdded(frame).contains(seen().panel()->geometry()));
}

TEST_F(Alerts, eachLeadsToWhereItIsMended)
{
    openStore();
    setDead(125);
    window.showPage(PageId::Overview);
    seen().bell()->click();
    ASSERT_EQ(seen().links().size(), 1);
    seen().links().first()->click();
    EXPECT_FALSE(seen().panel()->isVisible());
    EXPECT_EQ(window.shownId(), PageId::Jobs);
    EXPECT_THAT(filterText(jobs().feed().view()).toStdString(), HasSubstr("state:dead"));
    emit tray_->targetRequested(AlertTarget::Monitor);
    EXPECT_EQ(window.shownId(), PageId::Monitor);
    emit tray_->targetRequested(AlertTarget::RetryingJobs);
    EXPECT_TRUE(jobs().feed().view().retrying);
}

TEST_F(Alerts, aStoreThatIsAwayIsOneAndNothingElseIsClaimedMeanwhile)
{
    openStore();
    fake->nextSample.lateness = Lateness{seconds{9}, seconds{9}, seconds{9}, seconds{9}};
    advance(seconds{2});
    EXPECT_EQ(phase(AlertId::Late), AlertPhase::Pending);
    loseStore();
    for (int times = 0; times < 60; ++times) {
        fake->time += seconds{10};
        loseStore();
    }
    ASSERT_EQ(tray_->notifications.size(), 1U);
    EXPECT_EQ(tray_->notifications[0].title, "Store away");
    EXPECT_EQ(tray_->notifications[0].severity, Theme::Severity::Bad);
    EXPECT_EQ(phase(AlertId::Late), AlertPhase::Unknown);
    EXPECT_EQ(phase(AlertId::NobodyDelivers), AlertPhase::Unknown);
    seen().bell()->click();
    EXPECT_THAT(seen().listed(), HasSubstr("Not known at the moment: Nobody delivers"));
}

TEST_F(Alerts, nobodyDeliveringFiresAfterAMinute)
{
    openStore();
    window.alerts().watch().setDaemons(std::vector<DaemonView>{});
    EXPECT_TRUE(tray_->notifications.empty());
    fake->time += minutes{1};
    window.alerts().watch().setDaemons(std::vector<DaemonView>{});
    ASSERT_EQ(tray_->notifications.size(), 1U);
    EXPECT_EQ(tray_->notifications[0].title, "Nobody delivers");
}

TEST_F(Alerts, attemptsThatFailFireByTheirShare)
{
    openStore();
    for (int times = 0; times < 70; ++times) {
        fake->nextSample.moves["finish"] += 30;
        fake->nextSample.moves["retry"] += 20;
        advance(seconds{20});
    }
    EXPECT_EQ(phase(AlertId::DeliveriesFail), AlertPhase::Firing);
    ASSERT_EQ(tray_->notifications.size(), 1U);
    EXPECT_EQ(tray_->notifications[0].text,
              "40 % of the attempts of the last 10 minutes have failed.");
}

TEST_F(Alerts, aJournalThatFallsBehindFires)
{
    openStore();
    fake->nextSample.journal = redis::JournalProgress{Millis{45'000}, true, "vm/28350"};
    for (int times = 0; times < 17; ++times) {
        advance(seconds{20});
    }
    EXPECT_EQ(phase(AlertId::JournalBehind), AlertPhase::Firing);
    EXPECT_EQ(phase(AlertId::JournalDown), AlertPhase::Quiet);
}

TEST_F(Alerts, whoeverIsMutedHearsNothingButSeesTheList)
{
    openStore();
    setAlertSound(preferences, true);
    window.actions()[ActionId::MuteAlerts]->trigger();
    EXPECT_TRUE(window.alerts().watch().isMuted());
    setDead(125);
    EXPECT_TRUE(tray_->notifications.empty());
    EXPECT_EQ(beeps_, 0);
    EXPECT_THAT(seen().bell()->text().toStdString(), StartsWith("1 alert"));
    window.actions()[ActionId::MuteAlerts]->trigger();
    setDead(100);
    advance(minutes{1});
    setDead(300);
    EXPECT_EQ(beeps_, 1);
}

TEST_F(Alerts, withoutATrayAStripAboveThePageTellsAndTakesTheAnswer)
{
    openStore();
    tray_->available = false;
    setDead(125);
    ASSERT_TRUE(seen().strip()->isVisible());
    EXPECT_THAT(seen().stripText().toStdString(), HasSubstr("Jobs die (warning): 25 job"));
    EXPECT_TRUE(tray_->notifications.empty());
    seen().strip()->findChild<LinkButton*>(QStringLiteral("alertAcknowledge"))->click();
    EXPECT_FALSE(seen().strip()->isVisible());
}

TEST_F(Alerts, anotherStoreHasNoneOfThoseBefore)
{
    openStore();
    setDead(125);
    window.open(nullptr);
    EXPECT_EQ(seen().bell()->accessibleName(), QStringLiteral("No alerts"));
    EXPECT_TRUE(window.alerts().watch().alerts().episodes().empty());
}

TEST_F(Alerts, thePreferencesSetEachRuleAndBringBackItsDefaults)
{
    openStore();
    auto settings = alertSettings(preferences);
    for (const auto rule : consoleAlerts()) {
        EXPECT_EQ(settings[indexOf(rule)], AlertSetting::of(alertRule(rule)));
    }
    window.actions()[ActionId::AlertRules]->trigger();
    turn();
    auto* dialog = MainWindowObject(window).dialog(ActionId::Preferences);
    ASSERT_NE(dialog, nullptr);
    auto* threshold = dialog->findChild<QDoubleSpinBox*>(QStringLiteral("RestanteDeadThreshold"));
    ASSERT_TRUE(threshold->isVisible());
    EXPECT_DOUBLE_EQ(threshold->value(), 20);
    threshold->setValue(50);
    dialog->findChild<QSpinBox*>(QStringLiteral("RestanteLateHolds"))->setValue(10);
    dialog->findChild<QCheckBox*>(QStringLiteral("RestanteJournalDownOn"))->setChecked(false);
    dialog->findChild<QDoubleSpinBox*>(QStringLiteral("RestanteDeliveriesFailThreshold"))
        ->setValue(35);
    dialog->accept();
    settings = alertSettings(preferences);
    EXPECT_DOUBLE_EQ(settings[indexOf(AlertId::Dead)].threshold, 50);
    EXPECT_DOUBLE_EQ(settings[indexOf(AlertId::DeliveriesFail)].threshold, 0.35);
    EXPECT_EQ(settings[indexOf(AlertId::Late)].holdTime, seconds{10});
    EXPECT_FALSE(settings[indexOf(AlertId::JournalDown)].on);
    EXPECT_EQ(phase(AlertId::JournalDown), AlertPhase::Off) << "it counts at once";
    setDead(140);
    EXPECT_TRUE(tray_->notifications.empty());
    setDead(160);
    EXPECT_EQ(tray_->notifications.size(), 1U);

    turn();
    window.actions()[ActionId::AlertRules]->trigger();
    turn();
    dialog = MainWindowObject(window).dialog(ActionId::Preferences);
    dialog->findChild<QPushButton*>(QStringLiteral("resetAlerts"))->click();
    dialog->accept();
    settings = alertSettings(preferences);
    for (const auto rule : consoleAlerts()) {
        EXPECT_EQ(settings[indexOf(rule)], AlertSetting::of(alertRule(rule)));
    }
}

TEST_F(Alerts, areReachedByTheKeyboard)
{
    openStore();
    setDead(125);
    window.actions()[ActionId::ShowAlerts]->trigger();
    ASSERT_TRUE(seen().panel()->isVisible());
    EXPECT_EQ(window.actions()[ActionId::ShowAlerts]->shortcut(),
              QKeySequence(QStringLiteral("Alt+9")));
    auto* link = seen().links().first();
    link->setFocus();
    QTest::keyClick(link, Qt::Key_Return);
    EXPECT_EQ(window.shownId(), PageId::Jobs);
}

TEST_F(Alerts, areDrawnInEachLook)
{
    struct Look {
        Scheme scheme;
        const char* language;
        QSize size;
        const char* name;
    };
    openStore();
    tray_->available = false;
    setDead(100);
    setDead(140);
    setDead(100);
    advance(minutes{3});
    setDead(131);
    beLateForLong();
    window.alerts().watch().setDaemons(std::vector<DaemonView>{});
    fake->time += minutes{2};
    window.alerts().watch().setDaemons(std::vector<DaemonView>{});
    const Appearance appearance(preferences);
    for (const auto& look : {Look{Scheme::Light, "en", {1'280, 800}, "light"},
                             Look{Scheme::Dark, "en", {1'280, 800}, "dark"},
                             Look{Scheme::Light, "en", {1'024, 700}, "1024"},
                             Look{Scheme::Light, "zh_CN", {1'280, 800}, "zh"}}) {
        preferences.setScheme(look.scheme);
        preferences.setLanguage(QString::fromLatin1(look.language));
        window.resize(look.size);
        turn();
        const auto name = QString::fromLatin1(look.name);
        EXPECT_TRUE(window.grab().save(screenFile(QStringLiteral("alerts-window-") + name)));
        window.alerts().showPanel();
        turn();
        EXPECT_TRUE(
            seen().panel()->grab().save(screenFile(QStringLiteral("alerts-panel-") + name)));
        EXPECT_EQ(clippedTexts(*seen().panel()).join(u'\n').toStdString(), "") << look.name;
        seen().panel()->close();
        window.actions()[ActionId::AlertRules]->trigger();
        turn();
        auto* rules = MainWindowObject(window).dialog(ActionId::Preferences);
        EXPECT_TRUE(rules->grab().save(screenFile(QStringLiteral("alerts-rules-") + name)));
        EXPECT_EQ(clippedTexts(*rules).join(u'\n').toStdString(), "") << look.name;
        EXPECT_LE(rules->width(), 1'024);
        rules->reject();
        turn();
    }
    preferences.setScheme(Scheme::System);
    preferences.setLanguage(QStringLiteral("en"));
}

}  // namespace restante::gui::test
