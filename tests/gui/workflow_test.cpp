// What an operator does in a day, in the real window, on a real daemon with its Redis and journal.
// ctest runs it twice: without a screen, and on an X server.

#include "gui/pages/audit/audit_page.h"
#include "gui/pages/dialogs/export_dialog.h"
#include "gui/pages/dialogs/pause_dialog.h"
#include "gui/pages/dialogs/reschedule_dialog.h"
#include "gui/pages/jobs/jobs_table.h"
#include "gui/pages/topics/topics_page.h"
#include "gui/session/store_session.h"
#include "tests/gui/support/audit_view_object.h"
#include "tests/gui/support/export_dialog_object.h"
#include "tests/gui/support/job_detail_object.h"
#include "tests/gui/support/keyboard.h"
#include "tests/gui/support/main_window_object.h"
#include "tests/gui/support/reschedule_dialog_object.h"
#include "tests/gui/support/screens.h"
#include "tests/gui/support/topics_page_object.h"
#include "tests/gui/support/whole_console.h"
#include "tests/support/daemon.h"
#include "tests/support/http_client.h"

#include <QFile>
#include <gtest/gtest.h>

#include <csignal>

namespace restante::gui::test {

namespace {

using restante::test::Daemon;
using restante::test::HttpClient;

class Workflow : public testing::Test {
protected:
    void SetUp() override
    {
        whole.preferences.setLanguage(QStringLiteral("en"));
        pushByHttp("o-1", "order", "1h");
        pushByHttp("o-2", "order", "2h");
        pushByShell("b-1", "billing", "1h");
        pushByShell("b-2", "billing", "2h");
        whole.show();
        StartOptions options;
        options.config = QString::fromStdString((daemon.directory() / "restante.toml").string());
        options.page = PageId::Jobs;
        whole.console.start(options);
        ASSERT_TRUE(until([&] { return total() == 4; })) << problem();
        ASSERT_TRUE(Keyboard::isIn<MainWindow>());
    }
    void pushByHttp(const std::string& id, const std::string& topic, const std::string& delay)
    {
        HttpClient http(daemon.httpPort());
        const auto body = R"({"id":")" + id + R"(","topic":")" + topic +
                          R"(","body":"close it","delay":")" + delay + R"("})";
        const auto answer = http.ask("POST", "/v1/jobs", body);
        ASSERT_EQ(answer.status / 100, 2) << answer.body;
    }
    void pushByShell(const std::string& id, const std::string& topic, const std::string& delay)
    {
        const auto pushed =
            daemon.control({"push", topic, "--id", id, "--body", "pay it", "--delay", delay});
        ASSERT_EQ(pushed.status, 0) << pushed.errors;
    }
    MainWindow& window() { return whole.window(); }
    JobsPage& jobs() { return whole.jobs(); }
    std::uint64_t total() { return jobs().feed().answered() ? jobs().feed().total() : 0; }
    std::string problem() { return window().session()->link().problem.toStdString(); }
    void filterBy(const char* text, std::uint64_t expected)
    {
        Keyboard::press(Qt::Key_3, Qt::AltModifier);
        Keyboard::ctrl(Qt::Key_F);
        Keyboard::type(QString::fromLatin1(text));
        Keyboard::press(Qt::Key_Return);
        ASSERT_TRUE(until([&] { return !jobs().feed().busy() && total() == expected; }))
            << text << ": " << total();
        Keyboard::press(Qt::Key_Home);
    }
    /// What the store says by another way than the console's.
    std::string stored(const std::string& id)
    {
        HttpClient http(daemon.httpPort());
        return http.ask("GET", "/v1/jobs/" + id).body;
    }
    bool isStored(const std::string& id, const std::string& state)
    {
        return until(
            [&] { return stored(id).find("\"state\":\"" + state + "\"") != std::string::npos; });
    }
    QStringList column(const QAbstractItemModel& model, int at)
    {
        QStringList texts;
        for (int row = 0; row < model.rowCount(); ++row) {
            texts.append(model.index(row, at).data().toString());
        }
        return texts;
    }
    QString allOf(const QAbstractItemModel& model)
    {
        QStringList texts;
        for (int at = 0; at < model.columnCount(); ++at) {
            texts += column(model, at);
        }
        return texts.join(u'|');
    }
    QLabel& banner() { return *MainWindowObject(window()).banner(); }

    Daemon daemon;
    WholeConsole whole;
};

}  // namespace

TEST_F(Workflow, theWindowIsOnTheScreenThatWasAskedFor)
{
    EXPECT_EQ(QGuiApplication::platformName(),
              qEnvironmentVariable("QT_QPA_PLATFORM").section(u':', 0, 0));
    EXPECT_TRUE(window().isVisible());
    EXPECT_TRUE(window().windowTitle().startsWith(QStringLiteral("restante.toml")));
}

TEST_F(Workflow, jobsAreFoundRunTrashedAndTakenBack)
{
    filterBy("topic:order", 2);
    EXPECT_EQ(jobs().currentJob(), "o-1");
    Keyboard::ctrl(Qt::Key_Return);
    ASSERT_TRUE(isStored("o-1", "ready"));
    EXPECT_TRUE(isStored("o-2", "scheduled")) << "nothing but what was selected";

    filterBy("topic:billing", 2);
    const auto before = stored("b-1");
    Keyboard::press(Qt::Key_Down, Qt::ShiftModifier);
    Keyboard::press(Qt::Key_Delete);
    ASSERT_TRUE(isStored("b-1", "trashed"));
    ASSERT_TRUE(isStored("b-2", "trashed"));
    // The store has it before the console has its answer, and a step to undo.
    const auto* undo = window().actions()[ActionId::Undo];
    ASSERT_TRUE(until([&] {
        return undo->isEnabled() && undo->text().contains(QStringLiteral("trash"));
    })) << undo->text().toStdString();
    Keyboard::ctrl(Qt::Key_Z);
    ASSERT_TRUE(isStored("b-1", "scheduled"));
    ASSERT_TRUE(isStored("b-2", "scheduled"));
    const auto dueOf = [](const std::string& job) { return job.substr(job.find("\"due"), 40); };
    EXPECT_EQ(dueOf(stored("b-1")), dueOf(before)) << "the same due time as before";
}

TEST_F(Workflow, aRescheduleIsInTheHistoryWithActorAndReason)
{
    filterBy("id:o-2", 1);
    Keyboard::ctrl(Qt::Key_T);
    ASSERT_TRUE(Keyboard::isIn<RescheduleDialog>());
    ASSERT_TRUE(Keyboard::tabTo(Keyboard::window<RescheduleDialogObject>().reason()));
    Keyboard::type(QStringLiteral("customer asked"));
    Keyboard::ctrl(Qt::Key_Return);
    // Between two windows none is active.
    ASSERT_TRUE(until(
        [] { return Keyboard::holder() != nullptr && QApplication::activeWindow() != nullptr; }));
    if (dynamic_cast<RescheduleDialog*>(QApplication::activeWindow()) != nullptr) {
        ASSERT_TRUE(Keyboard::tabTo(Keyboard::window<DialogObject>().accept()));
        Keyboard::press(Qt::Key_Space);
    }
    ASSERT_TRUE(Keyboard::isIn<MainWindow>());
    jobs().detail().showTab(JobDetail::Tab::History);
    auto* history = JobDetailObject(&jobs().detail()).history();
    ASSERT_TRUE(until([&] {
        window().actions()[ActionId::Refresh]->trigger();
        return allOf(*history->model()).contains(QStringLiteral("customer asked"));
    })) << allOf(*history->model()).toStdString();
    const auto told = allOf(*history->model());
    EXPECT_TRUE(told.contains(QString::fromStdString(window().session()->commands().actor())));
    EXPECT_EQ(history->model()->rowCount(), 2) << "pushed, rescheduled";
    EXPECT_TRUE(keepPicture(&window(), "workflow-history", kScreenLooks[0]));
    Keyboard::press(Qt::Key_7, Qt::AltModifier);
    auto* audit = AuditViewObject(&window().audit()).table();
    ASSERT_TRUE(until([&] { return audit->model()->rowCount() > 0; }));
    EXPECT_TRUE(allOf(*audit->model()).contains(QStringLiteral("customer asked")));
}

TEST_F(Workflow, aTopicIsPausedWithAReasonAndResumed)
{
    Keyboard::press(Qt::Key_5, Qt::AltModifier);
    auto* topics = TopicsPageObject(&window().topics()).table();
    ASSERT_TRUE(until([&] { return topics->model()->rowCount() == 2; }));
    ASSERT_TRUE(Keyboard::tabTo(topics));
    Keyboard::press(Qt::Key_Home);
    Keyboard::press(Qt::Key_Down);
    Keyboard::press(Qt::Key_Up);
    Keyboard::ctrl(Qt::Key_P);
    ASSERT_TRUE(Keyboard::isIn<PauseDialog>());
    Keyboard::type(QStringLiteral("maintenance"));
    Keyboard::press(Qt::Key_Return);
    ASSERT_TRUE(Keyboard::isIn<MainWindow>());
    const auto paused = [&] { return daemon.control({"topics"}).output; };
    ASSERT_TRUE(until([&] { return paused().find("maintenance") != std::string::npos; }))
        << paused();
    // The key resumes what the page shows as paused.
    const auto shown = [&] {
        return topics->model()->index(0, TopicsModel::Status).data().toString();
    };
    ASSERT_TRUE(until([&] { return shown() == QLatin1String("Paused"); })) << shown().toStdString();
    Keyboard::ctrl(Qt::Key_P);
    EXPECT_TRUE(until([&] { return paused().find("maintenance") == std::string::npos; }))
        << paused();
}

TEST_F(Workflow, whatIsSelectedIsExported)
{
    filterBy("topic:billing", 2);
    const auto file = whole.home.filePath(QStringLiteral("out.csv"));
    Keyboard::press(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_TRUE(Keyboard::isIn<ExportDialog>());
    ASSERT_TRUE(Keyboard::tabTo(Keyboard::window<ExportDialogObject>().file()));
    Keyboard::ctrl(Qt::Key_A);
    Keyboard::type(file);
    ASSERT_TRUE(Keyboard::tabTo(Keyboard::window<DialogObject>().accept()));
    Keyboard::press(Qt::Key_Return);
    QFile written(file);
    ASSERT_TRUE(until([&] { return written.exists(); }));
    ASSERT_TRUE(written.open(QIODevice::ReadOnly));
    const auto text = written.readAll();
    EXPECT_TRUE(text.contains("b-1")) << text.toStdString();
    EXPECT_FALSE(text.contains("o-1")) << text.toStdString();
}

TEST_F(Workflow, aKilledDaemonAndAKilledRedisAreToldOfAndComeBack)
{
    filterBy("topic:order", 2);
    daemon.kill9();
    const auto redis = daemon.embeddedRedis();
    ASSERT_GT(redis, 0);
    ASSERT_EQ(::kill(redis, SIGKILL), 0);
    ASSERT_TRUE(until([&] { return banner().isVisible(); }));
    EXPECT_FALSE(banner().text().isEmpty());
    EXPECT_EQ(total(), 2U) << "what was seen last stays";
    EXPECT_FALSE(window().actions()[ActionId::RunNow]->isEnabled());
    EXPECT_TRUE(keepPicture(&window(), "workflow-lost", kScreenLooks[0]));
    daemon.start();
    ASSERT_TRUE(until([&] { return !banner().isVisible(); })) << problem();
    ASSERT_TRUE(until([&] { return !jobs().feed().busy() && total() == 2; }));
    Keyboard::press(Qt::Key_Home);
    Keyboard::ctrl(Qt::Key_Return);
    EXPECT_TRUE(isStored("o-1", "ready")) << "it works as before";
}

}  // namespace restante::gui::test
