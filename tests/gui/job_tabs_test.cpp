// History, attempts and related jobs of the detail, and a job's own window.

#include "gui/pages/detail/attempts_tab.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/pages/detail/history_tab.h"
#include "gui/pages/detail/job_windows.h"
#include "gui/theme/theme.h"
#include "tests/gui/support/detail_fixture.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/wait.h"

#include <QClipboard>
#include <QFile>
#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

constexpr const char* kHostile = "<b>x</b><img src=http://192.0.2.1/x.png>";

class JobTabs : public DetailFixture {
protected:
    HistoryRow row(int minute,
                   const std::string& transition,
                   const std::string& from,
                   const std::string& to,
                   const std::string& note = {}) const
    {
        HistoryRow row;
        row.at = fake->time - std::chrono::hours{2} + std::chrono::minutes{minute};
        row.transition = transition;
        row.from = from;
        row.to = to;
        row.worker = "edge-1/4711";
        row.note = note;
        return row;
    }
    std::vector<HistoryRow> messageHistory() const
    {
        return {row(0, "push", "", "held"),
                row(0, "claim", "held", "leased"),
                row(0, "hold", "leased", "held",
                    "attempt 1: 2026-10-26T05:33:20.120Z sip:bob@10.0.0.7:5060 480 Temporarily "
                    "Unavailable (12 ms)\n"),
                row(2, "claim", "held", "leased"),
                row(3, "hold", "leased", "held",
                    "attempt 2: 2026-10-26T05:35:20.133Z sip:bob@10.0.0.7:5060 via "
                    "10.0.0.1:5060 408 Request Timeout (no answer, 32000 ms)\n"),
                row(13, "claim", "held", "leased"),
                row(13, "finish", "leased", "done",
                    "attempt 3: 2026-10-26T05:46:00.201Z sip:bob@10.0.0.9:5060 200 OK (8 ms)\n")};
    }
    /// Shows the tab with the history of a message in it.
    void showMessage(JobDetail::Tab tab)
    {
        fake->histories["m-1"] = messageHistory();
        detail->showTab(tab);
        show(message("m-1"));
    }
};

TEST_F(JobTabs, historyIsShownOldestFirst)
{
    showMessage(JobDetail::Tab::History);
    ASSERT_TRUE(until([&] { return ui().history()->model()->rowCount() == 7; }));
    EXPECT_TRUE(ui().history()->model()->index(0, 1).data().toString() == QStringLiteral("Pushed"));
    EXPECT_TRUE(says(ui().history(), "edge-1/4711"));
    turn();
    EXPECT_EQ(unnamedWidgets(*detail), QStringList());
    EXPECT_EQ(clippedTexts(*detail), QStringList());
    picture("detail-history");
}

TEST_F(JobTabs, keepTheSizesThatAUserGaveTheirParts)
{
    show(message("m-1"));
    detail->resize(1'000, 400);
    detail->show();
    const auto drag = [&](JobDetail::Tab tab, QSplitter* splitter) {
        detail->showTab(tab);
        turn();
        splitter->setSizes({250, 750});
        emit splitter->splitterMoved(250, 1);
    };
    drag(JobDetail::Tab::Overview, ui().overviewSides());
    drag(JobDetail::Tab::Attempts, ui().attemptsSides());
    JobDetail again(Context{actions, preferences});
    again.open(session.get());
    again.showJob("m-1");
    again.resize(1'000, 400);
    again.show();
    const JobDetailObject shown(&again);
    auto* tabs = shown.tabs();
    ASSERT_TRUE(until([tabs] { return tabs->isVisible(); }));
    for (const auto& [tab, sides] : {std::pair{JobDetail::Tab::Overview, shown.overviewSides()},
                                     std::pair{JobDetail::Tab::Attempts, shown.attemptsSides()}}) {
        again.showTab(tab);
        turn();
        const auto sizes = sides->sizes();
        EXPECT_LT(sizes[0] * 2, sizes[1]) << sides->objectName().toStdString();
    }
    again.open(nullptr);
}

TEST_F(JobTabs, historySaysThatAJobIsGoneOnlyWhereThatIsKnown)
{
    auto released = row(1, "release", "", "");
    released.toIsKnown = false;
    fake->histories["m-1"] = {released, row(2, "purge", "", "")};
    detail->showTab(JobDetail::Tab::History);
    show(message("m-1"));
    ASSERT_TRUE(until([&] { return ui().history()->model()->rowCount() == 2; }));
    const auto* shown = ui().history()->model();
    EXPECT_EQ(shown->index(0, 3).data().toString(), QString());
    EXPECT_EQ(shown->index(1, 3).data().toString(), QStringLiteral("(gone)"));
}

TEST_F(JobTabs, historyIsNotAskedForWhileNobodyLooks)
{
    fake->histories["m-1"] = messageHistory();
    detail->showTab(JobDetail::Tab::Overview);
    show(message("m-1"));
    turn();
    EXPECT_EQ(ui().history()->model()->rowCount(), 0);
    detail->showTab(JobDetail::Tab::History);
    EXPECT_TRUE(until([&] { return ui().history()->model()->rowCount() == 7; }));
}

TEST_F(JobTabs, historyOfASlowJournalIsShownHoweverOftenTheJobIsReadAgain)
{
    show(message("m-1"));
    fake->histories["m-1"] = messageHistory();
    fake->journalLatencyMs = 200;
    detail->showTab(JobDetail::Tab::History);
    EXPECT_TRUE(until([&] {
        detail->refresh();
        return ui().history()->model()->rowCount() == 7;
    }));
    fake->histories["m-1"].push_back(row(20, "restore", "done", "ready"));
    detail->refresh();  // while the answer before is awaited
    EXPECT_TRUE(until([&] { return ui().history()->model()->rowCount() == 8; }));
}

TEST_F(JobTabs, historySaysWhyThereIsNone)
{
    fake->historyError = Error{ErrorCode::Unavailable, "the journal is off"};
    detail->showTab(JobDetail::Tab::History);
    show(message("m-1"));
    EXPECT_TRUE(until(
        [&] { return ui().historyStatus()->text().contains(QStringLiteral("journal is off")); }));
    EXPECT_FALSE(ui().exportHistory()->isEnabled());
}

TEST_F(JobTabs, historyIsWrittenToAFile)
{
    showMessage(JobDetail::Tab::History);
    ASSERT_TRUE(until([&] { return ui().history()->model()->rowCount() == 7; }));
    auto* tab = ui().historyTab();
    const auto csv = home.filePath(QStringLiteral("h.csv"));
    const auto lines = home.filePath(QStringLiteral("h.jsonl"));
    tab->exportTo(csv);
    tab->exportTo(lines);
    ASSERT_TRUE(until([&] { return QFile::exists(csv) && QFile::exists(lines); }));
    QFile csvFile(csv);
    ASSERT_TRUE(csvFile.open(QIODevice::ReadOnly));
    const auto table = csvFile.readAll();
    EXPECT_TRUE(table.startsWith("id,at,transition,from,to,actor,reason,worker,shard,note\r\n"
                                 "m-1,2026-10-26T05:33:20.000Z,push,,held,"));
    QFile linesFile(lines);
    ASSERT_TRUE(linesFile.open(QIODevice::ReadOnly));
    EXPECT_EQ(linesFile.readAll().count('\n'), 7);
}

TEST_F(JobTabs, historyKeepsSelectionAndPlaceWhileItGrows)
{
    showMessage(JobDetail::Tab::History);
    auto* shown = ui().history();
    ASSERT_TRUE(until([&] { return shown->model()->rowCount() == 7; }));
    shown->selectRow(2);
    fake->histories["m-1"].push_back(row(20, "trash", "done", "trashed"));
    detail->refresh();
    ASSERT_TRUE(until([&] { return shown->model()->rowCount() == 8; }));
    EXPECT_TRUE(shown->selectionModel()->isRowSelected(2));
    EXPECT_EQ(shown->selectionModel()->selectedRows().size(), 1);
}

TEST_F(JobTabs, rowsAreCopiedWithTheKeyOfTheWindow)
{
    showMessage(JobDetail::Tab::History);
    auto* shown = ui().history();
    ASSERT_TRUE(until([&] { return shown->model()->rowCount() == 7; }));
    detail->addAction(actions[ActionId::Copy]);
    QSignalSpy taken(actions[ActionId::Copy], &QAction::triggered);
    detail->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(detail.get()));
    shown->setFocus();
    shown->selectRow(0);
    QTest::keyClick(shown, Qt::Key_C, Qt::ControlModifier);
    EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(QStringLiteral("\tPushed\t")));
    EXPECT_EQ(taken.count(), 0);
}

using JobHistoryRows = JobTabs;

TEST_F(JobHistoryRows, gainsOneRowWithActorAndReasonAfterAReschedule)
{
    showMessage(JobDetail::Tab::History);
    auto* shown = ui().history();
    ASSERT_TRUE(until([&] { return shown->model()->rowCount() == 7; }));
    auto moved = row(20, "reschedule", "scheduled", "scheduled");
    moved.actor = "carol@desk";
    moved.reason = "the bank is closed";
    fake->histories["m-1"].push_back(moved);
    fake->jobs.front().due = fake->time + std::chrono::hours{48};
    emit session->commands().written();
    ASSERT_TRUE(until([&] { return shown->model()->rowCount() == 8; }));
    EXPECT_TRUE(says(ui().history(), "carol@desk"));
    EXPECT_TRUE(says(ui().history(), "the bank is closed"));
    detail->showTab(JobDetail::Tab::Overview);
    EXPECT_TRUE(says(ui().fields(), "2026-10-28 07:33:20 (in 2 d)"));
}

TEST_F(JobTabs, attemptsAreASequenceDiagram)
{
    showMessage(JobDetail::Tab::Attempts);
    auto* shown = ui().attempts();
    ASSERT_TRUE(until([&] { return shown->model()->rowCount() == 3; }));
    EXPECT_TRUE(says(ui().attempts(), "480 Temporarily Unavailable"));
    EXPECT_TRUE(says(ui().attempts(), "(no answer)"));
    EXPECT_EQ(unnamedWidgets(*detail), QStringList());
    picture("detail-attempts-light");
    Theme::apply(Scheme::Dark);
    picture("detail-attempts-dark");
    Theme::apply(Scheme::Light);
}

TEST_F(JobTabs, attemptsDoNotSayThatNothingWasSentWhereNobodyKeptIt)
{
    auto held = row(1, "hold", "leased", "held");
    held.noteIsKnown = false;
    fake->histories["m-1"] = {row(0, "claim", "held", "leased"), held};
    detail->showTab(JobDetail::Tab::Attempts);
    show(message("m-1"));
    EXPECT_TRUE(until([&] {
        return ui().attemptsStatus()->text() ==
               QStringLiteral("What was sent in 1 attempt(s) is not known, because no journal "
                              "keeps it.");
    })) << ui().attemptsStatus()->text().toStdString();
}

TEST_F(JobTabs, twoAttemptsAreCompared)
{
    showMessage(JobDetail::Tab::Attempts);
    ASSERT_TRUE(until([&] { return ui().attempts()->model()->rowCount() == 3; }));
    auto* diagram = ui().sequenceDiagram();
    EXPECT_FALSE(ui().compared()->isVisible());
    emit diagram->stepClicked(2, Qt::NoModifier);
    emit diagram->stepClicked(0, Qt::ControlModifier);
    const auto* lines = ui().compared()->model();
    ASSERT_TRUE(ui().compared()->isVisible());
    EXPECT_EQ(lines->index(0, 2).data().toString(), QStringLiteral("1"))
        << "the earlier on the left";
    EXPECT_EQ(lines->index(0, 3).data().toString(), QStringLiteral("3"));
    EXPECT_EQ(lines->index(0, 1).data().toString(), QStringLiteral("≠"));
    EXPECT_EQ(lines->index(7, 1).data().toString(), QStringLiteral("=")) << "the same worker";
    picture("detail-attempts-compared");
    emit diagram->stepClicked(1, Qt::NoModifier);
    EXPECT_FALSE(ui().compared()->isVisible());
}

TEST_F(JobTabs, aClickInTheDiagramSelectsTheAttempt)
{
    showMessage(JobDetail::Tab::Attempts);
    ASSERT_TRUE(until([&] { return ui().attempts()->model()->rowCount() == 3; }));
    auto* diagram = ui().sequenceDiagram();
    const int line = diagram->fontMetrics().height();
    QTest::mouseClick(diagram->viewport(), Qt::LeftButton, {},
                      QPoint(150, line * 2 + line * 4 + 3));
    EXPECT_TRUE(ui().attempts()->selectionModel()->isRowSelected(1));
}

TEST_F(JobTabs, relatedJobsAreGoneTo)
{
    auto other = message("m-2");
    other.state = JobState::Dead;
    auto stranger = message("m-3");
    stranger.job.recipient = "sip:zoe@example.org";
    fake->jobs = {other, stranger};
    detail->showTab(JobDetail::Tab::Related);
    show(message("m-1"));
    auto* shown = ui().related();
    ASSERT_TRUE(until([&] { return shown->model()->rowCount() == 1; })) << "not the job itself";
    EXPECT_TRUE(says(ui().related(), "m-2"));
    EXPECT_EQ(unnamedWidgets(*detail), QStringList());
    picture("detail-related");
    std::string wanted;
    QObject::connect(detail.get(), &JobDetail::jobRequested,
                     [&](const std::string& id) { wanted = id; });
    shown->setCurrentIndex(shown->model()->index(0, 0));
    QTest::keyClick(shown, Qt::Key_Return);
    EXPECT_EQ(wanted, "m-2");
}

TEST_F(JobTabs, relatedJobsAreTheOnesOfTheSameSenderOrKey)
{
    auto other = message("m-2");
    other.job.bizKey = "another";
    other.job.recipient = "sip:zoe@example.org";
    fake->jobs = {other};
    detail->showTab(JobDetail::Tab::Related);
    show(message("m-1"));
    auto* tab = ui().relatedTab();
    ASSERT_TRUE(
        until([&] { return ui().relatedStatus()->text().contains(QStringLiteral("No other")); }));
    tab->showBy(RelatedRequest::By::Sender);
    EXPECT_TRUE(until([&] { return says(ui().related(), "m-2"); }));
    QSignalSpy filters(detail.get(), &JobDetail::filterRequested);
    ui().relatedFilter()->click();
    ASSERT_EQ(filters.count(), 1);
    const auto filter = JobFilter::parse(filters.at(0).at(0).toString().toStdString());
    ASSERT_TRUE(filter);
    EXPECT_TRUE(filter->matches(other, fake->time));
    fake->nextError = Error{ErrorCode::Unavailable, "senders have no index"};
    tab->showBy(RelatedRequest::By::BizKey);
    EXPECT_TRUE(
        until([&] { return ui().relatedStatus()->text().contains(QStringLiteral("no index")); }));
}

TEST_F(JobTabs, relatedJobsThatWereNotAllLookedForAreNotTakenForAll)
{
    fake->relatedIsComplete = false;
    fake->jobs = {message("m-2")};
    detail->showTab(JobDetail::Tab::Related);
    show(message("m-1"));
    const auto saysMore = [&] {
        return ui().relatedStatus()->text().contains(QStringLiteral("there may be "));
    };
    ASSERT_TRUE(until([&] { return says(ui().related(), "m-2"); }));
    EXPECT_TRUE(saysMore()) << ui().relatedStatus()->text().toStdString();
    fake->jobs = {message("m-1")};
    ui().relatedTab()->showBy(RelatedRequest::By::Sender);
    EXPECT_TRUE(until(saysMore)) << ui().relatedStatus()->text().toStdString();
    EXPECT_EQ(ui().related()->model()->rowCount(), 0);
}

class HostileTextInDetail : public JobTabs {};

TEST_F(HostileTextInDetail, showsMarkupOfStrangersLiterally)
{
    auto view = message("m-1");
    auto& job = view.job;
    for (auto* field : {&job.topic, &job.sender, &job.recipient, &job.bizKey, &job.contentType,
                        &job.body, &view.lastError}) {
        *field = kHostile;
    }
    job.headers = {{kHostile, kHostile}};
    auto line = row(1, kHostile, kHostile, kHostile, std::string("attempt 1: ") + kHostile);
    line.actor = kHostile;
    line.reason = kHostile;
    line.worker = kHostile;
    fake->histories["m-1"] = {line};
    show(view);
    EXPECT_TRUE(says(ui().fields(), kHostile));
    EXPECT_EQ(markupLabels(*detail), QStringList());
    picture("detail-hostile-overview");
    detail->showTab(JobDetail::Tab::Payload);
    auto* text = ui().payloadText();
    EXPECT_TRUE(text->toPlainText().endsWith(QString::fromUtf8(kHostile)));
    detail->showTab(JobDetail::Tab::History);
    ASSERT_TRUE(until([&] { return says(ui().history(), kHostile); }));
    picture("detail-hostile-history");
    detail->showTab(JobDetail::Tab::Attempts);
    EXPECT_TRUE(says(ui().attempts(), kHostile));
    fake->jobs.clear();
    detail->refresh();
    ASSERT_TRUE(until([&] { return ui().banner()->text().contains(QString::fromUtf8(kHostile)); }));
    EXPECT_EQ(markupLabels(*detail), QStringList());
    picture("detail-gone");
}

TEST_F(HostileTextInDetail, escapesToolTips)
{
    const auto tip = tipOf(QString::fromUtf8(kHostile));
    EXPECT_FALSE(tip.contains(QStringLiteral("<img")));
    EXPECT_TRUE(tip.contains(QStringLiteral("&lt;img")));
    EXPECT_LT(tipOf(QString(1'000'000, u'x')).size(), 5'000);
    // Neither a line nor the end is cut within a character of two code units.
    const auto smile = QString::fromUtf8("\U0001F600");
    const auto inTwoLines = tipOf(QString(99, u'x') + smile);
    EXPECT_TRUE(inTwoLines.contains(smile)) << inTwoLines.toStdString();
    const auto cutOff = tipOf(QString(1'999, u'x') + smile);
    EXPECT_FALSE(cutOff.contains(smile.at(0))) << cutOff.toStdString();
}

TEST_F(JobTabs, aJobHasOneWindowOfItsOwnUntilTheConnectionCloses)
{
    fake->jobs = {message("m-1"), message("m-2")};
    QWidget owner;
    JobWindows windows({actions, preferences}, &owner);
    windows.showJob("m-1");
    EXPECT_TRUE(jobWindows(owner).isEmpty()) << "without a connection there is nothing to show";
    windows.open(session.get());
    windows.showJob("m-1");
    windows.showJob("m-2");
    windows.showJob("m-1");
    const auto shown = jobWindows(owner);
    ASSERT_EQ(shown.size(), 2);
    EXPECT_TRUE(
        until([&] { return shown.at(0)->windowTitle() == QStringLiteral("m-1 - Scheduled"); }));
    windows.open(nullptr);
    EXPECT_TRUE(jobWindows(owner).isEmpty());
}

TEST_F(JobTabs, escapeClosesTheSearchBeforeTheWindow)
{
    fake->jobs = {message("m-1")};
    QWidget owner;
    JobWindows windows({actions, preferences}, &owner);
    windows.open(session.get());
    windows.showJob("m-1");
    ASSERT_EQ(jobWindows(owner).size(), 1);
    QPointer<QWidget> window = jobWindows(owner).front();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window));
    auto* inWindow = newestOf<JobDetail>(*window);
    inWindow->showTab(JobDetail::Tab::Payload);
    const JobDetailObject shown(inWindow);
    auto* text = shown.payloadText();
    ASSERT_TRUE(until([&] { return !text->toPlainText().isEmpty(); }));
    text->setFocus();
    QTest::keyClick(text, Qt::Key_F, Qt::ControlModifier);
    auto* field = shown.payloadFind();
    ASSERT_TRUE(until([&] { return field->hasFocus(); }));
    QTest::keyClick(field, Qt::Key_Escape);
    EXPECT_FALSE(field->isVisible());
    ASSERT_TRUE(window != nullptr && window->isVisible());
    QTest::keyClick(text, Qt::Key_Escape);
    EXPECT_TRUE(until([&] { return window == nullptr; }));
}

}  // namespace
}  // namespace restante::gui::test
