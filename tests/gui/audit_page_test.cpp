#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/base/utc.h"
#include "gui/operations/audit_texts.h"
#include "gui/operations/reason_text.h"
#include "gui/pages/audit/audit_page.h"
#include "gui/session/store_session.h"
#include "gui/theme/time_text.h"
#include "tests/gui/support/audit_view_object.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/wait.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

namespace restante::gui::test {

namespace {

class Audit : public testing::Test {
protected:
    Audit()
    {
        auto backend = std::make_unique<FakeBackend>();
        fake_ = backend.get();
        for (int at = 0; at < 450; ++at) {
            AuditRow row;
            row.at = fake_->time - Millis{at * 1'000};
            row.actor = at % 3 == 0 ? QStringLiteral("eve@night") : QStringLiteral("ops@prod");
            row.verb = at % 5 == 0 ? QStringLiteral("pause") : QStringLiteral("trash");
            row.object =
                at % 5 == 0 ? QStringLiteral("big order") : QStringLiteral("job-%1").arg(at);
            row.from = at % 5 == 0 ? QString() : QStringLiteral("dead");
            row.to = at % 5 == 0 ? QString() : QStringLiteral("trashed");
            row.reason = QStringLiteral("=1+1, \"said\" <b>he</b>");
            row.reason += at % 2 == 0 ? QStringLiteral(" again") : QString();  // no order
            fake_->auditRows.push_back(row);
        }
        session_ = std::make_unique<StoreSession>(ConnectionProfile{}, std::move(backend));
    }
    ~Audit() override { page_.open(nullptr); }

    bool load()
    {
        page_.resize(1'200, 500);
        page_.show();
        page_.open(session_.get());
        return until([this] { return page_.model().rowCount() == 200; });
    }
    QTableView* table() const { return ui_.table(); }
    /// Only the rows of these places are eve's, and a page looks at 50 rows; shows hers.
    void searchForEve(std::initializer_list<std::size_t> places)
    {
        for (auto& row : fake_->auditRows) {
            row.actor = QStringLiteral("ops@prod");
        }
        for (const auto at : places) {
            fake_->auditRows[at].actor = QStringLiteral("eve@night");
        }
        fake_->auditRowsLookedAt = 50;
        QTest::keyClicks(ui_.actor(), QStringLiteral("eve"));
    }
    auto requestsFrom(const std::string& cursor) const
    {
        return std::ranges::count(fake_->auditRequests, cursor, &AuditRequest::cursor);
    }
    /// Until what was asked before has been answered.
    bool isQuiet()
    {
        bool answered = false;
        session_->source().audit({}, {&page_, [&](const auto&) { answered = true; }});
        return until([&] { return answered; });
    }

    QTemporaryDir home_;
    Preferences preferences_{home_.filePath(QStringLiteral("admin.ini"))};
    ActionRegistry actions_;
    FakeBackend* fake_ = nullptr;
    std::unique_ptr<StoreSession> session_;
    AuditPage page_{Context{actions_, preferences_}};
    const AuditViewObject ui_{&page_};
};

}  // namespace

TEST_F(Audit, saysWhoDidWhatWhenAndWhy)
{
    ASSERT_TRUE(load());
    const auto text = [this](int row, int column) {
        return page_.model().index(row, column).data().toString();
    };
    EXPECT_EQ(text(1, AuditModel::What), QStringLiteral("ops@prod moved job-1 to the trash"));
    EXPECT_EQ(text(1, AuditModel::Reason), QStringLiteral("=1+1, \"said\" <b>he</b>"));
    EXPECT_EQ(text(0, AuditModel::What), QStringLiteral("eve@night paused the topic big order"));
    const auto tip = page_.model().index(1, AuditModel::What).data(Qt::ToolTipRole).toString();
    EXPECT_TRUE(tip.contains(QStringLiteral("Dead before, Trash since"))) << tip.toStdString();
}

TEST_F(Audit, loadsTheNextPageWhenSomebodyScrollsDown)
{
    ASSERT_TRUE(load());
    table()->scrollToBottom();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 400; }));
    table()->scrollToBottom();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 450; }));
    EXPECT_EQ(page_.model().row(449).newest.object, QStringLiteral("job-449"));
}

TEST_F(Audit, asksTheStoreForPeopleAndVerbs)
{
    ASSERT_TRUE(load());
    QTest::keyClicks(ui_.actor(), QStringLiteral("eve"));
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 150; }));
    auto* verb = ui_.verb();
    verb->setCurrentIndex(verb->findData(QStringLiteral("pause")));
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 30; }));
}

TEST_F(Audit, asksTheStoreForTextAndTime)
{
    ASSERT_TRUE(load());
    auto* text = ui_.text();
    QTest::keyClicks(text, QStringLiteral("JOB-44"));
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 9; })) << "44, 441 - 449";
    text->clear();
    auto* time = ui_.time();
    time->setCurrentIndex(time->count() - 1);
    auto* since = ui_.since();
    auto* end = ui_.end();
    EXPECT_TRUE(since->isVisible());
    const auto now = QDateTime::fromMSecsSinceEpoch(toEpochMs(fake_->time), kUtc);
    preferences_.setTimeZone("UTC");
    since->setDateTime(QDateTime(now.date(), now.time().addSecs(-120), kUtc));
    end->setDateTime(QDateTime(now.date(), now.time().addSecs(-60), kUtc));
    ASSERT_TRUE(until([this] {
        const int rows = page_.model().rowCount();
        return rows >= 59 && rows <= 61;
    }));
    for (int row = 0; row < page_.model().rowCount(); ++row) {
        EXPECT_LT(page_.model().row(row).newest.at, fake_->time - Millis{59'000});
    }
    time->setCurrentIndex(0);
    EXPECT_FALSE(since->isVisible());
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 200; }));
}

TEST_F(Audit, saysWhatItShowsWithoutAJournalAndHowToHaveOne)
{
    auto link = fake_->link();
    link.journalProblem = QStringLiteral("No journal is configured.");
    fake_->setLink(link);
    ASSERT_TRUE(load()) << "the events of the store are shown all the same";
    auto* source = ui_.source();
    EXPECT_TRUE(source->isVisible());
    EXPECT_TRUE(source->text().startsWith(QStringLiteral("No journal is configured.")));
    EXPECT_TRUE(source->text().contains(QStringLiteral("journal's URL in the connection")));
    link.journalProblem.clear();
    fake_->setLink(link);
    EXPECT_FALSE(source->isVisible());
}

TEST_F(Audit, putsNewWritesOnTopAndKeepsTheChosenRow)
{
    ASSERT_TRUE(load());
    table()->selectRow(7);
    AuditRow row = fake_->auditRows.front();
    row.at = fake_->time + Millis{5'000};
    row.object = QStringLiteral("job-new");
    fake_->auditRows.insert(fake_->auditRows.begin(), row);
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 201; }));
    EXPECT_EQ(page_.model().row(0).newest.object, QStringLiteral("job-new"));
    EXPECT_EQ(table()->selectionModel()->selectedRows().front().row(), 8);
}

TEST_F(Audit, leadsToTheJobAndToTheTopic)
{
    ASSERT_TRUE(load());
    std::string job;
    QString filter;
    QObject::connect(&page_, &AuditPage::jobRequested, [&job](const std::string& id) { job = id; });
    QObject::connect(&page_, &AuditPage::filterRequested,
                     [&filter](const QString& wanted) { filter = wanted; });
    table()->setCurrentIndex(page_.model().index(1, 0));
    QTest::keyClick(table(), Qt::Key_Return);
    EXPECT_EQ(job, "job-1");
    table()->setCurrentIndex(page_.model().index(0, 0));
    QTest::keyClick(table(), Qt::Key_Return);
    EXPECT_EQ(filter, QStringLiteral("topic:\"big order\""));
}

TEST_F(Audit, exportsEverythingPageByPage)
{
    ASSERT_TRUE(load());
    const auto path = home_.filePath(QStringLiteral("audit.csv"));
    page_.exportTo(path);
    ASSERT_TRUE(until([&path] { return QFile::exists(path); }));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const auto text = QString::fromUtf8(file.readAll());
    EXPECT_EQ(text.count(QStringLiteral("\r\n")), 451);
    EXPECT_TRUE(text.contains(QStringLiteral(",\"=1+1, \"\"said\"\" <b>he</b>\"\r\n")));
    EXPECT_EQ(page_.model().rowCount(), 200) << "what is on the screen stays";
}

TEST_F(Audit, saysThatAFileWasNotWrittenAlsoWhenItIsReadAgain)
{
    ASSERT_TRUE(load());
    page_.exportTo(home_.filePath(QStringLiteral("no such folder/audit.csv")));
    const auto isSaid = [this] {
        return ui_.notice()->isVisible() &&
               ui_.notice()->accessibleName().contains(QStringLiteral("has not been written"));
    };
    ASSERT_TRUE(until(isSaid));
    const auto asked = fake_->auditQuestions;
    page_.refresh();
    ASSERT_TRUE(until([&] { return fake_->auditQuestions > asked && page_.isLoaded(); }));
    EXPECT_TRUE(isSaid());
}

TEST_F(Audit, offersAnExportAgainWhenOneHasEndedWithItsStore)
{
    ASSERT_TRUE(load());
    const auto offer = ui_.exportButton()->text();
    fake_->latencyMs = 50;
    page_.exportTo(home_.filePath(QStringLiteral("audit.csv")));
    EXPECT_NE(ui_.exportButton()->text(), offer);
    page_.open(session_.get());
    EXPECT_EQ(ui_.exportButton()->text(), offer);
}

TEST_F(Audit, saysWhyThereIsNone)
{
    fake_->nextError = Error{ErrorCode::Unavailable, "there is no journal"};
    page_.show();
    page_.open(session_.get());
    auto* notice = ui_.notice();
    ASSERT_TRUE(until([notice] { return notice->isVisible(); }));
    EXPECT_TRUE(notice->accessibleName().contains(QStringLiteral("there is no journal")));
}

TEST_F(Audit, looksOnceForManyWrites)
{
    ASSERT_TRUE(load());
    fake_->latencyMs = 100;
    fake_->auditQuestions = 0;
    QElapsedTimer since;
    since.start();
    int writes = 0;
    ASSERT_TRUE(until([&] {
        emit session_->commands().written();
        ++writes;
        return since.elapsed() > 1'500;
    }));
    ASSERT_GT(writes, 30);
    EXPECT_GT(fake_->auditQuestions, 0);
    EXPECT_LE(fake_->auditQuestions, 7);
    AuditRow row;
    row.at = fake_->time;
    row.verb = QStringLiteral("trash");
    row.object = QStringLiteral("the last");
    fake_->auditRows.insert(fake_->auditRows.begin(), row);
    emit session_->commands().written();
    EXPECT_TRUE(until([&] { return page_.model().row(0).newest.object == row.object; }));
}

TEST_F(Audit, isReadOnceHoweverLongTheStoreTakes)
{
    fake_->latencyMs = 100;
    page_.resize(1'200, 500);
    page_.show();
    page_.open(session_.get());
    ASSERT_TRUE(until([this] {
        page_.refresh();  // as Live Update does
        return page_.model().rowCount() == 200;
    }));
    EXPECT_TRUE(fake_->cancelled.empty());
}

TEST_F(Audit, showsNoRowsOfAnotherFilterWhenTheStoreFails)
{
    ASSERT_TRUE(load());
    fake_->nextError = Error{ErrorCode::Unavailable, "the store is away"};
    auto* verb = ui_.verb();
    verb->setCurrentIndex(verb->findData(QStringLiteral("pause")));
    ASSERT_TRUE(until([this] { return ui_.notice()->isVisible(); }));
    EXPECT_EQ(page_.model().rowCount(), 0);
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 90; }));
    for (int row = 0; row < page_.model().rowCount(); ++row) {
        EXPECT_EQ(page_.model().row(row).newest.verb, QStringLiteral("pause"));
    }
}

TEST_F(Audit, showsNoRowsOfAFilterThatWasChangedWhileTheStoreWasAway)
{
    ASSERT_TRUE(load());
    fake_->nextError = Error{ErrorCode::Unavailable, "the store is away"};
    page_.refresh();
    ASSERT_TRUE(until([this] { return ui_.notice()->isVisible(); }));
    EXPECT_EQ(page_.model().rowCount(), 200) << "what is known stays";
    auto link = fake_->link();
    link.phase = LinkState::Phase::Lost;
    fake_->setLink(link);
    auto* verb = ui_.verb();
    verb->setCurrentIndex(verb->findData(QStringLiteral("pause")));
    EXPECT_EQ(page_.model().rowCount(), 0);
    EXPECT_FALSE(ui_.notice()->isVisible());
    link.phase = LinkState::Phase::Ready;
    fake_->setLink(link);
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 90; }));
    for (int row = 0; row < page_.model().rowCount(); ++row) {
        EXPECT_EQ(page_.model().row(row).newest.verb, QStringLiteral("pause"));
    }
}

TEST_F(Audit, tellsWhatBecameOfAnExportAlsoWhenTheStoreHadFailedBefore)
{
    ASSERT_TRUE(load());
    fake_->nextError = Error{ErrorCode::Unavailable, "the store is away"};
    page_.refresh();
    ASSERT_TRUE(until([this] { return ui_.notice()->isVisible(); }));
    page_.exportTo(home_.filePath(QStringLiteral("no such folder/audit.csv")));
    const auto isSaid = [this] {
        return ui_.notice()->isVisible() &&
               ui_.notice()->accessibleName().contains(QStringLiteral("has not been written"));
    };
    ASSERT_TRUE(until(isSaid));
    const auto asked = fake_->auditQuestions;
    page_.refresh();
    ASSERT_TRUE(until([&] { return fake_->auditQuestions > asked && page_.isLoaded(); }));
    EXPECT_TRUE(isSaid());
    ui_.verb()->setCurrentIndex(1);
    EXPECT_FALSE(ui_.notice()->isVisible()) << "by then it has been read";
}

TEST_F(Audit, asksOnlyForWhatIsNewerThanWhatItKnows)
{
    ASSERT_TRUE(load());
    EXPECT_FALSE(fake_->auditRequests.back().since);
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.isLoaded(); }));
    EXPECT_EQ(fake_->auditRequests.back().since,
              fake_->auditRows.front().at - std::chrono::minutes{5});
    // More than a page is new.
    std::vector<AuditRow> newer(300, fake_->auditRows.front());
    for (std::size_t at = 0; at < newer.size(); ++at) {
        newer[at].at = fake_->time + std::chrono::hours{1} -
                       std::chrono::seconds{static_cast<std::int64_t>(at)};
        newer[at].object = QStringLiteral("new-%1").arg(at);
        newer[at].reason = newer[at].object;
    }
    fake_->auditRows.insert(fake_->auditRows.begin(), newer.begin(), newer.end());
    page_.refresh();
    ASSERT_TRUE(until([this] {
        return page_.isLoaded() && page_.model().rowCount() == 200 &&
               page_.model().row(0).newest.object == QStringLiteral("new-0");
    }));
    table()->scrollToBottom();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 400; }));
    EXPECT_EQ(page_.model().row(200).newest.object, QStringLiteral("new-200"));
}

TEST_F(Audit, showsInItsPlaceWhatWasRecordedLate)
{
    ASSERT_TRUE(load());
    table()->selectRow(40);
    auto late = fake_->auditRows[31];
    late.at += Millis{500};
    late.object = QStringLiteral("job-late");
    late.reason = QStringLiteral("the database was away");
    fake_->auditRows.insert(fake_->auditRows.begin() + 31, late);
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 201; }));
    EXPECT_EQ(page_.model().row(31).newest.object, QStringLiteral("job-late"));
    EXPECT_EQ(page_.model().row(0).newest.at, fake_->auditRows.front().at);
    EXPECT_EQ(table()->selectionModel()->selectedRows().front().row(), 41);
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.isLoaded(); }));
    EXPECT_EQ(page_.model().rowCount(), 201) << "it is known by now";
}

TEST_F(Audit, findsWhatWasRecordedVeryLateWhenSomebodyWantsItToBeReadAgain)
{
    ASSERT_TRUE(load());
    table()->scrollToBottom();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 400; }));
    auto late = fake_->auditRows[351];
    late.at += Millis{500};
    late.object = QStringLiteral("job-late");
    late.reason = QStringLiteral("the database was away");
    fake_->auditRows.insert(fake_->auditRows.begin() + 351, late);
    const auto isShown = [this] {
        return std::ranges::any_of(page_.model().rows(), [](const AuditLine& line) {
            return line.newest.object == QStringLiteral("job-late");
        });
    };
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.isLoaded(); }));
    EXPECT_FALSE(isShown()) << "of six minutes ago";
    page_.refreshNow();
    ASSERT_TRUE(until([&] { return isShown() && page_.isLoaded(); }));
    EXPECT_EQ(page_.model().row(351).newest.object, QStringLiteral("job-late"));
}

TEST_F(Audit, leavesOlderWritesToTheirPagesWhenSomebodyWantsItToBeReadAgain)
{
    ASSERT_TRUE(load());
    page_.refreshNow();
    ASSERT_TRUE(isQuiet());
    EXPECT_EQ(page_.model().rowCount(), 200);
    table()->scrollToBottom();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 400; }));
}

TEST_F(Audit, readsTheEventsOfAStoreWithoutAJournalNoFurtherBackThanTheyCanBeLate)
{
    auto link = fake_->link();
    link.journalProblem = QStringLiteral("No journal is configured.");
    fake_->setLink(link);
    ASSERT_TRUE(load());
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.isLoaded(); }));
    EXPECT_EQ(fake_->auditRequests.back().since,
              fake_->auditRows.front().at - std::chrono::seconds{5});
}

TEST_F(Audit, isNotReadAgainAtOnceWhereTheLastWriteOfAPersonIsFarBack)
{
    ASSERT_TRUE(load());
    for (auto& row : fake_->auditRows) {
        row.actor = QStringLiteral("ops@prod");
    }
    fake_->auditRows.back().actor = QStringLiteral("eve@night");
    fake_->auditRowsLookedAt = 50;
    fake_->latencyMs = 50;
    QTest::keyClicks(ui_.actor(), QStringLiteral("eve"));
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 1 && page_.isLoaded(); }));
    auto asked = fake_->auditQuestions;
    page_.refresh();
    EXPECT_EQ(fake_->auditQuestions, asked);

    QTest::keyClicks(ui_.actor(), QStringLiteral("@night"));
    ASSERT_TRUE(until([&] { return fake_->auditQuestions > asked + 4; }));
    fake_->nextError = Error{ErrorCode::Unavailable, "no answer in time"};
    ASSERT_TRUE(until([this] { return ui_.notice()->isVisible(); }));
    asked = fake_->auditQuestions;
    page_.refresh();
    EXPECT_EQ(fake_->auditQuestions, asked) << "nor where it failed on the way";
    ui_.notice()->findChild<QPushButton*>(QStringLiteral("messageBarRetry"))->click();
    EXPECT_EQ(fake_->auditQuestions, asked + 1) << "unless somebody wants it";
}

TEST_F(Audit, readsNoFurtherBackWhileItIsHidden)
{
    ASSERT_TRUE(load());
    fake_->latencyMs = 20;
    searchForEve({449});
    ASSERT_TRUE(until([this] { return requestsFrom("100") == 1; }));
    page_.hide();
    ASSERT_TRUE(isQuiet());
    const auto asked = fake_->auditQuestions;
    ASSERT_TRUE(isQuiet());
    EXPECT_EQ(fake_->auditQuestions, asked + 1) << "only the test has asked";
    page_.show();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 1; }));
    EXPECT_EQ(requestsFrom("50"), 1) << "it went on where it was";
}

TEST_F(Audit, goesOnWithOlderWritesWhereItWasHidden)
{
    ASSERT_TRUE(load());
    fake_->latencyMs = 20;
    searchForEve({5, 449});
    ASSERT_TRUE(until([this] { return requestsFrom("100") == 1; }));
    EXPECT_EQ(page_.model().rowCount(), 1);
    page_.hide();
    ASSERT_TRUE(isQuiet());
    const auto asked = fake_->auditQuestions;
    ASSERT_TRUE(isQuiet());
    EXPECT_EQ(fake_->auditQuestions, asked + 1) << "only the test has asked";
    page_.show();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 2; }));
    EXPECT_EQ(requestsFrom("100"), 1);
}

TEST_F(Audit, looksForNewerWritesAtOnceWhenSomebodyWantsItAlsoWhileItReadsOlderOnes)
{
    ASSERT_TRUE(load());
    fake_->latencyMs = 20;
    searchForEve({5, 449});
    ASSERT_TRUE(until([this] { return requestsFrom("100") == 1; }));
    const auto asked = fake_->auditQuestions;
    page_.refreshNow();
    EXPECT_EQ(fake_->auditQuestions, asked + 1);
    EXPECT_TRUE(fake_->auditRequests.back().cursor.empty());
    EXPECT_TRUE(until([this] { return page_.model().rowCount() == 2; }))
        << "and reads the older ones then";
}

TEST_F(Audit, readsOnWhereMostOfWhatIsReadWasWrittenByPrograms)
{
    ASSERT_TRUE(load());
    for (auto& row : fake_->auditRows) {
        row.actor = QStringLiteral("ops@prod");
    }
    for (const auto at : {130U, 240U, 449U}) {
        fake_->auditRows[at].actor = QStringLiteral("eve@night");
    }
    fake_->auditRowsLookedAt = 50;
    QTest::keyClicks(ui_.actor(), QStringLiteral("eve"));
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 3; }))
        << "nobody can scroll in a table of one row";
    EXPECT_TRUE(table()->isVisible());

    auto row = fake_->auditRows[130];
    row.at = fake_->time + Millis{5'000};
    row.object = QStringLiteral("job-new");
    std::vector<AuditRow> newer(120, fake_->auditRows.front());
    newer.back() = row;
    fake_->auditRows.insert(fake_->auditRows.begin(), newer.begin(), newer.end());
    emit session_->commands().written();  // so that it is read without the pause after the last
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 4; }));
    EXPECT_EQ(page_.model().row(0).newest.object, row.object);
}

namespace {

AuditRow limitOf(const char* from, const char* to)
{
    AuditRow row;
    row.actor = QStringLiteral("olga");
    row.verb = QStringLiteral("limit");
    row.object = QStringLiteral("sms");
    row.from = QString::fromLatin1(from);
    row.to = QString::fromLatin1(to);
    return row;
}

}  // namespace

TEST(AuditWords, tellTheOldAndTheNewDueTime)
{
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    preferences.setTimeZone("UTC");
    const TimeText times(preferences);
    AuditRow row;
    row.actor = QStringLiteral("olga");
    row.verb = QStringLiteral("reschedule");
    row.object = QStringLiteral("order-1");
    EXPECT_EQ(auditSentence(row, times), QStringLiteral("olga gave order-1 another due time"));
    row.dueAfter = fromEpochMs(1'793'000'000'000);
    EXPECT_EQ(auditSentence(row, times),
              QStringLiteral("olga moved the due time of order-1 to 2026-10-26 07:33:20"));
    row.dueBefore = *row.dueAfter - std::chrono::hours{1};
    EXPECT_EQ(auditSentence(row, times),
              QStringLiteral("olga moved the due time of order-1 from 2026-10-26 06:33:20 to "
                             "2026-10-26 07:33:20"));
    const auto all = auditSentenceOfMany({row, row, row}, times);
    EXPECT_TRUE(all.startsWith(QStringLiteral("olga moved the due times of 3 job")));
    EXPECT_TRUE(all.endsWith(QStringLiteral(" to 2026-10-26 07:33:20"))) << all.toStdString();
}

TEST(AuditWords, tellTheOldAndTheNewLimits)
{
    const QTemporaryDir home;
    const Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    const TimeText times(preferences);
    const auto told = [&](const char* from, const char* to) {
        return auditSentence(limitOf(from, to), times).toStdString();
    };
    EXPECT_EQ(told("4 0 1000", "8 0 1000"), "olga set the concurrency of topic sms from 4 to 8");
    EXPECT_EQ(told("0 0 0", "8 0 1000"), "olga set the concurrency of topic sms to 8");
    EXPECT_EQ(told("8 0 1000", "8 10 1000"), "olga set the rate of topic sms to 10/s");
    EXPECT_EQ(told("8 10 1000", "8 100 60000"),
              "olga set the rate of topic sms from 10/s to 100/m");
    EXPECT_EQ(told("8 10 1000", "0 10 1000"),
              "olga took the concurrency limit of topic sms away, which was 8");
    EXPECT_EQ(told("8 10 1000", "0 0 1000"), "olga took the limits of topic sms away");
    EXPECT_EQ(told("", "5 10 1000"),
              "olga set the concurrency of topic sms to 5, and its rate to 10/s")
        << "of an entry without the limits before";
    EXPECT_EQ(told("", ""), "olga changed the limits of the topic sms");
}

TEST_F(Audit, isOneLineForAnOrderThatEnterOpens)
{
    std::vector<AuditRow> order(300, fake_->auditRows[1]);
    for (std::size_t at = 0; at < order.size(); ++at) {
        order[at].at = fake_->time + Millis{20'000} - Millis{10 * static_cast<std::int64_t>(at)};
        order[at].object = QStringLiteral("of-order-%1").arg(at);
        order[at].reason = QStringLiteral("sent twice");
    }
    fake_->auditRows.insert(fake_->auditRows.begin(), order.begin(), order.end());
    page_.resize(1'200, 500);
    page_.show();
    page_.open(session_.get());
    ASSERT_TRUE(until([this] { return page_.model().rowCount() > 100; }))
        << "one line of 300 writes: what is below it comes by itself";
    const auto what = [this](int row) {
        return page_.model().index(row, AuditModel::What).data().toString();
    };
    EXPECT_TRUE(what(0).startsWith(QStringLiteral("ops@prod moved 300 job")));
    EXPECT_EQ(what(1), QStringLiteral("eve@night paused the topic big order"));
    const auto lines = page_.model().rowCount();
    table()->setCurrentIndex(page_.model().index(0, 0));
    QTest::keyClick(table(), Qt::Key_Return);
    ASSERT_EQ(page_.model().rowCount(), lines + 300);
    EXPECT_EQ(what(1), QStringLiteral("ops@prod moved of-order-0 to the trash"));
    AuditRow more = order.front();
    more.at += Millis{10};
    more.object = QStringLiteral("of-order-more");
    fake_->auditRows.insert(fake_->auditRows.begin(), more);
    page_.refresh();
    ASSERT_TRUE(until([&] { return page_.model().rowCount() == lines + 301; }))
        << "the order goes on";
    EXPECT_TRUE(what(0).startsWith(QStringLiteral("ops@prod moved 301 job")));
    EXPECT_EQ(what(1), QStringLiteral("ops@prod moved of-order-more to the trash"));
    QTest::keyClick(table(), Qt::Key_Return);
    EXPECT_EQ(page_.model().rowCount(), lines);
}

TEST_F(Audit, anOrderIsALineByItsIdAndNotByWhoAndWhen)
{
    fake_->auditRows.clear();
    for (int at = 0; at < 6; ++at) {
        AuditRow row;
        row.at = fake_->time - std::chrono::seconds{at * 60};  // a slow one
        row.actor = QStringLiteral("ops@prod");
        row.verb = QStringLiteral("trash");
        row.object = QStringLiteral("job-%1").arg(at);
        row.reason = QStringLiteral("undo: too many");
        // Two people's orders at once, one row of this after one of that.
        row.bulkActionId = at % 2 == 0 ? QStringLiteral("a1") : QStringLiteral("b2");
        fake_->auditRows.push_back(row);
    }
    page_.resize(1'200, 500);
    page_.show();
    page_.open(session_.get());
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 2; }));
    const auto text = [this](int row, int column) {
        return page_.model().index(row, column).data().toString();
    };
    EXPECT_TRUE(text(0, AuditModel::What).contains(QStringLiteral("3")));
    EXPECT_EQ(text(0, AuditModel::Reason), QStringLiteral("undone: too many"));
}

TEST_F(Audit, anOrderStaysOneLineWhenItGoesOnBesideAnother)
{
    fake_->auditRows.clear();
    const auto write = [this](int second, const char* order) {
        AuditRow row;
        row.at = fake_->time + std::chrono::seconds{second};
        row.actor = QStringLiteral("ops@prod");
        row.verb = QStringLiteral("trash");
        row.object = QStringLiteral("job-%1").arg(second);
        row.bulkActionId = QString::fromLatin1(order);
        fake_->auditRows.insert(fake_->auditRows.begin(), row);
    };
    write(1, "a1");
    write(2, "b2");
    page_.resize(1'200, 500);
    page_.show();
    page_.open(session_.get());
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 2; }));
    write(3, "b2");
    write(4, "a1");
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.model().writeCount() == 4; }));
    EXPECT_EQ(page_.model().rowCount(), 2);
    // What came last is known, though it is not in the first line.
    write(5, "b2");
    write(6, "");
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.model().writeCount() == 6; }));
    ASSERT_EQ(page_.model().rowCount(), 3);
    EXPECT_EQ(page_.model().row(0).newest.object, QStringLiteral("job-6"));
    EXPECT_EQ(page_.model().row(1).members.size(), 3U);
    EXPECT_EQ(page_.model().row(2).members.size(), 2U);
    EXPECT_EQ(page_.model().row(2).members.front().object, QStringLiteral("job-4"));
}

namespace {

AuditRow trashOfOrder(int second, const char* order)
{
    AuditRow row;
    row.at = TimePoint{} + std::chrono::seconds{second};
    row.verb = QStringLiteral("trash");
    row.object = QStringLiteral("job-%1").arg(second);
    row.bulkActionId = QString::fromLatin1(order);
    return row;
}

}  // namespace

TEST(AuditModel, addsAnOlderWriteToItsOrderAlsoPastOthers)
{
    const QTemporaryDir home;
    const Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    AuditModel model(preferences);
    model.append({trashOfOrder(9, "a1"), trashOfOrder(8, "b2")}, {});
    model.append({trashOfOrder(7, "c3"), trashOfOrder(6, "a1")}, {});
    ASSERT_EQ(model.rowCount(), 3);
    ASSERT_EQ(model.row(0).members.size(), 2U);
    EXPECT_EQ(model.row(0).members.back().object, QStringLiteral("job-6"));
    model.toggle(0);
    model.append({trashOfOrder(5, "a1")}, {});
    ASSERT_EQ(model.rowCount(), 6);
    EXPECT_EQ(model.row(3).newest.object, QStringLiteral("job-5"));
}

TEST(AuditModel, putsAWriteThatWasRecordedLateInItsPlaceOrIntoItsOrder)
{
    const QTemporaryDir home;
    const Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    AuditModel model(preferences);
    model.append({trashOfOrder(9, "a1"), trashOfOrder(7, "b2"), trashOfOrder(3, "a1")}, {});
    model.toggle(0);
    ASSERT_EQ(model.rowCount(), 4);
    ASSERT_TRUE(
        model.mergeNewest({trashOfOrder(10, "d4"), trashOfOrder(9, "a1"), trashOfOrder(8, "c3"),
                           trashOfOrder(7, "b2"), trashOfOrder(5, "a1"), trashOfOrder(3, "a1")},
                          {}));
    EXPECT_EQ(model.writeCount(), 6U);
    QStringList objects;
    for (const auto& line : model.rows()) {
        objects.append((line.isMember ? QStringLiteral("- ") : QString()) + line.newest.object);
    }
    EXPECT_EQ(objects.join(u' ').toStdString(), "job-10 job-9 - job-9 - job-5 - job-3 job-8 job-7");
    // A page that lies further back may begin with what has come late.
    model.append({trashOfOrder(8, "c3"), trashOfOrder(1, "e5")}, {});
    EXPECT_EQ(model.writeCount(), 7U);
    EXPECT_EQ(model.rows().back().newest.object, QStringLiteral("job-1"));
    EXPECT_EQ(model.rowCount(), 8);
}

TEST(ReasonText, saysWhatRestanteWroteInTheLanguageOfTheConsole)
{
    EXPECT_EQ(reasonText(QStringLiteral("undo: redo: by mistake")),
              QStringLiteral("undone: done again: by mistake"));
    EXPECT_EQ(reasonText(groupRetryReason(QStringLiteral("expired"))),
              QStringLiteral("retry of all that failed by: expired"));
    EXPECT_EQ(reasonText(QStringLiteral("later (attempts reset)")),
              QStringLiteral("later (attempts reset)"));
    EXPECT_EQ(reasonText(QStringLiteral("undoing is for others")),
              QStringLiteral("undoing is for others"))
        << "what people write stays";
}

}  // namespace restante::gui::test
