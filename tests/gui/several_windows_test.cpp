// Windows of one console, each on a store of its own.

#include "gui/actions/shortcut_map.h"
#include "gui/base/preferences.h"
#include "gui/commands/job_actions.h"
#include "gui/operations/task_board.h"
#include "gui/pages/dialogs/connection_dialog.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/pages/jobs/jobs_table.h"
#include "gui/shell/console.h"
#include "gui/shell/open_windows.h"
#include "gui/theme/appearance.h"
#include "gui/theme/theme.h"
#include "tests/gui/support/fake_secrets.h"
#include "tests/gui/support/screens.h"
#include "tests/gui/support/wait.h"
#include "tests/support/redis_server.h"

#include <QHeaderView>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace restante::gui::test {

namespace {

using restante::test::RedisServer;
using Phase = LinkState::Phase;

/// Two Redis servers with a profile each, and the program, which can be started again.
class SeveralWindows : public testing::Test {
protected:
    void SetUp() override
    {
        office = profileOf(officeServer, "office", AccessMode::Normal, Qt::darkGreen);
        plant = profileOf(plantServer, "plant", AccessMode::ReadOnly, Qt::darkRed);
        begin();
        console->profiles().save(office);
        console->profiles().save(plant);
    }
    static ConnectionProfile
    profileOf(RedisServer& server, const char* name, AccessMode mode, const QColor& color)
    {
        server.send({"HSET", "rst:meta", "schema", "1", "shards", "1"});
        ConnectionProfile profile;
        profile.id = QString::fromLatin1(name);
        profile.name = profile.id;
        profile.kind = ConnectionProfile::Kind::Redis;
        profile.url = QString::fromStdString("unix://" + server.socketPath());
        profile.mode = mode;
        profile.color = color;
        return profile;
    }
    void begin()
    {
        preferences.emplace(home.filePath(QStringLiteral("admin.ini")));
        preferences->setLanguage(QStringLiteral("en"));
        appearance = std::make_unique<Appearance>(*preferences);
        console.emplace(*preferences, std::make_unique<FakeSecrets>());
        console->window().show();
    }
    /// The program ends, and is started again.
    void restart()
    {
        console.reset();
        appearance.reset();
        begin();
        console->start({});
    }
    void openBoth()
    {
        console->open(office);
        console->openInNewWindow(plant);
        ASSERT_TRUE(until([this] { return isReady(0) && isReady(1); }));
    }
    MainWindow& window(std::size_t at) { return *console->windows().at(at); }
    bool isReady(std::size_t at)
    {
        return console->windows().size() > at && window(at).session() != nullptr &&
               window(at).session()->link().phase == Phase::Ready;
    }
    std::string push(MainWindow& in, const std::string& topic)
    {
        PushOptions order;
        order.job.topic = topic;
        order.job.body = "{}";
        order.delay = std::chrono::hours{1};
        std::optional<std::string> id;
        in.session()->commands().push(order, {&receiver, [&](Result<Pushed> pushed) {
                                                  id = pushed ? pushed->ids.front()
                                                              : pushed.error().message;
                                              }});
        EXPECT_TRUE(until([&] { return id.has_value(); }));
        return id.value_or("");
    }
    std::optional<JobState> stateIn(MainWindow& of, const std::string& id)
    {
        std::optional<Result<JobView>> view;
        of.session()->source().show(
            id, {&receiver, [&](Result<JobView> shown) { view = std::move(shown); }});
        EXPECT_TRUE(until([&] { return view.has_value(); }));
        return *view ? std::optional((*view)->state) : std::nullopt;
    }
    QStringList listed(MainWindow& in)
    {
        QStringList titles;
        for (const auto* action :
             in.findChildren<QAction*>(QRegularExpression(QStringLiteral("^window[0-9]+$")))) {
            titles.append(action->text());
        }
        return titles;
    }

    RedisServer officeServer;
    RedisServer plantServer;
    ConnectionProfile office;
    ConnectionProfile plant;
    QTemporaryDir home;
    QObject receiver;
    std::optional<Preferences> preferences;
    std::unique_ptr<Appearance> appearance;
    std::optional<gui::Console> console;
};

}  // namespace

TEST_F(SeveralWindows, whatIsDoneInOneDoesNotTouchTheStoreOfTheOther)
{
    openBoth();
    const auto id = push(window(0), "order");
    plantServer.send({"SET", "untouched", "1"});
    const auto before = plantServer.send({"DBSIZE"});
    BulkRequest request;
    request.verb = BulkAction::Verb::Trash;
    request.selection.ids = {id};
    request.selection.count = 1;
    window(0).jobActions().start(request);
    ASSERT_TRUE(until([&] { return stateIn(window(0), id) == JobState::Trashed; }));
    EXPECT_EQ(stateIn(window(1), id), std::nullopt);
    // The store may be seen changed before the answer has come.
    EXPECT_TRUE(until([&] { return window(0).actions()[ActionId::Undo]->isEnabled(); }));
    EXPECT_FALSE(window(1).actions()[ActionId::Undo]->isEnabled()) << "its steps are its own";
    EXPECT_TRUE(window(1).board().tasks().empty());
    window(0).actions()[ActionId::Undo]->trigger();
    EXPECT_TRUE(until([&] { return stateIn(window(0), id) == JobState::Scheduled; }));
}

TEST_F(SeveralWindows, haveEachItsOwnTitleColourAndMode)
{
    openBoth();
    EXPECT_TRUE(window(0).windowTitle().startsWith(QStringLiteral("office")));
    EXPECT_TRUE(window(1).windowTitle().startsWith(QStringLiteral("plant (read-only)")));
    EXPECT_TRUE(window(0).actions()[ActionId::NewJob]->isEnabled());
    EXPECT_FALSE(window(1).actions()[ActionId::NewJob]->isEnabled());
    EXPECT_NE(push(window(1), "order").size(), 26U) << "refused below the window, too";
    EXPECT_EQ(listed(window(0)), (QStringList{QStringLiteral("&1 ") + window(0).windowTitle(),
                                              QStringLiteral("&2 ") + window(1).windowTitle()}));
    EXPECT_EQ(listed(window(0)), listed(window(1)));
}

TEST_F(SeveralWindows, closingOneLeavesTheOthers)
{
    openBoth();
    const QPointer first(&window(0));
    window(0).actions()[ActionId::CloseWindow]->trigger();
    ASSERT_TRUE(until([&] { return first.isNull(); }));
    ASSERT_EQ(console->windows().size(), 1U);
    EXPECT_TRUE(window(0).isVisible());
    EXPECT_TRUE(isReady(0));
    EXPECT_EQ(window(0).session()->profile().id, plant.id);
    EXPECT_FALSE(window(0).actions()[ActionId::NextWindow]->isEnabled());
}

TEST_F(SeveralWindows, theSameConnectionIsRaisedAndOpenedTwiceOnlyWhenThatIsAskedFor)
{
    openBoth();
    auto* shown = &window(1);
    EXPECT_EQ(&console->openInNewWindow(plant), shown);
    EXPECT_EQ(console->windows().size(), 2U);
    // Chosen in the dialog of the first window: it goes on showing what it shows.
    auto* dialog = console->showConnections(plant.id);
    dialog->findChild<QPushButton*>(QStringLiteral("connectionConnect"))->click();
    ASSERT_TRUE(until([&] { return !dialog->isVisible(); }));
    EXPECT_EQ(window(0).session()->profile().id, office.id);
    EXPECT_EQ(console->windows().size(), 2U);
    shown->actions()[ActionId::DuplicateWindow]->trigger();
    ASSERT_TRUE(until([this] { return isReady(2); }));
    EXPECT_EQ(window(2).session()->profile().id, plant.id);
    EXPECT_NE(window(2).session(), window(1).session());
}

TEST_F(SeveralWindows, aNewWindowAsksForItsStoreAndOpensItInItself)
{
    console->open(office);
    ASSERT_TRUE(until([this] { return isReady(0); }));
    window(0).actions()[ActionId::NewWindow]->trigger();
    ASSERT_EQ(console->windows().size(), 2U);
    auto* dialog = window(1).findChild<ConnectionDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(dialog->isVisible());
    dialog->findChild<QPushButton*>(QStringLiteral("connectionNewWindow"))->click();
    ASSERT_TRUE(until([this] { return isReady(1); }));
    EXPECT_EQ(console->windows().size(), 2U) << "an empty window is the new one";
    EXPECT_EQ(window(1).session()->profile().id, plant.id);
}

TEST_F(SeveralWindows, areFoundAsTheyWereLeft)
{
    openBoth();
    window(1).resize(1'100, 720);
    ASSERT_TRUE(until(
        [this] { return !preferences->layout(QStringLiteral("window2/geometry")).isEmpty(); }));
    console->quit();
    restart();
    ASSERT_TRUE(until([this] { return isReady(0) && isReady(1); }));
    EXPECT_EQ(window(0).session()->profile().id, office.id);
    EXPECT_EQ(window(1).session()->profile().id, plant.id);
    EXPECT_TRUE(window(1).isVisible());
    EXPECT_EQ(window(1).size(), QSize(1'100, 720));
    // Closed by somebody, it is not there the next time.
    window(1).close();
    console->quit();
    restart();
    ASSERT_TRUE(until([this] { return isReady(0); }));
    EXPECT_EQ(console->windows().size(), 1U);
    preferences->setReopensLast(false);
    restart();
    turn();
    EXPECT_EQ(window(0).session(), nullptr);
}

TEST_F(SeveralWindows, aProgramThatIsKilledFindsItsWindowsAgain)
{
    openBoth();
    Preferences onDisk(home.filePath(QStringLiteral("admin.ini")));
    EXPECT_EQ(openWindows(onDisk), (std::vector<OpenWindow>{{1, office.id}, {2, plant.id}}));
}

TEST_F(SeveralWindows, quittingAsksOnceForTheTasksOfAll)
{
    openBoth();
    for (std::size_t at = 0; at < 2; ++at) {
        Task task;
        task.title = QStringLiteral("Export");
        window(at).board().begin(task, [] {});
    }
    window(1).actions()[ActionId::Quit]->trigger();
    QList<QMessageBox*> asked;
    for (auto* one : console->windows()) {
        asked += one->findChildren<QMessageBox*>(QStringLiteral("quitDialog"));
    }
    ASSERT_EQ(asked.size(), 1);
    EXPECT_TRUE(asked[0]->text().startsWith(QStringLiteral("2 task")));
    EXPECT_TRUE(asked[0]->informativeText().contains(QStringLiteral("office: 1 task")));
    EXPECT_TRUE(asked[0]->informativeText().contains(QStringLiteral("plant: 1 task")));
    keepPicture(asked[0], "quit-several", kScreenLooks[0]);
    for (auto* button : asked[0]->buttons()) {
        if (asked[0]->buttonRole(button) == QMessageBox::AcceptRole) {
            button->click();
        }
    }
    EXPECT_TRUE(until([this] { return !window(0).isVisible() && !window(1).isVisible(); }));
    EXPECT_EQ(openWindows(*preferences).size(), 2U);
}

TEST_F(SeveralWindows, closingOneWithATaskAsksForItsOwnOnly)
{
    openBoth();
    Task task;
    task.title = QStringLiteral("Export");
    window(0).board().begin(task, [] {});
    window(1).close();
    ASSERT_TRUE(until([this] { return console->windows().size() == 1; }));
    window(0).close();
    EXPECT_TRUE(window(0).isVisible());
    EXPECT_NE(window(0).findChild<QMessageBox*>(QStringLiteral("quitDialog")), nullptr);
}

TEST_F(SeveralWindows, followWhatIsSetForAllOfThem)
{
    openBoth();
    preferences->setScheme(Scheme::Dark);
    EXPECT_EQ(Theme::current(), Scheme::Dark);
    preferences->setScheme(Scheme::Light);
    auto& here = window(0).jobs().table();
    auto& there = window(1).jobs().table();
    here.setColumnShown(JobColumn::From, true);
    const auto shows = [](const JobsTable& table, JobColumn column) {
        const auto all = table.shownColumns();
        return std::find(all.begin(), all.end(), column) != all.end();
    };
    EXPECT_TRUE(shows(here, JobColumn::From));
    EXPECT_TRUE(until([&] { return shows(there, JobColumn::From); }));
    there.setColumnShown(JobColumn::From, false);
    EXPECT_TRUE(until([&] { return !shows(here, JobColumn::From); }));
    ShortcutMap(window(0).actions(), *preferences)
        .set(ActionId::Reschedule, QKeySequence(Qt::Key_F8));
    EXPECT_EQ(window(1).actions()[ActionId::Reschedule]->shortcut(), QKeySequence(Qt::Key_F8));
    ShortcutMap(window(1).actions(), *preferences).reset(ActionId::Reschedule);
    EXPECT_EQ(window(0).actions()[ActionId::Reschedule]->shortcut(),
              QKeySequence(QStringLiteral("Ctrl+T")));
    window(0).jobs().savedViews().save({QStringLiteral("stuck"), {}});
    EXPECT_EQ(window(1).jobs().savedViews().all().size(), 1U);
}

TEST_F(SeveralWindows, theKeyboardGoesFromOneToTheNext)
{
    openBoth();
    window(0).bringToFront();
    ASSERT_TRUE(until([this] { return window(0).isActiveWindow(); }));
    window(0).actions()[ActionId::NextWindow]->trigger();
    EXPECT_TRUE(until([this] { return window(1).isActiveWindow(); }));
    window(1).actions()[ActionId::NextWindow]->trigger();
    EXPECT_TRUE(until([this] { return window(0).isActiveWindow(); }));
    window(0).findChild<QAction*>(QStringLiteral("window2"))->trigger();
    EXPECT_TRUE(until([this] { return window(1).isActiveWindow(); }));
}

TEST_F(SeveralWindows, haveTheNewColourOfAConnectionInTheirMenus)
{
    openBoth();
    const auto chip = [this] {
        const auto* entry = window(1).findChild<QAction*>(QStringLiteral("window1"));
        const auto image = entry->icon().pixmap(16).toImage();
        return image.pixelColor(image.width() / 2, image.height() / 2).name();
    };
    EXPECT_TRUE(until([&] { return chip() == office.color.name(); }));
    office.color = Qt::darkBlue;
    console->open(office);
    EXPECT_TRUE(until([&] { return chip() == office.color.name(); }));
}

}  // namespace restante::gui::test
