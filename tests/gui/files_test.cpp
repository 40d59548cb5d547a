#include "gui/operations/export_text.h"
#include "gui/operations/exporter.h"
#include "gui/operations/import_file.h"
#include "gui/pages/dialogs/export_dialog.h"
#include "gui/pages/dialogs/import_dialog.h"
#include "gui/tasks/tasks_panel.h"
#include "tests/gui/support/commands_fixture.h"
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

/// A file for an import: `begin`, and a line for each job.
void writeLines(const QString& name, const std::vector<JobView>& jobs, const QByteArray& begin = {})
{
    ExportOptions options;
    options.format = ExportFormat::JsonLines;
    QFile file(name);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(begin);
    for (const auto& view : jobs) {
        file.write(QByteArray::fromStdString(*exportLine(view, {}, options)));
    }
}

}  // namespace

TEST(Export, writesWhatIsSelectedAndNothingElse)
{
    CommandsFixture fixture;
    fixture.have("a");
    fixture.have("b");
    fixture.have("c");
    fixture.choose({"a", "c"});
    const auto file = fixture.home.filePath(QStringLiteral("some.csv"));
    ExportOptions options;
    options.columns = {ExportColumn::Id, ExportColumn::State, ExportColumn::Body};
    fixture.actions.exportTo(fixture.page.chosen, file, options);
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_EQ(contentOf(file), "id,state,body\r\na,scheduled,hello\r\nc,scheduled,hello\r\n");
    EXPECT_EQ(fixture.board.tasks().front().done, 2U);
}

TEST(Export, leavesOutWhatWasExcludedFromAllThatMatch)
{
    CommandsFixture fixture;
    fixture.have("a");
    fixture.have("b", JobState::Dead, "other");
    fixture.have("c");
    auto what = everything("topic:order");
    what.except = {"a"};
    const auto file = fixture.home.filePath(QStringLiteral("some.jsonl"));
    ExportOptions options;
    options.format = ExportFormat::JsonLines;
    fixture.actions.exportTo(what, file, options);
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    const auto text = contentOf(file);
    EXPECT_EQ(text.count('\n'), 1);
    EXPECT_TRUE(text.contains("\"id\":\"c\""));
}

TEST(Export, ofAllThatMatchLeavesOutWhatCameInSinceTheUserLooked)
{
    CommandsFixture fixture;
    const auto now = fixture.fake->time;
    fixture.have("a");
    fixture.have("new");
    fixture.fake->jobs.back().job.created = now + Millis{1};
    fixture.have("just-died", JobState::Dead);
    fixture.fake->jobs.back().due = now + Millis{1};
    auto what = everything();
    what.asOf = now;
    what.count = 1;
    const auto file = fixture.home.filePath(QStringLiteral("some.csv"));
    ExportOptions options;
    options.columns = {ExportColumn::Id};
    fixture.actions.exportTo(what, file, options);
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_EQ(contentOf(file), "id\r\na\r\n");
    EXPECT_EQ(fixture.board.tasks().front().skipped, 2U);
}

TEST(Export, ofAMillionRowsKeepsMemoryFlatAndCanBeStopped)
{
    CommandsFixture fixture;
    fixture.fake->haveRows(1'000'000);
    const auto file = fixture.home.filePath(QStringLiteral("all.csv"));
    ExportOptions options;
    options.columns = allColumns();
    auto what = everything();
    what.count = 1'000'000;
    fixture.actions.exportTo(what, file, options);
    const auto id = fixture.board.tasks().front().id;
    ASSERT_TRUE(until([&] { return fixture.board.task(id)->done >= 10'000; }));
    const auto before = resident();
    ASSERT_TRUE(until([&] { return fixture.board.task(id)->done >= 60'000; }));
    // The rows written in between are some 10 MB of text, and several times that as jobs.
    EXPECT_LT(resident() - before, 8 * 1'024);
    EXPECT_FALSE(QFile::exists(file));
    fixture.board.stop(id);
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_TRUE(fixture.board.task(id)->stopped);
    EXPECT_LT(fixture.board.task(id)->done, 1'000'000U);
    EXPECT_FALSE(QFile::exists(file));
}

TEST(Export, ofAMillionRowsGoesToItsEndWhileTheWindowLives)
{
    // A sanitizer takes its time; what it looks for shows in fewer.
    const std::uint64_t all = slowness() > 1 ? 100'000 : 1'000'000;
    CommandsFixture fixture;
    fixture.fake->haveRows(all);
    const auto file = fixture.home.filePath(QStringLiteral("all.csv"));
    ExportOptions options;
    options.columns = {ExportColumn::Id, ExportColumn::Due};
    auto what = everything();
    what.count = all;
    fixture.actions.exportTo(what, file, options);
    const auto id = fixture.board.tasks().front().id;
    ASSERT_TRUE(until([&] { return fixture.board.task(id)->done >= 10'000; }));
    const auto before = resident();
    const Heartbeat heart;
    // Each part of it has the patience of a wait: it is a long way.
    constexpr std::uint64_t kParts = 20;
    for (std::uint64_t part = 1; part <= kParts; ++part) {
        ASSERT_TRUE(until([&] { return fixture.board.task(id)->done >= all / kParts * part; }));
    }
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_LT(heart.longestWork(), 100 * slowness());
    EXPECT_LT(resident() - before, 8 * 1'024);
    EXPECT_TRUE(fixture.board.task(id)->problem.isEmpty());
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
    CommandsFixture fixture;
    fixture.have("a");
    ExportOptions options;
    options.columns = allColumns();
    fixture.actions.exportTo(everything(), QStringLiteral("/nowhere/at/all.csv"), options);
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_TRUE(
        fixture.board.tasks().front().problem.contains(QStringLiteral("/nowhere/at/all.csv")));
}

TEST(Export, endsWithItsConnectionAndLeavesNoFile)
{
    CommandsFixture fixture;
    fixture.fake->haveRows(1'000'000);
    const auto file = fixture.home.filePath(QStringLiteral("all.csv"));
    ExportOptions options;
    options.columns = allColumns();
    fixture.actions.exportTo(everything(), file, options);
    ASSERT_TRUE(until([&] { return fixture.board.tasks().front().done >= 1'000; }));
    fixture.actions.open(nullptr);
    EXPECT_TRUE(idle(fixture));
    EXPECT_FALSE(fixture.board.tasks().front().problem.isEmpty());
    EXPECT_FALSE(QFile::exists(file));
}

TEST(Export, canLeaveOutPayloadsAndAddHistories)
{
    CommandsFixture fixture;
    fixture.have("a");
    HistoryRow row;
    row.transition = "push";
    row.to = "scheduled";
    fixture.fake->histories["a"].push_back(row);
    const auto file = fixture.home.filePath(QStringLiteral("some.jsonl"));
    ExportOptions options;
    options.format = ExportFormat::JsonLines;
    options.payload = ExportOptions::Payload::Redacted;
    options.history = ExportOptions::History::With;
    fixture.actions.exportTo(everything(), file, options);
    ASSERT_TRUE(until([&] { return idle(fixture); }));
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
    CommandsFixture fixture;
    fixture.choose({fixture.have("a")});
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::Export]->trigger();
    const ExportDialogObject dialog(fixture.dialog<ExportDialog>());
    dialog.file()->setText(QString());
    EXPECT_FALSE(dialog.accept()->isEnabled());
    dialog.format()->setCurrentIndex(1);
    dialog.file()->setText(fixture.home.filePath(QStringLiteral("one.jsonl")));
    dialog.accept()->click();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_TRUE(contentOf(fixture.home.filePath(QStringLiteral("one.jsonl"))).contains("\"a\""));
}

TEST(Export, proposesANameThatIsFreeAndAsksBeforeItReplacesAFile)
{
    CommandsFixture fixture;
    fixture.choose({fixture.have("a")});
    fixture.preferences.setValue(QStringLiteral("export/folder"), fixture.home.path());
    const auto taken = fixture.home.filePath(QStringLiteral("jobs.csv"));
    QFile first(taken);
    ASSERT_TRUE(first.open(QIODevice::WriteOnly));
    first.write("the first");
    first.close();
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::Export]->trigger();
    const ExportDialogObject dialog(fixture.dialog<ExportDialog>());
    EXPECT_EQ(dialog.file()->text(), fixture.home.filePath(QStringLiteral("jobs-2.csv")));
    dialog.format()->setCurrentIndex(1);
    EXPECT_EQ(dialog.file()->text(), fixture.home.filePath(QStringLiteral("jobs.jsonl")));
    dialog.format()->setCurrentIndex(0);
    dialog.file()->setText(taken);
    dialog.accept()->click();
    EXPECT_TRUE(fixture.board.tasks().empty()) << "it asks first";
    dialog.replace()->click();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_TRUE(contentOf(taken).startsWith("id,")) << contentOf(taken).toStdString();
}

TEST(Export, proposesNoNameThatAnotherOneIsWriting)
{
    CommandsFixture fixture;
    fixture.choose({fixture.have("a")});
    fixture.preferences.setValue(QStringLiteral("export/folder"), fixture.home.path());
    fixture.fake->latencyMs = 3'600'000;
    ExportOptions options;
    options.columns = allColumns();
    fixture.actions.exportTo(fixture.page.chosen, fixture.home.filePath(QStringLiteral("jobs.csv")),
                             options);
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::Export]->trigger();
    const ExportDialogObject dialog(fixture.dialog<ExportDialog>());
    EXPECT_EQ(dialog.file()->text(), fixture.home.filePath(QStringLiteral("jobs-2.csv")));
}

TEST(Import, bringsAnExportBack)
{
    CommandsFixture fixture;
    fixture.have("a");
    fixture.have("b", JobState::Dead);
    const auto file = fixture.home.filePath(QStringLiteral("some.jsonl"));
    ExportOptions options;
    options.format = ExportFormat::JsonLines;
    fixture.actions.exportTo(everything(), file, options);
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    fixture.actions.importFrom(file);
    const ImportDialogObject dialog(fixture.dialog<ImportDialog>());
    ASSERT_TRUE(until([&] { return dialog.accept()->isEnabled(); }));
    dialog.accept()->click();
    ASSERT_TRUE(until([&] { return fixture.fake->imports.size() == 2 && idle(fixture); }));
    EXPECT_EQ(fixture.fake->imports[0].job.body, "hello");
    EXPECT_EQ(fixture.board.tasks().front().done, 2U);
    for (const auto& view : fixture.fake->imports) {
        EXPECT_EQ(view.state, fixture.job(view.job.id).state);
    }
}

TEST(Import, takesTheLineOfTheStoreForNoSetting)
{
    CommandsFixture fixture;
    const auto name = fixture.home.filePath(QStringLiteral("whole.jsonl"));
    QFile file(name);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\"kind\":\"store\",\"shards\":4}\n{\"kind\":\"topic\",\"topic\":\"order\"}\n");
    file.close();
    const auto piece = ImportFile(name).next(10);
    EXPECT_EQ(piece.wrongLines, 0U);
    ASSERT_EQ(piece.nonJobLines.size(), 1U);
    EXPECT_EQ(piece.nonJobLines[0].number, 2U);
    EXPECT_TRUE(piece.jobLines.empty());
}

TEST(Import, storesNothingOfAFileWithAWrongLine)
{
    CommandsFixture fixture;
    const auto name = fixture.home.filePath(QStringLiteral("wrong.jsonl"));
    QFile file(name);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    fixture.have("a");
    ExportOptions options;
    options.format = ExportFormat::JsonLines;
    file.write(QByteArray::fromStdString(*exportLine(fixture.job("a"), {}, options)));
    file.write("\nnonsense\n{\"id\":\"b\",\"topic\":\"bad topic\"}\n");
    file.close();
    fixture.actions.importFrom(name);
    auto* dialog = fixture.dialog<ImportDialog>();
    ASSERT_NE(dialog, nullptr);
    const ImportDialogObject ui(dialog);
    auto* problems = ui.problems();
    ASSERT_TRUE(until([&] { return problems->rowCount() > 0; }));
    EXPECT_EQ(problems->item(0, 0)->text(), QStringLiteral("3"));
    EXPECT_FALSE(ui.accept()->isEnabled());
    dialog->reject();
    EXPECT_TRUE(until([&] { return fixture.dialog<ImportDialog>() == nullptr; }));
    EXPECT_TRUE(fixture.fake->imports.empty());
}

TEST(Import, endsWhenTheStoreTakesNothingMoreAndSaysWhere)
{
    CommandsFixture fixture;
    for (int n = 0; n < 150; ++n) {
        fixture.have("job-" + std::to_string(n));
    }
    const auto name = fixture.home.filePath(QStringLiteral("many.jsonl"));
    writeLines(name, fixture.fake->jobs);
    fixture.actions.importFrom(name);
    const ImportDialogObject dialog(fixture.dialog<ImportDialog>());
    ASSERT_TRUE(until([&] { return dialog.accept()->isEnabled(); }));
    fixture.fake->nextError = Error{ErrorCode::Unavailable, "not connected to the store"};
    dialog.accept()->click();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    const auto& task = fixture.board.tasks().front();
    EXPECT_EQ(fixture.fake->imports.size(), 100U) << "what was on its way, and no more";
    EXPECT_EQ(task.done, 99U);
    EXPECT_EQ(task.failed, 1U);
    EXPECT_TRUE(task.problem.contains(QStringLiteral("since line 1: not connected")))
        << task.problem.toStdString();
}

TEST(Import, storesNoJobAfterATopicThatCannotBePaused)
{
    CommandsFixture fixture;
    fixture.have("a");
    const auto name = fixture.home.filePath(QStringLiteral("whole.jsonl"));
    writeLines(name, fixture.fake->jobs, "{\"kind\":\"topic\",\"topic\":\"order\"}\n");
    fixture.actions.importFrom(name);
    const ImportDialogObject dialog(fixture.dialog<ImportDialog>());
    ASSERT_TRUE(until([&] { return dialog.accept()->isEnabled(); }));
    dialog.accept()->click();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_TRUE(fixture.fake->imports.empty());
    EXPECT_TRUE(fixture.board.tasks().front().problem.contains(QStringLiteral("line 1")));
}

TEST(Import, storesNothingMoreOfAFileThatHasChangedSinceItWasChecked)
{
    CommandsFixture fixture;
    fixture.have("a");
    const auto name = fixture.home.filePath(QStringLiteral("some.jsonl"));
    writeLines(name, fixture.fake->jobs);
    fixture.actions.importFrom(name);
    const ImportDialogObject dialog(fixture.dialog<ImportDialog>());
    ASSERT_TRUE(until([&] { return dialog.accept()->isEnabled(); }));
    QFile file(name);
    ASSERT_TRUE(file.open(QIODevice::Append));
    file.write("nonsense\n");
    file.close();
    dialog.accept()->click();
    ASSERT_TRUE(until([&] { return idle(fixture); }));
    EXPECT_TRUE(fixture.fake->imports.empty());
    EXPECT_TRUE(fixture.board.tasks().front().problem.contains(QStringLiteral("line 2")));
}

TEST(Import, takesAFileThatHasOnlyPausesAndOnceKeys)
{
    CommandsFixture fixture;
    const auto name = fixture.home.filePath(QStringLiteral("topics.jsonl"));
    writeLines(name, {}, "{\"kind\":\"topic\",\"topic\":\"order\"}\n");
    fixture.actions.importFrom(name);
    const ImportDialogObject dialog(fixture.dialog<ImportDialog>());
    EXPECT_TRUE(until([&] { return dialog.accept()->isEnabled(); }));
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
