#include "gui/orders/export_text.h"
#include "gui/orders/exporter.h"
#include "gui/orders/import_file.h"
#include "gui/pages/dialogs/export_dialog.h"
#include "gui/pages/dialogs/import_dialog.h"
#include "gui/tasks/tasks_panel.h"
#include "tests/gui/support/desk.h"
#include "tests/gui/support/export_dialog_object.h"
#include "tests/gui/support/import_dialog_object.h"
#include "tests/gui/support/stopwatch.h"
#include "tests/gui/support/wait.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

QByteArray contentOf(const QString& file)
{
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

bool idle(const Desk& desk)
{
    return !desk.board.tasks().empty() && desk.board.runningCount() == 0;
}

/// Kilobytes that the process has in memory.
long resident()
{
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly)) {
        return 0;
    }
    for (const auto& line : status.readAll().split('\n')) {
        if (line.startsWith("VmRSS:")) {
            return line.mid(6).trimmed().split(' ').front().toLong();
        }
    }
    return 0;
}

Selection everything(const std::string& filter = "")
{
    Selection all;
    all.all = true;
    all.view.filter = *JobFilter::parse(filter);
    return all;
}

}  // namespace

TEST(Export, writesWhatIsSelectedAndNothingElse)
{
    Desk desk;
    desk.have("a");
    desk.have("b");
    desk.have("c");
    desk.choose({"a", "c"});
    const auto file = desk.home.filePath(QStringLiteral("some.csv"));
    ExportOptions options;
    options.columns = {ExportColumn::Id, ExportColumn::State, ExportColumn::Body};
    desk.actions.exportTo(desk.page.chosen, file, options);
    ASSERT_TRUE(until([&] { return idle(desk); }));
    EXPECT_EQ(contentOf(file), "id,state,body\r\na,scheduled,hello\r\nc,scheduled,hello\r\n");
    EXPECT_EQ(desk.board.tasks().front().done, 2U);
}

TEST(Export, leavesOutWhatWasExcludedFromAllThatMatch)
{
    Desk desk;
    desk.have("a");
    desk.have("b", JobState::Dead, "other");
    desk.have("c");
    auto what = everything("topic:order");
    what.except = {"a"};
    const auto file = desk.home.filePath(QStringLiteral("some.jsonl"));
    ExportOptions options;
    options.format = ExportFormat::JsonLines;
    desk.actions.exportTo(what, file, options);
    ASSERT_TRUE(until([&] { return idle(desk); }));
    const auto text = contentOf(file);
    EXPECT_EQ(text.count('\n'), 1);
    EXPECT_TRUE(text.contains("\"id\":\"c\""));
}

TEST(Export, ofAMillionRowsKeepsMemoryFlatAndCanBeStopped)
{
    Desk desk;
    desk.fake->haveRows(1'000'000);
    const auto file = desk.home.filePath(QStringLiteral("all.csv"));
    ExportOptions options;
    options.columns = allColumns();
    auto what = everything();
    what.count = 1'000'000;
    desk.actions.exportTo(what, file, options);
    const auto id = desk.board.tasks().front().id;
    ASSERT_TRUE(until([&] { return desk.board.task(id)->done >= 10'000; }));
    const auto before = resident();
    ASSERT_TRUE(until([&] { return desk.board.task(id)->done >= 60'000; }));
    // The rows written in between are some 10 MB of text, and several times that as jobs.
    EXPECT_LT(resident() - before, 8 * 1'024);
    EXPECT_FALSE(QFile::exists(file));
    desk.board.stop(id);
    ASSERT_TRUE(until([&] { return idle(desk); }));
    EXPECT_TRUE(desk.board.task(id)->stopped);
    EXPECT_LT(desk.board.task(id)->done, 1'000'000U);
    EXPECT_FALSE(QFile::exists(file));
}

TEST(Export, ofAMillionRowsGoesToItsEndWhileTheWindowLives)
{
    // A sanitizer takes its time; what it looks for shows in fewer.
    const std::uint64_t all = slowness() > 1 ? 100'000 : 1'000'000;
    Desk desk;
    desk.fake->haveRows(all);
    const auto file = desk.home.filePath(QStringLiteral("all.csv"));
    ExportOptions options;
    options.columns = {ExportColumn::Id, ExportColumn::Due};
    auto what = everything();
    what.count = all;
    desk.actions.exportTo(what, file, options);
    const auto id = desk.board.tasks().front().id;
    ASSERT_TRUE(until([&] { return desk.board.task(id)->done >= 10'000; }));
    const auto before = resident();
    const Heartbeat heart;
    // Each part of it has the patience of a wait: it is a long way.
    constexpr std::uint64_t kParts = 20;
    for (std::uint64_t part = 1; part <= kParts; ++part) {
        ASSERT_TRUE(until([&] { return desk.board.task(id)->done >= all / kParts * part; }));
    }
    ASSERT_TRUE(until([&] { return idle(desk); }));
    EXPECT_LT(heart.longestWork(), 100 * slowness());
    EXPECT_LT(resident() - before, 8 * 1'024);
    EXPECT_TRUE(desk.board.task(id)->problem.isEmpty());
    QFile written(file);
    ASSERT_TRUE(written.open(QIODevice::ReadOnly));
    std::uint64_t lines = 0;
    while (!written.atEnd()) {
        lines += static_cast<std::uint64_t>(written.read(1'048'576).count('\n'));
    }
    EXPECT_EQ(lines, all + 1);
}

TEST(Export, saysWhyAFileCannotBeWritten)
{
    Desk desk;
    desk.have("a");
    ExportOptions options;
    options.columns = allColumns();
    desk.actions.exportTo(everything(), QStringLiteral("/nowhere/at/all.csv"), options);
    ASSERT_TRUE(until([&] { return idle(desk); }));
    EXPECT_TRUE(desk.board.tasks().front().problem.contains(QStringLiteral("/nowhere/at/all.csv")));
}

TEST(Export, endsWithItsConnectionAndLeavesNoFile)
{
    Desk desk;
    desk.fake->haveRows(1'000'000);
    const auto file = desk.home.filePath(QStringLiteral("all.csv"));
    ExportOptions options;
    options.columns = allColumns();
    desk.actions.exportTo(everything(), file, options);
    ASSERT_TRUE(until([&] { return desk.board.tasks().front().done >= 1'000; }));
    desk.actions.open(nullptr);
    EXPECT_TRUE(idle(desk));
    EXPECT_FALSE(desk.board.tasks().front().problem.isEmpty());
    EXPECT_FALSE(QFile::exists(file));
}

TEST(Export, canLeaveOutPayloadsAndAddHistories)
{
    Desk desk;
    desk.have("a");
    HistoryRow row;
    row.transition = "push";
    row.to = "scheduled";
    desk.fake->histories["a"].push_back(row);
    const auto file = desk.home.filePath(QStringLiteral("some.jsonl"));
    ExportOptions options;
    options.format = ExportFormat::JsonLines;
    options.payload = ExportOptions::Payload::Redacted;
    options.history = ExportOptions::History::With;
    desk.actions.exportTo(everything(), file, options);
    ASSERT_TRUE(until([&] { return idle(desk); }));
    const auto text = contentOf(file);
    EXPECT_FALSE(text.contains("hello"));
    EXPECT_TRUE(text.contains("[5 bytes]"));
    EXPECT_TRUE(text.contains("\"transition\":\"push\"")) << text.toStdString();
}

TEST(Export, writesSipMessagesThatStrangersCannotBreak)
{
    JobView view;
    view.job.channel = Channel::Sip;
    view.job.recipient = "sip:bob@example.org";
    view.job.sender = "sip:eve@example.org\r\nX-Forged: yes";
    view.job.contentType = "text/plain";
    view.job.body = std::string("a\0b", 3);
    ExportOptions options;
    options.format = ExportFormat::Sip;
    const auto text = exportLine(view, {}, options);
    ASSERT_TRUE(text);
    EXPECT_TRUE(text->starts_with("MESSAGE sip:bob@example.org SIP/2.0\r\n"));
    EXPECT_EQ(text->find("\r\nX-Forged"), std::string::npos);
    EXPECT_NE(text->find("Content-Length: 3\r\n\r\n" + view.job.body), std::string::npos);
    view.job.channel = Channel::Pull;
    EXPECT_FALSE(exportLine(view, {}, options));
}

TEST(Export, asksWhatWhereAndHow)
{
    Desk desk;
    desk.choose({desk.have("a")});
    desk.registry.update(desk.page.selection(), {true, {}, {}, {}});
    desk.registry[Act::Export]->trigger();
    const ExportDialogObject dialog(desk.dialog<ExportDialog>());
    dialog.file()->setText(QString());
    EXPECT_FALSE(dialog.accept()->isEnabled());
    dialog.format()->setCurrentIndex(1);
    dialog.file()->setText(desk.home.filePath(QStringLiteral("one.jsonl")));
    dialog.accept()->click();
    ASSERT_TRUE(until([&] { return idle(desk); }));
    EXPECT_TRUE(contentOf(desk.home.filePath(QStringLiteral("one.jsonl"))).contains("\"a\""));
}

TEST(Import, bringsAnExportBack)
{
    Desk desk;
    desk.have("a");
    desk.have("b", JobState::Dead);
    const auto file = desk.home.filePath(QStringLiteral("some.jsonl"));
    ExportOptions options;
    options.format = ExportFormat::JsonLines;
    desk.actions.exportTo(everything(), file, options);
    ASSERT_TRUE(until([&] { return idle(desk); }));
    desk.actions.importFrom(file);
    const ImportDialogObject dialog(desk.dialog<ImportDialog>());
    ASSERT_TRUE(until([&] { return dialog.accept()->isEnabled(); }));
    dialog.accept()->click();
    ASSERT_TRUE(until([&] { return desk.fake->imports.size() == 2 && idle(desk); }));
    EXPECT_EQ(desk.fake->imports[0].job.body, "hello");
    EXPECT_EQ(desk.board.tasks().front().done, 2U);
    for (const auto& view : desk.fake->imports) {
        EXPECT_EQ(view.state, desk.job(view.job.id).state);
    }
}

TEST(Import, takesTheLineOfTheStoreForNoSetting)
{
    Desk desk;
    const auto name = desk.home.filePath(QStringLiteral("whole.jsonl"));
    QFile file(name);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\"kind\":\"store\",\"shards\":4}\n{\"kind\":\"topic\",\"topic\":\"order\"}\n");
    file.close();
    const auto piece = ImportFile(name).next(10);
    EXPECT_EQ(piece.wrong, 0U);
    ASSERT_EQ(piece.settings.size(), 1U);
    EXPECT_EQ(piece.settings[0].number, 2U);
    EXPECT_TRUE(piece.lines.empty());
}

TEST(Import, storesNothingOfAFileWithAWrongLine)
{
    Desk desk;
    const auto name = desk.home.filePath(QStringLiteral("wrong.jsonl"));
    QFile file(name);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    desk.have("a");
    ExportOptions options;
    options.format = ExportFormat::JsonLines;
    file.write(QByteArray::fromStdString(*exportLine(desk.job("a"), {}, options)));
    file.write("\nnonsense\n{\"id\":\"b\",\"topic\":\"bad topic\"}\n");
    file.close();
    desk.actions.importFrom(name);
    auto* dialog = desk.dialog<ImportDialog>();
    ASSERT_NE(dialog, nullptr);
    const ImportDialogObject ui(dialog);
    auto* problems = ui.problems();
    ASSERT_TRUE(until([&] { return problems->rowCount() > 0; }));
    EXPECT_EQ(problems->item(0, 0)->text(), QStringLiteral("3"));
    EXPECT_FALSE(ui.accept()->isEnabled());
    dialog->reject();
    EXPECT_TRUE(until([&] { return desk.dialog<ImportDialog>() == nullptr; }));
    EXPECT_TRUE(desk.fake->imports.empty());
}

TEST(Tasks, writeTheirFailuresAsCsv)
{
    const QTemporaryDir home;
    Task task;
    task.failures = {{"a,1", Error{ErrorCode::Unavailable, "no \"answer\""}}};
    const auto file = home.filePath(QStringLiteral("failures.csv"));
    QObject receiver;
    std::optional<QString> told;
    TasksPanel::writeFailures(task, file, &receiver, [&](const QString& text) { told = text; });
    ASSERT_TRUE(until([&] { return told.has_value(); }));
    EXPECT_TRUE(told->isEmpty());
    EXPECT_EQ(contentOf(file), "id,code,message\r\n\"a,1\",unavailable,\"no \"\"answer\"\"\"\r\n");
}

}  // namespace restante::gui::test
