// The overview: what an administrator reads first, and where each of its numbers leads.

#include "gui/operations/task_board.h"
#include "gui/pages/dialogs/confirm_dialog.h"
#include "gui/pages/mailboxes/mailboxes_page.h"
#include "gui/pages/overview/day_moves.h"
#include "gui/pages/overview/overview_page.h"
#include "gui/pages/topics/topics_page.h"
#include "gui/theme/empty_pane.h"
#include "tests/gui/support/confirm_dialog_object.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/mailboxes_page_object.h"
#include "tests/gui/support/overview_page_object.h"
#include "tests/gui/support/screens.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/wearing.h"
#include "tests/gui/support/window_on_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::Contains;

/// What a journal has of the last 24 hours: in each step so many of each.
Past aDay(TimePoint now, std::uint64_t finished, std::uint64_t buried, std::uint64_t expired)
{
    Past past;
    const auto begin = DayMoves::request(now, now).begin;
    for (auto at = begin; at < now; at += DayMoves::kStep) {
        past.moves[{at, "finish"}] = finished;
        past.moves[{at, "bury"}] = buried;
        past.moves[{at, "expire"}] = expired;
        past.moves[{at, "push"}] = 1'000;
        PastBacklog waited;
        waited.at = at;
        waited.until = at + DayMoves::kStep;
        waited.states = {
            {JobState::Scheduled, 40.0}, {JobState::Ready, 2.0}, {JobState::Held, 8.0}};
        waited.lateness = Lateness{Millis{10}, Millis{20}, Millis{30}, Millis{4'000}};
        past.backlog.push_back(waited);
    }
    past.knownFrom = begin;
    past.knownUntil = now;
    return past;
}

void fill(FakeBackend& store)
{
    const auto now = store.time;
    auto& states = store.storeCounts.states;
    states[JobState::Scheduled] = 300;
    states[JobState::Ready] = 13;
    states[JobState::Held] = 100;
    states[JobState::Dead] = 149;
    states[JobState::Done] = 5'000;
    store.nextSample.at = now;
    store.nextSample.lateness = Lateness{Millis{10}, Millis{20}, Millis{30}, minutes{12}};
    store.reasons.jobs = {{"connection refused", 67},
                          {"480 Temporarily Unavailable", 51},
                          {"attempts used up: 480 Temporarily Unavailable", 20},
                          {"expired", 31}};
    store.reasons.examined = 149 + 20;
    store.journalPast = aDay(now, 10, 1, 2);
    RegisteredDevice phone;
    phone.device = "phone";
    phone.until = now + hours{1};
    phone.registered = true;
    auto& dave = store.mailboxViews["sip:dave@example.org"];
    dave.waiting = 38;
    dave.devices = {phone};
    phone.registered = false;
    phone.until = now - minutes{1};
    auto& carol = store.mailboxViews["sip:carol@example.org"];
    carol.waiting = 1'038;
    carol.devices = {phone};
    store.mailboxViews["sip:+4930@example.net"].waiting = 4;
    for (const auto* name : {"order", "sip"}) {
        TopicView topic;
        topic.topic = name;
        topic.channels.push_back({Channel::Pull, name, 150, 6});
        store.topicList.push_back(topic);
    }
    store.topicList[0].pause = TopicPause{};
    store.topicActivity.rates["sip"] = {2, 1.5};
    store.topicActivity.dead.jobs = {{"graveyard", 149}};
    store.topicActivity.held.jobs = {{"sip", 100}};
    store.topicActivity.held.isComplete = false;
}

class OverviewTest : public testing::Test, protected WindowOnStore {
protected:
    void openStore(const std::function<void(FakeBackend&)>& prepare = &fill,
                   ConnectionProfile profile = {})
    {
        profile.name = QStringLiteral("office sip");
        preferences.setTimeZone("UTC");
        openFake(prepare, profile);
        show();
        window.showPage(PageId::Overview);
        ASSERT_TRUE(until([&] { return window.overview().isLoaded(); }));
        turn();
    }
    OverviewPageObject page() { return OverviewPageObject(window.overview()); }
    std::string shownFilter()
    {
        return window.jobs().isVisible() ? window.jobs().shownView().filter.text() : "elsewhere";
    }
    void press(const char* name)
    {
        window.showPage(PageId::Overview);
        turn();
        page().called(name)->click();
    }
    std::string texts(const QWidget* part)
    {
        return OverviewPageObject::textsOf(part).join(u'\n').toStdString();
    }
};

}  // namespace

TEST_F(OverviewTest, saysWhoDelivers)
{
    openStore();
    EXPECT_TRUE(page().daemons()->text().startsWith(QStringLiteral("1 daemon")));
    fake->daemonList.clear();
    EXPECT_TRUE(
        until([&] { return page().daemons()->text() == QLatin1String("Nobody delivers"); }));
}

TEST_F(OverviewTest, countsWhatWasDeliveredAndFailedSinceMidnight)
{
    openStore();
    // Midnight lies a whole number of steps back.
    const auto steps = ((fake->time.time_since_epoch() % hours{24}) / DayMoves::kStep) + 1;
    EXPECT_EQ(page().number(page().delivered())->text().remove(u','), QString::number(10 * steps));
    EXPECT_EQ(page().number(page().failed())->text().remove(u','), QString::number(3 * steps));
    EXPECT_EQ(page().day(page().delivered())->values().size(), 96U);
    EXPECT_EQ(page().day(page().delivered())->values()[50], 10.0);
    EXPECT_EQ(page().day(page().failed())->values()[50], 3.0);
}

TEST_F(OverviewTest, goesOnCountingByTheCountersOfTheStore)
{
    openStore();
    const auto before = page().number(page().delivered())->text().remove(u',').toInt();
    fake->time += minutes{1};
    fake->nextSample.at = fake->time;
    fake->nextSample.moves["finish"] = 7;
    window.actions()[ActionId::Refresh]->trigger();
    EXPECT_TRUE(until([&] {
        return page().number(page().delivered())->text().remove(u',').toInt() == before + 7;
    }));
}

TEST_F(OverviewTest, withoutAJournalItSaysSinceWhenItCounts)
{
    openStore([](FakeBackend& store) {
        fill(store);
        store.journalPast.reset();
    });
    EXPECT_THAT(texts(page().delivered()), testing::HasSubstr("Delivered since "));
    EXPECT_EQ(page().number(page().delivered())->text(), QStringLiteral("0"));
    EXPECT_TRUE(page()
                    .number(page().delivered())
                    ->toolTip()
                    .contains(QStringLiteral("no journal is known")));
}

TEST_F(OverviewTest, saysWhatWaitsAndHowLateItIs)
{
    openStore();
    EXPECT_EQ(page().number(page().waiting())->text(), QStringLiteral("413"));
    EXPECT_THAT(texts(page().waiting()), testing::HasSubstr("300 scheduled · 100 held"));
    EXPECT_EQ(page().number(page().late())->text(), QStringLiteral("13"));
    EXPECT_THAT(texts(page().late()), testing::HasSubstr("the oldest is 12 min late"));
    EXPECT_EQ(page().day(page().waiting())->values().back(), 50.0);
    EXPECT_EQ(page().day(page().late())->values().back(), 4'000.0);
}

TEST_F(OverviewTest, everyNumberLeadsToTheJobsThatItCounts)
{
    openStore();
    const std::pair<Figure*, const char*> figures[]{
        {page().delivered(), "state:done"},
        {page().failed(), "state:dead"},
        {page().waiting(), "state:scheduled,ready,held"},
        {page().late(), "state:ready"}};
    for (const auto& [figure, filter] : figures) {
        window.showPage(PageId::Overview);
        OverviewPageObject::number(figure)->click();
        EXPECT_EQ(shownFilter(), filter);
    }
    press("Topic sip");
    EXPECT_EQ(shownFilter(), R"(topic:"sip")");
    press("sip: 156, waiting");
    EXPECT_EQ(shownFilter(), R"(state:scheduled,ready topic:"sip")");
    press("graveyard: 149, dead");
    EXPECT_EQ(shownFilter(), R"(state:dead topic:"graveyard")");
    press("Look at: connection refused");
    EXPECT_EQ(shownFilter(), R"(state:dead err:"connection refused")");
    window.showPage(PageId::Overview);
    turn();
    emit page().topics()->moreRequested();
    EXPECT_TRUE(window.page(PageId::Topics).isVisible());
}

TEST_F(OverviewTest, groupsTheDeadByReasonTheCommonestFirst)
{
    openStore();
    const auto& reasons = page().reasons()->reasons();
    ASSERT_EQ(reasons.size(), 4U);
    EXPECT_EQ(reasons[0].error, "connection refused");
    EXPECT_EQ(reasons[0].jobs, 67U);
    EXPECT_EQ(reasons[3].jobs, 20U);
    EXPECT_FALSE(reasons[2].canRetry) << "an expired job is not tried again";
    // The filter of a reason finds no job of another that has its words in it.
    const auto filter = JobFilter::parse(reasons[1].filter.toStdString());
    ASSERT_TRUE(filter);
    JobView dead;
    dead.state = JobState::Dead;
    for (const auto& reason : reasons) {
        dead.lastError = reason.error;
        EXPECT_EQ(filter->matches(dead, fake->time), reason.error == reasons[1].error)
            << reason.error;
    }
}

TEST_F(OverviewTest, aReasonOfAnyKindHasAFilterThatCanBeRead)
{
    DeadReasons reasons;
    reasons.jobs = {{"", 1},
                    {std::string(5'000, 'x'), 2},
                    {"she said \"no\"\\\n\tand (left)", 3},
                    {"火车晚点" + std::string(398, 'y'), 4}};
    for (const auto& reason : ReasonList::mostCommon(reasons)) {
        const auto filter = JobFilter::parse(reason.filter.toStdString());
        ASSERT_TRUE(filter) << reason.filter.toStdString() << filter.error().detail;
        JobView dead;
        dead.state = JobState::Dead;
        dead.lastError = reason.error;
        EXPECT_TRUE(filter->matches(dead, {})) << reason.filter.toStdString();
    }
}

TEST_F(OverviewTest, retriesExactlyTheJobsOfAReasonAtOnce)
{
    openStore([](FakeBackend& store) {
        fill(store);
        for (const auto* error : {"connection refused", "connection refused", "expired"}) {
            JobView dead;
            dead.job.id = "dead-" + std::to_string(store.jobs.size());
            dead.job.topic = "graveyard";
            dead.state = JobState::Dead;
            dead.lastError = error;
            store.jobs.push_back(dead);
        }
    });
    page().called("Retry: connection refused")->click();
    ASSERT_TRUE(until([&] { return !fake->bulkRequests.empty(); }));
    EXPECT_EQ(newestOf<ConfirmDialog>(window), nullptr);
    const auto& request = fake->bulkRequests.back();
    EXPECT_EQ(request.mode, BulkRequest::Mode::Apply);
    EXPECT_EQ(request.reason, "retry of all that failed by: connection refused");
    EXPECT_EQ(request.verb, BulkAction::Verb::RunNow);
    EXPECT_TRUE(request.selection.all);
    EXPECT_EQ(request.selection.view.filter.text(), R"(state:dead err:"connection refused")");
    EXPECT_EQ(request.selection.asOf, fake->time);
    EXPECT_TRUE(until([&] {
        return fake->jobs[0].state == JobState::Ready && fake->jobs[1].state == JobState::Ready;
    }));
    EXPECT_EQ(fake->jobs[2].state, JobState::Dead);
    ASSERT_EQ(window.board().tasks().size(), 1U) << "its progress is in the task strip";
    EXPECT_TRUE(until([&] { return !window.board().tasks().front().running(); }));
    ASSERT_TRUE(until([&] { return window.actions()[ActionId::Undo]->isEnabled(); }));
    window.actions()[ActionId::Undo]->trigger();
    EXPECT_TRUE(until([&] {
        return fake->jobs[0].state == JobState::Dead && fake->jobs[1].state == JobState::Dead;
    }));
    EXPECT_EQ(fake->bulkRequests.back().reason, "connection refused") << "its last error again";
}

TEST_F(OverviewTest, asksBeforeItRetriesInProduction)
{
    ConnectionProfile profile;
    profile.mode = AccessMode::Production;
    openStore(&fill, profile);
    page().called("Retry: connection refused")->click();
    EXPECT_TRUE(until([&] { return newestOf<ConfirmDialog>(window) != nullptr; }));
    for (const auto& request : fake->bulkRequests) {
        EXPECT_EQ(request.mode, BulkRequest::Mode::DryRun);
    }
}

TEST_F(OverviewTest, aReadOnlyConnectionRetriesNothing)
{
    ConnectionProfile profile;
    profile.mode = AccessMode::ReadOnly;
    openStore(&fill, profile);
    EXPECT_FALSE(page().called("Retry: connection refused")->isEnabled());
    EXPECT_TRUE(page().called("Look at: connection refused")->isEnabled());
}

TEST_F(OverviewTest, saysWhenNotAllOfTheDeadWereLookedAt)
{
    openStore([](FakeBackend& store) {
        fill(store);
        store.storeCounts.states[JobState::Dead] = 1'000'000;
        store.reasons.examined = 5'000;
    });
    EXPECT_THAT(texts(page().reasons()),
                testing::HasSubstr("Of the newest 5,000 that were looked at."));
}

TEST_F(OverviewTest, listsTheBusiestTopicsAlsoThoseThatHaveOnlyDeadJobs)
{
    openStore();
    const auto shown = OverviewPageObject::textsOf(page().topics());
    EXPECT_LT(shown.indexOf(QStringLiteral("sip")),
              shown.indexOf(QStringLiteral("order (paused)")));
    EXPECT_LT(shown.indexOf(QStringLiteral("order (paused)")),
              shown.indexOf(QStringLiteral("graveyard")));
    EXPECT_THAT(shown, Contains(QStringLiteral("≥100"))) << "not all held jobs were looked at";
    EXPECT_THAT(shown, Contains(QStringLiteral("2/s")));
}

TEST_F(OverviewTest, saysForWhomMostWaitsAndWhetherTheyCanBeReached)
{
    openStore();
    EXPECT_THAT(fake->mailboxQueries,
                Contains(testing::Field(&MailboxQuery::limit, FullestMailboxes::kRows)))
        << "no more than are shown";
    const auto shown = OverviewPageObject::textsOf(page().mailboxes());
    const auto carol = shown.indexOf(QStringLiteral("carol@example.org"));
    const auto dave = shown.indexOf(QStringLiteral("dave@example.org"));
    ASSERT_GE(carol, 0);
    EXPECT_LT(carol, dave);
    EXPECT_LT(dave, shown.indexOf(QStringLiteral("+4930@example.net")));
    EXPECT_THAT(shown, Contains(QStringLiteral("1,038")));
    EXPECT_THAT(shown, Contains(QStringLiteral("All 3")));
    EXPECT_THAT(shown, Contains(QStringLiteral("no device is known here")));
    const auto all = texts(page().mailboxes());
    EXPECT_THAT(all, testing::HasSubstr("away since "));
    EXPECT_THAT(all, testing::HasSubstr(" registered"));
}

TEST_F(OverviewTest, aMailboxLeadsToThePersonOnThePageOfMailboxes)
{
    openStore();
    press("Mailbox of dave@example.org");
    EXPECT_TRUE(window.mailboxes().isVisible());
    const MailboxesPageObject mailboxes(&window.mailboxes());
    EXPECT_TRUE(until([&] { return mailboxes.person() == QLatin1String("dave@example.org"); }));
    window.showPage(PageId::Overview);
    turn();
    emit page().mailboxes()->moreRequested();
    EXPECT_TRUE(window.mailboxes().isVisible());
}

TEST_F(OverviewTest, saysWhenThereMayBeFullerMailboxes)
{
    openStore([](FakeBackend& store) {
        fill(store);
        store.mailboxesComplete = false;
    });
    EXPECT_THAT(texts(page().mailboxes()), testing::HasSubstr("There may be fuller ones"));
    EXPECT_THAT(texts(page().mailboxes()), testing::Not(testing::HasSubstr("All 3")));
}

TEST_F(OverviewTest, saysWhenNothingWaitsForAnybody)
{
    openStore([](FakeBackend& store) {
        fill(store);
        store.mailboxViews.clear();
    });
    EXPECT_THAT(texts(page().mailboxes()), testing::HasSubstr("No mailbox has messages."));
}

TEST_F(OverviewTest, anEmptyStoreTeachesHowTheFirstJobComes)
{
    openStore([](FakeBackend& store) { store.journalPast = Past{}; });
    auto* pane = window.overview().findChild<EmptyPane*>();
    ASSERT_NE(pane, nullptr);
    ASSERT_TRUE(pane->isVisible());
    EXPECT_TRUE(pane->content().sentence.contains(QStringLiteral("restantectl push")));
    EXPECT_EQ(pane->content().buttons.size(), 2);
}

TEST_F(OverviewTest, withoutAStoreItOffersToOpenOne)
{
    show();
    window.showPage(PageId::Overview);
    turn();
    auto* pane = window.overview().findChild<EmptyPane*>();
    ASSERT_TRUE(pane->isVisible());
    EXPECT_EQ(pane->content().buttons.size(), 3);
    bool demo = false;
    QObject::connect(&window.overview(), &OverviewPage::demoRequested, &window,
                     [&] { demo = true; });
    emit pane->pressed(2);
    EXPECT_TRUE(demo);
}

TEST_F(OverviewTest, aStoreThatIsAwayIsShownAsItWas)
{
    openStore();
    EXPECT_TRUE(ui().status()->text().startsWith(QStringLiteral("As of")));
    auto link = fake->link();
    link.phase = LinkState::Phase::Lost;
    fake->setLink(link);
    EXPECT_TRUE(ui().status()->text().startsWith(QStringLiteral("As it was at")));
    EXPECT_FALSE(page().daemons()->isVisible());
}

TEST_F(OverviewTest, tellsWhenTheJournalFallsBehind)
{
    openStore();
    EXPECT_FALSE(page().notice()->isVisible());
    fake->nextSample.journal = redis::JournalProgress{minutes{3}, true, "vm/1"};
    window.actions()[ActionId::Refresh]->trigger();
    EXPECT_TRUE(until([&] { return page().notice()->isVisible(); }));
}

TEST_F(OverviewTest, isReadWholeWhenSomebodyWantsItHoweverShortlyAfterTheLastTime)
{
    openStore();
    const auto asked = fake->mailboxQueries.size();
    fake->reasons.jobs = {{"no route", 7}};
    window.actions()[ActionId::Refresh]->trigger();
    EXPECT_EQ(fake->mailboxQueries.size(), asked + 1);
    EXPECT_TRUE(until([&] { return page().reasons()->reasons().front().error == "no route"; }));
}

TEST_F(OverviewTest, isDrawnInEveryLookAndNothingIsClipped)
{
    openStore();
    for (const auto& look : kScreenLooks) {
        const Wearing wearing(look);
        for (const auto& size : {QSize(1'280, 800), QSize(1'024, 700)}) {
            window.resize(size);
            turn();
            EXPECT_EQ(clippedTexts(window).join(u'\n').toStdString(), "") << look.name;
            const auto name = QStringLiteral("overview-%1").arg(size.width()).toLatin1();
            EXPECT_TRUE(keepPicture(&window, name.constData(), look));
        }
    }
}

TEST(DayMoves, addsWhatTheCountersSawAfterTheJournal)
{
    const TimePoint noon{Millis{1'793'016'000'000}};  // a multiple of the step
    DayMoves moves;
    EXPECT_FALSE(moves.totalSince(noon - hours{3}));
    Sample sample;
    sample.at = noon;
    sample.moves["finish"] = 100;
    moves.addSample(sample);
    moves.setPast(aDay(noon, 10, 1, 2));
    EXPECT_EQ(moves.totalSince(noon - hours{3})->count.delivered, 120U);
    EXPECT_EQ(moves.totalSince(noon - hours{3})->since, noon - hours{3});
    sample.at += minutes{1};
    sample.moves["finish"] = 105;
    moves.addSample(sample);
    EXPECT_EQ(moves.totalSince(noon - hours{3})->count.delivered, 125U);
    sample.at += minutes{1};
    sample.moves["finish"] = 3;
    moves.addSample(sample);
    EXPECT_EQ(moves.totalSince(noon - hours{3})->count.delivered, 125U)
        << "the counters began anew";
}

TEST(DayMoves, countsBySamplesWhenTheJournalCannotBeCountedAnyMore)
{
    const TimePoint noon{Millis{1'793'016'000'000}};
    DayMoves moves;
    Sample sample;
    sample.at = noon - hours{1};
    sample.moves["finish"] = 100;
    moves.addSample(sample);
    sample.at = noon - minutes{30};
    sample.moves["finish"] = 107;
    moves.addSample(sample);
    auto past = aDay(noon, 10, 1, 2);
    moves.setPast(past);
    EXPECT_EQ(moves.totalSince(noon - hours{1})->count.delivered, 40U) << "not counted twice";
    EXPECT_EQ(moves.delivered(noon).back(), 10.0);
    past.movesProblem = "too large";
    moves.setPast(past);
    const auto total = moves.totalSince(noon - hours{3});
    ASSERT_TRUE(total);
    EXPECT_EQ(total->since, noon - hours{1});
    EXPECT_EQ(total->count.delivered, 7U);
    const auto day = moves.delivered(noon);
    EXPECT_EQ(day[day.size() - 2], 7.0);
}

TEST(DayMoves, whatNobodyKnowsIsAGap)
{
    const TimePoint noon{Millis{1'793'016'000'000}};
    DayMoves moves;
    auto past = aDay(noon, 10, 1, 2);
    past.knownFrom = noon - hours{6};
    moves.setPast(past);
    const auto day = moves.delivered(noon);
    EXPECT_EQ(std::count(day.begin(), day.end(), std::nullopt), 72);
    EXPECT_EQ(moves.totalSince(noon - hours{12})->since, noon - hours{6});
    past.movesProblem = "too large";
    moves.setPast(past);
    EXPECT_FALSE(moves.totalSince(noon - hours{12}));
}

}  // namespace restante::gui::test
