// The page of recurring reminders: on a fake store, and on one in memory that does what it is told.

#include "core/base/timestamp.h"
#include "core/reminder/reminder_plan.h"
#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/commands/job_actions.h"
#include "gui/operations/task_board.h"
#include "gui/pages/detail/job_detail.h"
#include "gui/pages/jobs/job_columns.h"
#include "gui/pages/jobs/jobs_page.h"
#include "gui/pages/reminders/reminders_page.h"
#include "gui/session/store_session.h"
#include "gui/theme/time_text.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/main_window_object.h"
#include "tests/gui/support/memory_opener.h"
#include "tests/gui/support/reminder_dialog_object.h"
#include "tests/gui/support/reminders_page_object.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/window_on_store.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QTemporaryDir>
#include <QTest>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

using namespace std::chrono_literals;
using reminder::ReminderRequest;

ReminderRequest reminderTo(const std::string& to, const std::string& every, const std::string& text)
{
    ReminderRequest request;
    request.id = "s-" + to.substr(to.find(':') + 1, 3);
    request.to = to;
    request.every = every;
    request.text = text;
    request.at = "2026-10-26 09:00";  // a Monday
    request.timeZone = "Europe/Berlin";
    return request;
}

QStringList texts(std::initializer_list<const char*> words)
{
    QStringList all;
    for (const auto* word : words) {
        all.append(QString::fromUtf8(word));
    }
    return all;
}

/// The job that stands for it, as it is when it has been made.
JobView seriesJob(const ReminderRequest& request, TimePoint now)
{
    auto planned = reminder::plan(request, {}, "set", now);
    EXPECT_TRUE(planned) << (planned ? "" : planned.error().message);
    JobView view;
    view.job = std::move(planned->pushes.front().job);
    view.job.created = now;
    view.due = planned->pushes.front().at.value();
    return view;
}

/// Monday, 26 October 2026, 07:33:20 UTC, when Berlin's clocks show 08:33:20.
class Reminders : public testing::Test {
protected:
    Reminders()
    {
        preferences_.setTimeZone("UTC");
        auto backend = std::make_unique<FakeBackend>();
        fake_ = backend.get();
        session_ = std::make_unique<StoreSession>(ConnectionProfile{}, std::move(backend));
        QObject::connect(&page_, &RemindersPage::bulkRequested,
                         [this](const BulkRequest& request) { wanted_.push_back(request); });
    }
    ~Reminders() override { page_.open(nullptr); }

    JobView& add(const std::string& to, const std::string& every, const std::string& text)
    {
        return fake_->jobs.emplace_back(seriesJob(reminderTo(to, every, text), fake_->time));
    }
    /// The job that one of them has sent two hours ago.
    JobView& sent(JobView& series, JobState state)
    {
        series.job.created = fake_->time - 72h;
        auto parsed = reminder::Series::parse(series.job.body).value();
        // It has begun three days ago.
        parsed.start = "2026-10-23 06:30:00";
        parsed.rule = "FREQ=DAILY";
        series.job.body = parsed.toString();
        const auto view = reminder::seriesViewOf(series, fake_->time, 1, 1);
        JobView run;
        run.job = parsed.job;
        run.job.id = view.last.value().id;
        run.state = state;
        return fake_->jobs.emplace_back(run);
    }
    bool load(int rows)
    {
        page_.resize(1'100, 640);
        page_.show();
        page_.open(session_.get());
        return until([&] { return page_.isLoaded() && ui_.rows() == rows; });
    }

    QTemporaryDir home_;
    Preferences preferences_{home_.filePath(QStringLiteral("admin.ini"))};
    ActionRegistry actions_;
    FakeBackend* fake_ = nullptr;
    std::unique_ptr<StoreSession> session_;
    RemindersPage page_{Context{actions_, preferences_}};
    const RemindersPageObject ui_{&page_};
    std::vector<BulkRequest> wanted_;
};

}  // namespace

TEST_F(Reminders, showsToWhomHowOftenWhatAndWhenItComesNext)
{
    add("sip:bob@example.org", "weekdays", "Stand-up\nin five minutes");
    add("https://example.org/hook", "FREQ=DAILY;BYHOUR=10", "beat");
    ASSERT_TRUE(load(2));
    EXPECT_EQ(ui_.count(), QStringLiteral("2 recurring reminder(s)"));
    // Sorted by the next time.
    EXPECT_EQ(ui_.people(), texts({"bob@example.org", "https://example.org/hook"}));
    EXPECT_EQ(ui_.cell(0, SeriesModel::Rule), QStringLiteral("weekdays at 09:00, Europe/Berlin"));
    EXPECT_EQ(ui_.cell(0, SeriesModel::Text), QStringLiteral("Stand-up in five minutes"));
    EXPECT_EQ(ui_.cell(0, SeriesModel::Next), QStringLiteral("in 26 min"));
    EXPECT_EQ(ui_.cell(0, SeriesModel::Last), QStringLiteral("none yet"));
    EXPECT_EQ(ui_.cell(0, SeriesModel::Status), QStringLiteral("active"));
    EXPECT_EQ(ui_.title(), QStringLiteral("bob@example.org")) << "the first is chosen";
    EXPECT_EQ(ui_.text(), QStringLiteral("Stand-up\nin five minutes"));
    for (const auto* internal : {"pull", "restante.reminders", "{\"v\"", "FREQ"}) {
        for (int column = SeriesModel::To; column <= SeriesModel::Status; ++column) {
            EXPECT_FALSE(ui_.cell(0, static_cast<SeriesModel::Column>(column))
                             .contains(QLatin1String(internal)));
        }
    }
}

TEST_F(Reminders, theNextFiveAreTheStoresOnBothClocks)
{
    const auto& job = add("sip:bob@example.org", "weekdays", "x");
    ASSERT_TRUE(load(1));
    EXPECT_EQ(ui_.next(), texts({"Mon 2026-10-26 09:00 CET", "Tue 2026-10-27 09:00 CET",
                                 "Wed 2026-10-28 09:00 CET", "Thu 2026-10-29 09:00 CET",
                                 "Fri 2026-10-30 09:00 CET"}));
    EXPECT_EQ(ui_.nextDetail(0), QStringLiteral("in 26 min · here Mon 2026-10-26 08:00 UTC"));
    const auto recurrence = reminder::Series::parse(job.job.body)->recurrence().value();
    auto at = fake_->time;
    const auto view = reminder::seriesViewOf(job, fake_->time, 5, 1);
    for (const auto shown : view.next) {
        at = recurrence.next(at).value();
        EXPECT_EQ(shown, at);
    }
}

TEST_F(Reminders, findsByRecipientRuleAndText)
{
    add("sip:bob@example.org", "weekdays", "stand-up");
    add("sip:carol@example.org", "FREQ=MONTHLY;BYDAY=1MO", "rota");
    ASSERT_TRUE(load(2));
    ui_.filter()->setText(QStringLiteral("ROTA"));
    EXPECT_EQ(ui_.people(), texts({"carol@example.org"}));
    ui_.filter()->setText(QStringLiteral("weekdays"));
    EXPECT_EQ(ui_.people(), texts({"bob@example.org"}));
    ui_.filter()->setText(QStringLiteral("nobody"));
    EXPECT_NE(ui_.instead().indexOf(QStringLiteral("“nobody”")), -1);
}

TEST_F(Reminders, anEmptyPageTeachesTheCommandThatBringsTheFirst)
{
    ASSERT_TRUE(load(0));
    EXPECT_TRUE(ui_.instead().contains(
        QStringLiteral("restantectl remind sip:bob@example.org --every weekdays --at \"2026-10-27 "
                       "09:00\"")))
        << ui_.instead().toStdString();
}

TEST_F(Reminders, tellsTheLastResultAndLeadsToItsJob)
{
    auto run = sent(add("sip:bob@example.org", "daily", "x"), JobState::Dead);
    fake_->jobs.back().lastError = "603 Decline";
    ASSERT_TRUE(load(1));
    EXPECT_TRUE(ui_.cell(0, SeriesModel::Last).startsWith(QStringLiteral("dead · ")));
    std::string shown;
    QObject::connect(&page_, &Page::jobRequested, [&](const std::string& id) { shown = id; });
    ui_.last()->click();
    EXPECT_EQ(shown, run.job.id);
}

TEST_F(Reminders, ofAJobThatTheStoreHasForgottenTheJournalTells)
{
    const auto run = sent(add("sip:bob@example.org", "daily", "x"), JobState::Done);
    fake_->jobs.pop_back();
    fake_->histories[run.job.id] = {{fake_->time - 2h, "push", {}, "scheduled", {}, {}, {}, {}},
                                    {fake_->time - 2h, "finish", "leased", {}, {}, {}, {}, {}}};
    ASSERT_TRUE(load(1));
    EXPECT_TRUE(ui_.cell(0, SeriesModel::Last).startsWith(QStringLiteral("delivered · ")))
        << ui_.cell(0, SeriesModel::Last).toStdString();
    EXPECT_FALSE(ui_.last()->isEnabled()) << "there is no job to show";
}

TEST_F(Reminders, whatTheJournalTellsOfAnOccurrenceIsNotShownForALaterOne)
{
    sent(add("sip:bob@example.org", "daily", "x"), JobState::Done);
    fake_->jobs.pop_back();
    ASSERT_TRUE(load(1));
    const auto becomes = [&](const char* last) {
        return until([&] {
            const auto shown = ui_.cell(0, SeriesModel::Last);
            EXPECT_NE(shown, QStringLiteral("delivered · 4 h ago")) << "that was the second one";
            return shown == QString::fromUtf8(last);
        });
    };
    const auto showNext = [&](const char* verb, const char* to) {
        fake_->time += 25h;
        fake_->jobs.front().due += 24h;
        const auto next =
            reminder::seriesViewOf(fake_->jobs.front(), fake_->time, 1, 1).last.value();
        fake_->histories[next.id] = {{next.at, "push", {}, "scheduled", {}, {}, {}, {}},
                                     {next.at, verb, "leased", to, {}, {}, {}, {}}};
        page_.showSeries("s-bob");
    };
    fake_->latencyMs = 200;
    showNext("finish", "");
    ASSERT_TRUE(becomes("… · 3 h ago"));
    // The history of the second is on its way when the list has the third, whose history takes long
    // enough that a wrong answer would be seen.
    fake_->latencyMs = 0;
    showNext("bury", "dead");
    fake_->latencyMs = 200;
    EXPECT_TRUE(becomes("not in the store any more · 4 h ago"));
}

TEST_F(Reminders, withoutAJournalItDoesNotSayThatItWasDelivered)
{
    sent(add("sip:bob@example.org", "daily", "x"), JobState::Done);
    fake_->jobs.pop_back();
    fake_->historyError = Error{ErrorCode::Unavailable, "there is no journal"};
    ASSERT_TRUE(load(1));
    EXPECT_TRUE(ui_.cell(0, SeriesModel::Last)
                    .startsWith(QStringLiteral("not in the store any "
                                               "more · ")));
}

TEST_F(Reminders, skippingMovesItToTheTimeAfterTheNext)
{
    const auto due = add("sip:bob@example.org", "weekdays", "x").due;
    ASSERT_TRUE(load(1));
    ui_.skip()->click();
    ASSERT_EQ(wanted_.size(), 1U);
    EXPECT_EQ(wanted_[0].verb, BulkAction::Verb::Reschedule);
    EXPECT_EQ(wanted_[0].selection.ids, std::vector<std::string>{"s-bob"});
    EXPECT_EQ(wanted_[0].due, due + 24h);
    EXPECT_EQ(wanted_[0].expectedDues, std::vector<TimePoint>{due}) << "only while it is so";
}

TEST_F(Reminders, onePausedIsResumedWithWhatIsStillToCome)
{
    auto& job = add("sip:bob@example.org", "weekdays", "x");
    job.state = JobState::Held;
    job.heldOutsideMailbox = true;
    job.due = fake_->time - 95h;  // Thursday
    ASSERT_TRUE(load(1));
    EXPECT_EQ(ui_.state(), QStringLiteral("paused"));
    EXPECT_FALSE(ui_.problem()->isVisible());
    EXPECT_EQ(ui_.cell(0, SeriesModel::Next), QString()) << "nothing comes by itself";
    EXPECT_EQ(ui_.nextTitle(), QStringLiteral("If it is resumed now"));
    EXPECT_FALSE(ui_.skip()->isEnabled());
    EXPECT_EQ(ui_.pause()->text(), QStringLiteral("Resume"));
    ui_.pause()->click();
    ASSERT_EQ(wanted_.size(), 1U);
    EXPECT_EQ(wanted_[0].verb, BulkAction::Verb::Reschedule) << "not released: that sends the past";
    EXPECT_EQ(wanted_[0].due, parseTimestamp("2026-10-26T08:00:00Z").value());
    EXPECT_EQ(wanted_[0].expectedStates, std::vector<JobState>{JobState::Held});
}

TEST_F(Reminders, cancellingTakesWhatItHasSentAndIsNotDeliveredYet)
{
    const auto run = sent(add("sip:bob@example.org", "daily", "x"), JobState::Held);
    add("sip:carol@example.org", "weekdays", "x");
    ASSERT_TRUE(load(2));
    ui_.choose(ui_.people().indexOf(QStringLiteral("bob@example.org")));
    ui_.cancel()->click();
    ASSERT_TRUE(until([&] { return !wanted_.empty(); }));
    EXPECT_EQ(wanted_[0].verb, BulkAction::Verb::Trash);
    EXPECT_EQ(wanted_[0].selection.ids, (std::vector<std::string>{"s-bob", run.job.id}));
}

TEST_F(Reminders, cancellingTakesAllThatWaitsHoweverManyThereAre)
{
    auto run = sent(add("sip:bob@example.org", "daily", "x"), JobState::Held);
    constexpr std::size_t kMore = 400;
    for (std::size_t at = 0; at < kMore; ++at) {
        run.job.id = "s-bob." + std::to_string(at);
        fake_->jobs.push_back(run);
    }
    ASSERT_TRUE(load(1));
    ui_.cancel()->click();
    ASSERT_TRUE(until([&] { return !wanted_.empty(); }));
    EXPECT_EQ(wanted_[0].selection.ids.size(), 2 + kMore);
    EXPECT_EQ(wanted_[0].selection.count, 2 + kMore);
}

TEST_F(Reminders, oneIsNotCancelledWhileWhatItHasSentIsNotKnown)
{
    sent(add("sip:bob@example.org", "daily", "x"), JobState::Held);
    ASSERT_TRUE(load(1));
    fake_->nextError = Error{ErrorCode::Unavailable, "the store is busy"};
    ui_.cancel()->click();
    ASSERT_TRUE(until([&] { return !ui_.notice().isEmpty(); }));
    EXPECT_TRUE(ui_.notice().contains(QStringLiteral("the store is busy")));
    EXPECT_TRUE(wanted_.empty());
}

TEST_F(Reminders, oneIsNotCancelledWhenItHasSentMoreThanIsLookedAt)
{
    auto run = sent(add("sip:bob@example.org", "daily", "x"), JobState::Held);
    for (int at = 0; at < 10'000; ++at) {
        run.job.id = "s-bob." + std::to_string(at);
        fake_->jobs.push_back(run);
    }
    ASSERT_TRUE(load(1));
    ui_.cancel()->click();
    ASSERT_TRUE(until([&] { return !ui_.notice().isEmpty(); }));
    EXPECT_TRUE(ui_.notice().contains(QStringLiteral("too many")));
    EXPECT_TRUE(wanted_.empty()) << "what is behind that would be sent";
}

TEST_F(Reminders, whyOneWasNotCancelledIsToldWhileThatOneIsChosen)
{
    add("sip:bob@example.org", "weekdays", "x");
    add("sip:carol@example.org", "weekdays", "x");
    ASSERT_TRUE(load(2));
    auto* notice = page_.findChild<QWidget*>(QStringLiteral("remindersNotice"));
    const auto fail = [&] {
        ui_.choose(0);
        fake_->nextError = Error{ErrorCode::Unavailable, "the store is busy"};
        ui_.cancel()->click();
        return until([&] { return notice->isVisible(); });
    };
    ASSERT_TRUE(fail());
    ui_.choose(1);
    EXPECT_FALSE(notice->isVisible());
    ASSERT_TRUE(fail());
    const auto gone = "s-" + ui_.people().front().left(3).toStdString();
    std::erase_if(fake_->jobs, [&](const JobView& view) { return view.job.id == gone; });
    emit session_->commands().written();
    ASSERT_TRUE(until([&] { return ui_.rows() == 1; }));
    EXPECT_FALSE(notice->isVisible());
}

TEST_F(Reminders, oneThatNobodyCanReadSaysSoAndCannotBeEdited)
{
    add("sip:bob@example.org", "weekdays", "x").job.body = "rubbish";
    ASSERT_TRUE(load(1));
    EXPECT_EQ(ui_.state(), QStringLiteral("stopped"));
    EXPECT_TRUE(ui_.problem()->isVisible());
    EXPECT_FALSE(ui_.edit()->isEnabled());
    EXPECT_TRUE(ui_.cancel()->isEnabled());
}

TEST_F(Reminders, onePausedThatNobodyCanReadSaysSo)
{
    auto& job = add("sip:bob@example.org", "weekdays", "x");
    job.job.body = "rubbish";
    job.state = JobState::Held;
    job.heldOutsideMailbox = true;
    ASSERT_TRUE(load(1));
    EXPECT_EQ(ui_.state(), QStringLiteral("stopped"));
    EXPECT_TRUE(ui_.problem()->isVisible());
    EXPECT_FALSE(ui_.problem()->text().isEmpty());
}

TEST_F(Reminders, oneThatNobodySendsIsLate)
{
    auto& job = add("sip:bob@example.org", "weekdays", "x");
    job.due = parseTimestamp("2026-10-26T07:00:00Z").value();
    auto series = reminder::Series::parse(job.job.body).value();
    series.start = "2026-10-26 08:00:00";
    job.job.body = series.toString();
    ASSERT_TRUE(load(1));
    EXPECT_EQ(ui_.state(), QStringLiteral("late"));
    EXPECT_TRUE(ui_.problem()->isVisible());
}

TEST_F(Reminders, withTheStoreAwayNothingIsExactAndNothingCanBeDone)
{
    add("sip:bob@example.org", "weekdays", "x");
    ASSERT_TRUE(load(1));
    LinkState link = fake_->link();
    link.phase = LinkState::Phase::Lost;
    link.problem = QStringLiteral("away");
    fake_->setLink(link);
    EXPECT_TRUE(ui_.count().endsWith(QStringLiteral("when the store was last read")));
    for (auto* button : {ui_.skip(), ui_.pause(), ui_.edit(), ui_.cancel(), ui_.makeNew()}) {
        EXPECT_FALSE(button->isEnabled()) << button->text().toStdString();
    }
}

TEST_F(Reminders, whatIsNotAllOfThemIsSaidToBeAtLeast)
{
    add("sip:bob@example.org", "weekdays", "x");
    fake_->seriesComplete = false;
    ASSERT_TRUE(load(1));
    EXPECT_EQ(ui_.count(), QStringLiteral("at least 1 recurring reminder(s)"));
}

TEST_F(Reminders, whatStrangersWriteIsShownLetterByLetter)
{
    add("sip:bob@example.org", "weekdays", "<b>bold</b><img src=http://x>");
    ASSERT_TRUE(load(1));
    EXPECT_EQ(ui_.text(), QStringLiteral("<b>bold</b><img src=http://x>"));
    EXPECT_EQ(ui_.cell(0, SeriesModel::Text), QStringLiteral("<b>bold</b><img src=http://x>"));
}

TEST_F(Reminders, theChosenOneStaysChosenWhenTheStoreIsReadAgain)
{
    add("sip:bob@example.org", "weekdays", "x");
    add("sip:carol@example.org", "weekdays", "y");
    ASSERT_TRUE(load(2));
    ui_.choose(ui_.people().indexOf(QStringLiteral("carol@example.org")));
    add("sip:dave@example.org", "weekdays", "z");
    page_.showSeries("s-car");
    ASSERT_TRUE(until([&] { return ui_.rows() == 3; }));
    EXPECT_EQ(ui_.title(), QStringLiteral("carol@example.org"));
}

namespace {

/// How a rule reads, in English.
QString wordsOf(const std::string& every, const std::string& at = "2026-10-26 09:00")
{
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    auto request = reminderTo("sip:bob@example.org", every, "x");
    request.at = at;
    const auto job = seriesJob(request, parseTimestamp("2026-10-20T00:00:00Z").value());
    return SeriesText(preferences).ruleAndZone(reminder::Series::parse(job.job.body).value());
}

}  // namespace

TEST(SeriesWords, sayEachRuleAsPeopleDo)
{
    const auto in = [](const char* words) {
        return QString::fromUtf8(words) + QStringLiteral(", Europe/Berlin");
    };
    EXPECT_EQ(wordsOf("daily"), in("daily at 09:00"));
    EXPECT_EQ(wordsOf("weekdays", "2026-10-26 09:30"), in("weekdays at 09:30"));
    EXPECT_EQ(wordsOf("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR"), in("weekdays at 09:00"));
    EXPECT_EQ(wordsOf("weekends"), in("weekends at 09:00"));
    EXPECT_EQ(wordsOf("weekly"), in("every Monday at 09:00")) << "the day on which it starts";
    EXPECT_EQ(wordsOf("friday"), in("every Friday at 09:00"));
    EXPECT_EQ(wordsOf("FREQ=WEEKLY;BYDAY=FR,MO,WE"), in("Mon, Wed, Fri at 09:00"));
    EXPECT_EQ(wordsOf("2w"), in("every 2 week(s) on Monday at 09:00"));
    EXPECT_EQ(wordsOf("3d"), in("every 3 day(s) at 09:00"));
    EXPECT_EQ(wordsOf("monthly"), in("on day 26 of each month at 09:00"));
    EXPECT_EQ(wordsOf("FREQ=MONTHLY;BYMONTHDAY=-1"), in("the last day of each month at 09:00"));
    EXPECT_EQ(wordsOf("FREQ=MONTHLY;BYDAY=1MO"), in("the first Monday of each month at 09:00"));
    EXPECT_EQ(wordsOf("FREQ=MONTHLY;BYDAY=-1FR"), in("the last Friday of each month at 09:00"));
    EXPECT_EQ(wordsOf("FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1"),
              in("every 3 month(s) on day 1 at 09:00"));
    EXPECT_EQ(wordsOf("yearly"), in("each year on 26 October at 09:00"));
    EXPECT_EQ(wordsOf("FREQ=DAILY;BYHOUR=7;BYMINUTE=15"), in("daily at 07:15"));
}

TEST(SeriesWords, saySpansWithoutAZone)
{
    EXPECT_EQ(wordsOf("hourly"), QStringLiteral("every hour"));
    EXPECT_EQ(wordsOf("2h"), QStringLiteral("every 2 hour(s)"));
    EXPECT_EQ(wordsOf("20m"), QStringLiteral("every 20 minute(s)"));
}

TEST(SeriesWords, showARuleThatHasNoWordsAsItIs)
{
    for (const auto* rule :
         {"FREQ=DAILY;BYHOUR=8,20", "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-1", "FREQ=DAILY;BYMONTH=1",
          "FREQ=MONTHLY;BYMONTHDAY=1,15", "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO"}) {
        EXPECT_EQ(wordsOf(rule), QString::fromLatin1(rule) + QStringLiteral(", Europe/Berlin"));
    }
    EXPECT_EQ(wordsOf("FREQ=HOURLY;BYDAY=MO"), QStringLiteral("FREQ=HOURLY;BYDAY=MO"));
}

namespace {

/// The page with the commands of a window, on a store in memory: what it says is done.
class RemindersInMemory : public testing::Test {
protected:
    RemindersInMemory()
    {
        preferences_.setTimeZone("UTC");
        session_ = memorySession([](MemoryJobStore& store, restante::test::ManualClock& clock) {
            const auto request = reminderTo("sip:bob@example.org", "daily", "stand-up");
            const auto at = parseTimestamp("2026-10-26T05:00:00Z").value();
            clock.set(at);
            const auto job = seriesJob(request, clock.now());
            PushRequest push;
            push.job = job.job;
            push.due = job.due;
            store.push(std::move(push), [](const Result<PushOutcome>& done) {
                EXPECT_TRUE(done) << (done ? "" : done.error().message);
            });
        });
        commands_.open(session_.get());
        QObject::connect(&page_, &RemindersPage::bulkRequested,
                         [this](const BulkRequest& request) { commands_.start(request); });
        QObject::connect(&page_, &RemindersPage::editRequested, &commands_,
                         &JobActions::editSeries);
        QObject::connect(&page_, &RemindersPage::newSeriesRequested, &commands_,
                         &JobActions::newRecurringReminder);
        page_.resize(1'100, 640);
        page_.show();
        page_.open(session_.get());
        EXPECT_TRUE(until([&] { return page_.isLoaded() && ui_.rows() == 1; }));
    }
    ~RemindersInMemory() override
    {
        page_.open(nullptr);
        commands_.open(nullptr);
    }
    bool comesFirst(const char* time)
    {
        return until(
            [&] { return !ui_.next().isEmpty() && ui_.next().front() == QLatin1String(time); });
    }

    QTemporaryDir home_;
    Preferences preferences_{home_.filePath(QStringLiteral("admin.ini"))};
    ActionRegistry actions_;
    QWidget window_;
    TaskBoard board_;
    std::unique_ptr<StoreSession> session_;
    JobActions commands_{Context{actions_, preferences_}, board_, &window_};
    RemindersPage page_{Context{actions_, preferences_}};
    const RemindersPageObject ui_{&page_};
};

}  // namespace

TEST_F(RemindersInMemory, skipAndItsUndoMoveTheNextTime)
{
    ASSERT_TRUE(comesFirst("Mon 2026-10-26 09:00 CET"));
    ui_.skip()->click();
    EXPECT_TRUE(comesFirst("Tue 2026-10-27 09:00 CET"));
    ASSERT_TRUE(until([&] { return commands_.steps().undoable() != nullptr; }));
    commands_.undo();
    EXPECT_TRUE(comesFirst("Mon 2026-10-26 09:00 CET"));
}

TEST_F(RemindersInMemory, pauseAndResumeLeaveItsTimesAlone)
{
    ui_.pause()->click();
    ASSERT_TRUE(until([&] { return ui_.state() == QStringLiteral("paused"); }));
    ui_.pause()->click();
    ASSERT_TRUE(until([&] { return ui_.state() == QStringLiteral("active"); }));
    EXPECT_TRUE(comesFirst("Mon 2026-10-26 09:00 CET"));
}

TEST_F(RemindersInMemory, cancelTakesItAwayAndUndoBringsItBack)
{
    ui_.cancel()->click();
    ASSERT_TRUE(until([&] { return ui_.rows() == 0; }));
    ASSERT_TRUE(until([&] { return commands_.steps().undoable() != nullptr; }));
    commands_.undo();
    EXPECT_TRUE(until([&] { return ui_.rows() == 1; }));
}

TEST_F(RemindersInMemory, editShowsWhatItIsAndStoresWhatItShallBe)
{
    ui_.edit()->click();
    auto* dialog = newestOf<QDialog>(window_);
    ASSERT_NE(dialog, nullptr);
    const ReminderDialogObject form(dialog);
    EXPECT_EQ(dialog->windowTitle(), QStringLiteral("Change Recurring Reminder"));
    EXPECT_EQ(form.to()->text(), QStringLiteral("sip:bob@example.org"));
    EXPECT_EQ(form.text()->toPlainText(), QStringLiteral("stand-up"));
    EXPECT_EQ(dialog->findChild<QDateTimeEdit*>()->text(), QStringLiteral("2026-10-26 09:00"));
    ASSERT_TRUE(until([&] { return form.preview()->count() == 5; }));
    form.text()->setPlainText(QStringLiteral("get up"));
    auto* every = dialog->findChild<QComboBox*>(QStringLiteral("every"));
    every->setEditText(QStringLiteral("weekends"));
    ASSERT_TRUE(until([&] { return form.accept()->isEnabled(); }));
    form.accept()->click();
    ASSERT_TRUE(until([&] { return ui_.text() == QStringLiteral("get up"); }));
    EXPECT_EQ(ui_.rule(), QStringLiteral("weekends at 09:00, Europe/Berlin"));
    EXPECT_EQ(ui_.rows(), 1) << "it took the place of the old one";
}

TEST_F(RemindersInMemory, aNewOneIsRecurringFromTheStart)
{
    ui_.makeNew()->click();
    auto* dialog = newestOf<QDialog>(window_);
    ASSERT_NE(dialog, nullptr);
    const ReminderDialogObject form(dialog);
    form.to()->setText(QStringLiteral("https://example.org/hook"));
    form.text()->setPlainText(QStringLiteral("beat"));
    QString stored;
    QObject::connect(&commands_, &JobActions::seriesRequested,
                     [&](const QString& id) { stored = id; });
    ASSERT_TRUE(until([&] { return form.accept()->isEnabled(); }));
    form.accept()->click();
    ASSERT_TRUE(until([&] { return !stored.isEmpty() && ui_.rows() == 2; }));
    page_.showSeries(stored.toStdString());
    EXPECT_EQ(ui_.title(), QStringLiteral("https://example.org/hook"));
}

namespace {

/// The console's window on a store with one series and a job that it has sent.
class RemindersInTheWindow : public testing::Test {
protected:
    RemindersInTheWindow()
    {
        main_.openFake([](FakeBackend& fake) {
            auto series =
                seriesJob(reminderTo("sip:bob@example.org", "weekdays", "stand-up"), fake.time);
            JobView run;
            run.job = reminder::Series::parse(series.job.body)->job;
            run.job.id = "s-bob.1792800000000";
            run.state = JobState::Ready;
            fake.jobs = {series, run};
            fake.topicActivity.leased.emplace();
            fake.topicActivity.held.jobs[std::string(reminder::kSeriesTopic)] = 2;
            fake.storeCounts.topics = {{Channel::Pull, std::string(reminder::kSeriesTopic), 1, 0}};
        });
        main_.show();
    }
    QWidget* link(const std::string& id)
    {
        main_.jobs().showFilter(QString::fromStdString("id:" + id));
        auto& detail = main_.jobs().detail();
        detail.showJob(id);
        auto* found = detail.findChild<LinkButton*>(QStringLiteral("jobSeries"));
        return until([&] { return !found->isHidden(); }) ? found : nullptr;
    }
    WindowOnStore main_;
};

}  // namespace

TEST_F(RemindersInTheWindow, theRailCountsThemWithThoseThatArePaused)
{
    const auto count = [&] { return main_.ui().tab(PageId::Reminders).count(); };
    EXPECT_TRUE(until([&] { return count() == 3U; })) << count().value_or(99);
    main_.fake->topicActivity.held.isComplete = false;
    main_.fake->storeCounts.topics.clear();
    main_.window.actions()[ActionId::Refresh]->trigger();
    EXPECT_TRUE(until([&] { return !count(); })) << "nobody knows how many are paused";
}

TEST_F(RemindersInTheWindow, areReadAtOnceWhenSomebodyWantsItAlsoOfASlowStore)
{
    main_.fake->latencyMs = 50;
    main_.window.showPage(PageId::Reminders);
    auto& page = main_.window.page(PageId::Reminders);
    ASSERT_TRUE(until([&] { return page.isLoaded(); }));
    const auto asked = main_.fake->seriesQueries.size();
    page.refresh();
    EXPECT_EQ(main_.fake->seriesQueries.size(), asked) << "it rests for a second";
    main_.window.actions()[ActionId::Refresh]->trigger();
    EXPECT_EQ(main_.fake->seriesQueries.size(), asked + 1);
}

TEST_F(RemindersInTheWindow, aJobOfOneSaysSoInWordsAndLeadsToIt)
{
    auto* found = static_cast<LinkButton*>(link("s-bob.1792800000000"));
    ASSERT_NE(found, nullptr);
    EXPECT_TRUE(until([&] { return found->text().contains(QStringLiteral("weekdays at 09:00")); }))
        << found->text().toStdString();
    found->click();
    EXPECT_EQ(main_.window.shownId(), PageId::Reminders);
    const RemindersPageObject ui(main_.window.findChild<QWidget*>(QStringLiteral("remindersPage")));
    EXPECT_TRUE(until([&] { return ui.rows() == 1; }));
    EXPECT_EQ(ui.title(), QStringLiteral("bob@example.org"));
}

TEST_F(RemindersInTheWindow, theJobThatStandsForOneIsShownAsAReminder)
{
    auto* found = link("s-bob");
    ASSERT_NE(found, nullptr);
    auto* why = main_.jobs().detail().findChild<QLabel*>(QStringLiteral("jobWhy"));
    EXPECT_TRUE(until([&] {
        return why->text() == QStringLiteral("A recurring reminder to bob@example.org: weekdays at "
                                             "09:00, Europe/Berlin.");
    })) << why->text().toStdString();
    const auto row = rowOf(main_.fake->jobs.front());
    EXPECT_EQ(row.text, QStringLiteral("stand-up"));
    const TimeText times(main_.preferences);
    for (const auto column : {JobColumn::Topic, JobColumn::Channel}) {
        EXPECT_EQ(textOf(row, column, times, main_.fake->time),
                  QStringLiteral("recurring reminder"));
    }
}

}  // namespace restante::gui::test
