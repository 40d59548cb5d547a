#include "gui/pages/jobs/job_columns.h"
#include "gui/pages/jobs/jobs_bars.h"
#include "gui/pages/jobs/jobs_menus.h"
#include "gui/theme/empty_pane.h"
#include "tests/gui/support/jobs_page_fixture.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QScrollBar>
#include <QTest>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

std::vector<JobView> mixedJobs(int count)
{
    std::vector<JobView> jobs;
    for (int at = 0; at < count; ++at) {
        JobView view;
        view.job.id = "job-" + std::to_string(at);
        view.job.topic = at % 3 == 0 ? "big order" : "order";
        view.job.channel = at % 2 == 0 ? Channel::Sip : Channel::Webhook;
        view.job.recipient = at % 2 == 0 ? "sip:bob@example.org" : "https://example.org/hook";
        view.job.created = TimePoint{Millis{1'792'000'000'000}};
        view.state = at % 5 == 0 ? JobState::Dead : JobState::Scheduled;
        view.attempt = static_cast<std::uint32_t>(at);
        view.lastError = at % 5 == 0 ? "486 Busy Here" : "";
        view.due = TimePoint{Millis{1'793'000'000'000 + at * 60'000}};
        jobs.push_back(view);
    }
    return jobs;
}

std::vector<std::string> idsShown(JobsPageFixture& fixture)
{
    std::vector<std::string> ids;
    fixture.page.feed().forEachLoaded(
        [&](std::uint64_t, const JobRow& row) { ids.push_back(row.id); });
    return ids;
}

ChangeBatch changes()
{
    ChangeBatch batch;
    batch.moved = 12;
    return batch;
}

}  // namespace

TEST(FilterBox, theBoxKnowsWhatCanBeRead)
{
    using Kind = FilterEdit::ParseResult::Kind;
    const auto good = std::to_array<const char*>({
        "state:dead",
        "state:dead,held",
        "state=ready",
        "state:live",
        "state:ended",
        "id:order-17",
        "id:a,b,c",
        "biz_key:17",
        "queue:order state:scheduled",
        "kind:sip state:ready",
        "state:dead OR state:held",
        "(state:dead)",
        "-state:done",
        "NOT state:done",
    });
    const auto slow = std::to_array<const char*>({
        "hello",
        "kind:sip",
        "channel:webhook",
        "topic:order",
        "\"a phrase\"",
        "to:bob",
        "to:*@example.org",
        "from:alice",
        "sender:a",
        "recipient:b",
        "callid:x",
        "method:MESSAGE",
        "code:486",
        "code:500..599",
        "err:busy",
        "-err:486",
        "attempts>3",
        "attempts>=3",
        "attempts<5",
        "attempts:1..3",
        "due<1h",
        "due>2d",
        "due<-7d",
        "age>7d",
        "age<1h",
        "created:2026-11-01",
        "created:2026-11-01..2026-11-07",
        "created>2026-11-01",
        "created:2026-11-01..",
        "expires<1d",
        "size>10k",
        "size<1m",
        "type:text/plain",
        "payload:x",
        "priority:0",
        "to:*",
        "a OR b",
        "(a OR b) c",
        "NOT (a b)",
        "-(a OR b)",
        "a AND b",
        "a AND (b OR NOT c)",
        "to:\"a b\"",
        "to:\"a\\\"b\"",
        "topic:\"big order\" attempts>3",
    });
    const auto wrong = std::to_array<const char*>({
        "nothing:x",
        "state:lost",
        "attempts>many",
        "(a",
        "a)",
        "\"open",
        "due<1parsec",
        "created:yesterday",
        "a OR",
        "flow:x",
        "created>=2026-11-01..",
        "size>big",
        "kind:pigeon",
        "NOT",
    });
    static_assert(good.size() + slow.size() + wrong.size() >= 60);
    FilterEdit edit;
    for (const auto* text : good) {
        edit.setText(QString::fromUtf8(text));
        EXPECT_EQ(edit.parseResult().kind, Kind::Valid)
            << text << edit.parseResult().detail.toStdString();
    }
    for (const auto* text : slow) {
        edit.setText(QString::fromUtf8(text));
        EXPECT_NE(edit.parseResult().kind, Kind::Wrong)
            << text << edit.parseResult().detail.toStdString();
        EXPECT_TRUE(edit.filter().has_value()) << text;
    }
    for (const auto* text : wrong) {
        edit.setText(QString::fromUtf8(text));
        EXPECT_EQ(edit.parseResult().kind, Kind::Wrong) << text;
        EXPECT_GE(edit.parseResult().column, 1) << text;
        EXPECT_FALSE(edit.parseResult().detail.isEmpty()) << text;
    }
}

TEST(FilterBox, countsTheColumnOfAProblemInTheTextAsItStandsThere)
{
    FilterEdit edit;
    edit.setText(QStringLiteral("topic:order kind:pigeon"));
    const auto column = edit.parseResult().column;
    edit.setText(QStringLiteral("   topic:order kind:pigeon "));
    EXPECT_EQ(edit.parseResult().column, column + 3);
}

TEST(FilterBox, anErrorNamesItsColumnAndKeepsTheOldRows)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = mixedJobs(20); });
    ASSERT_TRUE(fixture.opened());
    fixture.ui().filter(QStringLiteral("state:dead"));
    ASSERT_TRUE(until([&] { return fixture.page.feed().total() == 4; }));
    fixture.ui().filter(QStringLiteral("state:dead nothing:x"));
    EXPECT_TRUE(fixture.page.filterBar().message().contains(QStringLiteral("12")))
        << fixture.page.filterBar().message().toStdString();
    EXPECT_EQ(fixture.page.feed().total(), 4U);
    QTest::keyClick(&fixture.ui().filterEdit(), Qt::Key_Escape);
    EXPECT_EQ(fixture.ui().filterEdit().text(), QStringLiteral("state:dead"));
}

TEST(FilterOnPage, filtersFindExactlyWhatTheySay)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = mixedJobs(12); });
    ASSERT_TRUE(fixture.opened());
    const auto expect = [&](const char* filter, std::vector<std::string> ids) {
        fixture.ui().filter(QString::fromUtf8(filter));
        ASSERT_TRUE(until([&] { return fixture.page.feed().answered(); })) << filter;
        ASSERT_TRUE(fixture.settled()) << filter;
        EXPECT_EQ(idsShown(fixture), ids) << filter;
    };
    expect("-kind:sip attempts<6", {"job-1", "job-3", "job-5"});
    expect("attempts>=10", {"job-11", "job-10"});
    expect("topic:\"big order\" kind:sip", {"job-6", "job-0"});
    expect("id:job-2 OR (state:dead attempts>4)", {"job-2", "job-5", "job-10"});
    expect("due<2m", {"job-1", "job-0"});
    expect("NOT (kind:sip OR topic:order)", {"job-3", "job-9"});
}

TEST(LivePage, liveUpdatesWaitForAMenuAndForTheirInterval)
{
    const QTemporaryDir home;
    Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    preferences.setLiveIntervalMs(400);
    FakeBackend fake;
    LiveUpdate live(preferences);
    live.setSource(&fake.source());
    bool menuOpen = true;
    live.setPausePredicate([&] { return menuOpen; });
    QElapsedTimer since;
    std::vector<qint64> told;
    QObject::connect(&live, &LiveUpdate::reloadRequested, &live,
                     [&] { told.push_back(since.elapsed()); });
    since.start();
    emit fake.source().changed(changes());
    ASSERT_TRUE(until([&] { return since.elapsed() > 300; }));
    EXPECT_TRUE(told.empty());
    menuOpen = false;
    ASSERT_TRUE(until([&] { return told.size() == 1; }));
    for (int times = 0; times < 20; ++times) {
        emit fake.source().changed(changes());
    }
    ASSERT_TRUE(until([&] { return told.size() == 2; }));
    EXPECT_GE(told[1] - told[0], 395);
    live.setOn(false);
    emit fake.source().changed(changes());
    ASSERT_TRUE(until([&, from = since.elapsed()] { return since.elapsed() > from + 500; }));
    EXPECT_EQ(told.size(), 2U);
}

TEST(FilterBox, completesFieldsAndKnownValues)
{
    JobsPageFixture fixture([](FakeBackend& fake) {
        fake.jobs = mixedJobs(5);
        TopicView topic;
        topic.topic = "big order";
        fake.topicList.push_back(topic);
    });
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    auto& edit = fixture.ui().filterEdit();
    edit.setText(QStringLiteral("st"));
    EXPECT_EQ(edit.completions(), QStringList{QStringLiteral("state:")});
    edit.setText(QStringLiteral("state:dead,sch"));
    EXPECT_EQ(edit.completions(), QStringList{QStringLiteral("scheduled")});
    edit.setText(QStringLiteral("topic:b"));
    ASSERT_TRUE(until([&] { return !edit.completions().isEmpty(); }));
    EXPECT_EQ(edit.completions(), QStringList{QStringLiteral("\"big order\"")});
    edit.setText(QStringLiteral("to:sip"));
    EXPECT_EQ(edit.completions(), QStringList{QStringLiteral("\"sip:bob@example.org\"")});
}

TEST(FilterBox, remembersWhatWasApplied)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = mixedJobs(5); });
    ASSERT_TRUE(fixture.opened());
    fixture.ui().filter(QStringLiteral("state:dead"));
    fixture.ui().filter(QStringLiteral("state:held"));
    EXPECT_EQ(fixture.preferences.value(QStringLiteral("jobs/filterHistory")).toStringList(),
              QStringList({QStringLiteral("state:held"), QStringLiteral("state:dead")}));
}

TEST(CellMenu, filtersExcludesAndCopies)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = mixedJobs(20); });
    ASSERT_TRUE(fixture.opened());
    JobsMenus menus(Context{fixture.actions, fixture.preferences}, fixture.table(), &fixture.page);
    QString wanted;
    QObject::connect(&menus, &JobsMenus::termRequested, &fixture.page,
                     [&](const QString& term) { wanted = term; });
    auto* menu = menus.cellMenu({fixture.page.feed().row(1), JobColumn::To}, &fixture.page);
    const CellMenuObject cell(menu);
    cell.filterBy()->trigger();
    EXPECT_EQ(wanted, QStringLiteral("to:\"sip:bob@example.org\""));
    cell.exclude()->trigger();
    EXPECT_EQ(wanted, QStringLiteral("-to:\"sip:bob@example.org\""));
    cell.copy()->trigger();
    EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("sip:bob@example.org"));
    delete menu;
}

TEST(Copying, givesRowsJsonAndIds)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = mixedJobs(5); });
    ASSERT_TRUE(fixture.opened());
    fixture.table().jobsSelection().selectLoaded();
    for (const auto act : {ActionId::Copy, ActionId::CopyAsJson, ActionId::CopyId}) {
        fixture.actions[act]->setEnabled(true);
    }
    fixture.table().setFocus();
    fixture.actions[ActionId::CopyId]->trigger();
    EXPECT_EQ(QGuiApplication::clipboard()->text().split(u'\n').size(), 5);
    fixture.actions[ActionId::CopyAsJson]->trigger();
    const auto json = QJsonDocument::fromJson(QGuiApplication::clipboard()->text().toUtf8());
    EXPECT_EQ(json.array().size(), 5);
    fixture.actions[ActionId::Copy]->trigger();
    EXPECT_EQ(QGuiApplication::clipboard()->text().split(u'\n').size(), 7);  // head and line end
}

TEST(Notices, sayWhyThereIsNothingToSee)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = mixedJobs(5); });
    EXPECT_EQ(fixture.ui().notice().buttons.size(), 3);
    auto link = fixture.fake->link();
    link.phase = LinkState::Phase::Connecting;
    link.step = QStringLiteral("Logging in");
    fixture.fake->setLink(link);
    fixture.open();
    EXPECT_TRUE(fixture.ui().notice().skeleton);
    EXPECT_EQ(fixture.ui().notice().sentence, link.step);
    EXPECT_TRUE(fixture.fake->pages.empty());
    link.phase = LinkState::Phase::Ready;
    fixture.fake->setLink(link);
    ASSERT_TRUE(until([&] { return fixture.page.feed().answered(); }));
    fixture.ui().filter(QStringLiteral("state:held attempts>3"));
    ASSERT_TRUE(until([&] { return fixture.ui().notice().buttons.size() == 3; }));
    EXPECT_EQ(fixture.ui().notice().sentence, QStringLiteral("state:held attempts>3"));
    fixture.ui().firstNoticeButton()->click();
    EXPECT_EQ(fixture.ui().filterEdit().text(), QStringLiteral("attempts>3"));
}

TEST(Errors, keepTheLastRowsAndOfferToTryAgain)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = mixedJobs(5); });
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    fixture.fake->nextError = Error{ErrorCode::Busy, "a script runs"};
    fixture.page.refresh();
    auto* bar = fixture.ui().trouble();
    ASSERT_TRUE(until([&] { return bar->isVisible(); }));
    EXPECT_TRUE(bar->text().contains(QStringLiteral("a script runs (busy)")));
    EXPECT_EQ(fixture.page.feed().total(), 5U);
    EXPECT_TRUE(fixture.table().jobs().isStale());
    fixture.ui().troubleRetry()->click();
    ASSERT_TRUE(until([&] { return !bar->isVisible(); }));
    EXPECT_FALSE(fixture.table().jobs().isStale());
}

TEST(Errors, goWhenTheConnectionIsBack)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = mixedJobs(5); });
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    fixture.fake->nextError = Error{ErrorCode::Unavailable, "not connected to the store"};
    fixture.page.refresh();
    auto* bar = fixture.ui().trouble();
    ASSERT_TRUE(until([&] { return bar->isVisible(); }));
    auto link = fixture.fake->link();
    link.phase = LinkState::Phase::Lost;
    fixture.fake->setLink(link);
    link.phase = LinkState::Phase::Ready;
    fixture.fake->setLink(link);
    ASSERT_TRUE(until([&] { return !bar->isVisible(); }));
    EXPECT_FALSE(fixture.table().jobs().isStale());
    // A ping alone loads nothing.
    ASSERT_TRUE(fixture.settled());
    const auto pages = fixture.fake->pages.size();
    link.latencyMs = 7;
    fixture.fake->setLink(link);
    ASSERT_TRUE(fixture.settled());
    EXPECT_EQ(fixture.fake->pages.size(), pages);
}

TEST(SavedViews, areKeptAndFoundAgain)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = mixedJobs(20); });
    ASSERT_TRUE(fixture.opened());
    JobsView view;
    view.filter = JobFilter::parse("attempts>3").value();
    view.states = {JobState::Dead};
    view.channel = Channel::Sip;
    fixture.page.savedViews().save({QStringLiteral("Stuck"), view});
    EXPECT_TRUE(fixture.page.showSavedView(QStringLiteral("Stuck")));
    EXPECT_TRUE(fixture.page.shownView() == view);
    EXPECT_FALSE(fixture.page.savedViews().rename(QStringLiteral("Other"), QStringLiteral("X")));
    EXPECT_TRUE(
        fixture.page.savedViews().rename(QStringLiteral("Stuck"), QStringLiteral("Stuck 2")));
    EXPECT_TRUE(SavedViews(fixture.preferences).find(QStringLiteral("Stuck 2")).has_value());
    fixture.page.savedViews().remove(QStringLiteral("Stuck 2"));
    EXPECT_TRUE(fixture.page.savedViews().all().empty());
}

TEST(Scan, tellsHowFarItIsAndCanBeStopped)
{
    JobsPageFixture fixture([](FakeBackend& fake) {
        fake.jobs = mixedJobs(900);
        fake.storeCounts.states[JobState::Scheduled] = 900;
    });
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    fixture.fake->latencyMs = 80;
    fixture.ui().filter(QStringLiteral("attempts>=0"));
    ASSERT_TRUE(until([&] { return fixture.page.feed().scan().found >= 200; }));
    auto* stop = fixture.ui().scanStop();
    ASSERT_TRUE(stop->isVisible());
    stop->click();
    EXPECT_EQ(fixture.page.feed().scan().phase, ScanState::Phase::Stopped);
    const auto found = fixture.page.feed().total();
    EXPECT_LT(found, 900U);
    EXPECT_TRUE(fixture.page.countText().startsWith(QStringLiteral("at least")));
    fixture.ui().scanContinue()->click();
    ASSERT_TRUE(until([&] { return fixture.page.feed().complete(); }));
    EXPECT_EQ(fixture.page.countText(), QStringLiteral("900 matching (exact)"));
}

TEST(Scan, isRefreshedAlsoWhenItWaitsWithManyRowsBelowTheScreen)
{
    JobsPageFixture fixture([](FakeBackend& fake) { fake.jobs = mixedJobs(3'000); });
    ASSERT_TRUE(fixture.opened());
    ASSERT_TRUE(fixture.settled());
    fixture.ui().filter(QStringLiteral("attempts>=0"));
    const auto& feed = fixture.page.feed();
    ASSERT_TRUE(until([&] { return feed.scan().phase == ScanState::Phase::Waiting; }));
    EXPECT_GT(feed.total(), 1'000U);
    EXPECT_LT(feed.total(), 3'000U);
    fixture.fake->time += Millis{60'000};
    fixture.page.refresh();
    EXPECT_TRUE(until([&] { return feed.asOf() == fixture.fake->time; }));
    EXPECT_TRUE(until([&] { return feed.scan().phase == ScanState::Phase::Waiting; }));
}

}  // namespace restante::gui::test
