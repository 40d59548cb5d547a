#include "gui/base/preferences.h"
#include "gui/pages/dialogs/confirm_dialog.h"
#include "gui/pages/dialogs/connection_dialog.h"
#include "gui/pages/dialogs/export_dialog.h"
#include "gui/pages/dialogs/go_to_dialog.h"
#include "gui/pages/dialogs/import_dialog.h"
#include "gui/pages/dialogs/job_dialog.h"
#include "gui/pages/dialogs/pause_dialog.h"
#include "gui/pages/dialogs/reminder_dialog.h"
#include "gui/pages/dialogs/reschedule_dialog.h"
#include "gui/pages/dialogs/test_message_dialog.h"
#include "gui/session/profile_store.h"
#include "gui/tasks/task_strip.h"
#include "gui/tasks/tasks_panel.h"
#include "tests/gui/support/commands_fixture.h"
#include "tests/gui/support/confirm_dialog_object.h"
#include "tests/gui/support/connection_dialog_object.h"
#include "tests/gui/support/fake_secrets.h"
#include "tests/gui/support/go_to_dialog_object.h"
#include "tests/gui/support/import_dialog_object.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/job_dialog_object.h"
#include "tests/gui/support/reminder_dialog_object.h"
#include "tests/gui/support/screens.h"
#include "tests/gui/support/test_message_dialog_object.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/wearing.h"

#include <QFile>
#include <gtest/gtest.h>

#include <algorithm>

namespace restante::gui::test {

namespace {

using Verb = BulkAction::Verb;

/// A desk with believable jobs, in one look.
class DialogFixture : public CommandsFixture {
public:
    explicit DialogFixture(const ScreenLook& look, AccessMode mode = AccessMode::Normal)
        : CommandsFixture(mode),
          look_(look)
    {
        for (int at = 0; at < 12; ++at) {
            have("01J9QK" + std::to_string(4'000 + at),
                 at % 3 == 0 ? JobState::Held : JobState::Dead, at % 2 == 0 ? "order" : "sip");
        }
        registry.update({}, {true, {}, {}, {}});
    }

    /// Shows what is wrong with the dialog that is open, and keeps its picture.
    void keep(QWidget* widget, const char* name)
    {
        ASSERT_NE(widget, nullptr) << name;
        EXPECT_TRUE(keepPicture(widget, name, look_));
        if (qobject_cast<QDialog*>(widget) != nullptr) {
            EXPECT_EQ(unfitFor(*widget, kSmallScreen).toStdString(), "")
                << name << " " << look_.name;
        }
        EXPECT_EQ(clippedTexts(*widget).join(u'\n').toStdString(), "") << name << " " << look_.name;
        EXPECT_EQ(unnamedWidgets(*widget).join(u'\n').toStdString(), "")
            << name << " " << look_.name;
        EXPECT_EQ(markupLabels(*widget).join(u'\n').toStdString(), "") << name << " " << look_.name;
    }
    void close(QDialog* dialog)
    {
        dialog->reject();
        ASSERT_TRUE(until([&] { return this->dialog<QDialog>() == nullptr; }));
    }

private:
    ScreenLook look_;
};

std::vector<std::string> manyIds()
{
    std::vector<std::string> ids;
    for (int at = 0; at < 12; ++at) {
        ids.push_back("01J9QK" + std::to_string(4'000 + at));
    }
    return ids;
}

void keepConfirmations(const ScreenLook& look)
{
    DialogFixture fixture(look, AccessMode::Production);
    fixture.chooseAll("err:408", 12);
    fixture.page.chosen.except = {"01J9QK4001", "01J9QK4002"};
    fixture.page.chosen.view.filter = *JobFilter::parse("topic:order,sip age>30m");
    fixture.actions.start(Verb::Purge);
    auto* dialog = fixture.dialog<ConfirmDialog>();
    ASSERT_NE(dialog, nullptr);
    auto* states = ConfirmDialogObject(dialog).states();
    ASSERT_TRUE(until([&] { return states->text().contains(u'·'); }));
    fixture.keep(dialog, "dialog-delete");
    fixture.close(dialog);
    fixture.choose(manyIds());
    fixture.actions.start(Verb::Reschedule);
    auto* reschedule = fixture.dialog<RescheduleDialog>();
    fixture.keep(reschedule, "dialog-reschedule");
    fixture.close(reschedule);
    fixture.page.topic = "order";
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::PauseTopic]->trigger();
    fixture.keep(fixture.dialog<PauseDialog>(), "dialog-pause");
}

void keepMakers(const ScreenLook& look)
{
    DialogFixture fixture(look);
    fixture.registry[ActionId::NewJob]->trigger();
    auto* job = fixture.dialog<JobDialog>();
    ASSERT_NE(job, nullptr);
    const JobDialogObject fields(job);
    fields.topic()->setText(QStringLiteral("big order"));
    fields.body()->setPlainText(QStringLiteral("{\n  \"order\": 17,\n  \"close\": true\n}"));
    fixture.keep(job, "dialog-job");
    fixture.close(job);
    fixture.registry[ActionId::NewReminder]->trigger();
    auto* reminder = fixture.dialog<ReminderDialog>();
    ASSERT_NE(reminder, nullptr);
    const ReminderDialogObject reminded(reminder);
    reminded.to()->setText(QStringLiteral("sip:bob@example.org"));
    auto* times = reminded.preview();
    ASSERT_TRUE(until([&] { return times->count() == 5; }));
    fixture.keep(reminder, "dialog-reminder");
    fixture.close(reminder);
    fixture.registry[ActionId::TestMessage]->trigger();
    auto* message = fixture.dialog<TestMessageDialog>();
    ASSERT_NE(message, nullptr);
    const TestMessageDialogObject dialogObject(message);
    dialogObject.to()->setText(QStringLiteral("sip:bob@example.org"));
    fixture.have("new-1", JobState::Held, "sip");
    dialogObject.accept()->click();
    ASSERT_TRUE(until([&] { return !dialogObject.noticeText().isEmpty(); }));
    fixture.keep(message, "dialog-test-message");
    fixture.close(message);
    fixture.registry[ActionId::GoToJob]->trigger();
    auto* goTo = fixture.dialog<GoToDialog>();
    GoToDialogObject(goTo).goTo(QStringLiteral("nobody"));
    fixture.keep(goTo, "dialog-go-to");
    fixture.close(goTo);
    fixture.choose(manyIds());
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::Export]->trigger();
    auto* exporting = fixture.dialog<ExportDialog>();
    fixture.keep(exporting, "dialog-export");
    fixture.close(exporting);
    const auto name = fixture.home.filePath(QStringLiteral("jobs.jsonl"));
    QFile file(name);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\"id\":\"b\",\"topic\":\"bad topic\"}\nnonsense\n");
    file.close();
    fixture.actions.importFrom(name);
    auto* importing = fixture.dialog<ImportDialog>();
    auto* notice = ImportDialogObject(importing).notice();
    ASSERT_TRUE(until([&] { return notice->isVisibleTo(importing); }));
    fixture.keep(importing, "dialog-import");
}

void keepTasks(const ScreenLook& look)
{
    DialogFixture fixture(look);
    TaskStrip strip(fixture.board, fixture.actions, nullptr);
    TasksPanel panel(fixture.board, fixture.actions, nullptr);
    strip.resize(1'100, 40);
    panel.resize(1'100, 320);
    panel.show();
    fixture.keep(&panel, "tasks-none");
    fixture.fake->failing = {"01J9QK4003"};
    fixture.choose(manyIds());
    fixture.actions.start(Verb::Trash);
    ASSERT_TRUE(until([&] { return fixture.board.runningCount() == 0; }));
    fixture.keep(&strip, "strip-ended");
    Task running;
    running.title = QStringLiteral("Run 3,004 jobs now");
    running.scope = QStringLiteral("All that match state:dead");
    running.expected = 3'004;
    running.done = 1'830;
    running.skipped = 2;
    const auto id = fixture.board.begin(running, [] {});
    ASSERT_TRUE(until([&] { return fixture.board.task(id)->elapsedMs() > 600; }));
    fixture.board.update(id, [](Task& task) { ++task.done; });
    fixture.keep(&strip, "strip-running");
    fixture.keep(&panel, "tasks");
    fixture.board.end(id);
}

/// The connection dialog with as much as can be on it, and as a newcomer meets it.
void keepConnections(const ScreenLook& look)
{
    DialogFixture fixture(look);
    ProfileStore profiles(fixture.preferences);
    FakeSecrets secrets;
    ConnectionDialog dialog(profiles, secrets, &fixture.window);
    dialog.selectProfile({});
    dialog.open();
    turn();
    fixture.keep(&dialog, "connections-local");
    const ConnectionDialogObject ui(&dialog);
    ui.kind()->setCurrentIndex(1);
    for (const int way : {1, 2, 0}) {
        ui.way()->setCurrentIndex(way);
        turn();
        fixture.keep(&dialog,
                     QStringLiteral("connections-redis%1").arg(way).toLatin1().constData());
    }
    ui.secret()->setCurrentIndex(1);
    ui.tls()->setChecked(true);
    turn();
    fixture.keep(&dialog, "connections-tls");
    const auto labels = dialog.findChildren<QLabel*>();
    const auto host = ui.host();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [host](const QLabel* label) {
        return label->buddy() == host && !label->text().isEmpty() && label->isVisible();
    })) << "every field says what it is";
    dialog.reject();
}

}  // namespace

class DialogScreens : public testing::TestWithParam<ScreenLook> {
protected:
    const Wearing look_{GetParam()};
};

TEST_P(DialogScreens, askNothingClippedUnnamedOrMarkedUpBeforeAWriteToMany)
{
    keepConfirmations(GetParam());
}

TEST_P(DialogScreens, areNotClippedUnnamedOrMarkedUpWhereSomethingIsMade)
{
    keepMakers(GetParam());
}

TEST_P(DialogScreens, tellOfTasksNothingClippedUnnamedOrMarkedUp)
{
    keepTasks(GetParam());
}

TEST_P(DialogScreens, describeEveryKindOfConnection)
{
    keepConnections(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Looks, DialogScreens, testing::ValuesIn(kEveryLook), [](const auto& look) {
    return std::string(look.param.name);
});

}  // namespace restante::gui::test
