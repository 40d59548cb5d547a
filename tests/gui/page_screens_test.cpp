#include "gui/base/preferences.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/pages/jobs/jobs_table.h"
#include "gui/pages/mailboxes/mailboxes_page.h"
#include "gui/pages/monitor/monitor_page.h"
#include "gui/pages/reminders/reminders_page.h"
#include "gui/pages/topics/topics_page.h"
#include "gui/shell/console.h"
#include "gui/theme/appearance.h"
#include "tests/gui/support/job_detail_object.h"
#include "tests/gui/support/main_window_object.h"
#include "tests/gui/support/preferences_dialog_object.h"
#include "tests/gui/support/reminders_page_object.h"
#include "tests/gui/support/screens.h"
#include "tests/gui/support/wait.h"

#include <QTemporaryDir>
#include <gtest/gtest.h>

#include <map>

namespace restante::gui::test {

namespace {

void take(QWidget& widget, const QString& name)
{
    turn();
    EXPECT_TRUE(widget.grab().save(screenFile(name)));
}

/// Opens the dialog of a command over the window, pictures it, and closes it.
void takeDialog(MainWindow& window, ActionId act, const QString& look)
{
    auto* shown = MainWindowObject(window).opened(act);
    ASSERT_NE(shown, nullptr) << static_cast<int>(act);
    take(*shown, shown->objectName() + u'-' + look);
    shown->close();
    turn();
}

/// Each tab of the preferences but the first.
void takePreferences(MainWindow& window, const QString& look)
{
    auto* dialog = MainWindowObject(window).opened(ActionId::Preferences);
    auto* tabs = PreferencesDialogObject(dialog).tabs();
    for (int tab = 1; tab < tabs->count(); ++tab) {
        tabs->setCurrentIndex(tab);
        take(*dialog, QStringLiteral("preferences-tab%1-%2").arg(tab).arg(look));
    }
    dialog->close();
    turn();
}

/// A webhook's attempts, beside the table.
void takeDetail(MainWindow& window, const QString& look)
{
    window.showPage(PageId::Jobs);
    auto* jobs = &window.jobs();
    jobs->showFilter(QStringLiteral("state:dead kind:webhook attempts>=2"));
    window.actions()[ActionId::DetailRight]->setChecked(true);
    jobs->detail().showTab(JobDetail::Tab::Attempts);
    ASSERT_TRUE(until([jobs] { return jobs->table().model()->rowCount() > 0; }));
    jobs->table().setCurrentIndex(jobs->table().model()->index(0, 1));
    const auto* steps = JobDetailObject(&jobs->detail()).attempts();
    until([steps] { return steps->model()->rowCount() > 0; });
    take(window, QStringLiteral("demo-detail-right-%1").arg(look));
    window.actions()[ActionId::DetailRight]->setChecked(false);
}

void takeAll(Scheme scheme, const QString& language, const QString& look)
{
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    preferences.setScheme(scheme);
    preferences.setLanguage(language);
    const Appearance appearance(preferences);
    gui::Console console(preferences);
    ConnectionProfile profile;
    profile.kind = ConnectionProfile::Kind::Demo;
    profile.name = QStringLiteral("Demo");
    console.open(profile);
    auto& window = console.window();
    window.resize(1'280, 800);
    window.show();
    auto* monitor = &window.monitor();
    window.showPage(PageId::Monitor);
    ASSERT_TRUE(until([monitor] { return monitor->model().rowCount() > 0; }));
    ASSERT_TRUE(until([monitor] { return monitor->model().rowCount() > 100; })) << "the past";
    const auto& topics = window.topics().model();
    window.showPage(PageId::Mailboxes);
    ASSERT_TRUE(until([&] { return window.mailboxes().isLoaded(); }));
    take(window, QStringLiteral("demo-mailboxes-%1").arg(look));
    window.showPage(PageId::Reminders);
    auto* reminders = window.findChild<RemindersPage*>();
    const RemindersPageObject series(reminders);
    ASSERT_TRUE(until([&] { return reminders->isLoaded() && series.rows() > 3; }));
    series.choose(3);
    take(window, QStringLiteral("demo-reminders-%1").arg(look));
    window.resize(1'024, 700);
    take(window, QStringLiteral("demo-reminders-1024-%1").arg(look));
    window.resize(1'280, 800);
    window.showPage(PageId::Topics);
    ASSERT_TRUE(until([&] { return topics.rowCount() > 0 && topics.row(0).rate; }));
    const std::map<PageId, const char*> pages{
        {PageId::Topics, "topics"}, {PageId::Monitor, "monitor"}, {PageId::Audit, "audit"}};
    for (const auto& [page, name] : pages) {
        window.showPage(page);
        const auto* table = MainWindowObject(window).tableOf(page);
        ASSERT_TRUE(until([&] { return table->isVisible() && table->model()->rowCount() > 0; }));
        take(window, QStringLiteral("demo-%1-%2").arg(QLatin1String(name), look));
    }
    monitor->showRange(4);
    window.showPage(PageId::Monitor);
    ASSERT_TRUE(until([monitor] { return monitor->model().rowCount() > 100; }));
    take(window, QStringLiteral("demo-monitor-week-%1").arg(look));
    takeDetail(window, look);
    takePreferences(window, look);
    for (const auto& [act, name] : kToolDialogs) {
        takeDialog(window, act, look);
    }
}

}  // namespace

TEST(PageScreens, showThePagesAndDialogsInLight)
{
    takeAll(Scheme::Light, QStringLiteral("en"), QStringLiteral("light"));
}

TEST(PageScreens, showThePagesAndDialogsInDark)
{
    takeAll(Scheme::Dark, QStringLiteral("en"), QStringLiteral("dark"));
}

TEST(PageScreens, showThePagesAndDialogsInChinese)
{
    takeAll(Scheme::Light, QStringLiteral("zh_CN"), QStringLiteral("chinese"));
}

}  // namespace restante::gui::test
