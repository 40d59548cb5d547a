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
#include "gui/session/profile_store.h"
#include "gui/tasks/task_strip.h"
#include "gui/tasks/tasks_panel.h"
#include "tests/gui/support/confirm_dialog_object.h"
#include "tests/gui/support/connection_dialog_object.h"
#include "tests/gui/support/desk.h"
#include "tests/gui/support/fake_secrets.h"
#include "tests/gui/support/go_to_dialog_object.h"
#include "tests/gui/support/import_dialog_object.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/job_dialog_object.h"
#include "tests/gui/support/reminder_dialog_object.h"
#include "tests/gui/support/screens.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/wearing.h"

#include <QFile>
#include <gtest/gtest.h>

#include <algorithm>

namespace restante::gui::test {

namespace {

using Verb = BulkAction::Verb;

/// A desk with believable jobs, in one look.
class Room : public Desk {
public:
    explicit Room(const ScreenLook& look, AccessMode mode = AccessMode::Normal)
        : Desk(mode),
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
    Room room(look, AccessMode::Production);
    room.chooseAll("err:408", 12);
    room.page.chosen.except = {"01J9QK4001", "01J9QK4002"};
    room.page.chosen.view.filter = *JobFilter::parse("topic:order,sip age>30m");
    room.actions.start(Verb::Purge);
    auto* dialog = room.dialog<ConfirmDialog>();
    ASSERT_NE(dialog, nullptr);
    auto* states = ConfirmDialogObject(dialog).states();
    ASSERT_TRUE(until([&] { return states->text().contains(u'·'); }));
    room.keep(dialog, "dialog-delete");
    room.close(dialog);
    room.choose(manyIds());
    room.actions.start(Verb::Reschedule);
    auto* reschedule = room.dialog<RescheduleDialog>();
    room.keep(reschedule, "dialog-reschedule");
    room.close(reschedule);
    room.page.topic = "order";
    room.registry.update(room.page.selection(), {true, {}, {}, {}});
    room.registry[Act::PauseQueue]->trigger();
    room.keep(room.dialog<PauseDialog>(), "dialog-pause");
}

void keepMakers(const ScreenLook& look)
{
    Room room(look);
    room.registry[Act::NewJob]->trigger();
    auto* job = room.dialog<JobDialog>();
    ASSERT_NE(job, nullptr);
    const JobDialogObject fields(job);
    fields.topic()->setText(QStringLiteral("big order"));
    fields.body()->setPlainText(QStringLiteral("{\n  \"order\": 17,\n  \"close\": true\n}"));
    room.keep(job, "dialog-job");
    room.close(job);
    room.registry[Act::NewReminder]->trigger();
    auto* reminder = room.dialog<ReminderDialog>();
    ASSERT_NE(reminder, nullptr);
    const ReminderDialogObject reminded(reminder);
    reminded.to()->setText(QStringLiteral("sip:bob@example.org"));
    auto* times = reminded.preview();
    ASSERT_TRUE(until([&] { return times->count() == 5; }));
    room.keep(reminder, "dialog-reminder");
    room.close(reminder);
    room.registry[Act::GoToJob]->trigger();
    auto* goTo = room.dialog<GoToDialog>();
    GoToDialogObject(goTo).goTo(QStringLiteral("nobody"));
    room.keep(goTo, "dialog-go-to");
    room.close(goTo);
    room.choose(manyIds());
    room.registry.update(room.page.selection(), {true, {}, {}, {}});
    room.registry[Act::Export]->trigger();
    auto* exporting = room.dialog<ExportDialog>();
    room.keep(exporting, "dialog-export");
    room.close(exporting);
    const auto name = room.home.filePath(QStringLiteral("jobs.jsonl"));
    QFile file(name);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\"id\":\"b\",\"topic\":\"bad topic\"}\nnonsense\n");
    file.close();
    room.actions.importFrom(name);
    auto* importing = room.dialog<ImportDialog>();
    auto* notice = ImportDialogObject(importing).notice();
    ASSERT_TRUE(until([&] { return notice->isVisibleTo(importing); }));
    room.keep(importing, "dialog-import");
}

void keepTasks(const ScreenLook& look)
{
    Room room(look);
    TaskStrip strip(room.board, room.actions, nullptr);
    TasksPanel panel(room.board, room.actions, nullptr);
    strip.resize(1'100, 40);
    panel.resize(1'100, 320);
    panel.show();
    room.keep(&panel, "tasks-none");
    room.fake->failing = {"01J9QK4003"};
    room.choose(manyIds());
    room.actions.start(Verb::Trash);
    ASSERT_TRUE(until([&] { return room.board.runningCount() == 0; }));
    room.keep(&strip, "strip-ended");
    Task running;
    running.title = QStringLiteral("Run of 3,004 jobs");
    running.scope = QStringLiteral("All that match state:dead");
    running.expected = 3'004;
    running.done = 1'830;
    running.skipped = 2;
    const auto id = room.board.begin(running, [] {});
    ASSERT_TRUE(until([&] { return room.board.task(id)->elapsedMs() > 600; }));
    room.board.update(id, [](Task& task) { ++task.done; });
    room.keep(&strip, "strip-running");
    room.keep(&panel, "tasks");
    room.board.end(id);
}

/// The connection dialog with as much as can be on it, and as a newcomer meets it.
void keepConnections(const ScreenLook& look)
{
    Room room(look);
    ProfileStore profiles(room.preferences);
    FakeSecrets secrets;
    ConnectionDialog dialog(profiles, secrets, &room.window);
    dialog.choose({});
    dialog.open();
    turn();
    room.keep(&dialog, "connections-local");
    const ConnectionDialogObject ui(&dialog);
    ui.kind()->setCurrentIndex(1);
    for (const int way : {1, 2, 0}) {
        ui.way()->setCurrentIndex(way);
        turn();
        room.keep(&dialog, QStringLiteral("connections-redis%1").arg(way).toLatin1().constData());
    }
    ui.secret()->setCurrentIndex(1);
    ui.tls()->setChecked(true);
    turn();
    room.keep(&dialog, "connections-tls");
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
